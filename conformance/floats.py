"""
The float ops: arithmetic of NumPy's own formats or of exact fractions, functions by `rounding_oracle.py`. Words in, words out.

NumPy's f32 is the machine's. A sum, product, quotient or root of 16 bits that is rounded to f32 first is rounded as if once, since f32 has
more than twice the bits.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from .integers import COMPARES
from .rounding_oracle import expected, rounded

Array = npt.NDArray[Any]
KINDS: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
NAN = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}
SIGN = {"f32": 1 << 31, "f16": 1 << 15, "bf16": 1 << 15}
INFINITY = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}
ONE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}
"""Bits of numbers, by the format."""
NATIVE: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
}
INTEGER_RANGES = {"u32": (0, 2**32 - 1), "i32": (-(2**31), 2**31 - 1)}


def numbers(words: Array, format: str) -> Array:
    """Returns the numbers whose bits are in the low part of words."""
    return words.astype(np.uint32 if format == "f32" else np.uint16).view(KINDS[format])


def wide(words: Array, format: str) -> Array:
    """Returns the numbers as binary64. All NaN are quiet: the IR does not tell them apart."""
    with np.errstate(invalid="ignore"):  # a signaling NaN
        values = numbers(words, format).astype(np.float64)
    return np.where(values == values, values, np.nan)


def bits(values: Array, format: str) -> Array:
    """Returns the bits of numbers of a format as words, with the one NaN that strict ops give."""
    with np.errstate(all="ignore"):
        exact = values.astype(KINDS[format])
        nan = np.isnan(values.astype(np.float64))
    words = np.ascontiguousarray(exact).view(np.uint32 if format == "f32" else np.uint16).astype(np.uint32)
    return np.where(nan, np.uint32(NAN[format]), words)


def strict(op: str, format: str) -> Callable[..., Array]:
    """Returns the oracle of a strict op, by its name in `elementary/vocabulary.py`."""
    if op in NATIVE:
        return lambda *words: _native(op, format, *words)
    if op in ("min", "max"):
        return lambda a, b: _extreme(op, format, a, b)
    if op == "neg":
        return lambda a: a ^ np.uint32(SIGN[format])
    if op == "abs":
        return lambda a: a & np.uint32(SIGN[format] - 1)
    if op == "fma":
        return lambda *words: _multiply_add(format, *words)
    return lambda *words: bits(expected(op, format, *(wide(w, format) for w in words)), format)


def _native(op: str, format: str, *words: Array) -> Array:
    with np.errstate(all="ignore"):
        return bits(NATIVE[op](*(numbers(w, format) for w in words)), format)


def _extreme(op: str, format: str, a: Array, b: Array) -> Array:
    x, y = wide(a, format), wide(b, format)
    negative = np.signbit(x)
    first = (x < y) | (x == y) & negative if op == "min" else (x > y) | (x == y) & ~negative
    return np.where(np.isnan(x) | np.isnan(y), np.uint32(NAN[format]), np.where(first, a, b))


def _multiply_add(format: str, *words: Array) -> Array:
    operands = np.stack([wide(w, format) for w in words], axis=-1)
    with np.errstate(all="ignore"):
        results = operands[:, 0] * operands[:, 1] + operands[:, 2]  # exact where it is zero, infinite or NaN
    for k, (x, y, z) in enumerate(operands.tolist()):
        if all(map(math.isfinite, (x, y, z))) and (total := Fraction(x) * Fraction(y) + Fraction(z)):
            results[k] = rounded(total, format)
    return bits(results, format)


def compare(fn: str, format: str) -> Callable[..., Array]:
    """Returns the oracle of a `vyre.compare`. NumPy's comparisons of NaN are those of IEEE 754."""
    return lambda a, b: np.asarray(COMPARES[fn](wide(a, format), wide(b, format)), np.uint32)


def cast(of: str, to: str) -> Callable[[Array], Array]:
    """Returns the oracle of a `vyre.cast` from or to a float."""
    if to in INTEGER_RANGES:
        return lambda a: _truncated(wide(a, of), *INTEGER_RANGES[to])
    if of in INTEGER_RANGES:
        return lambda a: _from_integers(a.view(np.int32) if of == "i32" else a, to)
    return lambda a: bits(wide(a, of), to)


def _truncated(values: Array, low: int, high: int) -> Array:
    exact = [0 if v != v else low if v < low else high if v > high else int(v) for v in values.tolist()]
    return np.array(exact, np.int64).astype(np.uint32)


def _from_integers(integers: Array, to: str) -> Array:
    return bits(np.array([rounded(Fraction(v), to) if v else 0.0 for v in integers.tolist()]), to)
