"""
The elementwise functions on NumPy arrays, shared by all levels of the IR.

`FUNCTIONS["add"](a, b)` takes arrays of one element type and returns an array of that type. Floats are computed in float64
and rounded to the element type *once*. On types up to f32, the results of `add sub mul div sqrt` are correctly rounded,
because float64 has more than 2p + 2 bits; those of transcendental functions are, except within 2⁻⁵² of a tie. Functions that
are correctly rounded in f32 are computed in f32, which is faster and gives the same bits. f64 is not computed in a wider type
and has NumPy's own error, or that of `special_functions.py`. Integers wrap modulo 2^w; their division truncates, and raises
`ZeroDivisionError`. Complex numbers are computed in complex128, by NumPy's formulas.

Element types below 32 bits are those of `ml_dtypes`. `cast` and `narrow` never round twice, unlike `astype` from float64 to
bf16.

Spec: `ptir-backend-contract.md`, *DTypes and casting*, *Elementwise ops*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    DenseIntOrFPElementsAttr,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float8E8M0FNUType,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ...errors import UnsupportedType
from . import special_functions

Array = NDArray[Any]
DType = np.dtype[Any]
Function = Callable[..., Array]

# --- element types ------------------------------------------------------------------------------

BFLOAT16, F8E4M3FN, F8E5M2 = (np.dtype(t) for t in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2))
INT4, UINT4 = np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4)

_FLOATS: Mapping[type[Attribute], DType] = {
    BFloat16Type: BFLOAT16,
    Float16Type: np.dtype(np.float16),
    Float32Type: np.dtype(np.float32),
    Float64Type: np.dtype(np.float64),
    Float8E4M3FNType: F8E4M3FN,
    Float8E5M2Type: F8E5M2,
    Float8E8M0FNUType: np.dtype(ml_dtypes.float8_e8m0fnu),
}
_INTEGERS: Mapping[int, tuple[DType, DType]] = {
    4: (INT4, UINT4),
    8: (np.dtype(np.int8), np.dtype(np.uint8)),
    16: (np.dtype(np.int16), np.dtype(np.uint16)),
    32: (np.dtype(np.int32), np.dtype(np.uint32)),
    64: (np.dtype(np.int64), np.dtype(np.uint64)),
}
_COMPLEX: Mapping[type[Attribute], DType] = {
    Float32Type: np.dtype(np.complex64),
    Float64Type: np.dtype(np.complex128),
}
FLOATS = frozenset(_FLOATS.values())


def numpy_dtype(attr: Attribute) -> DType:
    """Returns the NumPy type of a builtin element type. Signless integers are signed; `i1` is bool."""
    if isa(attr, IntegerType):
        if attr.width.data == 1:
            return np.dtype(np.bool_)
        if pair := _INTEGERS.get(attr.width.data):
            return pair[attr.signedness.data == Signedness.UNSIGNED]
    elif isinstance(attr, ComplexType):
        if dtype := _COMPLEX.get(type(attr.element_type)):  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
            return dtype
    elif dtype := _FLOATS.get(type(attr)):
        return dtype
    raise UnsupportedType(what="the element type", got=attr, want="the interpreters do not support it")


def dense_array(attr: DenseIntOrFPElementsAttr) -> Array:
    """
    Returns the literal as an array. It is read from the literal's bytes, which keeps the bits of NaN. Callers must not write to
    it, because a splat is one element that is broadcast.
    """
    dtype = numpy_dtype(attr.get_element_type())
    stored = np.dtype(np.int8) if dtype in (np.dtype(np.bool_), INT4, UINT4) else dtype
    flat: Array = np.frombuffer(attr.data.data, stored)
    flat = flat != 0 if dtype == np.bool_ else flat.astype(dtype)
    sizes = attr.get_shape()
    return np.broadcast_to(flat, sizes) if flat.size == 1 and sizes else flat.reshape(sizes)


def is_float(dtype: DType) -> bool:
    return dtype in FLOATS


def is_complex(dtype: DType) -> bool:
    return dtype.kind == "c"


def integer_range(dtype: DType) -> tuple[int, int]:
    """Returns the least and greatest value of an integer type, or of bool."""
    if dtype == np.bool_:
        return 0, 1
    info: Any = ml_dtypes.iinfo(dtype)
    return int(info.min), int(info.max)


def bit_width(dtype: DType) -> int:
    return 4 if dtype in (INT4, UINT4) else 1 if dtype == np.bool_ else 8 * dtype.itemsize


def is_unsigned(dtype: DType) -> bool:
    return integer_range(dtype)[0] == 0


# --- widening and rounding ----------------------------------------------------------------------


def widen(x: Array) -> Array:
    """Converts to the type in which functions compute: float64, complex128, int64 or uint64. May return `x` itself."""
    if is_float(x.dtype):
        with np.errstate(invalid="ignore"):  # a signaling NaN becomes quiet
            return x.astype(np.float64, copy=False)
    if is_complex(x.dtype):
        return x.astype(np.complex128, copy=False)
    return x.astype(np.uint64 if is_unsigned(x.dtype) else np.int64, copy=False)


def narrow(x: Array, dtype: DType) -> Array:
    """Converts from a wide type to `dtype`: floats are rounded once, to nearest even; integers wrap modulo 2^w."""
    with np.errstate(all="ignore"):
        if dtype == np.bool_:
            return x.astype(np.uint64) & np.uint64(1) != 0
        if is_float(dtype) and dtype.itemsize <= 2 and dtype != np.float16:
            return _round_to_odd(x).astype(dtype)
        return x.astype(dtype, copy=False)


def _round_to_odd(x: Array) -> Array:
    """
    Rounds float64 to float32 such that rounding again to any narrower type equals rounding once.

    An inexact value becomes the adjacent float32 with an odd significand, which is never a tie of a narrower type. Boldo and
    Melquiond, *Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd*, 2008, theorem 3.
    """
    near: Array = np.asarray(x.astype(np.float32))
    bits = near.view(np.uint32).copy()
    back = near.astype(np.float64)
    finite = np.isfinite(x) & (back != x)
    away = finite & (np.abs(back) > np.abs(x))
    bits[away] -= np.uint32(1)
    bits[finite] |= np.uint32(1)
    return bits.view(np.float32)


# --- cast ---------------------------------------------------------------------------------------


def cast(x: Array, dtype: DType) -> Array:
    """
    Converts each element (contract, `cast`): float to float rounds to nearest even, float to integer truncates, saturates and
    maps NaN to 0, integer to float rounds to nearest, integer to integer saturates.

    The contract does not define casts of `i1`; as in StableHLO's `convert`, true is 1 and any value but zero is true. A float
    beyond the range of f8E4M3FN becomes NaN, since that type has no infinity.
    """
    if x.dtype == dtype:
        return x
    if dtype == np.bool_:
        return np.asarray(widen(x) != 0)
    if is_complex(dtype) or is_complex(x.dtype):
        with np.errstate(all="ignore"):
            return x.astype(dtype)
    if is_float(x.dtype):
        return _convert(x, dtype) if is_float(dtype) else _truncate(widen(x), dtype)
    if is_float(dtype):
        return x.astype(dtype) if dtype == np.float64 else narrow(_odd_float64(widen(x)), dtype)
    low, high = integer_range(dtype)
    wide = widen(x)
    least, most = integer_range(wide.dtype)
    return np.clip(wide, max(low, least), min(high, most)).astype(dtype)


def _convert(x: Array, dtype: DType) -> Array:
    """Converts float to float, rounding once: narrower floats are exact in f32, from which NumPy converts correctly."""
    if x.dtype == np.float64:
        return narrow(x, dtype)
    with np.errstate(all="ignore"):
        return x.astype(np.float32, copy=False).astype(dtype, copy=False)


def _truncate(x: Array, dtype: DType) -> Array:
    """Converts float64 to integer: toward zero, saturating, NaN to 0."""
    low, high = integer_range(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0.0, x))
    below, above = whole < float(low), whole >= float(high + 1)
    carrier = np.uint64 if low == 0 else np.int64
    out = np.where(below | above, 0.0, whole).astype(carrier)
    out = np.where(below, carrier(low), np.where(above, carrier(high), out))
    return out.astype(dtype)


def _odd_float64(x: Array) -> Array:
    """Converts 64-bit integers to float64, rounded to odd, so that rounding again to f32 or less equals rounding once."""
    negative = x < 0
    magnitude = np.where(negative, np.negative(x), x).astype(np.uint64)
    tail = magnitude & np.uint64(0x7FF)
    odd = (magnitude - tail) | np.where(tail != 0, np.uint64(0x800), np.uint64(0))
    out = np.where(magnitude >= np.uint64(1 << 53), odd, magnitude).astype(np.float64)
    return np.where(negative, -out, out)


# --- functions on the wide types ----------------------------------------------------------------

WIDE_UNARY: Mapping[str, Function] = MappingProxyType(
    {
        "neg": np.negative,
        "abs": np.abs,
        "exp": np.exp,
        "log": np.log,
        "tanh": np.tanh,
        "erf": special_functions.erf,
        "sqrt": np.sqrt,
        "rsqrt": special_functions.rsqrt,
        "recip": np.reciprocal,
        "tf32": special_functions.tf32,
        "sin": np.sin,
        "cos": np.cos,
        "floor": np.floor,
        "ceil": np.ceil,
        "round": np.rint,
        "sign": special_functions.sign,
        "log1p": special_functions.log1p,
        "exp2": np.exp2,
        "expm1": np.expm1,
        "erfc": special_functions.erfc,
        "logistic": special_functions.logistic,
        "not": np.invert,
        "relu": special_functions.relu,
        "gelu": special_functions.gelu,
        "silu": special_functions.silu,
    }
)
"""Unary functions on the types that `widen` returns. They do not round to the element type."""

WIDE_BINARY: Mapping[str, Function] = MappingProxyType(
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": special_functions.divide,
        "max": special_functions.maximum,
        "min": special_functions.minimum,
        "pow": special_functions.power,
        "remainder": special_functions.remainder,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
)
"""Binary functions on the types that `widen` returns. They broadcast, and do not round to the element type."""

ROUNDED_ONCE = frozenset((
    "neg", "abs", "relu", "sqrt", "recip", "floor", "ceil", "round", "sign",
    "add", "sub", "mul", "div", "max", "min", "remainder",
))  # fmt: skip
"""Functions that are correctly rounded (IEEE 754), for which computing in f32 equals computing in float64."""

COMPARE: Mapping[str, Function] = MappingProxyType(
    {
        "lt": np.less,
        "le": np.less_equal,
        "eq": np.equal,
        "ge": np.greater_equal,
        "gt": np.greater,
        "ne": np.not_equal,
    }
)
"""Comparisons on the types that `widen` returns, as in IEEE 754: only `ne` is true for NaN."""


def _rounded(name: str, function: Function) -> Function:
    """Returns `function`, computed in a wide type and rounded once to the operands' type."""
    native = (np.float32, np.float64) if name in ROUNDED_ONCE else (np.float64,)

    def apply(*args: Array) -> Array:
        dtype = args[0].dtype
        with np.errstate(all="ignore"):
            if dtype in native:
                return np.asarray(function(*args))
            return narrow(np.asarray(function(*map(widen, args))), dtype)

    return apply


def _as_predicate(function: Function) -> Function:
    """Returns `function`, computed in a wide type, with result `i1`."""

    def apply(*args: Array) -> Array:
        with np.errstate(all="ignore"):  # a signaling NaN is not an error
            return np.asarray(function(*map(widen, args)))

    return apply


def _shift(function: Callable[[Array, Array], Array], *, keeps_sign: bool = False) -> Function:
    """
    Returns a shift for all integer types: it moves the value to the high end of 64 bits, and applies `function` there. The
    amount is unsigned. Shifting by the width or more gives 0 or, if `keeps_sign`, copies of the sign.
    """

    def apply(x: Array, by: Array) -> Array:
        width = bit_width(x.dtype)
        room, amount = np.uint64(64 - width), widen(by).astype(np.uint64)
        beyond = amount >= width
        within = np.where(beyond, np.uint64(width - 1), amount)
        bits = function(widen(x).astype(np.uint64) << room, within) >> room
        return narrow(bits if keeps_sign else np.where(beyond, np.uint64(0), bits), x.dtype)

    return apply


def _arithmetic(x: Array, by: Array) -> Array:
    return (x.view(np.int64) >> by.astype(np.int64)).view(np.uint64)


def _fused(a: Array, b: Array, c: Array) -> Array:
    """Returns `a · b + c` of f32 with one rounding: the sum is rounded to odd in f64, which holds the product."""
    with np.errstate(all="ignore"):
        product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
        total = product + addend
        back = total - product
        rest = (product - (total - back)) + (addend - back)
        inexact = np.isfinite(total) & (rest != 0) & (total.view(np.int64) & 1 == 0)
        odd = np.where(inexact, np.nextafter(total, np.copysign(np.inf, rest)), total)
        return odd.astype(np.float32)


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        **{name: _rounded(name, f) for name, f in {**WIDE_UNARY, **WIDE_BINARY}.items()},
        **{name: _as_predicate(f) for name, f in COMPARE.items()},
        "is_finite": _as_predicate(np.isfinite),
        "shift_left": _shift(np.left_shift),
        "shift_right_arithmetic": _shift(_arithmetic, keeps_sign=True),
        "shift_right_logical": _shift(np.right_shift),
        "where": np.where,  # keeps the payloads of NaNs
        "fma": _fused,
    }
)
"""The elementwise functions by name. Arguments are arrays of one element type, except the predicate of `where`."""
