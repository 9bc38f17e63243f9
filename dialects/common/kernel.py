"""
The common base of `region.kernel` and `pto.kernel`: named input and output memrefs, a plan, a body.

```mlir
region.kernel @k(%x: memref<4x8xbf16> align 16) -> (%y: memref<4x8xbf16> align 16 gmem) plan #plan.schedule<…> { … }
```

`align` is the proven alignment of the base address in bytes. The word after it is the purpose of an output:

- `gmem`: a result of the program; the kernel stores every element;
- `deferred`: a buffer that only later kernels read; the kernel stores every element;
- `updated`: an array that has its elements before a launch, some of which the kernel updates;
- `workspace`: scratch memory of one launch; its contents are undefined before and after;
- `counters`: integers that are zero before a launch; the kernel resets them to zero;
- `status`: the largest number of an op that has failed (`pto.tile.report`), or 0.

Only tile programs have the last three. Spec: `tensor-compiler.ja §1.5`; DESIGN §4 (workspaces for split-K).
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import opt_prop_def, prop_def, region_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface

from ...errors import OperandCountMismatch, VerifyError
from ..plan import ScheduleAttr
from .checks import check_type, check_value, check_word
from .ops import DialectOp
from .syntax import ints, parse_int

UPDATED = "updated"
MATERIALIZE = ("gmem", "deferred", UPDATED)
COUNTERS, STATUS = "counters", "status"
UNROLL = "nv.unroll"
"""The attribute of a loop of a kernel that says how many steps are written out; without it, one."""
SCRATCH = ("workspace", COUNTERS)


class KernelOp(DialectOp, abc.ABC):
    """Base of kernel ops. A kernel computes the work of one launch; its arguments are memrefs."""

    WORDS: ClassVar[tuple[str, ...]] = MATERIALIZE
    """The legal purposes of outputs."""
    sym_name = prop_def(SymbolNameConstraint())
    input_count = prop_def(IntegerAttr.constr(i64))
    alignments = prop_def(DenseArrayBase.constr(i64))
    materialize = prop_def(ArrayAttr[StringAttr])
    plan = opt_prop_def(ScheduleAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(
        self,
        name: str,
        inputs: int,
        alignments: Sequence[int],
        materialize: Sequence[str],
        body: Region | Block,
        plan: ScheduleAttr | None = None,
    ):
        super().__init__(
            [],
            [],
            [body],
            sym_name=name,
            input_count=inputs,
            alignments=alignments,
            materialize=ArrayAttr([StringAttr(m) for m in materialize]),
            plan=plan,
        )

    @property
    def inputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[: self.input_count.value.data])

    @property
    def outputs(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[self.input_count.value.data :])

    def purpose(self, arg: SSAValue) -> str | None:
        """Returns the purpose of `arg` if it is an output of the kernel, else None."""
        return next((w.data for out, w in zip(self.outputs, self.materialize, strict=True) if out is arg), None)

    def alignment(self, arg: BlockArgument) -> int:
        """Returns the proven alignment of the base address of `arg`, in bytes."""
        return ints(self.alignments)[arg.index]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name = parser.parse_symbol_name()
        alignments: list[int] = []
        materialize: list[str] = []

        def argument(output: bool) -> Parser.Argument:
            arg = parser.parse_argument()
            parser.parse_keyword("align")
            alignments.append(parse_int(parser, allow_negative=False))
            if output:
                materialize.append(parser.parse_identifier())
            arg.location = parser.parse_optional_location() or arg.location
            return arg

        ins = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: argument(False))
        parser.parse_punctuation("->")
        outs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: argument(True))
        plan: Attribute | None = None
        if parser.parse_optional_keyword("plan"):
            at = parser.pos
            plan = parser.parse_attribute()
            if not isinstance(plan, ScheduleAttr):
                parser.raise_error("expected #plan.schedule<{…}>", at, parser.pos)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region((*ins, *outs))
        op = cls(name.data, len(ins), alignments, materialize, body, plan)
        if attributes is not None:
            op.attributes = dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)

        def argument(arg: BlockArgument) -> None:
            printer.print_block_argument(arg, print_type=False)
            printer.print_string(": ")
            printer.print_attribute(arg.type)
            printer.print_string(f" align {self.alignment(arg)}")
            k = arg.index - len(self.inputs)
            if k >= 0:
                printer.print_string(f" {self.materialize.data[k].data}")
            if printer.print_debuginfo:
                printer.print_string(" ")
                printer.print_attribute(arg.location)

        with printer.in_parens():
            printer.print_list(self.inputs, argument)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.outputs, argument)
        if self.plan is not None:
            printer.print_string(" plan ")
            printer.print_attribute(self.plan)
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def verify_(self) -> None:
        args, inputs = self.body.block.args, self.input_count.value.data
        outputs, aligned, purposes = len(self.outputs), len(self.alignments), len(self.materialize)
        for holds, what, want, got in (
            (0 <= inputs <= len(args), "a kernel", f"one argument for each input ({inputs})", len(args)),
            (aligned == len(args), "'alignments'", f"one entry for each argument ({len(args)})", aligned),
            (purposes == outputs, "'materialize'", f"one entry for each output ({outputs})", purposes),
        ):
            if not holds:
                raise OperandCountMismatch(self, what=what, want=want, got=got)
        for arg, align in zip(args, ints(self.alignments), strict=True):
            is_memref = isinstance(arg.type, MemRefType)
            check_type(self, is_memref, "a kernel argument", arg.type, "the arguments of a kernel are memrefs")
            check_value(self, align >= 1 and align & align - 1 == 0, "align", align, "give a power of two in bytes")
        for word in self.materialize:
            check_word(self, "materialize", word.data, self.WORDS)


def free_symbol(module: ModuleOp, name: str) -> str:
    """Returns `name`, with underscores appended if a symbol of the module already has it."""
    taken = {o.get_attr_or_prop("sym_name") for o in module.body.block.ops}
    while StringAttr(name) in taken:
        name += "_"
    return name


def require_distinct(launch: Operation, outs: Sequence[SSAValue], operands: Sequence[SSAValue]) -> None:
    """Checks that no buffer written by a launch is also another of its operands: kernel arguments are noalias."""
    for out in outs:
        if sum(1 for v in operands if v is out) > 1:
            raise VerifyError(launch, problem="writes a buffer that is also another of its operands")
