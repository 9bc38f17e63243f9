"""
Quantization: a code q represents the number (q - zero_point) · scale. There is one scale and zero point for the tensor, or one
for each index along an axis.

Contract: *Quantize*. It does not specify rounding and saturation; `dialects/ptir/quantization.py` does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Attribute

from ...dialects import ptir
from ...dialects.common.shapes import element, shape_text
from ..arrays.scalars import DType, integer_range, narrow, numpy_dtype, widen
from ..errors import InvalidZeroPoint, SizeMismatch
from ..values import ArrayFunctions, Value

F32 = np.dtype(np.float32)
_BEYOND = float(1 << 40)
"""A bound larger than the sum of any code and zero point. Clipping to it keeps quotients in the range of int64."""

Operation = ptir.QuantizeOp | ptir.DequantizeOp | ptir.RequantizeOp


@register_impls
class QuantizationFunctions(ArrayFunctions):
    def parameters(self, op: Operation, x: Value, pair: Sequence[Value], code: Attribute) -> tuple[Value, Value]:
        """
        Returns scale and zero point in shapes that broadcast to `x`; `code` is the type of the codes. Raises `SizeMismatch` and
        `InvalidZeroPoint`.
        """
        scale, zero_point = pair
        low, high = integer_range(numpy_dtype(code))
        want = (x.shape[op.along],) if scale.ndim and op.along is not None else ()
        for what, array in (("the scale", scale), ("the zero point", zero_point)):
            if array.shape != want:
                raise SizeMismatch(op, what=what, got=shape_text(array.shape), want=shape_text(want))
        wide = zero_point.astype(np.int64)
        if np.any(outside := (wide < low) | (wide > high)):
            raise InvalidZeroPoint(op, value=int(wide[outside].reshape(-1)[0]), storage=code, low=low, high=high)
        shape = [n if axis == op.along else 1 for axis, n in enumerate(x.shape)] if want else []
        return scale.reshape(shape), wide.reshape(shape)

    def quantize(self, op: Operation, x: Value, scale: Value, zero_point: Value, dtype: DType) -> Value:
        """
        Returns round(x / scale) + zero_point, saturated to the range of `dtype`. The quotient is computed in f64 if `x` is f64,
        otherwise in f32. NaN becomes the zero point.
        """
        with np.errstate(all="ignore"):
            quotient = narrow(widen(x) / widen(scale), x.dtype if x.dtype == np.float64 else F32)
            whole = np.rint(np.where(np.isnan(quotient), 0.0, quotient).astype(np.float64))
        code = np.clip(whole, -_BEYOND, _BEYOND).astype(np.int64) + zero_point.astype(np.int64)
        return np.clip(code, *integer_range(dtype)).astype(dtype)

    def dequantize(self, q: Value, scale: Value, zero_point: Value, dtype: DType) -> Value:
        """Returns (q - zero_point) · scale, rounded once to `dtype`."""
        with np.errstate(all="ignore"):
            return narrow((q.astype(np.int64) - zero_point.astype(np.int64)) * widen(scale), dtype)

    @impl(ptir.QuantizeOp)
    def run_quantize(self, interpreter: Interpreter, op: ptir.QuantizeOp, args: PythonValues) -> PythonValues:
        (x, *pair), code = args, element(op.result)
        return (self.quantize(op, x, *self.parameters(op, x, pair, code), numpy_dtype(code)),)

    @impl(ptir.DequantizeOp)
    def run_dequantize(self, interpreter: Interpreter, op: ptir.DequantizeOp, args: PythonValues) -> PythonValues:
        (q, *pair), dtype = args, numpy_dtype(element(op.result))
        return (self.dequantize(q, *self.parameters(op, q, pair, element(op.input)), dtype),)

    @impl(ptir.RequantizeOp)
    def run_requantize(self, interpreter: Interpreter, op: ptir.RequantizeOp, args: PythonValues) -> PythonValues:
        (q, *pairs), code = args, element(op.result)
        real = self.dequantize(q, *self.parameters(op, q, pairs[:2], element(op.input)), F32)
        return (self.quantize(op, real, *self.parameters(op, q, pairs[2:], code), numpy_dtype(code)),)
