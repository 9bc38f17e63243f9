"""
Recognizes loads that TMA's im2col mode performs: the rows of a tile are pixels, its columns channels.

```
    x[n, 2p + r - 1, 2q + s - 1, c],  m = (n, p, q),  k = (r, s, c)
      bases of h: lower -1, step 2, as many as p has values;  filter offset r;  the box of m0: n, p, q are its digits
```

Each axis of the array but the last is read at `step · digit of m + dilation · digit of k + constant`, and outside of the array
the value is zero, which is the guard. Reads of the last axis are contiguous along the fastest digit of k. PTX ISA §5.5.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import islpy as isl

from ..errors import TooComplex
from ..index import affine
from .copy_steps import cuts_of

CORNERS = {3: (-(2**15), 2**15 - 1, 2**16 - 1), 4: (-128, 127, 255), 5: (-16, 15, 31)}
"""For each rank of a map, the least and the greatest corner, and the greatest filter offset (CUDA driver API §6.32)."""
MAX_STEP = 8
"""The greatest step between filter bases."""


@dataclass(frozen=True)
class Digit:
    """A digit `index / unit % size` of m or of k."""

    unit: int
    size: int


@dataclass(frozen=True)
class Window:
    """A spatial axis: its filter bases are `lower + step · row digit`, its filter offset is `dilation · tap digit`."""

    size: int
    lower: int
    step: int
    row: Digit
    tap: Digit
    dilation: int

    @property
    def upper(self) -> int:
        return self.lower + (self.row.size - 1) * self.step - (self.size - 1)


@dataclass(frozen=True)
class Im2col:
    """
    The axes of the array between the first and the last, the `images` along the first, and the channels: element `k % run` after
    `first_channel`, plus the multiples `channel_of` of the other axes of the space.
    """

    images: int
    windows: tuple[Window, ...]
    channels: int
    run: int
    first_channel: int
    channel_of: tuple[tuple[int, int], ...]

    @property
    def pixels(self) -> int:
        """The number of filter bases of one image."""
        return prod(w.row.size for w in self.windows)


def im2col(
    at: isl.MultiAff,
    shape: Sequence[int],
    where: isl.Set | None,
    bounds: Sequence[int],
    rows: int,
    columns: int,
    step: int,
) -> Im2col | None:
    """
    Returns the form of a load from an array of `shape` through the map `at`, zero outside of `where`, whose tiles lie along the axes
    `rows` and `columns` of the space of `bounds`, with `step` columns; None if im2col mode does not perform it.
    """
    try:
        with affine.quota(what="the form of an im2col load"):
            return _find(at, shape, where, bounds, rows, columns, step)
    except TooComplex:
        return None


def _find(
    at: isl.MultiAff,
    shape: Sequence[int],
    where: isl.Set | None,
    bounds: Sequence[int],
    rows: int,
    columns: int,
    step: int,
) -> Im2col | None:
    """
    Splits the rows of a tile into digits, the pixels along each axis, and its columns into channels and filter offsets, and reads the map as
    a sum of these.
    """
    of_m, of_k = _digits(at, rows, bounds[rows]), _digits(at, columns, bounds[columns])
    if of_m is None or of_k is None or of_k[0].size % step or not reads_where_inside(at, shape, where, bounds):
        return None
    rank, channels = len(bounds), len(bounds) + len(of_m)
    inner = (*bounds, *(d.size for d in (*of_m, *of_k)))
    exprs = [f"i{a}" for a in range(rank)]
    for axis, digits, first in ((rows, of_m, rank), (columns, of_k, channels)):
        exprs[axis] = " + ".join(f"{d.unit}*i{first + j}" for j, d in enumerate(digits))
    split = affine.compose(at, affine.make_map(len(inner), exprs), inner)
    read = [affine.terms(split.get_at(a)) for a in range(split.dim(isl.dim_type.out))]
    if any(r is None for r in read):
        return None
    *spatial, (channel, first_channel) = [r for r in read if r is not None]
    others = {a: c for a, c in channel.items() if a < rank and a not in (rows, columns)}
    if channel != {**others, channels: 1} or first_channel < 0:
        return None
    row_digits, tap_digits = dict(enumerate(of_m, rank)), dict(enumerate(of_k[1:], channels + 1))
    axes = zip(shape[:-1], spatial, strict=True)
    windows = [w for n, sums in axes if (w := _window(n, *sums, row_digits, tap_digits)) is not None]
    if len(windows) < len(spatial):
        return None
    used = [w.row for w in reversed(windows) if w.row.size > 1]
    taps = [w.tap for w in windows if w.tap.size > 1]
    if used != [d for d in of_m if d.size > 1] or sorted(t.unit for t in taps) != [
        d.unit for d in of_k[1:] if d.size > 1
    ]:
        return None
    images = 1
    if windows and (windows[0].lower, windows[0].step, windows[0].tap.size) == (0, 1, 1):
        images, windows = windows[0].size, windows[1:]
    while len(windows) < 1:
        windows.append(Window(1, 0, 1, Digit(1, 1), Digit(1, 1), 0))
    found = Im2col(images, tuple(windows), shape[-1], of_k[0].size, first_channel, tuple(others.items()))
    return found if _is_legal(found) else None


def _window(
    size: int, terms: Mapping[int, int], constant: int, rows: Mapping[int, Digit], taps: Mapping[int, Digit]
) -> Window | None:
    """
    Returns the windows along an axis of `size` that is read at `constant` plus the sum of `terms`, the factors of axes. At most one of these
    is a digit of the tile's rows, and at most one a digit of the filter; None for other sums.
    """
    row, tap = [a for a in terms if a in rows], [a for a in terms if a in taps]
    if len(row) > 1 or len(tap) > 1 or len(terms) != len(row) + len(tap):
        return None
    step, digit = (terms[row[0]], rows[row[0]]) if row else (1, Digit(1, 1))
    dilation, moved = (terms[tap[0]], taps[tap[0]]) if tap else (0, Digit(1, 1))
    return None if dilation < 0 else Window(size, constant, step, digit, moved, dilation)


def _digits(at: isl.MultiAff, axis: int, size: int) -> list[Digit] | None:
    """Returns the digits of an axis, the fastest first; None if the divisors in the map do not divide each other."""
    units = (1, *cuts_of(at, axis, size))
    if any(b % a for a, b in pairwise((*units, size))):
        return None
    return [Digit(a, b // a) for a, b in pairwise((*units, size))]


def reads_where_inside(at: isl.MultiAff, shape: Sequence[int], where: isl.Set | None, bounds: Sequence[int]) -> bool:
    """Whether a load reads wherever its index is inside the array."""
    space = affine.box(bounds)
    read = space if where is None else space.intersect(where)
    return bool(read.is_equal(space.intersect(affine.box(shape).preimage_multi_aff(at))))


def _is_legal(found: Im2col) -> bool:
    """Whether the numbers of a map and of its loads are within the limits of its rank."""
    if (rank := len(found.windows) + 2) not in CORNERS:
        return False
    low, high, most = CORNERS[rank]
    return all(
        low <= corner <= high and 1 <= w.step <= MAX_STEP and w.dilation * (w.tap.size - 1) <= most
        for w in found.windows
        for corner in (w.lower, w.upper)
    )
