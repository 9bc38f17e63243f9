"""
The consumers of a Hopper kernel: warpgroups that multiply out of the ring.

```
for each step of k:  wait until the slot is full
                     wgmma BK / k times; commit          the first one of a tile does not add: no pass of zeros
                     wait for all groups but this one    the slot before has been read: release it
wait for all groups; release the last slot
```

Cooperative warpgroups share the rows of a tile. Ping-pong warpgroups take turns with whole tiles: while one multiplies,
the other is in its epilogue; a warpgroup waits for its turn, since a wait on an mbarrier tells neighbouring phases
apart only. Sums of fp8 are promoted to f32 each step, as the tensor cores keep fewer bits of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.mma import Mma, wgmma_columns, wgmma_for
from ..tile_loops import Loops, channel_tile, match_loops
from .ring import Feed, Ring


@dataclass(frozen=True)
class Position:
    """Where in the ring a consumer is."""

    slot: SSAValue
    phase: SSAValue


class ContractionLowering(Ring):
    """Adds the multiplying warpgroups to a kernel."""

    loops: Loops

    def prepare(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> None:
        """The program's loops, the instruction, the ring; the tile must be the plan's."""
        self.loops = loops = match_loops(process, ops)
        self.ranges[loops.producer.body.block.args[0]] = (
            loops.step,
            loops.start + max(0, loops.count - 1) * loops.step,
        )
        self.at = loops.matmul
        self.mma = self.instruction(loops.matmul)
        self.check_tile(loops)
        self.set_ranges()
        self.feeds = [
            self.feed(tile, loops.stages, name) for tile, name in zip(loops.commit.tiles, "ABCDEFGH", strict=False)
        ]
        self.a = self.feeds[channel_tile(loops.matmul.a, loops.commit)]
        self.b = self.feeds[channel_tile(loops.matmul.b, loops.commit)]

    def instruction(self, matmul: pto.MatmulAccOp) -> Mma:
        left, right = (pto.tile_type(v).element_type for v in (matmul.a, matmul.b))
        accum = pto.tile_type(matmul.result).element_type
        precision = matmul.precision.data if matmul.precision is not None else "exact"
        if (mma := wgmma_for(left, right, accum, precision)) is None:
            need = (
                "16-bit floats, fp8 or tf32 into f32, 8-bit integers into i32; without roles in the plan there is more"
            )
            raise Unsupported(matmul, what=f"a wgmma of {left} and {right} into {accum}", need=need)
        return mma

    def check_tile(self, loops: Loops) -> None:
        """The warpgroup's tile and the channel's are made of whole instructions; the rest is held in `check_words`."""
        plan, mma, bk = self.plan, self.mma, loops.deep
        (_, columns), (wm, wn) = plan.oriented
        if wm % mma.m or wn != columns or not wgmma_columns(mma, wn) or bk % mma.k:
            raise self.mismatch(
                f"warp_tile {plan.warp_tile} and BK {bk} are not made of {mma.name}",
                f"all columns as computed, as many as one wgmma has, multiples of {mma.m} rows, BK of {mma.k}",
            )

    @property
    def pingpong(self) -> bool:
        return self.plan.roles == "pingpong"

    @property
    def promotes(self) -> bool:
        return self.mma.name == "m64k32_f8"

    # --- the sum of one tile ----------------------------------------------------------------------

    def sum(self, at: Position) -> tuple[SSAValue, Position]:
        """The sum of the present tile, and where the ring is then."""
        loops = self.loops
        self.at = loops.matmul
        t = nv.FragType(self.plan.oriented[1], self.mma.accum, "C", self.mma.name)
        acc = self.add(nv.FragOp(t), "acc")
        part = self.add(nv.FragOp(t), "part") if self.promotes else acc
        if not loops.count:
            return acc, at
        self.at = loops.consumer
        steps, stages = self.index(loops.count, "STEPS"), loops.stages
        carried: list[tuple[str, int | SSAValue]] = [("slot", at.slot), ("phase", at.phase)]
        if not self.promotes:
            carried.append(("before", 0))
        comment = "consumer: multiply a slot" + ("" if self.promotes else " while the one before is read to its end")
        first, end = self.steps or (self.index(0), steps)
        with self.loop(end, "step", comment, carried, first) as body:
            slot, phase, *before = body.carried
            self.add(nv.WaitOp(self.full, slot, phase))
            self.add(nv.WgmmaFenceOp())
            self.at = loops.matmul
            follows = self.add(arith.CmpiOp(body.step, first, "ne"), "adds") if before else self.false()
            for kk in range(0, loops.deep, self.mma.k):
                self.multiply(part, slot, kk, follows if kk == 0 else None)
            self.at = loops.consumer
            self.add(nv.WgmmaCommitOp())
            if before:
                self.add(nv.WgmmaWaitOp(1))
                with self.when(follows):
                    self.release(before[0])
            else:
                self.add(nv.WgmmaWaitOp(0))
                self.release(slot)
                self.add(nv.PromoteOp(part, acc))
            body.next = [*self.advance(slot, phase, stages), *([slot] if before else [])]
        if not self.promotes:
            self.add(nv.WgmmaWaitOp(0))
            self.release(body.results[2])
        return acc, Position(body.results[0], body.results[1])

    def false(self) -> SSAValue:
        return self.add(arith.ConstantOp(BoolAttr(False, i1)))

    def multiply(self, acc: SSAValue, slot: SSAValue, kk: int, adds: SSAValue | None) -> None:
        """One step of the instruction along k."""
        row, column = self.warp if self.warp is not None else (self.index(0), self.index(0))
        a_layout, a_place = self.place(self.a, row, kk, rows_are_k=False)
        b_layout, b_place = self.place(self.b, column, kk, rows_are_k=True)
        self.add(
            nv.WgmmaMmaOp(acc, self.a.ring, (slot, *a_place), a_layout, self.b.ring, (slot, *b_place), b_layout, adds)
        )

    def place(self, feed: Feed, outer: SSAValue, kk: int, rows_are_k: bool) -> tuple[str, tuple[SSAValue, SSAValue]]:
        """The layout of an operand in its slot, and the row and column where the warpgroup's part begins."""
        stored_k_first = feed.dims[0] == len(self.outer) + 2
        layout = "ND" if stored_k_first == rows_are_k else "DN"
        step = self.index(kk)
        return layout, (step, outer) if stored_k_first else (outer, step)

    # --- all tiles --------------------------------------------------------------------------------

    def rows_of_warpgroup(self, number: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Row and column in the block's tile where this warpgroup's part begins."""
        if self.pingpong or self.plan.consumers == 1:
            return self.index(0), self.index(0)
        down = "n" if self.plan.transposed else "m"
        return self.times(number, self.plan.oriented[1][0], f"warp_{down}", f"WARP_{down.upper()}"), self.index(0)

    def turns(self) -> None:
        """Ping-pong: an mbarrier for each warpgroup, at which the other says that it has multiplied."""
        if self.pingpong:
            self.turn = self.add(nv.MbarrierOp(self.allot(16, 8), nv.MbarrierType(2)), "turn")
            self.initial.append((self.turn, 1))

    def start_of_turn(self, number: SSAValue, round_: SSAValue) -> Position:
        """
        Where the ring is when a warpgroup begins its tile of this round: the tiles before had STEPS slots each. Round r of
        warpgroup 0 waits for the other's round r - 1, and that of warpgroup 1 for round r.
        """
        steps, stages = self.loops.count, self.loops.stages
        before = self.remainder(self.plus(self.times(round_, 2), number), 2 * stages, "tiles_before")
        done = self.remainder(self.times(before, steps % (2 * stages)), 2 * stages, "done")
        slot = self.remainder(done, stages, "first_slot")
        phase = self.quotient(done, stages, "first_phase")
        odd = self.remainder(round_, 2)
        even = self.add(arith.SelectOp(self.is_zero(odd), self.index(1), self.index(0)))
        parity = self.add(arith.SelectOp(self.is_zero(number), even, odd), "parity")
        self.add(nv.WaitOp(self.turn, number, parity))
        return Position(slot, phase)

    def end_of_turn(self, number: SSAValue) -> None:
        other = self.add(arith.SelectOp(self.is_zero(number), self.index(1), self.index(0)), "other")
        with self.single("warpgroup"):
            self.add(nv.ArriveOp(self.turn, other))
