"""Quantization, with scales and zero points broadcast along their axis. Contract: *Quantize*."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute

from ...dialects import ptir
from ...dialects.common.shapes import element, shape_text
from ..arrays.quantization import F32, dequantize, quantize
from ..arrays.scalars import Array, integer_range, numpy_dtype
from ..errors import InvalidZeroPoint, SizeMismatch

Operation = ptir.QuantizeOp | ptir.DequantizeOp | ptir.RequantizeOp


def _broadcast_parameters(
    op: Operation, x: Array, scale: Array, zero_point: Array, code: Attribute
) -> tuple[Array, Array]:
    """Checks the shapes of scale and zero point, and returns them in shapes that broadcast to `x`."""
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


@register_impls
class QuantizationFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    @impl(ptir.QuantizeOp)
    def run_quantize(self, interpreter: Interpreter, op: ptir.QuantizeOp, args: PythonValues) -> PythonValues:
        x: Any
        x, scale, zero_point = args
        code = element(op.result)
        return (quantize(x, *_broadcast_parameters(op, x, scale, zero_point, code), numpy_dtype(code)),)

    @impl(ptir.DequantizeOp)
    def run_dequantize(self, interpreter: Interpreter, op: ptir.DequantizeOp, args: PythonValues) -> PythonValues:
        q: Any
        q, scale, zero_point = args
        return (
            dequantize(
                q, *_broadcast_parameters(op, q, scale, zero_point, element(op.input)), numpy_dtype(element(op.result))
            ),
        )

    @impl(ptir.RequantizeOp)
    def run_requantize(self, interpreter: Interpreter, op: ptir.RequantizeOp, args: PythonValues) -> PythonValues:
        q: Any
        q, scale, zero_point, new_scale, new_zero_point = args
        code = element(op.result)
        real = dequantize(q, *_broadcast_parameters(op, q, scale, zero_point, element(op.input)), F32)
        return (quantize(real, *_broadcast_parameters(op, q, new_scale, new_zero_point, code), numpy_dtype(code)),)
