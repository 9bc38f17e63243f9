"""
Tolerances of results, by the ops of the function and the element type; sound intervals hold beside them.

| ops | f32, f64 | f16, bf16 |
| --- | --- | --- |
| elementwise | 1e-4 | 1e-3 |
| `exp`, `rsqrt`, `softmax` | 3e-4 | 1e-3 |
| sums | 1e-3 | 1e-3 |
| n chained `matmul`s, `conv2d` | n · 2e-2 | n · 2e-2 |

A number is the relative and the absolute tolerance. Integers and booleans must be equal. The intervals of `semantics/bounds` contain
the result of every order of summation and of every correct fusion. A result outside both the tolerance and its interval is wrong; one
outside the tolerance only is right, since a correct implementation may have it. Spec: `intentir-semantics §4.1`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from ..dialects import intent
from ..dialects.intent.types import type_of
from ..errors import counted
from ..semantics.arrays.scalars import Array, is_float
from ..semantics.bounds import check
from ..semantics.bounds.intervals import Interval
from .report import Difference

ELEMENTWISE, TRANSCENDENTAL, SUMS, PRODUCTS, NARROW = 1e-4, 3e-4, 1e-3, 2e-2, 1e-3


def tolerance(function: intent.FuncOp) -> float:
    """Returns the relative and absolute tolerance of a function's float results."""
    chain: dict[Operation, int] = {}
    found = ELEMENTWISE
    for op in function.body.walk():
        before = max((chain.get(v.owner, 0) for v in op.operands if isinstance(v.owner, Operation)), default=0)
        chain[op] = before + isinstance(op, intent.MatmulOp | intent.Conv2dOp)
        if isinstance(op, intent.SoftmaxOp) or (isinstance(op, intent.UnaryOp) and op.fn.data in ("exp", "rsqrt")):
            found = max(found, TRANSCENDENTAL)
        if isinstance(op, intent.ReduceOp | intent.UpsampleBicubic2dAaOp):
            found = max(found, SUMS)
        for value in op.results:
            if type_of(value).element_type.name in ("f16", "bf16"):
                found = max(found, NARROW)
    return max(found, PRODUCTS * max(chain.values(), default=0))


def difference(
    got: Sequence[Array], expected: Sequence[Array], limit: float, intervals: Sequence[Interval] | None
) -> Difference | None:
    """Returns the largest difference that is an error, or None. Without `intervals`, the tolerance alone decides."""
    if len(got) != len(expected):
        return Difference(
            f"the candidate returns {counted(len(got), 'array')}, and the intent has {counted(len(expected), 'output')}"
        )
    for k, (x, want) in enumerate(zip(got, expected, strict=True)):
        if x.shape != want.shape or x.dtype != want.dtype:
            return Difference(f"output {k} is {x.dtype}{list(x.shape)}, expected {want.dtype}{list(want.shape)}", k)
        wrong = outside(x, want, limit)
        if wrong.any() and intervals is not None:
            wrong &= ~inside(x, intervals[k])
        if wrong.any():
            with np.errstate(all="ignore"):
                error = np.where(wrong, np.abs(x.astype(np.float64) - want.astype(np.float64)), -1.0)
            error = np.where(wrong & np.isnan(error), np.inf, error)
            at = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), error.shape)) if error.ndim else ()
            count = int(np.count_nonzero(wrong))
            limits = f"tolerance {limit:g}" if is_float(want.dtype) else ""
            if limits and intervals is not None:
                limits += f", sound interval [{float(intervals[k].lo[at]):.9g}, {float(intervals[k].hi[at]):.9g}]"
            return Difference(f"{count} of {wrong.size} elements differ", k, at, float(want[at]), float(x[at]), limits)
    return None


def outside(got: Array, want: Array, limit: float) -> Array:
    """Returns where two arrays differ by more than the tolerance. NaN equals NaN, and an infinity itself."""
    if not is_float(want.dtype):
        return np.asarray(got != want)
    with np.errstate(all="ignore"):
        return ~np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=limit, atol=limit, equal_nan=True)


def inside(got: Array, interval: Interval) -> Array:
    """Returns where a result lies in its interval."""
    value = got.astype(np.float64)
    within = (interval.lo <= value) & (value <= interval.hi) | np.isnan(value) & interval.nan
    return within if interval.known is None or is_float(got.dtype) else np.asarray(got == interval.known)


def proved(got: Sequence[Array], intervals: Sequence[Interval]) -> bool:
    """Whether every result lies in its interval."""
    return all(check(x, i).ok for x, i in zip(got, intervals, strict=True))
