"""Elementwise functions, contractions and reductions of intervals, with their roundings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.ir import Attribute, Operation

from ...dialects import ptir
from ...dialects.plan.choice import choice_of
from ..arrays.contraction import contract, summands
from ..arrays.reductions import extremum, identity, reduce
from ..arrays.scalars import COMPARE, Array, DType, is_complex, is_float, narrow, numpy_dtype
from ..errors import NoBounds
from ..values import ArrayFunctions, Sum, apply
from . import sums
from .casts import cast_interval, overflow_to_nan
from .extensions import BINARY, EXACT, RANGES, TRANSCENDENTAL, UNARY, compare, is_exact, logic, select
from .intervals import F32, Interval, hull, points, predicate, together
from .products import product
from .sums import Axes, wrapped
from .weights import rounds_weights


class IntervalFunctions(ArrayFunctions):
    """Interpreter functions on intervals. If `tight`, results have zero width where no machine rounds."""

    def __init__(self, tight: bool = False) -> None:
        super().__init__()
        self.tight = tight

    def literal(self, x: Array) -> Interval:
        return Interval.of(x)

    def join(self, function: Callable[..., Array], *values: Interval) -> Interval:
        return together(function, *values)

    def is_true(self, op: Operation, predicate: Interval) -> bool:
        if predicate.lo != predicate.hi:
            raise NoBounds(op, what=f"{op.name} where rounding may change the predicate")
        return bool(predicate.lo)

    def call(self, op: ptir.CustomCallOp, args: Sequence[Interval]) -> tuple[Interval, ...]:
        raise NoBounds(op, what=f"the custom call '{op.target.data}'")

    def call_stored(self, op: ptir.CustomCallOp, args: Sequence[Interval], types: Sequence[Attribute]) -> Any:
        return self.call(op, args)

    def store(self, memref: Interval, value: Interval, at: Array | None = None) -> None:
        memref.store(value, at)

    def apply(self, op: Operation, name: str, *args: Interval) -> Interval:
        return is_finite(args[0]) if name == "is_finite" else elementwise(op, name, *args, tight=self.tight)

    def cast(self, x: Interval, src: Attribute, dst: Attribute) -> Interval:
        return cast_interval(x, src, dst)

    def convert(self, op: Operation, x: Interval) -> Interval:
        out = super().convert(op, x)
        return hull(out, replace(x.rounded(1.0, out.dtype), dtype=out.dtype)) if rounds_weights(op) else out

    def bits(self, op: Operation, x: Interval, dtype: Attribute) -> Interval:
        if x.known is None:
            raise NoBounds(op, what="the bits of values that are not exact")
        return Interval.of(super().bits(op, x.known, dtype))

    def reduce(self, kind: str, x: Interval, axes: tuple[int, ...], src: Attribute, accum: Attribute) -> Interval:
        return reduction(kind, cast_interval(x, src, accum), axes, numpy_dtype(accum), tight=self.tight)

    def contract(self, op: Sum, lhs: Interval, rhs: Interval, axes: Axes, *, product: DType) -> Interval:
        out = contraction(lhs, rhs, axes, numpy_dtype(op.accum), tight=self.tight)
        choice = choice_of(op)
        return out if choice is None or not choice.tolerance else tolerated(out, lhs, rhs, axes, choice.tolerance)


def is_finite(x: Interval) -> Interval:
    """Returns the predicate of `is_finite`, uncertain where an end is infinite or NaN is possible."""
    infinite = np.isinf(x.lo) | np.isinf(x.hi)
    return predicate(~np.isnan(x.lo) & ~(infinite & (x.lo == x.hi)), infinite | x.nan)


MONOTONE = frozenset({"neg", "abs", "relu", "sign", "add", "sub", "mul", "max", "min"})
"""Functions of integers whose intervals are computed from the end points of their operands."""


def _integer(op: Operation, name: str, args: Sequence[Interval]) -> Interval:
    """Applies a function to integers: to the values if they are exact, otherwise to the end points. Raises `NoBounds`."""
    known = [p for a in args if (p := points(a)) is not None]
    if len(known) == len(args):
        return Interval.of(apply(op, name, *known))
    if args[0].dtype == np.bool_ and name in ("and", "or", "xor", "not"):
        return logic(name, *args) if name != "not" else predicate(args[0].may_be(0), args[0].may_be(1))
    if name not in MONOTONE:
        raise NoBounds(op, what=f"{op.name} on integers that are not exact")
    return wrapped(UNARY[name](args[0]) if len(args) == 1 else BINARY[name](args[0], args[1]))


def elementwise(op: Operation, name: str, *args: Interval, tight: bool = False) -> Interval:
    """Applies the elementwise function `name` to intervals, and adds the rounding error of a machine. Raises `NoBounds`."""
    dtype = args[-1].dtype
    if is_complex(dtype):
        raise NoBounds(op, what=f"{op.name} on complex numbers")
    if name in COMPARE or name == "where":
        if all((p := a.known) is not None and not is_float(p.dtype) for a in args):
            return Interval.of(apply(op, name, *(p for a in args if (p := a.known) is not None)))
        return select(*args) if name == "where" else compare(name, *args)
    if not is_float(dtype):
        return _integer(op, name, args)
    if name == "tf32" and args[0].is_fp8:
        return args[0]
    out = UNARY[name](*args) if name in UNARY else BINARY[name](*args)
    if name in EXACT:
        return out
    exact = is_exact(name, args, dtype) if tight else np.zeros((), bool)
    value = out.lo
    if name in TRANSCENDENTAL:
        # The interpreter does not compute f64 in a wider type, so its own error is included.
        out = out.rounded(18.0) if dtype == np.float64 else out.rounded(TRANSCENDENTAL[name], F32)
    out = overflow_to_nan(out.rounded())
    low, high = RANGES.get(name, (-np.inf, np.inf))
    lo, hi = np.maximum(out.lo, low), np.minimum(out.hi, high)
    # An exact zero may have either sign: 0 - x may be computed as -x.
    lo, hi = (np.where(exact, np.where(value == 0, zero, value), end) for end, zero in ((lo, -0.0), (hi, 0.0)))
    return replace(out, lo=lo, hi=hi)


def contraction(
    a: Interval, b: Interval, axes: Axes, accum: DType, start: Interval | None = None, *, tight: bool
) -> Interval:
    """Returns `start` + Σ a · b, summed over the axes that the result does not have and accumulated in `accum`."""
    terms = [x for x in (a, b, start) if x is not None]
    known = [] if is_float(accum) else [summands(p, accum) for x in terms if (p := points(x)) is not None]
    if len(known) == len(terms):
        total = contract(known[0], axes[0], known[1], *axes[1:])
        return Interval.of(narrow(sum(known[2:], total), accum))
    return sums.dot(a, b, axes, accum, start, tight=tight)


def tolerated(out: Interval, a: Interval, b: Interval, axes: Axes, tolerance: float) -> Interval:
    """
    Returns `out` widened by the error that a program allows an algorithm of a convolution, relative to the greatest |x| times the
    norm of a filter. Either operand may be the image. An infinity or NaN of an operand may spread to all results.
    """
    (la, lb, lo), (x, y) = axes, (np.maximum(np.abs(v.lo), np.abs(v.hi)) for v in (a, b))
    over_y = contract(np.ones(x.shape), la, y**2, lb, lo)
    over_x = contract(x**2, la, np.ones(y.shape), lb, lo)
    width = tolerance * np.maximum(x.max(initial=0) * np.sqrt(over_y), y.max(initial=0) * np.sqrt(over_x))
    spreads = bool(a.nan.any() or b.nan.any()) or not np.isfinite(width).all()
    if spreads:
        return Interval(np.full(out.shape, -np.inf), np.full(out.shape, np.inf), np.ones(out.shape, bool), out.dtype)
    return replace(out, lo=out.lo - width, hi=out.hi + width).rounded(0.0)


def reduction(kind: str, x: Interval, axes: tuple[int, ...], accum: DType, *, tight: bool) -> Interval:
    """Reduces `x`, of type `accum`, over `axes`."""
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
        return sums.total(x, axes, accum, tight=tight)
    lo, hi = (extremum(kind, end, axes, identity(kind, accum)) for end in (x.lo, x.hi))
    return overflow_to_nan(Interval(lo, hi, np.asarray(x.nan.any(axis=axes)), accum))
