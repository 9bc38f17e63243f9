"""
Which tile, and which part of it, a block owns: the grid, and the offsets from the block's number by the plan's bind.

The axes before m and n count along z, and the parts of a split as its slowest axis: blocks that share a tile are then
numbered in the order of their parts, and a GPU starts blocks in the order of their numbers. Parts that take turns
rely on it (`splitk.py`).
"""

from __future__ import annotations

from math import prod

from xdsl.dialects import gpu
from xdsl.ir import SSAValue

from ....dialects.common.syntax import ints
from ....errors import Unsupported
from ....targets.architectures import GRID_LIMIT
from ..kernel.builder import KernelBuilder

INT_MAX = 2**31 - 1


class Grid(KernelBuilder):
    """Adds the grid to a kernel."""

    def grid_sizes(self) -> tuple[int, int, int]:
        *outer, m, n = self.tiles.counts
        z = prod(outer) * self.tiles.parts
        place = {self.plan.bind.get("m.o", "block.y"): m, self.plan.bind.get("n.o", "block.x"): n}
        for size, step in zip(ints(self.tiles.sizes), ints(self.tiles.steps), strict=True):
            if size + step > INT_MAX:
                raise Unsupported(
                    self.kernel, what=f"an axis of {size} elements", need="axes of less than 2^31: indices are 32-bit"
                )
        self.across = place["block.x"]
        self.folded = z > GRID_LIMIT[2]
        grid = (self.across * z, place["block.y"], 1) if self.folded else (self.across, place["block.y"], z)
        for axis, got, limit in zip("xyz", grid, GRID_LIMIT, strict=True):
            if got > limit:
                raise Unsupported(
                    self.kernel,
                    what=f"a grid of {got} blocks along {axis}",
                    need=f"at most {limit}: a larger tile, or a persistent kernel",
                )
        return grid

    def block_number(self, axis: str) -> SSAValue:
        return self.add(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum(axis))))

    def bind_tiles(self) -> None:
        """
        Gives the arguments of `pto.tiles` their values from the block's number. What counts along z does so along x, as
        its slower part, where z cannot count as far.
        """
        counts, args = self.tiles.counts, self.tiles.offsets
        outer = len(args) - 2
        self.own(outer, self.along(self.plan.bind.get("m.o", "block.y"), counts[outer]))
        self.own(outer + 1, self.along(self.plan.bind.get("n.o", "block.x"), counts[outer + 1]))
        rest: SSAValue | None = None
        slowest = [self.tiles.parts, *counts[:outer]]
        for k in reversed(range(len(slowest))):
            if slowest[k] == 1:
                if k:
                    self.own(k - 1, self.index(0))
                continue
            if rest is None:
                rest = self.quotient(self.block_number("x"), self.across) if self.folded else self.block_number("z")
            last = all(count == 1 for count in slowest[:k])
            self.own(k - 1, rest if last else self.remainder(rest, slowest[k]))
            rest = rest if last else self.quotient(rest, slowest[k])

    def own(self, axis: int, number: SSAValue) -> None:
        """This block's tile has that number along an axis; axis -1 is the part of a split."""
        if axis >= 0:
            step, count, arg = ints(self.tiles.steps)[axis], self.tiles.counts[axis], self.tiles.offsets[axis]
            self.ranges[arg] = (step, (count - 1) * step)
            self.numbers[axis] = number
            self.map[arg] = self.times(number, step, arg.name_hint)
        elif self.tiles.part is not None:
            self.ranges[self.tiles.part] = (1, self.tiles.parts - 1)
            self.map[self.tiles.part] = number

    def along(self, axis: str, count: int) -> SSAValue:
        """The number of the tile along m or n."""
        if count == 1:
            return self.index(0)
        block = self.block_number(axis[-1])
        return self.remainder(block, self.across) if self.folded and axis == "block.x" else block
