"""
Happens-before between the warps of a CTA, as vector clocks.

Warp *w*'s own clock rises at each barrier it passes and at each `bar.warp.sync`. `seen[v][w]` is the clock of
*w* that *v* has synchronised with. An access by warp *w* at clock *c* happens before what warp *v* does now
iff `seen[v][w] > c`; for *v = w* that says "a convergence lies between", which is what CUDA asks of two lanes
of one warp (PTX ISA §8, memory consistency; §9.7.13, barriers).
"""

from __future__ import annotations

import numpy as np

from .types import Array


class Clocks:
    """The clocks of `ctas` CTAs with `warps` warps each."""

    def __init__(self, ctas: int, warps: int):
        self.warps = warps
        self.seen = np.zeros((ctas * warps, warps), np.int32)
        self._local = np.tile(np.arange(warps), ctas)
        self._everyone = np.arange(ctas * warps)

    def now(self, warps: Array) -> Array:
        """The own clocks of those warps (numbered over all CTAs)."""
        return self.seen[warps, warps % self.warps]

    def barrier(self, ctas: Array, arrived: Array) -> None:
        """CTAs pass a barrier; `arrived[i, w]` says whether warp w of `ctas[i]` takes part."""
        cube = self.seen.reshape(-1, self.warps, self.warps)
        rows = cube[ctas]
        diagonal = np.arange(self.warps)
        rows[:, diagonal, diagonal] += arrived
        joined = np.where(arrived[:, :, None], rows, -1).max(axis=1, keepdims=True)
        cube[ctas] = np.where(arrived[:, :, None], joined, rows)

    def converge(self, warps: Array) -> None:
        """`bar.warp.sync` of those warps."""
        self.seen[warps, warps % self.warps] += 1
