"""
Folding axes away: what `reduce {sum|max|min}` means on NumPy arrays, the same for `ptir` and `tiny`.

A sum is taken one type wider (`contraction.py`) and rounded once to the accumulator type. A machine rounds at each step, in an
order of its choosing; the contract prescribes the type and not the order, so this is the value that all
orders approximate, and `bounds.py` says how far they may stray.

Spec: `ptir-backend-contract.md`, *Reduce*, *Empty reduction identities*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .contraction import summands
from .scalars import WIDE_BINARY, Array, DType, cast, integer_range, is_float, narrow, widen


def reduce(kind: str, x: Array, axes: Sequence[int], accum: DType) -> Array:
    """`x` without `axes`, in type `accum`; the elements are cast to it first."""
    if kind == "sum":
        with np.errstate(all="ignore"):
            # The cast matters only where accum is narrower or saturates; a float sum rounds once, at the end.
            terms = summands(x, accum) if is_float(accum) and is_float(x.dtype) else widen(cast(x, accum))
            return narrow(np.asarray(terms.sum(axis=tuple(axes))), accum)
    fold = WIDE_BINARY[kind]
    out = widen(cast(x, accum))
    for axis in sorted(axes, reverse=True):
        out = _fold(fold, np.moveaxis(out, axis, 0), identity(kind, accum))
    return narrow(out, accum)


def identity(kind: str, dtype: DType) -> Any:
    """The value of an empty reduction: 0, the least value of the type, or the greatest."""
    if kind == "sum":
        return 0
    if is_float(dtype):
        return -np.inf if kind == "max" else np.inf
    low, high = integer_range(dtype)
    return low if kind == "max" else high


def _fold(function: Any, x: Array, start: Any) -> Array:
    """Halves the leading axis until one element is left: log₂ steps of whole-array work."""
    if not x.shape[0]:
        return np.full(x.shape[1:], start, x.dtype)
    while (n := x.shape[0]) > 1:
        half = n // 2
        folded = function(x[:half], x[half : 2 * half])
        x = np.concatenate([folded, x[2 * half :]]) if n % 2 else folded
    return x[0]
