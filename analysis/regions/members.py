"""
Epilogues that combine the members of a batch of products, which one kernel multiplies at the same time.

```
%m = tiny.reduce sum …                     : tensor<4x64x32xf32>     a batch of 4 products, such as the points of Winograd's F(2, 3)
%y[2 i, j] = %m[0, i, j] + %m[1, i, j] …   : tensor<128x32xf32>      each row i of a tile has an accumulator for each member,
%y[2 i + 1, j] = %m[1, i, j] - …                                     and is stored as two rows of the root
```

The root reads several members at one position, which is that of the root's element divided by the number of elements, along each axis, that
are computed from one position. Elements of the root with equal remainders are a *piece*. The other axes of the batch are tiles of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import islpy as isl

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ...targets.matrices import WORD
from ...targets.mma import element_bytes, mma_for
from ..index import affine
from .contraction import Contraction

MAX_MEMBERS = 16
"""Maximum number of accumulators of a warp: 16 of 16x16 elements take half of a lane's registers."""


@dataclass(frozen=True)
class Members:
    """
    The `count` members of a batch along `axis` of a contraction's result. `pieces` are the maps from the axes of the result, of any member, to
    those of the root: each reaches the elements of one piece, and perhaps positions beyond the root's end.
    """

    axis: int
    count: int
    pieces: tuple[isl.MultiAff, ...]


def placed(at: isl.MultiAff, axis: int, number: int) -> isl.MultiAff:
    """Returns the map with the constant `number` as its index along `axis`."""
    return at.set_at(axis, affine.make_map(affine.input_rank(at), [str(number)]).get_at(0))


def members_in(sizes: Sequence[int], maps: Sequence[isl.MultiAff], c: Contraction) -> Members | str:
    """Returns the members that a root of `sizes` reads through `maps` from the result of `c`, or why a kernel does not combine them."""
    mma, of_result = mma_for(*c.dtypes, c.precision), shape(c.out)
    if mma is None or element_bytes(mma.accum) != WORD:
        return "warps hold accumulators of 4 bytes only"
    if tiny.keeps_order(c.op):
        return "the sums of strict floats have an order"
    found = [_constants(at, c.batch) for at in maps]
    axes = {axis for axis in c.batch if len({constants.get(axis, -1) for constants in found}) > 1}
    if len(axes) != 1 or any(not axes <= constants.keys() for constants in found):
        return "it is read at several positions of one product"
    (axis,) = axes
    if of_result[axis] > MAX_MEMBERS:
        return f"the batch has {of_result[axis]} members, and a warp holds {MAX_MEMBERS} accumulators"
    if len({constants[axis] for constants in found}) < of_result[axis]:
        return f"it does not read all {of_result[axis]} members of the batch"
    first, *others = (placed(at, axis, 0) for at in maps)
    if any(not affine.equal_on(sizes, first, other) for other in others):
        return "it is read at several positions of one product"
    if (pieces := _pieces(sizes, first, [1 if a == axis else n for a, n in enumerate(of_result)])) is None:
        return "elements of the root are not computed from one position each, a few along each axis"
    return Members(axis, of_result[axis], pieces)


def _constants(at: isl.MultiAff, axes: Sequence[int]) -> dict[int, int]:
    """Returns the indices along `axes` that are constant."""
    found = {axis: affine.terms(at.get_at(axis)) for axis in axes}
    return {axis: terms[1] for axis, terms in found.items() if terms is not None and not terms[0]}


def _pieces(sizes: Sequence[int], at: isl.MultiAff, onto: Sequence[int]) -> tuple[isl.MultiAff, ...] | None:
    """
    Returns the pieces of a root that reads the box `onto` through `at`, or None. Along each axis, positions repeat within a period: elements
    that are a step apart are read at one position, and belong to different pieces. The step is 1, or the dilation of a convolution.
    """
    rank = len(sizes)
    periods = [_period(at, sizes, axis) for axis in range(rank)]
    steps = [_step(at, sizes, axis, period) for axis, period in enumerate(periods)]
    counts = [period // step for period, step in zip(periods, steps, strict=True)]
    if prod(counts) > MAX_MEMBERS:
        return None
    apart = [axis for axis, step in enumerate(steps) if step > 1]
    points = (*(-(-size // period) for size, period in zip(sizes, periods, strict=True)), *(steps[a] for a in apart))
    within = {axis: f" + i{rank + k}" for k, axis in enumerate(apart)}
    out = list[isl.MultiAff]()
    first: isl.MultiAff | None = None
    back: isl.MultiAff | None = None
    for rest in product(*map(range, counts)):
        exprs = [f"{periods[a]} i{a} + {steps[a] * rest[a]}{within.get(a, '')}" for a in range(rank)]
        piece = affine.make_map(len(points), exprs)
        there = affine.compose(at, piece, points)
        if first is None:
            first, back = there, affine.inverse(there, points, onto)
        if back is None or not affine.equal_on(points, there, first):
            return None
        out.append(affine.compose(piece, back, onto))
    return tuple(out)


def _period(at: isl.MultiAff, sizes: Sequence[int], axis: int) -> int:
    """Returns the number of elements along an axis after which positions are others."""
    period = 1
    for index in map(at.get_at, range(at.dim(isl.dim_type.out))):
        for quotient in map(index.get_div, range(index.dim(isl.dim_type.div))):
            if quotient.involves_dims(isl.dim_type.in_, axis, 1):
                period = max(period, int(quotient.get_denominator_val().to_python()))
    whole = -(-sizes[axis] // period)
    points, of_period = _split(sizes, axis, period, period)
    return period if affine.uses_axis(affine.compose(at, of_period, points), axis) else whole * period


def _step(at: isl.MultiAff, sizes: Sequence[int], axis: int, period: int) -> int:
    """Returns the smallest divisor of a period such that elements along an axis that are as far apart, in one period, are read at one position."""
    for step in (d for d in range(1, period) if period % d == 0):
        first, *others = (_split(sizes, axis, period, step, by) for by in range(0, period, step))
        points, start = first[0], affine.compose(at, first[1], first[0])
        if all(affine.equal_on(points, start, affine.compose(at, other, points)) for _, other in others):
            return step
    return 1


def _split(
    sizes: Sequence[int], axis: int, period: int, step: int, by: int = 0
) -> tuple[tuple[int, ...], isl.MultiAff]:
    """
    Returns the sizes of a box in which an axis is split into periods and the first `step` elements of each, and its map to the box of `sizes`,
    moved `by` elements.
    """
    rank = len(sizes)
    exprs = [f"{period} i{a} + {by} + i{rank}" if a == axis else f"i{a}" for a in range(rank)]
    points = (*(-(-size // period) if a == axis else size for a, size in enumerate(sizes)), step)
    return points, affine.make_map(rank + 1, exprs)
