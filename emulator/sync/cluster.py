"""
Clusters of CTAs: their barrier, and the rules for accesses to another CTA's shared memory (PTX ISA §5.1.7, §9.7.13.3).

An access to a peer's shared memory must happen after that CTA has begun and before its last thread exits. Both are checked
with vector clocks, so that a violation is reported even if the emulated schedule is harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import BarrierMisuse, PeerExited, PeerMemory
from ..isa.types import Array
from ..violation import Violation, reject
from .races import GlobalRaces

C = TypeVar("C", int, Array)

RANK_SHIFT = 24
"""Position of the lowest bit of the field of a `mapa` address that holds the CTA's rank plus one."""


class ClusterBarrier(Part):
    """
    `barrier.cluster`: for each lane the numbers of its arrivals and of the barriers it has passed, and for each cluster the
    number of completed barriers. `_open` are the clocks released at the current barrier, `_closed` at the last completed
    barrier.
    """

    def __init__(self, m: Machine):
        super().__init__(m)
        self._arrived, self._passed = np.zeros((2, m.lane_count), np.int64)
        self._blocked = np.zeros(m.lane_count, np.bool_)
        self._done = np.zeros(m.cta_count // m.launch.cluster_size, np.int64)
        self._open: Array = np.zeros((2, self._done.size, m.clocks.columns), np.int32)
        self._closed = self._open.copy()
        self._width = m.launch.cluster_size * m.launch.warps * 32

    def passed(self, lanes: Array) -> Array:
        """Returns the number of cluster barriers that each lane has waited for."""
        return self._passed[lanes]

    def arrive(self, lanes: Lanes, *, release: bool) -> Array:
        """Arrives at the barrier; returns for each lane how often it has arrived."""
        m = self._m
        again = self._arrived[lanes.index] > self._passed[lanes.index]
        problem = "a thread arrives again without having waited"
        reject(again, BarrierMisuse, number="of the cluster", problem=problem)
        self._arrived[lanes.index] += 1
        if release:
            self._resize_rows()
            warps, must, may = m.clocks.release(lanes, m.alive_bits())
            for cluster in np.unique(warps // m.clocks.warps):
                mine = warps // m.clocks.warps == cluster
                for row, released in zip(self._open[:, cluster], (must, may), strict=True):
                    np.maximum(row, released[mine].max(axis=0), out=row)
        self._complete()
        return self._arrived[lanes.index]

    def wait(self, lanes: Lanes) -> Array:
        """Returns flags of the lanes that pass; the others are blocked, to repeat the wait."""
        m = self._m
        early = self._arrived[lanes.index] == self._passed[lanes.index]
        reject(early, BarrierMisuse, number="of the cluster", problem="a thread waits without having arrived")
        through = self._done[lanes.index // self._width] >= self._arrived[lanes.index]
        if through.any():
            self._resize_rows()
            part = lanes if through.all() else lanes.among(through)
            warps = np.flatnonzero(part.bits)
            clusters = warps // m.clocks.warps
            m.clocks.acquire(part, m.alive_bits(), self._closed[0, clusters], self._closed[1, clusters])
            self._passed[part.index] += 1
        self._blocked[lanes.index[~through]] = True
        return through

    def exited(self, lanes: Lanes) -> None:
        """Called when lanes have exited: the barrier may be complete without them."""
        if self._arrived.any():
            self._complete()

    def _resize_rows(self) -> None:
        missing = self._m.clocks.columns - self._open.shape[2]
        if missing:
            grow = ((0, 0), (0, 0), (0, missing))
            self._open, self._closed = np.pad(self._open, grow), np.pad(self._closed, grow)

    def _complete(self) -> None:
        m = self._m
        came = (self._arrived > np.repeat(self._done, self._width)).reshape(self._done.size, -1)
        alive = m.alive.reshape(came.shape)
        done = np.flatnonzero(came.any(axis=1) & (came | ~alive).all(axis=1))
        if not done.size:
            return
        self._done[done] += 1
        self._closed[:, done] = self._open[:, done]
        self._open[:, done] = 0
        for cluster in done.tolist():
            m.part(GlobalRaces).join(np.arange(m.clocks.warps) + cluster * m.clocks.warps)
        woken = np.flatnonzero(self._blocked & np.isin(np.arange(m.lane_count) // self._width, done))
        self._blocked[woken] = False
        m.release(woken)

    def waiting(self) -> list[tuple[str, Array]]:
        """Returns descriptions of what blocked lanes wait for, with the lanes, by CTA."""
        m = self._m
        missing = m.alive & (self._arrived <= np.repeat(self._done, self._width))
        count = missing.reshape(-1, self._width).sum(axis=1)
        what = "at the cluster's barrier ({} threads of the cluster have not arrived)"
        return [(what.format(count[here[0] // self._width]), here) for _, here in m.by_cta(self._blocked)]


class Peers(Part):
    """Accesses between the CTAs of a cluster. `at_end` are checks to run when a CTA ends."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._size = m.launch.cluster_size
        self.at_end: list[Callable[[int, Array, int], None]] = []
        self._touched = np.full((m.cta_count, m.clocks.warps), -1, np.int32)

    def locate(self, lanes: Array, addresses: Array) -> tuple[Array, Array]:
        """Splits shared::cluster addresses into offsets in a CTA's shared memory and CTAs; -1 if the cluster lacks the rank."""
        ranks = (addresses >> addresses.dtype.type(RANK_SHIFT)).astype(np.int64) - 1
        own = self._m.local_cta(lanes)
        there = np.where(ranks < self._size, own // self._size * self._size + ranks, -1)
        offsets = addresses & addresses.dtype.type((1 << RANK_SHIFT) - 1)
        return offsets, np.where(ranks < 0, own, there)

    def require(self, lanes: Array, ctas: Array, access: str) -> None:
        """Requires that the CTAs whose shared memory the lanes access exist, have begun and have not ended."""
        m = self._m
        away = ctas != m.local_cta(lanes)
        if not away.any():
            return
        problem = f"the cluster has {self._size} CTAs"
        reject(ctas < 0, PeerMemory, access=access, rank="beyond the last", problem=problem)
        ranks = self.rank(ctas)
        what = f"{access} of it by tid {{}} may follow"
        ended = away & self.gone(ctas)
        reject(ended, PeerExited, rank=ranks, what=lambda at: what.format(self._thread(int(lanes[at]))))
        n = m.launch.warps
        columns = (ctas * n % m.clocks.warps)[:, None] + np.arange(n)
        begun = (m.clocks.may[(lanes // 32)[:, None], columns] > 0).any(axis=1)
        begun |= m.part(ClusterBarrier).passed(lanes) > 0
        reject(away & ~begun, PeerMemory, access=access, rank=ranks, problem="that CTA may not have begun")

    def gone(self, ctas: Array) -> Array:
        """Returns flags of the CTAs that have ended."""
        return cast(Array, ~self._m.alive.reshape(self._m.cta_count, -1)[ctas].any(axis=1))

    def touch(self, lanes: Array, ctas: Array) -> None:
        """Records the lanes' accesses to those CTAs' shared memory."""
        away = ctas != self._m.local_cta(lanes)
        if away.any():
            warps = lanes[away] // 32
            self._touched[ctas[away], warps % self._m.clocks.warps] = self._m.clocks.now(warps)

    def rank(self, cta: C) -> C:
        return cta % self._size

    def _thread(self, lane: int) -> str:
        cta, thread = divmod(lane, self._m.launch.warps * 32)
        return f"{thread} of CTA rank {self.rank(cta)}"

    def known(self, cta: int) -> Array:
        """Returns the joined clocks of all warps of a CTA."""
        n = self._m.launch.warps
        return self._m.clocks.may[cta * n : (cta + 1) * n].max(axis=0)

    def exited(self, lanes: Lanes) -> None:
        """Called when lanes have exited: all accesses to the shared memory of a CTA that ends now must happen before."""
        m = self._m
        ctas = np.unique(m.local_cta(lanes.index))
        for cta in ctas[self.gone(ctas)].tolist():
            known = self.known(cta)
            late = np.flatnonzero(known[: m.clocks.warps] <= self._touched[cta])
            position = int(np.argmax(m.local_cta(lanes.index) == cta))
            if late.size:
                rank, warp = divmod(int(late[0]), m.launch.warps)
                what = f"warp {warp} of CTA rank {rank} may still access it"
                raise Violation(PeerExited, position, rank=self.rank(cta), what=what)
            for check in self.at_end:
                check(cta, known, position)
