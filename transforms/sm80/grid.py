"""Which tile a block owns: the grid, and the offsets from the block's number by the plan's bind."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from xdsl.dialects import gpu
from xdsl.ir import SSAValue

from ...analysis.arch import GRID_LIMIT
from ...dialects.syntax import ints
from ...errors import PlanMismatch, Unsupported
from .builder import KernelBuilder

if TYPE_CHECKING:
    pass

log = logging.getLogger(__name__)
INT_MAX = 2**31 - 1


class Grid(KernelBuilder):
    """Adds the grid to a kernel."""

    def grid_sizes(self) -> tuple[int, int, int]:
        *outer, m, n = self.tiles.counts
        z = 1
        for tiles in outer:
            z *= tiles
        place = {self.plan.bind.get("m.o", "block.y"): m, self.plan.bind.get("n.o", "block.x"): n}
        if set(place) != {"block.x", "block.y"}:
            raise PlanMismatch(
                self.kernel,
                kernel=self.kernel.sym_name.data,
                problem=f"bind has m.o and n.o on {', '.join(sorted(place))}",
                help='bind one to "block.x" and the other to "block.y"',
            )
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
        Gives the arguments of `pto.tiles` their values from the block's number. The axes before m and n count
        along z or, where z cannot count them, along x as its slower part.
        """
        counts, steps = self.tiles.counts, ints(self.tiles.steps)
        args = self.tiles.body.block.args
        outer = len(args) - 2
        self.ranges |= {a: (step, (n - 1) * step) for a, n, step in zip(args, counts, steps, strict=True)}
        for k, key, default in ((outer, "m.o", "block.y"), (outer + 1, "n.o", "block.x")):
            if counts[k] == 1:
                self.map[args[k]] = self.index(0)
                continue
            axis = self.plan.bind.get(key, default)[-1]
            block = self.block_number(axis)
            if self.folded and axis == "x":
                block = self.remainder(block, self.across)
            self.map[args[k]] = self.times(block, steps[k], args[k].name_hint)
        rest: SSAValue | None = None
        for k in reversed(range(outer)):
            if counts[k] == 1:
                self.map[args[k]] = self.index(0)
                continue
            if rest is None:
                rest = self.quotient(self.block_number("x"), self.across) if self.folded else self.block_number("z")
            last = all(c == 1 for c in counts[:k])
            place = rest if last else self.remainder(rest, counts[k])
            rest = rest if last else self.quotient(rest, counts[k])
            self.map[args[k]] = self.times(place, steps[k], args[k].name_hint)
