"""CTA barriers: arrivals, waiting lanes, and happens-before at completion (PTX ISA §9.7.13.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from ...errors import counted
from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import BarrierMisuse, DivergentWarp
from ..isa.decode import Writer
from ..isa.types import Array
from ..violation import Violation, reject
from .races import GlobalRaces

NUMBERS = 16
"""Number of barriers in a CTA."""


@dataclass
class Reduction:
    """A `bar.red` in progress: the operation on the votes, and the writer of the result."""

    kind: str
    put: Writer


@dataclass
class Barrier:
    """
    The barrier of one number in all CTAs of the batch. `need` is the thread count, 0 for all threads of the CTA. For each
    CTA, `arrivals` are the clocks that `bar.arrive` released, and `last` holds the warps of the last generation with their
    stamps.
    """

    arrived: Array
    blocked: Array
    need: Array
    votes: Array
    reduction: Reduction | None = None
    last: dict[int, tuple[Array, Array]] = field(default_factory=lambda: dict[int, tuple[Array, Array]]())
    arrivals: dict[int, list[tuple[int, Array]]] = field(default_factory=lambda: dict[int, list[tuple[int, Array]]]())


class Barriers(Part):
    """The barriers of a batch, 16 per CTA."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._known: dict[int, Barrier] = {}

    def waiting(self) -> list[tuple[str, Array]]:
        """Returns descriptions of what blocked lanes wait for, with the lanes, by barrier and CTA."""
        m = self._m
        found: list[tuple[str, Array]] = []
        for number, barrier in self._known.items():
            for cta, lanes in m.by_cta(barrier.blocked):
                need = int(barrier.need[cta])
                came = int(barrier.arrived.reshape(m.cta_count, -1, 32)[cta].any(axis=1).sum())
                wants = f"{need} threads" if need else "all threads"
                arrived = counted(came, "warp")
                found.append((f"waiting at barrier {number} ({arrived} arrived, it needs {wants})", lanes))
        return found

    def arrive(self, number: int, lanes: Lanes, need: int, blocks: bool, votes: Any, red: Reduction | None) -> None:
        m = self._m
        if number >= NUMBERS or need % 32:
            problem = f"{need} threads arrive at it, but there are {NUMBERS} barriers, at which whole warps arrive"
            raise Violation(BarrierMisuse, 0, number=number, problem=problem)
        barrier = self._known.get(number)
        if barrier is None:
            flags = [np.zeros(m.lane_count, np.bool_) for _ in range(3)]
            barrier = Barrier(flags[0], flags[1], np.zeros(m.cta_count, np.int64), flags[2])
            self._known[number] = barrier
        ctas = m.local_cta(lanes.index)
        anyone = cast(Array, barrier.arrived.reshape(m.cta_count, -1).any(axis=1))
        waited = anyone[ctas] & (barrier.need[ctas] != need)
        problem = f"it is used with {need} threads here, but with {{}} by the threads that wait there"
        reject(waited, BarrierMisuse, number=number, problem=lambda at: problem.format(barrier.need[ctas[at]]))
        barrier.arrived[lanes.index] = True
        barrier.blocked[lanes.index] = blocks
        barrier.need[ctas] = need
        barrier.votes[lanes.index] = votes
        barrier.reduction = red
        if not blocks:
            warps, must, _ = m.clocks.release(lanes, m.alive_bits())
            for warp, row in zip(warps.tolist(), must, strict=True):
                barrier.arrivals.setdefault(int(m.local_cta(warp * 32)), []).append((warp, row))
        self._complete(number, barrier)
        m.synchronized()

    def exited(self, lanes: Lanes) -> None:
        """Called when lanes have exited: completes barriers for all threads that waited for these lanes only."""
        for number, barrier in self._known.items():
            if barrier.arrived.any():
                self._complete(number, barrier)

    def _complete(self, number: int, barrier: Barrier) -> None:
        """Completes generations one by one: a generation of n threads consists of the first n threads that have arrived."""
        m = self._m
        while True:
            lanes = barrier.arrived.reshape(m.cta_count, -1)
            warps = cast(Array, lanes.reshape(m.cta_count, -1, 32).any(axis=2))
            count = 32 * warps.sum(axis=1)
            everyone = cast(Array, (lanes | ~m.alive.reshape(m.cta_count, -1)).all(axis=1))
            done = np.flatnonzero((count > 0) & np.where(barrier.need > 0, count >= barrier.need, everyone))
            if not done.size:
                return
            excess = (barrier.need > 0) & (count > barrier.need)
            if excess[done].any():
                rank = np.cumsum(warps, axis=1)
                warps = warps & np.where(excess[:, None], 32 * rank <= barrier.need[:, None], True)
            self._pass(number, barrier, done, warps)
            if not excess[done].any():
                return

    def _pass(self, number: int, barrier: Barrier, done: Array, warps: Array) -> None:
        """Completes a generation: the flagged `warps` of the CTAs `done` pass the barrier."""
        m = self._m
        wait = cast(Array, barrier.blocked.reshape(m.cta_count, -1, 32).any(axis=2)) & warps
        for cta in done[barrier.need[done] > 0].tolist():
            self._check_order(number, barrier, cta, np.flatnonzero(warps[cta]))
        m.clocks.barrier(done, wait[done])
        for cta in done.tolist():
            waiting = np.flatnonzero(wait[cta]) + cta * m.launch.warps
            m.part(GlobalRaces).join(waiting)
            for warp, row in barrier.arrivals.pop(cta, []):
                if warps[cta, warp % m.launch.warps]:
                    known = m.clocks.rows[:, waiting]
                    m.clocks.rows[:, waiting] = np.maximum(known, np.pad(row, (0, m.clocks.columns - row.size)))
                else:
                    barrier.arrivals.setdefault(cta, []).append((warp, row))
        for cta in done[barrier.need[done] > 0].tolist():
            members = np.flatnonzero(warps[cta])
            barrier.last[cta] = members, m.clocks.now(members + cta * m.launch.warps)
        free = np.zeros(warps.shape, np.bool_)
        free[done] = warps[done]
        freed = np.repeat(free.reshape(-1), 32) & barrier.arrived
        released = np.flatnonzero(freed & barrier.blocked)
        if barrier.reduction:
            self._reduce(barrier, released)
        barrier.arrived[freed] = False
        barrier.blocked[freed] = False
        m.release(released)

    def _check_order(self, number: int, barrier: Barrier, cta: int, members: Array) -> None:
        """
        Requires that the last generation happens before the arrival of `members` that were not in it: otherwise such a
        warp could have arrived earlier, and taken another warp's place in that generation.
        """
        m = self._m
        if cta not in barrier.last:
            return
        before, stamps = barrier.last[cta]
        for warp in np.setdiff1d(members, before).tolist():
            columns = (cta * m.launch.warps + before) % m.clocks.warps
            if not (m.clocks.may[cta * m.launch.warps + warp, columns] >= stamps).any():
                names = f"warp{'s' * (len(before) > 1)} {', '.join(map(str, before))}"
                problem = f"nothing orders the arrival of warp {warp} after the last use by {names}"
                raise Violation(BarrierMisuse, 0, number=number, problem=problem)

    def _reduce(self, barrier: Barrier, released: Array) -> None:
        m, red = self._m, barrier.reduction
        assert red is not None
        arrived = barrier.arrived.reshape(m.cta_count, -1)
        counts = (barrier.votes.reshape(m.cta_count, -1) & arrived).sum(axis=1)
        totals = arrived.sum(axis=1)
        result = {"popc": counts.astype(np.uint32), "and": counts == totals, "or": counts > 0}[red.kind]
        lanes = m.lanes(released)
        red.put(m, lanes, result[m.local_cta(released)])


def require_converged(m: Machine, lanes: Lanes, what: str) -> None:
    """Raises a `Violation` if a warp has not converged at an aligned barrier."""
    warps = lanes.index // 32
    here, alive = lanes.bits[warps], m.alive_bits()[warps]
    problem = "lanes {:#010x} are here, but {:#010x} are alive"
    reject(here != alive, DivergentWarp, what=what, problem=lambda at: problem.format(int(here[at]), int(alive[at])))
