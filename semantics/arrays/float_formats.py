"""The range and spacing of the floating-point types of NumPy and ml_dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .scalars import Array, DType


def _finfo(dtype: DType) -> Any:
    info: Any = ml_dtypes.finfo  # NumPy's and ml_dtypes' own types have different stubs
    return info(dtype)


def largest(dtype: DType) -> float:
    """Returns the largest finite value of `dtype`."""
    return float(_finfo(dtype).max)


def smallest_normal(dtype: DType) -> float:
    return float(_finfo(dtype).smallest_normal)


def finite_range(dtype: DType) -> tuple[float, float, float, float]:
    """Returns the smallest positive value, the smallest normal value, the largest finite value, and the epsilon."""
    info = _finfo(dtype)
    return float(info.smallest_subnormal), float(info.smallest_normal), float(info.max), float(info.eps)


def ulp(x: Array, dtype: DType) -> Array:
    """Returns the gap between values of `dtype` at |x|, or 0 where x is not finite."""
    info = _finfo(dtype)
    finite = np.where(np.isfinite(x), np.abs(x), 0.0)
    _, exponent = np.frexp(np.maximum(finite, float(info.smallest_normal)))
    return np.where(np.isfinite(x), np.ldexp(float(info.eps), exponent - 1), 0.0)
