"""
mbarriers: arrivals, transaction counts, phases, and who waits (PTX ISA §9.7.13.15).

A phase completes when its arrivals and its bytes have all come; what was released by arriving is then known to
those who see the phase complete. `try_wait` suspends its threads until then, so a loop around it costs nothing
and a wait that nobody ends is a deadlock with a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import MbarrierMisuse, MissingBarrierFence
from .lanes import Lanes
from .types import Array
from .violation import Violation

if TYPE_CHECKING:
    from .machine import Machine

_ROOM = 16
TX_LIMIT = (1 << 20) - 1


class Mbarriers:
    """The mbarriers of a batch: slot numbers by shared address, state `[slot, CTA]`."""

    def __init__(self, m: Machine):
        self._m = m
        self._slots: dict[int, int] = {}
        self._state = np.zeros((6, 0, m.cta_count), np.int64)
        self._open: Array = np.zeros((2, 0, m.cta_count, m.clocks.columns), np.int32)
        self._done = self._open.copy()
        self._blocked: dict[int, Array] = {}
        self._wanted = np.zeros(m.lane_count, np.int64)

    # rows of `_state`
    COUNT, PENDING, TX, PHASE, LIVE, FENCED = range(6)

    def _slot(self, address: int) -> int:
        slot = self._slots.get(address)
        if slot is None:
            slot = self._slots[address] = len(self._slots)
            if slot >= self._state.shape[1]:
                self._m.clocks.add_phases(_ROOM)
                self._state = np.pad(self._state, ((0, 0), (0, _ROOM), (0, 0)))
                grow = ((0, 0), (0, _ROOM), (0, 0), (0, _ROOM))
                self._open, self._done = np.pad(self._open, grow), np.pad(self._done, grow)
        return slot

    def _find(self, lanes: Lanes, addresses: Array) -> list[tuple[int, int, Array, Lanes]]:
        """Address, slot, CTA of each lane, lanes: one row for each mbarrier that these lanes name."""
        m = self._m
        m.shared.check_object(lanes.index, addresses)
        rows: list[tuple[int, int, Array, Lanes]] = []
        for address in np.unique(addresses):
            chosen = addresses == address
            part = lanes if chosen.all() else lanes.among(chosen)
            slot = self._slots.get(int(address))
            ctas = m.local_cta(part.index)
            if slot is None or not self._state[self.LIVE, slot, ctas].all():
                missing = int(np.argmax(chosen))
                raise Violation(MbarrierMisuse, missing, address=int(address), problem="it is not initialised")
            rows.append((int(address), slot, ctas, part))
        return rows

    def initialise(self, lanes: Lanes, addresses: Array, counts: Array) -> None:
        m = self._m
        m.shared.reserve(lanes.index, addresses, True)
        for address in np.unique(addresses):
            chosen = addresses == address
            slot, ctas = self._slot(int(address)), m.local_cta(lanes.index[chosen])
            if not ((counts[chosen] > 0) & (counts[chosen] <= TX_LIMIT)).all():
                position = int(np.argmax(chosen))
                raise Violation(MbarrierMisuse, position, address=int(address), problem="its count must be positive")
            if np.unique(ctas).size < ctas.size:
                raise Violation(MbarrierMisuse, 0, address=int(address), problem="several threads initialise it")
            self._state[:, slot, ctas] = 0
            self._state[self.COUNT, slot, ctas] = self._state[self.PENDING, slot, ctas] = counts[chosen]
            self._state[self.LIVE, slot, ctas] = 1
            self._open[:, slot, ctas] = self._done[:, slot, ctas] = 0

    def invalidate(self, lanes: Lanes, addresses: Array) -> None:
        for _, slot, ctas, _ in self._find(lanes, addresses):
            self._state[self.LIVE, slot, ctas] = 0
        self._m.shared.reserve(lanes.index, addresses, False)

    def fence(self, lanes: Lanes) -> None:
        """What these lanes' CTAs have initialised so far, the async proxy sees."""
        ctas = np.unique(self._m.local_cta(lanes.index))
        self._state[self.FENCED][:, ctas] = self._state[self.LIVE][:, ctas]

    # --- arriving ----------------------------------------------------------------------------------

    def arrive(
        self, lanes: Lanes, addresses: Array, counts: Array, tx: Array, *, release: bool = True, drop: bool = False
    ) -> Array:
        """Arrivals and expected bytes of each lane; the number of the phase that each arrived in."""
        m = self._m
        phases = np.zeros(lanes.count, np.int64)
        for address, slot, ctas, part in self._find(lanes, addresses):
            chosen = addresses == address
            state = self._state[:, slot]
            phases[chosen] = state[self.PHASE, ctas]
            self._expect(address, slot, ctas, tx[chosen])
            if release:
                warps, sure, maybe = m.clocks.release(part, m.alive_bits())
                where = m.local_cta(warps * 32)
                np.maximum.at(self._open[0, slot], where, sure)
                np.maximum.at(self._open[1, slot], where, maybe)
            if drop:
                np.subtract.at(state[self.COUNT], ctas, counts[chosen])
            self._count(address, slot, ctas, counts[chosen])
        return phases

    def _count(self, address: int, slot: int, ctas: Array, counts: Array) -> None:
        """Arrivals one by one: those that complete a phase before others come leave them to the next."""
        state = self._state[:, slot]
        left = np.bincount(ctas, counts, minlength=state.shape[1]).astype(np.int64)
        while left.any():
            room = state[self.PENDING]
            now = np.minimum(left, room)
            stuck = (left > 0) & ((room == 0) | ((counts.max() > 1) & (now < left)))
            if stuck.any():
                count = int(state[self.COUNT, int(np.argmax(stuck))])
                problem = f"more arrivals than the {count} of its phase"
                position = int(np.argmax(stuck[ctas]))
                raise Violation(MbarrierMisuse, position, address=address, problem=problem)
            state[self.PENDING] -= now
            self._m.polling.changed()
            left -= now
            self._complete(slot, np.flatnonzero(now))

    def expect(self, lanes: Lanes, addresses: Array, tx: Array) -> None:
        for address, slot, ctas, _ in self._find(lanes, addresses):
            self._expect(address, slot, ctas, tx[addresses == address])
            self._complete(slot, np.unique(ctas))

    def _expect(self, address: int, slot: int, ctas: Array, tx: Array) -> None:
        row = self._state[self.TX, slot]
        np.add.at(row, ctas, tx)
        if (np.abs(row) > TX_LIMIT).any():
            problem = f"transaction count {int(row[np.argmax(np.abs(row))])} out of range"
            raise Violation(MbarrierMisuse, 0, address=address, problem=problem)

    def begin_copy(self, lane: int, address: int) -> tuple[int, int]:
        """A bulk copy will complete on this mbarrier: the column and the phase that stand for it."""
        m = self._m
        where = np.array([address], np.uint64)
        _, slot, ctas, _ = self._find(Lanes(np.array([lane]), m.lane_count), where)[0]
        if not self._state[self.FENCED, slot, ctas[0]]:
            raise Violation(MissingBarrierFence, 0, address=address)
        return m.clocks.phase_column + slot, int(self._state[self.PHASE, slot, ctas[0]])

    def current(self, lanes: Lanes, addresses: Array) -> tuple[Array, Array]:
        """The column of each lane's mbarrier, and its phase."""
        columns, phases = np.zeros((2, lanes.count), np.int64)
        for address, slot, ctas, _ in self._find(lanes, addresses):
            columns[addresses == address] = self._m.clocks.phase_column + slot
            phases[addresses == address] = self._state[self.PHASE, slot, ctas]
        return columns, phases

    def finish_copy(self, lane: int, address: int, size: int) -> None:
        """`complete_tx` by hardware."""
        slot, ctas = self._slots[address], self._m.local_cta(np.array([lane]))
        self._expect(address, slot, ctas, np.array([-size]))
        self._complete(slot, ctas)

    def _complete(self, slot: int, ctas: Array) -> None:
        state = self._state[:, slot]
        done = ctas[(state[self.PENDING, ctas] == 0) & (state[self.TX, ctas] == 0)]
        if not done.size:
            return
        state[self.PHASE, done] += 1
        state[self.PENDING, done] = state[self.COUNT, done]
        self._open[:, slot, done, self._m.clocks.phase_column + slot] = state[self.PHASE, done]
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
        """Whether the phase that each lane names has completed; those that it has for know what was released."""
        m = self._m
        passed = np.zeros(lanes.count, np.bool_)
        for address, slot, ctas, part in self._find(lanes, addresses):
            chosen = addresses == address
            phase = self._state[self.PHASE, slot, ctas]
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
        """These lanes' phases are not complete: they go on when that changes."""
        for address, slot, _, part in self._find(lanes, addresses):
            blocked = self._blocked.setdefault(slot, np.zeros(self._m.lane_count, np.bool_))
            blocked[part.index] = True
            self._wanted[part.index] = wanted[addresses == address]

    def waiting(self) -> list[tuple[str, Array]]:
        """What blocked lanes wait for, and the lanes, mbarrier by mbarrier and CTA by CTA."""
        m = self._m
        found: list[tuple[str, Array]] = []
        names = {slot: address for address, slot in self._slots.items()}
        for slot, blocked in self._blocked.items():
            index = np.flatnonzero(blocked)
            ctas = m.local_cta(index)
            for cta in np.unique(ctas):
                here = index[ctas == cta]
                count, pending, tx, phase = (int(x) for x in self._state[:4, slot, cta])
                missing = [f"{pending} of {count} arrivals are missing"] if pending else []
                if tx > 0:
                    missing.append(f"{tx} bytes are missing")
                if tx < 0:
                    missing.append(f"{-tx} bytes came that nobody expected")
                wanted = "/".join(str(w) for w in np.unique(self._wanted[here]))
                what = f"at mbarrier {names[slot]:#x} (wants parity {wanted}, is in phase {phase}: "
                found.append((what + ", ".join(missing or ["complete"]) + ")", here))
        return found
