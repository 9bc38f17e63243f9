"""
Splits an index space into equal pieces, in each of which conditions on the position are constant. The operands of a concatenation
are such pieces:

```
concat(a, b) of 4x64 and 4x128 along axis 1   →   three pieces of 4x64:   { [i0, i1] -> [i0, i1 + k] }, k = 0, 64, 128
tiles of 2 along an axis of 4x64              →   two pieces of 4x32:     { [i0, i1] -> [i0, 2 i1 + k] }, k = 0, 1
```

adjacent windows of 3 taps along 56    →   seven pieces of 8:         { [i0, i1] -> [7 i0 + k, i1] }, which share elements

The space of the kernel is one piece, and each thread computes an element of every piece. Values that the pieces share are read and
computed once, and the kernel evaluates no conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import gcd, prod

import islpy as isl

from ..index import affine

MAX_PERIOD = 6
"""Maximum number of points after which conditions repeat."""
MAX_PIECES = 36
"""Maximum number of pieces. A thread computes one element of every piece."""
MAX_WINDOW = 49
"""Maximum number of elements of a window that a thread loads as vectors of adjacent windows; longer ones are loops of single elements."""
MAX_ADJACENT = 8
"""Maximum number of adjacent windows that a thread sums."""
POINTS = 1 << 16
"""Number of points of a piece that fill a machine with threads."""


def pieces(conditions: Sequence[isl.Set], sizes: Sequence[int]) -> tuple[tuple[int, ...], list[isl.MultiAff]]:
    """
    Splits the box of `sizes` into pieces in which each condition holds everywhere or nowhere. Returns the sizes of a piece, and for
    each piece the map to the box. The box is the only piece if the conditions are neither intervals of one axis nor repeated along
    axes.
    """
    cuts: set[tuple[int, int]] = set()
    for condition in conditions:
        if (found := _ends(condition, sizes)) is None:
            return _residues(conditions, sizes)
        cuts |= found
    if len({axis for axis, _ in cuts}) == 1:
        axis = next(axis for axis, _ in cuts)
        length = gcd(sizes[axis], *(at for _, at in cuts))
        if sizes[axis] // length <= MAX_PIECES:
            piece = tuple(length if a == axis else size for a, size in enumerate(sizes))
            return piece, [_moved(len(sizes), axis, at) for at in range(0, sizes[axis], length)]
    return tuple(sizes), [affine.identity(len(sizes))]


def adjacent_windows(
    reads: Sequence[tuple[isl.MultiAff, Sequence[int]]], sizes: Sequence[int]
) -> tuple[tuple[int, ...], list[isl.MultiAff]]:
    """
    Splits the box of `sizes` into pieces that read windows side by side, so that a thread loads what they share once. `reads` are maps from
    the axes of the box, then those of reductions. The box is the only piece if windows do not overlap, are long, slide along the last
    axis, whose elements are vectors, or are too few.
    """
    rank = len(sizes)
    axes = {axis for at, space in reads for axis in _overlaps(at, space, rank)}
    if axes and rank - 1 not in axes and all(prod(space[rank:]) <= MAX_WINDOW for _, space in reads):
        axis = max(axes)
        counts = [q for q in range(1, MAX_ADJACENT + 1) if sizes[axis] % q == 0 and q * POINTS <= prod(sizes)]
        count = max(counts, default=1)
        piece = tuple(size // count if a == axis else size for a, size in enumerate(sizes))
        first = [f"{count}*i{a}" if a == axis else f"i{a}" for a in range(rank)]
        return piece, [
            affine.make_map(rank, [f"{e} + {k}" if a == axis else e for a, e in enumerate(first)]) for k in range(count)
        ]
    return tuple(sizes), [affine.identity(rank)]


def _overlaps(at: isl.MultiAff, space: Sequence[int], rank: int) -> set[int]:
    """Returns the axes of the box along which windows slide by less than their length."""
    found: set[int] = set()
    for index in map(at.get_at, range(at.dim(isl.dim_type.out))):
        if (terms := affine.terms(index)) is None:
            continue
        ends = [abs(c) * (space[a] - 1) for a, c in terms[0].items() if a >= rank]
        found |= {a for a, c in terms[0].items() if a < rank and space[a] > 1 and abs(c) <= max(ends, default=0)}
    return found


def _residues(conditions: Sequence[isl.Set], sizes: Sequence[int]) -> tuple[tuple[int, ...], list[isl.MultiAff]]:
    """Splits the box into the points of equal remainders by the periods with which conditions repeat along axes."""
    periods: list[int] = []
    for axis, size in enumerate(sizes):
        divisors = (q for q in range(1, MAX_PERIOD + 1) if size % q == 0)
        period = next((q for q in divisors if all(_repeats(c, axis, q, sizes) for c in conditions)), None)
        if period is None:
            return tuple(sizes), [affine.identity(len(sizes))]
        periods.append(period)
    if prod(periods) > MAX_PIECES:
        return tuple(sizes), [affine.identity(len(sizes))]
    piece = tuple(size // q for size, q in zip(sizes, periods, strict=True))
    return piece, [
        affine.make_map(len(sizes), [f"{q}*i{a} + {r}" for a, (q, r) in enumerate(zip(periods, rest, strict=True))])
        for rest in product(*map(range, periods))
    ]


def _repeats(condition: isl.Set, axis: int, period: int, sizes: Sequence[int]) -> bool:
    """Whether a condition is the same at points that are `period` apart along an axis."""
    if not condition.involves_dims(isl.dim_type.set, axis, 1):
        return True
    inside = affine.box([size - period if a == axis else size for a, size in enumerate(sizes)])
    later = condition.preimage_multi_aff(_moved(len(sizes), axis, period))
    return bool(condition.intersect(inside).is_equal(later.intersect(inside)))


def _moved(rank: int, axis: int, by: int) -> isl.MultiAff:
    return affine.make_map(rank, [f"{by} + i{a}" if a == axis else f"i{a}" for a in range(rank)])


def _ends(condition: isl.Set, sizes: Sequence[int]) -> set[tuple[int, int]] | None:
    """
    Returns the axis and the ends of the interval in which a condition holds, without ends at the border of the box. None if the
    condition is not an interval of one axis.
    """
    box = affine.box(sizes)
    inside = condition.intersect(box)
    if inside.is_empty() or box.is_subset(inside):
        return set()
    for axis, size in enumerate(sizes):
        first, last = (int(v.to_python()) for v in (inside.dim_min_val(axis), inside.dim_max_val(axis)))
        interval = box.intersect(affine.make_set(sizes, [f"{first} <= i{axis} <= {last}"]))
        if inside.is_equal(interval):
            return {(axis, at) for at in (first, last + 1) if 0 < at < size}
    return None
