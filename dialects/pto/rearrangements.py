"""
Ops that move elements of tiles: transposes, reshapes, parts of tiles, gathers and scatters by tiles of indices. Spec: `pto-ir.md §6.2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, IntegerType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from ...errors import DtypeMismatch
from ..common.checks import check, check_count, check_shape, check_type, check_value
from ..common.shapes import shape_text
from ..common.syntax import axes_attr
from ..ptir.functions import bit_width
from .asynchronous import EVENT, WAITS, ConversionOp, InstructionOp, ValidAxes
from .indices import Index, Indices, Valid, checked, split
from .syntax import Bare, Waits
from .types import AnyTile, SameTile, TileType, tile_type

BLOCK_BYTES = 32
"""The number of contiguous bytes that TGATHERB moves for each offset."""


def check_elements(op: InstructionOp, got: TileType, want: TileType) -> None:
    """Checks that a result has the element type of an operand."""
    if got.element_type != want.element_type:
        raise DtypeMismatch(op, what="the result", got=got.element_type, want=want.element_type)


@irdl_op_definition
class TransOp(ConversionOp):
    """
    TTRANS: the transpose of a matrix.

    ```mlir
    %1 = pto.tile.trans %0 : tile<16x32xf32> -> tile<32x16xf32>
    ```
    """

    name = "pto.tile.trans"
    ON_VECTORS: ClassVar = True

    def __init__(self, input: SSAValue):
        t = tile_type(input)
        super().__init__([input], [t.like(t.sizes[::-1])])

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.input, (1, 0))]

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        check_shape(self, len(t.sizes) == 2, "the operand", t, "a matrix")
        check_shape(self, result.sizes == t.sizes[::-1], "the result", result, shape_text(t.sizes[::-1]))
        check_elements(self, result, t)


@irdl_op_definition
class ReshapeOp(ConversionOp):
    """
    TRESHAPE: the elements in row-major order, in a tile of other sizes. All elements move, valid or not; without `valid`, the valid
    region of the result is the whole tile.

    ```mlir
    %1 = pto.tile.reshape %0 : tile<16x32xf32> -> tile<8x64xf32>
    ```
    """

    name = "pto.tile.reshape"
    ON_VECTORS: ClassVar = True

    def __init__(self, input: SSAValue, sizes: Sequence[int]):
        super().__init__([input], [tile_type(input).like(sizes)])

    @property
    def valid_axes(self) -> ValidAxes:
        return []

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        known = -1 not in t.sizes and -1 not in result.sizes
        same = known and prod(t.sizes) == prod(result.sizes)
        check_shape(self, same, "the result", result, f"as many elements as {t}")
        check_elements(self, result, t)


@irdl_op_definition
class RowXorOp(InstructionOp):
    """
    Exchanges rows: row i of the result is row i XOR `by` of the operand, where `by` is a power of two. All elements move, valid or not. An
    extension: with a maximum after each, steps by 1 and by 2 reduce each group of four adjacent rows.

    ```mlir
    %1 = pto.tile.rowxor %0 by 2 : tile<16x32xf32>
    ```
    """

    name = "pto.tile.rowxor"
    ON_VECTORS: ClassVar = True
    input = operand_def(SameTile)
    by = prop_def(IntegerAttr.constr(i64))
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = f"$input `by` $by {WAITS} attr-dict `:` custom<Bare>(type($result)) {EVENT}"

    def __init__(self, input: SSAValue, by: int):
        super().__init__([input], [input.type], by=by)

    @property
    def valid_axes(self) -> ValidAxes:
        return []

    def verify_(self) -> None:
        super().verify_()
        by, t = self.by.value.data, tile_type(self.input)
        fits = by > 0 and not by & (by - 1) and t.sizes[0] % (2 * by) == 0
        check_value(self, fits, "by", by, f"a power of two, of which twice divides the {t.sizes[0]} rows")


class IndexedOp(InstructionOp):
    """Base of ops that move elements of `input` by a tile of indices."""

    ON_VECTORS: ClassVar = True
    input = operand_def(AnyTile)
    indices = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$input `,` $indices {WAITS} attr-dict `:` custom<Bare>(type($input)) `,` custom<Bare>(type($indices)) "
        f"`->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, indices: SSAValue, result: TileType):
        super().__init__([input, indices], [result])

    def verify_(self) -> None:
        super().verify_()
        check_elements(self, tile_type(self.result), tile_type(self.input))
        dtype = tile_type(self.indices).element_type
        integer = isa(dtype, IntegerType) and dtype.width.data in (16, 32)
        check_type(self, integer, "an index", dtype, "it is an integer of 16 or 32 bits")


@irdl_op_definition
class GatherOp(IndexedOp):
    """
    TGATHER: `out[i] = input[indices[i]]`. An index is the place of an element in row-major order.

    ```mlir
    %1 = pto.tile.gather %0, %i : tile<16x32xf32>, tile<4x8xi32> -> tile<4x8xf32>
    ```
    """

    name = "pto.tile.gather"

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.indices, range(len(tile_type(self.indices).sizes)))]

    def verify_(self) -> None:
        super().verify_()
        indices, result = tile_type(self.indices), tile_type(self.result)
        check_shape(self, result.sizes == indices.sizes, "the result", result, shape_text(indices.sizes))


@irdl_op_definition
class GatherBytesOp(IndexedOp):
    """
    TGATHERB: moves blocks of 32 bytes: `indices[i, j]` is the offset in bytes of block j of row i of the result, in `input` in row-major
    order.

    ```mlir
    %1 = pto.tile.gatherb %0, %i : tile<16x32xf32>, tile<4x2xui32> -> tile<4x16xf32>
    ```
    """

    name = "pto.tile.gatherb"

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.indices, (*range(len(tile_type(self.indices).sizes) - 1), None))]

    @property
    def block(self) -> int:
        """The number of elements of a block."""
        return BLOCK_BYTES * 8 // bit_width(tile_type(self.result).element_type)

    def verify_(self) -> None:
        super().verify_()
        indices, result = tile_type(self.indices), tile_type(self.result)
        dtype = result.element_type
        check_type(self, bit_width(dtype) in (8, 16, 32), "the element type", dtype, "it has 8, 16 or 32 bits")
        sizes = (*indices.sizes[:-1], indices.sizes[-1] * self.block)
        check_shape(
            self, result.sizes == sizes, "the result", result, f"{shape_text(sizes)}: {self.block} elements an offset"
        )


@irdl_op_definition
class ScatterOp(IndexedOp):
    """
    TSCATTER: `out[indices[i, j], j] = input[i, j]`. Elements to which none or several of the input are moved are unspecified.

    ```mlir
    %1 = pto.tile.scatter %0, %i : tile<8x32xf32>, tile<8x32xi32> -> tile<16x32xf32>
    ```
    """

    name = "pto.tile.scatter"

    @property
    def valid_axes(self) -> ValidAxes:
        return []

    def verify_(self) -> None:
        super().verify_()
        t, indices, result = tile_type(self.input), tile_type(self.indices), tile_type(self.result)
        check_shape(self, indices.sizes == t.sizes, "the tile of indices", indices, shape_text(t.sizes))
        same = len(t.sizes) == len(result.sizes) == 2 and result.sizes[1] == t.sizes[1]
        check_shape(self, same, "the result", result, f"the columns of {t}")


class PartOp(InstructionOp):
    """Base of ops on a part of a tile, which begins at `offsets`."""

    offsets = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    traits = traits_def(Pure())
    custom_directives = (Bare, Indices, Valid, Waits)

    def check_part(self, whole: TileType, part: TileType) -> None:
        """Checks the rank, the element type and the static offsets of a part."""
        rank = len(whole.sizes)
        check_shape(self, len(part.sizes) == rank, "the part", part, f"rank {rank}, like {whole}")
        if part.element_type != whole.element_type:
            raise DtypeMismatch(self, what="the part", got=part.element_type, want=whole.element_type)
        offsets = checked(self, "offsets", self.static_offsets, self.offsets)
        check_count(self, len(offsets) == rank, "'offsets'", f"one index for each axis ({rank})", len(offsets))
        for axis, (offset, count, size) in enumerate(zip(offsets, part.sizes, whole.sizes, strict=True)):
            if isinstance(offset, int) and -1 not in (count, size):
                fits = 0 <= offset <= size - count
                check_value(
                    self, fits, "offsets", offset, f"axis {axis} of {whole} has {size} elements, and the part {count}"
                )


@irdl_op_definition
class ExtractOp(PartOp):
    """
    TEXTRACT: copies the part of a tile that begins at `offsets`, and that has the sizes of the result. Between vector tiles, it runs on the
    vector pipe, and its opcode is `TEXTRACT_V2V`.

    ```mlir
    %1 = pto.tile.extract %0[%r0, 0]
      : tile<64x64xf16, #pto.tile_info<loc=Mat, layout=Nz>> -> tile<16x64xf16, #pto.tile_info<loc=Left, layout=Zz>>
    ```
    """

    name = "pto.tile.extract"
    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    assembly_format = (
        f"$input `` custom<Indices>($offsets, $static_offsets) {WAITS} attr-dict "
        f"`:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, input: SSAValue, offsets: Sequence[Index], result: TileType):
        static, values = split(offsets)
        super().__init__([input, values], [result], static_offsets=axes_attr(static))

    @property
    def opcode(self) -> str:
        on_vectors = tile_type(self.input).loc == tile_type(self.result).loc == "Vec"
        return "TEXTRACT_V2V" if on_vectors else "TEXTRACT"

    @property
    def valid_axes(self) -> ValidAxes:
        return []

    def verify_(self) -> None:
        super().verify_()
        whole, part = tile_type(self.input), tile_type(self.result)
        self.check_part(whole, part)
        pairs = (("Mat", "Left"), ("Mat", "Right"), ("Vec", "Vec"))
        placed = any(
            all(not t.has_location or t.loc == loc for t, loc in zip((whole, part), p, strict=True)) for p in pairs
        )
        check(self, placed, f"copies Mat to Left or Right, or Vec to Vec, got {whole.loc} to {part.loc}")
        check_shape(self, len(part.sizes) == 2 or part.loc == "Vec", "the part", part, "a matrix")


@irdl_op_definition
class InsertOp(PartOp):
    """
    TINSERT: returns `into` with the valid elements of `input` from `offsets` on.

    ```mlir
    %2 = pto.tile.insert %0, %1[%r0, 0] : tile<16x64xf32>, tile<64x64xf32>
    ```
    """

    name = "pto.tile.insert"
    input = operand_def(AnyTile)
    into = operand_def(SameTile)
    result = result_def(SameTile)
    assembly_format = (
        f"$input `,` $into `` custom<Indices>($offsets, $static_offsets) {WAITS} attr-dict "
        f"`:` custom<Bare>(type($input)) `,` custom<Bare>(type($into)) {EVENT}"
    )

    def __init__(self, input: SSAValue, into: SSAValue, offsets: Sequence[Index]):
        static, values = split(offsets)
        super().__init__([input, into, values], [into.type], static_offsets=axes_attr(static))

    @property
    def valid_axes(self) -> ValidAxes:
        return [(self.into, range(len(tile_type(self.into).sizes)))]

    def verify_(self) -> None:
        super().verify_()
        self.check_part(tile_type(self.into), tile_type(self.input))
