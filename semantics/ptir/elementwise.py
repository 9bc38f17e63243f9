"""
Elementwise ops: each is a function in the table of `scalars.py`. Contract: *Elementwise ops*, *Comparisons and selection*,
*cast*.
"""

from __future__ import annotations

from xdsl.interpreter import Interpreter, PythonValues, impl

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.scalars import bit_width, dense_array, numpy_dtype
from ..errors import SizeMismatch
from ..values import PTIR_ROWS, ArrayFunctions, register_rows


@register_rows(PTIR_ROWS)
class ElementwiseFunctions(ArrayFunctions):
    """Literals, elementwise functions, and casts."""

    @impl(ptir.ConstantOp)
    def run_constant(self, interpreter: Interpreter, op: ptir.ConstantOp, args: PythonValues) -> PythonValues:
        return (self.literal(dense_array(op.value)),)

    @impl(ptir.CompareOp)
    def run_compare(self, interpreter: Interpreter, op: ptir.CompareOp, args: PythonValues) -> PythonValues:
        return (self.apply(op, op.op.data, *args),)

    @impl(ptir.ClampOp)
    def run_clamp(self, interpreter: Interpreter, op: ptir.ClampOp, args: PythonValues) -> PythonValues:
        x, low, high = args
        return (self.apply(op, "min", self.apply(op, "max", x, low), high),)

    @impl(ptir.CastOp)
    def run_cast(self, interpreter: Interpreter, op: ptir.CastOp, args: PythonValues) -> PythonValues:
        return (self.convert(op, args[0]),)

    @impl(ptir.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: ptir.BitcastOp, args: PythonValues) -> PythonValues:
        (x,) = args
        if bit_width(x.dtype) < bit_width(numpy_dtype(element(op.result))) and x.shape[-1] != op.parts():
            raise SizeMismatch(op, what="the last axis", got=f"[{x.shape[-1]}]", want=f"[{op.parts()}]")
        return (self.bits(op, x, element(op.result)),)

    @impl(ptir.StopGradientOp)
    def run_stop_gradient(self, interpreter: Interpreter, op: ptir.StopGradientOp, args: PythonValues) -> PythonValues:
        return args
