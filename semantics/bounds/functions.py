"""
How far a machine may stray in the functions that the contract lacks, in what is found by order, and in quantization.

The functions are rows of `intervals.py`. Where values are exact, so is what depends on their order or their bits; where
they are not, an index is known to be one of those whose value may be the largest, and the k-th largest value lies between
the k-th largest ends. A quotient that is rounded to a whole number may go either way where its interval holds a tie.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.bits import bitcast
from ..arrays.reductions import along, argmax, ranking
from ..arrays.scalars import Array, DType, integer_range, numpy_dtype
from ..errors import NoBounds
from . import beyond, elementwise
from .intervals import BINARY, F32, Interval, predicate


def _row(op_type: type[Any], name: str) -> Any:
    def run(self: FunctionBounds, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (elementwise(op, name, *args, tight=self.tight),)

    return impl(op_type)(run)


@register_impls
class FunctionBounds(InterpreterFunctions):
    """Values are `Interval`s."""

    def __init__(self, tight: bool = False) -> None:
        super().__init__()
        self.tight = tight

    run_sqrt = _row(ptir.SqrtOp, "sqrt")
    run_sin = _row(ptir.SinOp, "sin")
    run_cos = _row(ptir.CosOp, "cos")
    run_floor = _row(ptir.FloorOp, "floor")
    run_ceil = _row(ptir.CeilOp, "ceil")
    run_round = _row(ptir.RoundOp, "round")
    run_sign = _row(ptir.SignOp, "sign")
    run_log1p = _row(ptir.Log1pOp, "log1p")
    run_expm1 = _row(ptir.Expm1Op, "expm1")
    run_erfc = _row(ptir.ErfcOp, "erfc")
    run_logistic = _row(ptir.LogisticOp, "logistic")
    run_not = _row(ptir.NotOp, "not")
    run_pow = _row(ptir.PowOp, "pow")
    run_remainder = _row(ptir.RemainderOp, "remainder")
    run_and = _row(ptir.AndOp, "and")
    run_or = _row(ptir.OrOp, "or")
    run_xor = _row(ptir.XorOp, "xor")
    run_shift_left = _row(ptir.ShiftLeftOp, "shift_left")
    run_shift_right_arithmetic = _row(ptir.ShiftRightArithmeticOp, "shift_right_arithmetic")
    run_shift_right_logical = _row(ptir.ShiftRightLogicalOp, "shift_right_logical")

    @impl(ptir.IsFiniteOp)
    def run_is_finite(self, interpreter: Interpreter, op: ptir.IsFiniteOp, args: PythonValues) -> PythonValues:
        return (is_finite(args[0]),)

    @impl(ptir.StopGradientOp)
    def run_stop_gradient(self, interpreter: Interpreter, op: ptir.StopGradientOp, args: PythonValues) -> PythonValues:
        return args

    @impl(ptir.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: ptir.BitcastOp, args: PythonValues) -> PythonValues:
        return (bits(op, args[0]),)

    @impl(ptir.ArgMaxOp)
    def run_argmax(self, interpreter: Interpreter, op: ptir.ArgMaxOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        dtype = numpy_dtype(element(op.result))
        if x.known is not None:
            out = Interval.of(argmax(x.known, op.along).astype(dtype))
        else:
            least = np.fmax.reduce(x.lo, axis=op.along, keepdims=True)
            may_win = x.nan | (x.hi >= least) | np.isnan(least)
            last = x.shape[op.along] - 1 - np.argmax(np.flip(may_win, op.along), op.along)
            out = _integers(np.argmax(may_win, op.along), last, dtype)
        return (out.move(lambda v: np.expand_dims(v, op.along)) if op.keepdims is not None else out,)

    @impl(ptir.TopKOp)
    def run_top_k(self, interpreter: Interpreter, op: ptir.TopKOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        dtype, axis, first = numpy_dtype(element(op.indices)), op.along, np.arange(op.count)

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
        return Interval(lo, hi, zero > 0, x.dtype), _integers(zero, zero + max(x.shape[axis] - 1, 0), dtype)

    @impl(ptir.QuantizeOp)
    def run_quantize(self, interpreter: Interpreter, op: ptir.QuantizeOp, args: PythonValues) -> PythonValues:
        x, *pair = args
        return (_quantize(op, x, *_laid(op, x, pair), op.result, tight=self.tight),)

    @impl(ptir.DequantizeOp)
    def run_dequantize(self, interpreter: Interpreter, op: ptir.DequantizeOp, args: PythonValues) -> PythonValues:
        q, *pair = args
        return (_dequantize(q, *_laid(op, q, pair), numpy_dtype(element(op.result))),)

    @impl(ptir.RequantizeOp)
    def run_requantize(self, interpreter: Interpreter, op: ptir.RequantizeOp, args: PythonValues) -> PythonValues:
        q, *pairs = args
        real = _dequantize(q, *_laid(op, q, pairs[:2]), F32)
        return (_quantize(op, real, *_laid(op, q, pairs[2:]), op.result, tight=self.tight),)


def is_finite(x: Interval) -> Interval:
    infinite = np.isinf(x.lo) | np.isinf(x.hi)
    return predicate(~np.isnan(x.lo) & ~(infinite & (x.lo == x.hi)), infinite | x.nan)


def bits(op: Operation, x: Interval) -> Interval:
    """The bits of `x` as values of the result's type."""
    if x.known is None:
        raise NoBounds(op, what="the bits of values that are not exact")
    return Interval.of(bitcast(x.known, numpy_dtype(element(op.results[0]))))


def _integers(lo: Array, hi: Array, dtype: DType) -> Interval:
    return Interval(lo.astype(np.float64), hi.astype(np.float64), np.zeros(lo.shape, bool), dtype)


def _laid(
    op: ptir.QuantizeOp | ptir.DequantizeOp | ptir.RequantizeOp, x: Interval, pair: Any
) -> tuple[Interval, Interval]:
    """Scale and zero point, broadcast to `x`."""
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
    return _integers(np.clip(lo, low, high), np.clip(hi, low, high), dtype)


def _dequantize(q: Interval, scale: Interval, zero_point: Interval, dtype: DType) -> Interval:
    wide = np.dtype(np.float64)
    steps = BINARY["sub"](replace(q, dtype=wide), replace(zero_point, dtype=wide))
    return beyond(replace(BINARY["mul"](steps, replace(scale, dtype=wide)), dtype=dtype).rounded())
