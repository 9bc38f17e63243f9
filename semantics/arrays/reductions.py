"""
Folding axes away: what `reduce {sum|max|min|mul|any|all}` means on NumPy arrays, the same for `ptir` and `tiny`, and the
order that `argmax` and `top_k` find the largest by.

The elements are cast to the accumulator type; their sum is taken one type wider (`contraction.py`) and rounded once.
A machine rounds at each step, in an order of its choosing; the contract prescribes the type and not the order, so this
is the value that all orders approximate, and `bounds/` says how far they may stray. A product likewise.

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
    """`x` without `axes`, in type `accum`; the elements are cast to it first."""
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
    """The sum of `x` over `axes`, rounded once to `accum`; the elements are added as they are."""
    with np.errstate(all="ignore"):
        return narrow(np.asarray(summands(x, accum).sum(axis=axes)), accum)


def identity(kind: str, dtype: DType) -> Any:
    """The value of an empty sum, max or min: 0, the least value of the type, or the greatest."""
    if kind == "sum":
        return 0
    if is_float(dtype):
        return -np.inf if kind == "max" else np.inf
    low, high = integer_range(dtype)
    return low if kind == "max" else high


def _extremum(kind: str, x: Array, axes: tuple[int, ...]) -> Array:
    """NumPy's, which NaN wins, and which takes either of two zeros: here +0 is above -0."""
    wide = x if x.dtype == np.float32 else widen(x)
    fold = np.maximum if kind == "max" else np.minimum
    out = np.asarray(fold.reduce(wide, axis=axes, initial=identity(kind, x.dtype)))
    if is_float(x.dtype) and np.any(out == 0):
        wanted = np.asarray(((wide == 0) & (np.signbit(wide) == (kind == "min"))).any(axis=axes))
        least = 0.0 if kind == "max" else -0.0
        out = np.where(out == 0, np.where(wanted, least, -least), out).astype(wide.dtype)
    return narrow(out, x.dtype)


def argmax(x: Array, axis: int) -> Array:
    """The index of the first NaN along `axis`, or else of the first maximum."""
    return np.argmax(widen(x), axis=axis)  # NumPy's goes by the same order


def ranking(x: Array, axis: int, *, largest: bool) -> Array:
    """The indices along `axis` in order: of equal values the smallest index first, NaN as the largest of all."""
    wide = _apart(widen(x), axis)
    if largest:
        ascending = np.argsort(np.flip(wide, 1), axis=1, kind="stable")
        order = x.shape[axis] - 1 - np.flip(ascending, 1)
    else:
        order = np.argsort(wide, axis=1, kind="stable")
    return order.reshape(x.shape)


def along(x: Array, indices: Array, axis: int) -> Array:
    """`np.take_along_axis`, for arrays of any rank."""
    return np.take_along_axis(_apart(x, axis), _apart(indices, axis), 1).reshape(indices.shape)


def _apart(x: Array, axis: int) -> Array:
    """`axis` between all before it and all after it as one each: NumPy does not sort, nor index, along one of 64."""
    return x.reshape(prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))
