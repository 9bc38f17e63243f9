"""
Oracles of reductions and contractions, summed in long double with an error bound. Contract: *Reductions and argmax*, *Linear
algebra*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, integer_range, spelling
from .elementwise import element
from .movement import axes_of
from .numbers import EPS, WIDE, Oracle, Want, converted, exactly, nearest, whole, wide, wrapped


def accumulator(op: Any, dtype: str) -> str:
    """Returns `accum`, or the contract's default: f32 for floats up to f32, otherwise the type itself."""
    if op.accum_dtype is not None:
        return spelling(op.accum_dtype)
    return "f32" if dtype in FLOATS and dtype != "f64" else dtype


def summed(terms: Any, absolute: Any, count: int, accum: str, dtype: str) -> Want:
    """Expects a float sum, rounded once to `accum` and once to the result's type, within the error of the interpreter's sum."""
    # The interpreter sums f64 in long double, and narrower types in float64.
    step = EPS if accum == "f64" else WIDE(2) ** -53
    with np.errstate(all="ignore"):
        exact = count <= 1 and accum != "f64"  # products of two values are exact in the wide types
        error = np.where(np.isfinite(absolute), absolute * step * max(1, 2 * count), 0) * (not exact)
        low, high = nearest(terms - error, accum), nearest(terms + error, accum)
    return Want(*converted(low, high, accum, dtype), dtype)


def reduce(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    source, dtype = element(op.input), element(op.results[0])
    accum = accumulator(op, source)
    axes = axes_of(op.reduce_axes, x.ndim)
    keep = op.keepdims is not None
    kept = [a for a in range(x.ndim) if a not in axes]
    count = int(np.prod([x.shape[a] for a in axes], dtype=int))
    rows = np.moveaxis(x, kept, range(len(kept))).reshape([x.shape[a] for a in kept] + [count])
    shape = [1 if a in axes else n for a, n in enumerate(x.shape) if keep or a not in axes]
    want = FOLDS[op.kind.data](rows, source, accum, dtype)
    return [reshaped(want, shape)]


def reshaped(want: Want, shape: Any) -> Want:
    low, high = (np.broadcast_to(x, np.shape(want.low)).reshape(shape) for x in (want.low, want.high))
    free = None if want.free is None else np.asarray(want.free).reshape(shape)
    return Want(low, high, want.dtype, free)


def fold_sum(rows: Any, source: str, accum: str, dtype: str) -> Want:
    if accum in FLOATS:
        terms = _to(rows, source, accum)
        with np.errstate(all="ignore"):
            total, absolute = terms.sum(axis=-1), np.abs(terms).sum(axis=-1)
        return summed(total, absolute, rows.shape[-1], accum, dtype)
    if accum in COMPLEX:
        with np.errstate(all="ignore"):
            total = wide(rows).sum(axis=-1)
            loose = "complex<f32>" in (accum, dtype)
            error = np.abs(wide(rows)).sum(axis=-1) * (2.0**-22 if loose else 2.0**-50)
        return Want(total, error, dtype)
    terms = _to(rows, source, accum)
    total = wrapped(python_fold(terms, lambda a, b: a + b, 0), accum)
    return Want(*converted(total, total, accum, dtype), dtype)


def _to(x: Any, source: str, dtype: str) -> Any:
    values = wide(x) if source in FLOATS else np.asarray(x) if source == "i1" else whole(x)
    return values if source == dtype else converted(values, values, source, dtype)[0]


def python_fold(rows: Any, f: Callable[[Any, Any], Any], start: Any) -> Any:
    out = np.empty(rows.shape[:-1], dtype=object)
    for i in np.ndindex(*rows.shape[:-1]):
        total = start
        for v in rows[i]:
            total = f(total, v)
        out[i] = total
    return out


def fold_extreme(sign: int) -> Callable[..., Want]:
    def fold(rows: Any, source: str, accum: str, dtype: str) -> Want:
        terms = _to(rows, source, accum)
        if accum in FLOATS:
            start = WIDE(-np.inf * sign)
            out = np.where(np.isnan(terms).any(axis=-1), WIDE(np.nan), _float_extreme(terms, sign, start))
            out = nearest(out, accum)
            return Want(*converted(out, out, accum, dtype), dtype)
        start = integer_range(accum)[0 if sign > 0 else 1]
        out = python_fold(terms, max if sign > 0 else min, start)
        return Want(*converted(out, out, accum, dtype), dtype)

    return fold


def _float_extreme(terms: Any, sign: int, start: Any) -> Any:
    out = np.full(terms.shape[:-1], start, WIDE)
    for k in range(terms.shape[-1]):
        v = terms[..., k]
        with np.errstate(all="ignore"):
            out = np.where(v * sign > out * sign, v, out)
    return out


def fold_mul(rows: Any, source: str, accum: str, dtype: str) -> Want:
    n = rows.shape[-1]
    if accum in FLOATS or accum in COMPLEX:
        terms = _to(rows, source, accum) if accum in FLOATS else wide(rows)
        with np.errstate(all="ignore"):
            total = terms.prod(axis=-1)
            sizes = np.log2(np.abs(terms))
            reach = np.where(np.isfinite(sizes), np.abs(sizes), 0).sum(axis=-1)
            step = WIDE(2) ** -51 if accum not in ("f64", "complex<f64>") else WIDE(2) ** -62
            error = np.where(np.isfinite(total), np.abs(total) * step * (n + 1), 0)
            free = (reach > 900) & (n > 1)
        if accum in COMPLEX:
            return Want(total, error + np.abs(total) * 2.0 ** (-20 if accum == "complex<f32>" else -48), dtype, free)
        low, high = nearest(total - error, accum), nearest(total + error, accum)
        return Want(*converted(low, high, accum, dtype), dtype, free)
    out = wrapped(python_fold(_to(rows, source, accum), lambda a, b: a * b, 1), accum)
    return Want(*converted(out, out, accum, dtype), dtype)


def fold_logic(all_: bool) -> Callable[..., Want]:
    def fold(rows: Any, source: str, accum: str, dtype: str) -> Want:
        out = np.full(rows.shape[:-1], all_)
        for k in range(rows.shape[-1]):
            out = out & rows[..., k] if all_ else out | rows[..., k]
        return Want(out, out, dtype)

    return fold


FOLDS: dict[str, Callable[..., Want]] = {
    "sum": fold_sum,
    "add": fold_sum,
    "mul": fold_mul,
    "max": fold_extreme(1),
    "min": fold_extreme(-1),
    "any": fold_logic(False),
    "all": fold_logic(True),
}


def tf32(x: Any) -> Any:
    """Returns the nearest value with 11 bits of precision, ties away from zero."""
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(np.where(np.isfinite(x), x, 0))
        quantum = np.ldexp(WIDE(1), np.maximum(exponent - 1, -126) - 10)
        out = np.copysign(np.floor(np.abs(x) / quantum + WIDE(0.5)) * quantum, x)
        out = np.where(np.abs(out) >= WIDE(2) ** 128, np.copysign(WIDE(np.inf), x), out)
    return np.where(np.isfinite(x), out, x)


def multiplied(products: Any, source: str, accum: str) -> Any:
    """
    Returns the products of a contraction in the type that holds them: those of f64 are rounded to f64, since no type does, and
    those of bf16 beyond the range of f32 are infinite unless the accumulator is f64.
    """
    if source == "f64":
        return nearest(products, "f64")
    return nearest(products, "f32") if source == "bf16" and accum != "f64" else products


def dot_general(op: Any, args: Any, got: Any) -> list[Want]:
    a, b = (np.asarray(x) for x in args)
    source, dtype = element(op.lhs), element(op.results[0])
    accum = accumulator(op, source)
    batch = list(zip(axes_of(op.batch_lhs, a.ndim), axes_of(op.batch_rhs, b.ndim), strict=True))
    inner = list(zip(axes_of(op.contract_lhs, a.ndim), axes_of(op.contract_rhs, b.ndim), strict=True))
    free_a = [k for k in range(a.ndim) if k not in [p[0] for p in batch + inner]]
    free_b = [k for k in range(b.ndim) if k not in [p[1] for p in batch + inner]]
    x = _matrix(a, [p[0] for p in batch], free_a, [p[0] for p in inner])
    y = _matrix(b, [p[1] for p in batch], free_b, [p[1] for p in inner])
    shape = [a.shape[p[0]] for p in batch] + [a.shape[k] for k in free_a] + [b.shape[k] for k in free_b]
    if accum in FLOATS:
        left, right = wide(x), wide(y)
        if op.precision is not None:
            left, right = tf32(left), tf32(right)
        with np.errstate(all="ignore"):
            terms = multiplied(left[:, :, None, :] * right[:, None, :, :], source, accum)
            total, absolute = terms.sum(axis=-1), np.abs(terms).sum(axis=-1)
        want = summed(total, absolute, x.shape[-1], accum, dtype)
    elif accum in COMPLEX:
        with np.errstate(all="ignore"):
            terms = wide(x)[:, :, None, :] * wide(y)[:, None, :, :]
            error = np.abs(terms).sum(axis=-1) * (2.0**-21 if "complex<f32>" in (accum, dtype) else 2.0**-49)
            want = Want(terms.sum(axis=-1), error, dtype)
    else:
        left, right = whole(x), whole(y)
        terms = left[:, :, None, :] * right[:, None, :, :]
        total = wrapped(python_fold(terms, lambda p, q: p + q, 0), accum)
        want = Want(*converted(total, total, accum, dtype), dtype)
    return [reshaped(want, shape)]


def _matrix(x: Any, batch: list[int], free: list[int], inner: list[int]) -> Any:
    sizes = [int(np.prod([x.shape[k] for k in group], dtype=int)) for group in (batch, free, inner)]
    return x.transpose(batch + free + inner).reshape(sizes)


def ordered(x: Any, dtype: str) -> list[Any]:
    """Returns sort keys of elements; NaN is the largest."""
    if dtype in FLOATS:
        return [(1, 0.0) if np.isnan(v) else (0, v) for v in wide(x)]
    return [(0, v) for v in whole(x)]


def argmax(op: Any, args: Any, got: Any) -> list[Want]:
    """Expects the index of the first NaN, or else of the first maximum."""
    x, dtype = np.asarray(args[0]), element(op.input)
    axis = op.axis()
    rows = np.moveaxis(x, axis, -1)
    out = np.empty(rows.shape[:-1], dtype=object)
    for i in np.ndindex(*out.shape):
        keys = ordered(rows[i], dtype)
        out[i] = next(k for k, key in enumerate(keys) if key == max(keys))
    if op.keepdims is not None:
        out = np.expand_dims(out, axis)
    return [Want(out, out, element(op.results[0]))]


def top_k(op: Any, args: Any, got: Any) -> list[Want]:
    x, dtype = np.asarray(args[0]), element(op.input)
    axis, k = op.axis(), op.k.value.data
    rows = np.moveaxis(x, axis, -1)
    at = np.empty((*rows.shape[:-1], k), dtype=object)
    values = np.empty((*rows.shape[:-1], k), x.dtype)
    for i in np.ndindex(*rows.shape[:-1]):
        keys = ordered(rows[i], dtype)
        left = list(range(len(keys)))
        for place in range(k):
            best = (max if op.order.data == "largest" else min)(keys[j] for j in left)
            first = next(j for j in left if keys[j] == best)
            left.remove(first)
            at[(*i, place)], values[(*i, place)] = first, rows[(*i, first)]
    at, values = np.moveaxis(at, -1, axis), np.moveaxis(values, -1, axis)
    return [exactly(values, dtype), Want(at, at, element(op.results[1]))]


ORACLES: dict[str, Oracle] = {
    "ptir.reduce": reduce,
    "ptir.dot_general": dot_general,
    "ptir.argmax": argmax,
    "ptir.top_k": top_k,
}
