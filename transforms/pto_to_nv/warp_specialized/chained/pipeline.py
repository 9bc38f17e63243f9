"""
Software pipelining of the loop over keys: the second products of a tile of keys run while the vector ops of the next tile do.

```
for i:  firsts(i); between(i); operand(i); rescale(i); seconds(i)        the tile program

firsts(0); wait 0; between(0); operand(0)                                the first tile of keys is peeled; there may be no other
for i > 0:
  firsts(i); commit
  rescale(i - 1)                                                         under the first products; skipped where all factors are 1
  the other columns of operand(i - 1); seconds(i - 1); commit            under the first products
  wait 1; between(i)                                                     under the second products
  wait 0; the first columns of operand(i)                                operand(i - 1) has been read
rescale(last); seconds(last); commit; wait 0
```

The order within an iteration is the one that ptxas neither serializes nor undoes: the operand, whose registers are in flight, is
written after the wait only (C7513), the carried accumulator is rescaled before its product is issued (C7514), and the last wait comes
after the sums of rows, or ptxas moves it before the vector ops. What one iteration passes to the next is kept in storage, so that
loops in a row continue the same pipeline. Warpgroups take turns: one issues its products while the others compute vector ops.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from msgspec import UNSET
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import Block, Region, SSAValue

from .....dialects import nv, pto
from .....targets.architectures import WARPGROUP
from ...chained.program import KeyLoop, Second, tile_of
from ...chained.stages import ChainedStages, scales_of
from ...tile_loops import prologue
from ..ring import BARRIER
from .channels import Channels, Place

ORDER = 8
"""Number of the hardware barrier of the first warpgroup at which warpgroups take turns; the next numbers are those of the others."""


CONVERTED = {64: 112, 128: 128}
"""
Maximum number of columns of an operand that are converted after the second products of the tile before, whose operand has the same
registers, by the most columns of an accumulator. Other columns are kept as they are and converted under the next first products, as long as
registers suffice for a part: with accumulators of 128 columns and 176 keys, 64 columns are too many.
"""


@dataclass(frozen=True)
class SecondStorage:
    """
    The values of a second product that an iteration passes to the next: the accumulator, the factors of its rows, the operand, and what the
    columns from `Pipeline.converted` on are converted from, if there are any.
    """

    accumulator: SSAValue
    scales: Sequence[SSAValue]
    operand: SSAValue
    late: SSAValue | None


@dataclass(frozen=True)
class Storage:
    """The values that an iteration passes to the next: carried rows by their index, and those of each second product."""

    rows: dict[int, SSAValue]
    seconds: Sequence[SecondStorage]


class Pipeline(Channels, ChainedStages):
    """Adds the consumers' loops over keys to a kernel."""

    group: SSAValue
    """The number of the executing consumer warpgroup."""
    left_slots: dict[SSAValue, SSAValue]
    """The slots of the first products' left operands, by their channels."""

    @property
    def converted(self) -> int:
        """The number of columns of an operand that are converted before the products of the next tile."""
        return next((n for columns, n in CONVERTED.items() if self.plan.tile[1] <= columns), max(CONVERTED.values()))

    def multiply_keys(self) -> None:
        """Writes the loops over keys of the current tile. Afterwards `held` has the fragments of their results."""
        loops, head = self.chain.loops, self.chain.loops[0]
        self.check_same_stages()
        self.left_slots = {left.channel: self.wait(left) for left in self.chain.lefts}
        self.compute_lefts(head)
        self.at = head.op
        storage = self.allocate_storage()
        channels = dict.fromkeys(tile_of(product.b).channel for product in head.products)
        some = self.has_keys()
        with self.only_if(some):
            self.first_keys(storage)
        self.advance_firsts(some)
        started: list[KeyLoop] = []
        for loop in filter(self.may_run, loops):
            if not started and self.runs_at_most_once(loop.op):
                started.append(loop)
                continue
            self.at = loop.op
            low, high, step = (self.offset(v) for v in loop.op.operands[:3])
            first = self.first_of_loop(loop, started, low, step)
            counter = loop.op.body.block.args[0]
            comment = "consumer: first products, and second ones of the tile of keys before"
            with self.loop(
                high, counter.name_hint or "key", comment, self.carried_places(channels), first, step
            ) as body:
                self.take_places(channels, body.carried)
                self.iteration(loop, storage, body.step)
                body.next = self.next_places(channels)
            self.take_places(channels, body.results)
            started.append(loop)
        for left in self.chain.lefts:
            self.at = left
            self.release(left.channel, self.left_slots[left.channel])
            self.advance(left.channel)
        self.last_values(storage, some)

    # --- the pipeline -----------------------------------------------------------------------------

    def first_keys(self, storage: Storage) -> None:
        """Writes the first product and the vector ops of the first tile of keys, in the first loop that has one."""
        head = self.chain.loops[0]
        with self.turn():
            scores, slots = self.issue_firsts(head)
        self.add(nv.WgmmaWaitOp(0))
        self.release_all(slots)
        self.in_first_loop(list(filter(self.may_run, self.chain.loops)), scores, storage)

    def in_first_loop(self, loops: Sequence[KeyLoop], scores: Sequence[SSAValue], storage: Storage) -> None:
        """Writes the vector ops of the first tile of keys: those of the first of `loops` that has an iteration."""
        loop, *others = loops
        low = self.offset(loop.op.lb)
        if not others or self.never_empty(loop.op):
            self.compute_and_keep(loop, scores, low, storage)
            self.keep_operands(loop, storage)
            return
        then, otherwise = Block(), Block()
        self.add(scf.IfOp(self.less(low, self.offset(loop.op.ub)), [], Region(then), Region(otherwise)))
        with self.within(then):
            self.compute_and_keep(loop, scores, low, storage)
            self.keep_operands(loop, storage)
            self.add(scf.YieldOp())
        with self.within(otherwise):
            self.in_first_loop(others, scores, storage)
            self.add(scf.YieldOp())

    def first_of_loop(self, loop: KeyLoop, before: Sequence[KeyLoop], low: SSAValue, step: SSAValue) -> SSAValue:
        """Returns where a loop begins: one step later if it has the first tile of keys, which is peeled."""
        later = self.plus(low, step)
        for other in before:
            if self.never_empty(other.op):
                return low
            empty = self.add(arith.CmpiOp(self.offset(other.op.lb), self.offset(other.op.ub), "sge"), "empty")
            later = self.add(arith.SelectOp(empty, later, low))
        return later

    def iteration(self, loop: KeyLoop, storage: Storage, counter: SSAValue) -> None:
        """Writes one iteration of the pipelined loop."""
        before = dict(self.places)
        with self.turn():
            scores, slots = self.issue_firsts(loop)
            self.advance_firsts()
            of_seconds = self.issue_seconds(storage)
            self.advance_seconds(before)
        self.add(nv.WgmmaWaitOp(1 if of_seconds else 0))
        self.release_all(slots)
        self.compute_and_keep(loop, scores, counter, storage)
        if of_seconds:
            self.add(nv.WgmmaWaitOp(0))
            self.release_all(of_seconds)
        self.keep_operands(loop, storage)

    def last_values(self, storage: Storage, some: SSAValue | None) -> None:
        """
        Writes the second products of the last tile of keys, if there are `some`, and the exchange of deferred sums, under the products
        if there always are.
        """
        last = self.chain.loops[-1]
        with self.only_if(some):
            slots = self.issue_seconds(storage)
            if some is None:
                self.hold_results(last, [second.accumulator for second in storage.seconds], storage.rows)
            if slots:
                self.add(nv.WgmmaWaitOp(0))
                self.release_all(slots)
        if some is not None:
            self.hold_results(last, [second.accumulator for second in storage.seconds], storage.rows)
        self.advance_seconds(self.places, some)

    @contextmanager
    def turn(self) -> Generator[None]:
        """A context manager that writes what warpgroups do in turn."""
        if self.plan.consumers > 1:
            self.add(nv.OrderWaitOp(ORDER))
        yield
        if self.plan.consumers > 1:
            self.add(nv.OrderArriveOp(ORDER))

    # --- products ---------------------------------------------------------------------------------

    def compute_lefts(self, head: KeyLoop) -> None:
        """
        Computes the left operands of the first products that are not just the tiles of channels, and stores them in their place, from which
        wgmma reads them. Each warp has rows of its own.
        """
        computed = {tile_of(first.a).channel: first for first in head.firsts if prologue(first.a)}
        for channel, first in computed.items():
            ring, slot, load = self.channels[channel].ring, self.left_slots[channel], self.channels[channel].loads[0]
            t, layout = pto.tile_type(load.result), pto.tile_type(load.result).layout
            for kk in range(0, t.sizes[1], self.mma.k):
                row, k = self.tile_origin[0], self.index(kk)
                place = (slot, row, k) if layout == "ND" else (slot, k, row)
                of = nv.FragType((self.plan.warp[0], self.mma.k), t.element_type, f"A of {self.mma.name}")
                raw = self.add(nv.FragOp(of), "raw")
                self.add(nv.LdMatrixOp(ring, *place, layout, raw))
                self.add(nv.StoreOperandOp(ring, *place, layout, self.compute_left(first, load, raw, kk)))
        if computed:
            self.add(nv.FenceAsyncOp())
            self.add(nv.BarrierOp(BARRIER, WARPGROUP))

    def issue_firsts(self, loop: KeyLoop) -> tuple[Sequence[SSAValue], dict[SSAValue, SSAValue]]:
        """Issues the first products. Returns their accumulators, and the slots of their right operands by their channels."""
        slots = {wait.channel: self.wait(wait) for wait in (tile_of(first.b) for first in loop.firsts)}
        t = nv.FragType((self.plan.warp[0], self.plan.tile[2]), self.mma.accum, self.accumulator_layout)
        self.at = loop.firsts[0]
        scores = [self.add(nv.FragOp(t), "scores") for _ in loop.firsts]
        self.add(nv.WgmmaFenceOp())
        for first, acc in zip(loop.firsts, scores, strict=True):
            self.at = first
            self.issue_first(first, acc, slots)
        self.add(nv.WgmmaCommitOp())
        return scores, slots

    def issue_first(self, first: pto.MatmulAccOp, scores: SSAValue, slots: dict[SSAValue, SSAValue]) -> None:
        left, right = tile_of(first.a), tile_of(first.b)
        a, b = self.channels[left.channel].ring, self.channels[right.channel].ring
        a_layout, b_layout = (pto.tile_type(wait.tiles[0]).layout for wait in (left, right))
        row = self.tile_origin[0]
        for kk in range(0, pto.tile_type(first.a).sizes[1], self.mma.k):
            k = self.index(kk)
            adds = self.add(arith.ConstantOp(BoolAttr(False, i1))) if kk == 0 else None
            a_place = (row, k) if a_layout == "ND" else (k, row)
            b_place = (k, self.index(0)) if b_layout == "ND" else (self.index(0), k)
            a_slot, b_slot = self.left_slots[left.channel], slots[right.channel]
            self.add(nv.WgmmaMmaOp(scores, a, (a_slot, *a_place), a_layout, b, (b_slot, *b_place), b_layout, adds))

    def issue_seconds(self, storage: Storage) -> dict[SSAValue, SSAValue]:
        """
        Rescales the accumulators and issues the second products of the operands in storage. Returns the slots of their right operands by
        their channels.
        """
        loop = self.chain.loops[0]  # the second products of all loops are the same
        if not loop.seconds:
            return {}
        slots = {wait.channel: self.wait(wait) for wait in (tile_of(second.product.b) for second in loop.seconds)}
        outside = dict(self.held)
        for second, stored in zip(loop.seconds, storage.seconds, strict=True):
            self.held |= zip(scales_of(second), stored.scales, strict=True)
            with self.only_if(self.some_scale(second, stored)):
                self.rescale(second, stored.accumulator)
            self.convert_late(second, stored)
        self.held = outside
        self.at = loop.seconds[0].product
        self.add(nv.WgmmaFenceOp())
        for second, stored in zip(loop.seconds, storage.seconds, strict=True):
            self.at, right = second.product, tile_of(second.product.b)
            ring, layout = self.channels[right.channel].ring, pto.tile_type(right.tiles[0]).layout
            for kk in range(0, pto.tile_type(second.product.a).sizes[1], self.mma.k):
                k, zero = self.index(kk), self.index(0)
                place = slots[right.channel], *((k, zero) if layout == "ND" else (zero, k))
                self.add(nv.WgmmaFragOp(stored.accumulator, stored.operand, ring, place, layout, first=kk))
        self.add(nv.WgmmaCommitOp())
        return slots

    def some_scale(self, second: Second, stored: SecondStorage) -> SSAValue | None:
        """
        Writes whether the accumulator of a row that the warp holds has a factor other than 1. Returns None if the plan does not ask for it,
        or if accumulators are not just multiplied by factors.
        """
        ops = [op for op in second.rescale if not isinstance(op, pto.MoveOp | pto.RowExpandOp)]
        scaled = len(ops) == 1 and isinstance(ops[0], pto.BINARY["mul"]) and len(stored.scales) == 1
        if self.plan.rescale_threshold is UNSET or not scaled:
            return None
        return self.add(nv.AnyDiffersOp(stored.scales[0], 1.0), "moved")

    def release_all(self, slots: Mapping[SSAValue, SSAValue]) -> None:
        """Writes the release of slots by their channels."""
        for channel, slot in slots.items():
            self.release(channel, slot)

    def advance_firsts(self, some: SSAValue | None = None) -> None:
        """Goes on to the next slots of the first products' right operands, if there are `some`."""
        first, *others = (tile_of(product.b).channel for product in self.chain.loops[0].firsts)
        self.advance(first, some)
        for channel in others:
            if self.advance_together(channel, first):
                self.places[channel] = self.places[first]
            else:
                self.advance(channel, some)

    def advance_seconds(self, following: Mapping[SSAValue, Place], some: SSAValue | None = None) -> None:
        """
        Goes on to the next slots of the second products' right operands, if there are `some`: the places `following` of the first
        products, one step later, of those that advance together with them.
        """
        loop = self.chain.loops[0]
        first = tile_of(loop.firsts[0].b).channel
        for channel in (tile_of(second.product.b).channel for second in loop.seconds):
            if self.advance_together(channel, first):
                self.places[channel] = following[first]
            else:
                self.advance(channel, some)

    # --- vector ops -------------------------------------------------------------------------------

    def compute_and_keep(self, loop: KeyLoop, scores: Sequence[SSAValue], counter: SSAValue, storage: Storage) -> None:
        """
        Writes the vector ops between the products, and keeps what they pass on in storage. What comes after waits for the rows that
        depend on the operands, such as their sums.
        """
        self.compute_between(loop, scores, counter, storage.rows)
        depending = {second.operand[0].operands[0] for second in loop.seconds}
        for op in loop.between:
            if not depending.isdisjoint(op.operands):
                depending |= set(op.results)
        for second, stored in zip(loop.seconds, storage.seconds, strict=True):
            for value, scale in zip(scales_of(second), stored.scales, strict=True):
                self.add(nv.AssignOp(self.held[value], scale))
        for value in (loop.next[index] for index in storage.rows):
            if value in depending:
                self.add(nv.HoldOp(self.held[value]))

    def keep_operands(self, loop: KeyLoop, storage: Storage) -> None:
        """Writes the conversions of the second products' left operands to storage."""
        for second, stored in zip(loop.seconds, storage.seconds, strict=True):
            columns = None if stored.late is None else (0, self.converted)
            with self.into_storage(second.operand[0].results[0], stored.operand, columns):
                self.compute_operand(loop, second)
            if stored.late is not None:
                value = self.held[second.operand[0].operands[0]]
                self.add(nv.AssignOp(value, stored.late, (self.converted, nv.frag(value).sizes[1])))

    def convert_late(self, second: Second, stored: SecondStorage) -> None:
        """Writes the conversion of the columns of an operand that are left."""
        if stored.late is None:
            return
        self.held[second.operand[0].operands[0]] = stored.late
        self.held.pop(second.operand[0].results[0], None)
        loop = self.chain.loops[0]
        self.map[loop.op.body.block.args[0]] = self.index(0)  # a conversion does not depend on the keys
        columns = self.converted, nv.frag(stored.operand).sizes[1]
        with self.into_storage(second.operand[0].results[0], stored.operand, columns):
            self.compute_operand(loop, second)

    def allocate_storage(self) -> Storage:
        """Allocates the storage, and fills the carried rows with their initial values."""
        accumulators, rows, head = self.allocate_accumulators(), self.allocate_rows(), self.chain.loops[0]
        seconds: list[SecondStorage] = []
        for second, accumulator in zip(head.seconds, accumulators, strict=True):
            scales = [self.add(nv.FragOp(self.fragment(v)), v.name_hint or "scale") for v in scales_of(second)]
            t = self.fragment(second.operand[0].results[0])
            operand, late = self.add(nv.FragOp(t), "operand"), None
            if len(head.seconds) == 1 and t.sizes[1] > self.converted:
                late = self.add(nv.FragOp(self.fragment(second.operand[0].operands[0])), "late")
            seconds.append(SecondStorage(accumulator, scales, operand, late))
        return Storage(rows, seconds)
