"""
Vector ops of a tile and a scalar. Spec: `pto-ir.md §4.4`.

The scalar has the element type of the tile, or the signless integer of its width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.irdl import AnyAttr, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check, check_shape
from .asynchronous import EVENT, WAITS, InstructionOp
from .indices import Moded, Valid
from .scalars import check_scalar
from .syntax import Bare, Waits, WithScalar
from .types import AnyTile, SameTile, TileType, tile_type
from .vector import check_domain, vector_op
from .words import CompareAttr


class ScalarBinaryOp(InstructionOp):
    """Base of binary functions of a tile and a scalar, in this order: `out[i] = f(lhs[i], rhs)`, rounded to the element type."""

    ON_VECTORS: ClassVar = True
    FN: ClassVar[str]
    SWAPS: ClassVar = False
    """Whether the scalar may come first."""
    lhs = operand_def(AnyAttr())
    rhs = operand_def(AnyAttr())
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Valid, Waits, WithScalar)
    assembly_format = (
        f"$lhs `,` $rhs {WAITS} attr-dict `:` custom<WithScalar>(type($lhs), type($rhs), type($result)) {EVENT}"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        tile = lhs if isinstance(lhs.type, TileType) else rhs
        super().__init__([lhs, rhs], [tile.type])

    @property
    def scalar_first(self) -> bool:
        return not isinstance(self.lhs.type, TileType)

    def verify_(self) -> None:
        super().verify_()
        tile, scalar = (self.rhs, self.lhs) if self.scalar_first else (self.lhs, self.rhs)
        order = "a tile and a scalar, in either order" if self.SWAPS else "a tile and a scalar"
        fits = isinstance(tile.type, TileType) and not isinstance(scalar.type, TileType)
        check(self, fits and (self.SWAPS or not self.scalar_first), f"takes {order}")
        check_shape(self, self.result.type == tile.type, "the result", self.result.type, str(tile.type))
        dtype = tile_type(tile).element_type
        check_scalar(self, scalar.type, dtype)
        check_domain(self, self.FN, dtype)


class ScalarBinaryInAnyOrderOp(ScalarBinaryOp):
    """Base of binary functions of a tile and a scalar, in either order: `out[i] = f(lhs[i], rhs)` or `out[i] = f(lhs, rhs[i])`."""

    SWAPS: ClassVar = True


SCALAR_BINARY: Mapping[str, type[ScalarBinaryOp]] = {
    fn: vector_op(base, f"{fn}s", f"T{fn.upper()}S: {doc}.", "%0, %1 : tile<16x64xT>, T", fn)
    for base, fn, doc in (
        (ScalarBinaryOp, "add", "the sum of each element and a scalar"),
        (
            ScalarBinaryInAnyOrderOp,
            "sub",
            "the difference of each element and a scalar, or of a scalar and each element",
        ),
        (ScalarBinaryOp, "mul", "the product of each element and a scalar"),
        (ScalarBinaryInAnyOrderOp, "div", "the quotient of each element and a scalar, or of a scalar and each element"),
        (ScalarBinaryOp, "min", "the smaller of each element and a scalar; NaN if either is NaN"),
        (ScalarBinaryOp, "max", "the larger of each element and a scalar; NaN if either is NaN"),
    )
}
"""The op of a tile and a scalar for each of these functions of `tiny.binary`."""


@irdl_op_definition
class CmpsOp(InstructionOp):
    """
    TCMPS: compares elements with a scalar; the result is an i1 tile. If an operand is NaN, only NE is true.

    ```mlir
    %2 = pto.tile.cmps %0, %1 {cmpMode = #pto.cmp<GT>} : tile<16x64xf32>, f32 -> tile<16x64xi1>
    ```
    """

    name = "pto.tile.cmps"
    ON_VECTORS: ClassVar = True
    mode = prop_def(CompareAttr, prop_name="cmpMode")
    lhs = operand_def(AnyTile)
    rhs = operand_def(AnyAttr())
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$lhs `,` $rhs custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $cmpMode) attr-dict "
        f"`:` custom<Bare>(type($lhs)) `,` type($rhs) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, mode: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [tile_type(lhs).like(element_type=i1)], cmpMode=CompareAttr.of(mode))

    def verify_(self) -> None:
        super().verify_()
        lhs, result = tile_type(self.lhs), tile_type(self.result)
        check_shape(
            self, result == lhs.like(element_type=i1), "the result", result, "an i1 tile of the operand's shape"
        )
        check_scalar(self, self.rhs.type, lhs.element_type)
        check_domain(self, self.mode.word.lower(), lhs.element_type)


@irdl_op_definition
class SelsOp(InstructionOp):
    """
    TSELS: `mask ? on_true : scalar`.

    ```mlir
    %2 = pto.tile.sels %mask, %0, %1 : tile<16x64xi1>, tile<16x64xf32>, f32
    ```
    """

    name = "pto.tile.sels"
    ON_VECTORS: ClassVar = True
    mask = operand_def(AnyTile)
    on_true = operand_def(SameTile)
    on_false = operand_def(AnyAttr())
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$mask `,` $on_true `,` $on_false {WAITS} attr-dict "
        f"`:` custom<Bare>(type($mask)) `,` custom<Bare>(type($result)) `,` type($on_false) {EVENT}"
    )

    def __init__(self, mask: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__([mask, on_true, on_false], [on_true.type])

    def verify_(self) -> None:
        super().verify_()
        mask, result = tile_type(self.mask), tile_type(self.result)
        masks = (mask.sizes, mask.element_type) == (result.sizes, i1)
        check_shape(self, masks, "the mask", mask, "an i1 tile of the result's shape")
        check_scalar(self, self.on_false.type, result.element_type)
