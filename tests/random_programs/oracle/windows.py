"""Oracles of windows, normalization, quantization and random numbers. Contract: *Windowed ops* and the sections after it."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..dtypes import COMPLEX, FLOATS, integer_range
from .elementwise import element
from .folds import FOLDS, accumulator, multiplied, python_fold, summed
from .movement import ints, scalar_of
from .numbers import WIDE, Oracle, Want, converted, each, exactly, nearest, whole, wide, wrapped


def numbers(op: Any, name: str, count: int, default: int) -> list[int]:
    attribute = op.properties.get(name)
    return [default] * count if attribute is None else ints(attribute)


class Slide:
    """Windows that slide over some axes of these sizes."""

    def __init__(self, op: Any, window: list[int], sizes: list[int]):
        n = len(window)
        self.window, self.sizes = window, sizes
        self.strides, self.dilation = numbers(op, "strides", n, 1), numbers(op, "dilation", n, 1)
        self.gaps = numbers(op, "base_dilation", n, 1)
        pads = numbers(op, "padding", 2 * n, 0)
        self.low, self.high = pads[0::2], pads[1::2]
        self.places = [self._places(k) for k in range(n)]

    def _places(self, k: int) -> int:
        n = self.sizes[k]
        padded = self.low[k] + ((n - 1) * self.gaps[k] + 1 if n else 0) + self.high[k]
        return (padded - ((self.window[k] - 1) * self.dilation[k] + 1)) // self.strides[k] + 1

    def source(self, place: tuple[int, ...], inside: tuple[int, ...]) -> tuple[int, ...] | None:
        """Returns the index of the element at a place inside of a window; None for padding and gaps."""
        out: list[int] = []
        for k, (p, w) in enumerate(zip(place, inside, strict=True)):
            at = p * self.strides[k] + w * self.dilation[k] - self.low[k]
            if at % self.gaps[k] or not 0 <= at // self.gaps[k] < self.sizes[k]:
                return None
            out.append(at // self.gaps[k])
        return tuple(out)


def reduce_window(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    source, dtype = element(op.input), element(op.results[0])
    accum = accumulator(op, source)
    how = Slide(op, ints(op.window), list(x.shape))
    by_count: dict[int, list[tuple[tuple[int, ...], list[Any]]]] = {}
    for place in np.ndindex(*how.places):
        found = [x[s] for w in np.ndindex(*how.window) if (s := how.source(place, w)) is not None]
        by_count.setdefault(len(found), []).append((place, found))
    low = np.empty(how.places, dtype=object)
    high = np.empty(how.places, dtype=object)
    for count, entries in by_count.items():
        rows = np.empty((len(entries), count), x.dtype)
        for k, (_, found) in enumerate(entries):
            rows[k] = found
        want = FOLDS[op.kind.data](rows, source, accum, dtype)
        for k, (place, _) in enumerate(entries):
            low[place], high[place] = np.asarray(want.low)[k], np.broadcast_to(want.high, (len(entries),))[k]
    kind = np.clongdouble if dtype in COMPLEX else WIDE if dtype in FLOATS else object
    return [Want(low.astype(kind), high.astype(WIDE if dtype in COMPLEX else kind), dtype)]


def extract_patches(op: Any, args: Any, got: Any) -> list[Want]:
    x = np.asarray(args[0])
    window, channels = ints(op.window), x.shape[-1]
    how = Slide(op, window, list(x.shape[1:-1]))
    out = np.zeros((x.shape[0], *how.places, prod(window) * channels), x.dtype)
    if op.pad_value is not None:
        out[...] = scalar_of(op.pad_value, x.dtype)
    for n in range(x.shape[0]):
        for place in np.ndindex(*how.places):
            for k, w in enumerate(np.ndindex(*window)):
                if (s := how.source(place, w)) is not None:
                    out[(n, *place, slice(k * channels, (k + 1) * channels))] = x[(n, *s)]
    return [exactly(out, element(op.results[0]))]


def convolution(op: Any, args: Any, got: Any) -> list[Want]:
    x, f = (np.asarray(a) for a in args)
    source, dtype = element(op.input), element(op.results[0])
    accum = accumulator(op, source)
    groups = 1 if op.groups is None else op.groups.value.data
    window, (per_group, features) = list(f.shape[:-2]), f.shape[-2:]
    how = Slide(op, window, list(x.shape[1:-1]))
    values, weights = (whole(x), whole(f)) if accum not in (*FLOATS, *COMPLEX) else (wide(x), wide(f))
    shape = (x.shape[0], *how.places, features)
    length = prod(window) * per_group
    terms = np.zeros((*shape, length), values.dtype)
    # Padding is zeros, which are multiplied like other numbers: 0 times infinity is NaN.
    for i in np.ndindex(*shape):
        group = i[-1] // (features // groups)
        for k, w in enumerate(np.ndindex(*window)):
            s = how.source(i[1:-1], w)
            for c in range(per_group):
                value = (
                    values[(i[0], *s, group * per_group + c)]
                    if s is not None
                    else values.dtype.type(0)
                    if values.dtype != object
                    else 0
                )
                with np.errstate(all="ignore"):
                    terms[(*i, k * per_group + c)] = value * weights[(*w, c, i[-1])]
    with np.errstate(all="ignore"):
        if accum in FLOATS:
            terms = multiplied(terms, source, accum)
            absolute = np.abs(terms).sum(axis=-1)
            return [summed(terms.sum(axis=-1), absolute, length, accum, dtype)]
        if accum in COMPLEX:
            step = 2.0**-21 if "complex<f32>" in (accum, dtype) else 2.0**-49
            return [Want(terms.sum(axis=-1), np.abs(terms).sum(axis=-1) * step, dtype)]
    total = wrapped(python_fold(terms, lambda p, q: p + q, 0), accum)
    return [Want(*converted(total, total, accum, dtype), dtype)]


def layer_norm(op: Any, args: Any, got: Any) -> list[Want]:
    """
    Computes the steps of a layer norm, each rounded to the accumulator type. Sums may differ by a unit of that type, which is
    propagated.
    """
    dtype = element(op.results[0])
    x, gamma, beta = (wide(a) for a in args)
    axis = op.axis()
    a = "f64" if dtype == "f64" else "f32"
    place = [-1 if k == axis else 1 for k in range(x.ndim)]
    gamma, beta, n = gamma.reshape(place), beta.reshape(place), x.shape[axis]

    def to(v: Any) -> Any:
        return nearest(v, a)

    with np.errstate(all="ignore"):
        mean = to(to(x.sum(axis=axis, keepdims=True)) / n)
        d = to(x - mean)
        variance = to(to(to(d * d).sum(axis=axis, keepdims=True)) / n)
        root = to(1 / np.sqrt(to(variance + to(WIDE(op.epsilon.value.data)))))
        y = to(to(d * root) * gamma)
        out = to(y + beta)
        unit = WIDE(2) ** (-52 if a == "f64" else -23)
        size = np.abs(x).max(axis=axis, keepdims=True) if n else np.zeros_like(mean)
        error = 8 * n * unit * ((np.abs(d) + size) * root * np.abs(gamma) + np.abs(y) + np.abs(beta))
        odd = ~np.isfinite(out) | (error > np.abs(out) / 4) & (root > 1e6)
        error = np.where(np.isfinite(error), error, 0)
        low, high = nearest(out - error, dtype), nearest(out + error, dtype)
    return [Want(low, high, dtype, odd & np.ones(x.shape, bool))]


# --- quantization -------------------------------------------------------------------------------


def laid(v: Any, ndim: int, axis: int | None) -> Any:
    v = np.asarray(v)
    return v.reshape([-1 if k == axis else 1 for k in range(ndim)]) if v.ndim else v


def to_codes(x: Any, scale: Any, zero: Any, real: str, code: str) -> Any:
    """Returns round(x / scale) + zero point, saturated. The quotient is rounded to f32, or to f64 if `x` is f64."""
    low, high = integer_range(code)
    with np.errstate(all="ignore"):
        quotient = nearest(x / scale, "f64" if real == "f64" else "f32")
        rounded = np.rint(quotient)

    def one(q: Any, z: int) -> int:
        if np.isnan(q):
            return z
        return min(max(int(q) + z, low), high) if np.isfinite(q) else high if q > 0 else low

    return each(one, rounded.astype(object), np.broadcast_to(whole(zero), rounded.shape))


def quantize(op: Any, args: Any, got: Any) -> list[Want]:
    x, axis = wide(args[0]), None if op.axis is None else op.axis.value.data % np.ndim(args[0])
    code = element(op.results[0])
    out = to_codes(x, laid(wide(args[1]), x.ndim, axis), laid(args[2], x.ndim, axis), element(op.input), code)
    return [Want(out, out, code)]


def to_real(q: Any, scale: Any, zero: Any, real: str) -> Any:
    difference = each(lambda a, b: a - b, whole(q), np.broadcast_to(whole(zero), np.shape(q))).astype(np.float64)
    return nearest(difference.astype(WIDE) * scale, real)


def dequantize(op: Any, args: Any, got: Any) -> list[Want]:
    n, axis = np.ndim(args[0]), None if op.axis is None else op.axis.value.data % np.ndim(args[0])
    dtype = element(op.results[0])
    out = to_real(args[0], laid(wide(args[1]), n, axis), laid(args[2], n, axis), dtype)
    return [Want(out, out, dtype)]


def requantize(op: Any, args: Any, got: Any) -> list[Want]:
    n, axis = np.ndim(args[0]), None if op.axis is None else op.axis.value.data % np.ndim(args[0])
    code = element(op.results[0])
    real = to_real(args[0], laid(wide(args[1]), n, axis), laid(args[2], n, axis), "f32")
    out = to_codes(real, laid(wide(args[3]), n, axis), laid(args[4], n, axis), "f32", code)
    return [Want(out, out, code)]


# --- random numbers -----------------------------------------------------------------------------

M32 = 2**32 - 1


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Computes Philox-4x32-10 on Python integers, as in section 3.3 of the paper."""
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(q >> 32) ^ c[1] ^ k[0], q & M32, (p >> 32) ^ c[3] ^ k[1], p & M32]
        k = [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return c


def blocks(op: Any, args: Any, got: Any, stream: int) -> list[list[int]]:
    seed = int(args[0]) if args else 0 if op.seed is None else op.seed.value.data
    seed &= 2**64 - 1
    return [philox([i & M32, i >> 32, stream, 0], [seed & M32, seed >> 32]) for i in range(int(np.size(got[0])))]


BITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8E4M3FN": 4, "f8E5M2": 3}


def rng_uniform(op: Any, args: Any, got: Any) -> list[Want]:
    dtype, shape = element(op.results[0]), np.shape(got[0])
    p = BITS[dtype]
    out = [WIDE((w[0] << 32 | w[1]) >> (64 - p)) / WIDE(2) ** p for w in blocks(op, args, got, 0)]
    value = np.array(out, WIDE).reshape(shape)
    return [Want(value, value, dtype)]


def rng_normal(op: Any, args: Any, got: Any) -> list[Want]:
    dtype, shape = element(op.results[0]), np.shape(got[0])
    out: list[Any] = []
    for w in blocks(op, args, got, 1):
        a = WIDE(((w[0] << 32 | w[1]) >> 11) + 1) / WIDE(2) ** 53
        b = WIDE((w[2] << 32 | w[3]) >> 11) / WIDE(2) ** 53
        out.append(np.sqrt(-2 * np.log(a)) * np.cos(2 * WIDE(np.pi) * b))
    value = np.array(out, WIDE).reshape(shape)
    # The error is absolute: float64's π has a relative error of 2⁻⁵³, and the cosine's argument is at most 2π.
    error = np.abs(value) * WIDE(2) ** -50 + WIDE(2) ** -47
    return [Want(nearest(value - error, dtype), nearest(value + error, dtype), dtype)]


ORACLES: dict[str, Oracle] = {
    "ptir.reduce_window": reduce_window,
    "ptir.extract_patches": extract_patches,
    "ptir.convolution": convolution,
    "ptir.layer_norm": layer_norm,
    "ptir.quantize": quantize,
    "ptir.dequantize": dequantize,
    "ptir.requantize": requantize,
    "ptir.rng_uniform": rng_uniform,
    "ptir.rng_normal": rng_normal,
}
