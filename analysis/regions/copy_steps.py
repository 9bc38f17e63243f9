"""
Splits the address and the guard of a copy into what is computed once a tile and what changes with k.

```
    x[n, p + r - 1, q + s - 1, c],  m = (n, p, q),  k = (r, s, c)     address(m, k) = offset(m) + delta(r, s, c)
    guard: 0 <= p + r - 1 < H and 0 <= q + s - 1 < W                  bit r·S + s of a mask of m
```

A step of a tile advances k by the tile's size. Its number is a number in a mixed radix, whose digits are those of the divisions of k
in the access map: here c, s and r. The address must be a sum of a part that does not depend on the digits and a multiple of each
digit. Then all threads add the same delta, which follows from the digits by additions, and each copy has an offset of its own, from
the divisions of m. The guard must not depend on the elements of a step. It becomes a mask with a bit for each tap, or, for more
than 32 taps, a mask for each digit.
CUTLASS's "optimized" iterators of implicit GEMM do the same for fixed layouts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

import islpy as isl

from ..errors import TooComplex
from ..index import affine
from ..index.isl_text import divisions

MASK_BITS = 32
"""The number of bits of a mask."""


@dataclass(frozen=True)
class StepMask:
    """A mask of which bit `k / unit % count` says whether the points at k are in `where`; bit t is that of k = t·unit."""

    unit: int
    count: int
    where: isl.Set


@dataclass(frozen=True)
class CopySteps:
    """
    The digits of the step's number, the fastest first: there are `sizes[j]` values of digit j, each `units[j]` elements of k apart,
    and the address moves by `strides[j]` elements from one to the next. A copy is read where all `masks` have their bit.
    """

    units: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    masks: tuple[StepMask, ...] = ()

    @property
    def increments(self) -> tuple[int, ...]:
        """The elements by which the address moves if digit j is incremented and all faster digits return to 0."""
        back = [(size - 1) * stride for size, stride in zip(self.sizes, self.strides, strict=True)]
        return tuple(stride - sum(back[:j]) for j, stride in enumerate(self.strides))


def copy_steps(
    at: isl.MultiAff, address: isl.Aff, where: isl.Set | None, bounds: Sequence[int], axis: int, step: int, limit: int
) -> CopySteps | None:
    """
    Returns how the copies of a load move with `axis` of the space of `bounds`, in steps of `step` elements. `at` is its access
    map, `address` the element's offset. Returns None if the address or the guard has another form, or if steps move it by `limit`.
    """
    cuts = cuts_of(at, axis, bounds[axis])
    units = (step, *cuts)
    if any(b % a for a, b in pairwise((*units, bounds[axis]))):
        return None
    units, sizes = _without_ones(units, tuple(b // a for a, b in pairwise((*units, bounds[axis]))))
    rank, inner = len(bounds), (*(step if k == axis else b for k, b in enumerate(bounds)), *sizes)
    k = " + ".join([f"i{axis}", *(f"{unit}*i{rank + j}" for j, unit in enumerate(units))])
    split = affine.make_map(len(inner), [k if a == axis else f"i{a}" for a in range(rank)])
    try:
        with affine.quota(what="the steps of a copy"):
            strides = _strides(isl.MultiAff.from_aff(address), split, inner, rank)
            masks = () if where is None else _masks(where, split, inner, axis, units, sizes)
    except TooComplex:
        return None
    if strides is None or masks is None:
        return None
    moved = sum(size * abs(stride) for size, stride in zip(sizes, strides, strict=True))
    return _merged(CopySteps(units, sizes, strides, masks)) if moved < limit else None


def _merged(steps: CopySteps) -> CopySteps:
    """Joins adjacent digits by whose values the address moves alike, unless a mask begins or ends between them."""
    ends = {end for mask in steps.masks for end in (mask.unit, mask.unit * mask.count)}
    units, sizes, strides = list(steps.units), list(steps.sizes), list(steps.strides)
    for j in reversed(range(1, len(units))):
        if strides[j] == sizes[j - 1] * strides[j - 1] and units[j] not in ends:
            sizes[j - 1] *= sizes[j]
            del units[j], sizes[j], strides[j]
    return CopySteps(tuple(units), tuple(sizes), tuple(strides), steps.masks)


def _without_ones(units: Sequence[int], sizes: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Drops digits that are always 0, except for the last one."""
    kept = [j for j, size in enumerate(sizes) if size > 1] or [len(sizes) - 1]
    return tuple(units[j] for j in kept), tuple(sizes[j] for j in kept)


def cuts_of(at: isl.MultiAff, axis: int, size: int) -> list[int]:
    """Returns the divisors of an axis in an access map, in ascending order."""
    found: set[int] = set()
    for numerator, q in divisions(at):
        axes = [a for a in range(affine.input_rank(at)) if numerator.involves_dims(isl.dim_type.in_, a, 1)]
        factor = int(numerator.get_coefficient_val(isl.dim_type.in_, axis).to_python()) if axes == [axis] else 0
        if factor > 0 and q % factor == 0 and q // factor < size:
            found.add(q // factor)
    return sorted(found)


def _strides(address: isl.MultiAff, split: isl.MultiAff, inner: Sequence[int], rank: int) -> tuple[int, ...] | None:
    """Returns the multiples of the digits in an address; None if it depends on them otherwise."""
    whole = affine.compose(address, split, inner)
    at = whole.get_at(0)
    coefficients = [at.get_coefficient_val(isl.dim_type.in_, a) for a in range(rank, len(inner))]
    if any(not c.is_int() for c in coefficients):
        return None
    strides = tuple(int(c.to_python()) for c in coefficients)
    moved = affine.make_map(len(inner), [" + ".join(["0", *(f"{s}*i{rank + j}" for j, s in enumerate(strides))])])
    first = affine.make_map(len(inner), [f"i{a}" if a < rank else "0" for a in range(len(inner))])
    start = affine.compose(whole, first, inner)
    return strides if affine.equal_on(inner, whole, start.add(moved)) else None


def _masks(
    where: isl.Set, split: isl.MultiAff, inner: Sequence[int], axis: int, units: Sequence[int], sizes: Sequence[int]
) -> tuple[StepMask, ...] | None:
    rank, box = len(inner) - len(sizes), affine.box(inner)
    inside = where.preimage_multi_aff(split).intersect(box)

    def without(axes: Sequence[int], of: isl.Set) -> isl.Set:
        for a in axes:
            of = of.eliminate(isl.dim_type.set, a, 1)
        return of.intersect(box)

    used = [j for j in range(len(sizes)) if not without([rank + j], inside).is_subset(inside)]
    if not used or prod(sizes[used[0] :]) <= MASK_BITS:
        first = used[0] if used else len(sizes) - 1
        count = prod(sizes[first:]) if used else 1
        return (StepMask(units[first], count, where),)
    if any(sizes[j] > MASK_BITS for j in used) or not without([axis], inside).is_subset(inside):
        return None
    each = [without([rank + i for i in range(len(sizes)) if i != j], inside) for j in used]
    together = each[0]
    for other in each[1:]:
        together = together.intersect(other)
    if not together.is_subset(inside):
        return None
    found: list[StepMask] = []
    for j, own in zip(used, each, strict=True):
        digit = [f"floor(i{axis}/{units[j]})" if i == j else "0" for i in range(len(sizes))]
        back = affine.make_map(rank, [*("0" if a == axis else f"i{a}" for a in range(rank)), *digit])
        outer = [sizes[j] * units[j] if a == axis else size for a, size in enumerate(inner[:rank])]
        simple = affine.simplify_guard([own.preimage_multi_aff(back)], outer)
        if simple is not None:
            found.append(StepMask(units[j], sizes[j], simple))
    return tuple(found)
