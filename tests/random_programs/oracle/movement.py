"""Oracles of ops that move elements: they map indices of the result to indices of operands. Contract: *Shape and layout ops*."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS
from .elementwise import element
from .numbers import Oracle, Want, exactly, nearest, wrapped


def ints(attribute: Any) -> list[int]:
    return [int(v) for v in attribute.get_values()]


def axes_of(attribute: Any, rank: int) -> list[int]:
    """Returns axes in `[0, rank)`, which may be given as negative numbers."""
    return [a + rank if a < 0 else a for a in ints(attribute)]


def by_index(x: Any, shape: Sequence[int], source: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Any:
    """Returns the array of this shape whose element at `i` is `x[source(i)]`."""
    x = np.asarray(x)
    out = np.empty(tuple(shape), x.dtype)
    for i in np.ndindex(*shape):
        out[i] = x[source(i)]
    return out


def reshape(op: Any, args: Any, got: Any) -> list[Want]:
    """Expects the same elements in row-major order, with the sizes of the result type; a `?` follows from their number."""
    return [exactly(_row_major(args[0], _static(op, got)), element(op.results[0]))]


def _row_major(x: Any, shape: Sequence[int]) -> Any:
    flat = [np.asarray(x)[i] for i in np.ndindex(*np.shape(x))]
    out = np.empty(tuple(shape), np.asarray(x).dtype)
    for i, value in zip(np.ndindex(*shape), flat, strict=True):
        out[i] = value
    return out


def _static(op: Any, got: Any) -> tuple[int, ...]:
    """Returns the sizes of the result type; dynamic ones are taken from the result."""
    return tuple(n if s < 0 else s for s, n in zip(op.results[0].type.get_shape(), np.shape(got[0]), strict=True))


def transpose(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    perm = axes_of(op.perm, x.ndim)
    shape = [x.shape[p] for p in perm]
    moved = by_index(x, shape, lambda i: tuple(i[perm.index(a)] for a in range(x.ndim)))
    return [exactly(moved, element(op.results[0]))]


def broadcast_to(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    shape = _static(op, got)
    lead = len(shape) - x.ndim
    moved = by_index(x, shape, lambda i: tuple(0 if n == 1 else i[lead + a] for a, n in enumerate(x.shape)))
    return [exactly(moved, element(op.results[0]))]


def slice_(op: Any, args: Any, got: Any) -> list[Want]:
    starts = ints(op.starts)
    shape = [n if s < 0 else s for s, n in zip(op.results[0].type.get_shape(), _rest(args[0], starts), strict=True)]
    moved = by_index(args[0], shape, lambda i: tuple(a + s for a, s in zip(i, starts, strict=True)))
    return [exactly(moved, element(op.results[0]))]


def _rest(x: Any, starts: list[int]) -> list[int]:
    """Returns the sizes of the operand after the starts, which a `?` of the result takes."""
    return [n - s for n, s in zip(np.shape(x), starts, strict=True)]


def concat(op: Any, args: Any, got: Any) -> list[Want]:
    parts = [np.asarray(a) for a in args]
    axis = op.axis_attr.value.data % parts[0].ndim
    shape = [sum(p.shape[a] for p in parts) if a == axis else n for a, n in enumerate(parts[0].shape)]
    out = np.empty(shape, parts[0].dtype)
    for i in np.ndindex(*shape):
        k = i[axis]
        for part in parts:
            if k < part.shape[axis]:
                out[i] = part[(*i[:axis], k, *i[axis + 1 :])]
                break
            k -= part.shape[axis]
    return [exactly(out, element(op.results[0]))]


def scalar_of(attribute: Any, dtype: np.dtype[Any]) -> Any:
    """Returns the value of a scalar attribute from its bytes. True is all ones."""
    data = attribute.dense.data.data
    if dtype == np.bool_:
        return np.bool_(any(data))
    stored = np.dtype(np.int8) if dtype.name in ("int4", "uint4") else dtype
    return np.frombuffer(data, stored).astype(dtype)[0]


def pad(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    low, high, interior = (ints(a) for a in (op.low, op.high, op.interior))
    shape = [a + n + b + max(0, n - 1) * c for a, n, b, c in zip(low, x.shape, high, interior, strict=True)]
    out = np.empty(shape, x.dtype)
    out[...] = scalar_of(op.value, x.dtype)
    for i in np.ndindex(*x.shape):
        out[tuple(a + k * (c + 1) for a, k, c in zip(low, i, interior, strict=True))] = x[i]
    return [exactly(out, element(op.results[0]))]


def tile(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    shape = [n * r for n, r in zip(x.shape, ints(op.repeats), strict=True)]
    moved = by_index(x, shape, lambda i: tuple(a % n for a, n in zip(i, x.shape, strict=True)))
    return [exactly(moved, element(op.results[0]))]


def iota(op: Any, args: Any, got: Any) -> list[Want]:
    """Expects indices along an axis; integers wrap, floats round."""
    shape, dtype = np.shape(got[0]), element(op.results[0])
    fixed = op.results[0].type.get_shape()
    if len(shape) != len(fixed) or any(s not in (n, -1) and s >= 0 for s, n in zip(fixed, shape, strict=True)):
        return [Want(np.zeros([max(s, 0) for s in fixed]), 0, dtype)]
    axis = op.axis_attr.value.data % len(shape)
    out = np.empty(shape, dtype=object)
    for i in np.ndindex(*shape):
        out[i] = i[axis]
    if dtype in COMPLEX:
        return [Want(out.astype(np.float64) + 0j, 0, dtype)]
    if dtype in FLOATS:
        return [Want(nearest(out.astype(np.float64), dtype), nearest(out.astype(np.float64), dtype), dtype)]
    return [Want(wrapped(out, dtype), wrapped(out, dtype), dtype)]


def same_elements(op: Any, args: Any, got: Any) -> list[Want]:
    return [exactly(args[0], element(op.results[0]))]


ORACLES: dict[str, Oracle] = {
    "ptir.slice": slice_,
    "ptir.concat": concat,
    "ptir.pad": pad,
    "ptir.tile": tile,
    "ptir.iota": iota,
    "ptir.dim_cast": same_elements,
    "ptir.reshape": reshape,
    "ptir.transpose": transpose,
    "ptir.broadcast_to": broadcast_to,
}
