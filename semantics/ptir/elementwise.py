"""
Elementwise ops: the table in `scalars.py`, row by row. Contract: *Elementwise ops*, *Comparisons and selection*, *cast*.
"""

from __future__ import annotations

from typing import Any

from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.scalars import FUNCTIONS, Array, bit_width, cast, dense_array, numpy_dtype
from ..errors import DivisionByZero, SizeMismatch
from ..rows import PTIR_ROWS, with_rows


def _elementwise(op_type: type[Any], name: str) -> Any:
    """The interpreter function of an op whose meaning is the row `name` of the table."""

    def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (apply(op, name, *args),)

    return impl(op_type)(run)


def apply(op: Operation, name: str, *args: Array) -> Array:
    """The row `name` of the table; a zero divisor is an error at `op`."""
    try:
        return FUNCTIONS[name](*args)
    except ZeroDivisionError as e:
        raise DivisionByZero(op) from e


@register_impls
@with_rows(PTIR_ROWS, _elementwise)
class ElementwiseFunctions(InterpreterFunctions):
    """Values are arrays of the op's element type and shape."""

    run_is_finite = _elementwise(ptir.IsFiniteOp, "is_finite")

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
