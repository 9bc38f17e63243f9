"""Vector ops of the `pto` dialect: elementwise functions on tiles. Spec: `pto-ir.md §4`."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import ClassVar, TypeVar, cast

from xdsl.dialects.builtin import (
    IntegerType,
    f32,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from ...errors import DtypeMismatch
from ..common.checks import check, check_shape, check_type
from ..common.numbers import NUMBER, Number, number_type
from ..common.shapes import is_complex, is_float, widens_exactly
from ..ptir.domains import require_castable
from ..ptir.functions import bit_width
from ..tiny.vocabulary import KERNEL_UNARY, problem_with
from .asynchronous import EVENT, WAITS, ConversionOp, InstructionOp
from .indices import Moded, Valid
from .scalars import check_scalar
from .syntax import Bare, Filling, Waits
from .types import AnyTile, SameTile, TileType, tile_type
from .words import CompareAttr, RoundModeAttr


@irdl_op_definition
class ExpandsOp(InstructionOp):
    """
    TEXPANDS: fills a tile with a number, which is written here or computed. A complex number is written `[1.0 : f32, 2.0 : f32]`.

    ```mlir
    %1 = pto.tile.expands 0.0 : f32 : tile<16x64xf32>
    %2 = pto.tile.expands %s : f32 : tile<16x64xf32>
    ```
    """

    name = "pto.tile.expands"
    value = opt_prop_def(NUMBER)
    scalar = opt_operand_def(AnyAttr())
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Filling, Valid, Waits)
    assembly_format = (
        f"custom<Filling>($value, $scalar, type($scalar)) {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, value: Number | SSAValue, tile: TileType):
        number, scalar = (None, [value]) if isinstance(value, SSAValue) else (value, [])
        super().__init__([scalar], [tile], value=number)

    def verify_(self) -> None:
        super().verify_()
        check(self, (self.value is None) != (self.scalar is None), "takes either a number or a scalar")
        dtype = tile_type(self.result).element_type
        if self.scalar is not None:
            check_scalar(self, self.scalar.type, dtype)
        elif self.value is not None and number_type(self.value) != dtype:
            raise DtypeMismatch(self, what="the value", got=number_type(self.value), want=dtype)


class VectorUnaryOp(InstructionOp, abc.ABC):
    """Base of unary functions: `out[i] = f(x[i])`, rounded to the element type."""

    ON_VECTORS: ClassVar = True
    FN: ClassVar[str]
    """The function, by its name in `tiny`."""
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
        check_domain(self, self.FN, tile_type(self.result).element_type)


@irdl_op_definition
class Tf32Op(VectorFunctionOp):
    """
    Rounds f32 to tf32, ties away from zero, like `tiny.unary tf32`. PTO has no instruction for this.

    ```mlir
    %1 = pto.tile.tf32 %0 : tile<4xf32>
    ```
    """

    name = "pto.tile.tf32"
    FN: ClassVar = "tf32"


class VectorBinaryOp(InstructionOp, abc.ABC):
    """Base of binary functions: `out[i] = f(lhs[i], rhs[i])`, rounded to the element type."""

    ON_VECTORS: ClassVar = True
    FN: ClassVar[str]
    """The function, by its name in `tiny`."""
    lhs = operand_def(SameTile)
    rhs = operand_def(SameTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = f"$lhs `,` $rhs {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        super().verify_()
        check_domain(self, self.FN, tile_type(self.result).element_type)


def check_domain(op: Operation, fn: str, dtype: Attribute) -> None:
    """Checks that the function `fn` of `tiny` is defined on elements of `dtype`."""
    problem = problem_with(fn, dtype)
    check_type(op, not problem, "the element type", dtype, problem)


_Op = TypeVar("_Op", bound=InstructionOp)


def vector_op(base_class: type[_Op], word: str, doc: str, example: str, fn: str | None = None) -> type[_Op]:
    """
    Returns the op `pto.tile.<word>`, a row of a table: `fn` is its function in `tiny`, if that has another name. In `example`, `T` is
    the element type.
    """
    dtype = "i32" if problem_with(fn or word, f32) else "f32"
    text = f"{doc}\n\n```mlir\n%2 = pto.tile.{word} {example.replace('T', dtype)}\n```"
    body: dict[str, object] = {"__doc__": text, "name": f"pto.tile.{word}", "FN": fn or word}
    body |= {"__module__": base_class.__module__, "__annotations__": {"FN": ClassVar}}
    return irdl_op_definition(cast("type[_Op]", type(f"{word.capitalize()}Op", (base_class,), body)))


ONE, TWO = "%0 : tile<16x64xT>", "%0, %1 : tile<16x64xT>"
UNARY: Mapping[str, type[VectorUnaryOp]] = {
    fn: vector_op(VectorFunctionOp, fn, f"T{fn.upper()}: `tiny.unary {fn}` of every element.", ONE)
    for fn in (*KERNEL_UNARY, "erfc", "sign", "relu", "not")
} | {"tf32": Tf32Op}
"""The op for each unary function, by its name in `tiny.unary`."""

BINARY: dict[str, type[VectorBinaryOp]] = {
    fn: vector_op(VectorBinaryOp, word, f"T{word.upper()}: {doc}.", TWO, fn)
    for fn, word, doc in (
        ("add", "add", "the sum"),
        ("sub", "sub", "the difference"),
        ("mul", "mul", "the product"),
        ("div", "div", "the quotient"),
        ("max", "max", "the larger operand; NaN if either is NaN"),
        ("min", "min", "the smaller operand; NaN if either is NaN"),
        ("pow", "pow", "`lhs` to the power of `rhs`"),
        ("remainder", "rem", "the remainder of the division, with the sign of `lhs`"),
        ("and", "and", "the bitwise and"),
        ("or", "or", "the bitwise or"),
        ("xor", "xor", "the bitwise exclusive or"),
        ("shift_left", "shl", "shifts left by an unsigned amount, which may exceed the width"),
    )
}
"""The op for each binary function, by its name in `tiny.binary`."""

SHIFT_RIGHT = vector_op(
    VectorBinaryOp,
    "shr",
    "TSHR: shifts right by an unsigned amount, which may exceed the width; signed and signless integers shift in the sign bit, and "
    "unsigned ones zeros.",
    TWO,
    "shift_right_arithmetic",
)

PARTIAL: dict[str, type[VectorBinaryOp]] = {
    fn: vector_op(
        VectorBinaryOp,
        f"part{fn}",
        f"TPART{fn.upper()}: {doc} where both operands are valid, and the operand that is valid where only one is.",
        TWO,
        fn,
    )
    for fn, doc in (("add", "the sum"), ("max", "the larger operand"), ("min", "the smaller operand"))
}
"""The ops on tiles of different valid regions, by their function in `tiny.binary`."""


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
    ON_VECTORS: ClassVar = True
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
    ON_VECTORS: ClassVar = True
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


class ElementConversionOp(ConversionOp, abc.ABC):
    """Base of ops that convert elements to another type."""

    ON_VECTORS: ClassVar = True

    def __init__(self, input: SSAValue, dtype: Attribute, mode: RoundModeAttr | None = None):
        super().__init__([input], [tile_type(input).like(element_type=dtype)], rmode=mode)

    def verify_(self) -> None:
        super().verify_()
        same = tile_type(self.result).sizes == tile_type(self.input).sizes
        check_shape(self, same, "the result", self.result.type, f"the shape of {self.input.type}")


@irdl_op_definition
class CvtOp(ElementConversionOp):
    """
    TCVT: converts elements. `rmode` says how floats are rounded to integers or to narrower floats, and integers to floats: to nearest,
    ties to even (CAST_RINT) or away from zero (CAST_ROUND); down (CAST_FLOOR), up (CAST_CEIL) or toward zero (CAST_TRUNC). CAST_NONE is
    for conversions of which every result is exact. Without `rmode`, elements are converted like `ptir.cast`: floats truncate to
    integers, and all else is rounded to nearest even. Integers saturate. The imaginary part of a converted real number is 0.

    ```mlir
    %1 = pto.tile.cvt %0 {rmode = #pto.round_mode<CAST_FLOOR>} : tile<16x64xf32> -> tile<16x64xi32>
    ```
    """

    name = "pto.tile.cvt"
    mode = opt_prop_def(RoundModeAttr, prop_name="rmode")
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$input custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $rmode) attr-dict "
        f"`:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, dtype: Attribute, mode: str | None = None):
        super().__init__(input, dtype, None if mode is None else RoundModeAttr.of(mode))

    def verify_(self) -> None:
        super().verify_()
        source, target = (tile_type(value).element_type for value in (self.input, self.result))
        if is_complex(source):
            require_castable(self, source, target, "the conversion")
        if self.mode is None:
            return
        for dtype in (source, target):
            real = is_float(dtype) or (isa(dtype, IntegerType) and dtype.width.data > 1)
            check_type(self, real, "the element type", dtype, "'rmode' is for integers and floats")
        exact = widens_exactly(source, target)
        want = f"it must represent every value of {source}: CAST_NONE does not round"
        check_type(self, exact or self.mode.word != "CAST_NONE", "the result's element type", target, want)
        wide = bit_width(source) == 64 and not exact and self.mode.word != "CAST_RINT"
        check_type(self, not wide, "the operand's element type", source, "types of 64 bits are rounded by CAST_RINT")


@irdl_op_definition
class BitcastOp(ElementConversionOp):
    """
    TRESHAPE: reinterprets the bits of each element as a value of another type of equal width, like `tiny.unary bitcast`.

    ```mlir
    %1 = pto.tile.bitcast %0 : tile<4xf32> -> tile<4xui32>
    ```
    """

    name = "pto.tile.bitcast"

    @property
    def opcode(self) -> str:
        return "TRESHAPE"

    def verify_(self) -> None:
        super().verify_()
        source, target = (tile_type(value).element_type for value in (self.input, self.result))
        for dtype in (source, target):
            check_domain(self, "bitcast", dtype)
        want = f"it must have the {bit_width(source)} bits of {source}"
        check_type(self, bit_width(source) == bit_width(target), "the result's element type", target, want)
