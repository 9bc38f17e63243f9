"""Ops of the `pto` dialect along the rows of a tile. Spec: `pto-ir.md §4`; `rowprod` is an extension."""

from __future__ import annotations

import abc

from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check, check_shape
from ..common.shapes import is_predicate, shape_text
from .types import AnyTile, TileType, tile_type


class RowReduceOp(IRDLOperation, abc.ABC):
    """
    Base of reductions of each row of a tile to one element, in the tile's element type and in any order. Elements outside the
    box of the index space are reduced as well; to exclude them, replace them with `pto.tile.mask` and `pto.tile.sel`.

    ```mlir
    %1 = pto.tile.rowmax %0 : !pto.tile<4x64xf32> -> !pto.tile<4x1xf32>
    ```
    """

    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue):
        t = tile_type(input)
        super().__init__(operands=[input], result_types=[TileType((*t.sizes[:-1], 1), t.element_type, t.loc)])

    def verify_(self) -> None:
        t, result = tile_type(self.input), tile_type(self.result)
        same = (result.sizes, result.element_type) == ((*t.sizes[:-1], 1), t.element_type)
        want = f"{shape_text((*t.sizes[:-1], 1))} of {t.element_type}"
        check_shape(self, same, "the result", result, want)
        arithmetic = self.name.endswith(("sum", "prod"))
        check(self, not (arithmetic and is_predicate(t.element_type)), "must reduce numbers, got i1")


@irdl_op_definition
class RowSumOp(RowReduceOp):
    """TROWSUM: the sum of each row; integers wrap."""

    name = "pto.tile.rowsum"


@irdl_op_definition
class RowProdOp(RowReduceOp):
    """The product of each row; integers wrap."""

    name = "pto.tile.rowprod"


@irdl_op_definition
class RowMaxOp(RowReduceOp):
    """TROWMAX: the largest element of each row; NaN if the row has a NaN."""

    name = "pto.tile.rowmax"


@irdl_op_definition
class RowMinOp(RowReduceOp):
    """TROWMIN: the smallest element of each row; NaN if the row has a NaN."""

    name = "pto.tile.rowmin"


@irdl_op_definition
class RowExpandOp(IRDLOperation):
    """
    TROWEXPAND: broadcasts a tile of one column along its rows.

    ```mlir
    %1 = pto.tile.rowexpand %0 : !pto.tile<4x1xf32> -> !pto.tile<4x64xf32>
    ```
    """

    name = "pto.tile.rowexpand"
    input = operand_def(AnyTile)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, columns: int):
        t = tile_type(input)
        result = TileType((*t.sizes[:-1], columns), t.element_type, t.loc)
        super().__init__(operands=[input], result_types=[result])

    def verify_(self) -> None:
        t, result = tile_type(self.input), tile_type(self.result)
        check_shape(self, t.sizes[-1] == 1, "the operand", t, "one element a row")
        same = (result.sizes[:-1], result.element_type) == (t.sizes[:-1], t.element_type)
        check_shape(self, same, "the result", result, f"the rows and the element type of {t}")


ROW_REDUCTIONS: dict[str, type[RowReduceOp]] = {"sum": RowSumOp, "mul": RowProdOp, "max": RowMaxOp, "min": RowMinOp}
"""The op for each reduction function of `tiny.reduce`."""
