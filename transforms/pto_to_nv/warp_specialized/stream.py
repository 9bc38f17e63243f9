"""
Stream-K: the k-steps of all tiles are divided evenly among clusters, so that no block is idle in the last wave.

```
unit = tile · STEPS + step                          a k-step of a tile
share · n ≤ unit < (share + 1) · n                  the units of one cluster, n units per cluster
acc = the sum over steps low ≤ step < high          for each tile of the cluster: the steps of the tile that it has

high < STEPS:  acquire the tile's semaphore at `high`; acc += workspace[tile]
low > 0:       workspace[tile] = acc; release the semaphore to `low`
low = 0:       if other clusters had a part, release the semaphore to 0; epilogue
```

When the semaphore is s, the workspace holds the tile's accumulator over the steps from s on. A cluster only waits for the rest
of its last tile, which the cluster of the next share computes first. Shares are assigned from the last to the first, so that a
cluster only waits for clusters with smaller numbers. Spec: DESIGN §4 (`pto.tiles`: stream-K is a lowering of it). Osama et al.,
*Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU*, PPoPP 2023.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....dialects import nv
from ....dialects.region import ZerosOp
from ....errors import Unsupported
from ..kernel.builder import INT_MAX, LoopBody
from .epilogue import StagedEpilogue


class StreamK(StagedEpilogue):
    """Adds loops over parts of tiles to a kernel."""

    scratch: dict[BlockArgument, Operation]
    """The workspace and the counters, and the ops with which the host allocates them. Empty if the plan is not stream-K."""

    def schedule_stream_k(self) -> None:
        """Sets the number of units per cluster and thus the grid, and adds the workspace and the counters to the arguments."""
        self.scratch = {}
        if self.plan.matmul != "stream_k" or not self.loops.count:
            return
        units = self.items * self.loops.count
        if units > INT_MAX // 2:
            raise Unsupported(
                self.kernel,
                what=f"a total of {units} steps",
                need="use a larger tile, so that there are less than 2^30",
            )
        self.units_per_cluster = -(-units // max(1, self.multiprocessors // self.size))
        self.clusters = -(-units // self.units_per_cluster)
        self.grid = (self.clusters * self.size, 1, 1)
        self.units = units
        tiles = self.items * self.size
        workspace = memref.AllocOp.get(self.mma.accum, shape=[tiles, *self.plan.oriented[0]])
        counters = ZerosOp(MemRefType(i32, [tiles]))
        self.workspace = self.add_argument(workspace.memref.type, "workspace")
        self.counters = self.add_argument(counters.result.type, "counters")
        self.scratch = {self.workspace: workspace, self.counters: counters}

    @contextmanager
    def each_tile(
        self, carried: list[tuple[str, int | SSAValue]], groups: int = 1, group: SSAValue | None = None
    ) -> Generator[LoopBody]:
        if not self.scratch:
            with super().each_tile(carried, groups, group) as body:
                yield body
            return
        steps, count = self.loops.count, self.clusters
        # share = clusters - 1 - number, computed as (number + 1) · (clusters - 1) mod clusters, which is never negative
        number = self.times(self.plus(self.cluster_number, self.index(1)), count - 1)
        share = self.remainder(number, count, "share")
        first, last = self.times(share, self.units_per_cluster), self.index(self.units)
        beyond = self.plus(first, self.index(self.units_per_cluster))
        end = self.add(arith.SelectOp(self.less(beyond, last, "full"), beyond, last), "end_unit")
        first_item = self.quotient(first, steps, "first_item")
        end_item = self.quotient(self.plus(end, self.index(steps - 1)), steps, "end_item")
        before, rest = self.remainder(first, steps, "before_first"), self.remainder(end, steps, "rest")
        whole = self.index(steps, "STEPS")
        of_last = self.add(arith.SelectOp(self.is_zero(rest), whole, rest), "steps_of_last")
        comment = "one tile after the other; the first and the last may be partial"
        with self.loop(end_item, "item", comment, carried, first_item) as body:
            is_first = self.add(arith.CmpiOp(body.step, first_item, "eq"))
            low = self.add(arith.SelectOp(is_first, before, self.index(0)), "first_step")
            is_last = self.add(arith.CmpiOp(self.plus(body.step, self.index(1)), end_item, "eq"))
            high = self.add(arith.SelectOp(is_last, of_last, whole), "end_step")
            self.step_range = (low, high)
            self.bind_tiles(body.step)
            yield body

    def reduce_partial(self, ops: Sequence[Operation], acc: SSAValue, low: SSAValue, high: SSAValue) -> None:
        """Writes the sum over the clusters of a tile; the cluster that has the tile's first step writes the epilogue."""
        tile, zero, whole = self.linear_tile_number(), self.index(0), self.index(self.loops.count, "STEPS")
        follows = self.less(high, whole, "follows")
        with self.when(follows):
            self.add(nv.SemaphoreAcquireOp(self.counters, tile, high))
            self.add(nv.FragAddOp(self.workspace, tile, acc))
        with self.when(self.less(zero, low, "goes_on")):
            self.add(nv.FragStoreOp(self.workspace, tile, acc))
            self.add(nv.SemaphoreReleaseOp(self.counters, tile, low))
        with self.when(self.add(arith.CmpiOp(low, zero, "eq"), "is_last")):
            with self.when(follows):
                self.add(nv.SemaphoreReleaseOp(self.counters, tile, zero))
            self.finish(ops, acc)
