"""
Detects races on global memory between CTAs, warps and lanes (PTX ISA §8, memory consistency).

Each granule records its last writer and its readers with their stamps. Two accesses, one of them a store, race unless one
happens before the other. Within a cluster `Clocks` orders them; between clusters, a release that was acquired does
(`red.release` / `ld.acquire`, or fences around relaxed accesses). Two strong accesses (volatile, relaxed, atomic …) never
race. Stores of equal values are permitted. CTAs may run in any order, so an unordered pair is reported even if its order in
this run was harmless.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..engine.clocks import UNIT
from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import GlobalRace
from ..isa.special import cta_numbers
from ..isa.types import Array
from ..memory.memory import Buffer
from ..violation import Violation, first, relocated
from .global_proxy import BY_HARDWARE, GlobalProxy, Known

_MOST = 1 << 20
"""Maximum number of readers that are recorded for a buffer, besides the last reader of each granule."""


def joined(known: Known, more: Known) -> Known:
    """Joins two vector clocks."""
    if known is more or not more:
        return known
    if not known:
        return more
    together = dict(known)
    for cta, row in more.items():
        mine = together.get(cta)
        if mine is not row:
            together[cta] = row if mine is None else np.maximum(mine, row)
    return together


def _warp_addresses(lanes: Array, addresses: Array) -> list[tuple[int, int]]:
    """Returns the distinct (warp, address) pairs of these lanes."""
    return list(dict.fromkeys(zip((lanes // 32).tolist(), addresses.tolist(), strict=True)))


class _Table:
    """
    The accesses of one buffer by granule; lanes are numbered over the whole grid. `reader` is the last reader; `_crowd`
    lists up to `_MOST` earlier weak reads by other lanes.
    """

    def __init__(self, granules: int):
        self.writer = np.full(granules, -1, np.int32)
        self.stamp = np.zeros(granules, np.int32)
        self.reader = np.full(granules, -1, np.int32)
        self.read = np.zeros(granules, np.int32)
        self._crowded = np.zeros(granules, np.bool_)
        self._crowd: list[Array] = []
        self._size = 0

    def note_reads(self, granules: Array, lanes: Array, stamps: Array) -> None:
        before = self.reader[granules]
        self._push(granules, before, self.read[granules], (before >= 0) & (before != lanes))
        self.reader[granules], self.read[granules] = lanes, stamps
        self._push(granules, lanes, stamps, self.reader[granules] != lanes)  # other lanes of this step

    def _push(self, granules: Array, lanes: Array, stamps: Array, chosen: Array) -> None:
        chosen = chosen & (stamps & 1 == 0)
        if self._size < _MOST and chosen.any():
            entries: Array = np.stack([granules[chosen], lanes[chosen], stamps[chosen]])
            self._crowded[entries[0]] = True
            self._crowd.append(entries)
            self._size += entries.shape[1]

    def take_crowd(self, granules: Array) -> tuple[Array, Array, Array]:
        """
        Removes and returns the readers of these granules in `_crowd`: rows of `granules`, lanes and stamps. They need not
        be kept, because an access that is ordered after the current store is also ordered after them.
        """
        rows, columns = np.nonzero(self._crowded[granules])
        if not rows.size:
            return rows, rows, rows
        if len(self._crowd) > 1:
            crowd = np.concatenate(self._crowd, axis=1)
            crowd = crowd[:, crowd[1] >= 0]
            self._crowd = [crowd[:, np.argsort(crowd[0], kind="stable")]]
            self._size = crowd.shape[1]
        crowd = self._crowd[0]
        wanted = granules[rows, columns]
        first = np.searchsorted(crowd[0], wanted)
        counts = np.searchsorted(crowd[0], wanted, side="right") - first
        ends: Array = np.cumsum(counts)
        entries = np.arange(int(ends[-1])) - np.repeat(ends - counts - first, counts)
        found = np.repeat(rows, counts), crowd[1, entries], crowd[2, entries]
        crowd[1, entries] = -1
        self._crowded[wanted] = False
        return found


@dataclass
class _Fences:
    """Each warp's own stamp, and its row of clocks, at its last fence of GPU scope."""

    stamp: Array
    row: Array


@dataclass
class Record:
    """The accesses of one launch by buffer. `messages` are the clocks released at each address."""

    granule: int
    messages: dict[int, Known] = field(default_factory=lambda: dict[int, Known]())
    _tables: dict[int, _Table] = field(default_factory=lambda: dict[int, _Table]())

    def table(self, buffer: Buffer) -> _Table:
        table = self._tables.get(buffer.base)
        if table is None:
            table = self._tables[buffer.base] = _Table(buffer.size // self.granule + 1)
        return table


class GlobalRaces(Part):
    """
    Race detection for one batch; `record` is shared by all batches of the launch. For each warp, `_known` holds the clocks
    acquired from other clusters, `_received` the clocks (by address) that are not yet joined into `_known`, and `_unfenced`
    the clocks that take effect at the next fence.
    """

    def __init__(self, m: Machine, record: Record):
        super().__init__(m)
        self.record = record
        self._known: dict[int, Known] = {}
        self._received: dict[int, dict[int, Known]] = {}
        self._unfenced: dict[int, dict[int, Known]] = {}
        self._fences: _Fences | None = None
        self.proxy = GlobalProxy(m, self.known)

    def known(self, warp: int) -> Known:
        """Returns the clocks that the warp has acquired from other clusters."""
        known = self._known.get(warp, {})
        for message in self._received.pop(warp, {}).values():
            known = joined(known, message)
        self._known[warp] = known
        return known

    def access(self, lanes: Lanes, *, strong: bool = False) -> Access:
        return Access(self, self._m, lanes.index, strong)

    def by_hardware(self, lane: int) -> Access:
        """Returns an access through the async proxy on behalf of one lane, of any number of elements."""
        return Access(self, self._m, np.array([lane]), False, BY_HARDWARE)

    # --- synchronization ---------------------------------------------------------------------------

    def fence(self, lanes: Lanes) -> None:
        """Executes a fence of GPU scope: later relaxed stores release, earlier relaxed loads acquire."""
        m = self._m
        warps = np.flatnonzero(lanes.bits)
        n = m.clocks.warps
        if self._fences is None:
            total = m.cta_count * m.launch.warps
            self._fences = _Fences(np.zeros(total, np.int32), np.zeros((total, n), np.int32))
        _, _, may = m.clocks.release(lanes, m.alive_bits())
        self._fences.stamp[warps] = m.clocks.now(warps)
        self._fences.row[warps] = may[:, :n]
        for warp in warps.tolist() if self._unfenced else ():
            for address, message in self._unfenced.pop(warp, {}).items():
                self._acquired(warp, address, message)

    def release(self, lanes: Lanes, addresses: Array, *, fenced: bool) -> None:
        """Releases the clocks of threads at the addresses of their strong stores; if `fenced`, the clocks at their last fences."""
        if fenced and self._fences is None and not self._known and not self._received:
            return
        m = self._m
        n = m.clocks.warps
        warps, _, may = m.clocks.release(lanes, m.alive_bits())
        rows = dict(zip(warps.tolist(), may[:, :n], strict=True))
        for warp, address in _warp_addresses(lanes.index, addresses):
            row = self._covered(warp, n, rows[warp]) if fenced else rows[warp]
            message = joined(self.record.messages.get(address, {}), self.known(warp))
            self.record.messages[address] = joined(message, {self._unit(warp): row})

    def _covered(self, warp: int, warps: int, row: Array) -> Array:
        if self._fences is None:
            return np.zeros_like(row)
        base = warp // warps * warps
        theirs = self._fences.stamp[base : base + warps]
        return np.maximum(self._fences.row[warp], np.minimum(row, theirs))

    def acquire(self, lanes: Lanes, addresses: Array, *, fenced: bool) -> None:
        """Acquires the clocks released at the addresses of strong loads; if `fenced`, this takes effect at the next fence."""
        if not self.record.messages:
            return
        for warp, address in _warp_addresses(lanes.index, addresses):
            message = self.record.messages.get(address)
            if message and fenced:
                self._unfenced.setdefault(warp, {})[address] = message
            elif message:
                self._acquired(warp, address, message)

    def _acquired(self, warp: int, address: int, message: Known) -> None:
        """Joins the clocks of the warp's own cluster into `Clocks`; the clocks of other clusters are kept here."""
        received = self._received.setdefault(warp, {})
        if received.get(address) is message:
            return
        received[address] = message
        clocks = self._m.clocks
        n = clocks.warps
        mine = message.get(self._unit(warp))
        if mine is not None:
            theirs = np.where(np.arange(n) == warp % n, 0, mine)
            for rows in (clocks.must,) if clocks.exact else (clocks.may_uniform, clocks.may):
                rows[warp, :n] = np.maximum(rows[warp, :n], theirs)

    def join(self, warps: Array) -> None:
        """Joins, among warps that complete a barrier, the clocks that they have acquired from other clusters."""
        if not (self._known or self._received or self._unfenced):
            return
        together: Known = {}
        waiting: dict[int, Known] = {}
        for warp in warps.tolist():
            together = joined(together, self.known(warp))
            for address, message in self._unfenced.get(warp, {}).items():
                waiting[address] = joined(waiting.get(address, {}), message)
        for warp in warps.tolist():
            self._known[warp] = together
            self._unfenced[warp] = dict(waiting)

    def _unit(self, warp: int) -> int:
        """Returns the cluster of a warp, numbered over the whole grid."""
        return self._m.first_cta // self._m.launch.cluster_size + warp // self._m.clocks.warps


class Access:
    """One step's access to global memory: an element by each of `lanes`, or any number of elements by a single lane."""

    def __init__(self, races: GlobalRaces, m: Machine, lanes: Array, strong: bool, proxy: int = 0):
        self._races = races
        self._m = m
        self._lanes = lanes
        self._strong = strong
        self._proxy = proxy

    def among(self, positions: Array) -> Access:
        lanes = self._lanes if self._lanes.size == 1 else self._lanes[positions]
        return Access(self._races, self._m, lanes, self._strong, self._proxy)

    def _granules(self, buffer: Buffer, addresses: Array, size: int) -> Array:
        granule = self._races.record.granule
        start = ((addresses - np.uint64(buffer.base)) // np.uint64(granule)).astype(np.int64)[:, None]
        return start if size <= granule else start + np.arange(size // granule)

    def _me(self) -> Array:
        """Returns these lanes, numbered over the whole grid."""
        return (self._lanes + self._m.first_cta * self._m.launch.warps * 32)[:, None]

    def read(self, buffer: Buffer, addresses: Array, size: int) -> None:
        """Checks and records a load, before it happens."""
        if buffer.readonly:
            return
        table = self._races.record.table(buffer)
        granules = self._granules(buffer, addresses, size)
        me = self._me()
        self._check(table.writer[granules], table.stamp[granules], me, addresses, "write-read", "load")
        if self._proxy:
            lane = int(self._lanes[0])
            self._races.proxy.check(lane, table.writer[granules], table.stamp[granules], addresses)
        stamps = self._m.clocks.now(self._lanes // 32)[:, None] + self._strong
        table.note_reads(granules, np.broadcast_to(me, granules.shape), np.broadcast_to(stamps, granules.shape))

    def write(self, buffer: Buffer, addresses: Array, changed: Array, size: int, *, what: str = "store") -> None:
        """Checks and records a store, before it happens; `changed` flags values that differ from those in memory."""
        table = self._races.record.table(buffer)
        granules = self._granules(buffer, addresses, size)
        me = self._me()
        if changed.any():
            writers, stamps = table.writer[granules], table.stamp[granules]
            writers = np.where(changed[:, None], writers, -1)
            self._check(writers, stamps, me, addresses, "write-write", what)
            readers = np.where(changed[:, None], table.reader[granules], -1)
            self._check(readers, table.read[granules], me, addresses, "read-write", what)
            rows, lanes, when = table.take_crowd(granules[changed])
            if rows.size:
                rows = np.flatnonzero(changed)[rows]
                crowd = self.among(rows)
                with relocated(rows):
                    crowd._check(lanes[:, None], when[:, None], crowd._me(), addresses[rows], "read-write", what)
        table.writer[granules] = me
        table.stamp[granules] = self._m.clocks.now(self._lanes // 32)[:, None] + self._strong + self._proxy
        if changed.any() and what == "store":
            self._m.polling.changed()

    def check_overwritten(self, addresses: Array, differs: Array) -> None:
        """After a store, reports lanes whose value another lane of the same step has overwritten."""
        if differs.any() and not self._strong:
            position = first(differs)
            others = self._me()[:, 0][(addresses == addresses[position]) & ~differs]
            if others.size:
                self._report("write-write", position, int(addresses[position]), "store", int(others[0]))

    def _check(self, others: Array, stamps: Array, me: Array, addresses: Array, kind: str, what: str) -> None:
        """Requires that all accesses by `others` (-1: none) happen before these lanes' access, or that both are strong."""
        bad = (others >= 0) & (others != me)
        if self._strong:
            bad &= (stamps & 1) == 0
        if not bad.any():
            return
        bad &= ~self._ordered(others, stamps, bad)
        if bad.any():
            position = first(bad)
            self._report(kind, position, int(addresses[position]), what, int(others[bad][0]))

    def _ordered(self, others: Array, stamps: Array, asked: Array) -> Array:
        m = self._m
        n = m.clocks.warps
        lanes = np.broadcast_to(self._lanes[:, None], others.shape)
        clusters, warps = others // (32 * n), others // 32 % n
        stamps = stamps - stamps % UNIT
        near = clusters == m.first_cta // m.launch.cluster_size + lanes // (32 * n)
        mine = lanes // 32
        known = m.clocks.must[mine, warps] > stamps
        if not m.clocks.exact:
            known |= m.clocks.known(lanes, warps) > stamps
        known = near & known
        far = np.nonzero(asked & ~near)
        pairs, which = np.unique(mine[far] << 32 | clusters[far], return_inverse=True)
        for i, pair in enumerate(pairs.tolist()):
            row = self._races.known(pair >> 32).get(pair & 0xFFFF_FFFF)
            if row is not None:
                at = tuple(axis[which == i] for axis in far)
                known[at] = row[warps[at]] > stamps[at]
        return known

    def _report(self, kind: str, position: int, address: int, what: str, other: int) -> None:
        m = self._m
        width = m.launch.warps * 32
        x, y, _ = m.launch.grid
        number, tid = divmod(other, width)
        cta = int(cta_numbers(m.launch.grid, m.launch.cluster)[number])
        name = f"tid {tid} of CTA ({cta % x}, {cta // x % y}, {cta // (x * y)})"
        fields = {"kind": kind, "space": "global", "address": address, "access": what, "other": name}
        raise Violation(GlobalRace, position, **fields)
