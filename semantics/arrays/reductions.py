"""
Reductions on NumPy arrays, shared by `ptir` and `tiny`, and the orders of elements that define `argmax` and `top_k`.

The elements are cast to the accumulator type. Their sum is computed one type wider (`contraction.py`) and rounded once, and so
is their product. A machine rounds at each step, in any order: the contract specifies the type but not the order. The result of
every order is within the error bound (`bounds/`) of this value.

Spec: `ptir-backend-contract.md`, *Reduce*, *Empty reduction identities*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from .contraction import summands
from .scalars import Array, DType, cast, integer_range, is_float, narrow, widen


def reduce(kind: str, x: Array, axes: Sequence[int], accum: DType) -> Array:
    """Reduces `x` over `axes` in type `accum`, to which the elements are cast first."""
    along = tuple(axes)
    if kind in ("any", "all"):
        return np.asarray(getattr(x, kind)(axis=along))
    x = cast(x, accum)
    with np.errstate(all="ignore"):
        match kind:
            case "sum":
                return total(x, along, accum)
            case "mul":
                return narrow(np.asarray(summands(x, accum).prod(axis=along)), accum)
            case _:
                return _extremum(kind, x, along)


def total(x: Array, axes: tuple[int, ...], accum: DType) -> Array:
    """Returns the sum of `x` over `axes`, rounded once to `accum`. The elements are not cast."""
    with np.errstate(all="ignore"):
        return narrow(np.asarray(summands(x, accum).sum(axis=axes)), accum)


def identity(kind: str, dtype: DType) -> Any:
    """Returns the value of an empty reduction: 0 (sum), 1 (mul), the least (max) or the greatest value (min) of the type."""
    if kind in ("sum", "mul"):
        return int(kind == "mul")
    if is_float(dtype):
        return -np.inf if kind == "max" else np.inf
    low, high = integer_range(dtype)
    return low if kind == "max" else high


def _extremum(kind: str, x: Array, axes: tuple[int, ...]) -> Array:
    wide = x if x.dtype == np.float32 else widen(x)
    return narrow(extremum(kind, wide, axes, identity(kind, x.dtype)), x.dtype)


def extremum(kind: str, x: Array, axes: tuple[int, ...], start: Any) -> Array:
    """Returns NumPy's extremum, which propagates NaN, corrected so that +0 is greater than -0. `start` is that of no elements."""
    fold = np.maximum if kind == "max" else np.minimum
    out = np.asarray(fold.reduce(x, axis=axes, initial=start))
    if is_float(x.dtype) and np.any(out == 0):
        preferred = np.asarray(((x == 0) & (np.signbit(x) == (kind == "min"))).any(axis=axes))
        least = 0.0 if kind == "max" else -0.0
        out = np.where(out == 0, np.where(preferred, least, -least), out).astype(x.dtype)
    return out


def argmax(x: Array, axis: int) -> Array:
    """Returns the index of the first NaN along `axis`, or else of the first maximum."""
    return np.argmax(widen(x), axis=axis)  # NumPy's order is the same


def ranking(x: Array, axis: int, *, largest: bool) -> Array:
    """Returns the indices that sort `x` along `axis`, stably, in descending order if `largest`. NaN is the largest value."""
    wide = _as_3d(widen(x), axis)
    if largest:
        ascending = np.argsort(np.flip(wide, 1), axis=1, kind="stable")
        order = x.shape[axis] - 1 - np.flip(ascending, 1)
    else:
        order = np.argsort(wide, axis=1, kind="stable")
    return order.reshape(x.shape)


def along(x: Array, indices: Array, axis: int) -> Array:
    """Implements `np.take_along_axis` for arrays of any rank."""
    return np.take_along_axis(_as_3d(x, axis), _as_3d(indices, axis), 1).reshape(indices.shape)


def _as_3d(x: Array, axis: int) -> Array:
    """Merges the axes before and after `axis`, since NumPy neither sorts nor indexes arrays of rank 64."""
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))
