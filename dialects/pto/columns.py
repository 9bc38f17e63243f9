"""Ops of the `pto` dialect along the columns of a tile. Spec: `pto-ir.md §4`; `colprod` is an extension."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def

from ..common.checks import check, check_shape
from ..common.shapes import is_predicate, shape_text
from .asynchronous import EVENT, ConversionOp
from .indices import Moded
from .syntax import Bare, Waits
from .types import tile_type


class ColReduceOp(ConversionOp, abc.ABC):
    """
    Base of reductions of each column of a tile to one element, in the tile's element type and in any order. Elements outside the
    box of the index space are reduced as well; to exclude them, replace them with `pto.tile.mask` and `pto.tile.sel`.

    ```mlir
    %1 = pto.tile.colmax %0 : tile<16x64xf32> -> tile<1x64xf32>
    ```
    """

    ON_VECTORS: ClassVar = True

    def __init__(self, input: SSAValue):
        t = tile_type(input)
        super().__init__([input], [t.like((1, *t.sizes[1:]))])

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        same = (result.sizes, result.element_type) == ((1, *t.sizes[1:]), t.element_type)
        check_shape(self, same, "the result", result, f"{shape_text((1, *t.sizes[1:]))} of {t.element_type}")
        arithmetic = self.name.endswith(("sum", "prod"))
        check(self, not (arithmetic and is_predicate(t.element_type)), "must reduce numbers, got i1")


@irdl_op_definition
class ColSumOp(ColReduceOp):
    """TCOLSUM: the sum of each column; integers wrap. With `isBinary`, the hardware adds pairs, then pairs of sums."""

    name = "pto.tile.colsum"
    is_binary = opt_prop_def(UnitAttr, prop_name="isBinary")
    custom_directives = (Bare, Moded, Waits)
    assembly_format = (
        "$input custom<Waits>($waits, type($waits)) custom<Moded>($valid, $static_valid, $isBinary) attr-dict "
        f"`:` custom<Bare>(type($input)) `->` custom<Bare>(type($result)) {EVENT}"
    )


@irdl_op_definition
class ColProdOp(ColReduceOp):
    """The product of each column; integers wrap."""

    name = "pto.tile.colprod"


@irdl_op_definition
class ColMaxOp(ColReduceOp):
    """TCOLMAX: the largest element of each column, or NaN if the column has a NaN."""

    name = "pto.tile.colmax"


@irdl_op_definition
class ColMinOp(ColReduceOp):
    """TCOLMIN: the smallest element of each column, or NaN if the column has a NaN."""

    name = "pto.tile.colmin"


@irdl_op_definition
class ColExpandOp(ConversionOp):
    """
    TCOLEXPAND: broadcasts a tile of one row along its columns.

    ```mlir
    %1 = pto.tile.colexpand %0 : tile<1x64xf32> -> tile<16x64xf32>
    ```
    """

    name = "pto.tile.colexpand"
    ON_VECTORS: ClassVar = True

    def __init__(self, input: SSAValue, rows: int):
        t = tile_type(input)
        super().__init__([input], [t.like((rows, *t.sizes[1:]))])

    def verify_(self) -> None:
        super().verify_()
        t, result = tile_type(self.input), tile_type(self.result)
        check_shape(self, t.sizes[0] == 1, "the operand", t, "one element a column")
        same = (result.sizes[1:], result.element_type) == (t.sizes[1:], t.element_type)
        check_shape(self, same, "the result", result, f"the columns and the element type of {t}")


COL_REDUCTIONS: dict[str, type[ColReduceOp]] = {"sum": ColSumOp, "mul": ColProdOp, "max": ColMaxOp, "min": ColMinOp}
"""The op of each reduction of `tiny`, by tiny's name for it."""
