"""Vector ops of the `pto` dialect: elementwise functions on tiles. Spec: `pto-ir.md §4`."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import TypeVar, cast

from xdsl.dialects.builtin import (
    f32,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from ...errors import DtypeMismatch
from ..common.checks import check_shape, check_type
from ..common.numbers import NUMBER, Number, number_type
from ..ptir.functions import bit_width
from ..tiny.vocabulary import KERNEL_UNARY, problem_with
from .asynchronous import EVENT, WAITS, InstructionOp
from .indices import Moded
from .syntax import Bare, Waits
from .types import AnyTile, SameTile, TileType, tile_type
from .words import CompareAttr


@irdl_op_definition
class ExpandsOp(InstructionOp):
    """TEXPANDS: fills a tile with a number. A complex number is written `[1.0 : f32, 2.0 : f32]`."""

    name = "pto.tile.expands"
    value = prop_def(NUMBER)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = f"$value {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, value: Number, tile: TileType):
        super().__init__([], [tile], value=value)

    def verify_(self) -> None:
        super().verify_()
        dtype, want = number_type(self.value), tile_type(self.result).element_type
        if dtype != want:
            raise DtypeMismatch(self, what="the value", got=dtype, want=want)


class VectorUnaryOp(InstructionOp, abc.ABC):
    """Base of unary functions: `out[i] = f(x[i])`, rounded to the element type."""

    input = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = f"$input {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])


class VectorFunctionOp(VectorUnaryOp, abc.ABC):
    """Base of unary functions that are defined on the same element types as the `tiny.unary` function of that name."""

    def verify_(self) -> None:
        super().verify_()
        _check_domain(self, tile_type(self.result).element_type)


@irdl_op_definition
class Tf32Op(VectorFunctionOp):
    """
    Rounds f32 to tf32, ties away from zero, like `tiny.unary tf32`. PTO has no instruction for this.

    ```mlir
    %1 = pto.tile.tf32 %0 : tile<4xf32>
    ```
    """

    name = "pto.tile.tf32"


class VectorBinaryOp(InstructionOp, abc.ABC):
    """Base of binary functions: `out[i] = f(lhs[i], rhs[i])`, rounded to the element type."""

    lhs = operand_def(SameTile)
    rhs = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = f"$lhs `,` $rhs {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        super().verify_()
        _check_domain(self, tile_type(self.result).element_type)


def _check_domain(op: Operation, dtype: Attribute) -> None:
    problem = problem_with(op.name.removeprefix("pto.tile."), dtype)
    check_type(op, not problem, "the element type", dtype, problem)


_Op = TypeVar("_Op", bound=InstructionOp)


def _vector_op(base_class: type[_Op], fn: str, doc: str) -> type[_Op]:
    body = {"__doc__": doc, "name": f"pto.tile.{fn}", "__module__": __name__}
    return irdl_op_definition(cast("type[_Op]", type(f"{fn.capitalize()}Op", (base_class,), body)))


UNARY: Mapping[str, type[VectorUnaryOp]] = {
    fn: _vector_op(VectorFunctionOp, fn, f"T{fn.upper()}: `tiny.unary {fn}` of every element.")
    for fn in (*KERNEL_UNARY, "erfc", "sign")
} | {"tf32": Tf32Op}
"""The op for each unary function, by its name in `tiny.unary`."""

BINARY: dict[str, type[VectorBinaryOp]] = {
    fn: _vector_op(VectorBinaryOp, fn, f"T{fn.upper()}: {doc}.")
    for fn, doc in (
        ("add", "the sum"),
        ("sub", "the difference"),
        ("mul", "the product"),
        ("div", "the quotient"),
        ("max", "the larger operand; NaN if either is NaN"),
        ("min", "the smaller operand; NaN if either is NaN"),
        ("pow", "`lhs` to the power of `rhs`"),
        ("remainder", "the remainder of the division, with the sign of `lhs`"),
        ("and", "the bitwise and"),
        ("or", "the bitwise or"),
        ("xor", "the bitwise exclusive or"),
        ("shift_left", "TSHL, by an unsigned amount, which may exceed the width"),
        (
            "shift_right_arithmetic",
            "TSHR that shifts in the sign bit, by an unsigned amount, which may exceed the width",
        ),
        ("shift_right_logical", "TSHR that shifts in zeros, by an unsigned amount, which may exceed the width"),
    )
}
"""The op for each binary function, by its name in `tiny.binary`."""


@irdl_op_definition
class FmaOp(IRDLOperation):
    """
    Computes `a · b + c` of f32 elements, with one rounding. PTO ISA has no such instruction: there it is a TMUL and a TADD.

    ```mlir
    %1 = pto.tile.fma %a, %b, %c : tile<16x64xf32>
    ```
    """

    name = "pto.tile.fma"
    a = operand_def(SameTile)
    b = operand_def(SameTile)
    c = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    custom_directives = (Bare,)
    assembly_format = "$a `,` $b `,` $c attr-dict `:` custom<Bare>(type($result))"

    def __init__(self, a: SSAValue, b: SSAValue, c: SSAValue):
        super().__init__(operands=[a, b, c], result_types=[a.type])

    def verify_(self) -> None:
        dtype = tile_type(self.result).element_type
        check_type(self, dtype == f32, "the element type", dtype, "it must be f32")


COMPARES = {"eq": "EQ", "ne": "NE", "lt": "LT", "le": "LE", "gt": "GT", "ge": "GE"}


@irdl_op_definition
class CmpOp(InstructionOp):
    """
    TCMP: compares elements; the result is an i1 tile. If an operand is NaN, only NE is true.

    ```mlir
    %2 = pto.tile.cmp %0, %1 {cmpMode = #pto.cmp<GT>} : tile<16x64xf32> -> tile<16x64xi1>
    ```
    """

    name = "pto.tile.cmp"
    mode = prop_def(CompareAttr, prop_name="cmpMode")
    lhs = operand_def(SameTile)
    rhs = operand_def(SameTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$lhs `,` $rhs custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $cmpMode) attr-dict "
        f"`:` custom<Bare>(type($lhs)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, mode: str, lhs: SSAValue, rhs: SSAValue):
        result = tile_type(lhs).like(element_type=i1)
        super().__init__([lhs, rhs], [result], cmpMode=CompareAttr.of(mode))

    def verify_(self) -> None:
        super().verify_()
        result = tile_type(self.result)
        masks = (result.sizes, result.element_type) == (tile_type(self.lhs).sizes, i1)
        check_shape(self, masks, "the result", result, "an i1 tile of the operands' shape")


@irdl_op_definition
class SelOp(InstructionOp):
    """TSEL: `mask ? on_true : on_false`."""

    name = "pto.tile.sel"
    mask = operand_def(AnyTile)
    on_true = operand_def(SameTile)
    on_false = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = f"$mask `,` $on_true `,` $on_false {WAITS} attr-dict `:` custom<Bare>(type($mask)) `,` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, mask: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[mask, on_true, on_false], result_types=[on_true.type])

    def verify_(self) -> None:
        super().verify_()
        mask = tile_type(self.mask)
        masks = (mask.sizes, mask.element_type) == (tile_type(self.result).sizes, i1)
        check_shape(self, masks, "the mask", mask, "an i1 tile of the result's shape")


class ConversionOp(InstructionOp, abc.ABC):
    """Base of ops that convert elements to another type."""

    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$input {WAITS} attr-dict `:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, dtype: Attribute):
        t = tile_type(input)
        super().__init__([input], [t.like(element_type=dtype)])

    def verify_(self) -> None:
        super().verify_()
        same = tile_type(self.result).sizes == tile_type(self.input).sizes
        check_shape(self, same, "the result", self.result.type, f"the shape of {self.input.type}")


@irdl_op_definition
class CvtOp(ConversionOp):
    """TCVT: converts elements like `ptir.cast`. Floats are rounded to nearest even (CAST_RINT); integers truncate and saturate."""

    name = "pto.tile.cvt"


@irdl_op_definition
class BitcastOp(ConversionOp):
    """
    Reinterprets the bits of each element as a value of another type of equal width, like `tiny.unary bitcast`.

    ```mlir
    %1 = pto.tile.bitcast %0 : tile<4xf32> -> tile<4xui32>
    ```
    """

    name = "pto.tile.bitcast"

    def verify_(self) -> None:
        super().verify_()
        source, target = (tile_type(value).element_type for value in (self.input, self.result))
        for dtype in (source, target):
            _check_domain(self, dtype)
        want = f"it must have the {bit_width(source)} bits of {source}"
        check_type(self, bit_width(source) == bit_width(target), "the result's element type", target, want)
