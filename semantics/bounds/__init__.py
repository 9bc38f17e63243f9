"""
How far a machine may stray: a function executed on intervals.

`bounds(module, name, *arrays)` gives, for each result element, the interval that a correct implementation stays in,
whatever the schedule; `check(result, interval)` says whether it did. Inputs are exact; errors
arise op by op (`intervals.py` has the roundings) and propagate. The `ptir` ops are here and in the other
`…_bounds.py`, those of the levels below in `tiny.py` and `lower.py`: a function that begins its life
there has no other. A sum
of K products is off by at most

    4 · √K · u · Σ|a|·|b|,    u = the accumulator's epsilon (2⁻²³ for f32, 2⁻⁵² for f64)

which is a probabilistic bound: random roundings grow as √K, with four standard deviations
to spare (Higham and Mary, *A new approach to probabilistic rounding error analysis*, 2019). The worst case, with K in
place of √K, would let real errors pass. DESIGN §6, item 2. Products of fp8 may besides be summed by tensor cores that
keep fewer bits, `sums.py` says how many.

Tight bounds have no width where no machine, in whatever order it adds, has anything to round (DESIGN §6: integer-valued
inputs whose partial sums stay below 2²⁴ come out bit-equal).

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

from ...dialects import ptir
from ...dialects.common.shapes import element, widens_exactly
from ..arrays.contraction import contract, summands
from ..arrays.reductions import identity, reduce
from ..arrays.scalars import (
    COMPARE,
    Array,
    DType,
    cast,
    dense_array,
    integer_range,
    is_complex,
    is_float,
    narrow,
    numpy_dtype,
)
from ..errors import NoBounds
from ..interpreter import call_on, check_arguments, find_function, interpreter
from ..ptir.contraction import dot_axes
from ..ptir.elementwise import apply
from . import intervals
from . import sums as interval_sums
from .intervals import BINARY, EXACT, F32, RANGES, TRANSCENDENTAL, UNARY, Interval, exactly, points
from .products import product
from .sums import Axes, wrapped

CONTROL = (
    "xdsl.interpreters.func:FuncFunctions",
    "ptir.semantics.ptir.dims:DimFunctions",
    "ptir.semantics.bounds.control:ControlBounds",
    "ptir.semantics.ptir.composite:CompositeFunctions",
    "xdsl.interpreters.scf:ScfFunctions",
    "xdsl.interpreters.arith:ArithFunctions",
)
"""What surrounds the ops that compute: indices are numbers here as well."""


def bounds(module: ModuleOp, name: str, *arrays: Array, tight: bool = False) -> tuple[Interval, ...]:
    """The intervals that the results of function `name` on `arrays` lie in."""
    check_arguments(find_function(module, name), arrays)
    return bounds_of(module, name, *map(Interval.of, arrays), tight=tight)


def bounds_of(module: ModuleOp, name: str, *values: Interval, tight: bool = False) -> tuple[Interval, ...]:
    """The same for inputs that are uncertain themselves. Memrefs among them are written in place."""
    from .functions import FunctionBounds
    from .fused import FusedBounds
    from .indexing import IndexingBounds, MovementBounds
    from .lower import MemRefBounds, PtoBounds, RegionBounds
    from .tiny import TinyBounds, TinyMovementBounds
    from .windows import WindowBounds

    run = interpreter(module, CONTROL)
    for functions in (
        BoundsFunctions,
        FunctionBounds,
        MovementBounds,
        IndexingBounds,
        WindowBounds,
        FusedBounds,
        TinyBounds,
        TinyMovementBounds,
        RegionBounds,
        PtoBounds,
    ):
        run.register_implementations(functions(tight))
    run.register_implementations(MemRefBounds())
    with np.errstate(all="ignore"):
        return call_on(run, module, name, values)


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
    """
    Whether every element of `result` lies in `interval`. Equal infinities do; NaN does where it may occur. Integers
    that are known are compared as such: float64 does not tell all of them apart.
    """
    if result.shape != interval.shape or result.dtype != interval.dtype:
        raise ValueError(
            f"result is {result.dtype}{list(result.shape)}, expected {interval.dtype}{list(interval.shape)}"
        )
    if not result.size:
        return Report(0.0, (), 0.0, 0.0, True)
    value, lo, hi = result.astype(np.float64), interval.lo, interval.hi
    with np.errstate(all="ignore"):
        inside = (lo <= value) & (value <= hi) | np.isnan(value) & interval.nan
        if interval.known is not None and not is_float(result.dtype):
            inside = result == interval.known
        finite = np.isfinite(lo) & np.isfinite(hi) & np.isfinite(value)
        error = np.where(finite, np.abs(value - (lo / 2 + hi / 2)), np.where(inside, 0.0, np.inf))
        width = np.where(finite, hi / 2 - lo / 2, 0.0)
        ratio = np.where(error == 0, 0.0, np.where(width > 0, error / width, np.inf))
        ratio = np.where(inside, np.minimum(ratio, 1.0), np.maximum(ratio, np.nextafter(1.0, 2.0)))
    worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(ratio)), ratio.shape))
    return Report(float(ratio[worst]), worst, float(error[worst]), float(width[worst]), bool(inside.all()))


# --- casts and integers -------------------------------------------------------------------------


def cast_interval(x: Interval, src: Attribute, dst: Attribute) -> Interval:
    """
    By the end points, rounded as the contract says: every cast is monotone, and the rounding of a cast, unlike that
    of arithmetic, leaves a machine no choice. A sum known to half an ulp of bf16 mostly casts to one value.
    """
    dtype = numpy_dtype(dst)
    if is_complex(dtype):
        raise NoBounds(None, what="complex numbers")
    if x.is_fp8 and dtype in (F32, np.float64):
        known = None if x.known is None else cast(x.known, dtype)
        return replace(x, dtype=dtype).keeping(known=known, source=x.source or x.dtype)
    if x.known is not None:
        return Interval.of(cast(x.known, dtype))
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


def beyond(x: Interval) -> Interval:
    """f8E4M3FN has no infinity: what is out of its range is NaN."""
    if x.dtype.itemsize > 1 or float(cast(np.array(np.inf), x.dtype).astype(np.float64)) == np.inf:
        return x
    return replace(x, nan=x.nan | np.isinf(x.lo) | np.isinf(x.hi))


MONOTONE = frozenset({"neg", "abs", "relu", "sign", "add", "sub", "mul", "max", "min"})
"""Functions of integers that are known from the ends of intervals."""


def _integer(op: Operation, name: str, args: Sequence[Interval]) -> Interval:
    """Exact on exact values, by the end points otherwise."""
    known = [p for a in args if (p := points(a)) is not None]
    if len(known) == len(args):
        return Interval.of(apply(op, name, *known))
    if args[0].dtype == np.bool_ and name in ("and", "or", "xor", "not"):
        return (
            intervals.logic(name, *args) if name != "not" else intervals.predicate(args[0].may_be(0), args[0].may_be(1))
        )
    if name not in MONOTONE:
        raise NoBounds(op, what=f"{op.name} on integers that are not exact")
    return wrapped(UNARY[name](args[0]) if len(args) == 1 else BINARY[name](args[0], args[1]))


def _reshape(x: Interval, sizes: Sequence[int]) -> Interval:
    return x.move(lambda v: v.reshape(sizes))


# --- the ops ------------------------------------------------------------------------------------


def elementwise(op: Operation, name: str, *args: Interval, tight: bool = False) -> Interval:
    """The row `name` of the table on intervals, rounded as a machine may."""
    dtype = args[-1].dtype
    if is_complex(dtype):
        raise NoBounds(op, what=f"{op.name} on complex numbers")
    if name in COMPARE or name == "where":
        if all((p := a.known) is not None and not is_float(p.dtype) for a in args):
            return Interval.of(apply(op, name, *(p for a in args if (p := a.known) is not None)))
        return intervals.select(*args) if name == "where" else intervals.compare(name, *args)
    if not is_float(dtype):
        return _integer(op, name, args)
    if name == "tf32" and args[0].is_fp8:
        return args[0]
    out = UNARY[name](*args) if name in UNARY else BINARY[name](*args)
    if name in EXACT:
        return out
    exact = exactly(name, args, dtype) if tight else np.zeros((), bool)
    value = out.lo
    if name in TRANSCENDENTAL:
        # float64 has no wider type to be computed in: what `scalars` itself errs by counts too.
        out = out.rounded(18.0) if dtype == np.float64 else out.rounded(TRANSCENDENTAL[name], F32)
    out = beyond(out.rounded())
    low, high = RANGES.get(name, (-np.inf, np.inf))
    lo, hi = np.maximum(out.lo, low), np.minimum(out.hi, high)
    # An exact zero may have either sign: 0 - x is as good as -x.
    lo, hi = (np.where(exact, np.where(value == 0, zero, value), end) for end, zero in ((lo, -0.0), (hi, 0.0)))
    return replace(out, lo=lo, hi=hi)


def contraction(
    a: Interval, b: Interval, axes: Axes, accum: DType, start: Interval | None = None, *, tight: bool
) -> Interval:
    """`start` + Σ a · b over the axes that the result does not have, accumulated in `accum`."""
    terms = [x for x in (a, b, start) if x is not None]
    known = [] if is_float(accum) else [summands(p, accum) for x in terms if (p := points(x)) is not None]
    if len(known) == len(terms):
        total = contract(known[0], axes[0], known[1], *axes[1:])
        return Interval.of(narrow(sum(known[2:], total), accum))
    return interval_sums.dot(a, b, axes, accum, start, tight=tight)


def reduction(kind: str, x: Interval, axes: tuple[int, ...], accum: DType, *, tight: bool) -> Interval:
    """`x`, of type `accum`, without `axes`."""
    if not is_float(accum) and (known := points(x)) is not None:
        return Interval.of(reduce(kind, known, axes, accum))
    if kind == "mul":
        if not is_float(accum):
            raise NoBounds(what="a product of integers that are not exact")

        def fold(a: Array) -> Array:
            return np.asarray(a.prod(axis=axes))

        return product(fold, accum, x)
    kind = {"any": "max", "all": "min"}.get(kind, kind)
    if kind == "sum":
        return interval_sums.total(x, axes, accum, tight=tight)
    start = identity(kind, accum)
    fold = np.max if kind == "max" else np.min
    lo, hi = (np.asarray(fold(end, axis=axes, initial=start)) for end in (x.lo, x.hi))
    return Interval(lo, hi, np.asarray(x.nan.any(axis=axes)), accum)


def _elementwise(op_type: type[Any], name: str) -> Any:
    def run(self: BoundsFunctions, interpreter: Interpreter, op: Operation, args: PythonValues) -> PythonValues:
        return (elementwise(op, name, *args, tight=self.tight),)

    return impl(op_type)(run)


@register_impls
class BoundsFunctions(InterpreterFunctions):
    """One function per `ptir` op; values are `Interval`s."""

    def __init__(self, tight: bool = False) -> None:
        super().__init__()
        self.tight = tight

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
    run_select = _elementwise(ptir.SelectOp, "where")

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

    @impl(ptir.DotGeneralOp)
    def run_dot_general(self, interpreter: Interpreter, op: ptir.DotGeneralOp, args: PythonValues) -> PythonValues:
        lhs, rhs = args
        if op.precision is not None:
            lhs, rhs = (elementwise(op, op.precision.data, x) for x in (lhs, rhs))
        total = contraction(lhs, rhs, dot_axes(op), numpy_dtype(op.accum), tight=self.tight)
        return (cast_interval(total, op.accum, element(op.result)),)

    @impl(ptir.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: ptir.ReduceOp, args: PythonValues) -> PythonValues:
        (x,) = args
        x = cast_interval(x, element(op.input), op.accum)
        folded = reduction(op.kind.data, x, op.axes(), numpy_dtype(op.accum), tight=self.tight)
        kept = [
            1 if a in op.axes() else s for a, s in enumerate(x.shape) if op.keepdims is not None or a not in op.axes()
        ]
        return (_reshape(cast_interval(folded, op.accum, element(op.result)), kept),)
