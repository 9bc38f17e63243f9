"""Ops on the points of a tile in an index space: loads, stores, masks, index values and reports of failures."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
    i1,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.hints import isa

from ...errors import DtypeMismatch
from ..common.atomics import check_atomic
from ..common.checks import check_count, check_shape, check_type, check_value
from ..common.ops import DialectOp
from ..common.report import check_failure, check_number, check_status
from ..common.shapes import memref_of
from ..common.syntax import Axes, Keyword, ints
from ..poly import MapAttr, SetAttr
from .syntax import Bare
from .types import AnyTile, SameTile, TileType, tile_type


class PointsOp(DialectOp, abc.ABC):
    """
    Base of ops on a tile of points of an index space: `offsets` is its first point, `bounds` the sizes of the space, and `dims`
    the axes of the space along which the tile extends.

    A space may have further axes, after those of `offsets`: the coordinate of each element along them is an element of a tile of
    `positions`, which has the sizes of the tile or one column. A point is outside of the box if a coordinate is.
    """

    offsets = var_operand_def(IndexType)
    bounds = prop_def(DenseArrayBase.constr(i64))
    dims = prop_def(DenseArrayBase.constr(i64))

    def verify_points(self, tile: TileType) -> None:
        rank, dims, positions = len(self.offsets), ints(self.dims), self.position_tiles
        want = f"one size for each offset ({rank})" + f" and position ({len(positions)})" * bool(positions)
        check_count(self, len(self.bounds) == rank + len(positions), "'in'", want, len(self.bounds))
        distinct = len(set(dims)) == len(dims) == len(tile.sizes) and all(0 <= d < rank for d in dims)
        help = f"name the {len(tile.sizes)} axes of the space that the tile covers"
        check_value(self, distinct, "dims", list(dims), help)
        for position in map(tile_type, positions):
            sizes, dtype = position.sizes, position.element_type
            fits = sizes in (tile.sizes, (*tile.sizes[:-1], 1))
            check_shape(self, fits, "a tile of positions", position, f"that of {tile}, or one column")
            integer = isa(dtype, IntegerType) and dtype.width.data >= 32
            check_type(self, integer, "a position", dtype, "an index is an integer of 32 or 64 bits")

    @property
    def position_tiles(self) -> Sequence[SSAValue]:
        """The tiles of positions."""
        return ()


class PositionedOp(PointsOp, abc.ABC):
    """Base of ops on points that may have positions."""

    positions = var_operand_def(AnyTile)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def position_tiles(self) -> Sequence[SSAValue]:
        return self.positions


class AccessOp(PointsOp, abc.ABC):
    """Base of accesses to the elements of a memref. `map` is the access map, from the index space to the memref's axes."""

    memref = operand_def(base(MemRefType))
    map = prop_def(MapAttr)

    def verify_access(self, tile: TileType) -> None:
        self.verify_points(tile)
        t = memref_of(self.memref)
        if t.element_type != tile.element_type:
            raise DtypeMismatch(self, what="the tile", got=tile.element_type, want=t.element_type)


@irdl_op_definition
class LoadMapOp(PositionedOp, AccessOp):
    """
    TLOAD: loads the tile at `offsets`. Points outside the box or outside the set `where` are not read; their elements are zero.
    With positions, the load is a gather (TGATHER).

    ```mlir
    %2 = pto.tile.load.map %y[%m, %n] at (%p : tile<4x1xi32>) by <"{ [i,j,p] -> [p] }"> in [4, 8, 9] dims [0, 1] : memref<9xi1> -> tile<4x8xi1>
    %1 = pto.tile.load.map %x[%m, %n] by <"{ [i, j] -> [j-1] }"> in [4, 9] dims [0, 1] where <"{ [i, j] : j > 0 }"> : memref<8xf32> -> tile<4x8xf32>
    ```
    """

    name = "pto.tile.load.map"
    where = opt_prop_def(SetAttr)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Axes, Bare)
    assembly_format = (
        "$memref `[` $offsets `]` (`at` `(` $positions^ `:` custom<Bare>(type($positions)) `)`)? `by` $map `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) (`where` $where^)? attr-dict `:` type($memref) `->` custom<Bare>(type($result))"
    )

    def __init__(
        self,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        tile: TileType,
        where: str | None = None,
        positions: Sequence[SSAValue] = (),
    ):
        guard = None if where is None else SetAttr(where)
        super().__init__([positions, memref, offsets], [tile], map=MapAttr(map), bounds=bounds, dims=dims, where=guard)

    def verify_(self) -> None:
        self.verify_access(tile_type(self.result))


@irdl_op_definition
class StoreMapOp(AccessOp):
    """
    TSTORE: stores those elements of the tile whose points are inside the box and, if there is one, in the set `where`.

    ```mlir
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i, j] -> [floor(i/4), j] }"> in [64, 9] dims [0, 1] where <"{ [i, j] : i mod 4 = 0 }">
      : tile<16x16xf32>, memref<16x9xf32>
    ```
    """

    name = "pto.tile.store.map"
    tile = operand_def(AnyTile)
    where = opt_prop_def(SetAttr)
    traits = traits_def()
    custom_directives = (Axes, Bare)
    assembly_format = (
        "$tile `,` $memref `[` $offsets `]` `by` $map `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) (`where` $where^)? attr-dict "
        "`:` custom<Bare>(type($tile)) `,` type($memref)"
    )

    def __init__(
        self,
        tile: SSAValue,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        where: str | None = None,
    ):
        guard = None if where is None else SetAttr(where)
        super().__init__([tile, memref, offsets], map=MapAttr(map), bounds=bounds, dims=dims, where=guard)

    def verify_(self) -> None:
        self.verify_access(tile_type(self.tile))


@irdl_op_definition
class ScatterMapOp(PositionedOp, AccessOp):
    """
    TSCATTER: combines the elements of a memref with those of the tile, by an atomic `add`, `max` or `min`. Points outside of the box
    update nothing.

    ```mlir
    pto.tile.scatter.map add %1, %y[%m, %n] at (%p : tile<4x1xsi32>) by <"{ [i, j, p] -> [p, j] }"> in [4, 8, 9] dims [0, 1]
      : !pto.tile<4x8xsi32>, memref<9x8xsi32>
    ```
    """

    name = "pto.tile.scatter.map"
    kind = prop_def(StringAttr)
    tile = operand_def(AnyTile)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    custom_directives = (Axes, Bare, Keyword)
    assembly_format = (
        "custom<Keyword>($kind) $tile `,` $memref `[` $offsets `]` (`at` `(` $positions^ `:` custom<Bare>(type($positions)) `)`)? `by` $map "
        "`in` custom<Axes>($bounds) `dims` custom<Axes>($dims) attr-dict `:` custom<Bare>(type($tile)) `,` type($memref)"
    )

    def __init__(
        self,
        kind: str,
        tile: SSAValue,
        memref: SSAValue,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        positions: Sequence[SSAValue],
    ):
        super().__init__([tile, positions, memref, offsets], kind=kind, map=MapAttr(map), bounds=bounds, dims=dims)

    def verify_(self) -> None:
        t = tile_type(self.tile)
        self.verify_access(t)
        check_atomic(self, self.kind.data, t.element_type)


@irdl_op_definition
class MaskOp(PositionedOp):
    """
    Returns an i1 tile, for `pto.tile.sel`, that says whether each point of a tile lies in the set `where`, or in the box if
    there is no set. With a set, points outside of the box are undefined.

    ```mlir
    %1 = pto.tile.mask [%m, %n] in [4, 9] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xi1>
    ```
    """

    name = "pto.tile.mask"
    where = opt_prop_def(SetAttr)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Axes, Bare)
    assembly_format = (
        "`[` $offsets `]` (`at` `(` $positions^ `:` custom<Bare>(type($positions)) `)`)? `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) "
        "(`where` $where^)? attr-dict `:` custom<Bare>(type($result))"
    )

    def __init__(
        self,
        offsets: Sequence[SSAValue],
        bounds: Sequence[int],
        dims: Sequence[int],
        sizes: Sequence[int],
        where: str | None = None,
        positions: Sequence[SSAValue] = (),
    ):
        guard = None if where is None else SetAttr(where)
        super().__init__([positions, offsets], [TileType(sizes, i1)], bounds=bounds, dims=dims, where=guard)

    def verify_(self) -> None:
        self.verify_points(t := tile_type(self.result))
        check_type(self, t.element_type == i1, "the element type", t.element_type, "a mask is of i1")


@irdl_op_definition
class ReportOp(PositionedOp):
    """
    Returns `tile`. If `failed` holds at a point in the box and in the set `where`, the status word becomes the maximum of its value
    and `number`.

    ```mlir
    %1 = pto.tile.report division %0 if %zero number 2 to %status [%m, %n] in [4, 9] dims [0, 1]
      : !pto.tile<4x16xi32>, !pto.tile<4x16xi1>, memref<1xi32>
    %3 = pto.tile.report index %i if %out number 3 to %status [%m, %n] in [4, 8] dims [0, 1]
      : !pto.tile<4x1xi32>, !pto.tile<4x1xi1>, memref<1xi32>
    ```
    """

    name = "pto.tile.report"
    failure = prop_def(StringAttr)
    tile = operand_def(SameTile)
    failed = operand_def(AnyTile)
    status = operand_def(base(MemRefType))
    number = prop_def(IntegerAttr.constr(i64))
    where = opt_prop_def(SetAttr)
    result = result_def(SameTile)
    traits = traits_def(MemoryWriteEffect())
    custom_directives = (Axes, Bare, Keyword)
    assembly_format = (
        "custom<Keyword>($failure) $tile `if` $failed `number` $number `to` $status `[` $offsets `]` "
        "(`at` `(` $positions^ `:` custom<Bare>(type($positions)) `)`)? `in` custom<Axes>($bounds) `dims` custom<Axes>($dims) (`where` $where^)? "
        "attr-dict `:` custom<Bare>(type($tile)) `,` custom<Bare>(type($failed)) `,` type($status)"
    )

    def __init__(
        self,
        failure: str,
        tile: SSAValue,
        failed: SSAValue,
        status: SSAValue,
        number: int,
        offsets: Sequence[SSAValue],
        bounds: Sequence[int],
        dims: Sequence[int],
        where: str | None = None,
        positions: Sequence[SSAValue] = (),
    ):
        guard = None if where is None else SetAttr(where)
        operands = [tile, failed, status, positions, offsets]
        super().__init__(operands, [tile.type], failure=failure, number=number, bounds=bounds, dims=dims, where=guard)

    def verify_(self) -> None:
        self.verify_points(t := tile_type(self.result))
        failed = tile_type(self.failed)
        fits = (failed.sizes, failed.element_type) == (t.sizes, i1)
        check_shape(self, fits, "the predicate", failed, "an i1 tile of the result's shape")
        check_failure(self, self.failure)
        check_number(self, self.number)
        check_status(self, self.status)


@irdl_op_definition
class IotaOp(PositionedOp):
    """
    TCI: evaluates a quasi-affine map with one output at each point of a tile. Inside the box the value must fit the integer type.

    ```mlir
    %1 = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 9] dims [0, 1] : tile<4x16xi32>
    ```
    """

    name = "pto.tile.iota"
    map = prop_def(MapAttr)
    result = result_def(AnyTile)
    traits = traits_def(Pure())
    custom_directives = (Axes, Bare)
    assembly_format = (
        "`[` $offsets `]` (`at` `(` $positions^ `:` custom<Bare>(type($positions)) `)`)? `by` $map `in` custom<Axes>($bounds) "
        "`dims` custom<Axes>($dims) attr-dict `:` custom<Bare>(type($result))"
    )

    def __init__(
        self,
        offsets: Sequence[SSAValue],
        map: str,
        bounds: Sequence[int],
        dims: Sequence[int],
        tile: TileType,
        positions: Sequence[SSAValue] = (),
    ):
        super().__init__([positions, offsets], [tile], map=MapAttr(map), bounds=bounds, dims=dims)

    def verify_(self) -> None:
        self.verify_points(t := tile_type(self.result))
        integer = isa(t.element_type, IntegerType) and t.element_type.width.data >= 32
        check_type(self, integer, "the element type", t.element_type, "an index is an integer of 32 or 64 bits")
