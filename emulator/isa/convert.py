"""`cvt` and `cvta` (PTX ISA §9.7.9)."""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Callable
from typing import Any

import numpy as np

from ..memory import memory
from .alu import apply
from .decode import Decoder, Step
from .floats import MODES, clamped, flush
from .rounding import canonical, narrow, round_integral
from .small_floats import SMALL_TYPES, build_small
from .syntax import Instruction
from .types import PACKED, SCALARS, Array, Scalar

_INTEGRAL = ("rni", "rzi", "rmi", "rpi")


def build_cvt(ins: Instruction, d: Decoder) -> Step:
    _, *modifiers, target_name, source_name = ins.parts
    if "pack" in modifiers:
        return _build_packed(ins, d)
    if SMALL_TYPES & {target_name, source_name}:
        return build_small(ins, d)
    if target_name in PACKED:
        return _build_pair(ins, d, PACKED[target_name], modifiers)
    target, source = d.scalar(target_name), d.scalar(source_name)
    return apply(ins, d, conversion(target, source, modifiers), target, source)


def conversion(target: Scalar, source: Scalar, modifiers: list[str]) -> Callable[[Any], Any]:
    """Returns the conversion from `source` to `target`."""
    mode = next((m for m in modifiers if m in (*MODES, *_INTEGRAL)), "rn")
    if source.is_float and target.is_float:
        convert = _between_floats(target, source, mode)
    elif source.is_float:
        return _to_integer(target, source, mode, "ftz" in modifiers)
    elif target.is_float:
        convert = _from_integer(target, mode)
    else:
        return _between_integers(target, source, "sat" in modifiers)
    flushes = "ftz" in modifiers

    def finished(a: Array) -> Array:
        if flushes and source.name == "f32":
            a = flush(a, source)
        result = convert(a)
        if flushes and target.name == "f32":
            result = flush(result, target)
        return clamped(result, target, modifiers)

    return finished


def _between_floats(target: Scalar, source: Scalar, mode: str) -> Callable[[Any], Any]:
    if mode in _INTEGRAL:
        if target == source:
            return lambda a: canonical(round_integral(a, mode), target)
        return lambda a: narrow(round_integral(a.astype(np.float64), mode), target)
    if target.bits > source.bits:
        return lambda a: canonical(a.astype(target.dtype), target)
    if target == source:
        return lambda a: canonical(np.array(a), target)
    if target.name == "bf16" and source.name == "f32" and mode == "rn":
        return nearest_bfloat
    return lambda a: narrow(a.astype(np.float64), target, mode)


def nearest_bfloat(a: Array) -> Array:
    """Rounds f32 to bf16, ties to even; a fast path on the bits."""
    bits = a.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    rounded = np.where(np.isnan(a), np.uint16(0x7FFF), rounded.astype(np.uint16))
    return rounded.view(SCALARS["bf16"].dtype)


def _from_integer(target: Scalar, mode: str) -> Callable[[Any], Any]:
    if (target.bits == 64 and mode == "rn") or (target.name == "f32" and mode == "rn"):
        return lambda a: a.astype(target.dtype)
    return lambda a: narrow(a.astype(np.longdouble), target, mode)  # 64 bits of mantissa: exact


def _to_integer(target: Scalar, source: Scalar, mode: str, flushes: bool) -> Callable[[Any], Any]:
    """Returns a conversion that clamps to the target's range and maps NaN to zero."""
    limits = np.iinfo(target.dtype)
    low, high = float(limits.min), float(limits.max)

    def convert(a: Array) -> Array:
        if flushes and source.name == "f32":
            a = flush(a, source)
        value = round_integral(np.asarray(a.astype(np.float64)), mode)
        inside = np.where((value >= low) & (value < high), value, 0.0).astype(target.dtype)
        result = np.where(value >= high, target.dtype.type(limits.max), inside)
        return np.where(value < low, target.dtype.type(limits.min), result)

    return convert


def _between_integers(target: Scalar, source: Scalar, saturate: bool) -> Callable[[Any], Any]:
    if not saturate:
        return lambda a: a.astype(target.dtype)
    limits, given = np.iinfo(target.dtype), np.iinfo(source.dtype)
    low, high = max(int(limits.min), int(given.min)), min(int(limits.max), int(given.max))
    return lambda a: np.clip(a, source.dtype.type(low), source.dtype.type(high)).astype(target.dtype)


def _build_pair(ins: Instruction, d: Decoder, half: Scalar, modifiers: list[str]) -> Step:
    """`cvt.rn.bf16x2.f32 d, a, b`: a becomes the upper half."""
    convert = conversion(half, SCALARS["f32"], modifiers)

    def pair(a: Any, b: Any) -> Any:
        upper = np.asarray(convert(np.asarray(a))).view(np.uint16).astype(np.uint32)
        return upper << np.uint32(16) | np.asarray(convert(np.asarray(b))).view(np.uint16)

    return apply(ins, d, pair, SCALARS["u32"], SCALARS["f32"], SCALARS["f32"])


def _build_packed(ins: Instruction, d: Decoder) -> Step:
    """`cvt.pack.sat.s8.s32.b32 d, a, b, c`: the saturated a and b are the low part of d (a above b), c is above them."""
    parts = ins.parts[1:]
    target, bits = d.scalar(parts[2]), 8 * d.scalar(parts[2]).bytes
    saturate = _between_integers(target, SCALARS["s32"], True)
    u32, s32 = SCALARS["u32"], SCALARS["s32"]

    def pack(a: Any, b: Any, *above: Any) -> Any:
        high, low = (np.asarray(saturate(np.asarray(x))).view(f"u{bits // 8}").astype(np.uint32) for x in (a, b))
        return (high << np.uint32(bits)) | low | (above[0] << np.uint32(2 * bits) if above else np.uint32(0))

    return apply(ins, d, pack, u32, s32, s32, *([u32] if bits == 8 else []))


_WINDOWS = {
    "global": 0,
    "const": 0,
    "shared": memory.SHARED_WINDOW,
    "local": memory.LOCAL_WINDOW,
    "param": memory.PARAM_WINDOW,
}


def build_cvta(ins: Instruction, d: Decoder) -> Step:
    """Builds conversions between generic addresses and addresses of a state space, a window of the generic addresses."""
    parts = [p.partition("::")[0] for p in ins.parts]
    type_, window = d.scalar(parts[-1]), np.uint64(_WINDOWS[parts[-2]])
    return apply(ins, d, (lambda a: a - window) if "to" in parts else (lambda a: a + window), type_, type_)
