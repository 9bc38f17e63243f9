"""
The multistage template: lowers a `pto.kernel` to a `gpu.func` with a ring of slots in shared memory. The main loop refills the
slots and multiplies their tiles.

```
for s < stages-1: copy slot s; commit                       prologue
for each step:    wait_group stages-2; barrier              the oldest slot has landed
                  copy step+stages-1; commit                into the slot freed one step ago
                  for kk < BK: load a, b; multiply
```

If the tile program computes an operand, the fragments of its sources are loaded, and an `nv.map` computes the operand's fragment
before the multiplication.

One barrier per step suffices: it makes the landed slot visible to all warps, and all reads of the slot that is
overwritten next precede it. With double buffering, the fragments of the next kk are loaded before the current ones are multiplied;
the last kk of a step waits for the next slot and loads the first fragments from it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from typing import cast

from xdsl.dialects import gpu
from xdsl.ir import Operation, SSAValue

from ....analysis.nv.fragment_accesses import load_wavefronts
from ....analysis.program.statistics import count
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....errors import Unsupported, counted
from ....planning.elementwise import WIDTHS
from ....planning.multistage.rules import required_mma
from ....targets.architectures import WARP
from ....targets.shared_layouts import SWIZZLES_OF_THREADS
from ..kernel.access import index_space
from ..kernel.contraction import Copy
from ..kernel.prologue import Operand, PrologueLowering
from ..kernel.rows import RowLowering
from ..kernel.splitk import SplitK
from ..kernel.steps import StepLowering
from ..tile_loops import computes_vector, prologue
from .grid import Grid

log = logging.getLogger(__name__)


class MultistageKernel(StepLowering, PrologueLowering, SplitK, RowLowering, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    accs: Sequence[SSAValue]
    """The accumulator of each matmul."""
    pairs: Sequence[Sequence[Operand]]
    """Operands A and B of each matmul: all have one that is computed."""

    def build(self) -> gpu.FuncOp:
        ops = list(self.tiles.body.block.ops)
        self.find_combine(ops)
        self.bind_tiles()
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        self.combine_or_finish(ops, self.contraction(process, ops) if process is not None else None)
        return self.function()

    @property
    def row_lanes(self) -> int:
        return 1

    def finish(self, ops: Sequence[Operation], acc: SSAValue | None) -> None:
        if acc is not None and any(isinstance(op, pto.RowReduceOp) for op in ops):
            self.row_epilogue(ops, acc)
        else:
            super().finish(ops, acc)

    def row_epilogue(self, ops: Sequence[Operation], acc: SSAValue) -> None:
        """Writes the epilogue that reduces rows of the accumulator, which warps hold one below the other."""
        self.require_one_product("an epilogue that reduces rows")
        moves = [op for op in ops if isinstance(op, pto.MoveToVecOp)]
        rows, columns = pto.tile_type(moves[0].result).sizes
        t = nv.frag(acc)
        if t.sizes[1] != columns:
            need = f"warp_tile must have the {columns} columns of the tile"
            raise self.mismatch("a warp does not hold whole rows, which the epilogue reduces", need)
        whole = self.row_layout(t, max(WIDTHS), rows // t.sizes[0])
        tile = self.add(nv.ConvertLayoutOp(acc, whole), "acc_rows")
        self.begin_rows(whole.layout, {move.result: tile for move in moves})
        vectors = [op for op in ops if computes_vector(op) or isinstance(op, pto.StoreMapOp)]
        self.straight([op for op in vectors if op not in moves], self.box)

    def contraction(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> SSAValue:
        """Writes ring, copies, fragments and main loop of the contraction, and returns the first accumulator."""
        loops = self.match(process, ops)
        self.bind_offsets((*ops, *loops.producer.body.block.ops))
        if self.combining is not None:
            self.require_one_product("a split")
        self.at = loops.matmul
        self.mma = required_mma(loops.matmul, *self.multiplied_types(loops.matmul))
        self.find_sources()
        self.copies = [
            self.copy(tile, name, "A" if at in self.sources[0] else "B")
            for at, (tile, name) in enumerate(zip(loops.commit.tiles, self.copy_names(), strict=True))
        ]
        self.at = loops.matmul
        self.check_plan()
        buffers = 2 if self.plan.double_buffered else 1
        self.fragments(buffers)
        self.find_steps(self.copies)
        if self.has_step_a_slot:
            self.since = self.index(0)
        self.begin_steps(self.index(0))
        if loops.stages > 1:
            self.prologue()
        self.at = loops.consumer
        if loops.stages == 1:
            self.single_slot_loop()
        else:
            self.main_loop()
        acc, *self.others = self.accs
        return acc

    def require_one_product(self, what: str) -> None:
        if len(self.loops.matmuls) > 1:
            need = "combine the results in an elementwise epilogue, or store them"
            raise Unsupported(self.loops.matmuls[1], what=f"{what} of several accumulators", need=need)

    def copy(self, tile: SSAValue, name: str, operand: str) -> Copy:
        """
        Allocates the ring of one tile of the channel, which is loaded to fragments of `operand`, with the swizzle that these loads
        need. Chooses the widest copies that the proven alignment allows.
        """
        load = cast(pto.LoadMapOp, tile.owner)
        self.at = load
        dims, sizes = self.slot_layout(load)
        dtype, lanes = pto.tile_type(tile).element_type, self.mma.operands[operand]
        t = nv.FragType((lanes.rows, lanes.columns), dtype, f"{operand} of {self.mma.name}")
        swizzles = SWIZZLES_OF_THREADS if self.plan.layout_hints.get(f"{name}_swizzle", True) else ("none",)
        rings = [nv.SmemType((self.loops.stages, *sizes), dtype, swizzle) for swizzle in swizzles]
        ring_type = min(rings, key=lambda ring: load_wavefronts(t, ring, pto.tile_type(tile).layout))
        ring = self.add(nv.SmemOp(self.allocate(ring_type.bytes, 128), ring_type), f"smem_{name.lower()}")
        # The size of each ring is rounded up to 128 bytes, as the planner counts it (`planning/multistage/resources.py`).
        self.shared = -(-self.shared // 128) * 128
        bytes_ = self.copy_bytes(load, element_address(load), dims[1])
        guards = self.guarded_axes(replace(index_space(load), dims=dims), sizes)
        log.debug("copies of %s move %d bytes each", name, bytes_, extra={"op": load})
        count(f"operands copied {bytes_} bytes at a time")
        return Copy(load, ring, dims, guards, bytes_)

    def check_plan(self) -> None:
        """
        Raises `PlanMismatch` if the plan's tile, stages or warp_tile differ from the program's, or do not fit the instruction.
        """
        plan, loops, mma = self.plan, self.loops, self.mma
        bm, bn = pto.tile_type(loops.matmul.result).sizes
        bk = loops.tile_k
        if len(plan.tile) != 3:
            raise self.mismatch(
                f"tile is {list(plan.tile)}",
                "this tile program contracts: it needs tile = [BM, BN, BK], stages and warp_tile",
            )
        if (plan.stages, plan.tile[2]) != (loops.stages, bk):
            raise self.mismatch(
                f"it has {plan.stages} stages and BK {plan.tile[2]}, but the program has {loops.stages} and {bk}",
                "keep stages and tile in step with the channel that they describe",
            )
        wm, wn = plan.oriented[1]
        if (bm % wm, bn % wn) != (0, 0) or bm // wm * (bn // wn) * WARP != plan.threads:
            raise self.mismatch(
                f"its tile {plan.tile[0]}x{plan.tile[1]} is not the program's {bm}x{bn}",
                "keep tile and warp_tile in step with the pto.tiles that they describe",
            )
        if wm % mma.m or wn % mma.n or bk % mma.k:
            raise self.mismatch(
                f"warp_tile {wm}x{wn} and BK {bk} are not multiples of the sizes of {mma.name}",
                f"use whole multiples of {mma.m} x {mma.n} x {mma.k}",
            )
        if plan.double_buffered and bk // mma.k % 2:
            raise self.mismatch(
                f"local_edges asks for two buffers of fragments, but BK {bk} has {counted(bk // mma.k, 'step')} of {mma.k}",
                f"use a BK that is a multiple of {2 * mma.k}, or no local_edges from A and B",
            )

    def fragments(self, buffers: int) -> None:
        """Creates the accumulators and the operands' fragments, and sets the origin of the warp's tile in the block's tile."""
        mma = self.mma
        (wm, wn), (bm, bn) = self.plan.oriented[1], pto.tile_type(self.loops.matmul.result).sizes
        thread = self.add(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)), "thread")
        warp = self.quotient(thread, WARP, "warp")
        down, right = ("n", "m") if self.plan.transposed else ("m", "n")
        along_row = self.plan.warps_along == right
        across = bn // wn if along_row else bm // wm
        slow, fast = self.quotient(warp, across), self.remainder(warp, across)
        row, column = (slow, fast) if along_row else (fast, slow)
        self.warp = warp_row, warp_column = (
            self.times(row, wm, f"warp_{down}", f"WARP_{down.upper()}"),
            self.times(column, wn, f"warp_{right}", f"WARP_{right.upper()}"),
        )
        t = nv.FragType((wm, wn), mma.accum, f"C of {mma.name}")
        self.accs = [self.add(nv.FragOp(t), "acc") for _ in self.loops.matmuls]
        tiles = [(op.a, op.b) for op in self.loops.matmuls]
        places = ("A", (wm, mma.k), warp_row), ("B", (mma.k, wn), warp_column)
        shared = {
            name: self.operand(name, of_all, sizes, origin, buffers)
            for (name, sizes, origin), of_all in zip(places, zip(*tiles, strict=True), strict=True)
            if prologue(of_all[0])
        }
        self.pairs = [
            [
                shared.get(name) or self.operand(name, [tile], sizes, origin, buffers)
                for (name, sizes, origin), tile in zip(places, pair, strict=True)
            ]
            for pair in tiles
        ]
        self.operands = list(dict.fromkeys(operand for pair in self.pairs for operand in pair))

    # --- the pipeline -----------------------------------------------------------------------------

    def copy_step(self, step: SSAValue, slot: SSAValue) -> None:
        """Starts the copies of one step into a slot."""
        self.at = self.loops.producer
        self.bind_k(step)
        for copy in self.copies:
            self.start_copies(copy, slot)
        self.at = self.loops.consumer

    def prologue(self) -> None:
        """Fills all slots but one. If the loop has fewer steps, commits empty groups, so that every wait has the same count."""
        loops = self.loops
        self.at = loops.producer
        ahead = loops.stages - 1
        first = min(ahead, loops.count)
        comment = f"prologue: fill {first} of {loops.stages} slots"
        with self.loop(self.index(first), "s", comment, self.named_counters) as body:
            self.step_counters = body.carried
            if self.since is not None:
                self.since = body.step
            self.copy_step(body.step, body.step)
            self.add(nv.CommitGroupOp())
            body.next = self.next_counters()
        self.step_counters = body.results
        for _ in range(ahead - first):
            self.add(nv.CommitGroupOp())

    def refill(self, first: SSAValue, by: int, free: SSAValue) -> list[SSAValue]:
        """
        Starts the copies of the step that is `stages - 1` ahead of step `first + by`, if there is one, into the slot that was just freed.
        Returns the counters of the step after it.
        """
        ahead = by + self.loops.stages - 1
        if self.loops.count > ahead:
            with self.when(self.less(first, self.index(self.loops.count - ahead), "more")):
                self.copy_step(self.plus(first, self.index(ahead), "later"), free)
        self.add(nv.CommitGroupOp())
        return self.next_counters()

    def wait_for_slot(self) -> None:
        """Waits until the oldest slot in flight has landed and is visible to all warps."""
        self.add(nv.WaitGroupOp(self.loops.stages - 2))
        self.add(gpu.BarrierOp())

    def load(self, buffer: int, slot: SSAValue, kk: int) -> None:
        """Loads the fragments of all operands, or of their sources, for the instruction's k-step at `kk` of a slot."""
        for operand in self.operands:
            self.load_operand(operand, buffer, slot, kk)

    def multiply(self, buffer: int, kk: int, slot: SSAValue | None = None) -> None:
        """
        Multiplies the fragments for the instruction's k-step at `kk` of a slot. If the slot is given, loads them before: those of one product
        after the other, so that the fragments of only one are in registers, and of computed operands.
        """
        shared: dict[Operand, Iterator[SSAValue]] = {}
        for product, pair in enumerate(self.pairs):
            for operand in pair:
                if slot is not None and operand not in shared:
                    self.load_operand(operand, buffer, slot, kk)
            for operand in pair:
                if operand.ops and operand not in shared:
                    shared[operand] = iter(self.computed(operand, buffer, kk))
            left, right = (next(shared[o]) if o.ops else o.buffers[0][buffer] for o in pair)
            kind = nv.FmaOp if self.mma.name == "fma" else nv.MmaSyncOp
            self.at = self.loops.matmuls[product]
            self.add(kind(self.accs[product], left, right))

    def if_followed(self, step: SSAValue) -> AbstractContextManager[None]:
        """
        A context manager that writes what reads the next slot: only if there is a next step or, where the ring is full by then, always,
        as an old slot may be read after the last step. Where copies have counters, ptxas needs fewer instructions with the condition.
        """
        if self.loops.count >= self.loops.stages and not self.step_counters:
            return nullcontext()
        following = self.plus(step, self.index(1), "following")
        return self.when(self.less(following, self.index(self.loops.count, "STEPS"), "goes_on"))

    def single_slot_loop(self) -> None:
        """Writes the main loop of a ring with one slot: copies and multiplications take turns."""
        loops = self.loops
        comment = "main loop: copy a step, wait for it, multiply"
        unroll = self.plan.unrolled_steps
        steps, slot = self.index(loops.count, "STEPS"), self.index(0)
        with self.loop(steps, "step", comment, self.named_counters, unroll=unroll) as body:
            self.step_counters = body.carried
            self.bind_consumer_k(body.step)
            self.copy_step(body.step, slot)
            self.add(nv.CommitGroupOp())
            self.add(nv.WaitGroupOp(0))
            self.add(gpu.BarrierOp())
            self.at = loops.matmul
            for kk in range(0, loops.tile_k, self.mma.k):
                self.multiply(0, kk, slot)
            self.at = loops.consumer
            self.add(gpu.BarrierOp())
            body.next = self.next_counters()

    @property
    def has_step_a_slot(self) -> bool:
        """Whether an iteration of the main loop has a step for each slot, as the plan asks, and copies do not count their steps."""
        return 1 < self.loops.stages == self.plan.unrolled_steps and not self.counts_steps

    def main_loop(self) -> None:
        """Writes the main loop."""
        doubled = self.plan.double_buffered
        if doubled:
            if not self.loops.count:
                return
            self.wait_for_slot()
            self.load(0, self.index(0), 0)
        comment = "main loop: wait for a slot, refill the one freed before, multiply"
        if doubled:
            comment = (
                "main loop: load the next fragments, then multiply the present ones; the last wait for the next slot"
            )
        (self.unrolled_loop if self.has_step_a_slot else self.rolled_loop)(comment)

    def rolled_loop(self, comment: str) -> None:
        """Writes a main loop with a step an iteration, which carries the slot and the one that was freed before."""
        steps, stages = self.index(self.loops.count, "STEPS"), self.loops.stages
        carried = [("slot", 0), ("free", stages - 1), *self.named_counters]
        with self.loop(steps, "step", comment, carried, unroll=self.plan.unrolled_steps) as body:
            slot, free, *self.step_counters = body.carried
            self.bind_consumer_k(body.step)
            if self.plan.double_buffered:
                next_slot = self.next_slot(slot, stages, "next_slot")
                later = self.double_buffered_step(body.step, 0, slot, free, next_slot)
            else:
                later = self.single_buffered_step(body.step, 0, slot, free)
                next_slot = self.next_slot(slot, stages, "next_slot")
            body.next = [next_slot, slot, *later]

    def unrolled_loop(self, comment: str) -> None:
        """Writes a main loop with a step for each slot in an iteration. The last iteration may have fewer."""
        steps, stages = self.index(self.loops.count, "STEPS"), self.loops.stages
        last = self.loops.count % stages
        self.move_offsets(stages - 1)
        with self.loop(steps, "step", comment, step=self.index(stages, "STAGES")) as body, ExitStack() as rest:
            for slot in range(stages):
                if slot and slot == last:
                    rest.enter_context(self.when(self.less(body.step, self.index(self.loops.count - slot), "goes_on")))
                self.bind_consumer_k(self.plus(body.step, self.index(slot)))
                self.since = self.index(slot)
                before, after = (self.index((slot + by) % stages) for by in (stages - 1, 1))
                if self.plan.double_buffered:
                    self.double_buffered_step(body.step, slot, self.index(slot), before, after)
                else:
                    self.single_buffered_step(body.step, slot, self.index(slot), before)
            self.move_offsets(stages)

    def single_buffered_step(self, first: SSAValue, by: int, slot: SSAValue, free: SSAValue) -> list[SSAValue]:
        """
        Writes step `first + by`, which loads and multiplies one k-step of the instruction after the other. Returns the next counters.
        """
        self.wait_for_slot()
        later = self.refill(first, by, free)
        self.at = self.loops.matmul
        for kk in range(0, self.loops.tile_k, self.mma.k):
            self.multiply(0, kk, slot)
        self.at = self.loops.consumer
        return later

    def double_buffered_step(
        self, first: SSAValue, by: int, slot: SSAValue, free: SSAValue, next_slot: SSAValue
    ) -> list[SSAValue]:
        """Writes step `first + by`, which loads the fragments of the next k-step before multiplying those of the current one."""
        loops, k = self.loops, self.mma.k
        later, last = self.step_counters, loops.tile_k - k
        for number, kk in enumerate(range(0, loops.tile_k, k)):
            other = (number + 1) % 2
            if kk == last and loops.count > 1:
                self.at = loops.consumer
                self.wait_for_slot()
                with self.if_followed(self.plus(first, self.index(by))):
                    self.load(other, next_slot, 0)
            elif kk < last:
                self.at = loops.matmul
                self.load(other, slot, kk + k)
            if kk == 0:
                later = self.refill(first, by, free)
            self.at = loops.matmul
            self.multiply(number % 2, kk)
        self.at = loops.consumer
        return list(later)
