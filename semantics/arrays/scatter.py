"""
Folding values into groups, in order: what scatters and segment reductions mean on NumPy arrays.

A group's values are folded in pairs of neighbours, log₂ steps of whole-array work, which keeps their order: the last one
of a group is the last one of its last pair. Values are cast to the accumulator type; their sums are taken one type wider
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
"""What each kind does to two values of a group, on the types that it is computed in."""


def fold(function: Fold, values: Array, groups: Array) -> tuple[Array, Array]:
    """
    The groups that have values, ascending, and what `function` makes of each one's: the values are slices along axis 0,
    `groups` says for each of them which group it belongs to.
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
    """`x` with the updates folded into its elements number `targets`; elements without updates are as they were."""
    function, flat = FOLDS[kind], x.reshape(-1).copy()
    at, folded = fold(function, _wide(kind, updates.reshape(-1), accum), targets.reshape(-1))
    with np.errstate(all="ignore"):
        changed = function(_wide(kind, flat[at], accum), folded)
    flat[at] = _rounded(kind, changed, accum, x.dtype)
    return flat.reshape(x.shape)


def segments(kind: str, x: Array, ids: Array, count: int, accum: DType) -> Array:
    """For each of `count` segments what the rows of `x` with its id come to."""
    empty = cast(np.asarray(identity(kind, accum)).astype(accum), x.dtype)
    out = np.full((count, *x.shape[1:]), empty)
    at, folded = fold(FOLDS[kind], _wide(kind, x, accum), ids)
    if kind == "sum":
        folded = folded + 0  # a sum starts there: it is never -0
    out[at] = _rounded(kind, folded, accum, x.dtype)
    return out


def _wide(kind: str, x: Array, accum: DType) -> Array:
    """The values in the type that they are folded in."""
    if kind == "replace":
        return x.copy()
    x = cast(x, accum)
    return widen(x) if kind in ("max", "min") else summands(x, accum)


def _rounded(kind: str, x: Array, accum: DType, dtype: DType) -> Array:
    return x if kind == "replace" else cast(narrow(x, accum), dtype)
