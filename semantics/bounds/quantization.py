"""
Error bounds of quantization.

Where the interval of a quotient contains a tie, the quotient may be rounded to either integer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import Attribute

from ..arrays.scalars import Array, DType, integer_range
from ..ptir.quantization import Operation, QuantizationFunctions
from .casts import overflow_to_nan
from .extensions import BINARY
from .intervals import F32, Interval, integers
from .operations import IntervalFunctions, elementwise


class QuantizationBounds(IntervalFunctions, QuantizationFunctions):
    """Quantization of intervals."""

    def parameters(
        self, op: Operation, x: Interval, pair: Sequence[Interval], code: Attribute
    ) -> tuple[Interval, Interval]:
        vector = [n if axis == op.along else 1 for axis, n in enumerate(x.shape)]

        def broadcast(v: Array) -> Array:
            return np.broadcast_to(v.reshape(vector) if v.ndim else v, x.shape)

        scale, zero_point = (p.move(broadcast) for p in pair)
        return scale, zero_point

    def quantize(self, op: Operation, x: Interval, scale: Interval, zero_point: Interval, dtype: DType) -> Interval:
        wide = np.dtype(np.float64) if x.dtype == np.float64 else F32
        quotient = elementwise(op, "div", replace(x, dtype=wide), replace(scale, dtype=wide), tight=self.tight)
        low, high = integer_range(dtype)
        lo, hi = (np.rint(end) + zero for end, zero in ((quotient.lo, zero_point.lo), (quotient.hi, zero_point.hi)))
        lo, hi = np.where(np.isnan(lo), zero_point.lo, lo), np.where(np.isnan(hi), zero_point.hi, hi)
        lo = np.where(quotient.nan, np.minimum(lo, zero_point.lo), lo)
        hi = np.where(quotient.nan, np.maximum(hi, zero_point.hi), hi)
        return integers(np.clip(lo, low, high), np.clip(hi, low, high), dtype)

    def dequantize(self, q: Interval, scale: Interval, zero_point: Interval, dtype: DType) -> Interval:
        wide = np.dtype(np.float64)
        steps = BINARY["sub"](replace(q, dtype=wide), replace(zero_point, dtype=wide))
        return overflow_to_nan(replace(BINARY["mul"](steps, replace(scale, dtype=wide)), dtype=dtype).rounded())
