"""
The contraction of a kernel: a ring of slots in shared memory, and multiplications out of it.

```
for s < stages-1: copy slot s; commit                       prologue
for each step:    wait_group stages-2; barrier              the oldest slot has landed
                  copy step+stages-1; commit                into the slot freed one step ago
                  for kk < BK: load a, b; multiply
```

One barrier a step is enough: it publishes the landed slot to all warps, and it follows every read of the slot that
is overwritten next. With double buffering, the fragments of the next kk are loaded before the present ones are
multiplied; the last kk of a step waits for the next slot, so that its first fragments come from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import gpu
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....errors import Unsupported
from ....targets.mma import Mma, element_bytes, mma_for, unsupported_operands_help
from ..tile_loops import Loops, channel_tile, match_loops
from .copies import Copies, Copy

WARP = 32


@dataclass(frozen=True)
class Operand:
    """One side of the multiplication: its copy, the warp's place along m or n, and its fragments."""

    role: str
    copy: Copy
    place: SSAValue
    buffers: Sequence[SSAValue]

    @property
    def transposed(self) -> bool:
        return pto.tile_type(self.copy.load.result).layout.data == "DN"


class ContractionLowering(Copies):
    """Adds the contraction to a kernel."""

    def contraction(self, process: pto.ProcessOp, ops: Sequence[Operation]) -> SSAValue:
        """Copies, ring, fragments and loop of the one contraction; gives the accumulator."""
        loops = match_loops(process, ops)
        self.ranges[loops.producer.body.block.args[0]] = (
            loops.step,
            loops.start + max(0, loops.count - 1) * loops.step,
        )
        for op in (*ops, *loops.producer.body.block.ops):
            if self.known(op):
                self.map[op.results[0]] = self.offset(op.results[0])
        self.at = loops.matmul
        mma = self.instruction(loops.matmul)
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
            self.overlapped(loops, copies, mma, acc, a, b)
        else:
            self.plain(loops, copies, mma, acc, a, b)
        return acc

    def instruction(self, matmul: pto.MatmulAccOp) -> Mma:
        left, right = (pto.tile_type(v).element_type for v in (matmul.a, matmul.b))
        accum = pto.tile_type(matmul.result).element_type
        precision = matmul.precision.data if matmul.precision is not None else "exact"
        if (mma := mma_for(left, right, accum, precision)) is None:
            what = f"a contraction of {left} and {right} into {accum}"
            raise Unsupported(matmul, what=what, need=unsupported_operands_help(left, right, accum))
        return mma

    def swizzle(self, mma: Mma, tile: SSAValue, at: int, loops: Loops) -> str:
        """ldmatrix and FMA read along rows; lanes that read words across k, or f64, read four rows at once."""
        if mma.name in ("m16n8k16", "fma"):
            return "xor"
        left = loops.matmul.a.owner
        is_a = isinstance(left, pto.MoveOp) and getattr(left.input, "index", None) == at
        along_k = is_a != (pto.tile_type(tile).layout.data == "DN")
        return "xor" if along_k and mma.name != "m8n8k4" else "xor_columns"

    def buffers(self, loops: Loops, mma: Mma) -> int:
        """How many fragments of each operand take turns. The tile must be the plan's."""
        plan = self.plan
        bm, bn = pto.tile_type(loops.matmul.result).sizes
        bk = loops.deep
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
        """The accumulator and both operands, and where the warp is in the block's tile."""
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

        def operand(role: str, tile: SSAValue, sizes: tuple[int, int], place: SSAValue) -> Operand:
            copy = copies[channel_tile(tile, loops.commit)]
            t = nv.FragType(sizes, pto.tile_type(tile).element_type, role, mma.name)
            name = f"frag_{role.lower()}"
            names = [name] if buffers == 1 else [f"{name}{k}" for k in range(buffers)]
            return Operand(role, copy, place, [self.add(nv.FragOp(t), n) for n in names])

        return (
            acc,
            operand("A", matmul.a, (wm, mma.k), warp_row),
            operand("B", matmul.b, (mma.k, wn), warp_column),
        )

    # --- the pipeline -----------------------------------------------------------------------------

    def copy_step(self, loops: Loops, copies: Sequence[Copy], step: SSAValue, slot: SSAValue) -> None:
        self.at = loops.producer
        k = self.times(step, loops.step, "k", "BK")
        if loops.start:
            k = self.plus(k, self.index(loops.start), "k")
        self.map[loops.producer.body.block.args[0]] = k
        self.fill(copies, slot)
        self.at = loops.consumer

    def prologue(self, loops: Loops, copies: Sequence[Copy]) -> None:
        """Fills all slots but one. A group that is empty still counts, so that waits count the same at the end."""
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
        """Copies the step that is as far ahead as the ring is deep, if there is one, into the slot just freed."""
        ahead = loops.stages - 1
        if loops.count > ahead:
            later = self.plus(step, self.index(ahead), "later")
            with self.when(self.less(later, self.index(loops.count, "STEPS"), "more")):
                self.copy_step(loops, copies, later, free)
        self.add(nv.CommitGroupOp())

    def landed(self, loops: Loops) -> None:
        """Waits until the oldest slot under way has landed, for all warps."""
        self.add(nv.WaitGroupOp(loops.stages - 2))
        self.add(gpu.BarrierOp())

    def load(self, operand: Operand, buffer: int, slot: SSAValue, kk: SSAValue) -> None:
        """One k-step of an operand into its fragment."""
        frag = operand.buffers[buffer]
        t = nv.frag(frag)
        along_k = (operand.role == "A") != operand.transposed
        row, column = (operand.place, kk) if along_k else (kk, operand.place)
        words = t.of.data not in ("fma", "m8n8k4")
        by_matrix = words and (along_k or element_bytes(t.element_type) == 2)
        kind = nv.LdMatrixOp if by_matrix else nv.LdSharedOp
        self.add(kind(operand.copy.ring, slot, row, column, "DN" if operand.transposed else "ND", frag))
        if t.of.data == "m16n8k8":
            self.add(nv.ToTf32Op(frag))

    def multiply(self, mma: Mma, acc: SSAValue, a: Operand, b: Operand, buffer: int) -> None:
        kind = nv.FmaOp if mma.name == "fma" else nv.MmaSyncOp
        self.add(kind(acc, a.buffers[buffer], b.buffers[buffer]))

    def plain(self, loops: Loops, copies: Sequence[Copy], mma: Mma, acc: SSAValue, a: Operand, b: Operand) -> None:
        """Loads and multiplies one k-step after the other."""
        steps, stages = self.index(loops.count, "STEPS"), loops.stages
        comment = "main loop: wait for a slot, refill the one freed before, multiply"
        with self.loop(steps, "step", comment, [("slot", 0), ("free", stages - 1)]) as body:
            slot, free = body.carried
            self.landed(loops)
            self.refill(loops, copies, body.step, free)
            self.at = loops.matmul
            for kk in range(0, loops.deep, mma.k):
                for operand in (a, b):
                    self.load(operand, 0, slot, self.index(kk))
                self.multiply(mma, acc, a, b, 0)
            self.at = loops.consumer
            body.next = [self.after(slot, stages, "next_slot"), self.after(free, stages, "next_free")]

    def overlapped(self, loops: Loops, copies: Sequence[Copy], mma: Mma, acc: SSAValue, a: Operand, b: Operand) -> None:
        """Loads the next k-step while the present one is multiplied."""
        if not loops.count:
            return
        steps, stages = self.index(loops.count, "STEPS"), loops.stages
        self.landed(loops)
        for operand in (a, b):
            self.load(operand, 0, self.index(0), self.index(0))
        comment = "main loop: load the next fragments, then multiply the present ones; the last wait for the next slot"
        with self.loop(steps, "step", comment, [("slot", 0), ("free", stages - 1)]) as body:
            slot, free = body.carried
            next_slot = self.after(slot, stages, "next_slot")
            last = loops.deep - mma.k
            for number, kk in enumerate(range(0, loops.deep, mma.k)):
                other = (number + 1) % 2
                if kk == last and loops.count > 1:
                    self.at = loops.consumer
                    self.landed(loops)
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
            body.next = [next_slot, self.after(free, stages, "next_free")]
