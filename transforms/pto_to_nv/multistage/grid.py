"""
The grid, and the tile and part of k that a block computes. They follow from the block's number; the plan's `bind` says how.

The axes before m and n lie along z, with the parts of a split as the slowest axis. Blocks that share a tile are thus
numbered in the order of their parts, and a GPU starts blocks in the order of their numbers. The serial reduction of a
split relies on this order (`kernel/splitk.py`). An `order` of the plan other than "row" renumbers the tiles along m and n.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import gpu
from xdsl.ir import SSAValue

from ....dialects import pto
from ....errors import Unsupported
from ....planning.multistage.resources import grid_of
from ....targets.architectures import GRID_LIMIT
from ..kernel.tile_order import TileOrder


class Grid(TileOrder):
    """Adds the grid to a kernel."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        if len(self.tiles.counts) < 2:
            raise Unsupported(
                self.tiles, what="a grid along one axis", need="give the grid the axes m and n, whose size may be 1"
            )
        self.check_index_width(1)
        self.grid = grid_of(self.plan, self.tiles.counts, self.tiles.parts)
        for axis, got, limit in zip("xyz", self.grid, GRID_LIMIT, strict=True):
            if got > limit:
                need = f"at most {limit} blocks are possible: use a larger tile, or a persistent kernel"
                raise Unsupported(kernel, what=f"a grid of {got} blocks along {axis}", need=need)
        slowest = prod(self.tiles.counts[:-2]) * self.tiles.parts
        self.folded = self.grid[2] < slowest
        self.across = self.grid[0] // slowest if self.folded else self.grid[0]

    def block_number(self, axis: str) -> SSAValue:
        return self.add(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum(axis))))

    def bind_tiles(self) -> None:
        """
        Computes the arguments of `pto.tiles` from the block's number. If z exceeds the limit of the grid, its axes become the
        slower part of x.
        """
        counts, args = self.tiles.counts, self.tiles.offsets
        outer = len(args) - 2
        if self.plan.tile_order == "row" and not self.plan.fuse:
            self.set_tile_number(outer, self.tile_number_along(self.plan.bind.get("m.o", "block.y"), counts[outer]))
            self.set_tile_number(
                outer + 1, self.tile_number_along(self.plan.bind.get("n.o", "block.x"), counts[outer + 1])
            )
        else:
            _, high, _ = self.grid
            along_y = self.times(self.tile_number_along("block.y", high), self.across)
            place = self.plus(along_y, self.tile_number_along("block.x", self.across), "place")
            for axis, number in enumerate(self.tile_position(place, counts[outer], counts[outer + 1]), start=outer):
                self.set_tile_number(axis, number)
        rest: SSAValue | None = None
        slowest = [self.tiles.parts, *counts[:outer]]
        for k in reversed(range(len(slowest))):
            if slowest[k] == 1:
                if k:
                    self.set_tile_number(k - 1, self.index(0))
                continue
            if rest is None:
                rest = self.quotient(self.block_number("x"), self.across) if self.folded else self.block_number("z")
            last = all(count == 1 for count in slowest[:k])
            self.set_tile_number(k - 1, rest if last else self.remainder(rest, slowest[k]))
            rest = rest if last else self.quotient(rest, slowest[k])

    def tile_number_along(self, axis: str, count: int) -> SSAValue:
        """Returns the number of the block's tile along m or n; the `count` tiles lie along `axis` of the grid."""
        if count == 1:
            return self.index(0)
        block = self.block_number(axis[-1])
        return self.remainder(block, self.across) if self.folded and axis == "block.x" else block
