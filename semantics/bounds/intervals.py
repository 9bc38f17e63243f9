"""
Sets of values that a machine may compute: one closed interval per element, and whether NaN is possible.

An element is a number between `lo` and `hi` (float64) or, where `nan` is set, NaN. Where only NaN is possible, `lo` and `hi`
are NaN too. Predicates have 0 for false and 1 for true.

Rounding (DESIGN §6): each float op moves both ends outward by one ulp of its type, which also covers a machine that fuses a
multiplication into an addition. A transcendental function first moves them by two or four ulp of f32, the bounds that the CUDA
C++ Programming Guide gives for expf, tanhf, erff, logf, rsqrtf and similar functions. In f64, it moves them by 18 ulp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import scalars
from ..arrays.float_formats import largest, ulp
from ..arrays.scalars import Array, DType, is_float
from ..errors import NoBounds

F32 = np.dtype(np.float32)
FLOAT8 = (scalars.F8E4M3FN, scalars.F8E5M2)
LARGEST_EXACT = float(1 << 53)
"""Largest magnitude up to which all integers are exact in float64."""


@dataclass(frozen=True)
class Interval:
    """One interval per element, of values of type `dtype`."""

    lo: Array
    hi: Array
    nan: Array
    dtype: DType
    known: Array | None = field(default=None, init=False, repr=False)
    """The values, if all are exact and were recorded. `replace` drops them."""
    weight: Array | None = field(default=None, init=False, repr=False)
    """The sum of the magnitudes of all terms added so far, if the values are accumulators."""
    source: DType | None = field(default=None, init=False, repr=False)
    """The fp8 type from which the f32 values were cast, or None."""

    @classmethod
    def of(cls, x: Array) -> Interval:
        """Returns the interval that contains only `x`; 64-bit integers beyond 2⁵³ are widened to the adjacent float64 values."""
        if scalars.is_complex(x.dtype):
            raise NoBounds(what="complex numbers")
        wide = x.astype(np.float64)
        if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
            big = np.abs(wide) > LARGEST_EXACT
            low, high = np.nextafter(wide, -np.inf), np.nextafter(wide, np.inf)
            out = cls(np.where(big, low, wide), np.where(big, high, wide), np.zeros(x.shape, bool), x.dtype)
        else:
            out = cls(wide, wide.copy(), np.isnan(wide), x.dtype)
        return out.keeping(known=x)

    def keeping(
        self, *, known: Array | None = None, weight: Array | None = None, source: DType | None = None
    ) -> Interval:
        """Returns the same interval with these fields, which `replace` drops."""
        out = replace(self)
        object.__setattr__(out, "known", known)
        object.__setattr__(out, "weight", weight)
        object.__setattr__(out, "source", source)
        return out

    @classmethod
    def anything(cls, sizes: tuple[int, ...], dtype: DType) -> Interval:
        """Returns the content of an uninitialized buffer: NaN, as in `memref.poison`, or any integer."""
        if is_float(dtype):
            return cls(np.full(sizes, np.nan), np.full(sizes, np.nan), np.ones(sizes, bool), dtype)
        low, high = scalars.integer_range(dtype)
        return cls(np.full(sizes, float(low)), np.full(sizes, float(high)), np.zeros(sizes, bool), dtype)

    def store(self, value: Interval, at: Array | None = None) -> None:
        """Overwrites all elements, or those with linear indices `at`, of an interval that represents memory."""
        for mine, theirs in ((self.lo, value.lo), (self.hi, value.hi), (self.nan, value.nan)):
            np.copyto(mine, theirs) if at is None else np.put(mine, at, theirs)
        object.__setattr__(self, "known", value.known if at is None else None)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.lo.shape

    @property
    def is_fp8(self) -> bool:
        """Whether a tensor core may multiply the values as fp8."""
        return (self.source or self.dtype) in FLOAT8

    @property
    def exact(self) -> Array:
        """True at the elements that have a single possible value."""
        return np.where(self.nan, np.isnan(self.lo), self.lo == self.hi)

    def may_be(self, value: float) -> Array:
        return (self.lo <= value) & (value <= self.hi)

    def move(self, function: Callable[[Array], Array]) -> Interval:
        """Applies a function that only rearranges elements."""
        return together(function, self)

    def rounded(self, ulps: float = 1.0, dtype: DType | None = None) -> Interval:
        """Moves both ends outward by `ulps` ulp of `dtype` (default: the interval's type). Ends beyond its range become infinite."""
        dtype = dtype or self.dtype
        if not is_float(dtype):
            return self
        lo, hi = self.lo - ulps * ulp(self.lo, dtype), self.hi + ulps * ulp(self.hi, dtype)
        if dtype == np.float64:
            return replace(self, lo=lo, hi=hi)
        most = largest(dtype)
        lo = np.where(lo < -most, -np.inf, np.where(np.isfinite(lo), np.minimum(lo, most), lo))
        hi = np.where(hi > most, np.inf, np.where(np.isfinite(hi), np.maximum(hi, -most), hi))
        return replace(self, lo=lo, hi=hi)


def together(function: Callable[..., Array], *values: Interval) -> Interval:
    """Applies a function that only rearranges elements to intervals of one type."""
    first, known = values[0], [v.known for v in values if v.known is not None]
    lo, hi, nan = (np.asarray(function(*part)) for part in zip(*((v.lo, v.hi, v.nan) for v in values), strict=True))
    return Interval(lo, hi, nan, first.dtype).keeping(
        known=np.asarray(function(*known)) if len(known) == len(values) else None,
        source=first.source if all(v.source == first.source for v in values) else None,
    )


def points(x: Interval) -> Array | None:
    """Returns the integers of `x` if all of them are exact."""
    if x.known is not None:
        return x.known
    if bool(np.all(x.exact)) and float(np.max(np.abs(x.lo), initial=0)) <= LARGEST_EXACT:
        return x.lo.astype(np.int64).astype(x.dtype)
    return None


def from_candidates(candidates: list[Array], nan: Array, dtype: DType) -> Interval:
    """Returns the hull of candidates for the end points. NaN is possible where `nan` is set or a candidate is NaN."""
    lo, hi = candidates[0], candidates[0]
    for c in candidates[1:]:
        lo, hi = np.fmin(lo, c), np.fmax(hi, c)
    for c in candidates:
        nan = nan | np.isnan(c)
    return Interval(lo, hi, nan, dtype)


def hull(a: Interval, b: Interval) -> Interval:
    """Returns the smallest interval that contains both."""
    return Interval(np.fmin(a.lo, b.lo), np.fmax(a.hi, b.hi), a.nan | b.nan, a.dtype)


def predicate(may_be_true: Array, may_be_false: Array) -> Interval:
    lo, hi = np.where(may_be_false, 0.0, 1.0), np.where(may_be_true, 1.0, 0.0)
    return Interval(lo, hi, np.zeros(lo.shape, bool), np.dtype(np.bool_))


def integers(lo: Array, hi: Array, dtype: DType) -> Interval:
    return Interval(lo.astype(np.float64), hi.astype(np.float64), np.zeros(lo.shape, bool), dtype)
