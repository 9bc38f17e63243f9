"""Structured control flow: branches, and loops with a bounded number of iterations."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Self, cast

from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_region_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect, SingleBlockImplicitTerminator

from ..common.ops import DialectOp
from .errors import VyreError, WrongDataType, require
from .types import Bool, is_value_type, u32


class Structured(DialectOp, abc.ABC):
    """Base of ops whose regions end with a `vyre.yield`, which is left out if it yields nothing."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for block in (block for region in self.regions for block in region.blocks):
            if block.last_op is None or not block.last_op.has_trait(IsTerminator):
                block.add_op(YieldOp())


@irdl_op_definition
class YieldOp(DialectOp):
    """
    Ends a region with its results.

    ```mlir
    vyre.yield %0 : !vyre.u32
    ```
    """

    name = "vyre.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue):
        super().__init__([values])


def require_value(op: Operation, t: Attribute, what: str) -> None:
    """Checks that `t` is the type of a value."""
    problem = f"{what} has the type {t}"
    require(op, is_value_type(t), WrongDataType, problem, "pass values; buffers stay in place")


def require_yield(op: Operation, region: Region, want: Sequence[Attribute], what: str) -> None:
    """Checks that a region ends with values of these types."""
    end = region.block.last_op
    got = [v.type for v in end.values] if isinstance(end, YieldOp) else None
    problem = f"{what} yields {_listed(got or [])}, expected {_listed(want)}"
    require(end or op, got == list(want), VyreError, problem, "yield a value for each result")


def _listed(types: Sequence[Attribute]) -> str:
    return ", ".join(map(str, types)) or "nothing"


@irdl_op_definition
class IfOp(Structured):
    """
    Executes one of two regions. Without results, the second may be left out.

    ```mlir
    %r = vyre.if %c -> (!vyre.u32) {
      vyre.yield %0 : !vyre.u32
    } else {
      vyre.yield %x : !vyre.u32
    }
    ```
    """

    name = "vyre.if"
    condition = operand_def(Bool)
    results_ = var_result_def()
    then = region_def("single_block")
    otherwise = opt_region_def("single_block")
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), RecursiveMemoryEffect())
    assembly_format = "$condition (`->` `(` type($results_)^ `)`)? attr-dict-with-keyword $then (`else` $otherwise^)?"

    def __init__(
        self,
        condition: SSAValue,
        then: Region | Block,
        otherwise: Region | Block | None = None,
        results: Sequence[Attribute] = (),
    ):
        second = [] if otherwise is None else [Region(otherwise) if isinstance(otherwise, Block) else otherwise]
        super().__init__([condition], [results], [then, second])  # pyright: ignore[reportArgumentType]

    def verify_(self) -> None:
        types = [r.type for r in self.results_]
        for t in types:
            require_value(self, t, "a result of vyre.if")
        require_yield(self, self.then, types, "the first region")
        if self.otherwise is not None:
            require_yield(self, self.otherwise, types, "the second region")
        problem = "a vyre.if with results has one region"
        require(self, self.otherwise is not None or not types, VyreError, problem, "add an else with a vyre.yield")


@irdl_op_definition
class ForOp(Structured):
    """
    Executes its region for `%i` from `from` to `to` - 1, in order; never, if `from` is not less. Values of `iter` are carried from one
    iteration to the next. The bounds are computed before the first iteration.

    ```mlir
    %r = vyre.for %i = %0 to %n iter (%sum = %x) -> (!vyre.u32) {
      %1 = vyre.binop add %sum, %i : !vyre.u32
      vyre.yield %1 : !vyre.u32
    }
    ```
    """

    name = "vyre.for"
    start = operand_def(u32)
    stop = operand_def(u32)
    initial = var_operand_def()
    results_ = var_result_def()
    body = region_def("single_block")
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp), RecursiveMemoryEffect())

    def __init__(self, start: SSAValue, stop: SSAValue, initial: Sequence[SSAValue], body: Region | Block):
        super().__init__([start, stop, initial], [[v.type for v in initial]], [body])

    @property
    def counter(self) -> BlockArgument:
        return self.body.block.args[0]

    @property
    def carried(self) -> tuple[BlockArgument, ...]:
        return tuple(self.body.block.args[1:])

    @property
    def next(self) -> tuple[SSAValue, ...]:
        """The carried values for the next iteration."""
        return tuple(cast(YieldOp, self.body.block.last_op).values)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        counter = parser.parse_argument(expect_type=False).resolve(u32)
        parser.parse_punctuation("=")
        start = parser.resolve_operand(parser.parse_unresolved_operand(), u32)
        parser.parse_keyword("to")
        stop = parser.resolve_operand(parser.parse_unresolved_operand(), u32)
        carried: list[Parser.Argument] = []
        initial: list[SSAValue] = []
        if parser.parse_optional_keyword("iter"):

            def pair() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
                arg = parser.parse_argument(expect_type=False)
                parser.parse_punctuation("=")
                return arg, parser.parse_unresolved_operand()

            pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
            parser.parse_punctuation("->")
            begin = parser.pos
            types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            if len(types) != len(pairs):
                parser.raise_error(f"{len(pairs)} values are carried, but {len(types)} types given", begin, parser.pos)
            carried = [arg.resolve(t) for (arg, _), t in zip(pairs, types, strict=True)]
            initial = [*parser.resolve_operands([value for _, value in pairs], types, begin)]
        attributes = parser.parse_optional_attr_dict_with_keyword()
        op = cls(start, stop, initial, parser.parse_region([counter, *carried]))
        op.attributes = {} if attributes is None else dict(attributes.data)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.counter)
        printer.print_string(" = ")
        printer.print_ssa_value(self.start)
        printer.print_string(" to ")
        printer.print_ssa_value(self.stop)

        def pair(values: tuple[SSAValue, SSAValue]) -> None:
            printer.print_ssa_value(values[0])
            printer.print_string(" = ")
            printer.print_ssa_value(values[1])

        if self.carried:
            printer.print_string(" iter (")
            printer.print_list(zip(self.carried, self.initial, strict=True), pair)
            printer.print_string(") -> (")
            printer.print_list(self.initial, lambda v: printer.print_attribute(v.type))
            printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=bool(self.carried))

    def verify_(self) -> None:
        types = [v.type for v in self.initial]
        for t in types:
            require_value(self, t, "a carried value of vyre.for")
        want = [u32, *types]
        got = [arg.type for arg in self.body.block.args]
        problem = f"the region of vyre.for takes {_listed(got)}, expected {_listed(want)}"
        require(self, got == want, VyreError, problem, "give it the counter and the carried values")
        require_yield(self, self.body, types, "the loop")
