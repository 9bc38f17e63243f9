"""
Bulk loads of global memory that the kernel itself has written (PTX ISA §8.10, proxies).

A store through the generic proxy must pass a `fence.proxy.async` before the async proxy reads its place: the writing
thread's after the store, or the loading thread's after it has learnt of the store. (A third thread's in between would
do on a GPU; it is not looked for.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engine.clocks import UNIT
from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import ProxyRace
from ..isa.types import Array
from ..violation import Violation

Known = dict[int, Array]
"""What is known of other clusters: for each the stamps of its warps. Neither it nor its rows are ever changed."""

BY_HARDWARE = 2
"""The bit of a stamp that tells an access of the async proxy."""


class GlobalProxy:
    """The proxy fences of one batch: when each lane had its last, and what its warp had `known` then."""

    def __init__(self, m: Machine, known: Callable[[int], Known]):
        self._m, self._known = m, known
        self._fenced: Array | None = None
        self._seen: dict[int, tuple[Array, Known]] = {}

    def fence(self, lanes: Lanes) -> None:
        m = self._m
        m.clocks.tick(np.flatnonzero(lanes.bits))
        if self._fenced is None:
            self._fenced = np.zeros(m.lane_count, np.int32)
        self._fenced[lanes.index] = m.clocks.now(lanes.index // 32)
        for warp in np.flatnonzero(lanes.bits).tolist():
            row = m.clocks.maybe[warp, : m.clocks.warps].copy()
            row[warp % m.clocks.warps] = m.clocks.now(np.array(warp))
            self._seen[warp] = row, self._known(warp)

    def check(self, lane: int, writers: Array, stamps: Array, addresses: Array) -> None:
        """`lane` bulk-loads from places where these lanes (numbered over the grid, -1: none) have stored last."""
        m = self._m
        generic = (writers >= 0) & (stamps & BY_HARDWARE == 0)
        if not generic.any():
            return
        stamps = stamps - stamps % UNIT
        passed = ~generic
        if self._fenced is not None:
            theirs = writers - m.first_cta * m.launch.warps * 32
            here = (theirs >= 0) & (theirs < m.lane_count)
            passed |= here & (self._fenced[np.where(here, theirs, 0)] > stamps)
        seen = self._seen.get(lane // 32)
        if seen and not passed.all():
            width = m.clocks.warps * 32
            mine = (lane + m.first_cta * m.launch.warps * 32) // width
            clusters, columns = writers // width, writers // 32 % m.clocks.warps
            for cluster in np.unique(clusters[~passed]).tolist():
                row = seen[0] if cluster == mine else seen[1].get(cluster)
                if row is not None:
                    passed |= (clusters == cluster) & (row[columns] > stamps)
        if not passed.all():
            at = int(np.argmax(~passed.all(axis=1)))
            other = f"tid {int(writers[at][~passed[at]][0]) % (m.launch.warps * 32)}"
            fields = {"space": "global", "address": int(addresses[at]), "other": other}
            raise Violation(ProxyRace, 0, access="bulk load", **fields)
