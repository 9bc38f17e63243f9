"""Random arrays for arguments and literals: small numbers, the extremes of the type, special floats."""

from __future__ import annotations

from random import Random
from typing import Any

import ml_dtypes
import numpy as np

from .dtypes import COMPLEX, FLOATS, NUMPY, integer_range


def small(rng: Random, dtype: str, shape: tuple[int, ...]) -> Any:
    """Returns small numbers of either sign. Integers are not 0."""
    draw = np.random.default_rng(rng.getrandbits(32))
    if dtype == "i1":
        return draw.integers(0, 2, shape).astype(np.bool_)
    if dtype in FLOATS or dtype in COMPLEX:
        x = draw.integers(-8, 9, shape) / 4
        return (x + 1j * draw.integers(-8, 9, shape) / 4 if dtype in COMPLEX else x).astype(NUMPY[dtype])
    low, _ = integer_range(dtype)
    x = draw.integers(1, 6, shape)
    return (x if low == 0 else x * draw.choice([-1, 1], shape)).astype(NUMPY[dtype])


def array(rng: Random, dtype: str, shape: tuple[int, ...], kind: str | None = None) -> Any:
    """Returns an array of the kind `small`, `wide` (the whole range of the type) or `special` (extremes, NaN, infinities)."""
    kind = kind or rng.choice(KINDS)
    if kind == "small" or dtype == "i1":
        return small(rng, dtype, shape)
    draw = np.random.default_rng(rng.getrandbits(32))
    if dtype in COMPLEX:
        part = "f32" if dtype == "complex<f32>" else "f64"
        re, im = (array(rng, part, shape, kind).astype(np.float64) for _ in range(2))
        out = np.empty(shape, np.complex128)
        out.real, out.imag = re, im
        with np.errstate(all="ignore"):
            return out.astype(NUMPY[dtype])
    if dtype in FLOATS:
        with np.errstate(all="ignore"):
            info = ml_dtypes.finfo(NUMPY[dtype])
            x = draw.standard_normal(shape) * np.exp2(draw.integers(-6, 7, shape).astype(np.float64))
            if kind == "special":
                odd = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, float(info.max), float(info.min),
                       float(info.tiny), float(info.smallest_subnormal), 0.5, 2.5]  # fmt: skip
                x = np.where(draw.integers(0, 3, shape) == 0, draw.choice(odd, shape), x)
            return x.astype(NUMPY[dtype])
    low, high = integer_range(dtype)
    carrier = np.uint64 if low == 0 else np.int64
    x = draw.integers(low, high, shape, carrier, endpoint=True)
    if kind == "special":
        ends = np.array([low, low + 1, 0, 1, high - 1, high], carrier)
        x = np.where(draw.integers(0, 2, shape) == 0, draw.choice(ends, shape), x)
    return x.astype(NUMPY[dtype])


KINDS = ("small", "small", "wide", "special")


def bytes_of(x: Any) -> bytes:
    """Returns the bytes of a dense literal as the parser encodes them: types below 8 bits take a byte, and true is 0xFF."""
    x = np.ascontiguousarray(x)
    if x.dtype == np.bool_:
        x = -x.astype(np.int8)
    elif x.dtype in (np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4)):
        x = x.astype(np.int8)
    return x.tobytes()
