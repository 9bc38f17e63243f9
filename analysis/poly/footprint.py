"""
Footprints: the elements of a producer that tiles of a consumer read, split into each tile's own share and the halo.

```
      producer axis   0   1   2   3   4   5   6   7            three taps, padded by 1; tiles of 4 outputs
          tile 0         [ .   .   .   . ] .                       reads 5 (6 with the padding), owns 4: halo 1 above
          tile 1                       . [ .   .   .   . ]         reads 5, owns 4: halo 1 below
```

A tile's *read* along an axis is the shortest range that contains the elements that its points read. Its *own* share has
the length by which the range moves from one tile to the next, so that the shares of all tiles partition the axis. The *halo*
is the rest of the read. If no output axis moves the range, all of the read is the tile's own. If one moves it
non-monotonically, tiles revisit elements of others, and all of the read is halo.
Spec: `tensor-compiler.ja §0.1`, `§1.6`.

Footprints are a pure function of maps, guards and tilings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any, Generic

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from ..errors import TooComplex
from ..index.isl_text import aff_text
from .enumerated import EnumeratedRanges, points
from .ranges import Number, Range, Ranges, Read, SymbolicRanges
from .tiling import Tiling

Amount = int | str
"""A number, or an expression in symbolic sizes, such as `N + 2`; if it is piecewise, isl's text of it."""

MAX_KINDS = 1 << 14
"""Maximum number of distinct footprints of tiles that are compared to find the largest."""

MAX_TILES = 1 << 10
"""Maximum number of tiles that are enumerated where isl is too slow."""

MAX_POINTS = 1 << 20
"""Maximum number of points that are enumerated where isl is too slow."""


@dataclass(frozen=True)
class AxisFootprint:
    """Numbers of elements along one axis of the producer, each the maximum over all tiles."""

    read: Amount
    unclipped: Amount
    """The elements read, including padding: for a convolution with K taps and tiles of T outputs, (T−1)·stride + (K−1)·dilation + 1."""
    halo: Amount = 0
    low: Amount = 0
    """The part of the halo before the tile's own share."""
    high: Amount = 0
    """The part of the halo after it."""


@dataclass(frozen=True)
class Footprint:
    """
    The footprint along each axis. `box` is the number of elements in the box that a tile reads, and `halo` is the number of
    these that other tiles own, each the maximum over all tiles. Both are None if they depend on symbolic sizes.
    """

    axes: tuple[AxisFootprint, ...]
    box: int | None
    halo: int | None


def footprint(reads: Sequence[Read], tiles: Tiling) -> Footprint:
    """
    Uses isl to compute one footprint that covers all reads. Raises `TooComplex`.

    >>> from ptir.analysis.index import affine
    >>> taps = Read(affine.make_map(2, ["i0 + i1 - 1"]), (8, 3), affine.make_set((8, 3), ["1 <= i0 + i1 <= 8"]))
    >>> footprint([taps], Tiling((8, 3), 1, (4, None)))
    Footprint(axes=(AxisFootprint(read=5, unclipped=6, halo=1, low=1, high=1),), box=5, halo=1)
    """
    ranges = SymbolicRanges(reads, tiles)
    if ranges.read.is_empty():
        return _empty_footprint(ranges)
    some, all_ = ranges.reading, ranges.all

    def least(a: isl.PwAff, b: isl.PwAff) -> isl.PwAff:
        return a.min(b).gist(some).coalesce()

    def greatest(a: isl.PwAff, b: isl.PwAff) -> isl.PwAff:
        return a.max(b).gist(some).coalesce()

    found = [measure(ranges.axis(j), least, greatest) for j in range(ranges.rank)]
    parts = tuple(
        AxisFootprint(
            maximum(m.extent, some),
            maximum(m.free, all_),
            maximum(m.halo, some),
            maximum(m.low, some),
            maximum(m.high, some),
        )
        for m in found
    )
    kinds = _kinds([q for m in found for q in (m.extent, m.extent - m.halo)], some)
    if kinds is None:
        return Footprint(parts, None, 0 if all(part.halo == 0 for part in parts) else None)
    boxes = [(prod(kind[::2]), prod(kind[1::2])) for kind in kinds]
    return Footprint(parts, max(box for box, _ in boxes), max(box - own for box, own in boxes))


def enumerated_footprint(reads: Sequence[Read], tiles: Tiling, max_points: int = MAX_POINTS) -> Footprint:
    """
    Computes the same as `footprint` by enumeration. Raises `TooComplex` for more than `MAX_TILES` tiles or `max_points` points,
    and for symbolic sizes.

    >>> from ptir.analysis.index import affine
    >>> taps = Read(affine.make_map(2, ["i0 + i1 - 1"]), (8, 3), affine.make_set((8, 3), ["1 <= i0 + i1 <= 8"]))
    >>> enumerated_footprint([taps], Tiling((8, 3), 1, (4, None))) == footprint([taps], Tiling((8, 3), 1, (4, None)))
    True
    """
    number = points(reads, tiles)
    if number is None or tiles.count is None or tiles.count > MAX_TILES or number > max_points:
        raise TooComplex(
            what="the footprint of these tiles", bound=f"{MAX_TILES} tiles or {max_points} points to visit"
        )
    try:
        ranges = EnumeratedRanges(reads, tiles)
    except OverflowError as e:
        raise TooComplex(what="an index", bound="63 bits") from e
    if not ranges.reading.any():
        return _empty_footprint(ranges)
    found = [measure(ranges.axis(j), np.minimum, np.maximum) for j in range(ranges.rank)]

    def worst(amount: NDArray[np.int64]) -> int:
        return int(amount[ranges.reading].max())

    parts = tuple(
        AxisFootprint(worst(m.extent), int(m.free.max()), worst(m.halo), worst(m.low), worst(m.high)) for m in found
    )
    one = np.ones(ranges.count, np.int64)
    box, own = (
        reduce(np.multiply, amounts, one) for amounts in ([m.extent for m in found], [m.extent - m.halo for m in found])
    )
    return Footprint(parts, worst(box), worst(box - own))


@dataclass(frozen=True)
class Measure(Generic[Number]):
    """Lengths along one axis as functions of the tile: its read (`extent`), its read with padding (`free`), and its halo."""

    extent: Number
    free: Number
    halo: Number
    low: Number
    high: Number


def measure(
    axis: Range[Number], least: Callable[[Number, Number], Number], greatest: Callable[[Number, Number], Number]
) -> Measure[Number]:
    """
    Splits a range into the tile's own share and its halo. The share starts where the range would start without overlap: at
    the tile's offset, clipped to the range.
    """
    low, first, last = axis.low, axis.first, axis.last
    extent, free, zero = axis.high - low + 1, last - first + 1, low - low
    if axis.owned:
        return Measure(extent, free, zero, zero, zero)
    if not axis.moves:
        return Measure(extent, free, extent, zero, extent)
    steps = [greatest(move.step, zero - move.step) for move in axis.moves]
    own = reduce(least if axis.by_cut_axes else greatest, steps)
    halo = greatest(extent - own, zero)
    begins = greatest(least(reduce(least, [move.offset for move in axis.moves]), last - own + 1), first)
    before = least(greatest(begins - low, zero), halo)
    return Measure(extent, free, halo, before, halo - before)


def _empty_footprint(ranges: Ranges[Any]) -> Footprint:
    return Footprint((AxisFootprint(0, 0),) * ranges.rank, 0, 0)


def values(amount: isl.PwAff, tiles: isl.Set) -> isl.Set:
    """Returns the set of values that `amount` has for these tiles."""
    return isl.Map.from_pw_aff(amount).intersect_domain(tiles).range().coalesce()


def maximum(amount: isl.PwAff, tiles: isl.Set) -> Amount:
    """
    Returns the maximum over all tiles and symbolic sizes; if that is unbounded, an expression in the sizes.

    Uses `dim_max`, because `dim_max_val` also counts rational points of pieces that contain no integer point.
    """
    found = values(amount, tiles)
    number = found.project_out(isl.dim_type.param, 0, found.dim(isl.dim_type.param))
    if number.is_bounded():
        return max(int(piece.get_constant_val().to_python()) for piece in _pieces(number.dim_max(0)))
    longest = found.dim_max(0).coalesce()
    pieces = _pieces(longest)
    return aff_text(pieces[0]) if len(pieces) == 1 else str(longest)


def _pieces(amount: isl.PwAff) -> list[isl.Aff]:
    found: list[isl.Aff] = []

    def note(domain: isl.Set, piece: isl.Aff) -> None:
        if not domain.is_empty():
            found.append(piece)

    amount.foreach_piece(note)
    return found


def _kinds(amounts: Sequence[isl.PwAff], tiles: isl.Set) -> list[tuple[int, ...]] | None:
    """Returns the distinct tuples of values that `amounts` have for these tiles; None if there are infinitely many."""
    fixed = [_single_value(values(amount, tiles)) for amount in amounts]
    varying = [k for k, value in enumerate(fixed) if value is None]
    if not varying:
        return [tuple(value for value in fixed if value is not None)]
    maps = [isl.Map.from_pw_aff(amounts[k]) for k in varying]
    together = reduce(lambda a, b: a.flat_range_product(b).coalesce(), maps).intersect_domain(tiles).range()
    together = together.project_out(isl.dim_type.param, 0, together.dim(isl.dim_type.param)).coalesce()
    if not together.is_bounded():
        return None
    if int(together.count_val().to_python()) > MAX_KINDS:
        raise TooComplex(what="the set of different tiles", bound=MAX_KINDS)
    points: list[isl.Point] = []
    together.foreach_point(points.append)
    kinds: list[tuple[int, ...]] = []
    for point in points:
        known = list(fixed)
        for place, k in enumerate(varying):
            known[k] = int(point.get_coordinate_val(isl.dim_type.set, place).to_python())
        kinds.append(tuple(value for value in known if value is not None))
    return kinds


def _single_value(found: isl.Set) -> int | None:
    """Returns the only number in a set, or None."""
    low, high = found.dim_min_val(0), found.dim_max_val(0)
    return int(low.to_python()) if low.is_int() and low.eq(high) else None
