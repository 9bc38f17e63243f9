"""Ops on sequences: numbers in order, sorts of blocks, and merges of sorted lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import Float16Type, Float32Type, IntegerAttr, IntegerType, Signedness, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AnyAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from ..common.checks import check_attribute, check_count, check_shape, check_type
from ..common.shapes import shape_text
from .asynchronous import EVENT, WAITS, InstructionOp
from .indices import Moded
from .scalars import check_scalar
from .syntax import Bare, Waits
from .types import AnyTile, TileType, tile_type

UI32 = IntegerType(32, Signedness.UNSIGNED)
SORTED_BLOCK = 32
"""The number of elements that TSORT32 sorts at a time."""


def check_sortable(op: InstructionOp, tile: TileType) -> None:
    """Checks the element type of a tile to sort."""
    dtype = tile.element_type
    check_type(op, isinstance(dtype, Float16Type | Float32Type), "the element type", dtype, "f16 and f32 are sorted")


@irdl_op_definition
class CiOp(InstructionOp):
    """
    TCI: a row of consecutive integers from `start` on, which wrap. They decrease if the op is `descending`.

    ```mlir
    %1 = pto.tile.ci %s {descending} : i32 -> tile<1x64xi32>
    ```
    """

    name = "pto.tile.ci"
    ON_VECTORS: ClassVar = True
    start = operand_def(AnyAttr())
    descending = opt_prop_def(UnitAttr)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$start custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $descending) attr-dict "
        f"`:` type($start) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, start: SSAValue, result: TileType, *, descending: bool = False):
        super().__init__([start], [result], descending=descending)

    def verify_(self) -> None:
        super().verify_()
        t = tile_type(self.result)
        check_shape(self, len(t.sizes) == 2 and t.sizes[0] == 1, "the result", t, "one row")
        integer = isa(t.element_type, IntegerType) and t.element_type.width.data in (16, 32)
        check_type(self, integer, "the element type", t.element_type, "it is an integer of 16 or 32 bits")
        check_scalar(self, self.start.type, t.element_type)


@irdl_op_definition
class Sort32Op(InstructionOp):
    """
    TSORT32: sorts each block of 32 contiguous elements of a row in ascending order, NaN last. Returns the elements, and of each the
    column in which it was; equal elements keep their order. If the valid columns are no multiple of 32, the last block is unspecified.

    ```mlir
    %1, %i = pto.tile.sort32 %0 : tile<4x64xf32> -> tile<4x64xf32>, tile<4x64xui32>
    ```
    """

    name = "pto.tile.sort32"
    ON_VECTORS: ClassVar = True
    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    columns = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$input {WAITS} attr-dict "
        f"`:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) `,` custom<Bare>(type($columns)) {EVENT}"
    )

    def __init__(self, input: SSAValue):
        t = tile_type(input)
        super().__init__([input], [t, t.like(element_type=UI32)])

    def verify_(self) -> None:
        super().verify_()
        t, result, columns = (tile_type(v) for v in (self.input, self.result, self.columns))
        check_sortable(self, t)
        whole = t.sizes[-1] % SORTED_BLOCK == 0
        check_shape(self, whole, "the operand", t, f"a multiple of {SORTED_BLOCK} columns")
        for what, got, want in (("the result", result, t), ("the tile of columns", columns, t.like(element_type=UI32))):
            same = (got.sizes, got.element_type) == (want.sizes, want.element_type)
            check_shape(self, same, what, got, f"{shape_text(want.sizes)} of {want.element_type}")


@irdl_op_definition
class MrgSortOp(InstructionOp):
    """
    TMRGSORT: merges two to four lists, each of one row in ascending order, into one. Of one row, it merges each four blocks of `blockLen`
    elements. NaN is last.

    ```mlir
    %2 = pto.tile.mrgsort %0, %1 : tile<1x64xf32>, tile<1x32xf32> -> tile<1x96xf32>
    %4 = pto.tile.mrgsort %3 {blockLen = 64} : tile<1x512xf32> -> tile<1x512xf32>
    ```
    """

    name = "pto.tile.mrgsort"
    ON_VECTORS: ClassVar = True
    lists = var_operand_def(AnyTile)
    block = opt_prop_def(IntegerAttr.constr(i64), prop_name="blockLen")
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$lists custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $blockLen) attr-dict "
        f"`:` custom<Bare>(type($lists)) `->` custom<Bare>(type($result)) {EVENT}"
    )

    def __init__(self, lists: Sequence[SSAValue], block: int | None = None):
        sizes = (1, sum(tile_type(v).sizes[-1] for v in lists))
        super().__init__([lists], [tile_type(lists[0]).like(sizes)], blockLen=block)

    def verify_(self) -> None:
        super().verify_()
        lists, result = [tile_type(v) for v in self.lists], tile_type(self.result)
        check_count(self, 1 <= len(lists) <= 4, "'lists'", "one to four tiles", len(lists))
        for t in (*lists, result):
            check_sortable(self, t)
            row = len(t.sizes) == 2 and t.sizes[0] == 1 and t.element_type == result.element_type
            check_shape(self, row, "a list", t, f"one row of {result.element_type}")
        columns = sum(t.sizes[1] for t in lists)
        check_shape(self, result.sizes == (1, columns), "the result", result, shape_text((1, columns)))
        block = None if self.block is None else self.block.value.data
        problem = "is missing" if block is None else f"is {block}"
        help = "give it if there is one list, and only then"
        check_attribute(self, (block is None) == (len(lists) > 1), "blockLen", problem, help)
        whole = block is None or (block >= 1 and columns % (4 * block) == 0)
        check_attribute(self, whole, "blockLen", problem, f"four blocks must divide the {columns} columns")
