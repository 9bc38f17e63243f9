"""
Error bounds of `tiny` programs.

The ops use the same functions as `ptir`. A machine may add a product to an accumulator of its type without rounding, as an
FMA does, but rounds a product in a narrower type. `gelu` and `silu` may be computed step by step in f32, or f64, as in
`vocabulary.py`, and each step rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import tiny
from ...dialects.common.shapes import element, is_as_wide
from ..arrays.reductions import total
from ..arrays.scalars import DType, is_complex, is_float, numpy_dtype
from ..rows import ROWS
from ..tiny import Factors, is_only_summed
from ..tiny.movement import TinyMovement, require_broadcastable
from . import sums
from .casts import cast_interval
from .elementwise import bits, is_finite
from .indexing import MovingBounds
from .intervals import Interval, points
from .operations import IntervalFunctions, contraction, elementwise, reduction


@dataclass(frozen=True)
class Product:
    """The broadcast product `lhs * rhs`, not materialized."""

    op: tiny.BinaryOp
    lhs: Interval
    rhs: Interval

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.lhs.shape, self.rhs.shape)


class TinyMovementBounds(MovingBounds, TinyMovement):
    """Movements of intervals, and the leaves."""


@register_impls
class TinyBounds(IntervalFunctions):
    """The ops that compute; values are `Interval`s."""

    @impl(tiny.UnaryOp)
    def run_unary(self, interpreter: Interpreter, op: tiny.UnaryOp, args: PythonValues) -> PythonValues:
        (x,) = args
        match fn := op.fn.data:
            case "cast":
                return (cast_interval(x, element(op.input), element(op.result)),)
            case "bitcast":
                return (bits(op, x),)
            case "is_finite":
                return (is_finite(x),)
            case "gelu" | "silu":
                return (formula(op, fn, x, tight=self.tight),)
            case _:
                return (elementwise(op, ROWS.get(fn, fn), x, tight=self.tight),)

    @impl(tiny.BinaryOp)
    def run_binary(self, interpreter: Interpreter, op: tiny.BinaryOp, args: PythonValues) -> PythonValues:
        require_broadcastable(op, op.inputs, [x.shape for x in args])
        if is_only_summed(op):
            return (Product(op, *args),)
        return (elementwise(op, op.fn.data, *args, tight=self.tight),)

    @impl(tiny.ReduceOp)
    def run_reduce(self, interpreter: Interpreter, op: tiny.ReduceOp, args: PythonValues) -> PythonValues:
        x: Interval | Product = args[0]
        fn, axes, accum = op.fn.data, op.axes(), numpy_dtype(op.accum)
        if isinstance(x, Product):
            if is_as_wide(element(op.input), op.accum):
                return (self._contraction(x, axes, accum),)
            x = elementwise(x.op, "mul", x.lhs, x.rhs, tight=self.tight)
        if fn != "sum" or is_complex(accum):
            return (reduction(fn, cast_interval(x, element(op.input), op.accum), axes, accum, tight=self.tight),)
        if not is_float(accum) and (known := points(x)) is not None:
            return (Interval.of(total(known, axes, accum)),)
        return (sums.total(x, axes, accum, tight=self.tight),)

    def _contraction(self, x: Product, axes: tuple[int, ...], accum: DType) -> Interval:
        f = Factors.of(x.lhs.shape, x.rhs.shape, axes)
        lhs, rhs = (
            factor.move(lambda v, sizes=sizes: v.reshape(sizes))
            for factor, sizes in zip((x.lhs, x.rhs), f.shapes, strict=True)
        )
        out = contraction(lhs, rhs, (*f.letters, f.out), accum, tight=self.tight)
        return out.move(lambda v: v.reshape(f.sizes))


def formula(op: Operation, fn: str, x: Interval, *, tight: bool) -> Interval:
    """Computes `gelu` or `silu` step by step in f32 (in f64 for f64), rounded to the type of `x`."""
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
