"""Tiles in memory: loads, stores, and the combination of partial tiles."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    MemRefType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import Pure

from ...errors import DtypeMismatch
from ..common.checks import check_count, check_value
from ..common.ops import DialectOp
from ..common.shapes import memref_of
from ..common.syntax import Axes, ints
from ..poly import MapAttr
from .types import AnyTile, TileType, tile_type


class AccessOp(DialectOp, abc.ABC):
    """An access to a tile of a memref: offsets into an index space, a map to the memref, a guard box."""

    memref = operand_def(base(MemRefType))
    offsets = var_operand_def(IndexType)
    map = prop_def(MapAttr)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))

    def verify_access(self, tile: TileType) -> None:
        rank, dims = len(self.offsets), ints(self.dims)
        check_count(self, len(self.bounds) == rank, "'in'", f"one size for each offset ({rank})", len(self.bounds))
        distinct = len(set(dims)) == len(dims) == len(tile.sizes) and all(0 <= d < rank for d in dims)
        help = f"name the {len(tile.sizes)} axes of the space that the tile covers"
        check_value(self, distinct, "dims", list(dims), help)
        t = memref_of(self.memref)
        if t.element_type != tile.element_type:
            raise DtypeMismatch(self, what="the tile", got=tile.element_type, want=t.element_type)


@irdl_op_definition
class LoadOp(AccessOp):
    """TLOAD: loads the tile at `offsets`; elements outside the box are zero."""

    name = "pto.tile.load"
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Axes,)
    assembly_format = (
        "$memref `[` $offsets `]` `by` $map `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) attr-dict "
        "`:` type($memref) `->` type($result)"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        tile: TileType,
    ):
        super().__init__([memref, offsets], [tile], map=MapAttr(map), bounds=bounds, dims=dims)

    def verify_(self) -> None:
        self.verify_access(tile_type(self.result))


@irdl_op_definition
class StoreOp(AccessOp):
    """TSTORE: writes the elements of the tile inside the box."""

    name = "pto.tile.store"
    tile = operand_def(AnyTile)
    traits = traits_def()
    custom_directives = (Axes,)
    assembly_format = (
        "$tile `,` $memref `[` $offsets `]` `by` $map `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) attr-dict "
        "`:` type($tile) `,` type($memref)"
    )

    def __init__(
        self,
        tile: SSAValue,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
    ):
        super().__init__([tile, memref, offsets], map=MapAttr(map), bounds=bounds, dims=dims)

    def verify_(self) -> None:
        self.verify_access(tile_type(self.tile))
