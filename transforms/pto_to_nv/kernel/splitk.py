"""
A sum that the blocks of a tile share: turns that add to one workspace, or parts that the last block joins.

```
serial:    if s > 0:     wait for turn s; acc += workspace[tile]
           if s < S - 1: workspace[tile] = acc; pass the turn to s + 1
           else:         pass the turn to 0; epilogue

parallel:  workspace[s, tile] = acc
           if the last of S to arrive: acc = workspace[0, tile] + … + workspace[S - 1, tile]; epilogue
```

Both add the parts in ascending order, so both give the same bits. In turns the workspace is S times smaller, and each
block but the first waits for the one before it: that one must have started (`grid.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from .epilogue import EpilogueLowering

VECTOR = 16
"""Bytes that a lane moves at a time to and from the workspace."""


@dataclass(frozen=True)
class Share:
    """What a block has of the sum of its tile, and where it meets the others."""

    acc: SSAValue
    tile: SSAValue
    part: SSAValue
    workspace: SSAValue
    counters: SSAValue


class SplitK(EpilogueLowering):
    """Adds the joining of parts to a kernel."""

    def finish(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """What is done with the sum of a tile."""
        self.epilogue(ops, acc)

    def find_combine(self, ops: Sequence[Operation]) -> pto.CombineOp | None:
        """The combine of a split, which must be the one that the plan describes."""
        found = next((o for o in ops if isinstance(o, pto.CombineOp)), None)
        program = "implicit_gemm" if found is None else f"splitk_{found.mode.data}"
        whole = found is None and self.plan.matmul == "stream_k"
        if self.plan.split != self.tiles.parts or (self.plan.matmul != program and not whole):
            raise self.mismatch(
                f"it says {self.plan.matmul} in {self.plan.split}, the program is {program} in {self.tiles.parts}",
                "keep split and algo_choice in step with the pto.tiles that they describe",
            )
        return found

    def combine(self, op: pto.CombineOp, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        """The body of `op` on the sum of all parts; `ops` stand before it."""
        if acc is None:
            raise Unsupported(op, what="a split without a contraction", need="a process, its loop and the sum of it")
        body = list(op.body.block.ops)
        for move in body:
            if isinstance(move, pto.MoveToVecOp) and move.input is not op.body.block.args[0]:
                raise Unsupported(move, what="an epilogue that reads a part", need="mov.a2v of the combine's argument")
        self.at = op
        for memref, least in ((op.workspace, VECTOR), (op.counters, 4)):
            if (proven := self.kernel.alignment(cast(BlockArgument, memref))) < least:
                raise Unsupported(op, what=f"a split that shares memory aligned to {proven}", need=f"align {least}")
        workspace, counters = self.map[op.workspace], self.map[op.counters]
        share = Share(acc, self.tile_number(), self.offset(op.part), workspace, counters)
        join = self.in_turns if op.mode.data == "serial" else self.at_last
        join(share, [*ops, *body])

    def in_turns(self, own: Share, ops: Sequence[Operation]) -> None:
        last = self.index(self.tiles.parts - 1)
        with self.when(self.add(arith.CmpiOp(own.part, self.index(0), "ne"), "follows")):
            self.add(nv.SemaphoreAcquireOp(own.counters, own.tile, own.part))
            self.add(nv.FragAddOp(own.workspace, own.tile, own.acc))
        with self.when(self.less(own.part, last, "goes_on")):
            self.add(nv.FragStoreOp(own.acc, own.workspace, own.tile))
            self.add(nv.SemaphoreReleaseOp(own.counters, own.tile, self.plus(own.part, self.index(1), "turn")))
        with self.when(self.add(arith.CmpiOp(own.part, last, "eq"), "is_last")):
            self.add(nv.SemaphoreReleaseOp(own.counters, own.tile, self.index(0)))
            self.finish(ops, own.acc)

    def at_last(self, own: Share, ops: Sequence[Operation]) -> None:
        parts = self.tiles.parts
        self.add(nv.FragStoreOp(own.acc, own.workspace, self.slot(own.part, own)))
        with self.when(self.add(nv.ArriveLastOp(own.counters, own.tile, parts), "is_last")):
            self.add(nv.FragLoadOp(own.workspace, own.tile, own.acc))
            with self.loop(self.index(parts - 1), "added", "add the other parts in ascending order") as body:
                other = self.slot(self.plus(body.step, self.index(1), "other"), own)
                self.add(nv.FragAddOp(own.workspace, other, own.acc))
            self.finish(ops, own.acc)

    def slot(self, part: SSAValue, own: Share) -> SSAValue:
        """Where a part of the tile lies in the workspace."""
        return self.plus(self.times(part, prod(self.tiles.counts)), own.tile, "share")
