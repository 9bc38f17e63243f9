"""Conversions to and from fp8 pairs and tf32 (PTX ISA §9.7.9.21)."""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from typing import Any

import ml_dtypes
import numpy as np

from .alu import apply
from .decode import Decoder, Step
from .rounding import canonical
from .syntax import Instruction
from .types import SCALARS, Array

_PAIRS: dict[str, tuple[Any, float]] = {
    "e4m3x2": (ml_dtypes.float8_e4m3fn, 448.0),
    "e5m2x2": (ml_dtypes.float8_e5m2, 57344.0),
}
"""The element type of each pair and its largest finite value."""
_NAN = 0x7F


def is_small(*names: str) -> bool:
    return any(name in _PAIRS or name == "tf32" for name in names)


def build_small(ins: Instruction, d: Decoder) -> Step:
    _, *modifiers, target, source = ins.parts
    relu = "relu" in modifiers
    u16, u32, f32 = SCALARS["u16"], SCALARS["u32"], SCALARS["f32"]
    if target in _PAIRS and source == "f32":
        return apply(ins, d, lambda a, b: _join(_narrow(a, target, relu), _narrow(b, target, relu)), u16, f32, f32)
    if target in _PAIRS:
        return apply(ins, d, lambda a: _narrow(_halves(a), target, relu).view(np.uint16).reshape(-1), u16, u32)
    if source in _PAIRS:
        return apply(ins, d, lambda a: _widen(a, source, relu), u32, u16)
    return apply(ins, d, lambda a: tensor_float(a, modifiers[0], relu), u32, f32)


def _narrow(value: Any, pair: str, relu: bool) -> Array:
    """Converts floats to fp8 bytes: nearest even, saturated to the largest finite value, NaN to the positive NaN."""
    dtype, largest = _PAIRS[pair]
    value = np.atleast_1d(np.asarray(value)).astype(np.float32)
    nan = np.isnan(value)
    result = np.clip(np.where(nan, 0, value), -largest, largest).astype(np.float32).astype(dtype).view(np.uint8)
    result = np.where(nan, np.uint8(_NAN), result)
    return np.where(value < 0, np.uint8(0), result) if relu else result


def _join(upper: Array, lower: Array) -> Array:
    return upper.astype(np.uint16) << np.uint16(8) | lower


def _halves(register: Any) -> Array:
    return np.ascontiguousarray(np.atleast_1d(register)).view(np.float16)


def _widen(register: Any, pair: str, relu: bool) -> Array:
    dtype = _PAIRS[pair][0]
    value = np.ascontiguousarray(np.atleast_1d(register)).view(np.uint8).view(dtype).astype(np.float16)
    value = canonical(value, SCALARS["f16"])
    value = np.where(value < 0, np.float16(0), value) if relu else value
    return np.ascontiguousarray(value).view(np.uint32)


def tensor_float(value: Any, mode: str, relu: bool = False) -> Array:
    """Rounds f32 to 10 bits of mantissa: rna ties away from zero, rn ties to even, rz truncates."""
    bits = np.atleast_1d(np.asarray(value)).view(np.uint32)
    nan = np.isnan(bits.view(np.float32))
    if mode == "rz":
        rounded = bits
    elif mode == "rna":
        rounded = bits + np.uint32(0x1000)
    else:
        rounded = bits + np.uint32(0xFFF) + (bits >> np.uint32(13) & np.uint32(1))
    rounded = rounded & np.uint32(0xFFFF_E000)
    special = (bits & np.uint32(0x7F80_0000)) == np.uint32(0x7F80_0000)
    result = np.where(nan, np.uint32(0x7FFF_FFFF), np.where(special, bits, rounded))
    return np.where(relu & (result.view(np.float32) < 0), np.uint32(0), result) if relu else result
