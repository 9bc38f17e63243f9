"""
The ring of a warp-specialized kernel: slots in shared memory with two mbarriers each, and the producer warpgroup.

```
for each tile, for each step of k:
  wait until the slot is empty                     in this block, and in the blocks to which this block multicasts
  one thread: expect_tx; TMA loads                 blocks of a cluster that share a tile multicast a part of it each
  all threads, for operands that TMA cannot load:
    copy; wait for the copies of the previous step (of this step, in a ring of two slots); fence; arrive
```

Spec: `tensor-compiler.ja §1.7` (`pipeline`, `cache_read` to code), `§1.8`; DESIGN §5.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import product
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ....analysis.program.statistics import count
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....targets.architectures import WARPGROUP
from ....targets.mma import element_bytes
from ....targets.shared_layouts import PANELS
from ..kernel.access import index_space
from ..kernel.contraction import Copy
from ..kernel.steps import StepLowering
from .tiles import PersistentTiles
from .tma import Im2colArray, TensorMap, TensorMaps

log = logging.getLogger(__name__)

BARRIER = 1
"""Number of the first consumer warpgroup's named barrier; the next numbers are those of the other warpgroups."""
MAX_BOX_ROWS = 256
"""Maximum number of rows of a TMA box."""


@dataclass(frozen=True)
class OperandFeed(Copy):
    """
    How the slots of one operand are filled: by TMA loads through `tensor_map`, which `shared` blocks multicast, or by copies of
    threads if `tensor_map` is None. `to_tf32` says whether these round to tf32, as wgmma would truncate the lower bits (PTX ISA
    §9.7.15.5).
    """

    to_tf32: bool
    tensor_map: TensorMap | None
    shared: int


class Ring(StepLowering, PersistentTiles, TensorMaps):
    """Adds the ring and its producer to a kernel."""

    feeds: list[OperandFeed]
    computes: bool
    """Whether consumers compute operand A from tiles of the ring."""

    def feed(self, tile: SSAValue, name: str, is_source: bool) -> OperandFeed:
        """
        Allocates the slots of one operand, or of a source of a computed operand, which wgmma does not read. Chooses TMA or copies by
        threads to fill them.
        """
        load = cast(pto.LoadMapOp, tile.owner)
        self.at = load
        element_type, m = pto.tile_type(tile).element_type, len(self.outer)
        size = element_bytes(element_type)
        dims, (rows, columns) = self.slot_layout(load)
        if (
            dims[1] != m + 2 and size != 2 and not is_source
        ):  # wgmma requires K-major operands, except for 16-bit elements
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        guards = self.guarded_axes(replace(index_space(load), dims=dims), (rows, columns))
        bytes_ = columns * size
        swizzle = next((name for name, panel in PANELS.items() if bytes_ % panel == 0), None)
        if swizzle is None or rows % 8:
            raise self.mismatch(
                f"its tile makes {rows} rows of {bytes_} bytes of {name} in shared memory",
                "choose a tile with a multiple of 8 rows, each of 32 or 64 bytes or a multiple of 128",
            )
        ring_type = nv.SmemType((self.loops.stages, rows, columns), element_type, swizzle)
        at = self.allocate(ring_type.bytes, ring_type.alignment)
        ring = self.add(nv.SmemOp(at, ring_type), f"smem_{name.lower()}")
        array, to_tf32 = self.strided_array(load, *dims), self.mma.kind == "tf32" and not is_source
        if array is None and (array := self.im2col_array(load, *dims, columns)) is not None:
            log.debug("%s is loaded in im2col mode", name, extra={"op": load})
        if array is None:
            count("operands copied by threads")
            log.debug("%s is copied by threads: TMA needs rows of 16 bytes", name, extra={"op": load})
            bytes_ = size if to_tf32 else self.copy_bytes(load, element_address(load), dims[1])
            return OperandFeed(load, ring, dims, guards, bytes_, to_tf32, None, 1)
        shared, other = (self.plan.cluster[1], m + 1) if self.varies_along_m(dims) else (self.plan.cluster[0], m)
        varies = [axis for axis, _ in array.form.channel_of] if isinstance(array, Im2colArray) else array.axes
        if rows % (8 * shared) or other in varies:
            shared = 1
        tallest = max(h for h in range(8, MAX_BOX_ROWS + 1, 8) if rows // shared % h == 0)
        box = (tallest, ring_type.panel // size)
        tensor_map = self.tensor_map(array, box, swizzle, f"map_{name.lower()}", to_tf32)
        count("operands loaded by TMA")
        return OperandFeed(load, ring, dims, guards, 0, to_tf32, tensor_map, shared)

    def varies_along_m(self, dims: Sequence[int]) -> bool:
        """Returns whether an operand with the axes `dims` varies along m, so that the blocks of a row of the cluster share it."""
        return len(self.outer) in dims

    # --- mbarriers --------------------------------------------------------------------------------

    @property
    def threads_copy(self) -> bool:
        return any(feed.tensor_map is None for feed in self.feeds)

    @property
    def sender_count(self) -> int:
        """
        Number of blocks that fill this block's slots: itself, and blocks in its row or column of the cluster that multicast to
        it.
        """
        along = {self.varies_along_m(feed.dims): feed.shared - 1 for feed in self.feeds if feed.shared > 1}
        return 1 + sum(along.values())

    def barriers(self, stages: int, consumers: int) -> None:
        """Adds the mbarriers: `full` counts the producer's arrivals, `empty` counts the arrivals of a slot's consumers."""
        tma = any(feed.tensor_map is not None for feed in self.feeds)
        self.full = self.add(nv.MbarrierOp(self.allocate(8 * stages, 8), nv.MbarrierType(stages)), "full")
        self.empty = self.add(nv.MbarrierOp(self.allocate(8 * stages, 8), nv.MbarrierType(stages)), "empty")
        self.barrier_arrivals = [
            (self.full, (1 if tma else 0) + (WARPGROUP if self.threads_copy else 0)),
            (self.empty, consumers * self.sender_count),
        ]

    # --- the producer -----------------------------------------------------------------------------

    def produce(self) -> None:
        """Writes the producer warpgroup."""
        with nullcontext() if self.threads_copy else self.single("role"):
            if self.arrives_late:  # an empty group, so that the first wait for all but one has two groups
                self.add(nv.CommitGroupOp())
            _, _, *last = self.fill()
            if last:
                with self.when(self.less(self.index(0), last[1], "some")):
                    self.add(nv.WaitGroupOp(0))
                    self.arrive_full(last[0])

    @property
    def arrives_late(self) -> bool:
        """
        Whether the producer waits for copies by threads one step later. Consumers release a slot one step later, too, so
        with two slots, producer and consumers would deadlock.
        """
        return self.threads_copy and self.loops.stages > 2

    def arrive_full(self, slot: SSAValue) -> None:
        """Makes this thread's copies into a slot visible to wgmma, and arrives at the slot's `full` mbarrier."""
        self.add(nv.FenceAsyncOp())
        self.add(nv.ArriveOp(self.full, slot))

    def fill(self) -> Sequence[SSAValue]:
        """
        Writes the producer's loops over tiles and steps. Returns the next slot and its phase and, if `arrives_late`, the slot
        that was filled last and whether there is one (0 or 1).
        """
        loops, steps = self.loops, self.index(self.loops.count, "STEPS")
        names = ("slot", "phase", "before", "some") if self.arrives_late else ("slot", "phase")
        with self.each_tile([(name, 0) for name in names]) as tile:
            self.bind_offsets((*self.tiles.body.block.ops, *loops.producer.body.block.ops))
            first, end = self.step_range or (None, steps)
            self.find_steps([f for f in self.feeds if f.tensor_map is None and not f.to_tf32])
            self.begin_steps(first or self.index(0))
            self.at = loops.producer
            around = [*zip(names, tile.carried, strict=True), *self.named_counters]
            with self.loop(end, "step", "producer: refill the ring", around, first) as body:
                slot, phase, *before = body.carried[: len(names)]
                self.step_counters = body.carried[len(names) :]
                self.at = loops.producer
                # For a new mbarrier, the phase of the other parity counts as complete, so the first pass does not wait.
                self.add(nv.WaitOp(self.empty, slot, self.flipped(phase)))
                self.fill_slot(slot, body.step)
                body.next = list(self.next_position(slot, phase, loops.stages))
                if self.threads_copy:
                    self.add(nv.CommitGroupOp())
                    self.add(nv.WaitGroupOp(1 if before else 0))
                    if before:
                        with self.when(self.less(self.index(0), before[1], "follows")):
                            self.arrive_full(before[0])
                        body.next += [slot, self.index(1)]
                    else:
                        self.arrive_full(slot)
                body.next += self.next_counters()
            tile.next = list(body.results[: len(names)])
        return tile.results

    def fill_slot(self, slot: SSAValue, step: SSAValue) -> None:
        """Starts the loads and copies that fill one slot."""
        self.bind_k(step)
        if bulk := [feed for feed in self.feeds if feed.tensor_map is not None]:
            with self.single("role") if self.threads_copy else nullcontext():
                self.tma_loads(bulk, slot)
        for feed in self.feeds:
            if feed.tensor_map is None:
                self.start_copies(feed, slot, to_tf32=feed.to_tf32)

    def tma_loads(self, feeds: Sequence[OperandFeed], slot: SSAValue) -> None:
        self.add(nv.ExpectTxOp(self.full, slot, sum(nv.smem(feed.ring).bytes // self.loops.stages for feed in feeds)))
        for feed in feeds:
            self.at = feed.load
            tensor_map = cast(TensorMap, feed.tensor_map)
            offsets = [self.offset(o) for o in feed.load.offsets]
            t = nv.smem(feed.ring)
            _, rows, columns = t.sizes
            row, mask = self.index(0), None
            if feed.shared > 1:
                row, mask = self.multicast_part(feed, rows)
            tall = tensor_map.type.sizes[-2]
            for column, below in product(
                range(0, columns, t.panel // element_bytes(t.element_type)), range(0, rows // feed.shared, tall)
            ):
                at, down = self.index(column), self.plus(row, self.index(below), "part")
                if isinstance(tensor_map.array, Im2colArray):
                    box, taps = self.im2col_coordinates(tensor_map.array, offsets, down, at)
                else:
                    box, taps = self.box_coordinates(tensor_map, offsets, down, at), []
                place = slot, down, at
                self.add(nv.TmaLoadOp(tensor_map.argument, box, feed.ring, place, self.full, slot, mask, taps))

    def multicast_part(self, feed: OperandFeed, rows: int) -> tuple[SSAValue, SSAValue]:
        """Returns the first row of the part of a shared tile that this block multicasts, and the mask of the receiving blocks."""
        cm, cn = self.plan.cluster
        ranks = [range(row * cn, row * cn + cn) for row in range(cm)]
        group, number = self.cluster_row, self.cluster_column
        if not self.varies_along_m(feed.dims):  # the blocks of one column of the cluster share the operand
            ranks, group, number = [range(column, cm * cn, cn) for column in range(cn)], number, group
        row = self.times(number, rows // feed.shared, "part")
        return row, self.select_constant(group, [sum(1 << rank for rank in blocks) for blocks in ranks])

    def select_constant(self, number: SSAValue, values: Sequence[int]) -> SSAValue:
        """Returns `values[number]`, as a chain of selects."""
        chosen = self.index(values[-1])
        for k in reversed(range(len(values) - 1)):
            here = self.add(arith.CmpiOp(number, self.index(k), "eq"))
            chosen = self.add(arith.SelectOp(here, self.index(values[k]), chosen), "mask" if k == 0 else None)
        return chosen

    # --- the consumers' side ----------------------------------------------------------------------

    def release(self, slot: SSAValue) -> None:
        """
        Writes the release of a slot: one thread of the warpgroup arrives at its `empty` mbarrier in every block that fills it.
        """
        with self.single("warpgroup"):
            if self.sender_count == 1:
                self.add(nv.ArriveOp(self.empty, slot))
                return
            for block in self.sender_ranks():
                self.add(nv.ArriveOp(self.empty, slot, block))

    def sender_ranks(self) -> list[SSAValue]:
        """Returns the ranks in the cluster of the blocks that fill this block's slots, itself first."""
        cm, cn = self.plan.cluster
        blocks, row, column = [self.rank], self.cluster_row, self.cluster_column
        if any(f.shared > 1 and self.varies_along_m(f.dims) for f in self.feeds):
            others = [self.remainder(self.plus(column, self.index(c)), cn) for c in range(1, cn)]
            blocks += [self.plus(self.times(row, cn), other, "peer") for other in others]
        if any(f.shared > 1 and not self.varies_along_m(f.dims) for f in self.feeds):
            others = [self.remainder(self.plus(row, self.index(r)), cm) for r in range(1, cm)]
            blocks += [self.plus(self.times(other, cn), column, "peer") for other in others]
        return blocks
