"""
Which tiles a cluster computes: a grid as wide as the machine, whose clusters take one tile after the other.

```
items:   parts of a split (slowest), axes before m and n, tiles of m and n in the plan's order
cluster: item, item + clusters, …;  its blocks have cm x cn neighbouring tiles, which may reach past the end
```

Clusters of a split wait for items of smaller numbers only (`splitk.py`), which are taken earlier.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from math import prod

from msgspec import UNSET
from xdsl.dialects import arith, gpu
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ....errors import Unsupported
from ....targets.machines import machine_of
from ..kernel.access import INT_MAX, Access
from ..kernel.builder import LoopBody


class PersistentTiles(Access):
    """Adds the loop over tiles to a kernel; `grid` and `cluster` say how to launch it."""

    steps: tuple[SSAValue, SSAValue] | None
    """From which step of k up to which the block sums the present tile; all of them if None."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        cm, cn = self.plan.cluster
        *self.outer, m, n = self.tiles.counts
        self.down, self.across = -(-m // cm), -(-n // cn)
        if self.tiles.parts > 1 and (m % cm or n % cn):
            raise self.mismatch(
                f"its cluster {cm}x{cn} does not divide the {m}x{n} tiles, whose sums are shared",
                "a cluster that divides them, or no split",
            )
        for size, step in zip(ints(self.tiles.sizes), ints(self.tiles.steps), strict=True):
            if size + cm * cn * step > INT_MAX:
                need = "axes of less than 2^31: indices are 32-bit"
                raise Unsupported(kernel, what=f"an axis of {size} elements", need=need)
        self.one_part = prod(self.outer) * self.down * self.across
        self.items = self.one_part * self.tiles.parts
        if self.items > INT_MAX // 2:
            raise Unsupported(kernel, what=f"{self.items} tiles", need="less than 2^30: a larger tile")
        self.size = cm * cn
        own = self.plan.multiprocessors
        self.wide = machine_of(self.plan.arch).multiprocessors if own is UNSET else own
        self.clusters = min(self.items, max(1, self.wide // self.size))
        self.grid = (self.clusters * self.size, 1, 1)
        self.cluster = (self.size, 1, 1)

    # --- who this block is ------------------------------------------------------------------------

    def locate(self) -> None:
        """At the head of the kernel: the cluster's number, and the block's row and column in it."""
        block = self.add(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)), "block")
        self.cluster_number = self.quotient(block, self.size, "cluster")
        cn = self.plan.cluster[1]
        self.rank = self.add(nv.ClusterRankOp(), "rank") if self.size > 1 else self.index(0)
        self.cluster_row = self.quotient(self.rank, cn, "cluster_row") if self.plan.cluster[0] > 1 else self.index(0)
        self.cluster_column = self.remainder(self.rank, cn, "cluster_column") if cn > 1 else self.index(0)

    @contextmanager
    def each_tile(
        self, carried: list[tuple[str, int | SSAValue]], turns: int = 1, turn: SSAValue | None = None
    ) -> Generator[LoopBody]:
        """A loop over the cluster's tiles; of `turns` that alternate, those of `turn`."""
        first = self.cluster_number
        if turn is not None:
            first = self.plus(first, self.times(turn, self.clusters), "first")
        step = self.index(self.clusters * turns)
        self.steps = None
        with self.loop(self.index(self.items), "item", "one tile after the other", carried, first, step) as body:
            self.bind_tiles(body.step)
            yield body

    # --- which tile that is -----------------------------------------------------------------------

    def bind_tiles(self, item: SSAValue) -> None:
        """Gives the arguments of `pto.tiles` their values from an item's number."""
        parts = self.tiles.parts
        self.own(-1, self.quotient(item, self.one_part, "part") if parts > 1 else self.index(0))
        rest = self.remainder(item, self.one_part) if parts > 1 else item
        area, outer = self.down * self.across, len(self.outer)
        slow = self.quotient(rest, area) if outer and prod(self.outer) > 1 else self.index(0)
        for axis in reversed(range(outer)):
            last = prod(self.outer[:axis]) == 1
            self.own(axis, slow if last else self.remainder(slow, self.outer[axis]))
            slow = self.index(0) if last else self.quotient(slow, self.outer[axis])
        if outer and prod(self.outer) > 1:
            rest = self.remainder(rest, area, "place")
        row, column = self.ordered(rest)
        cm, cn = self.plan.cluster
        self.own(outer, self.plus(self.times(row, cm), self.cluster_row, "tile_row"))
        self.own(outer + 1, self.plus(self.times(column, cn), self.cluster_column, "tile_column"))

    def ordered(self, place: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Row and column of the tile (of the cluster's tiles) that has this place in the plan's order."""
        down, across, order = self.down, self.across, self.plan.order
        if down == 1 or across == 1:
            return (self.index(0), place) if down == 1 else (place, self.index(0))
        if order == "row":
            return self.quotient(place, across), self.remainder(place, across)
        if order == "col":
            return self.remainder(place, down), self.quotient(place, down)
        group = min(down, int(order.removeprefix("grouped_")) // self.plan.cluster[0])
        full, left = divmod(down, group)
        number = self.whole_quotient(place, group * across, full + bool(left))
        within = self.remainder(place, group * across) if full + bool(left) > 1 else place
        rows = self.index(group)
        if left and full:
            rows = self.add(
                arith.SelectOp(self.less(number, self.index(full), "whole"), rows, self.index(left)), "rows"
            )
        row = self.add(arith.RemUIOp(within, rows))
        return self.plus(self.times(number, group), row), self.add(arith.DivUIOp(within, rows))

    def whole_quotient(self, value: SSAValue, by: int, count: int) -> SSAValue:
        """A quotient that has `count` values."""
        return self.index(0) if count == 1 else self.quotient(value, by)

    def set_ranges(self) -> None:
        """How far offsets reach, before there are any: what is proven of accesses depends on it."""
        for axis in range(-1, len(self.tiles.counts)):
            self.own(axis, self.index(0))
        for arg in self.tiles.body.block.args:
            del self.map[arg]

    def bind_offsets(self, ops: Iterable[Operation]) -> None:
        """Gives the offsets that ops of the program compute from the tile's their values, where the builder is."""
        for op in ops:
            if self.known(op):
                self.map.pop(op.results[0], None)
                self.map[op.results[0]] = self.offset(op.results[0])

    def own(self, axis: int, number: SSAValue) -> None:
        """This block's tile has that number along an axis; axis -1 is the part of a split."""
        if axis < 0:
            if self.tiles.part is not None:
                self.ranges[self.tiles.part] = (1, self.tiles.parts - 1)
                self.map[self.tiles.part] = number
            return
        outer = len(self.outer)
        step, arg = ints(self.tiles.steps)[axis], self.tiles.offsets[axis]
        cm, cn = self.plan.cluster
        count = self.tiles.counts[axis]
        self.ranges[arg] = (step, (count - 1) * step)
        self.overhang[arg] = ({outer: self.down * cm, outer + 1: self.across * cn}.get(axis, count) - count) * step
        self.numbers[axis] = number
        self.map[arg] = self.times(number, step, arg.name_hint)
