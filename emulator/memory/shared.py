"""
Shared memory of a batch of CTAs: bytes, bounds, initialization. `Shadow` checks the order of accesses.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from ..engine.machine import Machine, Part
from ..isa.program import SHARED_BASE as BASE
from ..isa.types import CHUNK, Array
from ..sync.cluster import RANK_SHIFT, Peers
from ..sync.shadow import Shadow
from ..violation import relocated
from .memory import ones, require_aligned, require_inside, require_written


class SharedMemory(Part):
    """`size` bytes per CTA."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self.size = m.shared_bytes
        self.stride = max(16, -(-self.size // 16) * 16)
        self._stop = BASE + self.size
        self._extent = f"the CTA's shared memory [{BASE:#x}, {self._stop:#x})"
        self.granule = m.program.granule
        total = m.cta_count * self.stride
        self._data = np.zeros(total, np.uint8)
        self._written = np.zeros(total, np.uint8)
        self.shadow = Shadow(total // self.granule, m.clocks)
        self._peers = m.part(Peers)
        self._lane_base = m.local_cta(np.arange(m.lane_count)) * self.stride - BASE

    def load(
        self, lanes: Array, addresses: Array, size: int, align: int, *, collective: bool = False, far: bool = False
    ) -> Array:
        """
        Loads `size` bytes per lane. `collective`: the warp reads as one (ldmatrix); `far`: addresses may be in any CTA of
        the cluster.
        """
        elements, granules, owners = self._locate(lanes, addresses, size, align, "read", far=far)
        self.shadow.check_usable(granules, addresses, "read")
        require_written(self._written.view(CHUNK[size])[elements], addresses, size, "shared")
        self.shadow.check_writer(granules, owners, addresses, "read")
        self.shadow.note_read(granules, owners, collective=collective)
        return self.data(size)[elements]

    def store(self, lanes: Array, addresses: Array, values: Array, size: int, align: int, *, far: bool = False) -> None:
        """Stores elements of `size` bytes."""
        elements, granules, owners = self._locate(lanes, addresses, size, align, "write", far=far)
        data = self.data(size)
        self.shadow.check_usable(granules, addresses, "write")
        changed = cast(Array, data[elements] != values)
        if changed.any():
            self.shadow.check_writer(granules[changed], owners[changed], addresses[changed], "write", changed)
        self.shadow.check_readers(granules, owners, addresses)
        self._put(elements, values, size)
        self.shadow.claim(granules, owners)
        self.shadow.check_overwritten(granules, owners, addresses, cast(Array, data[elements] != values), "write")

    def update(self, lanes: Array, addresses: Array, size: int, *, far: bool = False) -> Array:
        """Checks and records an atomic on each address; returns the elements' indices in `data(size)`."""
        elements, granules, owners = self._locate(lanes, addresses, size, size, "atomic", far=far)
        self.shadow.check_usable(granules, addresses, "atomic")
        require_written(self._written.view(CHUNK[size])[elements], addresses, size, "shared")
        plain = ~self.shadow.is_atomic(granules)
        self.shadow.check_writer(granules[plain], owners[plain], addresses[plain], "atomic", plain)
        self.shadow.check_readers(granules, owners, addresses, "atomic")
        self.shadow.claim(granules, owners, atomic=True)
        return elements

    def data(self, size: int) -> Array:
        """Returns all CTAs' bytes as elements of `size` bytes."""
        return self._data.view(CHUNK[size])

    def _put(self, elements: Array, values: Array, size: int) -> None:
        self.data(size)[elements] = values
        self._written.view(CHUNK[size])[elements] = ones(size)

    # --- cp.async ----------------------------------------------------------------------------------

    def begin_copy(self, lanes: Array, addresses: Array, size: int) -> Array:
        """
        Issues a cp.async of `size` bytes per lane: no thread may access its destination until it completes. Returns the
        destination's elements.
        """
        elements, granules, owners = self._locate(lanes, addresses, size, size, "cp.async")
        self.shadow.check_usable(granules, addresses, "write")
        self.shadow.check_writer(granules, owners, addresses, "cp.async")
        self.shadow.check_readers(granules, owners, addresses, "cp.async")
        self.shadow.claim(granules, owners)
        self.shadow.check_overwritten(granules, owners, addresses, ~self.shadow.owned(granules, owners), "cp.async")
        self.shadow.pend(granules, True)
        return elements

    def finish_copy(
        self, lanes: Array, elements: Array, values: Array, size: int, completion: tuple[Array, Array] | None = None
    ) -> None:
        """
        Completes copies when the issuing threads have waited; the data is then visible to them, and to threads that
        synchronize with them. If an mbarrier tracks the copies, `completion` is the column and stamp of its phase.
        """
        self._put(elements, values, size)
        granules = self._granules(elements * size, size)
        self.shadow.pend(granules, False)
        if completion is None:
            self.shadow.claim(granules, lanes[:, None])
        else:
            self.shadow.complete_with_mbarrier(granules, *(c[:, None] for c in completion))

    # --- the async proxy ---------------------------------------------------------------------------

    def async_write(
        self, lane: int, cta: int, places: Array, values: Array, column: int, stamp: int, what: str
    ) -> None:
        """Writes `values`, elements of 4, 8 or 16 bytes, to the offsets `places` of a CTA for a bulk copy."""
        size = values.itemsize
        elements, granules, addresses = self._locate_async(cta, places, size, what)
        self.shadow.async_write(lane, granules, addresses, column, stamp, what)
        self._put(elements, values, size)

    def async_read(self, lanes: Array, places: Array, size: int, column: int, stamp: int, what: str) -> Array:
        """Reads `size` bytes at each offset through the async proxy on behalf of `lanes`, which are in one CTA."""
        elements, granules, addresses = self._locate_async(int(self._m.local_cta(lanes[0])), places, size, what)
        require_written(self._written.view(CHUNK[size])[elements], places, size, "shared")
        self.shadow.async_read(lanes, granules, addresses, column, stamp, what)
        return self.data(size)[elements]

    def _locate_async(self, cta: int, places: Array, size: int, what: str) -> tuple[Array, Array, Array]:
        """Checks the offsets in one CTA; returns their elements, their granules, and the address of each granule."""
        offsets = places.astype(np.int64)
        with relocated(0):
            self._check_offsets(offsets, size, size, what)
        flat = offsets + (cta * self.stride - BASE)
        granules = self._granules(flat, size).reshape(-1)
        return flat // size, granules, np.repeat(places, granules.size // places.size)

    def reserve(self, lanes: Array, addresses: Array, flag: bool) -> Array:
        """Marks (or unmarks) 8 bytes at each address as an mbarrier; returns the granules."""
        _, granules, owners = self._locate(lanes, addresses, 8, 8, "mbarrier")
        if flag:
            self.shadow.reserve(granules, False)
            self.shadow.check_usable(granules, addresses, "mbarrier.init")
            self.shadow.check_writer(granules, owners, addresses, "write")
            self.shadow.check_readers(granules, owners, addresses)
            self.shadow.claim(granules, owners)
        self.shadow.reserve(granules, flag)
        return granules

    def find_object(self, addresses: Array, ctas: Array) -> Array:
        """Returns the granules of an mbarrier in each of these CTAs."""
        offsets = addresses.astype(np.int64)
        self._check_offsets(offsets, 8, 8, "mbarrier")
        return self._granules(offsets + (ctas * self.stride - BASE), 8)

    def check_object(self, lanes: Array, granules: Array, addresses: Array, among: Array) -> None:
        """Requires that an mbarrier's initialization happens before its use."""
        self.shadow.check_writer(granules[among], lanes[among][:, None], addresses[among], "read", among)

    # --- checks ------------------------------------------------------------------------------------

    def _locate(
        self, lanes: Array, addresses: Array, size: int, align: int, access: str, *, far: bool = False
    ) -> tuple[Array, Array, Array]:
        """
        Checks the bounds and alignment of an access; returns its elements, granules and owners (lanes). With `far`,
        addresses may be in the shared memory of any CTA of the cluster.
        """
        offsets = addresses.astype(np.int64)
        bases = self._lane_base[lanes]
        if far and (offsets >> RANK_SHIFT).any():
            offsets, ctas = self._peers.locate(lanes, offsets)
            self._peers.require(lanes, ctas, access)
            self._peers.touch(lanes, ctas)
            bases = ctas * self.stride - BASE
        self._check_offsets(offsets, size, align, access)
        flat = offsets + bases
        return flat // size, self._granules(flat, size), lanes[:, None]

    def _check_offsets(self, offsets: Array, size: int, align: int, access: str) -> None:
        require_inside(offsets, size, self._stop, access, "shared", self._extent, begin=BASE)
        require_aligned(offsets, size, align, access, "shared")

    def _granules(self, flat: Array, size: int) -> Array:
        """Returns the granules of each access, `[lanes, granules]`."""
        start = (flat // self.granule)[:, None]
        count = size // self.granule
        return start if count <= 1 else start + np.arange(count)
