"""
Converts between floats and their bits, for every builtin float type, preserving the sign and payload of NaNs.

xDSL packs and unpacks through Python floats, which is exact for numbers. But NaNs of types below 16 bits lose their payload,
and hardware quiets signaling NaNs. Here a Python float carries the sign and the upper payload bits of a NaN of any type, and
is never used in arithmetic:

    f16  0xFE01  ──▶  float64 0xFFF8040000000000  ──▶  f16  0xFE01
"""

from __future__ import annotations

import math
import struct

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    ReducedPrecisionFloatType,
)

from .literals import element_size

_MANTISSA_BITS: dict[type[AnyFloat], int] = {BFloat16Type: 7, Float16Type: 10, Float32Type: 23, Float64Type: 52}
_WIDE: dict[type[AnyFloat], int] = {Float80Type: 63, Float128Type: 112}
"""Number of fraction bits of the types that xDSL does not pack; their exponents have 15 bits."""


def value_of(bits: int, type: AnyFloat) -> float:
    """
    Returns the float that `bits` encode in `type`.

    Raises `ValueError` if `bits` is wider than the type, or if an f80 or f128 number or NaN payload does not fit in f64.
    """
    value = _decode(bits, type)
    if value is None or bits_of(value, type) != bits:
        raise ValueError(f"0x{bits:X} is not a representable {type.name}")
    return value


def bits_of(value: float, type: AnyFloat) -> int:
    """Returns the bits of `value` rounded to `type`."""
    if math.isnan(value) and (layout := _nan_layout(type)) is not None:
        mantissa, base = layout
        raw = _f64_bits(value)
        payload = (raw & _FRACTION) >> (52 - mantissa) if mantissa <= 52 else (raw & _FRACTION) << (mantissa - 52)
        return base | (raw >> 63) << (type.bitwidth - 1) | (payload or 1 << (mantissa - 1))
    if type.__class__ in _WIDE:
        return _encode_wide(value, type)
    return int.from_bytes(type.pack((value,)), "little")


_FRACTION = (1 << 52) - 1


def _f64_bits(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def _f64(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def _nan_layout(type: AnyFloat) -> tuple[int, int] | None:
    """Returns the mantissa's width and the bits of infinity (exponent all ones); None if `type` encodes NaNs differently."""
    if (wide := _WIDE.get(type.__class__)) is not None:
        integer_bit = isinstance(type, Float80Type)
        return wide, (0x7FFF << 1 | 1) << wide if integer_bit else 0x7FFF << wide
    if isinstance(type, ReducedPrecisionFloatType):
        semantics = type.SEMANTICS
        if semantics.nonfinite is not FloatNonfiniteBehavior.IEEE:
            return None
        return semantics.mantissa_bits, semantics.max_exponent << semantics.mantissa_bits
    mantissa = _MANTISSA_BITS[type.__class__]
    return mantissa, ((1 << (type.bitwidth - 1 - mantissa)) - 1) << mantissa


def _decode(bits: int, type: AnyFloat) -> float | None:
    if bits >> type.bitwidth:
        return None
    if (layout := _nan_layout(type)) is not None:
        mantissa, base = layout
        payload = bits & ((1 << mantissa) - 1)
        if payload and bits & base == base:
            sign = bits >> (type.bitwidth - 1)
            payload = payload << (52 - mantissa) if mantissa <= 52 else payload >> (mantissa - 52)
            return _f64(sign << 63 | 0x7FF << 52 | payload) if payload else None
    if type.__class__ in _WIDE:
        return _decode_wide(bits, type)
    value = type.unpack(bits.to_bytes(element_size(type), "little"), 1)[0]
    if math.isnan(value) and isinstance(type, ReducedPrecisionFloatType):
        # NaNs of this type have no payload, and a sign only if their encoding is all ones.
        signed = type.SEMANTICS.nan_encoding is FloatNanEncoding.ALL_ONES and type.SEMANTICS.has_sign
        return -math.nan if signed and bits >> (type.bitwidth - 1) else math.nan
    return value


def _encode_wide(value: float, type: AnyFloat) -> int:
    """Encodes f80 and f128. Their exponent has 15 bits, so every nonzero finite f64 is a normal number of the type."""
    mantissa = _WIDE[type.__class__]
    integer_bit = isinstance(type, Float80Type)
    sign = int(math.copysign(1, value) < 0) << (type.bitwidth - 1)
    if math.isinf(value):
        return sign | (0x7FFF << 1 | 1 if integer_bit else 0x7FFF) << mantissa
    if value == 0:
        return sign
    fraction, exponent = math.frexp(abs(value))  # in [0.5, 1)
    significand = int(fraction * 2**53) << (mantissa - 52)
    if integer_bit:
        return sign | (exponent - 1 + 16383) << (mantissa + 1) | significand
    return sign | (exponent - 1 + 16383) << mantissa | significand ^ 1 << mantissa


def _decode_wide(bits: int, type: AnyFloat) -> float | None:
    mantissa = _WIDE[type.__class__]
    width = mantissa + isinstance(type, Float80Type)
    significand = bits & ((1 << width) - 1)
    exponent = bits >> width & 0x7FFF
    sign = -1.0 if bits >> (type.bitwidth - 1) else 1.0
    if exponent == 0x7FFF:
        return sign * math.inf
    if width == mantissa and exponent:
        significand |= 1 << mantissa
    if significand & ((1 << (mantissa - 52)) - 1):
        return None
    try:
        return sign * math.ldexp(significand >> (mantissa - 52), exponent - 16383 - 52)
    except OverflowError:
        return None
