"""Contractions. Contract: *Linear algebra*."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, StringAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from ...errors import ShapeMismatch
from ...text.known_sizes import equate
from ..common.checks import check_attribute
from ..common.shapes import are_paired, element, normalize_axes, require_precision, shape
from ..common.syntax import Keyword, axes_attr, ints, parse_ints
from .base import AccumulatingOp, AnyTensor
from .dims import Size, may_be_equal, merge, sizes, tensor_type
from .domains import require_domain


@irdl_custom_directive
class AxisPairs(CustomDirective):
    """Parses and prints pairs of axes of lhs and rhs: `[0, 1] x [2, 0]` pairs axis 0 with 2, and 1 with 0."""

    lhs: AttributeVariable
    rhs: AttributeVariable

    def axes(self, op: IRDLOperation) -> list[list[int]]:
        return [list(ints(cast(DenseArrayBase[IntegerType], side.get(op)))) for side in (self.lhs, self.rhs)]

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.lhs.set(state, axes_attr(parse_ints(parser)))
        parser.parse_characters("x")
        self.rhs.set(state, axes_attr(parse_ints(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_string(" x ".join(map(str, self.axes(op))))

    def set_empty(self, state: ParsingState) -> None:
        for side in (self.lhs, self.rhs):
            side.set(state, axes_attr(()))

    def is_present(self, op: IRDLOperation) -> bool:
        return any(self.axes(op))

    def is_anchorable(self) -> bool:
        return True


@irdl_op_definition
class DotGeneralOp(AccumulatingOp):
    """
    A contraction over the `contract` axes. The axes of the result are the batch axes, the free axes of lhs, and the free axes
    of rhs. Contract: *DotGeneral*.

    Products of the operands' element type are exact. The sum is rounded in type `accum` (default: f32 for floats up to f32, else
    the operands' type). The result is cast to type `out` (default: the operands' type). Integers wrap. Paired axes have equal
    sizes; sizes that are not known statically are checked at run time.

    Operands of two types are an extension of the contract: the two fp8 types, or integers of equal width, of which one is
    unsigned. They require explicit `accum` and `out`. This extension and the next do not need `ptir.extensions`.

    `precision tf32` is an extension of the contract for f32 operands with an f32 accumulator. Each operand is first rounded to 8
    bits of exponent and 10 bits of fraction, to nearest with ties away from zero, like `cvt.rna.tf32.f32` (PTX ISA §9.7.9.21).
    TMA on sm90 rounds to nearest, too, but its ties may go either way, which `ptir.bounds` allows. Without `precision`, f32
    operands are never rounded.

    ```mlir
    %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32
       : (tensor<3x4x8xbf16>, tensor<3x8x2xbf16>) -> tensor<3x4x2xf32>
    %1 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 precision tf32
       : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
    """

    name = "ptir.dot_general"
    lhs = operand_def(AnyTensor)
    rhs = operand_def(AnyTensor)
    batch_lhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    batch_rhs = prop_def(DenseArrayBase.constr(i64), default_value=axes_attr(()))
    contract_lhs = prop_def(DenseArrayBase.constr(i64))
    contract_rhs = prop_def(DenseArrayBase.constr(i64))
    precision = opt_prop_def(StringAttr)
    result = result_def(AnyTensor)
    traits = traits_def(Pure())
    custom_directives = (AxisPairs, Keyword)
    assembly_format = (
        "$lhs `,` $rhs (`batch` custom<AxisPairs>($batch_lhs, $batch_rhs)^)? "
        "`contract` custom<AxisPairs>($contract_lhs, $contract_rhs) (`accum` $accum_dtype^)? (`out` $out_dtype^)? "
        "(`precision` custom<Keyword>($precision)^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        contract: tuple[Sequence[int], Sequence[int]],
        batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
        accum: Attribute | None = None,
        out: Attribute | None = None,
        result_type: Attribute | None = None,
        precision: str | None = None,
    ):
        super().__init__(
            [lhs, rhs],
            [result_type or lhs.type],
            batch_lhs=batch[0],
            batch_rhs=batch[1],
            contract_lhs=contract[0],
            contract_rhs=contract[1],
            accum_dtype=accum,
            out_dtype=out,
            precision=precision,
        )
        if result_type is None:
            self.results[0]._type = tensor_type(out or element(lhs), self.result_sizes())  # pyright: ignore[reportPrivateUsage]

    def axes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Returns the batch axes of lhs, those of rhs, the contract axes of lhs, and those of rhs; negative axes are normalized."""
        left, right = len(shape(self.lhs)), len(shape(self.rhs))
        return (
            normalize_axes(self, ints(self.batch_lhs), left, "batch of lhs"),
            normalize_axes(self, ints(self.batch_rhs), right, "batch of rhs"),
            normalize_axes(self, ints(self.contract_lhs), left, "contract of lhs"),
            normalize_axes(self, ints(self.contract_rhs), right, "contract of rhs"),
        )

    def free_axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Returns the axes of lhs, and those of rhs, that are neither batch nor contract axes, in ascending order."""
        bl, br, cl, cr = self.axes()
        return (
            tuple(a for a in range(len(shape(self.lhs))) if a not in bl + cl),
            tuple(a for a in range(len(shape(self.rhs))) if a not in br + cr),
        )

    def result_sizes(self) -> list[Size]:
        """Returns the sizes of the result: of the batch axes, the free axes of lhs and the free axes of rhs."""
        bl, br, _, _ = self.axes()
        fl, fr = self.free_axes()
        left, right = sizes(self.lhs), sizes(self.rhs)
        batch = [merge(left[a], right[b]) for a, b in zip(bl, br, strict=True)]
        return [*batch, *(left[a] for a in fl), *(right[b] for b in fr)]

    def verify_(self) -> None:
        require_factors(self, "rhs")
        pairs = {"batch": (self.batch_lhs, self.batch_rhs), "contract": (self.contract_lhs, self.contract_rhs)}
        for name, (left, right) in pairs.items():
            problem = f"pairs axes {list(ints(left))} of lhs with {list(ints(right))} of rhs"
            check_attribute(self, len(left) == len(right), name, problem, "give as many axes on each side")
        bl, br, cl, cr = self.axes()
        for side, batch, contract in (("lhs", bl, cl), ("rhs", br, cr)):
            both = sorted(set(batch) & set(contract))
            problem = f"shares axes {both} of {side} with batch"
            check_attribute(self, not both, "contract", problem, "an axis is batch or contracted, not both")
        lhs, rhs = sizes(self.lhs), sizes(self.rhs)
        for what, left, right in (("batch", bl, br), ("contract", cl, cr)):
            for a, b in zip(left, right, strict=True):
                if not may_be_equal(lhs[a], rhs[b]):
                    want = f"{lhs[a]} as axis {a} of lhs"
                    raise ShapeMismatch(self, what=f"rhs ({what} axis {b})", got=rhs[b], want=want)
                equate(self, rhs[b], lhs[a], f"rhs ({what} axis {b})")
        self.require_result(self.result_sizes())
        require_precision(self, self.precision, (element(self.lhs), self.accum))


def require_factors(op: AccumulatingOp, what: str) -> None:
    """
    Checks that a contraction can multiply the operands of `op`, and that `accum` and `out` are legal for them. Errors call the
    second operand `what`.
    """
    dtype, other = map(element, op.operands)
    require_domain(op, dtype, "number")
    if not are_paired(dtype, other):
        op.require_element(op.operands[1], dtype, what)
    if dtype != other:
        for name, explicit in (("accum", op.accum_dtype), ("out", op.out_dtype)):
            problem = f"has no default for {dtype} x {other}"
            check_attribute(op, explicit is not None, name, problem, "write accum and out")
    op.require_accum()
