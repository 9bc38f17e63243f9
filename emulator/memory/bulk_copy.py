"""
Bulk copies in flight: TMA and `cp.async.bulk` between global and shared memory (PTX ISA §9.7.9.25).

A load writes shared memory and completes bytes on an mbarrier. A store may read shared memory until its thread has waited
for the bulk group with `.read`, and may write global memory until its thread has waited without `.read`. Copies complete
at once; in a schedule with a seed they complete later, and in each CTA of a multicast independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..engine.clocks import UNIT
from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import BadTensorCopy, Misaligned, UnfinishedCopy
from ..isa.small_floats import tensor_float
from ..isa.types import CHUNK, Array
from ..sync.cluster import Peers
from ..sync.mbarrier import Mbarriers
from ..sync.races import GlobalRaces
from ..violation import Violation, relocated
from .im2col import im2col_addresses
from .shared import SharedMemory
from .tensor_map import TensorMap, box_addresses, box_unit, swizzled


@dataclass(frozen=True)
class _Store:
    """A bulk store by `lane` in its bulk group `group`; `stamp` is its index among its warp's stores."""

    lane: int
    group: int
    stamp: int


@dataclass(frozen=True)
class Destination:
    """The shared addresses of a copy's first byte and of its mbarrier; they are the same in all of `ctas`."""

    address: int
    mbarrier: int
    ctas: tuple[int, ...]


class BulkCopies(Part):
    """The bulk copies of the CTAs that the emulator runs together, a batch."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._peers, self._shared, self._mbarriers = m.part(Peers), m.part(SharedMemory), m.part(Mbarriers)
        self._races = m.part(GlobalRaces)

        self._group = np.zeros(m.lane_count, np.int64)
        self._stores: list[_Store] = []
        self._issued = np.zeros(m.lane_count // 32, np.int64)

    # --- global → shared ---------------------------------------------------------------------------

    def destination(self, lane: int, target: int, mbarrier: int, mask: int) -> Destination:
        """
        Returns the destination of a copy by `lane`: the CTAs whose ranks are in `mask`, or the CTA of the address `target`
        if `mask` is 0.
        """
        peers, lanes = self._peers, np.array([lane, lane])
        (to, bar), ctas = peers.locate(lanes, np.array([target, mbarrier]))
        peers.require(lanes, ctas, "bulk copy")
        if ctas[0] != ctas[1]:
            problem = "its destination and its mbarrier are in different CTAs"
            raise Violation(BadTensorCopy, 0, what="bulk copy", problem=problem)
        if not mask:
            return Destination(int(to), int(bar), (int(ctas[0]),))
        size = self._m.launch.cluster_size
        if mask >> size:
            problem = f"the mask {mask:#x} names CTAs beyond the {size} of the cluster"
            raise Violation(BadTensorCopy, 0, what="multicast", problem=problem)
        begin = int(ctas[0]) // size * size
        return Destination(int(to), int(bar), tuple(begin + r for r in range(size) if mask >> r & 1))

    def load(self, lane: int, data: Array, places: Array, to: Destination, what: str = "bulk copy") -> None:
        """Writes `data` to the shared addresses `places` in each CTA of `to`, and completes the bytes on its mbarrier."""
        m = self._m
        size = data.size * data.itemsize
        for cta in to.ctas:
            self._peers.require(np.array([lane]), np.array([cta]), what)
            copy = self._mbarriers.begin_copy(lane, to.mbarrier, cta)
            self._shared.async_write(lane, cta, places, data, copy.column, copy.phase, what)
            m.count_bytes("async_load", size)
            if m.random is None:
                self._mbarriers.finish_copy(copy, size)
            else:
                m.flights.append(partial(self._mbarriers.finish_copy, copy, size))

    def load_box(
        self, lane: int, tensor: TensorMap, start: list[int], to: Destination, offsets: Sequence[int] = ()
    ) -> None:
        """
        Loads the box of a tensor that begins at `start`, in im2col mode with `offsets`; elements outside the tensor are zero, or NaN
        with `nan_fill`.
        """
        _require_aligned(to.address, 128, "TMA")
        unit = box_unit(tensor, start)
        if tensor.is_im2col:
            addresses, inside = im2col_addresses(tensor, start, offsets, unit)
        else:
            addresses, inside = box_addresses(tensor, start, unit)
        values = np.zeros(addresses.size * unit // tensor.element_bytes, f"u{tensor.element_bytes}")
        if tensor.nan_fill:
            values[:] = {2: 0x7FFF, 4: 0x7FFFFFFF, 8: 0x7FFFFFFFFFFFFFFF, 1: 0x7F}[tensor.element_bytes]
        if inside.any():
            values.view(CHUNK[unit])[inside] = self._read_global(lane, addresses[inside].astype(np.uint64), unit)
        if tensor.dtype == "tf32":
            values = tensor_float(values, "rna")
        data = values.view(CHUNK[16])
        chunks = to.address + 16 * np.arange(data.size)
        self.load(lane, data, swizzled(chunks, tensor.swizzle), to)

    def load_bytes(self, lane: int, source: int, size: int, to: Destination) -> None:
        _require_size(size, source, to.address)
        addresses = np.uint64(source) + np.arange(0, size, 16, dtype=np.uint64)
        data = self._read_global(lane, addresses, 16)
        self.load(lane, data, to.address + 16 * np.arange(data.size), to)

    def _read_global(self, lane: int, addresses: Array, size: int) -> Array:
        self._m.count_bytes("async_read", addresses.size * size)
        with relocated(0):
            return self._m.memory.load(addresses, size, size, self._races.by_hardware(lane))

    # --- shared → global ---------------------------------------------------------------------------

    def store_box(self, lane: int, tensor: TensorMap, start: list[int], source: int, reduce: Any) -> None:
        """Stores the box of a tensor that begins at `start`; the shared memory of elements outside the tensor is not read."""
        _require_aligned(source, 128, "TMA")
        unit = tensor.element_bytes if reduce else box_unit(tensor, start)
        addresses, inside = box_addresses(tensor, start, unit)
        places = swizzled(source + unit * np.arange(addresses.size), tensor.swizzle)[inside]
        values = self._read_shared(lane, places, unit)
        if values.size:
            self._write_global(lane, addresses[inside].astype(np.uint64), values, unit, reduce)

    def store_bytes(self, lane: int, target: int, source: int, size: int, reduce: Any) -> None:
        _require_size(size, target, source)
        data = self._read_shared(lane, source + np.arange(0, size, 16), 16)
        width = 16 if reduce is None else reduce.width
        addresses = np.uint64(target) + np.arange(0, size, width, dtype=np.uint64)
        values = data if reduce is None else data.view(f"u{width}")
        self._write_global(lane, addresses, values, width, reduce)

    def _read_shared(self, lane: int, places: Array, size: int) -> Array:
        """Reads `size` bytes at each shared address, for a store by `lane`."""
        m = self._m
        warp = lane // 32
        stamp = int(self._issued[warp])
        self._issued[warp] += 1
        self._stores.append(_Store(lane, int(self._group[lane]), stamp))
        column = m.clocks.bulk_column + warp % m.clocks.warps
        if not places.size:
            return np.empty(0, CHUNK[size])
        m.count_bytes("async_store", places.size * size)
        return self._shared.async_read(np.array([lane]), places, size, column, stamp, "bulk store")

    def _write_global(self, lane: int, addresses: Array, values: Array, size: int, reduce: Any) -> None:
        memory, access = self._m.memory, self._races.by_hardware(lane)
        with relocated(0):
            if reduce is None:
                memory.store(addresses, values, size, size, access)
            else:
                elements, where = memory.atomic(addresses, size, access)
                elements[where] = reduce(elements[where], values)

    def commit(self, lanes: Lanes) -> None:
        self._group[lanes.select] += 1
        self._m.note(lanes.index, "bulk commit", 0)

    def wait(self, lanes: Lanes, pending: int) -> None:
        """Completes all but the newest `pending` bulk groups of these lanes. A lane waits for its own groups only."""
        limit = self._group - pending
        self._m.note(lanes.index, "bulk wait", pending)
        done = {s for s in self._stores if lanes.mask[s.lane] and s.group < limit[s.lane]}
        self._stores = [s for s in self._stores if s not in done]
        clocks = self._m.clocks
        for warp in {s.lane // 32 for s in done}:
            owners = np.array(sorted({s.lane for s in done if s.lane // 32 == warp}))
            left = [s.stamp for s in self._stores if s.lane // 32 == warp]
            upto = min(left, default=int(self._issued[warp]))
            column = clocks.bulk_column + warp % clocks.warps
            clocks.complete_for(owners, column, upto * UNIT)

    def finished(self) -> None:
        """Raises if a bulk store still reads shared memory when its CTA has ended."""
        if self._stores:
            raise Violation(UnfinishedCopy, self._stores[0].lane, what="a bulk store still reads its shared memory")


def _require_aligned(address: int, align: int, what: str) -> None:
    if address % align:
        fields = {"access": what, "size": align, "space": "shared", "address": address, "align": align}
        raise Violation(Misaligned, 0, **fields)


def _require_size(size: int, *addresses: int) -> None:
    problems = [f"address {address:#x} is not 16-byte aligned" for address in addresses if address % 16]
    if size % 16:
        problems.insert(0, f"the size of {size} bytes is not a multiple of 16")
    if problems:
        raise Violation(BadTensorCopy, 0, what="cp.async.bulk", problem=problems[0])
