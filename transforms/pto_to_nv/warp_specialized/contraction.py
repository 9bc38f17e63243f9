"""
The consumers of a warp-specialized kernel: warpgroups that multiply the slots of the ring with wgmma.

```
for each step of k:  wait until the slot is full
                     wgmma BK / k times; commit          a tile's first wgmma overwrites the accumulator: no zero fill
                     wait for all groups but this one    then release the previous slot, which has been read
wait for all groups; release the last slot
```

If the tile program computes operand A, each wgmma is a group of its own, which multiplies while the next fragment is computed:

```
for each wgmma of the step:  load the next wgmma's sources; nv.map: compute A in registers
                             wgmma; commit; wait for all groups but this one
```

If a step has only one wgmma, there is only one fragment, so the wait is for this group, too.

Cooperative warpgroups share the rows of a tile. Pingpong warpgroups alternate whole tiles: while one multiplies, the other
is in its epilogue. An order barrier keeps them at most one tile apart, as a wait on an mbarrier can only distinguish
adjacent phases. fp8 accumulators are added to a second set in f32 each step, as the tensor cores accumulate fp8 with fewer bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.architectures import WARPGROUP
from ....targets.mma import Mma, wgmma_columns, wgmma_for
from ..kernel.prologue import Operand, PrologueLowering
from ..tile_loops import prologue
from .ring import BARRIER, OperandFeed, Ring


@dataclass(frozen=True)
class Position:
    """A consumer's position in the ring: a slot, and the parity of its phase."""

    slot: SSAValue
    phase: SSAValue


class ContractionLowering(Ring, PrologueLowering):
    """Adds the multiplying warpgroups to a kernel."""

    def prepare(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> None:
        """Finds the loops and the instruction, and allocates the ring. Raises `PlanMismatch` if tile and plan disagree."""
        loops = self.match(process, ops)
        if len(loops.matmuls) > 1:
            need = "plan the region without roles: warps then hold several accumulators"
            raise Unsupported(loops.matmuls[1], what="a second accumulator of warpgroups", need=need)
        self.at = loops.matmul
        self.mma = self.mma_instruction(loops.matmul)
        self.check_instruction_shape()
        self.set_ranges()
        self.find_sources()
        if prologue(loops.matmul.b):
            need = "plan the region with the other C_stride, so that this operand is on the left, or without roles"
            raise Unsupported(loops.matmul, what="a wgmma whose right operand is computed", need=need)
        self.computes = bool(prologue(loops.matmul.a))
        left, right = self.sources
        self.copies = self.feeds = [
            self.feed(tile, name, at in left and self.computes)
            for at, (tile, name) in enumerate(zip(loops.commit.tiles, self.copy_names(), strict=True))
        ]
        self.b = self.feeds[right[0]]

    def mma_instruction(self, matmul: pto.MatmulAccOp) -> Mma:
        left, right, accum, precision = self.multiplied_types(matmul)
        if (mma := wgmma_for(left, right, accum, precision)) is None:
            need = "wgmma takes 16-bit floats, fp8 or tf32 into f32, and 8-bit integers into i32; plans without roles take more types"
            raise Unsupported(matmul, what=f"a wgmma of {left} and {right} into {accum}", need=need)
        return mma

    def check_instruction_shape(self) -> None:
        """
        Raises `PlanMismatch` if the tile does not consist of whole instructions. `check_program_plan` checks the other fields.
        """
        plan, mma, bk = self.plan, self.mma, self.loops.tile_k
        (_, columns), (wm, wn) = plan.oriented
        if wm % mma.m or wn != columns or not wgmma_columns(mma, wn) or bk % mma.k:
            raise self.mismatch(
                f"warp_tile {plan.warp_tile} and BK {bk} are not made of {mma.name}",
                f"use all columns of the computed tile, as many as one wgmma has, a multiple of {mma.m} rows, and BK a multiple of {mma.k}",
            )

    @property
    def pingpong(self) -> bool:
        return self.plan.roles == "pingpong"

    @property
    def promotes(self) -> bool:
        return self.mma.name == "m64k32_f8"

    # --- one tile ---------------------------------------------------------------------------------

    def accumulator(self, name: str = "acc") -> SSAValue:
        """Creates a fragment for the accumulator of a warpgroup."""
        self.at = self.loops.matmul
        return self.add(nv.FragOp(nv.FragType(self.plan.oriented[1], self.mma.accum, f"C of {self.mma.name}")), name)

    def accumulate(
        self, at: Position, acc: SSAValue | None = None, issued: Sequence[SSAValue] = ()
    ) -> tuple[SSAValue, Position]:
        """
        Writes the loop over k for the current tile, and returns the accumulator and the ring position after the loop. If the wgmmas of
        its first steps are already `issued`, from slots that are still to be released, `at` is the position of the next step.
        """
        loops = self.loops
        acc = self.accumulator() if acc is None else acc
        part = self.accumulator("part") if self.promotes else acc
        if not loops.count:
            return acc, at
        self.at = loops.consumer
        for slot in issued[:-1]:  # the epilogue of the tile before has given these wgmmas time
            self.add(nv.WgmmaWaitOp(1))
            self.release(slot)
        steps = self.index(loops.count, "STEPS")
        carried: list[tuple[str, int | SSAValue]] = [("slot", at.slot), ("phase", at.phase)]
        if releases_late := not self.promotes and loops.stages > 1:
            carried.append(("before", issued[-1] if issued else 0))
        comment = "consumer: multiply a slot" + " while the previous one is still being read" * releases_late
        first, end = self.step_range or (self.index(len(issued)), steps)
        k_steps = range(0, loops.tile_k, self.mma.k)
        groups = [[kk] for kk in k_steps] if self.computes else [list(k_steps)]
        self.operands = [self.operand_a(len(groups))] if self.computes else []
        with self.loop(end, "step", comment, carried, first, unroll=self.plan.unrolled_steps) as body:
            slot, phase, *before = body.carried
            self.add(nv.WaitOp(self.full, slot, phase))
            self.bind_consumer_k(body.step)
            self.at = loops.matmul
            follows: SSAValue | None = None
            if self.promotes:
                follows = self.add(arith.ConstantOp(BoolAttr(False, i1)))
            elif not issued:
                follows = self.add(arith.CmpiOp(body.step, first, "ne"), "adds")
            for number, group in enumerate(groups):
                a = self.next_a(slot, number, len(groups)) if self.computes else None
                self.at = loops.matmul
                self.add(nv.WgmmaFenceOp())
                for kk in group:
                    self.multiply(part, slot, kk, follows if kk == 0 else None, a)
                self.at = loops.consumer
                self.add(nv.WgmmaCommitOp())
                if before or number < len(groups) - 1:
                    self.add(nv.WgmmaWaitOp(0 if self.computes and len(groups) == 1 else 1))
                if before and number == 0:
                    with nullcontext() if follows is None else self.when(follows):
                        self.release(before[0])
            if not before:
                self.add(nv.WgmmaWaitOp(0))
                self.release(slot)
            if self.promotes:
                self.add(nv.PromoteOp(part, acc))
            body.next = [*self.next_position(slot, phase, loops.stages), *([slot] if before else [])]
        if releases_late:
            self.add(nv.WgmmaWaitOp(0))
            self.release(body.results[2])
        return acc, Position(body.results[0], body.results[1])

    @property
    def origin(self) -> tuple[SSAValue, SSAValue]:
        """The row and column of the block's tile at which the warpgroup's tile begins."""
        return self.warp if self.warp is not None else (self.index(0), self.index(0))

    def operand_a(self, k_steps: int) -> Operand:
        """Creates the fragments of the sources of a computed operand A: two sets, which are loaded in turns."""
        sizes = self.plan.oriented[1][0], self.mma.k
        return self.operand("A", [self.loops.matmul.a], sizes, self.origin[0], min(2, k_steps))

    def next_a(self, slot: SSAValue, number: int, k_steps: int) -> SSAValue:
        """Writes the loads of the k-step after `number` of the instruction, then computes operand A for k-step `number`."""
        (operand,) = self.operands
        self.at = self.loops.matmul
        for later in range(number and number + 1, min(number + 2, k_steps)):
            self.load_operand(operand, later % 2, slot, later * self.mma.k)
            if later == k_steps - 1:  # before the slot is released: the wait for wgmma covers wgmma's reads only
                self.add(nv.BarrierOp(BARRIER, WARPGROUP))
        (fragment,) = self.computed(operand, number % 2, number * self.mma.k)
        return fragment

    def multiply(self, acc: SSAValue, slot: SSAValue, kk: int, adds: SSAValue | None, a: SSAValue | None) -> None:
        """
        Adds one wgmma with A in the registers `a`, or in shared memory if that is None. It overwrites the accumulator if the value
        `adds` is false; None stands for true.
        """
        row, column = self.origin
        b_layout, b_place = self.operand_position(self.b, column, kk, rows_are_k=True)
        right = self.b.ring, (slot, *b_place), b_layout, adds
        if a is not None:
            self.add(nv.WgmmaFragOp(acc, a, *right))
            return
        stored = self.feeds[self.sources[0][0]]
        a_layout, a_place = self.operand_position(stored, row, kk, rows_are_k=False)
        self.add(nv.WgmmaMmaOp(acc, stored.ring, (slot, *a_place), a_layout, *right))

    def operand_position(
        self, feed: OperandFeed, outer: SSAValue, kk: int, rows_are_k: bool
    ) -> tuple[str, tuple[SSAValue, SSAValue]]:
        """Returns the layout of an operand in its slot, and the row and column at which the part of this wgmma begins."""
        stored_k_first = feed.dims[0] == len(self.outer) + 2
        layout = "ND" if stored_k_first == rows_are_k else "DN"
        step = self.index(kk)
        return layout, (step, outer) if stored_k_first else (outer, step)

    # --- all tiles --------------------------------------------------------------------------------

    def warpgroup_origin(self, number: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Returns the row and column of the block's tile at which the part of warpgroup `number` begins."""
        if self.pingpong or self.plan.consumers == 1:
            return self.index(0), self.index(0)
        down = "n" if self.plan.transposed else "m"
        return self.times(number, self.plan.oriented[1][0], f"warp_{down}", f"WARP_{down.upper()}"), self.index(0)

    def order_barriers(self) -> None:
        """Adds, for pingpong, an mbarrier for each warpgroup; the other warpgroup arrives at it after its multiplications."""
        if self.pingpong:
            self.order = self.add(nv.MbarrierOp(self.allocate(16, 8), nv.MbarrierType(2)), "order")
            self.barrier_arrivals.append((self.order, 1))

    def wait_for_order(self, number: SSAValue, round_: SSAValue) -> Position:
        """
        Waits until the other warpgroup has multiplied the previous tile: round r of warpgroup 0 waits for round r - 1 of
        warpgroup 1, round r of warpgroup 1 waits for round r of warpgroup 0. Returns the ring position at which the tile
        begins: each previous tile took STEPS slots.
        """
        steps, stages = self.loops.count, self.loops.stages
        before = self.remainder(self.plus(self.times(round_, 2), number), 2 * stages, "tiles_before")
        done = self.remainder(self.times(before, steps % (2 * stages)), 2 * stages, "done")
        odd = self.remainder(round_, 2)
        even = self.flipped(odd)
        parity = self.add(arith.SelectOp(self.is_zero(number), even, odd), "parity")
        self.add(nv.WaitOp(self.order, number, parity))
        return self.position_after(done)

    def position_after(self, done: SSAValue) -> Position:
        """Returns the ring position after `done` slots, a number below twice the number of stages."""
        stages = self.loops.stages
        return Position(self.remainder(done, stages, "first_slot"), self.quotient(done, stages, "first_phase"))

    def arrive_order(self, number: SSAValue) -> None:
        other = self.flipped(number, "other")
        with self.single("warpgroup"):
            self.add(nv.ArriveOp(self.order, other))
