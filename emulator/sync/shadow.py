"""
Detects races on shared memory.

Each granule (as wide as the kernel's narrowest access) records its last writer with its stamp, and the stamp of each
agent's last read. Two accesses of different threads, one of them a write, must be ordered by `Clocks`. A
`fence.proxy.async` must also lie between a write through the generic proxy and an access through the async proxy (TMA,
wgmma, bulk stores; PTX ISA §8.10, proxies). Writes of equal bytes are permitted.
"""

from __future__ import annotations

import numpy as np

from ..engine.clocks import ANY_LANE, UNIT, Clocks
from ..errors import AsyncRace, MbarrierMisuse, PendingCopy, ProxyRace, SharedRace
from ..isa.types import Array
from ..violation import Violation, first, reject

_NOBODY = -1


class Shadow:
    """
    One entry for each granule of all CTAs. A writer is a lane, or -2 - column for a copy that completes on the mbarrier
    with this column of the clocks.
    """

    def __init__(self, granules: int, clocks: Clocks):
        self._clocks = clocks
        self._warps = clocks.warps
        self._writer = np.full(granules, _NOBODY, np.int32)
        self._write_clock = np.full(granules, -1, np.int32)
        self._atomic = np.zeros(granules, np.bool_)
        self._pending = np.zeros(granules, np.bool_)
        self._readers: Array = np.zeros(0, np.int64)
        self._slot = np.full(clocks.agents, -1, np.int64)
        self._read_key: Array = np.full((granules, 0), -1, np.int32)
        self._objects: Array | None = None
        self._copied = False

    # --- the generic proxy -------------------------------------------------------------------------

    def check_usable(self, granules: Array, addresses: Array, access: str) -> None:
        """Requires that no `cp.async` to these granules is in flight, and that they do not hold an mbarrier."""
        reject(self._pending[granules], PendingCopy, access=access, address=addresses)
        if self._objects is not None:
            problem = f"plain {access} of an mbarrier"
            reject(self._objects[granules], MbarrierMisuse, address=addresses, problem=problem)

    def note_read(self, granules: Array, owners: Array, *, collective: bool) -> None:
        warps = owners // 32
        lane = ANY_LANE if collective else owners % 32
        slots = self._slots(warps % self._warps)
        self._read_key[granules, slots] = self._clocks.now(warps) + lane

    def _slots(self, columns: Array) -> Array:
        """Returns the columns of `_read_key` for these agents, allocated at their first read."""
        slots = self._slot[columns]
        if (slots < 0).any():
            new = np.unique(columns[slots < 0])
            self._slot[new] = self._readers.size + np.arange(new.size)
            self._readers = np.concatenate([self._readers, new])
            self._read_key = np.pad(self._read_key, ((0, 0), (0, new.size)), constant_values=-1)
            slots = self._slot[columns]
        return slots

    def check_writer(
        self, granules: Array, owners: Array, addresses: Array, access: str, among: Array | None = None
    ) -> None:
        """
        Requires that the last write by another thread happens before this access. If `owners` are not all lanes of the step,
        `among` flags them.
        """
        clocks = self._clocks
        writers, stamps = self._writer[granules], self._write_clock[granules]
        columns = self._columns(writers)
        warps = owners // 32
        bad = (clocks.must[warps, columns] <= stamps) & (writers != owners)
        if bad.any() and not clocks.exact:
            released = (writers < 0) | (clocks.released[writers] > stamps)
            bad &= ~((clocks.known(owners, columns) > stamps) & released)
        if bad.any():
            position = first(bad)
            lane = position if among is None else int(np.flatnonzero(among)[position])
            self._race(lane, access, int(addresses[position]), int(writers[bad][0]), int(stamps[bad][0]))

    def _columns(self, writers: Array) -> Array:
        columns = writers // 32 % self._warps
        return np.where(writers >= 0, columns, -2 - writers) if self._copied else columns

    def check_readers(self, granules: Array, owners: Array, addresses: Array, access: str = "write") -> None:
        """Requires that all reads by other threads happen before this write."""
        clocks, readers = self._clocks, self._readers
        if not readers.size:
            return
        warps = owners // 32
        keys = self._read_key[granules]
        bad = clocks.must[warps[..., None], readers] <= keys
        if not bad.any():
            return
        own = readers == (warps % self._warps)[..., None]
        lanes = keys % UNIT
        bad &= ~(own & ((lanes == owners[..., None] % 32) | (lanes == ANY_LANE)))
        if not clocks.exact:
            known = clocks.known(owners[..., None], readers) > keys
            bad &= ~(known & self._has_released(keys, readers, warps[..., None]))
        if bad.any():
            position, granule, slot = (int(i[0]) for i in np.nonzero(bad))
            key = int(keys[position, granule, slot])
            self._report_unordered_read(
                position, access, int(addresses[position]), int(readers[slot]), key, int(owners[position, 0])
            )

    def _has_released(self, keys: Array, columns: Array, warps: Array) -> Array:
        """Returns whether the reading lane has released since its read; this holds of hardware agents and whole warps."""
        lane = keys % UNIT
        reader = (warps // self._warps * self._warps + np.minimum(columns, self._warps - 1)) * 32 + np.minimum(lane, 31)
        return (columns >= self._warps) | (lane == ANY_LANE) | (self._clocks.released[reader] > keys)

    def is_atomic(self, granules: Array) -> Array:
        return self._atomic[granules].min(axis=1) != 0

    def claim(self, granules: Array, owners: Array, *, atomic: bool = False) -> None:
        self._writer[granules] = owners
        self._write_clock[granules] = self._clocks.now(owners // 32)
        self._atomic[granules] = atomic

    def check_overwritten(self, granules: Array, owners: Array, addresses: Array, differs: Array, access: str) -> None:
        """After a step's writes, reports lanes whose value another lane of the step has overwritten."""
        if differs.any():
            position = first(differs)
            writer = self._writer[granules[position]]
            other = int(writer[np.argmax(writer != owners[position])])
            self._race(position, access, int(addresses[position]), other, 0)

    def owned(self, granules: Array, owners: Array) -> Array:
        return (self._writer[granules] == owners).all(axis=1)

    def pend(self, granules: Array, flag: bool) -> None:
        """Marks a `cp.async` to these granules as in flight, or as complete."""
        self._pending[granules] = flag

    def complete_with_mbarrier(self, granules: Array, columns: Array, stamps: Array) -> None:
        """Records that the copies in flight to these granules complete when the mbarriers `columns` complete the phases `stamps`."""
        self._writer[granules] = -2 - columns
        self._write_clock[granules] = stamps
        self._copied = True

    def reserve(self, granules: Array, flag: bool) -> None:
        """Marks granules as part of an mbarrier, or unmarks them."""
        if self._objects is None:
            self._objects = np.zeros(self._writer.size, np.bool_)
        self._objects[granules] = flag

    # --- the async proxy ---------------------------------------------------------------------------

    def async_write(self, lane: int, granules: Array, addresses: Array, column: int, stamp: int, what: str) -> None:
        """Checks and records a bulk copy by `lane` to these granules, which completes with `stamp` of `column`."""
        lanes = np.array([lane])
        self.check_usable(granules[None], addresses[:1], what)
        self._check_async(lanes, granules, addresses, what, generic=what == "st.async")
        self._check_reads(lane, granules, addresses, what)
        self._writer[granules] = -2 - column
        self._write_clock[granules] = stamp
        self._atomic[granules] = False
        self._copied = True

    def _check_reads(self, lane: int, granules: Array, addresses: Array, what: str) -> None:
        """Requires that all reads happen before the copy that `lane` issues."""
        clocks, readers = self._clocks, self._readers
        if not readers.size:
            return
        keys = self._read_key[granules]
        late = clocks.certain(lane, readers) <= keys
        if not late.any():
            return
        at, slots = np.nonzero(late)
        keys, columns = keys[at, slots], readers[slots]
        mine = (columns == lane // 32 % self._warps) & (keys % UNIT == lane % 32)
        known = clocks.known(np.array(lane), readers)[slots] > keys
        bad = ~mine & ~(known & self._has_released(keys, columns, np.array(lane // 32)))
        if bad.any():
            i = int(np.argmax(bad))
            self._report_unordered_read(0, what, int(addresses[at[i]]), int(columns[i]), int(keys[i]), lane)

    def async_read(self, lanes: Array, granules: Array, addresses: Array, column: int, stamp: int, what: str) -> None:
        """Checks and records an async read on behalf of `lanes` of one CTA, which lasts until `column` completes `stamp`."""
        self.check_usable(granules[None], addresses[:1], what)
        self._check_async(lanes, granules, addresses, what)
        slot = self._slots(np.array([column]))[0]
        self._read_key[granules, slot] = stamp * UNIT + ANY_LANE

    def _check_async(
        self, lanes: Array, granules: Array, addresses: Array, what: str, *, generic: bool = False
    ) -> None:
        """
        Requires that the last writes happen before this access and, unless the access is `generic`, that a proxy fence
        follows writes through the generic proxy.
        """
        clocks, n = self._clocks, self._clocks.agents
        writers, stamps = self._writer[granules], self._write_clock[granules]
        columns = self._columns(writers)
        must, known = clocks.common(lanes)
        alone = int(lanes[0]) if lanes.size == 1 else -2
        mine = writers == alone
        bad = (must[columns] <= stamps) & ~mine
        if bad.any():
            bad &= ~((known[columns] > stamps) & ((writers < 0) | (clocks.released[writers] > stamps)))
        if bad.any():
            at = int(np.argmax(bad))
            self._race(0, what, int(addresses[at]), int(writers[at]), int(stamps[at]))
        unseen = writers >= 0
        if generic or not unseen.any():
            return
        behind = n + np.where(unseen, columns, 0)
        passed = (must[behind] > stamps) | ((clocks.fenced[writers] > stamps) & ((known[behind] > stamps) | mine))
        bad = unseen & ~passed
        if bad.any():
            at = int(np.argmax(bad))
            other = f"tid {self._thread(int(writers[at]))}"
            raise Violation(ProxyRace, 0, access=what, space="shared", address=int(addresses[at]), other=other)

    # --- faults ------------------------------------------------------------------------------------

    def _thread(self, lane: int) -> str:
        """Returns the name of a thread: `7`, or in a cluster `7 of CTA rank 1`."""
        cta, thread = divmod(lane, self._clocks.cta_warps * 32)
        cluster = self._clocks.cluster
        return f"{thread} of CTA rank {cta % cluster}" if cluster > 1 else f"{thread}"

    def _of(self, number: int, each: int) -> str:
        """Returns the name of an agent, such as a warp, if each CTA has `each` of them: `7`, or `7 of CTA rank 1`."""
        cluster = self._clocks.cluster
        return f"{number % each} of CTA rank {number // each}" if cluster > 1 else f"{number}"

    def _race(self, position: int, access: str, address: int, writer: int, stamp: int) -> None:
        if writer < 0:
            number = (-2 - writer - self._clocks.phase_column) // self._clocks.cluster
            other = f"a bulk copy to it (mbarrier {number} of the CTA, phase {stamp})"
            raise Violation(AsyncRace, position, access=access, address=address, other=other)
        if access in ("read", "write", "atomic", "cp.async"):
            kind = "write-read" if access == "read" else "write-write"
            other = self._thread(writer)
            raise Violation(SharedRace, position, kind=kind, access=access, address=address, other=other)
        other = f"a write by tid {self._thread(writer)}"
        raise Violation(AsyncRace, position, access=access, address=address, other=other)

    def _report_unordered_read(
        self, position: int, access: str, address: int, column: int, key: int, writer: int
    ) -> None:
        """Reports a write (by lane `writer`, or on its behalf) that is not ordered after a read."""
        clocks = self._clocks
        if column >= clocks.bulk_column and clocks.agents > clocks.bulk_column:
            warp = self._of(column - clocks.bulk_column, clocks.cta_warps)
            other = f"a bulk store by warp {warp} that still reads it"
        elif column >= clocks.wgmma_column:
            group = self._of(column - clocks.wgmma_column, clocks.warpgroups)
            other = f"a wgmma of warpgroup {group} that still reads it"
        else:
            reader = self._thread((writer // 32 // self._warps * self._warps + column) * 32 + min(key % UNIT, 31))
            if access in ("write", "atomic", "cp.async"):
                raise Violation(SharedRace, position, kind="read-write", access=access, address=address, other=reader)
            other = f"a read by tid {reader}"
        raise Violation(AsyncRace, position, access=access, address=address, other=other)
