"""
Merges axes of a space: adjacent ones become one as long as no address and no condition then divides.

```
x[8, 512, 768], read whole:        (b, s), c      one axis of 4096 rows, one of 768 columns
x[8, 512, 768], transposed to s:   b, s, c        (b, s) would divide
```
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import prod

import islpy as isl

from ...targets.architectures import WARPGROUP
from ..index import affine
from .addresses import is_affine, linear_address

INDEX_LIMIT = 2**31 - 2**16
"""
Axes are merged only if the size of the result is below this. Kernels use 32-bit indices, and the last tile may extend beyond
the axis.
"""

Read = tuple[tuple[int, ...], isl.MultiAff, tuple[int, ...]]
"""The sizes of an array, its access map, and the sizes of the map's input axes. The axes to merge come first."""

Condition = tuple[isl.Set, tuple[int, ...]]
"""A set of points of a space, and the sizes of the space. The axes to merge come first."""


def merged_groups(
    sizes: Sequence[int],
    axes: tuple[int, ...],
    reads: Sequence[Read],
    out: Sequence[int],
    conditions: Sequence[Condition] = (),
) -> list[tuple[int, ...]]:
    """Joins adjacent `axes` while every address, and every condition, stays free of divisions; drops axes of size 1."""
    kept = affine.make_map(len(sizes), [f"i{a}" for a in range(len(out))])
    addresses = [*reads, (tuple(out), kept, tuple(sizes))]
    groups: list[tuple[int, ...]] = [(a,) for a in axes if sizes[a] != 1]
    joined = True
    while joined:
        joined = False
        for left, right in pairwise(groups):
            if (
                prod(sizes[a] for a in left + right) < INDEX_LIMIT
                and all(stays_affine(left + right, *address) for address in addresses)
                and all(_stays_simple(left + right, *condition) for condition in conditions)
            ):
                at = groups.index(left)
                groups[at : at + 2] = [left + right]
                joined = True
                break
    return groups


def stays_affine(group: tuple[int, ...], of: Sequence[int], at: isl.MultiAff, sizes: Sequence[int]) -> bool:
    """Whether the address of an array of sizes `of`, read through `at`, stays free of divisions if the axes of `group` are merged."""
    space, ungroup = _merged(group, sizes)
    return is_affine(linear_address(of, affine.compose(at, ungroup, space), space))


def _stays_simple(group: tuple[int, ...], where: isl.Set, sizes: Sequence[int]) -> bool:
    """Whether the conditions of the set `where` stay free of divisions if the axes of `group` are merged."""
    space, ungroup = _merged(group, sizes)
    merged = affine.simplify_guard([where.preimage_multi_aff(ungroup)], space)
    return merged is None or ("floor" not in str(merged) and "mod" not in str(merged))


def _merged(group: tuple[int, ...], sizes: Sequence[int]) -> tuple[list[int], isl.MultiAff]:
    """Returns the sizes of the space in which the axes of `group` are merged to the first one, and the map from it to the axes."""
    order = [group, *((a,) for a in range(len(sizes)) if a not in group)]
    space = [prod(sizes[a] for a in g) for g in order]
    return space, axes_of_groups(order, space, sizes)


def axes_of_groups(order: Sequence[tuple[int, ...]], space: Sequence[int], sizes: Sequence[int]) -> isl.MultiAff:
    """Maps merged groups of axes back to the axes. An axis in no group has index 0."""
    return _axes_of_groups(tuple(order), tuple(space), tuple(sizes))


@lru_cache(maxsize=4096)
def _axes_of_groups(order: tuple[tuple[int, ...], ...], space: tuple[int, ...], sizes: tuple[int, ...]) -> isl.MultiAff:
    exprs = ["0"] * len(sizes)
    for position, group in enumerate(order):
        steps = affine.row_major_strides([sizes[a] for a in group])
        for place, (a, step) in enumerate(zip(group, steps, strict=True)):
            quotient = f"floor(i{position}/{step})"
            exprs[a] = quotient if place == 0 else f"{quotient} - {sizes[a]}*floor(i{position}/{step * sizes[a]})"
    return affine.make_map(len(order), exprs).gist(affine.box(space))


def row_major(rank: int, axis: int, sizes: Sequence[int]) -> isl.MultiAff:
    """Returns the map from one axis of a space to the axes of an array of these sizes, in row-major order."""
    order = [tuple(range(len(sizes))) if k == axis else () for k in range(rank)]
    return axes_of_groups(order, [prod(sizes[a] for a in group) for group in order], sizes)


def widest(groups: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> tuple[int, ...]:
    """Returns the group of axes with the largest size, the last one on a tie, or () (size 1) if there are no groups."""
    return max(reversed(groups), key=lambda g: prod(sizes[a] for a in g), default=())


def rows_axis(groups: Sequence[tuple[int, ...]], sizes: Sequence[int], columns: int) -> tuple[int, ...]:
    """Returns the group that a tile has as its rows: the innermost, or the widest if tiles of that would leave threads idle."""
    m = groups[-1] if groups else ()
    return m if columns * prod(sizes[a] for a in m) >= WARPGROUP else widest(groups, sizes)
