"""Error bounds of elementwise ops: the tables of `extensions.py`, row by row."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.scalars import dense_array, numpy_dtype
from ..errors import NoBounds
from ..rows import PTIR_ROWS, register_rows
from .casts import cast_interval
from .intervals import Interval, predicate
from .operations import IntervalFunctions, elementwise


@register_rows(PTIR_ROWS)
class ElementwiseBounds(IntervalFunctions):
    """Values are `Interval`s."""

    def apply(self, op: Operation, name: str, *args: Interval) -> Interval:
        return is_finite(args[0]) if name == "is_finite" else elementwise(op, name, *args, tight=self.tight)

    @impl(ptir.ConstantOp)
    def run_constant(self, interpreter: Interpreter, op: ptir.ConstantOp, args: PythonValues) -> PythonValues:
        return (Interval.of(dense_array(op.value)),)

    @impl(ptir.CompareOp)
    def run_compare(self, interpreter: Interpreter, op: ptir.CompareOp, args: PythonValues) -> PythonValues:
        return (elementwise(op, op.op.data, *args),)

    @impl(ptir.ClampOp)
    def run_clamp(self, interpreter: Interpreter, op: ptir.ClampOp, args: PythonValues) -> PythonValues:
        x, low, high = args
        return (elementwise(op, "min", elementwise(op, "max", x, low), high),)

    @impl(ptir.CastOp)
    def run_cast(self, interpreter: Interpreter, op: ptir.CastOp, args: PythonValues) -> PythonValues:
        return (cast_interval(args[0], element(op.input), element(op.result)),)

    @impl(ptir.StopGradientOp)
    def run_stop_gradient(self, interpreter: Interpreter, op: ptir.StopGradientOp, args: PythonValues) -> PythonValues:
        return args

    @impl(ptir.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: ptir.BitcastOp, args: PythonValues) -> PythonValues:
        return (bits(op, args[0]),)


def is_finite(x: Interval) -> Interval:
    infinite = np.isinf(x.lo) | np.isinf(x.hi)
    return predicate(~np.isnan(x.lo) & ~(infinite & (x.lo == x.hi)), infinite | x.nan)


def bits(op: Operation, x: Interval) -> Interval:
    """Returns the bits of `x` as values of the result's type."""
    if x.known is None:
        raise NoBounds(op, what="the bits of values that are not exact")
    return Interval.of(bitcast(x.known, numpy_dtype(element(op.results[0]))))
