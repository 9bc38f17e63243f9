"""
The order in which blocks take the tiles of a product, and the sectors that it makes a machine read from DRAM; for chained products, the
order that balances the work of persistent blocks.

```
row:         along n first                           a wave of blocks reads few rows of A and many columns of B
col:         along m first
grouped_g:   in groups of g rows of tiles, along m first within a group; the last group may have fewer rows
hilbert_s:   along a Hilbert curve in squares of s x s tiles, one after the other along n
```

All blocks of a wave start together and read the same step of k at about the same time, so that a tile of an operand comes from
DRAM at most once a step. Whether it comes from DRAM in the next wave is decided by a simulated L2 with least-recently-used
replacement, which holds *panels*: the part of a row of A's tiles, or of a column of B's, in one slice of k.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..dialects.plan.schedule import GROUPED, HILBERT
from ..targets.architectures import SECTOR

GROUPS = (2, 4, 8, 16, 32)
"""Candidates for the number of rows of tiles in a group."""
WAVES = 128
"""Maximum number of waves that are simulated to choose an order."""


def positions(
    order: str, down: int, across: int, most: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the rows and the columns of the `down` x `across` tiles, or of the first `most`, in an order (`Schedule.order`)."""
    place = np.arange(min(down * across, most or down * across))
    if order.startswith(HILBERT):
        return hilbert_positions(place, across, int(order.removeprefix(HILBERT)))
    group = 1 if order == "row" else down if order == "col" else min(down, int(order.removeprefix(GROUPED)))
    first, within = place // (group * across) * group, place % (group * across)
    rows = np.minimum(group, down - first)
    return first + within % rows, within // rows


def hilbert_positions(place: NDArray[np.int64], across: int, side: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the rows and the columns of the tiles at these places of curves in squares of `side` rows, which divide the tiles."""
    square, within = np.divmod(place, side * side)
    rows = columns = np.zeros_like(place)
    size = 1
    while size < side:
        part = within // size**2 % 4
        first, last = part == 0, part == 3
        turned = np.where(first, columns, np.where(last, size - 1 - columns, rows))
        columns = np.where(first, rows, np.where(last, size - 1 - rows, columns)) + part // 2 * size
        rows = turned + (part + 1) // 2 % 2 * size
        size *= 2
    high, wide = np.divmod(square, across // side)
    return rows + high * side, columns + wide * side


class SimulatedL2:
    """A fully associative cache of `capacity` bytes that replaces what was used least recently."""

    def __init__(self, capacity: float):
        self.capacity = capacity
        self.held: OrderedDict[int, int] = OrderedDict()
        self.bytes = 0

    def use(self, panels: Iterable[tuple[int, int]]) -> int:
        """Reads or writes panels, each a number and its bytes, in turn. Returns the bytes that were not in the cache."""
        held, missed = self.held, 0
        for panel, size in panels:
            if panel in held:
                held.move_to_end(panel)
                continue
            held[panel] = size
            missed += size
            self.bytes += size
            while self.bytes > self.capacity:
                self.bytes -= held.popitem(last=False)[1]
        return missed


@dataclass(frozen=True)
class Sweep:
    """
    A product of m x k by k x n elements in tiles of `tile`, of which `at_once` blocks compute one each at a time. `sizes` are the bytes of
    an element of A, of B and of the result.
    """

    m: int
    n: int
    k: int
    tile: tuple[int, int]
    sizes: tuple[int, int, int]
    at_once: int

    @property
    def counts(self) -> tuple[int, int]:
        """The numbers of tiles along m and n."""
        return -(-self.m // self.tile[0]), -(-self.n // self.tile[1])

    @property
    def operands(self) -> int:
        """The bytes of both operands."""
        return (self.m * self.sizes[0] + self.n * self.sizes[1]) * self.k


def dram_sectors(
    sweep: Sweep, order: str, capacity: float, slices: int = 1, waves: int | None = None, limit: float = inf
) -> int:
    """
    Returns the sectors of both operands that come from DRAM if the tiles are computed in `order` with an L2 of `capacity` bytes. k is
    divided into `slices` equal slices. Results pass through the cache, too, but their sectors are not counted. If there
    are more than `waves`, only these are simulated, and stand for the others. The simulation ends once the result exceeds `limit`.
    """
    (bm, bn), (of_a, of_b, of_c) = sweep.tile, sweep.sizes
    rows, columns = (place.tolist() for place in positions(order, *sweep.counts, waves and waves * sweep.at_once))
    down, across = sweep.counts
    panels = down + across
    cuts = [sweep.k * s // slices for s in range(slices + 1)]
    cache, read, most = SimulatedL2(capacity), 0, limit * SECTOR * len(rows) / (down * across)
    for first in range(0, len(rows), sweep.at_once):
        wave = slice(first, first + sweep.at_once)
        high = [(i, min(bm, sweep.m - i * bm) * of_a) for i in sorted(set(rows[wave]))]
        wide = [(down + j, min(bn, sweep.n - j * bn) * of_b) for j in sorted(set(columns[wave]))]
        for s, (start, end) in enumerate(pairwise(cuts)):
            read += cache.use((panels * s + panel, size * (end - start)) for panel, size in high + wide)
        if read > most:
            break
        cache.use([(-1 - first, len(rows[wave]) * bm * bn * of_c)])
    return max(-(-sweep.operands // SECTOR), -(-read * down * across // (SECTOR * len(rows))))


@lru_cache(maxsize=256)
def best_order(sweep: Sweep, capacity: float, otherwise: str = "row") -> str:
    """Returns the order that reads the fewest sectors; `otherwise`, "row" or "col", if none reads fewer than it."""
    down, across = sweep.counts
    if sweep.operands <= capacity or min(down, across) == 1 or down * across <= sweep.at_once:
        return otherwise
    best, fewest = otherwise, dram_sectors(sweep, otherwise, capacity, waves=WAVES)
    if fewest > -(-sweep.operands // SECTOR):
        for order in (*(f"{GROUPED}{group}" for group in GROUPS if group < down), "col"):
            sectors = dram_sectors(sweep, order, capacity, waves=WAVES, limit=fewest)
            if sectors < fewest:
                best, fewest = order, sectors
    return best


def balanced_order(counts: Sequence[int], heads: int, group: int, blocks: int) -> str:
    """
    Returns the order (`Schedule.order`) of the tiles of chained products with which the persistent block with the most tiles of keys has
    the fewest: in the program's order, or with up to `group` heads at a time. Tile `m` of each of the `heads` has `counts[m]` tiles of
    keys; what a block does besides takes about as long as one. The program's order is kept if no other one is better.
    """
    each = np.array(counts, np.int64) + 1
    group = -(-heads // -(-heads // group))
    sizes = [min(group, heads - first) for first in range(0, heads, group)]

    def slowest(order: str) -> int:
        if order == "row":
            tiles = np.tile(each, heads)
        else:
            tiles = np.concatenate([np.repeat(each[:: -1 if order.startswith("down") else 1], n) for n in sizes])
            for wave in range(blocks, len(tiles), 2 * blocks):
                tiles[wave : wave + blocks] = tiles[wave : wave + blocks][::-1]
        return int(np.pad(tiles, (0, -len(tiles) % blocks)).reshape(-1, blocks).sum(0).max())

    return min(("row", f"down_{group}", f"up_{group}"), key=slowest)
