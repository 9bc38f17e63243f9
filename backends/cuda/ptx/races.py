"""
Races on global memory: between CTAs, between warps of one, between lanes (PTX ISA §8, memory consistency).

One entry per granule: who stored last and the two lanes that read last, with their stamps. Two accesses of which
one is a store race unless they are ordered: within a CTA by `Clocks`, between CTAs by a release that was
acquired (`red.release` / `ld.acquire`, or fences around relaxed accesses). Strong accesses (volatile, relaxed,
atomic …) of both sides never race. Stores of equal values are let pass. CTAs of a launch run in any order, so
what is unordered here is unordered on a GPU even where this run had it right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import GlobalRace
from .clocks import UNIT
from .lanes import Lanes
from .types import Array
from .violation import Violation, first

if TYPE_CHECKING:
    from .machine import Machine
    from .memory import Buffer

Known = dict[int, Array]
"""What is known of other CTAs: for each the stamps of its warps."""


def learn(known: Known, more: Known) -> None:
    for cta, row in more.items():
        mine = known.get(cta)
        known[cta] = row.copy() if mine is None else np.maximum(mine, row)


class _Table:
    """The accesses of one buffer, granule by granule; lanes are numbered over the whole grid."""

    def __init__(self, granules: int):
        self.writer = np.full(granules, -1, np.int32)
        self.stamp = np.zeros(granules, np.int32)
        self.readers: tuple[Array, Array, Array, Array] | None = None

    def note_reads(self, granules: Array, lanes: Array, stamps: Array) -> None:
        if self.readers is None:
            size = self.writer.size
            self.readers = tuple(np.full(size, -1, np.int32) for _ in range(4))  # pyright: ignore[reportAttributeAccessIssue]
            assert self.readers is not None
        last, last_stamp, other, other_stamp = self.readers
        new = last[granules] != lanes
        moved = granules[new]
        other[moved], other_stamp[moved] = last[moved], last_stamp[moved]
        last[granules], last_stamp[granules] = lanes, stamps
        also = last[granules] != lanes  # several lanes of this step
        other[granules[also]], other_stamp[granules[also]] = lanes[also], stamps[also]


@dataclass
class _Fences:
    """For each warp of a batch, its own stamp and its row at its last fence of GPU scope."""

    stamp: Array
    row: Array


@dataclass
class GlobalRaces:
    """The record of one launch; what a batch's warps know of other CTAs is `known[warp]`."""

    granule: int
    tables: dict[int, _Table] = field(default_factory=lambda: dict[int, _Table]())
    messages: dict[int, Known] = field(default_factory=lambda: dict[int, Known]())
    known: dict[int, Known] = field(default_factory=lambda: dict[int, Known]())
    unfenced: dict[int, Known] = field(default_factory=lambda: dict[int, Known]())
    fences: _Fences | None = None

    def new_batch(self) -> None:
        self.known, self.unfenced, self.fences = {}, {}, None

    def access(self, m: Machine, lanes: Lanes, *, strong: bool = False) -> Access:
        return Access(self, m, lanes.index, strong)

    def by_hardware(self, m: Machine, lane: int) -> Access:
        """An access on behalf of one lane, of as many elements as there are."""
        return Access(self, m, np.array([lane]), False)

    def table(self, buffer: Buffer) -> _Table:
        table = self.tables.get(buffer.base)
        if table is None:
            table = self.tables[buffer.base] = _Table(buffer.size // self.granule + 1)
        return table

    # --- synchronisation ---------------------------------------------------------------------------

    def fence(self, m: Machine, lanes: Lanes) -> None:
        """A fence of GPU scope: relaxed stores behind it publish, relaxed loads before it have acquired."""
        warps = np.flatnonzero(lanes.bits)
        n = m.launch.warps
        if self.fences is None:
            total = m.cta_count * n
            self.fences = _Fences(np.zeros(total, np.int32), np.zeros((total, n), np.int32))
        _, _, maybe = m.clocks.release(lanes, m.alive_bits())
        self.fences.stamp[warps] = m.clocks.now(warps)
        self.fences.row[warps] = maybe[:, :n]
        for warp in warps.tolist():
            waiting = self.unfenced.pop(warp, None)
            if waiting:
                self._acquired(m, warp, waiting)

    def release(self, m: Machine, lanes: Lanes, addresses: Array, *, fenced: bool) -> None:
        """A strong store publishes at these addresses all its thread knows, or (`fenced`) what a fence covered."""
        if fenced and self.fences is None and not self.known:
            return
        n = m.launch.warps
        warps, _, maybe = m.clocks.release(lanes, m.alive_bits())
        rows = dict(zip(warps.tolist(), maybe[:, :n], strict=True))
        pairs = np.unique(np.stack([(lanes.index // 32).astype(np.uint64), addresses]), axis=1).T
        for warp, address in pairs.tolist():
            row = rows[warp]
            if fenced:
                row = self._covered(warp, n, row)
            message = self.messages.setdefault(address, {})
            learn(message, {m.first_cta + warp // n: row})
            learn(message, self.known.get(warp, {}))

    def _covered(self, warp: int, warps: int, row: Array) -> Array:
        if self.fences is None:
            return np.zeros_like(row)
        base = warp // warps * warps
        theirs = self.fences.stamp[base : base + warps]
        return np.maximum(self.fences.row[warp], np.minimum(row, theirs))

    def acquire(self, m: Machine, lanes: Lanes, addresses: Array, *, fenced: bool) -> None:
        """A strong load found what was released there; `fenced`: effective at the next fence."""
        if not self.messages:
            return
        pairs = np.unique(np.stack([(lanes.index // 32).astype(np.uint64), addresses]), axis=1).T
        for warp, address in pairs.tolist():
            message = self.messages.get(address)
            if message and fenced:
                learn(self.unfenced.setdefault(warp, {}), message)
            elif message:
                self._acquired(m, warp, message)

    def _acquired(self, m: Machine, warp: int, message: Known) -> None:
        """Rows of the warp's own CTA are for `Clocks`, the others are kept here."""
        n = m.launch.warps
        own = m.first_cta + warp // n
        learn(self.known.setdefault(warp, {}), {cta: row for cta, row in message.items() if cta != own})
        mine = message.get(own)
        if mine is not None:
            theirs = np.where(np.arange(n) == warp % n, 0, mine)
            for rows in (m.clocks.sure,) if m.clocks.exact else (m.clocks.told, m.clocks.maybe):
                rows[warp, :n] = np.maximum(rows[warp, :n], theirs)

    def join(self, m: Machine, ctas: Array, arrived: Array) -> None:
        """The warps of these CTAs that met at a barrier tell each other what they know of other CTAs."""
        for source in (self.known, self.unfenced):
            if not source:
                continue
            for cta, members in zip(ctas.tolist(), arrived, strict=True):
                warps = [cta * m.launch.warps + int(w) for w in np.flatnonzero(members)]
                together: Known = {}
                for warp in warps:
                    learn(together, source.get(warp, {}))
                if together:
                    source.update((warp, dict(together)) for warp in warps)


class Access:
    """One step's access of global memory by these lanes (or of many elements by one lane)."""

    def __init__(self, races: GlobalRaces, m: Machine, lanes: Array, strong: bool):
        self._races = races
        self._m = m
        self._lanes = lanes
        self._strong = strong

    def among(self, positions: Array) -> Access:
        lanes = self._lanes if self._lanes.size == 1 else self._lanes[positions]
        return Access(self._races, self._m, lanes, self._strong)

    def _granules(self, buffer: Buffer, addresses: Array, size: int) -> Array:
        granule = self._races.granule
        start = ((addresses - np.uint64(buffer.base)) // np.uint64(granule)).astype(np.int64)[:, None]
        return start if size <= granule else start + np.arange(size // granule)

    def _me(self) -> Array:
        """These lanes, numbered over the whole grid."""
        return (self._lanes + self._m.first_cta * self._m.launch.warps * 32)[:, None]

    def read(self, buffer: Buffer, addresses: Array, size: int) -> None:
        """The lanes are about to load."""
        if buffer.readonly:
            return
        table = self._races.table(buffer)
        granules = self._granules(buffer, addresses, size)
        me = self._me()
        self._check(table.writer[granules], table.stamp[granules], me, addresses, "write-read", "load")
        stamps = self._m.clocks.now(self._lanes // 32)[:, None] + self._strong
        table.note_reads(granules, np.broadcast_to(me, granules.shape), np.broadcast_to(stamps, granules.shape))

    def write(self, buffer: Buffer, addresses: Array, changed: Array, size: int, *, what: str = "store") -> None:
        """The lanes are about to store; `changed` says whose value differs from what is there."""
        table = self._races.table(buffer)
        granules = self._granules(buffer, addresses, size)
        me = self._me()
        if changed.any():
            writers, stamps = table.writer[granules], table.stamp[granules]
            writers = np.where(changed[:, None], writers, -1)
            self._check(writers, stamps, me, addresses, "write-write", what)
            if table.readers is not None:
                last, last_stamp, other, other_stamp = table.readers
                for lanes, when in ((last, last_stamp), (other, other_stamp)):
                    readers = np.where(changed[:, None], lanes[granules], -1)
                    self._check(readers, when[granules], me, addresses, "read-write", what)
        table.writer[granules] = me
        table.stamp[granules] = self._m.clocks.now(self._lanes // 32)[:, None] + self._strong
        self._m.changed()

    def agree(self, addresses: Array, differs: Array) -> None:
        """After the store: a lane that does not find its value was overwritten in the same step."""
        if differs.any() and not self._strong:
            position = first(differs)
            others = self._me()[:, 0][(addresses == addresses[position]) & ~differs]
            if others.size:
                self._report("write-write", position, int(addresses[position]), "store", int(others[0]))

    def _check(self, others: Array, stamps: Array, me: Array, addresses: Array, kind: str, what: str) -> None:
        """All `others` (-1: nobody) must be ordered before these lanes, or both sides be strong."""
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
        n = m.launch.warps
        lanes = np.broadcast_to(self._lanes[:, None], others.shape)
        ctas, warps = others // (32 * n), others // 32 % n
        stamps = stamps - stamps % UNIT
        near = ctas == m.first_cta + lanes // (32 * n)
        mine = lanes // 32
        known = m.clocks.sure[mine, warps] > stamps
        if not m.clocks.exact:
            known |= m.clocks.known(lanes, warps) > stamps
        far = asked & ~near
        if far.any() and self._races.known:
            known = np.where(near, known, False)
            for warp in np.unique(mine[far]):
                learned = self._races.known.get(int(warp), {})
                for cta, row in learned.items():
                    here = far & (mine == warp) & (ctas == cta)
                    known[here] = row[warps[here]] > stamps[here]
            return known
        return near & known

    def _report(self, kind: str, position: int, address: int, what: str, other: int) -> None:
        m = self._m
        width = m.launch.warps * 32
        x, y, _ = m.launch.grid
        cta, tid = divmod(other, width)
        name = f"tid {tid} of CTA ({cta % x}, {cta // x % y}, {cta // (x * y)})"
        fields = {"kind": kind, "space": "global", "address": address, "access": what, "other": name}
        raise Violation(GlobalRace, 0 if self._lanes.size == 1 else position, **fields)
