"""
Recognizes causal masks: the element for query i and key j keeps the score if `j <= i + offset` and removes it otherwise.

```
   select(iota over queries >= iota over keys, 0, -inf), added to the scores
   select(…, scores, -inf)
   a literal with zeros on and below a diagonal and -inf above, or of ones and zeros in a predicate
```

A comparison is normalized to `q·i + k·j + c >= 0`, provided that the element type holds every intermediate integer: values
that may wrap or round are not analyzed. Literals are compared element by element. A score is removed by -inf or any number of at
most -1e4, which exporters write for types without infinities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import ml_dtypes
import numpy as np
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float, is_predicate
from ...dialects.ptir.dims import sizes
from ...semantics.arrays.scalars import FLOATS, Array, DType, integer_range, is_complex, numpy_dtype
from .views import Axes, axes_of, back, constant, definition, uniform

LARGE = -1e4
"""Maximum value that removes a score."""
STEPS = 8
"""Maximum nesting depth of sums and differences that are analyzed."""
MAX_SIZE = 2**31 - 2**16
"""Upper bound that is assumed for a dynamic size, as kernels index with 32 bits."""


def removes_scores(value: SSAValue) -> bool:
    """Returns whether adding `value` to a score, or replacing the score by it, removes the score."""
    number = uniform(value)
    return number is not None and number <= LARGE


def is_zero(value: SSAValue) -> bool:
    return uniform(value) == 0


@dataclass(frozen=True)
class Linear:
    """The linear function `queries · i + keys · j + constant` of query i and key j."""

    queries: int = 0
    keys: int = 0
    constant: int = 0

    def plus(self, other: Linear, sign: int = 1) -> Linear:
        return Linear(
            self.queries + sign * other.queries, self.keys + sign * other.keys, self.constant + sign * other.constant
        )

    def ends(self, queries: int, keys: int) -> tuple[int, int]:
        """Returns the least and the greatest value for the given numbers of queries and keys."""
        steps = (self.queries * max(queries - 1, 0), self.keys * max(keys - 1, 0))
        return self.constant + sum(min(0, s) for s in steps), self.constant + sum(max(0, s) for s in steps)


def causal_offset_of_mask(mask: SSAValue, query: int, key: int) -> int | None:
    """Returns the offset of a mask that is added to scores with the axes `query` and `key`, or None if it is not causal."""
    mask, axes = back(mask, axes_of(len(sizes(mask))))
    match op := definition(mask):
        case ptir.SelectOp() if is_zero(op.on_true) and removes_scores(op.on_false):
            return causal_offset(op.pred, query, key, axes)
        case ptir.SelectOp() if removes_scores(op.on_true) and is_zero(op.on_false):
            return causal_offset(op.pred, query, key, axes, negated=True)
        case ptir.ConstantOp() if is_float(element(mask)) and (literal := constant(mask)) is not None:
            numbers = literal.astype(np.float64)
            if not bool(np.all((numbers == 0) | (numbers <= LARGE))):
                return None
            return _diagonal(numbers == 0, axes, query, key)
        case _:
            return None


def causal_offset(
    predicate: SSAValue, query: int, key: int, axes: Axes | None = None, *, negated: bool = False
) -> int | None:
    """
    Returns the offset of a predicate that is true (if `negated`, false) where scores are kept, or None if it is not a causal mask.
    `axes` maps its axes to those of the scores, by default one to one.
    """
    axes = axes_of(len(sizes(predicate))) if axes is None else axes
    predicate, axes = back(predicate, axes)
    match op := definition(predicate):
        case ptir.NotOp():
            return causal_offset(op.input, query, key, axes, negated=not negated)
        case ptir.ConstantOp() if is_predicate(element(predicate)) and (literal := constant(predicate)) is not None:
            return _diagonal(literal != negated, axes, query, key)
        case ptir.CompareOp():
            return _compared(op, axes, query, key, negated)
        case _:
            return None


def _compared(op: ptir.CompareOp, axes: Axes, query: int, key: int, negated: bool) -> int | None:
    left, right = _linear(op.lhs, axes, query, key, STEPS), _linear(op.rhs, axes, query, key, STEPS)
    if left is None or right is None:
        return None
    comparison = {"ge": "lt", "lt": "ge", "gt": "le", "le": "gt"}.get(op.op.data) if negated else op.op.data
    if comparison not in ("ge", "gt", "le", "lt"):
        return None
    kept = left.plus(right, -1) if comparison in ("ge", "gt") else right.plus(left, -1)  # compared with zero
    if comparison in ("gt", "lt"):
        kept = kept.plus(Linear(constant=-1))
    return kept.constant if (kept.queries, kept.keys) == (1, -1) else None


def _linear(value: SSAValue, axes: Axes, query: int, key: int, steps: int) -> Linear | None:
    """Returns `value` as a linear function of the indices, or None if it is not or may wrap or round."""
    value, axes = back(value, axes)
    if steps < 0:
        return None
    match op := definition(value):
        case ptir.IotaOp():
            found = _index(axes[op.axis()], query, key, 1)
        case ptir.AddOp() | ptir.SubOp():
            left, right = (_linear(v, axes, query, key, steps - 1) for v in (op.lhs, op.rhs))
            sign = 1 if isinstance(op, ptir.AddOp) else -1
            found = None if left is None or right is None else left.plus(right, sign)
        case ptir.ConstantOp() if (literal := constant(value)) is not None and literal.dtype.kind != "c":
            found = _linear_literal(literal.astype(np.float64), axes, query, key)
        case _:
            return None
    if found is None:
        return None
    known = {axis: size for axis, size in zip(axes, sizes(value), strict=True) if isinstance(size, int)}
    least, greatest = found.ends(known.get(query, MAX_SIZE), known.get(key, MAX_SIZE))
    return found if _holds_integers(numpy_dtype(element(value)), least, greatest) else None


def _holds_integers(dtype: DType, least: int, greatest: int) -> bool:
    """Returns whether the type holds every integer from `least` to `greatest`."""
    if is_complex(dtype):
        return False
    if dtype not in FLOATS:
        low, high = integer_range(dtype)
        return low <= least and greatest <= high
    most: int = 2 ** (cast(Any, ml_dtypes).finfo(dtype).nmant + 1)
    return -most <= least and greatest <= most


def _index(axis: int | None, query: int, key: int, step: int) -> Linear | None:
    """
    Returns `step` times the index along `axis` as a linear function: 0 for an axis of size 1 (None), and None if the axis is
    neither `query` nor `key`.
    """
    if axis is None:
        return Linear()
    return Linear(queries=step) if axis == query else Linear(keys=step) if axis == key else None


def _linear_literal(literal: Array, axes: Axes, query: int, key: int) -> Linear | None:
    """Returns a literal as a linear function, if it is a splat or changes in equal steps along a single axis, or None."""
    literal = _without_repeats(literal)
    flat = literal.reshape(-1)
    if flat.size == 0 or not bool(np.all(flat == np.rint(flat))) or abs(flat).max() > 2**31:
        return None
    if flat.size == 1:
        return Linear(constant=int(flat[0]))
    step = flat[1] - flat[0]
    along = _index(axes[int(np.argmax(literal.shape))], query, key, int(step))
    if along is None or literal.ndim != literal.shape.count(1) + 1 or not bool(np.all(np.diff(flat) == step)):
        return None
    return along.plus(Linear(constant=int(flat[0])))


def _diagonal(kept: Array, axes: Axes, query: int, key: int) -> int | None:
    """Returns the offset of a literal predicate that keeps the elements on and below a diagonal, or None for others."""
    kept = _without_repeats(kept)
    long = [axis for axis, size in zip(axes, kept.shape, strict=True) if size != 1]
    if long not in ([query, key], [key, query]):
        return None
    table: Array = kept.reshape([size for size in kept.shape if size != 1])
    table = table if long == [query, key] else table.T
    offset = int(table[0].sum()) - 1
    below = np.tri(len(table), len(table[0]), offset, dtype=bool)
    return offset if bool(np.array_equal(table, below)) else None


def _without_repeats(literal: Array) -> Array:
    """Returns the literal with size 1 along each axis along which all elements are equal."""
    for axis in range(literal.ndim if literal.size else 0):
        first = literal.take([0], axis)
        if bool(np.all(literal == first)):
            literal = first
    return literal
