"""The ops that may fail at run time, for some values of their operands: checks, divisions, reads and updates at indices given by data."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, shape
from ...semantics.arrays.scalars import dense_array, integer_range, numpy_dtype

DEPTH = 8
"""Maximum number of ops between an index and the ops that bound it."""


def may_fail(op: Operation) -> bool:
    """
    Returns whether an op checks a predicate, or divides integers, unless the divisor has constant elements none of which is zero.
    """
    if not (isinstance(op, tiny.BinaryOp) and op.failure is not None):
        return False
    if op.failure != "division":
        return True
    divisor = op.inputs[1].owner
    while isinstance(divisor, tiny.MovementOp):
        if divisor.value is not None and not any(divisor.value.dense.data.data):
            return True
        divisor = divisor.input.owner
    return not (isinstance(divisor, tiny.ConstOp) and np.all(dense_array(divisor.value)))


def may_leave(op: Operation) -> bool:
    """Returns whether an op reads or updates elements at indices that may be out of range."""
    if not isinstance(op, ptir.GatherOp | ptir.ScatterReduceOp):
        return False
    least, most = value_range(op.indices)
    return least < 0 or most >= shape(op.x)[op.axis()]


def value_range(x: SSAValue, depth: int = DEPTH) -> tuple[int, int]:
    """
    Returns a lower and an upper bound of integers, as known from constants and clamps. A cast saturates, so that it keeps the bounds which
    its type can hold.
    """
    least, most = integer_range(numpy_dtype(element(x)))
    if not depth:
        return least, most
    match x.owner:
        case tiny.ConstOp() as op:
            numbers = dense_array(op.value)
            return int(numbers.min(initial=most)), int(numbers.max(initial=least))
        case tiny.IotaOp() as op:
            return 0, min(most, max(shape(x)[op.axis()] - 1, 0))
        case tiny.MovementOp() as op if op.value is None:
            return value_range(op.input, depth - 1)
        case tiny.UnaryOp() as op if op.fn.data == "cast" and isa(element(op.input), IntegerType):
            low, high = value_range(op.input, depth - 1)
            return min(max(low, least), most), min(max(high, least), most)
        case tiny.BinaryOp() as op if op.fn.data == "require_index":
            inside, index = op.inputs
            low, high = value_range(index, depth - 1)
            return (low, high) if (end := _bound(inside, index)) is None else (0, end - 1)
        case tiny.BinaryOp() as op if op.fn.data in ("min", "max"):
            fold = min if op.fn.data == "min" else max
            lows, highs = zip(*(value_range(operand, depth - 1) for operand in op.inputs), strict=True)
            return fold(lows), fold(highs)
        case _:
            return least, most


def _bound(inside: SSAValue, index: SSAValue) -> int | None:
    """Returns n if a predicate is `0 <= index < n`, written as one comparison of unsigned integers (`Writer.checked`)."""
    match inside.owner:
        case tiny.BinaryOp(fn=StringAttr(data="lt"), inputs=(bits, bound)) if isinstance(bound.owner, tiny.ConstOp):
            same = isinstance(op := bits.owner, tiny.UnaryOp) and op.fn.data == "bitcast" and op.input is index
            return value_range(bound)[1] if same else None
        case _:
            return None
