"""
The contraction of a multistage kernel: a ring of slots in shared memory, and a main loop that multiplies from it.

```
for s < stages-1: copy slot s; commit                       prologue
for each step:    wait_group stages-2; barrier              the oldest slot has landed
                  copy step+stages-1; commit                into the slot freed one step ago
                  for kk < BK: load a, b; multiply
```

One barrier per step suffices: it publishes the landed slot to all warps and follows every read of the slot that is
overwritten next. With double buffering, the fragments of the next kk are loaded before the current ones are multiplied;
the last kk of a step waits for the next slot and loads the first fragments from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import gpu
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.mma import Mma, element_bytes, mma_for, unsupported_operands_help
from ..kernel.contraction import Copy
from ..tile_loops import Loops, channel_tile
from .copies import Copies

WARP = 32


@dataclass(frozen=True)
class Operand:
    """Operand A or B of the multiplication: its copy, the origin of the warp's tile along m or n, and its fragments."""

    name: str
    copy: Copy
    origin: SSAValue
    buffers: Sequence[SSAValue]

    @property
    def transposed(self) -> bool:
        return pto.tile_type(self.copy.load.result).layout.data == "DN"


class ContractionLowering(Copies):
    """Adds the contraction to a kernel."""

    def contraction(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> SSAValue:
        """Writes copies, ring, fragments and main loop of the contraction; returns the accumulator."""
        loops = self.match(process, ops)
        for op in (*ops, *loops.producer.body.block.ops):
            if self.is_fixed_offset(op):
                self.map[op.results[0]] = self.offset(op.results[0])
        self.at = loops.matmul
        mma = self.mma_instruction(loops.matmul)
        copies = [
            self.copy(tile, loops.stages, name, self.swizzle(mma, tile, at, loops))
            for at, (tile, name) in enumerate(zip(loops.commit.tiles, "ABCDEFGH", strict=False))
        ]
        self.at = loops.matmul
        buffers = self.buffers(loops, mma)
        acc, a, b = self.fragments(loops, mma, copies, buffers)
        self.prologue(loops, copies)
        self.at = loops.consumer
        if buffers == 2:
            self.double_buffered_loop(loops, copies, mma, acc, a, b)
        else:
            self.single_buffered_loop(loops, copies, mma, acc, a, b)
        return acc

    def mma_instruction(self, matmul: pto.MatmulAccOp) -> Mma:
        mma, (left, right, accum) = self.select_mma(matmul, mma_for)
        if mma is None:
            what = f"a contraction of {left} and {right} into {accum}"
            raise Unsupported(matmul, what=what, need=unsupported_operands_help(left, right, accum))
        return mma

    def swizzle(self, mma: Mma, tile: SSAValue, at: int, loops: Loops) -> str:
        """Returns the swizzle: ldmatrix and FMA read along rows; lanes that read words across k, or f64, read four rows."""
        if mma.name in ("m16n8k16", "fma"):
            return "xor"
        left = loops.matmul.a.owner
        is_a = isinstance(left, pto.MoveOp) and getattr(left.input, "index", None) == at
        along_k = is_a != (pto.tile_type(tile).layout.data == "DN")
        return "xor" if along_k and mma.name != "m8n8k4" else "xor_columns"

    def buffers(self, loops: Loops, mma: Mma) -> int:
        """Returns the number of fragments per operand. Raises `PlanMismatch` if tile, stages and plan disagree."""
        plan = self.plan
        bm, bn = pto.tile_type(loops.matmul.result).sizes
        bk = loops.tile_k
        if len(plan.tile) != 3:
            raise self.mismatch(
                f"tile is {list(plan.tile)}",
                "this tile program contracts: it needs tile = [BM, BN, BK], stages and warp_tile",
            )
        if (plan.stages, plan.tile[2]) != (loops.stages, bk):
            raise self.mismatch(
                f"it has {plan.stages} stages and BK {plan.tile[2]}, the program {loops.stages} and {bk}",
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
                f"warp_tile {wm}x{wn} and BK {bk} are no multiples of {mma.name}",
                f"whole multiples of {mma.m} x {mma.n} x {mma.k}",
            )
        if plan.double_buffered and bk // mma.k % 2:
            raise self.mismatch(
                f"local_edges ask for two buffers of fragments, and BK {bk} has {bk // mma.k} steps of {mma.k}",
                f"an even number of steps: BK a multiple of {2 * mma.k}, or no local_edges from A and B",
            )
        return 2 if plan.double_buffered else 1

    def fragments(
        self, loops: Loops, mma: Mma, copies: Sequence[Copy], buffers: int
    ) -> tuple[SSAValue, Operand, Operand]:
        """Creates the accumulator and the operands' fragments, and sets the origin of the warp's tile in the block's."""
        matmul = loops.matmul
        (wm, wn), (bm, bn) = self.plan.oriented[1], pto.tile_type(matmul.result).sizes
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
        acc = self.add(nv.FragOp(nv.FragType((wm, wn), mma.accum, "C", mma.name)), "acc")

        def operand(name: str, tile: SSAValue, sizes: tuple[int, int], origin: SSAValue) -> Operand:
            copy = copies[channel_tile(tile, loops.commit)]
            t = nv.FragType(sizes, pto.tile_type(tile).element_type, name, mma.name)
            hint = f"frag_{name.lower()}"
            hints = [hint] if buffers == 1 else [f"{hint}{k}" for k in range(buffers)]
            return Operand(name, copy, origin, [self.add(nv.FragOp(t), h) for h in hints])

        return (
            acc,
            operand("A", matmul.a, (wm, mma.k), warp_row),
            operand("B", matmul.b, (mma.k, wn), warp_column),
        )

    # --- the pipeline -----------------------------------------------------------------------------

    def copy_step(self, loops: Loops, copies: Sequence[Copy], step: SSAValue, slot: SSAValue) -> None:
        self.at = loops.producer
        self.bind_k(loops, step)
        self.fill(copies, slot)
        self.at = loops.consumer

    def prologue(self, loops: Loops, copies: Sequence[Copy]) -> None:
        """Fills all slots but one. Empty groups are committed too, so that every wait has the same count."""
        self.at = loops.producer
        ahead = loops.stages - 1
        first = min(ahead, loops.count)
        comment = f"prologue: fill {first} of {loops.stages} slots"
        with self.loop(self.index(first), "s", comment) as body:
            self.copy_step(loops, copies, body.step, body.step)
            self.add(nv.CommitGroupOp())
        for _ in range(ahead - first):
            self.add(nv.CommitGroupOp())

    def refill(self, loops: Loops, copies: Sequence[Copy], step: SSAValue, free: SSAValue) -> None:
        """Copies the step that is `stages - 1` ahead, if there is one, into the slot just freed."""
        ahead = loops.stages - 1
        if loops.count > ahead:
            later = self.plus(step, self.index(ahead), "later")
            with self.when(self.less(later, self.index(loops.count, "STEPS"), "more")):
                self.copy_step(loops, copies, later, free)
        self.add(nv.CommitGroupOp())

    def wait_for_slot(self, loops: Loops) -> None:
        """Waits until the oldest slot in flight has landed and is visible to all warps."""
        self.add(nv.WaitGroupOp(loops.stages - 2))
        self.add(gpu.BarrierOp())

    def load(self, operand: Operand, buffer: int, slot: SSAValue, kk: SSAValue) -> None:
        """Loads one k-step of an operand into a fragment."""
        frag = operand.buffers[buffer]
        t = nv.frag(frag)
        along_k = (operand.name == "A") != operand.transposed
        row, column = (operand.origin, kk) if along_k else (kk, operand.origin)
        words = t.of.data not in ("fma", "m8n8k4")
        by_matrix = words and (along_k or element_bytes(t.element_type) == 2)
        kind = nv.LdMatrixOp if by_matrix else nv.LdSharedOp
        self.add(kind(operand.copy.ring, slot, row, column, "DN" if operand.transposed else "ND", frag))
        if t.of.data == "m16n8k8":
            self.add(nv.ToTf32Op(frag))

    def multiply(self, mma: Mma, acc: SSAValue, a: Operand, b: Operand, buffer: int) -> None:
        kind = nv.FmaOp if mma.name == "fma" else nv.MmaSyncOp
        self.add(kind(acc, a.buffers[buffer], b.buffers[buffer]))

    def single_buffered_loop(
        self, loops: Loops, copies: Sequence[Copy], mma: Mma, acc: SSAValue, a: Operand, b: Operand
    ) -> None:
        """Writes the main loop: loads and multiplies one k-step after the other."""
        steps, stages = self.index(loops.count, "STEPS"), loops.stages
        comment = "main loop: wait for a slot, refill the one freed before, multiply"
        with self.loop(steps, "step", comment, [("slot", 0), ("free", stages - 1)]) as body:
            slot, free = body.carried
            self.wait_for_slot(loops)
            self.refill(loops, copies, body.step, free)
            self.at = loops.matmul
            for kk in range(0, loops.tile_k, mma.k):
                for operand in (a, b):
                    self.load(operand, 0, slot, self.index(kk))
                self.multiply(mma, acc, a, b, 0)
            self.at = loops.consumer
            body.next = [self.next_slot(slot, stages, "next_slot"), self.next_slot(free, stages, "next_free")]

    def double_buffered_loop(
        self, loops: Loops, copies: Sequence[Copy], mma: Mma, acc: SSAValue, a: Operand, b: Operand
    ) -> None:
        """Writes the main loop that loads the fragments of the next k-step before multiplying those of the current one."""
        if not loops.count:
            return
        steps, stages = self.index(loops.count, "STEPS"), loops.stages
        self.wait_for_slot(loops)
        for operand in (a, b):
            self.load(operand, 0, self.index(0), self.index(0))
        comment = "main loop: load the next fragments, then multiply the present ones; the last wait for the next slot"
        with self.loop(steps, "step", comment, [("slot", 0), ("free", stages - 1)]) as body:
            slot, free = body.carried
            next_slot = self.next_slot(slot, stages, "next_slot")
            last = loops.tile_k - mma.k
            for number, kk in enumerate(range(0, loops.tile_k, mma.k)):
                other = (number + 1) % 2
                if kk == last and loops.count > 1:
                    self.at = loops.consumer
                    self.wait_for_slot(loops)
                    following = self.plus(body.step, self.index(1), "following")
                    with self.when(self.less(following, steps, "goes_on")):
                        for operand in (a, b):
                            self.load(operand, other, next_slot, self.index(0))
                elif kk < last:
                    self.at = loops.matmul
                    for operand in (a, b):
                        self.load(operand, other, slot, self.index(kk + mma.k))
                if kk == 0:
                    self.refill(loops, copies, body.step, free)
                self.at = loops.matmul
                self.multiply(mma, acc, a, b, number % 2)
            self.at = loops.consumer
            body.next = [next_slot, self.next_slot(free, stages, "next_free")]
