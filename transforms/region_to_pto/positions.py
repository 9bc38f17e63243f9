"""
Values that are read at indices given by data: gathers, slices at computed starts, sums with one term that is not zero.

The space of such a value has an axis for each index, whose coordinates are the elements of a tile of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Operation, SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import operand_reads
from ...analysis.regions.leaf_accesses import leaf_accesses
from ...dialects import ptir, pto, tiny
from ..neutral import neutral
from .formulas import Formula
from .reductions import Reductions
from .scope import Read, Scope

INDEX = IntegerType(32, Signedness.SIGNED)


class DataPositions(Reductions):
    """Writes positions, and reads at them."""

    def position_reads(self, read: Read) -> list[Read]:
        """Returns the reads of the positions of a value. Positions that do not vary along a row are read as one column."""
        value, scope, found = read.at.value, read.scope, list[Read]()
        info, sum = self.space.book[value], self.one_hot.get(cast(Operation, value.owner))
        reads = [(access, at) for access, _, at in operand_reads(info, read.at.map, scope.points)[1:]]
        if sum is not None:
            first = affine.make_map(info.rank, [f"i{k}" if k < info.rank else "0" for k in range(len(info.iteration))])
            reads = [(sum.position, affine.compose(first, read.at.map, scope.points))]
        for access, at in reads:
            found.append(self.as_position(self.read(access, Access(value, at, read.at.guard), scope)))
        return found

    def as_position(self, read: Read) -> Read:
        """Returns the read of a position, as one column if it does not vary along a row."""
        return read if self.varies_along_row(read) else Read(read.at, read.scope.narrow)

    def varies_along_row(self, read: Read) -> bool:
        """Returns whether elements of a row of a tile differ, or only some of them are needed."""
        scope, column, guard = read.scope, read.scope.dims[1], read.at.guard
        leaves = leaf_accesses(Access(read.at.value, read.at.map), scope.points, self.space.book, lambda _: False)
        only_some = guard is not None and guard.involves_dims(isl.dim_type.set, column, 1)
        moved = any(pto.tile_type(position).sizes[1] > 1 for position in scope.positions)
        return moved or only_some or any(affine.uses_axis(leaf.map, column) for leaf, _ in leaves)

    def read_at_positions(
        self, op: ptir.GatherOp | ptir.DynamicSliceOp, read: Read, positions: Sequence[Read]
    ) -> SSAValue:
        """Writes the tile of a value that is read at `positions`, in a scope with an axis for each of them."""
        info, scope, guard = self.space.book[op.result], read.scope, read.at.guard
        for index, axis in zip(positions, info.positions, strict=True):
            size, tiles = int(axis.size), index.scope.tiles
            key = op.result, f"position in {size} by {index.key[1]}", index.key[2]
            if key not in tiles:
                self.at = op
                with self.inside(index.scope):
                    tiles[key] = self.bounded(op, tiles[index.key], size, index)
            scope = scope.at(self.with_rows(tiles[key], scope), size)
        (access, points, at), *_ = operand_reads(info, read.at.map, read.scope.points)
        if guard is not None:
            kept = affine.make_map(len(points), [f"i{k}" for k in range(len(read.scope.points))])
            guard = guard.preimage_multi_aff(kept)
        return self.expanded(self.value(self.read(access, Access(op.result, at, guard), scope)), read.scope)

    def term_read(self, op: tiny.ReduceOp, read: Read, scope: Scope) -> Read:
        """Returns the read of the only term of a sum in `scope`, which has the term's position as an axis after those of the sum's read."""
        info, axis, rank = self.space.book[op.result], self.one_hot[op].axis, len(read.scope.points)
        outer = affine.make_map(rank + 1, [f"i{k}" for k in range(rank)])
        at = affine.compose(read.at.map, outer, scope.points)
        reduced = range(info.rank, len(info.iteration))
        at = at.flat_range_product(affine.make_map(rank + 1, [f"i{rank}" if k == axis else "0" for k in reduced]))
        guard = None if read.at.guard is None else read.at.guard.preimage_multi_aff(outer)
        return self.read(info.accesses[0], Access(op.result, at, guard), scope)

    def only_term(self, op: tiny.ReduceOp, read: Read, position: Read) -> SSAValue:
        """
        Writes a sum of which one term may not be zero, and returns its tile. A position outside of the row stands for the last column,
        at which the term is zero as well. A term of -0 makes a sum of 0.
        """
        write, size = Formula(self.add), self.space.book[op.result].static_sizes[self.one_hot[op].axis]
        self.at = op
        with self.inside(position.scope):
            tile = position.scope.tiles[position.key]
            dtype = cast(IntegerType, pto.tile_type(tile).element_type)
            if dtype.width.data < INDEX.width.data:
                tile, dtype = self.add(pto.CvtOp(tile, INDEX)), INDEX
            bits = self.add(pto.BitcastOp(tile, IntegerType(dtype.width.data, Signedness.UNSIGNED)))
            nearest = write.binary("min", bits, size - 1)
        term = self.value(self.term_read(op, read, read.scope.at(self.with_rows(nearest, read.scope), size)))
        self.at = op
        tile = self.expanded(term, read.scope)
        return self.combined("sum", self.filled(neutral("sum", op.accum), read.scope), tile, op.accum)

    def bounded(
        self, op: ptir.GatherOp | ptir.DynamicSliceOp | ptir.ScatterReduceOp, tile: SSAValue, size: int, read: Read
    ) -> SSAValue:
        """Writes the clamp of the start of a slice, or the report of indices out of range, and returns the positions."""
        write = Formula(self.add)
        if isinstance(op, ptir.DynamicSliceOp):
            return write.binary("min", write.binary("max", tile, 0), size - 1)
        if op.report is None:
            return tile
        dtype = cast(IntegerType, pto.tile_type(tile).element_type)
        bits = self.add(pto.BitcastOp(tile, IntegerType(dtype.width.data, Signedness.UNSIGNED)))
        return self.reported(op, tile, write.compare("GE", bits, size), read)

    def with_rows(self, position: SSAValue, scope: Scope) -> SSAValue:
        """Returns a tile of positions with the scope's rows. If it has one row, it is repeated, once for all reads in the scope."""
        rows = scope.sizes[0]
        if pto.tile_type(position).sizes[0] == rows:
            return position
        key = position, "rows", ""
        if key not in scope.tiles:
            with self.inside(scope):
                scope.tiles[key] = self.add(pto.ColExpandOp(position, rows))
        return scope.tiles[key]
