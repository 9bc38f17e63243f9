"""
Decomposes elementwise ops that have an exact formula: rounding to whole numbers, signs and predicates, but not roots or powers.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float, is_predicate, is_unsigned
from ...semantics.arrays.float_formats import largest
from ...semantics.arrays.scalars import numpy_dtype
from ..op_writer import Declined, Draft

FRACTION: dict[type[Attribute], int] = {
    Float64Type: 52,
    Float32Type: 23,
    Float16Type: 10,
    BFloat16Type: 7,
    Float8E4M3FNType: 3,
    Float8E5M2Type: 2,
}
"""Number n of fraction bits of each float type: a float of at least 2^n is a whole number."""


def clamp(op: ptir.ClampOp, draft: Draft) -> SSAValue:
    """Writes `min(max(x, lo), hi)` (contract, *Clamp*)."""
    return draft.add(ptir.MinimumOp(draft.add(ptir.MaximumOp(op.input, op.lo)), op.hi))


def stop_gradient(op: ptir.StopGradientOp, draft: Draft) -> SSAValue:
    """Returns the operand (contract, *StopGradient*)."""
    return op.input


# --- predicates ---------------------------------------------------------------------------------


def _require_predicate(dtype: Attribute) -> None:
    if not is_predicate(dtype):
        raise Declined("bitwise ops on integers have no other form")


def logical_and(op: ptir.AndOp, draft: Draft) -> SSAValue:
    """Writes `select(a, b, false)`; on `i1` only."""
    _require_predicate(element(op.result))
    return draft.select(op.lhs, op.rhs, draft.splat(False, op.lhs))


def logical_or(op: ptir.OrOp, draft: Draft) -> SSAValue:
    """Writes `select(a, true, b)`; on `i1` only."""
    _require_predicate(element(op.result))
    return draft.select(op.lhs, draft.splat(True, op.lhs), op.rhs)


def logical_xor(op: ptir.XorOp, draft: Draft) -> SSAValue:
    """Writes `a != b`; on `i1` only."""
    _require_predicate(element(op.result))
    return draft.compare("ne", op.lhs, op.rhs)


def bitwise_not(op: ptir.NotOp, draft: Draft) -> SSAValue:
    """Writes `a == false` on `i1`; on integers, all bits set minus `a`, which never borrows."""
    dtype = element(op.result)
    if is_predicate(dtype):
        return draft.compare("eq", op.input, draft.splat(False, op.input))
    ones = (1 << dtype.width.data) - 1 if isa(dtype, IntegerType) and is_unsigned(dtype) else -1
    return draft.add(ptir.SubOp(draft.splat(ones, op.input), op.input))


def is_finite(op: ptir.IsFiniteOp, draft: Draft) -> SSAValue:
    """Writes `|x| <= the greatest finite number`, which is false for infinities and NaN."""
    greatest = draft.splat(largest(numpy_dtype(element(op.input))), op.input)
    return draft.compare("le", draft.add(ptir.AbsOp(op.input)), greatest)


# --- numbers ------------------------------------------------------------------------------------


def sign(op: ptir.SignOp, draft: Draft) -> SSAValue:
    """Writes 1 for positive numbers, -1 for negative ones, and the operand itself for zeros and NaN."""
    x, dtype = op.input, element(op.input)
    if not is_float(dtype) and not isa(dtype, IntegerType):
        raise Declined("complex numbers have no order")
    one = 1.0 if is_float(dtype) else 1
    zero = draft.splat(0 * one, x)
    rest = x if is_unsigned(dtype) else draft.select(draft.compare("lt", x, zero), draft.splat(-one, x), x)
    return draft.select(draft.compare("gt", x, zero), draft.splat(one, x), rest)


def remainder(op: ptir.RemainderOp, draft: Draft) -> SSAValue:
    """Writes `a - (a / b) * b`; on integers only, which wrap."""
    if is_float(element(op.result)):
        raise Declined("a quotient of floats is rounded")
    quotient = draft.add(ptir.DivOp(op.lhs, op.rhs))
    return draft.add(ptir.SubOp(op.lhs, draft.add(ptir.MulOp(quotient, op.rhs))))


def floor(op: ptir.FloorOp, draft: Draft) -> SSAValue:
    return _floor(op.input, draft)


def ceil(op: ptir.CeilOp, draft: Draft) -> SSAValue:
    """Writes `-floor(-x)`, which preserves the sign of zero."""
    return draft.add(ptir.NegOp(_floor(draft.add(ptir.NegOp(op.input)), draft)))


def _floor(x: SSAValue, draft: Draft) -> SSAValue:
    """
    Writes floor by way of an integer: `t = trunc(x)`, minus 1 if t > x. A select keeps x itself if it is whole, infinite or
    NaN, which includes every |x| that is too large to have a fraction.
    """
    dtype = element(x)
    bits = FRACTION[type(dtype)]
    whole = IntegerType(64 if bits > 30 else 32, Signedness.SIGNED)
    near = draft.compare("lt", draft.add(ptir.AbsOp(x)), draft.splat(float(2**bits), x))
    t = draft.cast(draft.cast(x, whole), dtype)
    below = draft.select(draft.compare("gt", t, x), draft.add(ptir.SubOp(t, draft.splat(1.0, x))), t)
    return draft.select(near, draft.select(draft.compare("eq", t, x), x, below), x)


def round_half_even(op: ptir.RoundOp, draft: Draft) -> SSAValue:
    """
    Writes the nearer of `f = floor(x)` and `f + 1`, or the even one at a tie; a zero gets the sign of x. `f / 2` is exact. `x - f`
    is exact, too, except for x between -1 and 0; there it may round to 1/2, and the even neighbor is then also the nearest.
    """
    x, dtype = op.input, element(op.input)
    f = _floor(x, draft)
    half = draft.splat(0.5, x)
    rest = draft.add(ptir.SubOp(x, f))
    halved = draft.add(ptir.MulOp(f, half))
    odd = draft.compare("ne", _floor(halved, draft), halved)
    up = draft.add(ptir.AddOp(f, draft.splat(1.0, x)))
    at_tie = draft.select(odd, up, f)
    nearest = draft.select(
        draft.compare("gt", rest, half), up, draft.select(draft.compare("lt", rest, half), f, at_tie)
    )
    zero = draft.splat(0.0, x)
    signed = draft.select(draft.compare("eq", nearest, zero), draft.add(ptir.MulOp(x, zero)), nearest)
    near = draft.compare("lt", draft.add(ptir.AbsOp(x)), draft.splat(float(2 ** FRACTION[type(dtype)]), x))
    return draft.select(near, signed, x)
