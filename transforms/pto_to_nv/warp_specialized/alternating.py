"""
Cooperative consumers with two accumulators, between which tiles alternate (`accumulators = 2`).

```
issue tile 0 to acc0
for each pair of tiles i, i + 1:
  finish acc0; issue tile i + 1 to acc1; epilogue of tile i
  finish acc1; issue tile i + 2 to acc0, if there is one; epilogue of tile i + 1
if the number of tiles is odd: finish acc0; epilogue of the last tile

issue:   for the first steps of k: wait until the slot is full; wgmmas; commit
finish:  the loop over the other steps of k; wait for all groups
```

The wgmmas that are issued run under the epilogue, which reads the other accumulator, and their slots are released after it. Pairs are
written out because registers cannot be indexed. Only acc0 is in flight over the back edge of the loop, so that ptxas does not serialize.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import Operation, SSAValue

from ....dialects import nv
from .contraction import Position
from .stream import StreamK

STEPS_AHEAD = 2
"""
Maximum number of steps of k that are issued before an epilogue. A step of 128x128x64 takes the tensor cores 512 clocks; the epilogue of
such a tile has some 300 instructions for each scheduler, and waits for shared memory.
"""


class AlternatingTiles(StreamK):
    """Adds consumers with two accumulators to a kernel."""

    @property
    def steps_ahead(self) -> int:
        return min(STEPS_AHEAD, self.loops.count, self.loops.stages)

    def alternate(self, ops: Sequence[Operation]) -> None:
        """
        Writes the loop over pairs of tiles, and the last tile if their number is odd. Raises `PlanMismatch` if something is computed between
        the wgmmas of a tile.
        """
        if self.promotes or self.computes:
            between = "fp8 products are promoted" if self.promotes else "an operand is computed"
            raise self.mismatch(
                f"accumulators is 2, but {between} between the wgmmas of a tile", "accumulators must be 1"
            )
        accumulators = self.accumulator("acc0"), self.accumulator("acc1")
        self.step_range = None
        start = Position(self.index(0), self.index(0))
        self.issue(accumulators[0], start)
        paired, pair = self.index(self.items - self.clusters), self.index(2 * self.clusters)
        carried = [("slot", start.slot), ("phase", start.phase), ("rest", self.cluster_number)]
        with self.loop(paired, "item", "two tiles after each other", carried, self.cluster_number, pair) as body:
            at = Position(*body.carried[:2])
            other, further = (self.plus(body.step, self.index(n * self.clusters)) for n in (1, 2))
            self.finish_issued(accumulators[0], at)
            at = self.next_tile(at)
            self.issue(accumulators[1], at)
            self.finish_tile(ops, body.step, accumulators[0])
            self.finish_issued(accumulators[1], at)
            at = self.next_tile(at)
            with self.when(self.less(further, self.index(self.items), "follows")):
                self.issue(accumulators[0], at)
            self.finish_tile(ops, other, accumulators[1])
            body.next = [at.slot, at.phase, further]
        slot, phase, rest = body.results
        with self.when(self.less(rest, self.index(self.items), "is_odd")):
            self.finish_issued(accumulators[0], Position(slot, phase))
            self.finish_tile(ops, rest, accumulators[0])
        self.add(nv.WgmmaWaitOp(0))

    def issue(self, acc: SSAValue, at: Position) -> None:
        """Writes the wgmmas of the first steps of a tile that begins at this ring position."""
        self.at = self.loops.consumer
        for slot, phase in self.positions(at)[:-1]:
            self.add(nv.WaitOp(self.full, slot, phase))
            self.at = self.loops.matmul
            self.add(nv.WgmmaFenceOp())
            for kk in range(0, self.loops.tile_k, self.mma.k):
                begins = slot is at.slot and kk == 0
                adds = self.add(arith.ConstantOp(BoolAttr(False, i1))) if begins else None
                self.multiply(acc, slot, kk, adds, None)
            self.at = self.loops.consumer
            self.add(nv.WgmmaCommitOp())

    def finish_issued(self, acc: SSAValue, at: Position) -> None:
        """Writes the loop over the other steps of a tile that begins at this ring position."""
        *issued, following = self.positions(at)
        self.accumulate(Position(*following), acc, [slot for slot, _ in issued])

    def finish_tile(self, ops: Sequence[Operation], item: SSAValue, acc: SSAValue) -> None:
        """Writes the epilogue of the tile with this number."""
        self.bind_tiles(item)
        self.bind_offsets(ops)
        self.finish(ops, acc)

    def positions(self, at: Position) -> list[tuple[SSAValue, SSAValue]]:
        """Returns the slots and phases of the steps that are issued for a tile, and of the step after them."""
        found = [(at.slot, at.phase)]
        for _ in range(self.steps_ahead):
            found.append(self.next_position(*found[-1], self.loops.stages))
        return found

    def next_tile(self, at: Position) -> Position:
        """Returns the ring position at which the tile after that at `at` begins."""
        around = 2 * self.loops.stages
        before = self.plus(self.times(at.phase, self.loops.stages), at.slot)
        return self.position_after(self.remainder(self.plus(before, self.index(self.loops.count % around)), around))
