"""
Products of intervals, for any order of multiplications.

Each of n factors costs at most one rounding. So a product differs from the exact one by a factor of at most `(1 + u)^n`, where u
is the accumulator's epsilon, as long as all partial products are normal numbers. The largest partial product is the product of
all factors above 1, the smallest one the product of all factors below 1. If the largest may overflow, the result may be
infinite. If the smallest may underflow, the result may be 0, or have an error of n times the smallest number times the largest
partial product. If both may happen, some order computes `0 · inf`, so NaN is possible.

Magnitudes are computed in NumPy's longdouble. If that type is wider than the accumulator, a further factor `1 + u` covers its own
roundings. Finally the ends are moved outward by one ulp of float64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays.float_formats import finite_range
from ..arrays.scalars import Array, DType
from .casts import overflow_to_nan
from .intervals import Interval

WIDE = np.longdouble


def product(fold: Callable[..., Array], accum: DType, *values: Interval) -> Interval:
    """
    Returns the interval of products in type `accum`. `fold` takes one array for each of `values`, and returns the products of
    their elements.
    """
    smallest, normal, largest, epsilon = (WIDE(x) for x in finite_range(accum))

    def folded(part: Callable[[Interval], Array]) -> Array:
        return np.asarray(fold(*(part(v).astype(WIDE) for v in values)))

    def most(v: Interval) -> Array:
        return np.maximum(np.abs(v.lo), np.abs(v.hi))

    def least(v: Interval) -> Array:
        return np.where((v.lo <= 0) & (v.hi >= 0), 0.0, np.minimum(np.abs(v.lo), np.abs(v.hi)))

    def any_of(part: Callable[[Interval], Array]) -> Array:
        return folded(lambda v: np.where(part(v), 0.0, 1.0)) == 0

    with np.errstate(all="ignore"):
        growth = folded(lambda v: np.full(v.shape, 1 + epsilon)) * (1 + epsilon)
        steep, flat = folded(lambda v: np.fmax(most(v), 1)) * growth, folded(lambda v: np.fmin(least(v), 1)) / growth
        over, under = ~(steep <= largest), ~(flat >= normal)
        high, low = folded(most) * growth, folded(least) / growth
        count = np.log(growth) / np.log1p(epsilon)
        high = np.where(over, np.inf, high + np.where(under, count * smallest * steep, 0))
        low = np.where(under, 0, low)
    negative = folded(lambda v: np.where(v.hi < 0, -1.0, 1.0)) < 0
    either = any_of(lambda v: (v.lo < 0) & (v.hi > 0))
    certain = any_of(lambda v: np.isnan(v.lo))
    lo = np.where(either | negative, -high, low)
    hi = np.where(negative & ~either, -low, high)
    lo, hi = (np.where(certain, np.nan, end).astype(np.float64) for end in (lo, hi))
    nan = any_of(lambda v: v.nan) | (over & under)
    return overflow_to_nan(Interval(np.nextafter(lo, -np.inf), np.nextafter(hi, np.inf), nan, accum))
