"""
`quantize` and `dequantize` on NumPy arrays.

The code q represents (q - zero_point) · scale. Spec: `dialects/ptir/quantization.py`; the contract does not define it.
"""

from __future__ import annotations

import numpy as np

from .scalars import Array, DType, integer_range, narrow, widen

F32 = np.dtype(np.float32)
_BEYOND = float(1 << 40)
"""Larger than any code and zero point together."""


def quantize(x: Array, scale: Array, zero_point: Array, dtype: DType) -> Array:
    """Returns round(x / scale) + zero_point, saturated. The quotient is f64 if `x` is, else f32; NaN gives the zero point."""
    with np.errstate(all="ignore"):
        quotient = narrow(widen(x) / widen(scale), x.dtype if x.dtype == np.float64 else F32)
        whole = np.rint(np.where(np.isnan(quotient), 0.0, quotient).astype(np.float64))
    code = np.clip(whole, -_BEYOND, _BEYOND).astype(np.int64) + zero_point.astype(np.int64)
    return np.clip(code, *integer_range(dtype)).astype(dtype)


def dequantize(q: Array, scale: Array, zero_point: Array, dtype: DType) -> Array:
    """Returns (q - zero_point) · scale, rounded once to `dtype`."""
    with np.errstate(all="ignore"):
        return narrow((q.astype(np.int64) - zero_point.astype(np.int64)) * widen(scale), dtype)
