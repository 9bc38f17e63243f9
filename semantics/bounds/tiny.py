"""
Error bounds of `tiny` programs.

The ops use the same functions as `ptir`. A machine may leave a product unrounded, as an FMA does, if the accumulator has the
same type; it rounds products of a narrower type. `gelu` and `silu` may be computed in several steps in f32, or in f64, as in
`vocabulary.py`, and each step rounds.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation

from ...dialects import tiny
from ...dialects.common.shapes import element, is_as_wide
from ..arrays.reductions import total
from ..arrays.scalars import DType, is_float, numpy_dtype
from ..errors import NoBounds
from ..tiny import Product, TinyFunctions
from . import sums
from .casts import cast_interval
from .intervals import Interval, points
from .operations import IntervalFunctions, elementwise


class TinyBounds(IntervalFunctions, TinyFunctions):
    """The computing ops of `tiny` on intervals."""

    def apply(self, op: Operation, name: str, *args: Interval) -> Interval:
        if name in ("gelu", "silu"):
            return formula(op, name, args[0], tight=self.tight)
        return super().apply(op, name, *args)

    def require(self, op: tiny.BinaryOp, holds: Interval) -> None:
        if (known := points(holds)) is None:
            raise NoBounds(op, what="a requirement on values that are not exact")
        super().require(op, known)

    def total(self, x: Interval, axes: tuple[int, ...], accum: DType) -> Interval:
        if not is_float(accum) and (known := points(x)) is not None:
            return Interval.of(total(known, axes, accum))
        return sums.total(x, axes, accum, tight=self.tight)

    def sum_product(self, op: tiny.ReduceOp, x: Product) -> Interval:
        if is_as_wide(element(op.input), op.accum):
            return super().sum_product(op, x)
        return self.total(self.apply(x.op, "mul", x.lhs, x.rhs), op.axes(), numpy_dtype(op.accum))


def formula(op: Operation, fn: str, x: Interval, *, tight: bool) -> Interval:
    """Computes `gelu` or `silu` step by step in f32 (in f64 if `x` is f64), and casts the result to the type of `x`."""
    narrow = element(op.operands[0])
    wide = f64 if narrow == f64 else f32
    x = cast_interval(x, narrow, wide)

    def step(name: str, *args: Interval) -> Interval:
        return elementwise(op, name, *args, tight=tight)

    def constant(value: float) -> Interval:
        return Interval.of(np.full((), value, numpy_dtype(wide)))

    if fn == "silu":
        return cast_interval(step("mul", x, step("logistic", x)), wide, narrow)
    erf = step("erf", step("mul", x, constant(np.sqrt(0.5)).rounded()))
    return cast_interval(step("mul", step("mul", x, constant(0.5)), step("add", constant(1.0), erf)), wide, narrow)
