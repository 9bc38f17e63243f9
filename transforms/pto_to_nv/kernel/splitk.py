"""
Split-K: the partial accumulators of a tile's blocks are added, either by one block after the other, or all by the last block.

```
serial:    if s > 0:     acquire semaphore at s; acc += workspace[tile]
           if s < S - 1: workspace[tile] = acc; release semaphore to s + 1
           else:         release semaphore to 0; epilogue

parallel:  workspace[s, tile] = acc
           if the last of S to arrive: acc = workspace[0, tile] + … + workspace[S - 1, tile]; epilogue
```

Here s is the part, S the number of parts. Both modes add the parts in ascending order and so give the same bits. The serial
workspace is S times smaller, but each block waits for its predecessor, which must already be running (`multistage/grid.py` numbers
the blocks accordingly).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from .epilogue import EpilogueLowering

VECTOR = 16
"""Size in bytes of a lane's access to the workspace, and hence the workspace's alignment."""


class SplitK(EpilogueLowering):
    """Adds the reduction over the parts of k to a kernel."""

    combining: pto.CombineOp | None
    workspace: SSAValue
    counters: SSAValue
    """The semaphore or arrival counter of each tile, in global memory."""

    def finish(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """Writes the epilogue of a complete accumulator."""
        self.epilogue(ops, acc)

    def find_combine(self, ops: Sequence[Operation]) -> None:
        """Finds the `pto.combine` of a split. Raises `PlanMismatch` if the plan has another split."""
        found = self.combining = next((o for o in ops if isinstance(o, pto.CombineOp)), None)
        program = "implicit_gemm" if found is None else f"splitk_{found.mode.data}"
        whole = found is None and self.plan.matmul == "stream_k"
        if self.plan.split != self.tiles.parts or (self.plan.matmul != program and not whole):
            raise self.mismatch(
                f"plan: {self.plan.matmul}, split {self.plan.split}; program: {program}, split {self.tiles.parts}",
                "make split and algo_choice those of the program's pto.tiles",
            )

    def combine_or_finish(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """Writes the code after the loop over k: the reduction over the parts, if there is a split, and the epilogue."""
        op = self.combining
        if op is None:
            self.finish(ops, acc)
            return
        if acc is None:
            raise Unsupported(
                op, what="a split without a contraction", need="a split needs a process, its loop and its accumulator"
            )
        body = list(op.body.block.ops)
        for move in body:
            if isinstance(move, pto.MoveToVecOp) and move.input is not op.body.block.args[0]:
                raise Unsupported(
                    move, what="an epilogue that reads a part", need="use mov.a2v of the combine's argument"
                )
        self.at = op
        for memref, least in ((op.workspace, VECTOR), (op.counters, 4)):
            if (proven := self.kernel.alignment(cast(BlockArgument, memref))) < least:
                raise Unsupported(
                    op, what=f"a split that shares memory aligned to {proven}", need=f"give the memref align {least}"
                )
        self.workspace, self.counters = self.map[op.workspace], self.map[op.counters]
        tile, part = self.linear_tile_number(), self.offset(op.part)
        reduce = self.reduce_serially if op.mode.data == "serial" else self.reduce_in_last_block
        reduce(acc, tile, part, [*(o for o in ops if o is not op), *body])

    def reduce_serially(self, acc: SSAValue, tile: SSAValue, part: SSAValue, ops: Sequence[Operation]) -> None:
        last = self.index(self.tiles.parts - 1)
        with self.when(self.add(arith.CmpiOp(part, self.index(0), "ne"), "follows")):
            self.add(nv.SemaphoreAcquireOp(self.counters, tile, part))
            self.add(nv.FragAddOp(self.workspace, tile, acc))
        with self.when(self.less(part, last, "goes_on")):
            self.add(nv.FragStoreOp(self.workspace, tile, acc))
            self.add(nv.SemaphoreReleaseOp(self.counters, tile, self.plus(part, self.index(1), "next_part")))
        with self.when(self.add(arith.CmpiOp(part, last, "eq"), "is_last")):
            self.add(nv.SemaphoreReleaseOp(self.counters, tile, self.index(0)))
            self.finish(ops, acc)

    def reduce_in_last_block(self, acc: SSAValue, tile: SSAValue, part: SSAValue, ops: Sequence[Operation]) -> None:
        parts = self.tiles.parts
        self.add(nv.FragStoreOp(self.workspace, self.workspace_slot(part, tile), acc))
        with self.when(self.add(nv.ArriveLastOp(self.counters, tile, parts), "is_last")):
            self.add(nv.FragLoadOp(self.workspace, tile, acc))
            with self.loop(self.index(parts - 1), "added", "add the other parts in ascending order") as body:
                other = self.workspace_slot(self.plus(body.step, self.index(1), "other"), tile)
                self.add(nv.FragAddOp(self.workspace, other, acc))
            self.finish(ops, acc)

    def workspace_slot(self, part: SSAValue, tile: SSAValue) -> SSAValue:
        """Returns the index of a part of the tile in the workspace."""
        return self.plus(self.times(part, prod(self.tiles.counts)), tile, "share")
