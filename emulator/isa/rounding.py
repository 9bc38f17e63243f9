"""
Correct rounding where numpy has none.

Sums and fused products are rounded to odd in float64 (Boldo & Melquiond, "Emulation of FMA and correctly rounded
sums", 2008). If a value that was rounded to odd at 53 bits is rounded again, in any direction, to a format of at most 51
bits, the result is the same as for the exact value. `narrow` is this second rounding.
"""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from fractions import Fraction

import numpy as np

from .types import SCALARS, Array, Scalar

CANONICAL_NAN = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFF_FFFF, "f64": 0x7FF8_0000_0000_0000}
"""The bits of the NaN that arithmetic returns (PTX ISA §9.7.3: payloads are not preserved)."""

_MANTISSA = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_MIN_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
_LARGEST = {
    "f16": 65504.0,
    "bf16": float(2**127 * (2 - 2**-7)),
    "f32": float(2**127 * (2 - 2**-23)),
    "f64": float(np.finfo(np.float64).max),
}


def canonical(value: Array, type_: Scalar) -> Array:
    """Returns `value` with every NaN replaced by the canonical one."""
    nan = np.isnan(value)
    if nan.any():
        value = np.array(value)
        value.view(f"u{type_.bytes}")[nan] = CANONICAL_NAN[type_.name]
    return value


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """Returns the rounded `a + b` and its error (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def odd_sum(a: Array, b: Array) -> Array:
    """Returns `a + b` in float64, rounded to odd."""
    total, error = two_sum(a, b)
    return make_odd(np.atleast_1d(total), error)


def make_odd(total: Array, error: Array) -> Array:
    """Rounds `total + error` to odd, given that `total` is its nearest float64."""
    fix = (error != 0) & np.isfinite(total) & ((total.view(np.int64) & 1) == 0)
    if not fix.any():
        return total
    away = np.where((error > 0) == (total > 0), 1, -1)
    return (total.view(np.int64) + np.where(fix, away, 0)).view(np.float64)


def narrow(value: Array, type_: Scalar, mode: str = "rn") -> Array:
    """Rounds float64 (or longdouble) to `type_` by rn | rz | rm | rp, subnormals and overflow included."""
    if mode == "rn" and type_.name in ("f16", "f32", "f64"):
        return canonical(value.astype(type_.dtype), type_)
    if type_.name == "f64" and value.dtype == np.float64:
        return value
    wide = value.dtype
    exponent = np.maximum(np.frexp(value)[1] - 1, _MIN_EXPONENT[type_.name]) - (_MANTISSA[type_.name] - 1)
    scaled = round_integral(np.ldexp(value, -exponent), mode)
    result = np.ldexp(scaled, exponent)
    largest = wide.type(_LARGEST[type_.name])
    over = np.isfinite(value) & (np.abs(result) > largest)
    if over.any():
        to_infinity = {"rn": over, "rz": over & False, "rm": over & (result < 0), "rp": over & (result > 0)}[mode]
        result = np.where(over, np.copysign(np.where(to_infinity, wide.type(np.inf), largest), result), result)
    special = ~np.isfinite(value) | (value == 0)
    result = np.where(special, value, np.copysign(result, value))
    if type_.name == "bf16":
        result = result.astype(np.float32)
    return canonical(result.astype(type_.dtype), type_)


def round_integral(value: Array, mode: str) -> Array:
    """Rounds to an integral value: rn[i] to nearest even, rz[i] to zero, rm[i] down, rp[i] up."""
    return {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil}[mode[:2]](value)


def fused(a: Array, b: Array, c: Array, type_: Scalar, mode: str = "rn") -> Array:
    """Returns `a * b + c` with one rounding."""
    if type_.name == "f64":
        return fused_double(a, b, c)
    product = a.astype(np.float64) * b.astype(np.float64)  # exact: at most 48 bits
    return narrow(odd_sum(product, c.astype(np.float64)), type_, mode)


def _split(a: Array) -> tuple[Array, Array]:
    high = a * 134217729.0
    high = high - (high - a)
    return high, a - high


def fused_double(a: Array, b: Array, c: Array) -> Array:
    """
    Returns float64 `a * b + c`, rounded to nearest even. It is computed by error-free transformations, or by rational
    numbers near overflow and underflow.
    """
    a, b, c = (np.array(x) for x in np.broadcast_arrays(*(np.atleast_1d(x) for x in (a, b, c))))
    product = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    low = al * bl - (((product - ah * bh) - al * bh) - ah * bl)
    top, rest = two_sum(c, low)
    high, middle = two_sum(product, top)
    result = high + odd_sum(middle, rest)
    exponents = [np.frexp(x)[1] for x in (a, b, c)]
    sizes = np.maximum(exponents[0] + exponents[1], exponents[2])
    edge = (sizes > 960) | (exponents[0] > 960) | (exponents[1] > 960)
    edge |= ((exponents[0] + exponents[1] < -900) & (product != 0)) | ((product == 0) & (a != 0) & (b != 0))
    edge |= (result != 0) & (np.abs(result) < 1e-280)
    special = ~(np.isfinite(a) & np.isfinite(b) & np.isfinite(c)) | (a == 0) | (b == 0)
    result = np.where(special, product + c, result)
    for i in np.flatnonzero(edge & ~special):
        exact = Fraction(float(a[i])) * Fraction(float(b[i])) + Fraction(float(c[i]))
        result[i] = _to_double(exact) if exact else product[i] + c[i]
    return canonical(result, SCALARS["f64"])


def _to_double(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


def settle(result: Array, above: Array, below: Array, mode: str) -> Array:
    """Adjusts a nearest-even `result`, which lies `above` or `below` the exact value, to `mode`."""
    if mode == "rn":
        return result
    down = np.nextafter(result, result.dtype.type(-np.inf))
    up = np.nextafter(result, result.dtype.type(np.inf))
    if mode == "rm":
        return np.where(above, down, result)
    if mode == "rp":
        return np.where(below, up, result)
    return np.where(above & (result > 0), down, np.where(below & (result < 0), up, result))
