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
"""For each type of fp8 pairs its element type, and that type's largest finite value."""
_NAN = 0x7F
"""The bits of an fp8 NaN, in both formats."""


SMALL_TYPES = {*_PAIRS, "tf32"}


def build_small(ins: Instruction, d: Decoder) -> Step:
    _, *modifiers, target, source = ins.parts
    relu = "relu" in modifiers
    u16, u32, f32 = SCALARS["u16"], SCALARS["u32"], SCALARS["f32"]
    if target in _PAIRS and source == "f32":
        pair = lambda a, b: _narrow(a, target, relu).astype(np.uint16) << np.uint16(8) | _narrow(b, target, relu)  # noqa: E731
        return apply(ins, d, pair, u16, f32, f32)
    if target in _PAIRS:
        return apply(ins, d, lambda a: _narrow(_bits(a).view(np.float16), target, relu).view(np.uint16), u16, u32)
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


def _bits(register: Any) -> Array:
    return np.ascontiguousarray(np.atleast_1d(register))


def _widen(register: Any, pair: str, relu: bool) -> Array:
    value = canonical(_bits(register).view(_PAIRS[pair][0]).astype(np.float16), SCALARS["f16"])
    return _bits(np.where(value < 0, np.float16(0), value) if relu else value).view(np.uint32)


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
