"""
The channels of chained products: each is a ring in shared memory with its own full and empty mbarriers, which TMA fills.

```
acquire   →   wait until the slot is empty
commit    →   expect_tx; TMA loads of the committed tiles, of each part of a page where the table says that it is
wait      →   wait until the slot is full
release   →   one thread of the warpgroup arrives at the slot's empty mbarrier
```

A process and its consumers have a place in each ring, a slot and the parity of its phase, which loops carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from itertools import product
from math import gcd
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from .....analysis.index import affine
from .....analysis.regions.pages import Pages, pages
from .....analysis.regions.tile_access import element_address
from .....dialects import nv, pto
from .....dialects.common.shapes import memref_of
from .....dialects.common.syntax import ints
from .....errors import Unsupported
from .....targets.mma import element_bytes
from .....targets.shared_layouts import PANELS
from ...chained.bounds import Bounds
from ...kernel.access import index_space, map_text
from ..tiles import PersistentTiles
from ..tma import TensorMap, TensorMaps

MAX_BOX_ROWS = 256
"""Maximum number of rows of a TMA box."""
PLACES = 4
"""The number of places of pages that the producer holds in registers."""


@dataclass(frozen=True)
class Channel:
    """A ring of `depth` slots, which TMA fills with the tiles of `loads`, which differ in their offsets only, and its mbarriers."""

    ring: SSAValue
    full: SSAValue
    empty: SSAValue
    loads: Sequence[pto.LoadMapOp]
    tensor_map: TensorMap
    depth: int
    pages: Pages | None = None
    """The pages of a gathered tile."""

    @property
    def name(self) -> str:
        return self.loads[0].memref.name_hint or "x"


@dataclass(frozen=True)
class Place:
    """A place in a ring: a slot, and the parity of its phase."""

    slot: SSAValue
    phase: SSAValue


def load_alike(one: Operation | Block, other: Operation | Block) -> bool:
    """Returns whether two loads, and those of their positions, differ in their offsets only."""
    if not isinstance(one, pto.LoadMapOp) or not isinstance(other, pto.LoadMapOp) or one.memref is not other.memref:
        return False
    positions = zip(one.positions, other.positions, strict=False)
    alike = (one.properties, one.result.type) == (other.properties, other.result.type)
    return alike and all(load_alike(a.owner, b.owner) for a, b in positions)


class Channels(Bounds, PersistentTiles, TensorMaps):
    """Adds the rings of a kernel, and the process that fills them."""

    channels: dict[SSAValue, Channel]
    places: dict[SSAValue, Place]
    """The current place of the role in each ring."""

    def allocate_channels(self, process: pto.ProcessOp) -> None:
        """Allocates the rings and mbarriers of the channels that a process fills."""
        self.channels = {}
        filled: dict[SSAValue, tuple[SSAValue, TensorMap, list[pto.LoadMapOp]]] = {}
        commits = [op for op in process.walk() if isinstance(op, pto.CommitOp)]
        for loop in (op for op in process.walk() if isinstance(op, scf.ForOp)):
            self.bind_counter(loop)
        for commit in commits:
            load = commit.tiles[0].owner
            loads = filled[commit.channel][2] if commit.channel in filled else []
            alike = isinstance(load, pto.LoadMapOp) and all(load_alike(load, other) for other in loads)
            if len(commit.tiles) != 1 or not isinstance(load, pto.LoadMapOp) or not alike:
                need = "commit one tile of the same memref to a channel at a time, of loads that differ in their offsets only"
                raise Unsupported(commit, what="this use of a channel with chained products", need=need)
            if commit.channel in filled:
                loads.append(load)
            else:
                filled[commit.channel] = *self._ring(commit, load), [load]
        for channel, (ring, tensor_map, loads) in filled.items():  # after the rings, which are aligned to more bytes
            self.at, depth = loads[0], nv.smem(ring).sizes[0]
            full, empty = (
                self.add(
                    nv.MbarrierOp(self.allocate(8 * depth, 8), nv.MbarrierType(depth)),
                    f"{word}_{loads[0].memref.name_hint or 'x'}",
                )
                for word in ("full", "empty")
            )
            self.channels[channel] = Channel(ring, full, empty, loads, tensor_map, depth, self.pages_of(loads[0]))

    def _ring(self, commit: pto.CommitOp, load: pto.LoadMapOp) -> tuple[SSAValue, TensorMap]:
        """Allocates the ring of a channel, and returns it with its tensor map."""
        self.at = load
        element_type, depth = (
            pto.tile_type(load.result).element_type,
            cast(pto.ChannelType, commit.channel.type).depth.data,
        )
        dims, (rows, columns) = self.slot_layout(load)
        bytes_ = columns * element_bytes(element_type)
        swizzle = next((name for name, panel in PANELS.items() if bytes_ % panel == 0), None)
        found, divisor = self.pages_of(load), rows
        if found is None:
            array = self.strided_array(load, *dims)
        else:
            array = self.strided(cast(BlockArgument, load.memref), found.address, found.sizes, *dims)
            divisor = gcd(rows, found.rows, self.range_of(load.offsets[dims[0]])[0])
        if swizzle is None or divisor % 8 or array is None:
            need = "TMA fills them with tiles of a multiple of 8 rows of 32, 64 or a multiple of 128 bytes, from rows of 16 bytes"
            raise Unsupported(load, what="this operand of chained products", need=need)
        name = (load.memref.name_hint or "x").lower()
        ring_type = nv.SmemType((depth, rows, columns), element_type, swizzle)
        ring = self.add(nv.SmemOp(self.allocate(ring_type.bytes, ring_type.alignment), ring_type), f"smem_{name}")
        tall = max(h for h in range(8, MAX_BOX_ROWS + 1, 8) if divisor % h == 0)
        box = tall, ring_type.panel // element_bytes(element_type)
        return ring, self.tensor_map(array, box, swizzle, f"map_{name}")

    def pages_of(self, load: pto.LoadMapOp) -> Pages | None:
        """Returns the pages of a gathered tile whose places a table lists, or None."""
        by = load.positions[0].owner if len(load.positions) == 1 else None
        if not isinstance(by, pto.LoadMapOp) or by.positions or by.where is not None or load.where is not None:
            return None
        if index_space(by) != index_space(load):
            return None
        (rows, columns), _ = self.slot_layout(load)
        at, table = (affine.read_map(x.map.source.data) for x in (load, by))
        return pages(memref_of(load.memref).get_shape(), at, table, ints(load.bounds), rows, columns)

    # --- places -----------------------------------------------------------------------------------

    def begin_places(self) -> None:
        """Sets the places at which a role begins."""
        self.places = dict.fromkeys(self.channels, Place(self.index(0), self.index(0)))

    def carried_places(self, channels: Iterable[SSAValue]) -> list[tuple[str, int | SSAValue]]:
        """Returns the current places of these channels, for a loop to carry."""
        found: list[tuple[str, int | SSAValue]] = []
        for channel in channels:
            place, name = self.places[channel], self.channels[channel].name
            found += [(f"slot_{name}", place.slot)] * (self.channels[channel].depth > 1) + [
                (f"phase_{name}", place.phase)
            ]
        return found

    def take_places(self, channels: Iterable[SSAValue], values: Sequence[SSAValue]) -> None:
        """Sets the current places of these channels to the values that a loop carries."""
        rest = iter(values)
        for channel in channels:
            slot = next(rest) if self.channels[channel].depth > 1 else self.index(0)
            self.places[channel] = Place(slot, next(rest))

    def next_places(self, channels: Iterable[SSAValue]) -> list[SSAValue]:
        """Returns the current places of these channels, as the values of a loop's next iteration."""
        return [cast(SSAValue, value) for _, value in self.carried_places(channels)]

    def advance(self, channel: SSAValue, condition: SSAValue | None = None) -> None:
        """Goes on to the next slot of a channel, if the condition holds."""
        place, depth = self.places[channel], self.channels[channel].depth
        if depth == 1:
            following = Place(place.slot, self.flipped(place.phase))
        else:
            following = Place(*self.next_position(place.slot, place.phase, depth))
        if condition is not None:
            slot = self.add(arith.SelectOp(condition, following.slot, place.slot)) if depth > 1 else place.slot
            following = Place(slot, self.add(arith.SelectOp(condition, following.phase, place.phase)))
        self.places[channel] = following

    def advance_together(self, one: SSAValue, other: SSAValue) -> bool:
        """Returns whether a process fills the slots of both channels in the same order, so that they are at the same places."""
        a, b = self.channels[one], self.channels[other]
        return a.depth == b.depth and [load.parent for load in a.loads] == [load.parent for load in b.loads]

    # --- the process ------------------------------------------------------------------------------

    def produce(self, block: Block) -> None:
        """Writes the ops of a process."""
        for op in block.ops:
            self.at = op
            match op:
                case pto.AcquireOp():
                    place = self.places[op.channel]
                    # For a new mbarrier, the phase of the other parity counts as complete, so the first pass does not wait.
                    self.add(nv.WaitOp(self.channels[op.channel].empty, place.slot, self.flipped(place.phase)))
                case pto.CommitOp():
                    self._fill(
                        self.channels[op.channel], cast(pto.LoadMapOp, op.tiles[0].owner), self.places[op.channel].slot
                    )
                    self.advance(op.channel)
                case scf.ForOp():
                    self._produce_loop(op)
                case _:
                    pass

    def _produce_loop(self, op: scf.ForOp) -> None:
        if op.iter_args:
            raise Unsupported(op, what="a loop of a process that carries values", need="carry none")
        channels = dict.fromkeys(o.channel for o in op.walk() if isinstance(o, pto.CommitOp))
        low, high, step = (self.offset(v) for v in op.operands[:3])
        counter = op.body.block.args[0]
        hint, carried = counter.name_hint or "key", self.carried_places(channels)
        with self.loop(high, hint, "producer: refill the rings", carried, low, step) as body:
            self.take_places(channels, body.carried)
            self.map[counter] = body.step
            self.produce(op.body.block)
            body.next = self.next_places(channels)
        self.take_places(channels, body.results)

    def _fill(self, channel: Channel, load: pto.LoadMapOp, slot: SSAValue) -> None:
        """Starts the loads that fill one slot."""
        t, tensor_map = nv.smem(channel.ring), channel.tensor_map
        self.at = load
        self.add(nv.ExpectTxOp(channel.full, slot, t.bytes // channel.depth))
        offsets = [self.offset(o) for o in load.offsets]
        _, rows, columns = t.sizes
        tall, wide = tensor_map.type.sizes[-2], t.panel // element_bytes(t.element_type)
        if channel.pages is not None:
            self._fill_pages(channel, channel.pages, load, slot, offsets)
            return
        for column, below in product(range(0, columns, wide), range(0, rows, tall)):
            right, down = self.index(column), self.index(below)
            box = self.box_coordinates(tensor_map, offsets, down, right)
            self.add(nv.TmaLoadOp(tensor_map.argument, box, channel.ring, (slot, down, right), channel.full, slot))

    def _fill_pages(
        self, channel: Channel, found: Pages, load: pto.LoadMapOp, slot: SSAValue, offsets: Sequence[SSAValue]
    ) -> None:
        """
        Starts the loads of the parts of pages that a slot has, a few at a time: their places are loaded together, and the loop keeps the
        compiler from holding more of them than a producer has registers for.
        """
        t, tensor_map = nv.smem(channel.ring), channel.tensor_map
        _, rows, columns = t.sizes
        tall, wide = tensor_map.type.sizes[-2], t.panel // element_bytes(t.element_type)
        count, group = rows // tall, min(PLACES, rows // tall)
        with ExitStack() as stack:
            first = self.index(0)
            if count > group:
                comment = f"{group} parts of pages at a time"
                first = stack.enter_context(self.loop(self.index(count), "part", comment, step=self.index(group))).step
            parts = [self.plus(first, self.index(each), "part") for each in range(group)]
            beginning = [self.times(part, tall, "below") for part in parts]
            boxes = [
                self.in_page(load, found, offsets, below, -(-count // group) * group * tall, tall)
                for below in beginning
            ]
            for each, (part, below, begin) in enumerate(zip(parts, beginning, boxes, strict=True)):
                may_leave = count % group and each >= count % group
                inside = self.when(self.less(part, self.index(count))) if may_leave else nullcontext()
                with inside:
                    for column in range(0, columns, wide):
                        right = self.index(column)
                        box = self.box_coordinates(tensor_map, begin, self.index(0), right)
                        self.add(
                            nv.TmaLoadOp(
                                tensor_map.argument, box, channel.ring, (slot, below, right), channel.full, slot
                            )
                        )

    def in_page(
        self, load: pto.LoadMapOp, found: Pages, offsets: Sequence[SSAValue], below: SSAValue, rows: int, tall: int
    ) -> list[SSAValue]:
        """
        Returns the offsets, in the space of the pages, of the box of `tall` rows that begins `below` the first of `rows` rows at `offsets`.
        The place of rows beyond the last one is beyond the pool, so that TMA loads zeros.
        """
        table, (row, _), bounds = (
            cast(pto.LoadMapOp, load.positions[0].owner),
            self.slot_layout(load)[0],
            ints(load.bounds),
        )
        first = self.plus(offsets[row], below, "page_row")
        there = [first if axis == row else offset for axis, offset in enumerate(offsets)]
        may_leave = self.range_of(load.offsets[row])[1] + rows > bounds[row]
        inside = self.less(first, self.index(bounds[row]), "inside") if may_leave else None
        text, of_table = map_text(element_address(table)), ints(table.bounds)
        number = self.add(nv.LdGlobalOp(self.map[table.memref], there, text, of_table, inside, None), "number")
        place = self.add(arith.IndexCastOp(number, IndexType()), "place")
        if inside is not None:
            place = self.add(arith.SelectOp(inside, place, self.index(bounds[-1])))
        there[row] = self.index(0) if tall == found.rows else self.remainder(first, found.rows)
        return [*there, place]

    # --- consumers --------------------------------------------------------------------------------

    def wait(self, op: pto.WaitOp) -> SSAValue:
        """Writes the wait for a channel's current slot, and returns the slot."""
        self.at, place = op, self.places[op.channel]
        self.add(nv.WaitOp(self.channels[op.channel].full, place.slot, place.phase))
        return place.slot

    def release(self, channel: SSAValue, slot: SSAValue) -> None:
        """Writes the release of a slot by one thread of the warpgroup."""
        with self.single("warpgroup"):
            self.add(nv.ArriveOp(self.channels[channel].empty, slot))
