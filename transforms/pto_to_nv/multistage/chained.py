"""
Chained products, such as attention, by the instructions of a warp: lowers a `pto.kernel` to a `gpu.func` whose warps have some rows
of the queries each, and keep the results of the first products in registers, as operands of the second ones.

```
copy Q; for s < stages-1: copy K, V of tile s; commit           prologue
for each tile of keys:
  wait_group stages-2; barrier                                  the tile has landed; all warps have multiplied the one before
  copy K, V of the tile stages-1 ahead; commit                  into the slots freed one tile ago
  s = Q · K          for kk < D:  load the next fragments, multiply
  between, operand                                              chained/stages.py
  if a factor is not 1: rescale                                 a vote of the warp
  acc += p · V       for kk < BK: load the next fragments, multiply
```

Blocks begin with the tile of queries that has most keys. The lanes of an accumulator hold the elements that operand A needs: two adjacent
8-column tiles of `p` in 16 bits are one tile of A. The fragments of Q stay in registers if there are enough
(`planning/attention/multistage.py`). Spec: `tensor-compiler.ja §2`, `§5`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import islpy as isl
from xdsl.dialects import arith, gpu, scf
from xdsl.ir import SSAValue

from ....analysis.index import affine
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ....dialects.nv.types import same_value
from ....errors import Unsupported
from ....planning.attention.multistage import lefts_in_registers
from ....targets.architectures import WARP
from ....targets.mma import mma_for
from ....targets.shared_layouts import XOR
from ..chained.program import KeyLoop, Second, match_chain, tile_of
from ..chained.stages import ChainedStages, scales_of
from ..kernel.access import index_space
from ..kernel.contraction import Copy
from ..tile_loops import only_one
from .grid import Grid


class ChainedMultistageKernel(ChainedStages, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    copies: dict[SSAValue, Copy]
    """The copies that fill a slot of each channel."""
    keys: scf.ForOp
    """The loop of the process, over all tiles of keys."""

    descends: bool
    """Whether blocks take the tiles of queries from the last one to the first one."""

    def build(self) -> gpu.FuncOp:
        self.chain = chain = match_chain(self.tiles)
        self.at = chain.loops[0].firsts[0]
        self.find_instruction(mma_for)
        self.set_ranges()
        self.descends = self.has_most_keys_last()
        self.bind_tiles()
        self.bind_bounds()
        self.begin_rows(self.mma.c, {})
        self.find_deferred_sums(chain)
        self.find_copies()
        self.check_same_stages()
        self.locate_warp()
        accumulators, rows = self.allocate_accumulators(), self.allocate_rows()
        self.prologue()
        held = self.hold_lefts()
        places = [self.index(0), self.index(self.plan_stages - 1)]
        for loop in filter(self.may_run, chain.loops):
            places = self.multiply_keys(loop, held, accumulators, rows, places)
        self.hold_results(chain.loops[-1], accumulators, rows)
        self.compute_after()
        return self.function()

    def has_most_keys_last(self) -> bool:
        """
        Returns whether the last tile of queries has more keys than the first one, as with a causal mask. A GPU starts blocks in the order of
        their numbers: those with most keys begin first, so that none is left alone at the end.
        """
        loops, queries = [loop.op for loop in self.chain.loops], self.tiles.offsets[-2]
        keys = self.piecewise(loops[-1].ub).sub(self.piecewise(loops[0].lb))
        axis = [arg for arg in self.tiles.body.block.args if arg in self.ranges].index(queries)
        first, last = (
            keys.intersect_domain(self.tile_offsets.fix_val(isl.dim_type.set, axis, isl.Val(at))).max_val().to_python()
            for at in (0, self.ranges[queries][1])
        )
        return last > first

    def tile_number_along(self, axis: str, count: int) -> SSAValue:
        number = super().tile_number_along(axis, count)
        if count == 1 or not self.descends:  # there is one tile along the columns of the values
            return number
        return self.add(arith.SubiOp(self.index(count - 1), number), "tile_m")

    def locate_warp(self) -> None:
        """Sets the row of the block's tile at which the warp's rows begin."""
        thread = self.add(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum.X)), "thread")
        rows = self.plan.warp[0]
        self.warp = self.times(self.quotient(thread, WARP, "warp"), rows, "warp_m", "WARP_M"), self.index(0)

    # --- the ring ---------------------------------------------------------------------------------

    @property
    def plan_stages(self) -> int:
        return cast(int, self.plan.stages)

    def find_copies(self) -> None:
        """Sets the ranges of the loops, and allocates the rings. Raises `Unsupported` if one loop does not fill what the others use."""
        chain = self.chain
        self.keys = keys = only_one(
            chain.process.body.block.ops, scf.ForOp, chain.process, "a process has one loop, over tiles of keys"
        )
        loops = [loop.op for loop in chain.loops]
        ends = [keys.lb, *(loop.ub for loop in loops), keys.step]
        starts = [*(loop.lb for loop in loops), keys.ub, loops[0].step]
        if not all(map(same_value, ends, starts)) or not all(map(self.follows, loops)):
            need = "begin each loop where the one before it ends, after whole steps, and let the process go from the first key to the last one"
            raise Unsupported(keys, what="loops over other keys than those of the process", need=need)
        for loop in (keys, *loops):
            self.bind_counter(loop)
        self.copies = {}
        streamed = [(channel, self.plan_stages) for channel in self.streamed]
        for channel, depth in (*((left.channel, 1) for left in chain.lefts), *streamed):
            commits = [op for op in chain.process.walk() if isinstance(op, pto.CommitOp) and op.channel is channel]
            commit = only_one(commits, pto.CommitOp, chain.process, "a process commits one tile to each channel")
            load = commit.tiles[0].owner
            in_place = (keys if depth > 1 else chain.process) is commit.parent_op()
            fits = len(commit.tiles) == 1 and isinstance(load, pto.LoadMapOp) and in_place and has_one_place_a_row(load)
            if not fits or cast(pto.ChannelType, channel.type).depth.data != depth:
                need = f"load one tile of queries to a channel of one slot, then keys and values to channels of {self.plan_stages}"
                raise Unsupported(commit, what="this use of a channel with chained products", need=need)
            self.copies[channel] = self.copy(cast(pto.LoadMapOp, load), depth)

    def follows(self, loop: scf.ForOp) -> bool:
        """Returns whether a loop begins whole steps after the loop of the process, and not after its end, for every tile."""
        first, low, high = (self.piecewise(v) for v in (self.keys.lb, loop.lb, loop.ub))
        step = isl.Val(self.nonnegative(loop.step))
        return self.largest_of(low.sub(first).mod_val(step)) == 0 and self.tile_offsets.is_subset(low.le_set(high))

    def copy(self, load: pto.LoadMapOp, depth: int) -> Copy:
        """Allocates the ring of a channel. Chooses the widest copies that the proven alignment allows."""
        self.at = load
        dims, sizes = self.slot_layout(load)
        ring_type = nv.SmemType((depth, *sizes), pto.tile_type(load.result).element_type, XOR)
        name = (load.memref.name_hint or "x").lower()
        ring = self.add(nv.SmemOp(self.allocate(ring_type.bytes, ring_type.alignment), ring_type), f"smem_{name}")
        guards = self.guarded_axes(replace(index_space(load), dims=dims), sizes)
        return Copy(load, ring, dims, guards, self.copy_bytes(load, element_address(load), dims[1]))

    @property
    def streamed(self) -> Sequence[SSAValue]:
        """The channels of keys and of values."""
        return [tile_of(product.b).channel for product in self.chain.loops[0].products]

    def copy_keys(self, key: SSAValue, slot: SSAValue) -> None:
        """Starts the copies of a tile of keys and of values, if `key` is before the end."""
        self.at = self.keys
        with self.when(self.less(key, self.offset(self.keys.ub), "more")):
            self.map[self.keys.body.block.args[0]] = key
            for channel in self.streamed:
                self.start_copies(self.copies[channel], slot)

    def prologue(self) -> None:
        """Starts the copies of the queries, and of all tiles of keys and values but one that the rings have room for."""
        for left in self.chain.lefts:
            self.start_copies(self.copies[left.channel], self.index(0))
        low, step = self.offset(self.keys.lb), self.nonnegative(self.keys.step)
        for slot in range(self.plan_stages - 1):
            self.copy_keys(self.plus(low, self.index(slot * step)), self.index(slot))
            self.add(nv.CommitGroupOp())

    def wait_for_slot(self) -> None:
        """Waits until the oldest slot in flight has landed and is visible to all warps."""
        self.add(nv.WaitGroupOp(self.plan_stages - 2))
        self.add(gpu.BarrierOp())

    # --- products ---------------------------------------------------------------------------------

    def load(
        self, copy: Copy, slot: SSAValue, operand: str, sizes: tuple[int, int], origin: SSAValue, kk: int
    ) -> SSAValue:
        """Loads the fragment of an operand for the instruction's k-step at `kk` of a slot."""
        t = nv.FragType(sizes, pto.tile_type(copy.load.result).element_type, f"{operand} of {self.mma.name}")
        fragment = self.add(nv.FragOp(t), (copy.ring.name_hint or "").replace("smem", "frag"))
        self.load_fragment(copy, slot, origin, kk, fragment)
        return fragment

    def left(self, first: pto.MatmulAccOp, kk: int) -> SSAValue:
        """Loads the fragment of the warp's rows of a left operand for the k-step at `kk`."""
        copy = self.copies[tile_of(first.a).channel]
        raw = self.load(copy, self.index(0), "A", (self.plan.warp[0], self.mma.k), self.tile_origin[0], kk)
        return self.compute_left(first, copy.load, raw, kk)

    def hold_lefts(self) -> list[list[SSAValue]]:
        """Loads the fragments of the warp's rows for all k-steps of each first product, or returns [] if they do not stay in registers."""
        head = self.chain.loops[0]
        sizes = [pto.tile_type(first.a).sizes[1] for first in head.firsts]
        if not lefts_in_registers(self.plan, sizes, len(head.seconds)):
            return []
        self.at = head.firsts[0]
        self.wait_for_slot()
        return [
            [self.left(first, kk) for kk in range(0, size, self.mma.k)]
            for first, size in zip(head.firsts, sizes, strict=True)
        ]

    def multiply_first(self, product: pto.MatmulAccOp, held: Sequence[SSAValue], slot: SSAValue) -> SSAValue:
        """Writes a first product, and returns its accumulator."""
        self.at, copy = product, self.copies[tile_of(product.b).channel]
        rows, keys = self.plan.warp[0], self.plan.tile[2]
        scores = self.add(nv.FragOp(nv.FragType((rows, keys), self.mma.accum, self.accumulator_layout)), "scores")
        steps = range(0, pto.tile_type(product.a).sizes[1], self.mma.k)

        def load(kk: int) -> tuple[SSAValue, SSAValue]:
            left = held[kk // self.mma.k] if held else self.left(product, kk)
            return left, self.load(copy, slot, "B", (self.mma.k, keys), self.index(0), kk)

        following = load(0)
        for kk in steps:
            left, right = following
            if kk + self.mma.k in steps:
                following = load(kk + self.mma.k)
            self.add(nv.MmaSyncOp(scores, left, right))
        return scores

    def multiply_second(
        self, product: pto.MatmulAccOp, accumulator: SSAValue, operand: SSAValue, slot: SSAValue
    ) -> None:
        """Writes a second product, which adds to its accumulator."""
        self.at, copy = product, self.copies[tile_of(product.b).channel]
        columns, steps = self.plan.tile[1], range(0, pto.tile_type(product.a).sizes[1], self.mma.k)

        def load(kk: int) -> SSAValue:
            return self.load(copy, slot, "B", (self.mma.k, columns), self.index(0), kk)

        following = load(0)
        for kk in steps:
            right = following
            if kk + self.mma.k in steps:
                following = load(kk + self.mma.k)
            self.add(nv.MmaSyncOp(accumulator, operand, right, kk))

    def rescale(self, second: Second, accumulator: SSAValue) -> None:
        """Writes the ops on a carried accumulator. A product with factors of rows is left out where all factors of a warp are 1."""
        if (factors := factors_of(second)) is None:
            super().rescale(second, accumulator)
            return
        self.at = second.rescale[0]
        moved = self.add(nv.AnyDiffersOp(self.held[factors], 1.0), "moved")
        with self.when(moved):
            super().rescale(second, accumulator)

    def multiply_keys(
        self,
        loop: KeyLoop,
        held: Sequence[Sequence[SSAValue]],
        accumulators: Sequence[SSAValue],
        rows: dict[int, SSAValue],
        places: Sequence[SSAValue],
    ) -> list[SSAValue]:
        """Writes a loop over keys, which begins at the slots `places`, and returns the slots after it."""
        self.at = loop.op
        low, high, step = (self.offset(v) for v in loop.op.operands[:3])
        ahead = self.index((self.plan_stages - 1) * self.nonnegative(loop.op.step))
        counter = loop.op.body.block.args[0]
        carried = list(zip(("slot", "free"), places, strict=True))
        comment = "wait for a tile of keys and of values, refill the slot freed before, multiply"
        with self.loop(high, counter.name_hint or "key", comment, carried, low, step) as body:
            slot, free = body.carried
            self.wait_for_slot()
            self.copy_keys(self.plus(body.step, ahead, "later"), free)
            self.add(nv.CommitGroupOp())
            lefts = zip(loop.firsts, held or [()] * len(loop.firsts), strict=True)
            scores = [self.multiply_first(first, fragments, slot) for first, fragments in lefts]
            self.compute_between(loop, scores, body.step, rows)
            operands = [self.compute_operand(loop, second) for second in loop.seconds]
            for second, accumulator, operand in zip(loop.seconds, accumulators, operands, strict=True):
                self.rescale(second, accumulator)
                self.multiply_second(second.product, accumulator, operand, slot)
            self.at = loop.op
            body.next = [self.next_slot(slot, self.plan_stages, "next_slot"), slot]
        return list(body.results)


def has_one_place_a_row(load: pto.LoadMapOp) -> bool:
    """Returns whether a load has no positions, or one for each contiguous row of its tile, which is an element of an array."""
    if not load.positions:
        return True
    by, (rows, columns) = load.positions[0].owner, ints(load.dims)
    if len(load.positions) > 1 or not isinstance(by, pto.LoadMapOp) or by.positions or by.where is not None:
        return False
    column = rows if pto.tile_type(load.result).layout == "DN" else columns
    same = index_space(by) == index_space(load)
    return same and not affine.uses_axis(affine.read_map(by.map.source.data), column)


def factors_of(second: Second) -> SSAValue | None:
    """Returns the rows of factors by which a carried accumulator is multiplied, or None if it is rescaled by other ops."""
    ops = [op for op in second.rescale if not isinstance(op, pto.MoveOp | pto.RowExpandOp)]
    scales = scales_of(second)
    return scales[0] if len(ops) == len(scales) == 1 and isinstance(ops[0], pto.BINARY["mul"]) else None
