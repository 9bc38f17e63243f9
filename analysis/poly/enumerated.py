"""
Ranges that tiles read along each axis of a producer, by enumerating every point with NumPy.

isl's answers are short for simple indices, but chains of divisions make them long. For such indices, and for small programs,
enumeration is faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...dialects.poly.points import condition, expressions
from .ranges import Move, Ranges, Read
from .tiling import Tiling

Numbers = NDArray[np.int64]


def points(reads: Sequence[Read], tiles: Tiling) -> int | None:
    """Returns the number of points to enumerate; None if it depends on symbolic sizes."""
    sizes = [size for read in reads for size in read.sizes]
    if tiles.count is None or not all(isinstance(size, int) for size in sizes):
        return None
    return sum(prod(int(size) for size in read.sizes) for read in reads)


class EnumeratedRanges(Ranges[Numbers]):
    """Ranges as arrays over all tiles, in row-major order. The elements of tiles that read nothing are arbitrary."""

    def __init__(self, reads: Sequence[Read], tiles: Tiling):
        super().__init__(reads, tiles)
        self.counts = [n for n in tiles.counts if n is not None]
        self.count = prod(self.counts)
        self.numbers: list[Numbers] = [n.ravel() for n in np.indices(self.counts)] if self.counts else []
        """For each axis that is cut, the number of every tile along it."""
        self._at = {id(read): expressions(read.map) for read in reads}
        self._tile: list[Numbers] = []
        self._index: list[list[Numbers]] = []
        self._inside: list[Any] = []
        for read in reads:
            sizes = _numbers(read)
            grid = [axis.ravel() for axis in np.indices(sizes)]
            cut = [grid[k] // (tiles.lengths[k] or 1) for k in tiles.cut]
            nothing = np.zeros(prod(sizes), np.int64)
            self._tile.append(np.asarray(np.ravel_multi_index(cut, self.counts)) if cut else nothing)
            self._index.append([index + nothing for index in self._at[id(read)](*grid)])
            inside = condition(read.guard)(*grid) if read.guard is not None else np.True_
            self._inside.append(np.broadcast_to(inside, nothing.shape))
        self.reading = np.zeros(self.count, bool)
        for tile, inside in zip(self._tile, self._inside, strict=True):
            self.reading[tile[inside]] = True

    def ends(self, axis: int) -> tuple[Numbers, Numbers]:
        return self._line(axis, self._inside)

    def unclipped(self, axis: int) -> tuple[Numbers, Numbers]:
        return self._line(axis, [np.True_] * len(self.reads))

    def _line(self, axis: int, inside: Sequence[Any]) -> tuple[Numbers, Numbers]:
        """Returns the first and the last element along an axis that each tile reads at the points `inside`."""
        ends = np.iinfo(np.int64)
        low, high = np.full(self.count, ends.max), np.full(self.count, ends.min)
        for tile, index, where in zip(self._tile, self._index, inside, strict=True):
            chosen = np.broadcast_to(where, tile.shape)
            np.minimum.at(low, tile[chosen], index[axis][chosen])
            np.maximum.at(high, tile[chosen], index[axis][chosen])
        some = low <= high
        return np.where(some, low, 0), np.where(some, high, 0)

    def move(self, read: Read, j: int, axis: int) -> Move[Numbers] | None:
        sizes, axes = _numbers(read), sorted({*self.tiles.cut, axis})
        change = np.diff(self._base(read, j, {k: np.arange(sizes[k]) for k in axes}), axis=axes.index(axis))
        if not change.any() or not ((change >= 0).all() or (change <= 0).all()):
            return None
        corner = {k: np.zeros(self.count, np.int64) for k in axes}
        for number, k in zip(self.numbers, self.tiles.cut, strict=True):
            corner[k] = number * (self.tiles.lengths[k] or 1)
        beside = np.minimum(sizes[axis], corner[axis] + (self.tiles.lengths[axis] or sizes[axis]))
        here = self._at_corner(read, j, corner)
        start = self._at_corner(read, j, {k: np.zeros(1, np.int64) for k in axes})
        return Move(axis, self._at_corner(read, j, corner | {axis: beside}) - here, here - start)

    def depends(self, read: Read, j: int, axis: int) -> bool:
        sizes = _numbers(read)
        index = self._at[id(read)](*np.meshgrid(*map(np.arange, sizes), indexing="ij", sparse=True))[j]
        return bool(np.diff(np.broadcast_to(index, sizes), axis=axis).any())

    def _base(self, read: Read, j: int, at: Mapping[int, Numbers]) -> Numbers:
        """Returns the lowest element read along axis `j` for all combinations of the fixed axes `at`."""
        sizes = _numbers(read)
        grid = np.meshgrid(*[at.get(k, np.arange(n)) for k, n in enumerate(sizes)], indexing="ij", sparse=True)
        index = self._at[id(read)](*grid)[j]
        whole = np.broadcast_to(index, [len(at[k]) if k in at else n for k, n in enumerate(sizes)])
        return whole.min(axis=tuple(k for k in range(len(sizes)) if k not in at))

    def _at_corner(self, read: Read, j: int, corner: Mapping[int, Numbers]) -> Numbers:
        """Returns the lowest element read along axis `j` for one combination of the fixed axes per tile."""
        sizes = _numbers(read)
        others = [k for k in range(len(sizes)) if k not in corner]
        free = dict(zip(others, (axis.ravel() for axis in np.indices([sizes[k] for k in others])), strict=True))
        index = self._at[id(read)](*(free[k] if k in free else corner[k][:, None] for k in range(len(sizes))))
        return np.broadcast_to(index[j], (len(next(iter(corner.values()))), prod(sizes[k] for k in others))).min(axis=1)

    def reads_are_disjoint(self, axes: Sequence[int]) -> bool:
        chosen = [t for t, k in enumerate(self.tiles.cut) if k in self.moved_by(axes)]
        rows: list[Numbers] = []
        for tile, index, inside in zip(self._tile, self._index, self._inside, strict=True):
            rows.append(
                np.stack([*(index[j][inside] for j in axes), *(self.numbers[t][tile[inside]] for t in chosen)], 1)
            )
        found = np.unique(np.concatenate(rows), axis=0)
        return len(found) == len(np.unique(found[:, : len(axes)], axis=0))

    def boxes_are_disjoint(self, axes: Sequence[int]) -> bool:
        chosen = [t for t, k in enumerate(self.tiles.cut) if k in self.moved_by(axes)]
        kind = (
            np.stack([self.numbers[t][self.reading] for t in chosen]) if chosen else np.zeros((1, self.reading.sum()))
        )
        meet = (kind[:, :, None] != kind[:, None, :]).any(axis=0)
        for j in axes:
            low, high = (end[self.reading] for end in self.ends(j))
            meet &= (low[:, None] <= high[None, :]) & (low[None, :] <= high[:, None])
        return not meet.any()


def _numbers(read: Read) -> list[int]:
    return [int(size) for size in read.sizes]
