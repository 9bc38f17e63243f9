"""
Elementwise rules: drop casts to the same type, merge casts if the first preserves every value, move constants to the right.

```
cast (cast x : bf16 -> f32) -> bf16      →  x
cast (cast x : i8 -> i32) -> f32         →  cast x : i8 -> f32
add 1, x                                 →  add x, 1
compare (cast x), (cast y)               →  compare x, y          if the casts preserve every value, and thus the order
```
"""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float, is_predicate, is_unsigned, widens_exactly
from ...dialects.ptir.dims import sizes
from ...semantics.arrays.scalars import numpy_dtype
from .constants import is_constant
from .terms import COMMUTATIVE, COMPARISONS
from .write import Result, Writer, operand_is


def drop_cast(op: ptir.CastOp, write: Writer) -> Result:
    return op.input if op.input.type == op.result.type else "it changes the type"


@operand_is(ptir.CastOp)
def merge_casts(op: ptir.CastOp, inner: ptir.CastOp, write: Writer) -> Result:
    if sizes(inner.input) != sizes(inner.result) or sizes(op.input) != sizes(op.result):
        return "its sizes have other names than the operand's"
    source, between = element(inner.input), element(inner.result)
    if not keeps_values(source, between):
        return f"{between} does not hold every {source}"
    return write.cast(inner.input, element(op.result))


def compare_of_casts(op: ptir.CompareOp, write: Writer) -> Result:
    left, right = op.lhs.owner, op.rhs.owner
    if not isinstance(left, ptir.CastOp) or not isinstance(right, ptir.CastOp):
        return "its operands are not both casts"
    if left.input.type != right.input.type or sizes(left.input) != sizes(op.lhs):
        return "the casts are from different types"
    source = element(left.input)
    if not keeps_values(source, element(op.lhs)):
        return f"{element(op.lhs)} does not hold every {source}"
    return write.add(ptir.CompareOp(op.op.data, left.input, right.input))


def keeps_values(source: Attribute, target: Attribute) -> bool:
    """Returns whether type `target` has every value of type `source`, including NaN, infinities and the sign of zeros."""
    if source == target or widens_exactly(source, target):
        return True
    if not isa(source, IntegerType):
        return False
    if is_predicate(source):
        return is_float(target) or isa(target, IntegerType)
    digits = source.width.data - (not is_unsigned(source))
    return is_float(target) and digits <= significant_bits(target)


def significant_bits(dtype: Attribute) -> int:
    """Returns the largest p such that every integer up to 2^p is a value of the float type."""
    info = cast(Any, ml_dtypes).finfo(numpy_dtype(dtype))
    return min(int(info.nmant) + 1, int(info.maxexp))


def constant_right(op: ptir.BinaryOp | ptir.CompareOp, write: Writer) -> Result:
    """Moves constants to the right of commutative ops and comparisons, so that equal ops look the same."""
    if not is_constant(op.lhs) or is_constant(op.rhs):
        return "its constants are in order"
    if isinstance(op, ptir.CompareOp):
        return write.add(ptir.CompareOp(COMPARISONS[op.op.data], op.rhs, op.lhs))
    if op.name.removeprefix("ptir.") not in COMMUTATIVE:
        return "it does not commute"
    return write.add(type(op)(op.rhs, op.lhs))
