"""
Sums and contractions of intervals, for any order of additions.

The error of a sum of K terms is at most

    4 · √K · u · Σ|term|,    u = the accumulator's epsilon (2⁻²³ for f32, 2⁻⁵² for f64)

which `__init__.py` justifies. Sums of fp8 products in f32 have an additional error of at most

    4 · √128 · 2⁻¹³ · Σ|term|

Hopper's tensor cores align the terms of an fp8 wgmma, including the accumulator, to the largest one and truncate
them to 14 bits (DeepSeek-AI, *DeepSeek-V3 Technical Report*, 2024, §3.3.2 and §3.5.2; on RZ instead of RN:
Fasi, Higham, Mikaitis and Pranesh, *Numerical behavior of NVIDIA tensor cores*, 2021). So each term loses less
than 2⁻¹³ of the largest term. A partial sum has 128 terms; the kernel then adds it to its f32 accumulator.

A `tight` sum is exact where no order can round. If every term is a single value and a multiple of some power of two q, and
Σ|term| ≤ 2^p · q, with p the accumulator's precision, then each partial sum is a value of the accumulator type. The usual
case is integers whose sums stay below 2²⁴; in fp8, the sums of 128 terms must also stay below 2¹³.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..arrays.contraction import WIDEST, contract
from ..arrays.float_formats import largest, smallest_normal, ulp
from ..arrays.scalars import Array, DType, integer_range, is_float
from .casts import overflow_to_nan
from .intervals import F32, LARGEST_EXACT, Interval

FP8_RUN = 128
"""Number of fp8 products that tensor cores sum before the kernel adds the partial sum to its f32 accumulator."""

FP8_UNIT = 2.0**-13
"""Maximum error of a term of such a partial sum, relative to the largest term."""

Axes = tuple[str, str, str]
"""The axes of both operands and of the result, one letter each."""


def dot(a: Interval, b: Interval, axes: Axes, accum: DType, start: Interval | None = None, *, tight: bool) -> Interval:
    """Returns `start` + Σ a · b, accumulated in `accum`; `start` is 0 by default."""
    wide = _wide(accum)
    (am, ar), (bm, br) = _midpoint(a, wide), _midpoint(b, wide)
    lhs, rhs, out = axes

    def product(x: Array, y: Array) -> Array:
        return contract(x, lhs, y, rhs, out)

    def any_of(x: Array, y: Array) -> Array:
        """Returns where a term has a factor in `x` or `y`."""
        if not (x.any() or y.any()):
            return np.zeros(middle.shape, bool)
        left, right = product(x.astype(wide), np.ones(y.shape, wide)), product(np.ones(x.shape, wide), y.astype(wide))
        return (left + right) > 0

    middle = product(am, bm)
    sizes_a, sizes_b = np.abs(am) + ar, np.abs(bm) + br
    magnitude = terms = product(sizes_a, sizes_b)
    finite = magnitude if np.isfinite(magnitude).all() else product(_finite(sizes_a), _finite(sizes_b))
    spread = np.zeros(middle.shape, wide)
    if ar.any():
        spread = spread + product(ar, sizes_b)
    if br.any():
        spread = spread + product(np.abs(am), br)
    nan = any_of(a.nan, b.nan), any_of(np.isnan(a.lo), np.isnan(b.lo))
    single = ~any_of(~_is_single(a), ~_is_single(b)) if tight else np.zeros(middle.shape, bool)
    sizes = dict(zip(lhs + rhs, a.shape + b.shape, strict=True))
    count = int(np.prod([size for axis, size in sizes.items() if axis not in out], dtype=np.int64))
    quantum = _quantum(am) * _quantum(bm) if tight else 0.0
    if start is not None:
        first, width = _midpoint(start, wide)
        middle, spread, count = middle + first, spread + width, count + 1
        weight = np.abs(first) + width if start.weight is None else start.weight
        magnitude, finite = magnitude + weight, finite + _finite(weight)
        nan = nan[0] | start.nan, nan[1] | np.isnan(start.lo)
        single, quantum = single & _is_single(start), min(quantum, _quantum(first)) if tight else 0.0
    error = _error(count, magnitude, accum, single, quantum)
    if a.is_fp8 and b.is_fp8 and accum == F32:
        run = np.minimum(magnitude, FP8_RUN * _finite(sizes_a).max(initial=0) * _finite(sizes_b).max(initial=0))
        lossless = single & (run * FP8_UNIT <= quantum)
        error = error + np.where(lossless, 0.0, 4 * np.sqrt(FP8_RUN) * FP8_UNIT * terms)
    return _sum_interval(middle, spread, error, magnitude, finite, nan, accum)


def total(x: Interval, axes: tuple[int, ...], accum: DType, *, tight: bool) -> Interval:
    """Returns the sum of `x` over `axes`, accumulated in `accum`."""
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    return summed(x, lambda v: np.asarray(v.sum(axis=axes)), count, accum, tight=tight)


def grouped(x: Interval, groups: Array, shape: tuple[int, ...], accum: DType, *, tight: bool) -> Interval:
    """Returns the sum of each group of slices along axis 0, accumulated in `accum`; `shape[0]` is the number of groups."""

    def add(v: Array) -> Array:
        out = np.zeros(shape, v.dtype)
        np.add.at(out, groups, v)
        return out

    counts = np.bincount(groups, minlength=shape[0]).reshape([-1, *[1] * (len(shape) - 1)])
    return summed(x, add, counts, accum, tight=tight)


def summed(x: Interval, add: Callable[[Array], Array], count: int | Array, accum: DType, *, tight: bool) -> Interval:
    """Returns sums accumulated in `accum`: `add` adds `count` elements of an array for each element of the result."""
    middle, width = _midpoint(x, _wide(accum))

    def any_term(where: Array) -> Array:
        """Returns where some term of the sum is in `where`."""
        return add(where.astype(np.int64)) > 0

    sums, spread, magnitude = (add(v) for v in (middle, width, np.abs(middle) + width))
    single = ~any_term(~_is_single(x)) if tight else np.zeros(sums.shape, bool)
    error = _error(count, magnitude, accum, single, _quantum(middle) if tight else 0.0)
    finite = magnitude if np.isfinite(magnitude).all() else add(_finite(np.abs(middle) + width))
    return _sum_interval(sums, spread, error, magnitude, finite, (any_term(x.nan), any_term(np.isnan(x.lo))), accum)


def wrapped(x: Interval) -> Interval:
    """Returns `x`, widened to the whole range of its integer type where it may overflow or is not exact in float64."""
    low, high = (float(end) for end in integer_range(x.dtype))
    magnitude = np.maximum(np.abs(x.lo), np.abs(x.hi))
    wraps = (x.lo < low) | (x.hi > high) | (magnitude > LARGEST_EXACT)
    return replace(x, lo=np.where(wraps, low, x.lo), hi=np.where(wraps, high, x.hi))


def _wide(accum: DType) -> DType:
    """Returns the type in which bounds are summed, wider than `accum`."""
    return WIDEST if accum == np.float64 else np.dtype(np.float64)


def _midpoint(x: Interval, wide: DType) -> tuple[Array, Array]:
    """Returns the midpoints and half the widths. Exact values, including infinities, have width 0."""
    same = (x.lo == x.hi) | np.isnan(x.lo)
    lo, hi = x.lo.astype(wide), x.hi.astype(wide)
    return np.where(same, lo, lo / 2 + hi / 2), np.where(same, 0.0, hi / 2 - lo / 2)


def _finite(x: Array) -> Array:
    """Returns `x` with infinities and NaNs replaced by 0."""
    return np.where(np.isfinite(x), x, 0.0)


def _is_single(x: Interval) -> Array:
    """Returns where an interval is a single finite value."""
    return (x.lo == x.hi) & np.isfinite(x.lo) & ~x.nan


def _quantum(x: Array) -> float:
    """Returns the largest power of two that divides every finite element."""
    some = x[np.isfinite(x) & (x != 0)]
    if not some.size:
        return 1.0
    fraction, exponent = np.frexp(some)
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    lowest = np.ldexp((digits & -digits).astype(np.float64), exponent - 53)
    return float(lowest.min())


def _error(count: int | Array, magnitude: Array, accum: DType, single: Array, quantum: float) -> Array:
    """
    Returns the error of accumulating `count` terms in `accum`, and of computing the bound itself one type wider. It is zero
    where the terms are `single` values, multiples of `quantum`, and all partial sums are exact.
    """
    if not is_float(accum):
        return np.zeros_like(magnitude)
    unit = float(ulp(np.ones(()), accum))
    error = (4 * np.sqrt(np.maximum(count, 1)) * unit + (count + 2) * np.finfo(magnitude.dtype).eps) * magnitude
    error = np.where(magnitude > 0, error + count * float(ulp(np.zeros(()), accum)), 0.0)  # underflow
    if quantum < smallest_normal(accum):
        return error
    return np.where(single & (magnitude <= 2 / unit * quantum), 0.0, error)


def _sum_interval(
    middle: Array, spread: Array, error: Array, magnitude: Array, finite: Array, nan: tuple[Array, Array], accum: DType
) -> Interval:
    """
    Returns middle ± (spread + error). `spread` comes from the terms' own intervals; `magnitude` is Σ|term|, and `finite` is the
    same sum over finite terms only; `nan` says where a term may be NaN, and where a term must be NaN. If an exact term is infinite,
    the result is that infinity, but NaN is possible if the finite terms may overflow to the other infinity. If an infinite term is
    uncertain, or partial sums may overflow, the result is unbounded. A zero may have either sign, which depends on the order.
    """
    may, must = nan
    single = ~np.isfinite(middle) & (np.isfinite(spread) | must)
    overflows = magnitude > largest(accum) if is_float(accum) else np.zeros_like(must)
    unbounded = ~single & (overflows | ~np.isfinite(middle) | ~np.isfinite(spread + error))
    lo = np.where(single, middle, np.where(unbounded, -np.inf, middle - spread - error))
    hi = np.where(single, middle, np.where(unbounded, np.inf, middle + spread + error))
    may = may | unbounded | np.isnan(middle) | (single & (finite > largest(accum)) if is_float(accum) else False)
    lo, hi = (end.astype(np.float64) for end in (np.where(lo == 0, -0.0, lo), np.where(hi == 0, 0.0, hi)))
    out = Interval(lo, hi, may, accum)
    if not is_float(accum):
        return wrapped(out)
    return overflow_to_nan(out.rounded(0.0)).keeping(weight=magnitude.astype(np.float64))
