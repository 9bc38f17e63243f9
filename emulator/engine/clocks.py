"""
Happens-before within a cluster of CTAs, as vector clocks (PTX ISA §8, memory consistency; §9.7.13, synchronization).

Every access is stamped by its *agent*: a warp, a warpgroup's `wgmma` reads, a warp's bulk stores. Row *v* is the vector
clock of warp *v*: an access of agent *a* with stamp *c* happens before the next step of *v* iff `row[a] > c`.

```
row:  | agents | agents, seen through fence.proxy.async | completed phases of each mbarrier |
```
Stamps are multiples of `UNIT` plus the number of the lane, so that lanes of one warp are distinguished until a barrier or
`bar.warp.sync` raises the warp's own entry.

An elected thread may release or acquire for itself (at an mbarrier), so there are three clocks per warp:
`must` (must happen before) is valid for every lane and every access;
`may` is valid only for lanes that have acquired since their warp converged, and only for accesses of lanes that have
released;
`may_uniform` is valid for every lane, but only for accesses of lanes that have released.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..isa.types import Array
from .lanes import Lanes

UNIT = 64
"""Increment of a warp's clock. The low bits of a stamp hold the number of the lane."""
ANY_LANE = 32
"""The lane number in the stamp of an access by a whole warp, or by hardware on its behalf."""


@dataclass(frozen=True)
class Agents:
    """The asynchronous agents of a CTA, and whether its lanes may synchronize one by one (at mbarriers)."""

    warpgroups: int
    bulk_stores: bool
    mbarriers: bool


class Clocks:
    """
    The clocks of `ctas` CTAs of `cta_warps` warps, in clusters of `cluster` CTAs. Warps are numbered over all CTAs; a row
    has a column for each agent of the warp's cluster, CTA by CTA.
    """

    def __init__(self, ctas: int, cta_warps: int, agents: Agents, cluster: int):
        self.ctas, self.cta_warps, self.cluster = ctas, cta_warps, cluster
        self.warps = warps = cta_warps * cluster
        self.warpgroups = agents.warpgroups
        self.wgmma_column = warps
        self.bulk_column = warps + agents.warpgroups * cluster
        self.agents = self.bulk_column + (warps if agents.bulk_stores else 0)
        self.phase_column = 2 * self.agents
        self.exact = not (agents.warpgroups or agents.bulk_stores or agents.mbarriers)
        self.columns = self.agents if self.exact else self.phase_column
        total = ctas * cta_warps
        self._set_rows(np.zeros((1 if self.exact else 4, total, self.columns), np.int32))
        self._own = np.zeros(total, np.int32)
        lanes = 0 if self.exact else total * 32
        self.acquired = np.zeros(lanes, np.bool_)
        self.released, self.fenced = np.zeros((2, lanes), np.int32)

    def _set_rows(self, rows: Array) -> None:
        """Sets the clocks of all warps. In an `exact` kernel, which has no asynchronous agents, all kinds of clocks are one array."""
        self._all_rows, self.rows = rows, rows[:3]
        kinds: list[Array] = [rows[0]] * 4 if self.exact else list(rows)
        self.must, self.may_uniform, self.may, self._pending = kinds  # pending: joins `must` when the warp converges

    def add_phases(self, count: int) -> None:
        """Adds columns for `count` more mbarriers in each CTA."""
        self.columns += count * self.cluster
        self._set_rows(np.pad(self._all_rows, ((0, 0), (0, 0), (0, count * self.cluster))))

    def phase_columns(self, slot: int | Array, ctas: Array) -> Array:
        """Returns the columns of mbarriers by slot and CTA."""
        return self.phase_column + slot * self.cluster + ctas % self.cluster

    def wgmma_columns(self, warps: Array) -> Array:
        """Returns the columns of the wgmmas of these warps' warpgroups."""
        rank = warps // self.cta_warps % self.cluster
        return self.wgmma_column + rank * self.warpgroups + warps % self.cta_warps // 4

    def now(self, warps: Array) -> Array:
        """Returns the warps' own clocks (warps numbered over all CTAs)."""
        return self._own[warps]

    def known(self, lanes: Array, columns: Array) -> Array:
        """Returns each lane's clock of the agents in `columns`, which is valid for accesses of lanes that have released."""
        warps = lanes // 32
        return np.where(self.acquired[lanes], self.may[warps, columns], self.may_uniform[warps, columns])

    def certain(self, lane: int, columns: Array) -> Array:
        """Returns a lane's clock of the agents in `columns`, which is valid for all accesses."""
        must = self.must[lane // 32, columns]
        return np.maximum(must, self._pending[lane // 32, columns]) if self.acquired[lane] else must

    def common(self, lanes: Array) -> tuple[Array, Array]:
        """Returns the rows of what all of `lanes` know, as `certain` and as `known` do."""
        warps = np.unique(lanes // 32)
        must, may = self.must[warps], self.may_uniform[warps]
        if bool(self.acquired[lanes].all()):
            must, may = np.maximum(must, self._pending[warps]), self.may[warps]
        return must.min(axis=0), may.min(axis=0)

    def tick(self, warps: Array) -> None:
        """Advances the warps' own clocks."""
        self._own[warps] += UNIT

    # --- convergence -------------------------------------------------------------------------------

    def converge(self, warps: Array) -> None:
        """Converges warps (`bar.warp.sync`): every lane acquires what any lane of its warp has acquired."""
        self.tick(warps)
        own = self._own[warps]
        column = warps % self.warps
        self.must[warps, column] = own
        if not self.exact:
            self.may[warps, column] = own
            self.must[warps] = np.maximum(self.must[warps], self._pending[warps])
            self.may_uniform[warps] = self.may[warps]

    def barrier(self, ctas: Array, arrived: Array) -> None:
        """Completes a barrier of `ctas`; `arrived[i, w]` flags the participating warps w of `ctas[i]`."""
        which, warp = np.nonzero(arrived)
        self.converge(ctas[which] * self.cta_warps + warp)
        rows = self.rows.reshape(-1, self.ctas, self.cta_warps, self.columns)
        old = rows[:, ctas]
        joined = np.where(arrived[:, :, None], old, -1).max(axis=2, keepdims=True)
        rows[:, ctas] = np.where(arrived[:, :, None], joined, old)

    # --- one-sided synchronization -----------------------------------------------------------------

    def release(self, lanes: Lanes, alive_bits: Array) -> tuple[Array, Array, Array]:
        """
        Releases the lanes' earlier accesses. Returns their warps, and for each the `must` row and the row that is valid
        for accesses of the releasing lanes.
        """
        warps = np.flatnonzero(lanes.bits)
        whole = lanes.bits[warps] == alive_bits[warps]
        column = warps % self.warps
        must, may = self.must[warps].copy(), self.may[warps].copy()
        self.tick(warps)
        may[np.arange(warps.size), column] = self._own[warps]
        must[whole, column[whole]] = self._own[warps[whole]]
        if not self.exact:
            self.released[lanes.index] = self._own[lanes.index // 32]
        return warps, must, may

    def acquire(self, lanes: Lanes, alive_bits: Array, must: Array, may: Array) -> None:
        """Acquires rows that were released (one for each of the lanes' warps)."""
        warps = np.flatnonzero(lanes.bits)
        whole = lanes.bits[warps] == alive_bits[warps]
        one, part = warps[whole], warps[~whole]
        self.must[one] = np.maximum(self.must[one], must[whole])
        self._pending[part] = np.maximum(self._pending[part], must[~whole])
        if not self.exact:
            self.may[warps] = np.maximum(self.may[warps], may)
            self.may_uniform[one] = np.maximum(self.may_uniform[one], may[whole])
            self._mark_acquired(part, lanes.index[np.isin(lanes.index // 32, part)])

    def _mark_acquired(self, warps: Array, lanes: Array) -> None:
        """Records that of these warps only `lanes` know what `may` holds beyond `may_uniform`."""
        self.acquired.reshape(-1, 32)[warps] = False
        self.acquired[lanes] = True

    def fence_proxy(self, lanes: Lanes, alive_bits: Array) -> None:
        """`fence.proxy.async`: generic accesses that happen before it are visible to later accesses of the async proxy."""
        warps = np.flatnonzero(lanes.bits)
        whole = lanes.bits[warps] == alive_bits[warps]
        self.tick(warps)
        n = self.agents
        column = n + warps % self.warps
        self.rows[:, warps, n : 2 * n] = np.maximum(self.rows[:, warps, n : 2 * n], self.rows[:, warps, :n])
        self.must[warps[whole], column[whole]] = self._own[warps[whole]]
        self.may[warps, column] = self.may_uniform[warps, column] = self._own[warps]
        self.fenced[lanes.index] = self._own[lanes.index // 32]

    def complete(self, warps: Array, column: Array | int, stamps: Array) -> None:
        """Records that operations of asynchronous agents up to `stamps` have completed and that these warps waited for them."""
        self.rows[:, warps, column] = np.maximum(self.rows[:, warps, column], stamps)

    def complete_for(self, lanes: Array, column: int, stamp: int) -> None:
        """
        Records that operations up to `stamp` have completed and that `lanes` of one warp waited for them; its other lanes know
        it after the warp has converged.
        """
        warp = lanes[:1] // 32
        for rows in (self._pending, self.may):
            rows[warp, column] = np.maximum(rows[warp, column], stamp)
        self._mark_acquired(warp, lanes)
