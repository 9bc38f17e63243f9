"""
Loads, masks and positions in the scalar body of an epilogue, which refer to the point of the element being computed.

```
pto.tile.load.map %x[%m, %n, %r] by f in [M, N, R] dims [0, 1] where s
  →  %row, %column = nv.point                                                     once in the body
     %inside = nv.inside [%row, %column, %r] in [M, N, R] where s
     nv.ld_global %x[%row, %column, %r] at (linear f) in [M, N, R] if %inside
```

If the tile has a tail, the condition also includes that the point is in the box.

The first axes of the space are those of the stores; then come counters of loops around the op, then positions. An element of a tile
of positions becomes an index, and the condition includes that it is in the box:

```
pto.tile.load.map %x[%m, %n] at (%i) by f in [M, N, P] dims [0, 1]
  →  %inside = arith.cmpi ult, %i, P
     %index = arith.index_cast %i
     nv.ld_global %x[%row, %column, %index] at (linear f) in [M, N, P] if %inside
```
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import gcd
from typing import cast

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import SSAValue

from ....analysis.index import affine
from ....analysis.regions.tile_access import element_address, index_map, vector_points
from ....dialects import nv, pto
from ....dialects.common.shapes import signless
from ....dialects.common.syntax import ints
from ....dialects.poly import SetAttr
from ....errors import Unsupported
from ....targets.architectures import WARP
from ..tile_loops import constant_value
from .access import Access, IndexSpace, index_space, is_counter, map_text


class PointLowering(Access, ABC):
    """Adds loads, masks and positions to an epilogue's body."""

    points: IndexSpace
    vector: int = 1
    """The number of contiguous elements that a thread computes in the body; 1 in a loop."""
    point: list[SSAValue]
    """The coordinates of the element's point in the space of the stores."""

    def set_point(self, space: IndexSpace, offsets: Sequence[SSAValue]) -> nv.PointOp:
        """Adds, at the head of the body, the point of the element in `space`; the tile begins at `offsets`."""
        self.points, self.point = space, list(offsets)
        self.add(op := nv.PointOp())
        for axis, index, name in zip(space.dims, op.results, ("at_row", "at_column"), strict=True):
            self.point[axis], index.name_hint = index, name
        return op

    def indices(self, op: pto.PositionedOp, positions: Sequence[SSAValue]) -> list[SSAValue]:
        """
        Returns the coordinates of the element's point in the space of `op`, the last of which are `positions`. Raises `Unsupported`
        if it is not the stores' space along an axis on which the element depends.
        """
        space, rank = index_space(op), len(self.points.offsets)
        offsets, bounds = list(space.offsets[:rank]), list(space.bounds[:rank])
        for axis in range(min(len(space.offsets), rank)):
            if not self.varies_along(op, axis):
                offsets[axis], bounds[axis] = self.points.offsets[axis], self.points.bounds[axis]
        same = IndexSpace(space.dims, tuple(bounds), tuple(offsets)) == self.points
        counters = op.offsets[rank:]
        if not (same and all(map(is_counter, counters))):
            raise Unsupported(
                op,
                what="an epilogue over several index spaces",
                need="use the stores' offsets, bounds and dims, then counters of the loops around this op",
            )
        as_indices = [self.add(arith.IndexCastOp(position, IndexType())) for position in positions]
        return [*self.point, *(self.map[counter] for counter in counters), *as_indices]

    def varies_along(self, op: pto.PositionedOp, axis: int) -> bool:
        """
        Whether the element at a point depends on the point's coordinate along `axis`: the index of a row, or a mask of rows, is the same in
        all columns.
        """
        match op:
            case pto.IotaOp():
                return affine.uses_axis(affine.read_map(self.position(op)), axis)
            case pto.MaskOp(where=SetAttr(source=where)):
                return affine.read_set(where.data).involves_dims(isl.dim_type.set, axis, 1)
            case _:
                return True

    def reported(self, op: pto.ReportOp, value: SSAValue, failed: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """Adds the report of a tile's element at the point, and returns the element."""
        if (inside := self.condition(op, self.indices(op, positions), positions)) is not None:
            failed = self.add(arith.AndIOp(inside, failed), "failed")
        width = self.vector if self.vector > 1 and pto.tile_type(op.result).sizes[1] == 1 else None
        status, number = self.map[op.status], op.number.value.data
        return self.add(nv.ReportOp(op.failure.data, value, failed, status, number, width), value.name_hint)

    def updated(self, op: pto.ScatterMapOp, value: SSAValue, positions: Sequence[SSAValue]) -> None:
        """
        Adds the update of an element of a memref by a tile's element at the point. Where threads of a warp may update the same element,
        they combine their values first: not if their columns differ.
        """
        indices = self.indices(op, positions)
        inside = self.condition(op, indices, positions)
        columns = pto.tile_type(op.tile).sizes[1]
        combined = columns < WARP or any(pto.tile_type(p).sizes[1] == columns for p in op.positions)
        address = map_text(element_address(op))
        memref, bounds = self.map[op.memref], ints(op.bounds)
        self.add(nv.RedGlobalOp(op.kind.data, value, memref, indices, address, bounds, inside, combined))

    def tails(self, op: pto.LoadMapOp | pto.MaskOp | pto.IotaOp | pto.ReportOp | pto.ScatterMapOp) -> tuple[int, ...]:
        """Returns the axes along which the points of a tile may lie outside the box."""
        tile = op.tile if isinstance(op, pto.ScatterMapOp) else op.result
        return self.guarded_axes(index_space(op), pto.tile_type(tile).sizes)

    def element(self, op: pto.LoadMapOp | pto.MaskOp | pto.IotaOp, positions: Sequence[SSAValue]) -> SSAValue:
        """Adds the ops that compute a tile's element at the point with these positions, and returns it."""
        indices, bounds = self.indices(op, positions), ints(op.bounds)
        match op:
            case pto.MaskOp():
                if (mask := self.condition(op, indices, positions)) is None:
                    return self.add(arith.ConstantOp(IntegerAttr(1, i1)))
                mask.name_hint = mask.name_hint or "mask"
                return mask
            case pto.IotaOp():
                t = cast(IntegerType, signless(pto.tile_type(op.result).element_type))
                return self.add(nv.AffineOp(indices, self.position(op), bounds, t), "position")
            case pto.LoadMapOp():
                memref, inside = self.map[op.memref], self.condition(op, indices, positions)
                address = element_address(op)
                load = nv.LdGlobalOp(memref, indices, map_text(address), bounds, inside, self.width(op, address))
                return self.add(load, memref.name_hint)

    def width(self, op: pto.LoadMapOp, address: isl.Aff) -> int | None:
        """Returns the number of elements of a row that one access at the same positions loads, or None if it loads one."""
        same = all(pto.tile_type(p).sizes[1] == 1 for p in op.positions)
        if self.vector == 1 or not same or index_space(op) != self.points or pto.tile_type(op.result).sizes[1] == 1:
            return None
        width = min(self.vector, self.vector_width(op, address, ints(op.dims)[1]))
        if width > 1 and op.where is not None:
            _, uniform = vector_points(op, op.where.source.data, ints(op.bounds), ints(op.dims)[1], width)
            width = width if uniform else 1
        return width if width > 1 else None

    @abstractmethod
    def vector_width(self, access: pto.LoadMapOp | pto.StoreMapOp, address: isl.Aff, column: int) -> int:
        """Returns the number of contiguous elements that one access moves."""

    def condition(
        self,
        op: pto.LoadMapOp | pto.MaskOp | pto.ReportOp | pto.ScatterMapOp,
        indices: Sequence[SSAValue],
        positions: Sequence[SSAValue],
    ) -> SSAValue | None:
        """
        Adds the condition under which a load reads at the point, a mask holds there, a failure is reported, or an element is updated, and
        returns the condition, or None if it is always true.
        """
        bounds, tails = ints(op.bounds), self.tails(op)
        first = len(bounds) - len(positions)
        tails = *tails, *range(first, len(bounds))
        if isinstance(op, pto.LoadMapOp):  # other axes do not change the address, so cannot leave the memory
            at = element_address(op)
            tails = tuple(axis for axis in tails if at.involves_dims(isl.dim_type.in_, axis, 1))
        elif isinstance(op, pto.MaskOp) and op.where is not None:
            tails = ()
        conditions: list[SSAValue] = []
        for axis in tails:
            if axis < first:
                conditions.append(self.less(indices[axis], self.index(bounds[axis])))
            else:  # before the position is cast to an index, which has fewer bits
                position = positions[axis - first]
                bound = self.add(arith.ConstantOp(IntegerAttr(bounds[axis], cast(IntegerType, position.type))))
                conditions.append(self.less(position, bound))
        if not isinstance(op, pto.ScatterMapOp) and op.where is not None:
            conditions.append(self.add(nv.InsideOp(indices, bounds, op.where.source.data)))
        while len(conditions) > 1:
            conditions[:2] = [self.add(arith.AndIOp(conditions[0], conditions[1]))]
        return conditions[0] if conditions else None

    def position(self, op: pto.IotaOp) -> str:
        """Returns the text of an iota's map for `nv.affine`. Raises `Unsupported` if the map is invalid."""
        return map_text(affine.simplify(index_map(op), ints(op.bounds)).get_at(0))

    def counted(self, loop: scf.ForOp) -> range:
        """
        Sets the range of a loop's counter and returns its values. Raises `Unsupported` unless it counts upwards from 0 or more.
        """
        start, stop, step = (constant_value(v, loop) for v in (loop.lb, loop.ub, loop.step))
        if start < 0 or step < 1:
            raise Unsupported(loop, what=f"a loop from {start} in steps of {step}", need="count upwards from 0 or more")
        values, counter = range(start, stop, step), loop.body.block.args[0]
        self.ranges[counter] = gcd(start, step), values[-1] if values else 0
        return values
