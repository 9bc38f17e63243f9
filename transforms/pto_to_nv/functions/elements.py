"""The element of a result that depends on one element of each operand, in scalar ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerType, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue

from ....dialects import pto
from ....dialects.common.shapes import is_float
from ....dialects.ptir.functions import bit_width
from ....errors import Unsupported
from ...scalar_casts import Adder, convert, integer_attr
from ..tile_scalars import apply, compare, scalar, scalar_type

ELEMENTWISE = (
    pto.VectorUnaryOp, pto.VectorBinaryOp, pto.ScalarBinaryOp, pto.ExpandedBinaryOp, pto.ExpandsOp, pto.CmpOp, pto.CmpsOp, pto.SelOp,
    pto.SelsOp, pto.CvtOp, pto.BitcastOp, pto.FmaOp, pto.MoveOp, pto.CopyOp, pto.MoveScaledOp, pto.ColExpandOp,
)  # fmt: skip
"""The ops of which `element` computes an element. Of an operand with one row or column, it is that of the same column or row."""


def element(op: Operation, operands: Sequence[SSAValue], add: Adder) -> SSAValue:
    """Adds the scalar ops that compute one element of the result of `op`, and returns that element."""
    dtype = scalar_type(op, op.results[0])
    match op:
        case pto.ScalarBinaryOp() | pto.ExpandedBinaryOp():
            return apply(op, op.FN, dtype, operands, add)
        case pto.CmpsOp():
            return add(compare(scalar_type(op, op.lhs), op.mode.word, *operands))
        case pto.SelsOp():
            return add(arith.SelectOp(*operands))
        case pto.CvtOp() if op.mode is not None:
            return rounded(op, operands[0], scalar_type(op, op.input), dtype, op.mode.word, add)
        case pto.MoveScaledOp():
            return scaled(op, operands, dtype, add)
        case _ if isinstance(op, pto.UNARY["relu"]):
            return apply(op, "max", dtype, [operands[0], number(0, dtype, add)], add)
        case _ if isinstance(op, pto.UNARY["not"]):
            return apply(op, "xor", dtype, [operands[0], number(-1, dtype, add)], add)
        case pto.MoveOp() | pto.CopyOp() | pto.ColExpandOp():
            return operands[0]
        case pto.ExpandsOp() if op.scalar is not None:
            return operands[0]
        case _:
            return scalar(op, operands, add)


def number(value: float, dtype: Attribute, add: Adder) -> SSAValue:
    """Adds a constant of an element type."""
    if is_float(dtype):
        return add(arith.ConstantOp(FloatAttr(value, cast(AnyFloat, dtype))))
    return add(arith.ConstantOp(integer_attr(int(value), dtype)))


def scaled(
    op: pto.MoveScaledOp | pto.StoreScaledOp, operands: Sequence[SSAValue], dtype: Attribute, add: Adder
) -> SSAValue:
    """Adds the product of an accumulator and its scale, rounded to f32 and then to `dtype`."""
    acc, scale = operands
    source = scalar_type(op, op.operands[0])
    return rounded(op, add(arith.MulfOp(convert(acc, source, f32, add), scale)), f32, dtype, "CAST_RINT", add)


def rounded(op: Operation, x: SSAValue, source: Attribute, target: Attribute, mode: str, add: Adder) -> SSAValue:
    """Adds the conversion of an element that rounds as `mode` says."""
    if not is_float(target):
        return (
            convert(*_whole(x, source, mode, add), target, add) if is_float(source) else convert(x, source, target, add)
        )
    near = convert(x, source, target, add)
    if mode in ("CAST_RINT", "CAST_NONE") or (bit_width(target) > bit_width(source) and is_float(source)):
        return near
    if bit_width(target) not in (16, 32):
        raise Unsupported(op, what=f"'rmode' {mode} to {target} in a kernel for a GPU", need="use CAST_RINT")
    return _directed(convert(x, source, f64, add), near, target, mode, add)


def _whole(x: SSAValue, source: Attribute, mode: str, add: Adder) -> tuple[SSAValue, Attribute]:
    """Adds the rounding of a float to an integer, which is a float still. Returns it and its type."""
    if mode == "CAST_TRUNC":
        return x, source
    if mode != "CAST_ROUND":
        kind = {"CAST_RINT": math.RoundEvenOp, "CAST_FLOOR": math.FloorOp, "CAST_CEIL": math.CeilOp}[mode]
        return add(kind(x)), source
    wide = source if bit_width(source) >= 32 else f32
    x, zero = convert(x, source, wide, add), number(0, wide, add)
    negative = add(compare(wide, "LT", x, zero))
    whole = add(arith.SelectOp(negative, add(math.CeilOp(x)), add(math.FloorOp(x))))
    away = add(arith.SelectOp(negative, number(-1, wide, add), number(1, wide, add)))
    rest = add(math.AbsFOp(add(arith.SubfOp(x, whole))))
    beyond = add(compare(wide, "GE", rest, number(0.5, wide, add)))
    return add(arith.SelectOp(beyond, add(arith.AddfOp(whole, away)), whole)), wide


def _directed(exact: SSAValue, near: SSAValue, target: Attribute, mode: str, add: Adder) -> SSAValue:
    """
    Adds the neighbor of `exact`, a number of f64, in `target` that `mode` chooses; `near` is the nearest one, and NaN is its own. If that lies
    on the wrong side of the exact number, the number after or before it in the order of bits is the neighbor.
    """
    bits = IntegerType(bit_width(target))
    sign = 1 << bits.width.data - 1
    word, value = add(arith.BitcastOp(near, bits)), convert(near, target, f64, add)
    after = add(arith.AddiOp(word, number(1, bits, add)))
    before = add(arith.SubiOp(word, number(1, bits, add)))
    negative = add(compare(target, "LT", near, number(0, target, add)))
    is_zero = add(compare(target, "EQ", near, number(0, target, add)))

    def neighbor(of_negative: SSAValue, of_positive: SSAValue, of_zero: int, wrong: str) -> SSAValue:
        moved = add(arith.SelectOp(negative, of_negative, of_positive))
        moved = add(arith.SelectOp(is_zero, number(of_zero, bits, add), moved))
        there = add(compare(f64, wrong, value, exact))
        return add(arith.SelectOp(there, add(arith.BitcastOp(moved, target)), near))

    below = neighbor(after, before, 1 - sign, "GT")
    above = neighbor(before, after, 1, "LT")
    minus = add(compare(f64, "LT", exact, number(0, f64, add)))
    match mode:
        case "CAST_FLOOR":
            return below
        case "CAST_CEIL":
            return above
        case "CAST_TRUNC":
            return add(arith.SelectOp(minus, above, below))
        case _:
            down = add(arith.SubfOp(exact, convert(below, target, f64, add)))
            up = add(arith.SubfOp(convert(above, target, f64, add), exact))
            tie = add(compare(f64, "EQ", down, up))
            return add(arith.SelectOp(tie, add(arith.SelectOp(minus, below, above)), near))
