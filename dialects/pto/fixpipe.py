"""Accumulators that are scaled as they leave: `mov.fp` and `store.fp`. Spec: `pto-ir.md §6.1`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import BFloat16Type, Float16Type, IntegerType, f32, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import MemoryWriteEffect, Pure
from xdsl.utils.hints import isa

from ..common.checks import check, check_shape, check_type
from ..common.shapes import shape_text
from ..common.syntax import axes_attr
from .asynchronous import EVENT, WAITS, InstructionOp
from .indices import Index, split
from .kernel import SIGNED_I32
from .transfers import TransferOp, memref_type
from .types import AnyTile, TileType, tile_type


def check_scaled(op: Operation, acc: TileType, scale: TileType, dtype: Attribute) -> None:
    """Checks the accumulator, the scales and the element type `dtype` of a conversion by fixpipe."""
    placed = all(not t.has_location or t.loc == loc for t, loc in ((acc, "Acc"), (scale, "Scale")))
    check(op, placed, f"takes Acc and Scale tiles, got {acc.loc}, {scale.loc}")
    sums = acc.element_type in (f32, i32, SIGNED_I32)
    check_type(op, sums, "the accumulator's element type", acc.element_type, "it is f32 or i32")
    fits = (scale.sizes, scale.element_type) == ((1, *acc.sizes[1:]), f32)
    check_shape(op, fits, "the tile of scales", scale, f"{shape_text((1, *acc.sizes[1:]))} of f32")
    integer = isa(dtype, IntegerType) and dtype.width.data == 8
    target = integer or isinstance(dtype, Float16Type | BFloat16Type)
    check_type(op, target, "the element type", dtype, "it is f16, bf16, or an integer of 8 bits")


@irdl_op_definition
class MoveScaledOp(InstructionOp):
    """
    TMOV_FP: moves accumulators to a vector tile: `out[i, j] = convert(acc[i, j] * scale[0, j])`. The product is rounded to f32, then to
    nearest even; integers saturate.

    ```mlir
    %1 = pto.tile.mov.fp %0, %s
      : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>> -> tile<16x32xi8>
    ```
    """

    name = "pto.tile.mov.fp"
    input = operand_def(AnyTile)
    scale = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$input `,` $scale {WAITS} attr-dict `:` custom<Bare>(type($input)) `,` custom<Bare>(type($scale)) "
        f"`->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, scale: SSAValue, dtype: Attribute):
        super().__init__([input, scale], [tile_type(input).at(None).like(element_type=dtype)])

    def verify_(self) -> None:
        super().verify_()
        acc, result = tile_type(self.input), tile_type(self.result)
        check_scaled(self, acc, tile_type(self.scale), result.element_type)
        check(self, result.loc == "Vec", f"moves Acc to Vec, got {result.loc}")
        check_shape(self, result.sizes == acc.sizes, "the result", result, shape_text(acc.sizes))


@irdl_op_definition
class StoreScaledOp(TransferOp):
    """
    TSTORE_FP: stores accumulators, scaled and converted as by `pto.tile.mov.fp`.

    ```mlir
    pto.tile.store.fp %0, %s, %x[0, %c0]
      : pto.memref<64x64xi8>, tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<1x32xf32, #pto.tile_info<loc=Scale>>
    ```
    """

    name = "pto.tile.store.fp"
    tile = operand_def(AnyTile)
    scale = operand_def(AnyTile)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = (
        "$tile `,` $scale `,` $memref `` custom<Indices>($offsets, $static_offsets) custom<Waits>($waits, type($waits)) "
        "custom<Placed>($valid, $static_valid, $loc, $layout) attr-dict "
        f"`:` custom<Bare>(type($memref)) `,` custom<Bare>(type($tile)) `,` custom<Bare>(type($scale)) {EVENT}"
    )

    def __init__(self, tile: SSAValue, scale: SSAValue, memref: SSAValue, offsets: Sequence[Index]):
        static, values = split(offsets)
        super().__init__([tile, scale, memref, values], [], static_offsets=axes_attr(static))

    def verify_(self) -> None:
        dtype = memref_type(self.memref).element_type
        tile = tile_type(self.tile)
        self.verify_transfer(tile, dtype)
        check_scaled(self, tile, tile_type(self.scale), dtype)
