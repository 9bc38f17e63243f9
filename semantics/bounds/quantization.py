"""
Error bounds of quantization.

The rounding of a quotient to an integer may go either way where its interval contains a tie.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.scalars import Array, DType, integer_range, numpy_dtype
from .casts import overflow_to_nan
from .extensions import BINARY
from .intervals import F32, Interval, integers
from .operations import IntervalFunctions, elementwise


@register_impls
class QuantizationBounds(IntervalFunctions):
    """Values are `Interval`s."""

    @impl(ptir.QuantizeOp)
    def run_quantize(self, interpreter: Interpreter, op: ptir.QuantizeOp, args: PythonValues) -> PythonValues:
        x, *pair = args
        return (_quantize(op, x, *_broadcast_parameters(op, x, pair), op.result, tight=self.tight),)

    @impl(ptir.DequantizeOp)
    def run_dequantize(self, interpreter: Interpreter, op: ptir.DequantizeOp, args: PythonValues) -> PythonValues:
        q, *pair = args
        return (_dequantize(q, *_broadcast_parameters(op, q, pair), numpy_dtype(element(op.result))),)

    @impl(ptir.RequantizeOp)
    def run_requantize(self, interpreter: Interpreter, op: ptir.RequantizeOp, args: PythonValues) -> PythonValues:
        q, *pairs = args
        real = _dequantize(q, *_broadcast_parameters(op, q, pairs[:2]), F32)
        return (_quantize(op, real, *_broadcast_parameters(op, q, pairs[2:]), op.result, tight=self.tight),)


def _broadcast_parameters(
    op: ptir.QuantizeOp | ptir.DequantizeOp | ptir.RequantizeOp, x: Interval, pair: Any
) -> tuple[Interval, Interval]:
    """Returns scale and zero point, broadcast to `x`."""
    vector = [n if axis == op.along else 1 for axis, n in enumerate(x.shape)]

    def lay(v: Array) -> Array:
        return np.broadcast_to(v.reshape(vector) if v.ndim else v, x.shape)

    scale, zero_point = (p.move(lay) for p in pair)
    return scale, zero_point


def _quantize(
    op: Operation, x: Interval, scale: Interval, zero_point: Interval, result: SSAValue, *, tight: bool
) -> Interval:
    wide = np.dtype(np.float64) if x.dtype == np.float64 else F32
    quotient = elementwise(op, "div", replace(x, dtype=wide), replace(scale, dtype=wide), tight=tight)
    low, high = integer_range(dtype := numpy_dtype(element(result)))
    lo, hi = (np.rint(end) + zero for end, zero in ((quotient.lo, zero_point.lo), (quotient.hi, zero_point.hi)))
    lo, hi = np.where(np.isnan(lo), zero_point.lo, lo), np.where(np.isnan(hi), zero_point.hi, hi)
    lo = np.where(quotient.nan, np.minimum(lo, zero_point.lo), lo)
    hi = np.where(quotient.nan, np.maximum(hi, zero_point.hi), hi)
    return integers(np.clip(lo, low, high), np.clip(hi, low, high), dtype)


def _dequantize(q: Interval, scale: Interval, zero_point: Interval, dtype: DType) -> Interval:
    wide = np.dtype(np.float64)
    steps = BINARY["sub"](replace(q, dtype=wide), replace(zero_point, dtype=wide))
    return overflow_to_nan(replace(BINARY["mul"](steps, replace(scale, dtype=wide)), dtype=dtype).rounded())
