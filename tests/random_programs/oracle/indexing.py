"""Oracles of ops that read and write at indices. Contract: *Indexing ops*, *Dynamic slice/update*, *SegmentReduce*."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS
from .elementwise import element
from .folds import FOLDS, accumulator, reshaped
from .movement import axes_of, by_index
from .numbers import WIDE, Oracle, Want, exactly


def take(op: Any, args: Any, got: Any) -> list[Want]:
    x, at = (np.asarray(a) for a in args)
    shape = (*at.shape, *x.shape[1:])
    moved = by_index(x, shape, lambda i: (int(at[i[: at.ndim]]), *i[at.ndim :]))
    return [exactly(moved, element(op.results[0]))]


def gather(op: Any, args: Any, got: Any) -> list[Want]:
    x, at = (np.asarray(a) for a in args)
    axis = op.axis_attr.value.data % x.ndim
    moved = by_index(x, at.shape, lambda i: (*i[:axis], int(at[i]), *i[axis + 1 :]))
    return [exactly(moved, element(op.results[0]))]


def default_accumulator(dtype: str) -> str:
    return "f32" if dtype in FLOATS and dtype != "f64" else dtype


def folded(kind: str, x: Any, lists: dict[tuple[int, ...], list[Any]], dtype: str, accum: str) -> Want:
    """Expects `x`, in which each list of updates is folded into its element, and other elements are unchanged."""
    want = exactly(x, dtype)
    low = np.array(want.low, copy=True)
    high = (
        np.broadcast_to(np.asarray(want.high), low.shape).copy() if dtype in COMPLEX else np.array(want.high, copy=True)
    )
    high = high.astype(WIDE) if dtype in COMPLEX else high
    free = np.zeros(low.shape, bool)
    for at, values in lists.items():
        row = np.empty((1, len(values) + 1), x.dtype)
        row[0] = [x[at], *values]
        if kind == "replace":
            one = exactly(row[:, -1], dtype)
        else:
            one = FOLDS[kind](row, dtype, accum, dtype)
        low[at], high[at] = np.asarray(one.low)[0], np.broadcast_to(one.high, (1,))[0]
        free[at] = one.free is not None and one.free[0]
    return Want(low, high, dtype, free)


def scatter_reduce(op: Any, args: Any, got: Any) -> list[Want]:
    x, at, updates = (np.asarray(a) for a in args)
    axis = op.axis_attr.value.data % x.ndim
    lists: dict[tuple[int, ...], list[Any]] = {}
    for i in np.ndindex(*at.shape):
        lists.setdefault((*i[:axis], int(at[i]), *i[axis + 1 :]), []).append(updates[i])
    dtype = element(op.results[0])
    return [folded(op.kind.data, x, lists, dtype, default_accumulator(dtype))]


def scatter_add(op: Any, args: Any, got: Any) -> list[Want]:
    """Follows StableHLO's `scatter`: an index of the updates consists of an index into the batch and one into the window."""
    x, at, updates = (np.asarray(a) for a in args)
    window_dims = axes_of(op.window_attr, updates.ndim)
    inserted, scattered = axes_of(op.inserted_attr, x.ndim), axes_of(op.scattered_attr, x.ndim)
    vector = at.ndim if op.vector_attr is None else op.vector_attr.value.data
    vector = vector if vector == at.ndim else vector % at.ndim
    lists: dict[tuple[int, ...], list[Any]] = {}
    for i in np.ndindex(*updates.shape):
        batch = [n for a, n in enumerate(i) if a not in window_dims]
        start = [0] * x.ndim
        for k, axis in enumerate(scattered):
            place = [*batch[:vector], k, *batch[vector:]] if vector < at.ndim else batch
            start[axis] = int(at[tuple(place)])
        inside = [i[a] for a in window_dims]
        for axis in sorted(inserted):
            inside.insert(axis, 0)
        lists.setdefault(tuple(s + w for s, w in zip(start, inside, strict=True)), []).append(updates[i])
    dtype = element(op.results[0])
    return [folded("add", x, lists, dtype, default_accumulator(dtype))]


def clamped(start: Any, extents: Any, window: Any) -> list[int]:
    return [min(max(int(s), 0), n - w) for s, n, w in zip(start, extents, window, strict=True)]


def dynamic_slice(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    window = [n if s < 0 else s for s, n in zip(op.results[0].type.get_shape(), x.shape, strict=True)]
    begin = clamped(args[1], x.shape, window)
    moved = by_index(x, window, lambda i: tuple(a + b for a, b in zip(i, begin, strict=True)))
    return [exactly(moved, element(op.results[0]))]


def dynamic_update_slice(op: Any, args: Any, got: Any) -> list[Want]:
    out, update = np.array(args[0], copy=True), np.asarray(args[1])
    begin = clamped(args[2], out.shape, update.shape)
    for i in np.ndindex(*update.shape):
        out[tuple(a + b for a, b in zip(i, begin, strict=True))] = update[i]
    return [exactly(out, element(op.results[0]))]


def segment_reduce(op: Any, args: Any, got: Any) -> list[Want]:
    x, ids = (np.asarray(a) for a in args)
    dtype = element(op.results[0])
    accum = accumulator(op, dtype)
    count = np.shape(got[0])[0]
    rows = x.reshape(x.shape[0], -1) if x.size else x.reshape(x.shape[0], int(np.prod(x.shape[1:], dtype=int)))
    wants = [FOLDS[op.kind.data](np.moveaxis(rows[ids == s], 0, -1), dtype, accum, dtype) for s in range(count)]
    shape = (count, *x.shape[1:])
    low = np.array([w.low for w in wants])
    high = np.array([np.broadcast_to(w.high, np.shape(w.low)) for w in wants])
    return [reshaped(Want(low, high, dtype), shape)]


ORACLES: dict[str, Oracle] = {
    "ptir.take": take,
    "ptir.gather": gather,
    "ptir.scatter_reduce": scatter_reduce,
    "ptir.scatter_add": scatter_add,
    "ptir.dynamic_slice": dynamic_slice,
    "ptir.dynamic_update_slice": dynamic_update_slice,
    "ptir.segment_reduce": segment_reduce,
}
