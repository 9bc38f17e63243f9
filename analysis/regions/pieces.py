"""
Equal pieces of an index space, in each of which choices by position are constant: the operands of a concatenation.

```
concat(a, b) of 4x64 and 4x128 along axis 1   →   three pieces of 4x64:   { [i0, i1] -> [i0, i1 + k] }, k = 0, 64, 128
```

A kernel whose space is one piece computes an element of each: what the pieces share is read and computed once, and no
element is chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import islpy as isl

from ..index import affine

MAX_PIECES = 8
"""Maximum number of pieces: a thread computes an element of each."""


def pieces(conditions: Sequence[isl.Set], sizes: Sequence[int]) -> tuple[tuple[int, ...], list[isl.MultiAff]]:
    """
    Returns the sizes of the pieces of a box, and the map from a piece to the box for each. In a piece, each condition holds
    everywhere or nowhere. The box is the only piece if the conditions are not intervals of one axis.
    """
    cuts: set[tuple[int, int]] = set()
    for condition in conditions:
        if (found := _ends(condition, sizes)) is None:
            return tuple(sizes), [affine.identity(len(sizes))]
        cuts |= found
    if len({axis for axis, _ in cuts}) == 1:
        axis = next(axis for axis, _ in cuts)
        length = gcd(sizes[axis], *(at for _, at in cuts))
        if sizes[axis] // length <= MAX_PIECES:
            piece = tuple(length if a == axis else size for a, size in enumerate(sizes))
            return piece, [_moved(len(sizes), axis, at) for at in range(0, sizes[axis], length)]
    return tuple(sizes), [affine.identity(len(sizes))]


def _moved(rank: int, axis: int, by: int) -> isl.MultiAff:
    return affine.make_map(rank, [f"{by} + i{a}" if a == axis else f"i{a}" for a in range(rank)])


def _ends(condition: isl.Set, sizes: Sequence[int]) -> set[tuple[int, int]] | None:
    """Returns the axis and the ends, inside of the box, of the interval in which a condition holds; None if it is not one."""
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
