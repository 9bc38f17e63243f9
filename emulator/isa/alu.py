"""Integer arithmetic, exact modulo 2^w (PTX ISA §9.7.1, §9.7.2)."""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DivisionByZero
from ..violation import reject
from .decode import Builder, Decoder, Step
from .syntax import Instruction
from .types import SCALARS, Array, Scalar

Function = Callable[..., Any]
"""A function of the lanes' values of each operand."""


def apply(ins: Instruction, d: Decoder, function: Function, target: Scalar, *sources: Scalar) -> Step:
    """Returns a step that writes `function` of operands 1… (read as `sources`) to operand 0 (of type `target`)."""
    put = d.write(d.operand(0), target)
    reads = [d.read(d.operand(i + 1), source) for i, source in enumerate(sources)]
    if len(reads) == 1:
        (a,) = reads
        return lambda m, lanes: put(m, lanes, function(a(m, lanes)))
    if len(reads) == 2:
        a, b = reads
        return lambda m, lanes: put(m, lanes, function(a(m, lanes), b(m, lanes)))
    if len(reads) == 3:
        a, b, c = reads
        return lambda m, lanes: put(m, lanes, function(a(m, lanes), b(m, lanes), c(m, lanes)))
    return lambda m, lanes: put(m, lanes, function(*(read(m, lanes) for read in reads)))


def unsigned(type_: Scalar) -> Scalar:
    return SCALARS[f"u{type_.bits}"]


def widened(type_: Scalar) -> Scalar:
    return SCALARS[f"{'s' if type_.kind == 's' else 'u'}{2 * type_.bits}"]


# --- products --------------------------------------------------------------------------------------


def high_product(type_: Scalar) -> Function:
    """Returns the function for the upper half of the double-width product."""
    if type_.bits < 64:
        wide = widened(type_).dtype
        shift = wide.type(type_.bits)
        return lambda a, b: (a.astype(wide) * b.astype(wide) >> shift).astype(type_.dtype)
    if type_.kind != "s":
        return _high64
    sign = np.int64(63)

    def signed(a: Array, b: Array) -> Array:
        high = _high64(a.view(np.uint64), b.view(np.uint64)).view(np.int64)
        return high - (b & (a >> sign)) - (a & (b >> sign))

    return signed


def _high64(a: Array, b: Array) -> Array:
    low, half = np.uint64(0xFFFF_FFFF), np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    other = a0 * b1 + (middle & low)
    return a1 * b1 + (middle >> half) + (other >> half)


def _product(type_: Scalar, part: str) -> tuple[Function, Scalar]:
    if part == "wide":
        wide = widened(type_)
        return (lambda a, b: a.astype(wide.dtype) * b.astype(wide.dtype)), wide
    if part == "hi":
        return high_product(type_), type_
    return np.multiply, type_


def build_mul(ins: Instruction, d: Decoder) -> Step:
    _, part, name = ins.parts
    type_ = d.scalar(name)
    function, target = _product(type_, part)
    return apply(ins, d, function, target, type_, type_)


def build_mad(ins: Instruction, d: Decoder) -> Step:
    _, part, name = ins.parts
    type_ = d.scalar(name)
    function, target = _product(type_, part)
    return apply(ins, d, lambda a, b, c: function(a, b) + c, target, type_, type_, target)


def build_mul24(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    lift = type_.dtype.type(8)
    function: Function = lambda a, b, *c: sum(c, start=((a << lift) >> lift) * ((b << lift) >> lift))  # noqa: E731
    return apply(ins, d, function, type_, *[type_] * (len(ins.operands) - 1))


def build_dot(ins: Instruction, d: Decoder) -> Step:
    """`dp4a.s32.u32 d, a, b, c`: c plus four products of bytes; `dp2a.lo|hi`: c plus a's halves times two of b's bytes."""
    name, *part, left, right = ins.parts
    wide = 1 if name == "dp4a" else 2
    kinds = [np.dtype(f"{'i' if t == 's32' else 'u'}{size}") for t, size in ((left, wide), (right, 1))]
    count, start = 4 // wide, 2 if part == ["hi"] else 0
    out = SCALARS["s32" if "s32" in (left, right) else "u32"]
    u32 = SCALARS["u32"]

    def dot(a: Any, b: Any, c: Any) -> Any:
        a, b, c = (np.ascontiguousarray(x) for x in np.broadcast_arrays(*(np.atleast_1d(x) for x in (a, b, c))))
        first = a.view(kinds[0]).reshape(-1, count).astype(np.int64)
        second = b.view(kinds[1]).reshape(-1, 4)[:, start : start + count].astype(np.int64)
        return ((first * second).sum(axis=1) + c).astype(out.dtype)

    return apply(ins, d, dot, out, u32, u32, out)


# --- addition --------------------------------------------------------------------------------------


def build_add(ins: Instruction, d: Decoder) -> Step:
    type_, limits = d.scalar(ins.parts[-1]), np.iinfo(np.int32)
    operation = np.add if ins.parts[0] == "add" else np.subtract

    def saturate(a: Array, b: Array) -> Array:
        return np.clip(operation(a.astype(np.int64), b.astype(np.int64)), limits.min, limits.max).astype(np.int32)

    return apply(ins, d, saturate if "sat" in ins.parts else operation, type_, type_, type_)


def build_carry(ins: Instruction, d: Decoder) -> Step:
    """`add.cc`, `subc`, `mad.lo.cc`, `madc.hi` …: the carry flag is a register of the machine."""
    name, *modifiers, type_name = ins.parts
    type_ = unsigned(d.scalar(type_name))
    subtract, takes, gives = name.startswith("sub"), name.endswith("c"), "cc" in modifiers
    put = d.write(d.operand(0), type_)
    reads = [d.read(operand, type_) for operand in ins.operands[1:]]
    mask = (1 << type_.bits) - 1
    shift = type_.bits if "hi" in modifiers else 0
    signs = type_.dtype.str.replace("u", "i") if shift and type_name[0] == "s" else type_.dtype.str

    def step(m: Any, lanes: Any) -> None:
        *a, b = (np.broadcast_to(r(m, lanes), lanes.count) for r in reads)
        first = a[0].astype(object)
        if len(a) == 2:
            first = (a[0].view(signs).astype(object) * a[1].view(signs).astype(object) >> shift) & mask
        carry = m.carry[lanes.select].astype(object) if takes else 0
        total = first - b.astype(object) - carry if subtract else first + b.astype(object) + carry
        put(m, lanes, (total & mask).astype(type_.dtype))
        if gives:
            m.carry[lanes.select] = ((total < 0) | (total > mask)).astype(np.bool_)

    return step


# --- quotients -------------------------------------------------------------------------------------


def quotient(a: Any, b: Any) -> Any:
    """Divides and truncates; raises a `Violation` for a zero divisor."""
    reject(np.atleast_1d(b == 0), DivisionByZero)
    result = np.floor_divide(a, b)
    if np.issubdtype(b.dtype, np.signedinteger):
        result = result + ((result * b != a) & ((a < 0) != (b < 0)))
    return result.astype(b.dtype)


def remainder(a: Any, b: Any) -> Any:
    return (a - quotient(a, b) * b).astype(b.dtype)


# --- shifts ----------------------------------------------------------------------------------------


def build_shift(ins: Instruction, d: Decoder) -> Step:
    """Builds shifts; PTX clamps the amount to the width, which shifts every bit out."""
    name, type_name = ins.parts
    type_ = d.scalar(type_name)
    width = np.uint32(type_.bits)
    word = type_.dtype.type
    operation = np.left_shift if name == "shl" else np.right_shift

    def shift(a: Any, n: Any) -> Any:
        shifted = operation(a, np.minimum(n, width - 1).astype(type_.dtype))
        return shifted if type_.kind == "s" else np.where(n < width, shifted, word(0))

    return apply(ins, d, shift, type_, type_, SCALARS["u32"])


ELEMENTWISE: dict[str, Function] = {
    "div": quotient,
    "rem": remainder,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "neg": np.negative,
    "sad": lambda a, b, c: c + np.where(a < b, b - a, a - b),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "cnot": lambda a: (a == 0).astype(a.dtype),
}
"""The functions of opcodes whose operands all have the opcode's last type."""


def elementwise(function: Function) -> Builder:
    """Returns a builder that applies `function` to all operands but the first, in the opcode's last type."""

    def build(ins: Instruction, d: Decoder) -> Step:
        type_ = d.scalar(ins.parts[-1])
        return apply(ins, d, function, type_, *[type_] * (len(ins.operands) - 1))

    return build
