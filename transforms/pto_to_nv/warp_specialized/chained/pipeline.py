"""
Software pipelining of the loop over keys: the second product of a tile of keys runs while the vector ops of the next tile do.

```
for i:  first(i); between(i); operand(i); rescale(i); second(i)          the tile program

first(0); wait 0; between(0); operand(0)                                 the first tile of keys is peeled
for i > 0:
  first(i); commit
  rescale(i - 1); second(i - 1); commit                                  under the first product
  wait 1; between(i)                                                     under the second product
  wait 0; operand(i)                                                     operand(i - 1) has been read
rescale(last); second(last); commit; wait 0
```

The order within an iteration is the one that ptxas neither serializes nor undoes: the operand, whose registers are in flight, is
written after the wait only (C7513), the carried accumulator is rescaled before its product is issued (C7514), and the last wait comes
after the sums of rows, or ptxas moves it before the vector ops. What one iteration passes to the next is kept in storage, so that
loops in a row continue the same pipeline. Warpgroups take turns: one issues its products while the others compute vector ops.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import BoolAttr, i1
from xdsl.ir import Block, Region, SSAValue

from .....dialects import nv, pto
from ...chained.program import KeyLoop, tile_of
from ...chained.stages import ChainedStages, scales_of
from .channels import Channels, Place

ORDER = 8
"""Number of the hardware barrier of the first warpgroup at which warpgroups take turns; the next numbers are those of the others."""


@dataclass(frozen=True)
class Storage:
    """What an iteration passes to the next: the accumulator, carried rows by their index, rows for the rescaling, the operand."""

    accumulator: SSAValue
    rows: dict[int, SSAValue]
    scales: Sequence[SSAValue]
    operand: SSAValue


class Pipeline(Channels, ChainedStages):
    """Adds the consumers' loops over keys to a kernel."""

    group: SSAValue
    """The number of the executing consumer warpgroup."""
    query_slot: SSAValue

    def multiply_keys(self) -> None:
        """Writes the loops over keys of the current tile. Afterwards `held` has the fragments of their results."""
        loops, head = self.chain.loops, self.chain.loops[0]
        self.check_same_stages()
        self.query_slot = self.wait(self.chain.query)
        self.at = head.op
        storage = self.allocate_storage()
        keys, values = (tile_of(p.b).channel for p in (head.first, head.second))
        some = self.has_keys()
        with self.only_if(some):
            self.first_keys(storage)
        self.advance(keys, some)
        started: list[KeyLoop] = []
        for loop in filter(self.may_run, loops):
            self.at = loop.op
            low, high, step = (self.offset(v) for v in loop.op.operands[:3])
            first = self.first_of_loop(loop, started, low, step)
            counter, both = loop.op.body.block.args[0], dict.fromkeys((keys, values))
            comment = "consumer: multiply keys, and values of the tile of keys before"
            with self.loop(high, counter.name_hint or "key", comment, self.carried_places(both), first, step) as body:
                self.take_places(both, body.carried)
                self.iteration(loop, storage, body.step)
                body.next = self.next_places(both)
            self.take_places(both, body.results)
            started.append(loop)
        self.at = self.chain.query
        query = self.chain.query.channel
        self.release(query, self.query_slot)
        self.advance(query)
        self.last_values(storage, some)

    # --- the pipeline -----------------------------------------------------------------------------

    def first_keys(self, storage: Storage) -> None:
        """Writes the first product and the vector ops of the first tile of keys, in the first loop that has one."""
        head = self.chain.loops[0]
        with self.turn():
            scores, slot = self.issue_first(head)
        self.add(nv.WgmmaWaitOp(0))
        self.release(tile_of(head.first.b).channel, slot)
        self.in_first_loop(list(filter(self.may_run, self.chain.loops)), scores, storage)

    def in_first_loop(self, loops: Sequence[KeyLoop], scores: SSAValue, storage: Storage) -> None:
        """Writes the vector ops of the first tile of keys: those of the first of `loops` that has an iteration."""
        loop, *others = loops
        low = self.offset(loop.op.lb)
        if not others or self.never_empty(loop.op):
            self.compute_and_keep(loop, scores, low, storage)
            self.keep_operand(loop, storage)
            return
        then, otherwise = Block(), Block()
        self.add(scf.IfOp(self.less(low, self.offset(loop.op.ub)), [], Region(then), Region(otherwise)))
        with self.within(then):
            self.compute_and_keep(loop, scores, low, storage)
            self.keep_operand(loop, storage)
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
        keys = self.places[tile_of(loop.first.b).channel]
        with self.turn():
            scores, key_slot = self.issue_first(loop)
            self.advance(tile_of(loop.first.b).channel)
            value_slot = self.issue_second(storage)
            self.advance_values(keys)
        self.add(nv.WgmmaWaitOp(1))
        self.release(tile_of(loop.first.b).channel, key_slot)
        self.compute_and_keep(loop, scores, counter, storage)
        self.add(nv.WgmmaWaitOp(0))
        self.release(tile_of(loop.second.b).channel, value_slot)
        self.keep_operand(loop, storage)

    def last_values(self, storage: Storage, some: SSAValue | None) -> None:
        """
        Writes the second product of the last tile of keys, if there are `some`, and the exchange of deferred sums, under the product
        if there always are.
        """
        last = self.chain.loops[-1]
        with self.only_if(some):
            slot = self.issue_second(storage)
            if some is None:
                self.hold_results(last, storage.accumulator, storage.rows)
            self.add(nv.WgmmaWaitOp(0))
            self.release(tile_of(last.second.b).channel, slot)
        if some is not None:
            self.hold_results(last, storage.accumulator, storage.rows)
        self.advance_values(self.places[tile_of(last.first.b).channel], some)

    @contextmanager
    def turn(self) -> Generator[None]:
        """A context manager that writes what warpgroups do in turn."""
        if self.plan.consumers > 1:
            self.add(nv.OrderWaitOp(ORDER))
        yield
        if self.plan.consumers > 1:
            self.add(nv.OrderArriveOp(ORDER))

    # --- products ---------------------------------------------------------------------------------

    def issue_first(self, loop: KeyLoop) -> tuple[SSAValue, SSAValue]:
        """Issues the first product, and returns its accumulator and the slot of the keys."""
        left, right = tile_of(loop.first.a), tile_of(loop.first.b)
        slot = self.wait(right)
        self.at = loop.first
        rows, _ = self.plan.warp
        scores = self.add(
            nv.FragOp(nv.FragType((rows, self.plan.tile[2]), self.mma.accum, self.accumulator_layout)), "scores"
        )
        self.add(nv.WgmmaFenceOp())
        a, b = self.channels[left.channel].ring, self.channels[right.channel].ring
        a_layout, b_layout = (pto.tile_type(wait.tiles[0]).layout.data for wait in (left, right))
        row = self.tile_origin[0]
        for kk in range(0, pto.tile_type(loop.first.a).sizes[1], self.mma.k):
            k = self.index(kk)
            adds = self.add(arith.ConstantOp(BoolAttr(False, i1))) if kk == 0 else None
            a_place = (row, k) if a_layout == "ND" else (k, row)
            b_place = (k, self.index(0)) if b_layout == "ND" else (self.index(0), k)
            self.add(
                nv.WgmmaMmaOp(scores, a, (self.query_slot, *a_place), a_layout, b, (slot, *b_place), b_layout, adds)
            )
        self.add(nv.WgmmaCommitOp())
        return scores, slot

    def issue_second(self, storage: Storage) -> SSAValue:
        """Rescales the accumulator and issues the second product of the operand in storage. Returns the slot of the values."""
        loop = self.chain.loops[0]  # the second products of all loops are the same
        right = tile_of(loop.second.b)
        slot = self.wait(right)
        outside = dict(self.held)
        self.held |= zip(scales_of(loop), storage.scales, strict=True)
        self.rescale(loop, storage.accumulator)
        self.held = outside
        self.at = loop.second
        self.add(nv.WgmmaFenceOp())
        ring, layout = self.channels[right.channel].ring, pto.tile_type(right.tiles[0]).layout.data
        for kk in range(0, pto.tile_type(loop.second.a).sizes[1], self.mma.k):
            k, zero = self.index(kk), self.index(0)
            place = (k, zero) if layout == "ND" else (zero, k)
            self.add(nv.WgmmaFragOp(storage.accumulator, storage.operand, ring, (slot, *place), layout, first=kk))
        self.add(nv.WgmmaCommitOp())
        return slot

    def advance_values(self, following: Place, some: SSAValue | None = None) -> None:
        """
        Goes on to the next slot of the values, if there are `some`: `following`, that of the keys one step later, if both channels
        advance together.
        """
        loop = self.chain.loops[0]
        keys, values = (tile_of(p.b).channel for p in (loop.first, loop.second))
        if self.advance_together(values, keys):
            self.places[values] = following
        else:
            self.advance(values, some)

    # --- vector ops -------------------------------------------------------------------------------

    def compute_and_keep(self, loop: KeyLoop, scores: SSAValue, counter: SSAValue, storage: Storage) -> None:
        """
        Writes the vector ops between the products, and keeps what they pass on in storage. What comes after waits for the rows that
        depend on the operand, such as its sums.
        """
        self.compute_between(loop, scores, counter, storage.rows)
        depending = {loop.operand[0].operands[0]}
        for op in loop.between:
            if not depending.isdisjoint(op.operands):
                depending |= set(op.results)
        for value, scale in zip(scales_of(loop), storage.scales, strict=True):
            self.add(nv.AssignOp(self.held[value], scale))
        for value in (loop.next[index] for index in storage.rows):
            if value in depending:
                self.add(nv.HoldOp(self.held[value]))

    def keep_operand(self, loop: KeyLoop, storage: Storage) -> None:
        """Writes the conversion of the second product's left operand to storage."""
        self.add(nv.AssignOp(self.compute_operand(loop), storage.operand))

    def allocate_storage(self) -> Storage:
        """Allocates the storage, and fills the carried rows with their initial values."""
        accumulator, rows, head = self.allocate_accumulator(), self.allocate_rows(), self.chain.loops[0]
        scales = [self.add(nv.FragOp(self.fragment(value)), value.name_hint or "scale") for value in scales_of(head)]
        operand = self.add(nv.FragOp(self.fragment(head.operand[0].results[0])), "operand")
        return Storage(accumulator, rows, scales, operand)
