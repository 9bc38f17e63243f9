"""
Scatters and segment reductions on NumPy arrays: ordered reductions of values by group.

The n values of a group are combined in adjacent pairs, in log₂ n steps on whole arrays. This keeps their order, so that
`replace` takes the last value of a group. Values are cast to the accumulator type; their sums are computed one type wider
(`contraction.py`) and rounded once, as in `reductions.py`.

Spec: `ptir-backend-contract.md`, *ScatterAdd*, *ScatterReduce*, *SegmentReduce*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from .contraction import summands
from .reductions import identity
from .scalars import WIDE_BINARY, Array, DType, cast, narrow, widen

Fold = Callable[[Array, Array], Array]


def _last(a: Array, b: Array) -> Array:
    return b


FOLDS: Mapping[str, Fold] = MappingProxyType(
    {
        "add": np.add,
        "sum": np.add,
        "mul": np.multiply,
        "max": WIDE_BINARY["max"],
        "min": WIDE_BINARY["min"],
        "replace": _last,
    }
)
"""For each kind of reduction, the function that combines two values of a group. Values are in the type that `_wide` returns."""


def fold(function: Fold, values: Array, groups: Array) -> tuple[Array, Array]:
    """
    Combines the values of each group by `function`. Returns the numbers of the non-empty groups in ascending order, and their
    results. The values are slices along axis 0; `groups` has the group number of each.
    """
    order = np.argsort(groups, kind="stable")
    groups, values = groups[order], values[order]
    while True:
        begins = np.flatnonzero(np.diff(groups, prepend=groups[:1] - 1))
        place = np.arange(len(groups)) - np.repeat(begins, np.diff(begins, append=len(groups)))
        second = np.flatnonzero(place % 2)
        if not second.size:
            return groups, values
        with np.errstate(all="ignore"):
            values[second - 1] = function(values[second - 1], values[second])
        groups, values = (np.delete(a, second, axis=0) for a in (groups, values))


def scatter(kind: str, x: Array, targets: Array, updates: Array, accum: DType) -> Array:
    """Returns `x` with each update combined into the element whose linear index is in `targets`."""
    function, flat = FOLDS[kind], x.reshape(-1).copy()
    at, folded = fold(function, _wide(kind, updates.reshape(-1), accum), targets.reshape(-1))
    with np.errstate(all="ignore"):
        changed = function(_wide(kind, flat[at], accum), folded)
    flat[at] = _rounded(kind, changed, accum, x.dtype)
    return flat.reshape(x.shape)


def segments(kind: str, x: Array, ids: Array, count: int, accum: DType) -> Array:
    """Reduces the rows of `x` that have the same id in `ids`. Returns one row for each of `count` segments."""
    empty = cast(np.asarray(identity(kind, accum)).astype(accum), x.dtype)
    out = np.full((count, *x.shape[1:]), empty)
    at, folded = fold(FOLDS[kind], _wide(kind, x, accum), ids)
    if kind == "sum":
        folded = folded + 0  # a sum starts at +0, so it is never -0
    out[at] = _rounded(kind, folded, accum, x.dtype)
    return out


def _wide(kind: str, x: Array, accum: DType) -> Array:
    """Returns the values in the type in which they are combined: wider than `accum`, except for `replace`."""
    if kind == "replace":
        return x.copy()
    x = cast(x, accum)
    return widen(x) if kind in ("max", "min") else summands(x, accum)


def _rounded(kind: str, x: Array, accum: DType, dtype: DType) -> Array:
    """Rounds combined values to `accum`, then casts them to `dtype`."""
    return x if kind == "replace" else cast(narrow(x, accum), dtype)
