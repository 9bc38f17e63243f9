"""
Stream-K: the steps of all tiles are dealt out evenly, so that no block is idle in the last wave.

```
unit u = tile · STEPS + step;  cluster p has the units from p · share up to (p + 1) · share, or the last
it takes its tiles from the last to the first: of each the steps that are its own

first step > 0:      wait for turn `first` of the tile; acc += workspace[tile]
last step < STEPS:   workspace[tile] = acc; pass the turn to `last`
otherwise:           pass the turn to 0, if others had a part; epilogue
```

A counter says how many steps of its tile the workspace holds. A cluster waits only for the one before it, for a tile that
this one takes first: its own last is that one's first. Spec: DESIGN §4 (`pto.tiles`: stream-K is a lowering of it).
Osama et al., *Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication*, PPoPP 2023.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ...dialects import nv
from ...errors import Unsupported
from ..sm80.access import INT_MAX
from ..sm80.builder import LoopBody
from .epilogue import StagedEpilogue


class StreamK(StagedEpilogue):
    """Adds loops over parts of tiles to a kernel."""

    scratch: dict[BlockArgument, str]
    """The workspace and the counters, which the host makes."""

    @property
    def streams(self) -> bool:
        return self.plan.matmul == "stream_k"

    def deal(self) -> None:
        """How many units a cluster has, and so how many clusters there are; where their sums meet."""
        self.scratch = {}
        if not self.streams or not self.loops.count:
            return
        if self.pingpong:
            raise self.mismatch(
                "roles is pingpong, whose warpgroups cannot wait for other blocks in turn", "cooperative for stream_k"
            )
        (cm, cn), (*_, m, n) = self.plan.cluster, self.tiles.counts
        if m % cm or n % cn:
            raise self.mismatch(
                f"its cluster {cm}x{cn} does not divide the {m}x{n} tiles, whose sums are shared",
                "a cluster that divides them, or no stream_k",
            )
        units = self.items * self.loops.count
        if units > INT_MAX // 2:
            raise Unsupported(self.kernel, what=f"{units} steps of all tiles", need="less than 2^30: a larger tile")
        self.each = -(-units // max(1, self.wide // self.size))
        self.clusters = -(-units // self.each)
        self.grid = (self.clusters * self.size, 1, 1)
        self.units = units
        tiles = self.items * self.size
        self.workspace = self.new_scratch("workspace", MemRefType(self.mma.accum, [tiles, *self.plan.oriented[0]]))
        self.counters = self.new_scratch("counters", MemRefType(i32, [tiles]))

    def new_scratch(self, kind: str, t: MemRefType[Attribute]) -> BlockArgument:
        argument = self.block.insert_arg(t, len(self.block.args))
        argument.name_hint = kind
        self.scratch[argument] = kind
        return argument

    @contextmanager
    def each_tile(
        self, carried: list[tuple[str, int | SSAValue]], turns: int = 1, turn: SSAValue | None = None
    ) -> Generator[LoopBody]:
        if not self.scratch:
            with super().each_tile(carried, turns, turn) as body:
                yield body
            return
        steps = self.loops.count
        first = self.times(self.cluster_number, self.each, "first_unit")
        end = self.least(self.plus(first, self.index(self.each)), self.index(self.units), "end_unit")
        last_tile = self.quotient(self.add(arith.SubiOp(end, self.index(1))), steps, "last_item")
        first_tile = self.quotient(first, steps)
        count = self.add(arith.SubiOp(self.plus(last_tile, self.index(1)), first_tile), "items")
        with self.loop(count, "nth", "one tile after the other, the last first", carried) as body:
            item = self.add(arith.SubiOp(last_tile, body.step), "item")
            begin = self.times(item, steps, "begin_unit")
            low = self.add(arith.SubiOp(self.most(first, begin), begin), "first_step")
            high = self.add(arith.SubiOp(self.least(end, self.plus(begin, self.index(steps)), None), begin), "end_step")
            self.steps = (low, high)
            self.bind_tiles(item)
            yield body

    def least(self, left: SSAValue, right: SSAValue, hint: str | None) -> SSAValue:
        return self.add(arith.SelectOp(self.add(arith.CmpiOp(left, right, "ult")), left, right), hint)

    def most(self, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.add(arith.SelectOp(self.add(arith.CmpiOp(left, right, "ult")), right, left))

    def join(self, ops: Sequence[Operation], acc: SSAValue, low: SSAValue, high: SSAValue) -> None:
        """The sum of the steps from `low` to `high` meets those of other blocks; who has the last step has it all."""
        tile = self.tile_number()
        follows = self.add(arith.CmpiOp(low, self.index(0), "ne"), "follows")
        with self.when(follows):
            self.add(nv.TurnWaitOp(self.counters, tile, low))
            self.add(nv.FragAddOp(self.workspace, tile, acc))
        steps = self.index(self.loops.count, "STEPS")
        with self.when(self.less(high, steps, "goes_on")):
            self.add(nv.FragStoreOp(acc, self.workspace, tile))
            self.add(nv.TurnPassOp(self.counters, tile, high))
        with self.when(self.add(arith.CmpiOp(high, steps, "eq"), "is_last")):
            with self.when(follows):
                self.add(nv.TurnPassOp(self.counters, tile, self.index(0)))
            self.finish(ops, acc)
