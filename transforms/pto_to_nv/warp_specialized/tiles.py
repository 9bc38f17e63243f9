"""
The tiles that a cluster computes: the grid has as many clusters as the machine holds, and each loops over items of work.

```
an item:    the tiles of one cluster, cm x cn adjacent tiles of one part of k, which may reach past the end
numbering:  parts of k are the slowest axis, then the axes before m and n, then m and n in the plan's order
cluster c:  computes the items c, c + clusters, c + 2 · clusters, …
```

With a split, clusters wait only for items with smaller numbers (`kernel/splitk.py`), which are computed earlier.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from math import prod

from msgspec import UNSET
from xdsl.dialects import arith, gpu
from xdsl.ir import SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.machines import machine_of
from ..kernel.builder import INT_MAX, LoopBody
from ..kernel.contraction import LoopLowering
from ..kernel.tile_order import TileOrder


class PersistentTiles(LoopLowering, TileOrder):
    """Adds the loop over tiles to a kernel; `grid` and `cluster` say how to launch it."""

    step_range: tuple[SSAValue, SSAValue] | None
    """The first and the end of the k-steps that the block computes for the current tile. None stands for all steps."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        cm, cn = self.plan.cluster
        *self.outer, m, n = self.tiles.counts
        self.grid_rows, self.grid_columns = -(-m // cm), -(-n // cn)
        self.check_index_width(cm * cn)
        self.items_per_part = prod(self.outer) * self.grid_rows * self.grid_columns
        self.items = self.items_per_part * self.tiles.parts
        if self.items > INT_MAX // 2:
            raise Unsupported(
                kernel, what=f"a grid of {self.items} tiles", need="use a larger tile, so that there are less than 2^30"
            )
        self.size = cm * cn
        planned = self.plan.multiprocessors
        self.multiprocessors = machine_of(self.plan.arch).multiprocessors if planned is UNSET else planned
        self.clusters = min(self.items, max(1, self.multiprocessors // self.size))
        self.grid = (self.clusters * self.size, 1, 1)
        self.cluster = (self.size, 1, 1) if self.size > 1 else None

    def locate_block(self) -> None:
        """Computes, at the head of the kernel, the cluster's number and the block's row and column in the cluster."""
        block = self.add(gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)), "block")
        self.cluster_number = self.quotient(block, self.size, "cluster")
        cn = self.plan.cluster[1]
        self.rank = self.add(nv.ClusterRankOp(), "rank") if self.size > 1 else self.index(0)
        self.cluster_row = self.quotient(self.rank, cn, "cluster_row") if self.plan.cluster[0] > 1 else self.index(0)
        self.cluster_column = self.remainder(self.rank, cn, "cluster_column") if cn > 1 else self.index(0)

    @contextmanager
    def each_tile(
        self, carried: list[tuple[str, int | SSAValue]], groups: int = 1, group: SSAValue | None = None
    ) -> Generator[LoopBody]:
        """
        A context manager that writes a loop over the cluster's items. If `groups` warpgroups alternate, the loop covers the
        items of warpgroup `group`.
        """
        first = self.cluster_number
        if group is not None:
            first = self.plus(first, self.times(group, self.clusters), "first")
        step = self.index(self.clusters * groups)
        self.step_range = None
        with self.loop(self.index(self.items), "item", "one tile after the other", carried, first, step) as body:
            self.bind_tiles(body.step)
            yield body

    def next_position(self, slot: SSAValue, phase: SSAValue, stages: int) -> tuple[SSAValue, SSAValue]:
        """Returns the slot after `slot` of a ring of `stages`, and the parity of its phase."""
        next_ = self.plus(slot, self.index(1))
        around = self.add(arith.CmpiOp(next_, self.index(stages, "STAGES"), "eq"), "around")
        other = self.flipped(phase)
        return (
            self.add(arith.SelectOp(around, self.index(0), next_), "next_slot"),
            self.add(arith.SelectOp(around, other, phase), "next_phase"),
        )

    def bind_tiles(self, item: SSAValue) -> None:
        """Computes the arguments of `pto.tiles` from the number of an item."""
        parts = self.tiles.parts
        self.set_tile_number(-1, self.quotient(item, self.items_per_part, "part") if parts > 1 else self.index(0))
        rest = self.remainder(item, self.items_per_part) if parts > 1 else item
        area, outer = self.grid_rows * self.grid_columns, len(self.outer)
        slow = self.quotient(rest, area) if outer and prod(self.outer) > 1 else self.index(0)
        for axis in reversed(range(outer)):
            last = prod(self.outer[:axis]) == 1
            self.set_tile_number(axis, slow if last else self.remainder(slow, self.outer[axis]))
            slow = self.index(0) if last else self.quotient(slow, self.outer[axis])
        if outer and prod(self.outer) > 1:
            rest = self.remainder(rest, area, "place")
        cm, cn = self.plan.cluster
        row, column = self.tile_position(rest, self.grid_rows, self.grid_columns, cm)
        self.set_tile_number(outer, self.plus(self.times(row, cm), self.cluster_row, "tile_row"))
        self.set_tile_number(outer + 1, self.plus(self.times(column, cn), self.cluster_column, "tile_column"))

    def tiles_beyond(self, axis: int) -> int:
        outer, (cm, cn), count = len(self.outer), self.plan.cluster, self.tiles.counts[axis]
        return {outer: self.grid_rows * cm, outer + 1: self.grid_columns * cn}.get(axis, count) - count
