"""
Shape sets: clusters of the sizes for which a kernel is requested. The kernels of a cluster share one tuned plan.

```
requests of a product with k = n = 768, by m:        1 ×900   2 ×40   4 ×12   128 ×70   160 ×5   1000 ×3
shape sets (no axis varies by more than a factor 2): {1, 2} for 1    {4}    {128, 160} for 128    {1000}
```

A cluster is tuned for its representative: the member from which all requests of the cluster are nearest. The distance of two shapes is
the sum over the axes of |log₂ of the ratio of the sizes|, because a kernel's best plan changes with ratios, not with differences.
Spec: `tensor-compiler.ja §6`, `§8` (ShapeSets).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, log2

Sizes = tuple[int, ...]

RATIO = 2.0
"""Maximum ratio of the largest to the smallest size of a cluster along each axis."""
MAX_SETS = 8
"""Maximum number of clusters of a kernel: the nearest ones are merged until there are no more."""
FARTHEST = 2.0
"""Maximum distance of a shape from the cluster whose plan it uses: a factor of 4 along one axis, or of 2 along two."""


@dataclass(frozen=True)
class ShapeSet:
    """A cluster: its representative, its smallest and largest size along each axis, and the number of requests for its members."""

    representative: Sizes
    low: Sizes
    high: Sizes
    requests: int = 1

    def distance(self, sizes: Sizes) -> float:
        """Returns 0 inside the box of the cluster's sizes, else the distance from it; inf for another number of axes."""
        if len(sizes) != len(self.low):
            return inf
        return distance(sizes, tuple(map(_clamped, sizes, self.low, self.high)))

    def contains(self, other: Sizes) -> bool:
        """Returns whether sizes are in the cluster's box."""
        return len(other) == len(self.low) and all(map(_within, other, self.low, self.high))


def distance(a: Sequence[int], b: Sequence[int]) -> float:
    """Returns the sum of |log₂| of the ratios of the sizes, which are counted from 1 on; inf for different numbers of axes."""
    if len(a) != len(b):
        return inf
    return sum(abs(log2(max(x, 1) / max(y, 1))) for x, y in zip(a, b, strict=True))


def shape_sets(histogram: Mapping[Sizes, int], most: int = MAX_SETS) -> list[ShapeSet]:
    """
    Returns the clusters of the shapes in a histogram of requests, those with the most requests first. Two clusters are merged as long as no
    axis of the result exceeds `RATIO`, the nearest first; and beyond that until there are at most `most` clusters. Shapes with different
    numbers of axes are never merged. The result does not depend on the order of the histogram.
    """
    groups: list[tuple[Sizes, ...]] = [(sizes,) for sizes in sorted(histogram)]
    while len(groups) > 1:
        pairs = ((_spread((*a, *b)), (*a, *b), a, b) for a, b in combinations(groups, 2))
        (widest, total), merged, a, b = min(pairs)
        if total == inf or (widest > log2(RATIO) + 1e-9 and len(groups) <= most):
            break
        groups = sorted([*(g for g in groups if g not in (a, b)), tuple(sorted(merged))])
    return sorted((_set_of(group, histogram) for group in groups), key=lambda s: (-s.requests, s.representative))


def nearest(sets: Iterable[ShapeSet], sizes: Sizes) -> list[ShapeSet]:
    """Returns the sets that are near enough for a shape to use their plans, the nearest first."""
    near = [(s.distance(sizes), distance(s.representative, sizes), s.representative, s) for s in sets]
    return [s for far, *_, s in sorted(near, key=lambda found: found[:3]) if far <= FARTHEST]


def _set_of(group: Sequence[Sizes], histogram: Mapping[Sizes, int]) -> ShapeSet:
    def cost(sizes: Sizes) -> tuple[float, Sizes]:
        return round(sum(histogram[other] * distance(sizes, other) for other in group), 9), sizes

    axes = list(zip(*group, strict=True))
    low, high = tuple(map(min, axes)), tuple(map(max, axes))
    return ShapeSet(min(group, key=cost), low, high, sum(histogram[sizes] for sizes in group))


def _spread(group: Sequence[Sizes]) -> tuple[float, float]:
    """Returns |log₂| of the ratio of the largest to the smallest size: the maximum over the axes, and the sum."""
    if len({len(sizes) for sizes in group}) > 1:
        return inf, inf
    each = [log2(max(*axis, 1) / max(min(axis), 1)) for axis in zip(*group, strict=True)]
    return max(each, default=0.0), sum(each)


def _within(size: int, low: int, high: int) -> bool:
    return low <= size <= high


def _clamped(size: int, low: int, high: int) -> int:
    return min(max(size, low), high)
