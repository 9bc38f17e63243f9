"""
Checks bulk loads of global memory that the same kernel has written (PTX ISA §8.10, proxies).

A `fence.proxy.async` must lie between a store through the generic proxy and a read through the async proxy: in the
writing thread after the store, or in the loading thread after it has acquired the store. (A GPU also accepts a fence in a
third thread in between; such kernels are reported here.)
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
"""The clocks acquired from other clusters: for each cluster the stamps of its warps. Neither dict nor arrays are modified."""

BY_HARDWARE = 2
"""The bit of a stamp that marks an access through the async proxy."""


class GlobalProxy:
    """The last proxy fence of each lane, with the clocks (`known`) that its warp had acquired by then."""

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
            row = m.clocks.may[warp, : m.clocks.warps].copy()
            row[warp % m.clocks.warps] = m.clocks.now(np.array(warp))
            self._seen[warp] = row, self._known(warp)

    def check(self, lane: int, writers: Array, stamps: Array, addresses: Array) -> None:
        """Checks a bulk load by `lane` of granules last stored by `writers` (numbered over the grid, -1: none)."""
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
