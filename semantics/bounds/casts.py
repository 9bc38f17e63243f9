"""Casts of intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from xdsl.ir import Attribute

from ...dialects.common.shapes import widens_exactly
from ..arrays.float_formats import largest
from ..arrays.scalars import Array, DType, cast, integer_range, is_complex, is_float, numpy_dtype
from ..errors import NoBounds
from .intervals import F32, Interval, predicate


def cast_interval(x: Interval, src: Attribute, dst: Attribute) -> Interval:
    """
    Casts an interval by casting its end points as the contract does: every cast is monotone and, unlike arithmetic, exactly
    specified. An interval that is narrow compared to the gaps of `dst` usually becomes a single value.
    """
    dtype = numpy_dtype(dst)
    if is_complex(dtype):
        raise NoBounds(None, what="complex numbers")
    if x.is_fp8 and dtype in (F32, np.float64):
        known = None if x.known is None else cast(x.known, dtype)
        return replace(x, dtype=dtype).keeping(known=known, source=x.source or x.dtype)
    if x.known is not None:
        return Interval.of(cast(x.known, dtype))
    if dtype == np.bool_:
        return predicate(~((x.lo == 0) & (x.hi == 0)) | x.nan, x.may_be(0.0))
    if is_float(dtype):
        return replace(x, dtype=dtype) if widens_exactly(src, dst) else _rounded_ends(x, dtype)
    if is_float(x.dtype):
        lo, hi = (cast(end, dtype).astype(np.float64) for end in (x.lo, x.hi))
        return _with_zero(Interval(lo, hi, np.zeros(x.shape, bool), dtype), x.nan)
    low, high = integer_range(dtype)
    return Interval(np.clip(x.lo, low, high), np.clip(x.hi, low, high), x.nan, dtype)


def _rounded_ends(x: Interval, dtype: DType) -> Interval:
    lo, hi = (cast(end, dtype).astype(np.float64) for end in (x.lo, x.hi))
    # f8E4M3FN has no infinity: values beyond its range become NaN, and the largest value becomes the end.
    lost_lo, lost_hi = np.isnan(lo) & ~np.isnan(x.lo), np.isnan(hi) & ~np.isnan(x.hi)
    most = largest(dtype)
    lo = np.where(lost_lo, np.copysign(most, x.lo), lo)
    hi = np.where(lost_hi, np.copysign(most, x.hi), hi)
    return Interval(lo, hi, x.nan | lost_lo | lost_hi, dtype)


def _with_zero(x: Interval, nan: Array) -> Interval:
    """Extends the intervals to 0 where `nan` is set: a cast of NaN to an integer is 0."""
    return replace(x, lo=np.where(nan, np.minimum(x.lo, 0), x.lo), hi=np.where(nan, np.maximum(x.hi, 0), x.hi))


def overflow_to_nan(x: Interval) -> Interval:
    """Marks infinite values of f8E4M3FN as possibly NaN, because that type has no infinity. Other types are unchanged."""
    if x.dtype.itemsize > 1 or float(cast(np.array(np.inf), x.dtype).astype(np.float64)) == np.inf:
        return x
    return replace(x, nan=x.nan | np.isinf(x.lo) | np.isinf(x.hi))
