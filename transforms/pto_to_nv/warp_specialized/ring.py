"""
The ring of a Hopper kernel: slots in shared memory, two mbarriers each, and the producer warpgroup that fills it.

```
for each tile, for each step of k:
  wait until the slot is empty                     of the consumers of all blocks that this one sends to
  one thread: expect its bytes; TMA loads          a tile that neighbours share: each sends its part to all of them
  all threads, where TMA cannot: copies; those of the step before (of this one, in a ring of two) have landed:
  fence, arrive
```

Spec: `tensor-compiler.ja §1.7` (`pipeline`, `cache_read` to code), `§1.8`; DESIGN §5.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import cast

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ....analysis.program.statistics import count
from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.syntax import ints
from ....dialects.nv.types import PANELS
from ....targets.mma import Mma, element_bytes
from ..kernel.access import as_map
from ..tile_loops import Loops
from .tiles import PersistentTiles
from .tma import TensorMaps, View

log = logging.getLogger(__name__)

WARPGROUP = 128
MOST_ROWS = 256
"""Of a box."""


@dataclass(frozen=True)
class Feed:
    """How one operand gets into its slots: `view` where TMA loads it, shared by `shared` blocks along `axis`."""

    load: pto.LoadOp
    ring: SSAValue
    dims: tuple[int, int]
    guards: tuple[int, ...]
    view: View | None
    shared: int
    bytes: int = 0
    """Of one copy, where threads copy."""

    @property
    def slot_bytes(self) -> int:
        _, rows, columns = nv.smem(self.ring).sizes
        return rows * columns * element_bytes(nv.smem(self.ring).element_type)

    @property
    def panel_columns(self) -> int:
        t = nv.smem(self.ring)
        return t.panel // element_bytes(t.element_type)


class Ring(PersistentTiles, TensorMaps):
    """Adds the ring and its producer to a kernel."""

    feeds: list[Feed]
    mma: Mma

    @property
    def rounds(self) -> bool:
        """Whether operands are rounded to tf32 on their way: wgmma cuts off what is beyond (PTX ISA §9.7.15.5)."""
        return self.mma.name == "m64k8"

    def allot(self, size: int, alignment: int) -> int:
        """A place in shared memory."""
        at = -(-self.shared // alignment) * alignment
        self.shared = at + size
        return at

    def feed(self, tile: SSAValue, stages: int, name: str) -> Feed:
        """Allocates the slots of one operand and decides how they are filled."""
        load = cast(pto.LoadOp, tile.owner)
        self.at = load
        t, m = pto.tile_type(tile), len(self.outer)
        size = element_bytes(t.element_type)
        dims, (rows, columns) = cast("tuple[int, int]", ints(load.dims)), t.sizes
        across_k = self.across_k(tile)
        if t.layout.data == "DN":
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        if across_k and size != 2:  # wgmma reads such elements along k only
            dims, rows, columns = (dims[1], dims[0]), columns, rows
        guards = self.tails(load, dict(zip(dims, (rows, columns), strict=True)))
        bytes_ = columns * size
        swizzle = next((name for name, panel in PANELS.items() if bytes_ % panel == 0), None)
        if swizzle is None or rows % 8:
            raise self.mismatch(
                f"its tile makes {rows} rows of {bytes_} bytes of {name} in shared memory",
                "rows of 32, 64 or 128 bytes or a multiple of those, and eight of them or a multiple",
            )
        ring_type = nv.SmemType((stages, rows, columns), t.element_type, swizzle)
        at = self.allot(ring_type.bytes, ring_type.alignment)
        ring = self.add(nv.SmemOp(at, ring_type), f"smem_{name.lower()}")
        array = self.strided(load, *dims)
        if array is None:
            count("operands copied by threads")
            log.debug("%s is copied by threads: TMA needs rows of 16 bytes", name, extra={"op": load})
            bytes_ = size if self.rounds else self.copy_bytes(load, element_address(load), dims[1])
            return Feed(load, ring, dims, guards, None, 1, bytes_)
        shared, other = (self.plan.cluster[1], m + 1) if self.has_m(dims) else (self.plan.cluster[0], m)
        if rows % (8 * shared) or other in array.axes:
            shared = 1
        tallest = max(h for h in range(8, MOST_ROWS + 1, 8) if rows // shared % h == 0)
        box = (tallest, ring_type.panel // size)
        view = self.view(array, box, swizzle, f"map_{name.lower()}", self.rounds)
        count("operands loaded by TMA")
        return Feed(load, ring, dims, guards, view, shared)

    def has_m(self, dims: Sequence[int]) -> bool:
        """Whether it is the operand that varies along m, which blocks of one row of the cluster share."""
        return len(self.outer) in dims

    def across_k(self, tile: SSAValue) -> bool:
        """Whether neighbours in memory are neighbours along m or n."""
        load, k = cast(pto.LoadOp, tile.owner), len(self.outer) + 2
        dims = ints(load.dims)
        return (dims[0] if pto.tile_type(tile).layout.data == "DN" else dims[1]) != k

    # --- mbarriers --------------------------------------------------------------------------------

    @property
    def threads_copy(self) -> bool:
        return any(feed.view is None for feed in self.feeds)

    @property
    def senders(self) -> int:
        """Blocks that send to this one, itself included: its row and its column of the cluster, where they share."""
        return 1 + sum(feed.shared - 1 for feed in self.feeds)

    def barriers(self, stages: int, consumers: int) -> None:
        """The mbarriers of the ring: full counts the producer's arrivals, empty those of the consumers of a slot."""
        tma = any(feed.view is not None for feed in self.feeds)
        self.full = self.add(nv.MbarrierOp(self.allot(8 * stages, 8), nv.MbarrierType(stages)), "full")
        self.empty = self.add(nv.MbarrierOp(self.allot(8 * stages, 8), nv.MbarrierType(stages)), "empty")
        self.initial = [
            (self.full, (1 if tma else 0) + (WARPGROUP if self.threads_copy else 0)),
            (self.empty, consumers * self.senders),
        ]

    # --- the producer -----------------------------------------------------------------------------

    def produce(self, loops: Loops) -> None:
        """What the producer warpgroup does for all tiles of the cluster."""
        if not self.threads_copy:
            with self.single("role"):
                self.fill(loops)
            return
        if not self.late(loops):
            self.fill(loops)
            return
        self.add(nv.CommitGroupOp())  # so that a wait for all but one is never for nothing
        last = self.fill(loops)
        with self.when(self.less(self.index(0), last[3], "some")):
            self.add(nv.WaitGroupOp(0))
            self.landed(last[2])

    def late(self, loops: Loops) -> bool:
        """
        Whether the threads' copies of a step are waited for one step later. Consumers release a slot one step late too, and
        of two slots each would wait for the other.
        """
        return self.threads_copy and loops.stages > 2

    def landed(self, slot: SSAValue) -> None:
        """This thread's copies into a slot are visible to wgmma."""
        self.add(nv.FenceAsyncOp())
        self.add(nv.ArriveOp(self.full, slot))

    def fill(self, loops: Loops) -> Sequence[SSAValue]:
        """The loops; gives the ring's next slot and phase, the slot filled last and whether there is one."""
        stages, steps = loops.stages, self.index(loops.count, "STEPS")
        start: list[tuple[str, int | SSAValue]] = [("slot", 0), ("phase", 0)]
        if self.late(loops):
            start += [("before", 0), ("some", 0)]
        with self.each_tile(start) as tile:
            names = [name for name, _ in start]
            self.bind_offsets((*self.tiles.body.block.ops, *loops.producer.body.block.ops))
            around = list(zip(names, tile.carried, strict=True))
            first, end = self.steps or (None, steps)
            with self.loop(end, "step", "producer: refill the ring", around, first) as body:
                slot, phase, *before = body.carried
                self.at = loops.producer
                free = self.add(arith.SelectOp(self.is_zero(phase), self.index(1), self.index(0)))
                self.add(nv.WaitOp(self.empty, slot, free))
                self.send(loops, slot, body.step)
                body.next = list(self.advance(slot, phase, stages))
                if self.threads_copy:
                    self.add(nv.CommitGroupOp())
                    self.add(nv.WaitGroupOp(1 if before else 0))
                    if before:
                        with self.when(self.less(self.index(0), before[1], "follows")):
                            self.landed(before[0])
                        body.next += [slot, self.index(1)]
                    else:
                        self.landed(slot)
            tile.next = list(body.results)
        return tile.results

    def is_zero(self, value: SSAValue) -> SSAValue:
        return self.add(arith.CmpiOp(value, self.index(0), "eq"))

    def advance(self, slot: SSAValue, phase: SSAValue, stages: int) -> tuple[SSAValue, SSAValue]:
        """The next slot, and the parity of its phase."""
        next_ = self.plus(slot, self.index(1))
        around = self.add(arith.CmpiOp(next_, self.index(stages, "STAGES"), "eq"), "around")
        other = self.add(arith.SelectOp(self.is_zero(phase), self.index(1), self.index(0)))
        return (
            self.add(arith.SelectOp(around, self.index(0), next_), "next_slot"),
            self.add(arith.SelectOp(around, other, phase), "next_phase"),
        )

    def send(self, loops: Loops, slot: SSAValue, step: SSAValue) -> None:
        """Starts everything that fills one slot."""
        k = self.times(step, loops.step, "k", "BK")
        if loops.start:
            k = self.plus(k, self.index(loops.start), "k")
        self.map[loops.producer.body.block.args[0]] = k
        bulk = [feed for feed in self.feeds if feed.view is not None]
        if bulk:
            if self.threads_copy:
                with self.single("role"):
                    self.bulk_loads(bulk, slot)
            else:
                self.bulk_loads(bulk, slot)
        for feed in self.feeds:
            if feed.view is None:
                self.thread_copies(feed, slot)

    def bulk_loads(self, feeds: Sequence[Feed], slot: SSAValue) -> None:
        self.add(nv.ExpectTxOp(self.full, slot, sum(feed.slot_bytes for feed in feeds)))
        for feed in feeds:
            self.at = feed.load
            view = cast(View, feed.view)
            offsets = [self.offset(o) for o in feed.load.offsets]
            _, rows, columns = nv.smem(feed.ring).sizes
            row, mask = self.index(0), None
            if feed.shared > 1:
                row, mask = self.share(feed, rows)
            tall = view.type.sizes[-2]
            for column, below in product(range(0, columns, feed.panel_columns), range(0, rows // feed.shared, tall)):
                at, down = self.index(column), self.plus(row, self.index(below), "part")
                box = self.coordinates(view, offsets, down, at)
                self.add(nv.TmaLoadOp(view.argument, box, feed.ring, (slot, down, at), self.full, slot, mask))

    def share(self, feed: Feed, rows: int) -> tuple[SSAValue, SSAValue]:
        """The first of the rows that this block sends, and the blocks of the cluster that it sends them to."""
        cm, cn = self.plan.cluster
        along_m = self.has_m(feed.dims)
        number = self.cluster_column if along_m else self.cluster_row
        row = self.times(number, rows // feed.shared, "part")
        if along_m:  # the blocks of one row of the cluster
            bits = (1 << cn) - 1
            shift = [bits << (r * cn) for r in range(cm)]
            mask = self.choose(self.cluster_row, shift)
        else:
            mask = self.choose(self.cluster_column, [sum(1 << (r * cn + c) for r in range(cm)) for c in range(cn)])
        return row, mask

    def choose(self, number: SSAValue, values: Sequence[int]) -> SSAValue:
        """The value of that number."""
        chosen = self.index(values[-1])
        for k in reversed(range(len(values) - 1)):
            here = self.add(arith.CmpiOp(number, self.index(k), "eq"))
            chosen = self.add(arith.SelectOp(here, self.index(values[k]), chosen), "mask" if k == 0 else None)
        return chosen

    def thread_copies(self, feed: Feed, slot: SSAValue) -> None:
        self.at = feed.load
        address = element_address(feed.load)
        self.add(
            nv.CpAsyncOp(
                self.map[feed.load.memref],
                [self.offset(o) for o in feed.load.offsets],
                feed.ring,
                slot,
                str(as_map(address)),
                ints(feed.load.bounds),
                feed.dims,
                feed.guards,
                feed.bytes,
                self.rounds,
            )
        )

    # --- what consumers say -----------------------------------------------------------------------

    def release(self, slot: SSAValue) -> None:
        """One thread of the warpgroup tells all blocks that send to this one that the slot may be filled again."""
        with self.single("warpgroup"):
            if self.senders == 1:
                self.add(nv.ArriveOp(self.empty, slot))
                return
            for block in self.sending():
                self.add(nv.ArriveOp(self.empty, slot, block))

    def sending(self) -> list[SSAValue]:
        """The numbers in the cluster of the blocks that send to this one, itself first."""
        cm, cn = self.plan.cluster
        blocks, row, column = [self.rank], self.cluster_row, self.cluster_column
        if any(f.shared > 1 and self.has_m(f.dims) for f in self.feeds):
            others = [self.remainder(self.plus(column, self.index(c)), cn) for c in range(1, cn)]
            blocks += [self.plus(self.times(row, cn), other, "peer") for other in others]
        if any(f.shared > 1 and not self.has_m(f.dims) for f in self.feeds):
            others = [self.remainder(self.plus(row, self.index(r)), cm) for r in range(1, cm)]
            blocks += [self.plus(self.times(other, cn), column, "peer") for other in others]
        return blocks
