"""
How far a machine may stray: a `ptir` function executed on intervals.

`bounds(module, name, *arrays)` gives, for each result element, the interval that a correct implementation stays in,
whatever the schedule; `check(result, interval)` says whether it did. Inputs are exact; errors
arise op by op (`intervals.py` has the roundings) and propagate. A sum of K products is off by at most

    4 · √K · u · Σ|a|·|b|,    u = the accumulator's epsilon (2⁻²³ for f32)

which is a probabilistic bound: random roundings grow as √K, with four standard deviations
to spare (Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019). The worst case, with K in
place of √K, would let real errors pass. DESIGN §6, item 2.

What it does not know: correlation (`x - x` has twice the width of `x`), and integers that may overflow on uncertain
inputs, which become the whole range of their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute, Operation

from ..dialects import ptir
from ..dialects.shapes import element, shape, widens_exactly
from . import intervals
from .contraction import contract
from .errors import NoBounds
from .interpreter import check_arguments, find_function, interpreter
from .intervals import BINARY, EXACT, F32, RANGES, TRANSCENDENTAL, UNARY, Interval
from .ptir import apply, dot_axes
from .reductions import identity, reduce
from .scalars import (
    Array,
    DType,
    cast,
    dense_array,
    integer_range,
    is_complex,
    is_float,
    narrow,
    numpy_dtype,
    widen,
)

FUNCTIONS = ("xdsl.interpreters.func:FuncFunctions", "ptir.semantics.bounds:BoundsFunctions")


def bounds(module: ModuleOp, name: str, *arrays: Array) -> tuple[Interval, ...]:
    """The intervals that the results of function `name` on `arrays` lie in."""
    check_arguments(find_function(module, name), arrays)
    with np.errstate(all="ignore"):
        return interpreter(module, FUNCTIONS).call_op(name, tuple(Interval.of(a) for a in arrays))


# --- checking -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """How a result compares to its interval; the worst element is the one nearest to its bound or furthest past it."""

    max_error_over_bound: float
    """|result - middle| over half the width: at most 1 if `ok`, infinite where an exact value is missed."""
    worst_index: tuple[int, ...]
    worst_error: float
    worst_bound: float
    ok: bool


def check(result: Array, interval: Interval) -> Report:
    """Whether every element of `result` lies in `interval`. Equal infinities do; NaN does where it may occur."""
    if result.shape != interval.shape or result.dtype != interval.dtype:
        raise ValueError(
            f"result is {result.dtype}{list(result.shape)}, expected {interval.dtype}{list(interval.shape)}"
        )
    if not result.size:
        return Report(0.0, (), 0.0, 0.0, True)
    value, lo, hi = result.astype(np.float64), interval.lo, interval.hi
    with np.errstate(all="ignore"):
        inside = (lo <= value) & (value <= hi) | np.isnan(value) & interval.nan
        finite = np.isfinite(lo) & np.isfinite(hi) & np.isfinite(value)
        error = np.where(finite, np.abs(value - (lo / 2 + hi / 2)), np.where(inside, 0.0, np.inf))
        width = np.where(finite, hi / 2 - lo / 2, 0.0)
        ratio = np.where(error == 0, 0.0, np.where(width > 0, error / width, np.inf))
        ratio = np.where(inside, np.minimum(ratio, 1.0), np.maximum(ratio, np.nextafter(1.0, 2.0)))
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
    return Report(float(ratio[worst]), worst, float(error[worst]), float(width[worst]), bool(inside.all()))


# --- sums ---------------------------------------------------------------------------------------


def _middle(x: Interval) -> tuple[Array, Array]:
    """Middle and half-width; an exact value, also an infinite one, has width 0."""
    same = (x.lo == x.hi) | np.isnan(x.lo)
    return np.where(same, x.lo, x.lo / 2 + x.hi / 2), np.where(same, 0.0, x.hi / 2 - x.lo / 2)


def _sum_error(count: int, magnitude: Array, accum: DType) -> Array:
    """What accumulating `count` terms in `accum` may add; float64's share is what computing the bound itself adds."""
    if not is_float(accum):
        return np.zeros_like(magnitude)
    unit = float(intervals.ulp(np.ones(()), accum))
    return (4 * np.sqrt(max(count, 1)) * unit + (count + 2) * 2.0**-52) * magnitude


def _total(
    middle: Array, spread: Array, error: Array, magnitude: Array, nan: tuple[Array, Array], accum: DType
) -> Interval:
    """
    middle ± (spread + error), where `spread` comes from the terms' own intervals and `magnitude` is Σ|term|; `nan` says
    where a term may be and where one must be NaN. An infinity among exact terms is the result. Where an infinite term
    is uncertain, or partial sums may overflow, nothing is known.
    """
    may, must = nan
    settled = ~np.isfinite(middle) & (np.isfinite(spread) | must)
    overflows = magnitude > intervals.largest(accum) if is_float(accum) else np.zeros_like(must)
    lost = ~settled & (overflows | ~np.isfinite(middle) | ~np.isfinite(spread + error))
    lo = np.where(settled, middle, np.where(lost, -np.inf, middle - spread - error))
    hi = np.where(settled, middle, np.where(lost, np.inf, middle + spread + error))
    out = Interval(lo, hi, may | lost | np.isnan(middle), accum)
    return out.rounded(0.0) if is_float(accum) else _wrapped(out)


def _dot(a: Interval, b: Interval, axes: tuple[str, str, str], count: int, accum: DType) -> Interval:
    (am, ar), (bm, br) = _middle(a), _middle(b)
    lhs, rhs, out = axes

    def product(x: Array, y: Array) -> Array:
        return contract(x, lhs, y, rhs, out)

    def any_of(x: Array, y: Array) -> Array:
        """Where a term has a factor that is marked."""
        if not (x.any() or y.any()):
            return np.zeros(middle.shape, bool)
        left, right = product(x.astype(np.float64), np.ones(y.shape)), product(np.ones(x.shape), y.astype(np.float64))
        return (left + right) > 0

    middle = product(am, bm)
    magnitude = product(np.abs(am) + ar, np.abs(bm) + br)
    spread = np.zeros(middle.shape)
    if ar.any():
        spread = spread + product(ar, np.abs(bm) + br)
    if br.any():
        spread = spread + product(np.abs(am), br)
    nan = any_of(a.nan, b.nan), any_of(np.isnan(a.lo), np.isnan(b.lo))
    return _total(middle, spread, _sum_error(count, magnitude, accum), magnitude, nan, accum)


def _sum(x: Interval, axes: tuple[int, ...], accum: DType) -> Interval:
    middle, width = _middle(x)
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total, spread, magnitude = (np.asarray(v.sum(axis=axes)) for v in (middle, width, np.abs(middle) + width))
    nan = np.asarray(x.nan.any(axis=axes)), np.asarray(np.isnan(x.lo).any(axis=axes))
    return _total(total, spread, _sum_error(count, magnitude, accum), magnitude, nan, accum)


# --- casts and integers -------------------------------------------------------------------------


def _cast(x: Interval, src: Attribute, dst: Attribute) -> Interval:
    """
    By the end points, rounded as the contract says: every cast is monotone, and the rounding of a cast, unlike that
    of arithmetic, leaves a machine no choice. A sum known to half an ulp of bf16 mostly casts to one value.
    """
    dtype = numpy_dtype(dst)
    if is_complex(dtype):
        raise NoBounds(None, what="complex numbers")
    if dtype == np.bool_:
        return intervals.predicate(~((x.lo == 0) & (x.hi == 0)) | x.nan, x.may_be(0.0))
    if is_float(dtype):
        return replace(x, dtype=dtype) if widens_exactly(src, dst) else _rounded_ends(x, dtype)
    if is_float(x.dtype):
        lo, hi = (cast(end, dtype).astype(np.float64) for end in (x.lo, x.hi))
        return _with_zero(Interval(lo, hi, np.zeros(x.shape, bool), dtype), x.nan)
    low, high = integer_range(dtype)
    return Interval(np.clip(x.lo, low, high), np.clip(x.hi, low, high), x.nan, dtype)


def _rounded_ends(x: Interval, dtype: DType) -> Interval:
    lo, hi = (cast(end, dtype).astype(np.float64) for end in (x.lo, x.hi))
    # f8E4M3FN has no infinity: an end beyond its range becomes NaN, and what lies before it its largest value.
    lost_lo, lost_hi = np.isnan(lo) & ~np.isnan(x.lo), np.isnan(hi) & ~np.isnan(x.hi)
    most = intervals.largest(dtype)
    lo = np.where(lost_lo, np.copysign(most, x.lo), lo)
    hi = np.where(lost_hi, np.copysign(most, x.hi), hi)
    return Interval(lo, hi, x.nan | lost_lo | lost_hi, dtype)


def _with_zero(x: Interval, nan: Array) -> Interval:
    """NaN becomes 0 in an integer."""
    return replace(x, lo=np.where(nan, np.minimum(x.lo, 0), x.lo), hi=np.where(nan, np.maximum(x.hi, 0), x.hi))


def _beyond(x: Interval) -> Interval:
    """f8E4M3FN has no infinity: what is out of its range is NaN."""
    if x.dtype.itemsize > 1 or float(cast(np.array(np.inf), x.dtype).astype(np.float64)) == np.inf:
        return x
    return replace(x, nan=x.nan | np.isinf(x.lo) | np.isinf(x.hi))


def _points(x: Interval) -> Array | None:
    """The integers that `x` holds exactly, if it does so everywhere."""
    if bool(np.all(x.exact)) and float(np.max(np.abs(x.lo), initial=0)) <= intervals.LARGEST_EXACT:
        return x.lo.astype(np.int64).astype(x.dtype)
    return None


def _wrapped(x: Interval) -> Interval:
    """The whole type where an integer might have left its range, or float64's."""
    low, high = (float(end) for end in integer_range(x.dtype))
    magnitude = np.maximum(np.abs(x.lo), np.abs(x.hi))
    wraps = (x.lo < low) | (x.hi > high) | (magnitude > intervals.LARGEST_EXACT)
    return replace(x, lo=np.where(wraps, low, x.lo), hi=np.where(wraps, high, x.hi))


def _integer(op: Operation, name: str, args: Sequence[Interval]) -> Interval:
    """Exact on exact values, by the end points otherwise."""
    points = [p for a in args if (p := _points(a)) is not None]
    if len(points) == len(args):
        return Interval.of(apply(op, name, *points))
    if name == "div":
        raise NoBounds(op, what="an integer division of values that are not exact")
    return _wrapped(UNARY[name](args[0]) if len(args) == 1 else BINARY[name](args[0], args[1]))


def _reshape(x: Interval, sizes: Sequence[int]) -> Interval:
    return x.move(lambda v: v.reshape(sizes))


# --- the ops ------------------------------------------------------------------------------------


def elementwise(op: Operation, name: str, *args: Interval) -> Interval:
    """The row `name` of the table on intervals, rounded as a machine may."""
    dtype = args[0].dtype
    if is_complex(dtype):
        raise NoBounds(op, what=f"{op.name} on complex numbers")
    if not is_float(dtype):
        return _integer(op, name, args)
    out = UNARY[name](*args) if name in UNARY else BINARY[name](*args)
    if name in EXACT:
        return out
    if name in TRANSCENDENTAL:
        # float64 has no wider type to be computed in: what `scalars` itself errs by counts too.
        out = out.rounded(18.0) if dtype == np.float64 else out.rounded(2.0, F32)
    out = _beyond(out.rounded())
    low, high = RANGES.get(name, (-np.inf, np.inf))
    return replace(out, lo=np.maximum(out.lo, low), hi=np.minimum(out.hi, high))


def _elementwise(op_type: type[Any], name: str) -> Any:
    def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (elementwise(op, name, *args),)

    return impl(op_type)(run)


@register_impls
class BoundsFunctions(InterpreterFunctions):
    """One function per `ptir` op; values are `Interval`s."""

    run_neg = _elementwise(ptir.NegOp, "neg")
    run_abs = _elementwise(ptir.AbsOp, "abs")
    run_exp = _elementwise(ptir.ExpOp, "exp")
    run_log = _elementwise(ptir.LogOp, "log")
    run_tanh = _elementwise(ptir.TanhOp, "tanh")
    run_erf = _elementwise(ptir.ErfOp, "erf")
    run_rsqrt = _elementwise(ptir.RsqrtOp, "rsqrt")
    run_reciprocal = _elementwise(ptir.ReciprocalOp, "recip")
    run_add = _elementwise(ptir.AddOp, "add")
    run_sub = _elementwise(ptir.SubOp, "sub")
    run_mul = _elementwise(ptir.MulOp, "mul")
    run_div = _elementwise(ptir.DivOp, "div")
    run_maximum = _elementwise(ptir.MaximumOp, "max")
    run_minimum = _elementwise(ptir.MinimumOp, "min")

    @impl(ptir.ConstantOp)
    def run_constant(self, interpreter: Interpreter, op: ptir.ConstantOp, args: PythonValues) -> PythonValues:
        return (Interval.of(dense_array(op.value)),)

    @impl(ptir.CompareOp)
    def run_compare(self, interpreter: Interpreter, op: ptir.CompareOp, args: PythonValues) -> PythonValues:
        return (intervals.compare(op.op.data, *args),)

    @impl(ptir.SelectOp)
    def run_select(self, interpreter: Interpreter, op: ptir.SelectOp, args: PythonValues) -> PythonValues:
        return (intervals.select(*args),)

    @impl(ptir.ClampOp)
    def run_clamp(self, interpreter: Interpreter, op: ptir.ClampOp, args: PythonValues) -> PythonValues:
        x, low, high = args
        return (elementwise(op, "min", elementwise(op, "max", x, low), high),)

    @impl(ptir.CastOp)
    def run_cast(self, interpreter: Interpreter, op: ptir.CastOp, args: PythonValues) -> PythonValues:
        return (_cast(args[0], element(op.input), element(op.result)),)

    @impl(ptir.DotGeneralOp)
    def run_dot_general(self, interpreter: Interpreter, op: ptir.DotGeneralOp, args: PythonValues) -> PythonValues:
        lhs, rhs = args
        count = int(np.prod([lhs.shape[a] for a in op.axes()[2]], dtype=np.int64))
        accum, axes = numpy_dtype(op.accum), dot_axes(op)
        if not is_float(accum) and (a := _points(lhs)) is not None and (b := _points(rhs)) is not None:
            total = Interval.of(narrow(contract(widen(a), axes[0], widen(b), *axes[1:]), accum))
        else:
            total = _dot(lhs, rhs, axes, count, accum)
        return (_cast(total, op.accum, element(op.result)),)

    @impl(ptir.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: ptir.ReduceOp, args: PythonValues) -> PythonValues:
        (x,) = args
        axes, accum = op.axes(), numpy_dtype(op.accum)
        if not is_float(accum) and (points := _points(x)) is not None:
            folded = Interval.of(reduce(op.kind.data, points, axes, accum))
        elif op.kind.data == "sum":
            folded = _sum(x, axes, accum)
        else:
            x = _cast(x, element(op.input), op.accum)
            start = identity(op.kind.data, accum)
            fold = np.max if op.kind.data == "max" else np.min
            lo, hi = (np.asarray(fold(end, axis=axes, initial=start)) for end in (x.lo, x.hi))
            folded = Interval(lo, hi, np.asarray(x.nan.any(axis=axes)), accum)
        return (_reshape(_cast(folded, op.accum, element(op.result)), shape(op.result)),)

    @impl(ptir.ReshapeOp)
    def run_reshape(self, interpreter: Interpreter, op: ptir.ReshapeOp, args: PythonValues) -> PythonValues:
        return (_reshape(args[0], shape(op.result)),)

    @impl(ptir.TransposeOp)
    def run_transpose(self, interpreter: Interpreter, op: ptir.TransposeOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        return (x.move(lambda v: v.transpose(op.permutation())),)

    @impl(ptir.BroadcastToOp)
    def run_broadcast_to(self, interpreter: Interpreter, op: ptir.BroadcastToOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        return (x.move(lambda v: np.broadcast_to(v, shape(op.result))),)
