"""
Error bounds of reductions, argmax and top-k.

Argmax and top-k are exact if the values are. Otherwise, the argmax is one of the indices whose value may be the largest, and
the k-th largest value lies between the k-th largest lower end and the k-th largest upper end.
"""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.reductions import along, argmax, ranking
from ..arrays.scalars import Array, numpy_dtype
from ..errors import NoBounds
from ..ptir.reductions import ReductionFunctions
from .intervals import Interval, integers
from .operations import IntervalFunctions


@register_impls
class ReductionBounds(IntervalFunctions, ReductionFunctions):
    """Reductions, argmax and top-k of intervals."""

    @impl(ptir.ArgMaxOp)
    def run_argmax(self, interpreter: Interpreter, op: ptir.ArgMaxOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        dtype = numpy_dtype(element(op.result))
        if x.known is not None:
            out = Interval.of(argmax(x.known, op.axis()).astype(dtype))
        else:
            least = np.fmax.reduce(x.lo, axis=op.axis(), keepdims=True)
            may_win = x.nan | (x.hi >= least) | np.isnan(least)
            last = x.shape[op.axis()] - 1 - np.argmax(np.flip(may_win, op.axis()), op.axis())
            out = integers(np.argmax(may_win, op.axis()), last, dtype)
        return (out.move(lambda v: np.expand_dims(v, op.axis())) if op.keepdims is not None else out,)

    @impl(ptir.TopKOp)
    def run_top_k(self, interpreter: Interpreter, op: ptir.TopKOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        dtype, axis, first = numpy_dtype(element(op.indices)), op.axis(), np.arange(op.count)

        def sorted_by(by: Array, x: Array) -> Array:
            order = np.take(ranking(by, axis, largest=op.order.data == "largest"), first, axis)
            return along(x, order, axis)

        if (known := x.known) is not None:
            places = np.moveaxis(
                np.broadcast_to(np.arange(x.shape[axis]), np.moveaxis(known, axis, -1).shape), -1, axis
            )
            return x.move(lambda v: sorted_by(known, v)), Interval.of(sorted_by(known, places).astype(dtype))
        if x.nan.any():
            raise NoBounds(op, what="the order of values that may be NaN")
        lo, hi = sorted_by(x.lo, x.lo), sorted_by(x.hi, x.hi)
        zero = np.zeros(lo.shape)
        return Interval(lo, hi, zero > 0, x.dtype), integers(zero, zero + max(x.shape[axis] - 1, 0), dtype)
