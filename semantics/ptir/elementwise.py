"""
Elementwise ops, each a row of the table in `scalars.py`. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*.
"""

from __future__ import annotations

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.scalars import FUNCTIONS, Array, bit_width, cast, dense_array, numpy_dtype
from ..errors import DivisionByZero, SizeMismatch
from ..rows import PTIR_ROWS, register_rows


def apply(op: Operation, name: str, *args: Array) -> Array:
    """Applies the row `name` of the table. A zero divisor is an error at `op`."""
    try:
        return FUNCTIONS[name](*args)
    except ZeroDivisionError as e:
        raise DivisionByZero(op) from e


@register_rows(PTIR_ROWS)
class ElementwiseFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    def apply(self, op: Operation, name: str, *args: Array) -> Array:
        return apply(op, name, *args)

    @impl(ptir.ConstantOp)
    def run_constant(self, interpreter: Interpreter, op: ptir.ConstantOp, args: PythonValues) -> PythonValues:
        return (dense_array(op.value),)

    @impl(ptir.CompareOp)
    def run_compare(self, interpreter: Interpreter, op: ptir.CompareOp, args: PythonValues) -> PythonValues:
        return (apply(op, op.op.data, *args),)

    @impl(ptir.ClampOp)
    def run_clamp(self, interpreter: Interpreter, op: ptir.ClampOp, args: PythonValues) -> PythonValues:
        x, low, high = args
        return (apply(op, "min", apply(op, "max", x, low), high),)

    @impl(ptir.CastOp)
    def run_cast(self, interpreter: Interpreter, op: ptir.CastOp, args: PythonValues) -> PythonValues:
        return (cast(args[0], numpy_dtype(element(op.result))),)

    @impl(ptir.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: ptir.BitcastOp, args: PythonValues) -> PythonValues:
        (x,) = args
        dtype = numpy_dtype(element(op.result))
        if bit_width(x.dtype) < bit_width(dtype) and x.shape[-1] != op.parts():
            raise SizeMismatch(op, what="the last axis", got=f"[{x.shape[-1]}]", want=f"[{op.parts()}]")
        return (bitcast(x, dtype),)

    @impl(ptir.StopGradientOp)
    def run_stop_gradient(self, interpreter: Interpreter, op: ptir.StopGradientOp, args: PythonValues) -> PythonValues:
        return args
