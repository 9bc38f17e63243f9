"""Compares a result to its interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import Array, is_float
from .intervals import Interval


@dataclass(frozen=True)
class Report:
    """The comparison of a result to its interval. The *worst* element has the largest error relative to its bound."""

    max_error_over_bound: float
    """|result - midpoint| divided by half the width: at most 1 if `ok`, infinite if an exact value differs."""
    worst_index: tuple[int, ...]
    worst_error: float
    worst_bound: float
    ok: bool


def check(result: Array, interval: Interval) -> Report:
    """
    Checks whether every element of `result` lies in `interval`, or is NaN where the interval allows NaN. Known integers are
    compared exactly, because the float64 ends cannot represent all of them. Raises `ValueError` if shapes or types differ.
    """
    if result.shape != interval.shape or result.dtype != interval.dtype:
        raise ValueError(
            f"result is {result.dtype}{list(result.shape)}, expected {interval.dtype}{list(interval.shape)}"
        )
    if not result.size:
        return Report(0.0, (), 0.0, 0.0, True)
    value, lo, hi = result.astype(np.float64), interval.lo, interval.hi
    with np.errstate(all="ignore"):
        inside = (lo <= value) & (value <= hi) | np.isnan(value) & interval.nan
        if interval.known is not None and not is_float(result.dtype):
            inside = result == interval.known
        finite = np.isfinite(lo) & np.isfinite(hi) & np.isfinite(value)
        error = np.where(finite, np.abs(value - (lo / 2 + hi / 2)), np.where(inside, 0.0, np.inf))
        width = np.where(finite, hi / 2 - lo / 2, 0.0)
        ratio = np.where(error == 0, 0.0, np.where(width > 0, error / width, np.inf))
        ratio = np.where(inside, np.minimum(ratio, 1.0), np.maximum(ratio, np.nextafter(1.0, 2.0)))
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
    return Report(float(ratio[worst]), worst, float(error[worst]), float(width[worst]), bool(inside.all()))
