"""
mbarriers: arrivals, transaction counts, phases, waiting lanes (PTX ISA §9.7.13.15).

A phase completes when no arrivals and no bytes are pending. A thread that observes the completion acquires what the
arrivals released. `try_wait` blocks its threads until then, so that a loop around it takes no steps, and a wait that never
ends is reported as a deadlock at this mbarrier. Threads and copies of other CTAs of the cluster may arrive at it, but only
threads of its own CTA may wait.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import counted
from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import MbarrierMisuse, MissingBarrierFence, PeerExited
from ..isa.types import Array
from ..memory.shared import SharedMemory
from ..violation import Violation, reject, relocated
from .cluster import ClusterBarrier, Peers

_ROOM = 16
"""Number of slots that are allocated at once."""
TX_LIMIT = (1 << 20) - 1
"""Maximum arrival count, and maximum absolute value of the transaction count."""


@dataclass(frozen=True)
class _Named:
    """The mbarriers at one shared address, for each of `lanes` in the CTA `ctas`; `chosen` flags these lanes in the step."""

    address: int
    slot: int
    ctas: Array
    lanes: Lanes
    chosen: Array


@dataclass(frozen=True)
class Copy:
    """A copy that completes on an mbarrier, with the clock column and the phase of its completion."""

    named: _Named
    column: int
    phase: int


class Mbarriers(Part):
    """The mbarriers of a batch: slots by shared address, state `[slot, CTA]`."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._peers, self._shared = m.part(Peers), m.part(SharedMemory)
        self._peers.at_end.append(self._check_exit)
        self._slots: dict[int, int] = {}
        self._state: Array = np.zeros((10, 0, m.cta_count), np.int64)
        self._far: Array = np.zeros((0, m.cta_count, m.clocks.warps), np.int32)
        self._open: Array = np.zeros((2, 0, m.cta_count, m.clocks.columns), np.int32)
        self._done = self._open.copy()
        self._blocked: dict[int, Array] = {}
        self._wanted = np.zeros(m.lane_count, np.int64)

    # rows of `_state`
    COUNT, PENDING, TX, PHASE, LIVE, FENCED, RELEASED, PUBLIC, COPIED, FAR = range(10)
    """
    LIVE: initialized. FENCED: visible to the async proxy. RELEASED: the lane that executed fence.mbarrier_init, plus one;
    its next arrival at a cluster barrier, even a relaxed one, publishes the mbarrier. PUBLIC: the number of that cluster
    barrier, after which the whole cluster may use the mbarrier. COPIED: the phase of the last copy, plus one. FAR: the phase
    of the last arrival from another CTA, plus one.
    """

    def _slot(self, address: int) -> int:
        slot = self._slots.get(address)
        if slot is None:
            slot = self._slots[address] = len(self._slots)
            if slot >= self._state.shape[1]:
                self._m.clocks.add_phases(_ROOM)
                self._state = np.pad(self._state, ((0, 0), (0, _ROOM), (0, 0)))
                self._far = np.pad(self._far, ((0, _ROOM), (0, 0), (0, 0)), constant_values=-1)
                grow = ((0, 0), (0, _ROOM), (0, 0), (0, _ROOM * self._m.clocks.cluster))
                self._open, self._done = np.pad(self._open, grow), np.pad(self._done, grow)
        return slot

    def _find(self, lanes: Lanes, addresses: Array, ctas: Array | None = None) -> list[_Named]:
        """
        Returns the mbarriers at the lanes' addresses in their own CTA or in `ctas`, grouped by address. Checks that they
        are initialized, and that the initialization happens before.
        """
        m = self._m
        there = m.local_cta(lanes.index) if ctas is None else ctas
        if ctas is not None:
            self._peers.require(lanes.index, ctas, "mbarrier operation")
        granules = self._shared.find_object(addresses, there)
        rows: list[_Named] = []
        for address in np.unique(addresses).tolist():
            chosen = addresses == address
            alone = bool(chosen.all())
            slot = self._slots.get(address)
            mine = there if alone else there[chosen]
            if slot is None:
                self._shared.check_object(lanes.index, granules, addresses, chosen)
            else:
                public = self._state[self.PUBLIC, slot, there]
                seen = (public > 0) & (m.part(ClusterBarrier).passed(lanes.index) >= public)
                self._shared.check_object(lanes.index, granules, addresses, chosen & ~seen)
            if slot is None or not self._state[self.LIVE, slot, mine].all():
                missing = int(np.argmax(chosen))
                raise Violation(MbarrierMisuse, missing, address=address, problem="it is not initialized")
            rows.append(_Named(address, slot, mine, lanes if alone else lanes.among(chosen), chosen))
        return rows

    def initialize(self, lanes: Lanes, addresses: Array, counts: Array) -> None:
        m = self._m
        self._shared.reserve(lanes.index, addresses, True)
        wrong = (counts <= 0) | (counts > TX_LIMIT)
        reject(wrong, MbarrierMisuse, address=addresses, problem=f"its count must be in [1, {TX_LIMIT}]")
        for address in np.unique(addresses).tolist():
            chosen = addresses == address
            slot, ctas = self._slot(address), m.local_cta(lanes.index[chosen])
            if np.unique(ctas).size < ctas.size:
                raise Violation(MbarrierMisuse, 0, address=address, problem="several threads initialize it")
            with relocated(np.flatnonzero(chosen)):
                live = self._state[self.LIVE, slot, ctas]
                reject(live, MbarrierMisuse, address=address, problem="it is initialized already")
            self._state[:, slot, ctas] = 0
            self._state[self.COUNT, slot, ctas] = self._state[self.PENDING, slot, ctas] = counts[chosen]
            self._state[self.LIVE, slot, ctas] = 1
            self._open[:, slot, ctas] = self._done[:, slot, ctas] = 0
            self._far[slot, ctas] = -1

    def invalidate(self, lanes: Lanes, addresses: Array) -> None:
        for named in self._find(lanes, addresses):
            self._state[self.LIVE, named.slot, named.ctas] = 0
        self._shared.reserve(lanes.index, addresses, False)

    def fence(self, lanes: Lanes, *, release: bool = False) -> None:
        """
        Makes the mbarriers that the lanes' CTAs have initialized visible to the async proxy; with `release`, also to
        threads that wait at a cluster barrier at which these lanes arrive.
        """
        ctas, where = np.unique(self._m.local_cta(lanes.index), return_index=True)
        live = self._state[self.LIVE][:, ctas]
        self._state[self.FENCED][:, ctas] = live
        if release:
            before = self._state[self.RELEASED][:, ctas]
            self._state[self.RELEASED][:, ctas] = np.where(before > 0, before, live * (lanes.index[where] + 1))

    def publish(self, lanes: Lanes, barriers: Array) -> None:
        """Called when lanes arrive at cluster barriers: makes the mbarriers that they have fenced public after these barriers."""
        if not self._slots:
            return
        released, public = self._state[self.RELEASED], self._state[self.PUBLIC]
        generation = np.zeros(lanes.total + 1, np.int64)
        generation[lanes.index + 1] = barriers
        public[:] = np.where((released > 0) & (public == 0), generation[released], public)

    def _check_exit(self, cta: int, known: Array, position: int) -> None:
        """Checks that all copies and arrivals at a CTA's mbarriers happen before its end; `known` is its joined clock."""
        if not self._slots:
            return
        m = self._m
        slots = np.arange(len(self._state[0]))
        phases = known[m.clocks.phase_columns(slots, np.array(cta))]
        state = self._state[:, :, cta]
        live = state[self.LIVE] != 0
        arrived = (self._far[:, cta] >= known[: m.clocks.warps]).any(axis=1)
        problems = (
            (state[self.COPIED] > phases, "a bulk copy to it may be in flight"),
            (arrived & (state[self.FAR] > phases), "an arrival from another CTA may be in flight"),
        )
        for bad, what in problems:
            if (bad & live).any():
                slot = int(np.argmax(bad & live))
                address = next(a for a, s in self._slots.items() if s == slot)
                what = f"{what} (mbarrier at shared address {address:#x})"
                raise Violation(PeerExited, position, rank=self._peers.rank(cta), what=what)

    # --- arriving ----------------------------------------------------------------------------------

    def arrive(
        self,
        lanes: Lanes,
        addresses: Array,
        counts: Array,
        tx: Array,
        *,
        ctas: Array | None = None,
        release: bool = True,
        drop: bool = False,
    ) -> Array:
        """
        Arrives with `counts` and expects `tx` bytes, at the mbarrier of the lane's own CTA or of `ctas`; returns each
        lane's phase.
        """
        phases = np.zeros(lanes.count, np.int64)
        for named in self._find(lanes, addresses, ctas):
            chosen = named.chosen
            state = self._state[:, named.slot]
            phases[chosen] = state[self.PHASE, named.ctas]
            self._expect(named, tx[chosen])
            if ctas is not None:
                self._note_remote_arrival(named)
            if release:
                self._release(named)
            if drop:
                np.subtract.at(state[self.COUNT], named.ctas, counts[chosen])
            self._count(named, counts[chosen])
        return phases

    def _release(self, named: _Named) -> None:
        m = self._m
        warps, must, may = m.clocks.release(named.lanes, m.alive_bits())
        pairs = np.unique(np.stack([np.searchsorted(warps, named.lanes.index // 32), named.ctas]), axis=1)
        for rows, released in zip(self._open[:, named.slot], (must, may), strict=True):
            np.maximum.at(rows, pairs[1], released[pairs[0]])

    def _note_remote_arrival(self, named: _Named) -> None:
        """Records arrivals from other CTAs, which must happen before the end of the mbarrier's CTA."""
        m = self._m
        away = named.ctas != m.local_cta(named.lanes.index)
        warps = named.lanes.index[away] // 32
        self._state[self.FAR, named.slot, named.ctas[away]] = self._state[self.PHASE, named.slot, named.ctas[away]] + 1
        self._far[named.slot, named.ctas[away], warps % m.clocks.warps] = m.clocks.now(warps)

    def _count(self, named: _Named, counts: Array) -> None:
        """Counts the arrivals of one instruction, which must all belong to the current phase."""
        slot, ctas = named.slot, named.ctas
        state = self._state[:, slot]
        came = np.bincount(ctas, counts, minlength=state.shape[1]).astype(np.int64)
        stuck = came > state[self.PENDING]
        if stuck.any():
            cta, position = int(np.argmax(stuck)), int(np.argmax(stuck[ctas]))
            problem = f"{counted(int(came[cta]), 'arrival')}, its phase waits for {int(state[self.PENDING, cta])}"
            raise Violation(MbarrierMisuse, position, address=named.address, problem=problem)
        state[self.PENDING] -= came
        self._m.polling.changed()
        self._complete(slot, np.flatnonzero(came))

    def expect(self, lanes: Lanes, addresses: Array, tx: Array, ctas: Array | None = None) -> None:
        for named in self._find(lanes, addresses, ctas):
            self._expect(named, tx[named.chosen])
            self._complete(named.slot, np.unique(named.ctas))

    def _expect(self, named: _Named, tx: Array) -> None:
        row = self._state[self.TX, named.slot]
        np.add.at(row, named.ctas, tx)
        if (np.abs(row) > TX_LIMIT).any():
            problem = f"transaction count {int(row[np.argmax(np.abs(row))])} out of range"
            raise Violation(MbarrierMisuse, 0, address=named.address, problem=problem)

    def begin_copy(self, lane: int, address: int, cta: int) -> Copy:
        """
        Begins a bulk copy by `lane` that completes on a CTA's mbarrier. A thread that observes the completion also
        acquires the read of the copy's source.
        """
        m = self._m
        where = np.array([address], np.uint64)
        named = self._find(Lanes(np.array([lane]), m.lane_count), where, np.array([cta]))[0]
        state = self._state[:, named.slot, cta]
        if not state[self.FENCED]:
            raise Violation(MissingBarrierFence, 0, address=address)
        phase = int(state[self.PHASE])
        state[self.COPIED] = phase + 1
        m.clocks.tick(np.array([lane // 32]))
        released = self._open[1, named.slot, cta]
        released[lane // 32 % m.clocks.warps] = m.clocks.now(np.array(lane // 32))
        column = int(m.clocks.phase_columns(named.slot, named.ctas)[0])
        return Copy(named, column, phase)

    def finish_copy(self, copy: Copy, size: int) -> None:
        """Completes the `size` bytes of a copy on its mbarrier."""
        cta = int(copy.named.ctas[0])
        if self._peers.gone(copy.named.ctas).any():
            what = "a bulk copy to it is in flight"
            raise Violation(PeerExited, 0, rank=self._peers.rank(cta), what=what)
        self._expect(copy.named, np.array([-size]))
        self._complete(copy.named.slot, copy.named.ctas)

    def current(self, lanes: Lanes, addresses: Array) -> tuple[Array, Array]:
        """Returns the clock column and the phase of each lane's mbarrier."""
        columns, phases = np.zeros((2, lanes.count), np.int64)
        for named in self._find(lanes, addresses):
            columns[named.chosen] = self._m.clocks.phase_columns(named.slot, named.ctas)
            phases[named.chosen] = self._state[self.PHASE, named.slot, named.ctas]
        return columns, phases

    def _complete(self, slot: int, ctas: Array) -> None:
        state = self._state[:, slot]
        done = ctas[(state[self.PENDING, ctas] == 0) & (state[self.TX, ctas] == 0)]
        if not done.size:
            return
        state[self.PHASE, done] += 1
        state[self.PENDING, done] = state[self.COUNT, done]
        self._open[:, slot, done, self._m.clocks.phase_columns(slot, done)] = state[self.PHASE, done]
        self._done[:, slot, done] = self._open[:, slot, done]
        blocked = self._blocked.get(slot)
        if blocked is not None:
            index = np.flatnonzero(blocked)
            woken = index[np.isin(self._m.local_cta(index), done)]
            if woken.size:
                blocked[woken] = False
                self._m.release(woken)

    # --- waiting -----------------------------------------------------------------------------------

    def test(self, lanes: Lanes, addresses: Array, wanted: Array, *, parity: bool, acquire: bool) -> Array:
        """
        Returns whether each lane's phase has completed. With `acquire`, lanes whose phase has completed acquire what was
        released at it.
        """
        m = self._m
        passed = np.zeros(lanes.count, np.bool_)
        for named in self._find(lanes, addresses):
            slot, part, chosen = named.slot, named.lanes, named.chosen
            phase = self._state[self.PHASE, slot, named.ctas]
            names = np.asarray(wanted[chosen]).astype(np.int64)
            ok = (phase & 1) != (names & 1) if parity else phase > names
            passed[chosen] = ok
            if acquire and ok.any():
                through = part if ok.all() else part.among(ok)
                warps = np.flatnonzero(through.bits)
                where = m.local_cta(warps * 32)
                m.clocks.acquire(through, m.alive_bits(), self._done[0, slot, where], self._done[1, slot, where])
        return passed

    def wait(self, lanes: Lanes, addresses: Array, wanted: Array) -> None:
        """Blocks lanes until their phases complete."""
        for named in self._find(lanes, addresses):
            blocked = self._blocked.setdefault(named.slot, np.zeros(self._m.lane_count, np.bool_))
            blocked[named.lanes.index] = True
            self._wanted[named.lanes.index] = wanted[named.chosen]

    def waiting(self) -> list[tuple[str, Array]]:
        """Returns descriptions of what blocked lanes wait for, with the lanes, by mbarrier and CTA."""
        m = self._m
        found: list[tuple[str, Array]] = []
        names = {slot: address for address, slot in self._slots.items()}
        for slot, blocked in self._blocked.items():
            for cta, here in m.by_cta(blocked):
                count, pending, tx, phase = (int(x) for x in self._state[:4, slot, cta])
                missing = [f"missing {pending} of {counted(count, 'arrival')}"] if pending else []
                if tx:
                    missing.append(
                        f"missing {counted(tx, 'byte')}" if tx > 0 else f"{-tx} bytes arrived that no thread expected"
                    )
                wanted = "/".join(str(w) for w in np.unique(self._wanted[here]))
                what = f"waiting at mbarrier {names[slot]:#x} (wants parity {wanted}, is in phase {phase}: "
                found.append((what + ", ".join(missing or ["complete"]) + ")", here))
        return found
