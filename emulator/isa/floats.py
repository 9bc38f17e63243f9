"""
Float arithmetic; every result is rounded once, in the opcode's mode (PTX ISA §9.7.3, §9.7.4).

f16 and bf16 are computed in float64, which holds their sums and products exactly (bf16 sums with a sticky bit).
Approximate functions return the *correctly rounded* value; a GPU may differ by the few ulps that the ISA allows.
"""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from . import alu
from .decode import Decoder, Step
from .doubles import Exact, directed, signed_zeros
from .rounding import canonical, fused, narrow, odd_sum, settle
from .syntax import Instruction
from .types import PACKED, SCALARS, Array, Scalar

Function = Callable[..., Any]
MODES = ("rn", "rz", "rm", "rp")
_SMALLEST = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
"""The smallest positive normal number of each type."""


def flush(value: Array, type_: Scalar) -> Array:
    """Replaces subnormals by zeros of the same sign."""
    tiny = type_.dtype.type(_SMALLEST[type_.name])
    return np.where(np.abs(value) < tiny, np.copysign(type_.dtype.type(0), value), value)


def clamped(result: Array, type_: Scalar, modifiers: Collection[str]) -> Array:
    """Clamps `result` to [0, 1] for `.sat` (NaN becomes 0), and to at least 0 for `.relu`."""
    zero, one = type_.dtype.type(0), type_.dtype.type(1)
    if "sat" in modifiers:
        result = np.where(result > zero, np.minimum(result, one), zero)
    return np.where(result < zero, zero, result) if "relu" in modifiers else result


def finish(function: Function, type_: Scalar, modifiers: list[str]) -> Function:
    """Wraps `function`: flushes subnormals for `.ftz`, clamps results for `.sat` and `.relu`, and makes NaNs canonical."""
    flushes = "ftz" in modifiers

    def finished(*arguments: Array) -> Array:
        if flushes:
            arguments = tuple(flush(a, type_) if a.dtype == type_.dtype else a for a in arguments)
        result = function(*arguments)
        result = clamped(flush(result, type_) if flushes else result, type_, modifiers)
        return canonical(result.astype(type_.dtype, copy=False), type_)

    return finished


def build(ins: Instruction, d: Decoder, function: Function, type_: Scalar, arity: int) -> Step:
    """Builds a float operation. For a packed type, `function` is applied to both 16-bit elements of each register."""
    if ins.parts[-1] not in PACKED:
        return alu.apply(ins, d, function, type_, *[type_] * arity)
    u32 = SCALARS["u32"]

    def both(*arguments: Array) -> Array:
        arguments = tuple(np.array(a) for a in np.broadcast_arrays(*(np.atleast_1d(a) for a in arguments)))
        result = function(*(a.view(type_.dtype) for a in arguments))
        return np.ascontiguousarray(result).view(np.uint32)

    return alu.apply(ins, d, both, u32, *[u32] * arity)


# --- one rounding ----------------------------------------------------------------------------------


def _binary(native: Function, exact: Function) -> Callable[[Scalar, str], Function]:
    """Returns `native`, numpy's operation, where it rounds correctly; else `exact`, a float64 with a sticky bit, rounded."""

    def make(type_: Scalar, mode: str) -> Function:
        if mode == "rn" and type_.bits >= 32:
            return native
        return lambda a, b: narrow(exact(a.astype(np.float64), b.astype(np.float64)), type_, mode)

    return make


def _fma(type_: Scalar, mode: str) -> Function:
    return lambda a, b, c: fused(a, b, c, type_, mode)


def _div(type_: Scalar, mode: str) -> Function:
    def divide(a: Array, b: Array) -> Array:
        result = np.divide(a, b)
        if mode == "rn":
            return result
        exact = result.astype(np.float64) * b  # 48 bits: no rounding
        sign = np.where(b < 0, -1.0, 1.0)
        return settle(result, (exact - a) * sign > 0, (exact - a) * sign < 0, mode)

    return divide


def _sqrt(type_: Scalar, mode: str) -> Function:
    def root(a: Array) -> Array:
        result = np.sqrt(a)
        square = result.astype(np.float64) * result
        return settle(result, square > a, square < a, mode)

    return np.sqrt if mode == "rn" else root


def _rcp(type_: Scalar, mode: str) -> Function:
    divide = _div(type_, mode)
    return lambda a: divide(np.ones_like(a), a)


_ARITHMETIC: dict[str, tuple[int, Callable[[Scalar, str], Function], Exact]] = {
    "add": (2, _binary(np.add, odd_sum), lambda r, a, b: r - (a + b)),
    "sub": (2, _binary(np.subtract, lambda a, b: odd_sum(a, -b)), lambda r, a, b: r - (a - b)),
    "mul": (2, _binary(np.multiply, np.multiply), lambda r, a, b: r - a * b),
    "fma": (3, _fma, lambda r, a, b, c: r - (a * b + c)),
    "mad": (3, _fma, lambda r, a, b, c: r - (a * b + c)),
    "div": (2, _div, lambda r, a, b: (r * b - a) * (1 if b > 0 else -1)),
    "sqrt": (1, _sqrt, lambda r, a: r * r - a),
    "rcp": (1, _rcp, lambda r, a: (r * a - 1) * (1 if a > 0 else -1)),
}
"""For each opcode: the number of operands, the operation, and (result - exact result) for directed rounding of f64."""


def build_arithmetic(ins: Instruction, d: Decoder) -> Step:
    name, *modifiers, type_name = ins.parts
    arity, make, difference = _ARITHMETIC[name]
    type_, mode = d.float_type(type_name), next((m for m in modifiers if m in MODES), "rn")
    function = make(type_, mode)
    if type_.bits == 64 and "approx" in modifiers:
        function = _coarse(lambda a: 1 / a)
    elif type_.bits == 64 and mode != "rn":
        function = directed(difference, make(type_, "rn"), mode, divides=name in ("div", "rcp"))
    return build(ins, d, finish(signed_zeros(name, function, mode), type_, modifiers), type_, arity)


# --- signs, minima ---------------------------------------------------------------------------------


def _extremum(type_: Scalar, keep_nan: bool, largest: bool) -> Function:
    """Returns min or max, with -0 below +0. If one operand is NaN, the result is the other operand or, with `keep_nan`, NaN."""
    bits = np.dtype(f"u{type_.bytes}")

    def pick(a: Array, b: Array) -> Array:
        a, b = np.broadcast_arrays(np.atleast_1d(a), np.atleast_1d(b))
        take = (a > b) if largest else (a < b)
        chosen = np.where(take | np.isnan(b), a, b)
        u, v = np.array(a).view(bits), np.array(b).view(bits)
        tie = ((u & v) if largest else (u | v)).view(type_.dtype)
        chosen = np.where(a == b, tie, chosen)
        if keep_nan:
            chosen = np.where(np.isnan(a) | np.isnan(b), type_.dtype.type(np.nan), chosen)
        return chosen

    return pick


def build_extremum(ins: Instruction, d: Decoder) -> Step:
    """Builds min and max."""
    name, *modifiers, type_name = ins.parts
    type_ = d.float_type(type_name)
    return build(ins, d, finish(_extremum(type_, "NaN" in modifiers, name == "max"), type_, modifiers), type_, 2)


def build_sign(ins: Instruction, d: Decoder) -> Step:
    """Builds abs and neg, which change only the sign bit, also of NaNs."""
    name, *modifiers, type_name = ins.parts
    packed, type_ = type_name in PACKED, d.float_type(type_name)
    bits = SCALARS[f"u{32 if packed else type_.bits}"]
    sign = bits.dtype.type(0x8000_8000 if packed else 1 << (bits.bits - 1))
    change: Function = (lambda a: a & ~sign) if name == "abs" else (lambda a: a ^ sign)
    if modifiers:
        plain = change
        change = lambda a: plain(flush(np.atleast_1d(a).view(type_.dtype), type_).view(bits.dtype))  # noqa: E731
    return alu.apply(ins, d, change, bits, bits)


def build_copysign(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    return alu.apply(ins, d, lambda a, b: np.copysign(b, a), type_, type_, type_)


_TESTS: dict[str, Callable[[Any, float], Any]] = {
    "finite": lambda a, tiny: np.isfinite(a),
    "infinite": lambda a, tiny: np.isinf(a),
    "number": lambda a, tiny: ~np.isnan(a),
    "notanumber": lambda a, tiny: np.isnan(a),
    "normal": lambda a, tiny: np.isfinite(a) & (np.abs(a) >= tiny),
    "subnormal": lambda a, tiny: (np.abs(a) < tiny) & (a != 0),
}


def build_testp(ins: Instruction, d: Decoder) -> Step:
    _, name, type_name = ins.parts
    type_ = d.scalar(type_name)
    test, tiny = _TESTS[name], _SMALLEST[type_.name]
    return alu.apply(ins, d, lambda a: test(a, tiny), SCALARS["pred"], type_)


# --- approximations --------------------------------------------------------------------------------


def _coarse(function: Function) -> Function:
    """Clears the low word: `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` have 20 bits of mantissa."""
    return lambda a: (function(a).view(np.uint64) & np.uint64(0xFFFF_FFFF_0000_0000)).view(np.float64)


_APPROXIMATE: dict[str, Function] = {
    "ex2": np.exp2,
    "lg2": np.log2,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
}


def build_approximate(ins: Instruction, d: Decoder) -> Step:
    name, *modifiers, type_name = ins.parts
    type_ = d.float_type(type_name)
    exact = _APPROXIMATE[name]
    if type_.bits < 64:
        function: Function = lambda a: narrow(exact(a.astype(np.float64)), type_)  # noqa: E731
    else:
        function = _coarse(exact) if "ftz" in modifiers else exact
    return build(ins, d, finish(function, type_, modifiers), type_, 1)
