"""Logic, bit fields, selection and comparison (PTX ISA §9.7.1, §9.7.6, §9.7.8)."""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .alu import apply
from .decode import Decoder, Step
from .floats import flush
from .syntax import Instruction, Register, Vector
from .types import SCALARS, Scalar

U32, S32, PRED = SCALARS["u32"], SCALARS["s32"], SCALARS["pred"]


# --- counting and fields ---------------------------------------------------------------------------


def _bit_length(a: Any) -> Any:
    """Returns the bit lengths of unsigned values. 64-bit values are split, because frexp is exact only for 32 bits."""
    a = np.asarray(a)
    if a.dtype.itemsize == 8:
        high = (a >> np.uint64(32)).astype(np.uint32)
        low = a.astype(np.uint32)
        return np.where(high != 0, _bit_length(high) + 32, _bit_length(low))
    return np.frexp(a.astype(np.float64))[1]


def build_popc(ins: Instruction, d: Decoder) -> Step:
    return apply(ins, d, lambda a: np.bitwise_count(a).astype(np.uint32), U32, d.scalar(ins.parts[-1]))


def build_clz(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    return apply(ins, d, lambda a: (type_.bits - _bit_length(a)).astype(np.uint32), U32, type_)


def build_bfind(ins: Instruction, d: Decoder) -> Step:
    """Builds `bfind`: the position of the most significant bit that is not a sign bit, or all ones if there is none."""
    type_ = d.scalar(ins.parts[-1])

    def find(a: Any) -> Any:
        a = np.where(a < 0, ~a, a)
        top = _bit_length(a.view(f"u{type_.bytes}")) - 1
        shown = type_.bits - 1 - top if "shiftamt" in ins.parts else top
        return np.where(top < 0, -1, shown).astype(np.int32).view(np.uint32)

    return apply(ins, d, find, U32, type_)


def build_brev(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])

    def reverse(a: Any) -> Any:
        a = np.ascontiguousarray(np.atleast_1d(a))
        flags = np.unpackbits(a.view(np.uint8).reshape(-1, type_.bytes), axis=1, bitorder="little")
        return np.packbits(flags[:, ::-1], axis=1, bitorder="little").view(type_.dtype).reshape(-1)

    return apply(ins, d, reverse, type_, type_)


def build_bfe(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    bits = type_.bits

    def extract(a: Any, position: Any, length: Any) -> Any:
        """bfe: bits beyond the most significant one are zero, or the sign for signed types."""
        position = (position & np.uint32(255)).astype(np.int64)
        length = (length & np.uint32(255)).astype(np.int64)
        a = np.asarray(a)
        low = a >> np.minimum(position, bits - 1).astype(type_.dtype)
        if type_.kind != "s":
            low = np.where(position >= bits, 0, low).astype(type_.dtype)
        rest = (bits - np.clip(length, 1, bits)).astype(type_.dtype)
        field = (low << rest) >> rest
        return np.where(length == 0, 0, field).astype(type_.dtype)

    return apply(ins, d, extract, type_, type_, U32, U32)


def build_bfi(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    bits, word = type_.bits, type_.dtype.type

    def insert(a: Any, b: Any, position: Any, length: Any) -> Any:
        position = (position & np.uint32(255)).astype(np.int64)
        length = np.minimum((length & np.uint32(255)).astype(np.int64), bits)
        ones = np.where(length == 0, 0, word(2**bits - 1) >> (bits - np.maximum(length, 1)).astype(type_.dtype))
        shift = np.minimum(position, bits - 1).astype(type_.dtype)
        mask = np.where(position >= bits, 0, ones.astype(type_.dtype) << shift).astype(type_.dtype)
        return (b & ~mask) | ((a << shift) & mask)

    return apply(ins, d, insert, type_, type_, type_, U32, U32)


def build_shf(ins: Instruction, d: Decoder) -> Step:
    """Builds funnel shifts of `{b, a}`; a is the low word."""
    _, direction, mode, _ = ins.parts
    limit = np.uint64(32)

    def funnel(a: Any, b: Any, amount: Any) -> Any:
        n = amount.astype(np.uint64)
        n = np.minimum(n, limit) if mode == "clamp" else n & np.uint64(31)
        both = (b.astype(np.uint64) << limit) | a.astype(np.uint64)
        shifted = (both << n) >> limit if direction == "l" else both >> n
        return shifted.astype(np.uint32)

    return apply(ins, d, funnel, U32, U32, U32, U32)


_BYTES: dict[str, Callable[[int, int], int]] = {
    "f4e": lambda n, i: n + i,
    "b4e": lambda n, i: (n - i) & 7,
    "rc8": lambda n, i: n,
    "ecl": max,
    "ecr": min,
    "rc16": lambda n, i: 2 * (n & 1) + (i & 1),
}
"""For each mode of `prmt`: the source byte of the result's byte i, where n is the selector (0 to 3)."""


def build_prmt(ins: Instruction, d: Decoder) -> Step:
    which = _BYTES[ins.parts[2]] if len(ins.parts) == 3 else None
    table = np.array([sum(which(n, i) << 4 * i for i in range(4)) for n in range(4)], np.uint32) if which else None

    def permute(a: Any, b: Any, selector: Any) -> Any:
        if table is not None:
            selector = table[selector & np.uint32(3)]
        both = (b.astype(np.uint64) << np.uint64(32)) | a.astype(np.uint64)
        result = np.uint32(0)
        for i in range(4):
            nibble = (selector >> np.uint32(4 * i)) & np.uint32(15)
            byte = (both >> ((nibble & np.uint32(7)) * np.uint32(8)).astype(np.uint64)).astype(np.uint8)
            byte = np.where(nibble & np.uint32(8), (byte.view(np.int8) >> np.int8(7)).view(np.uint8), byte)
            result = result | (byte.astype(np.uint32) << np.uint32(8 * i))
        return result

    return apply(ins, d, permute, U32, U32, U32, U32)


def build_lop3(ins: Instruction, d: Decoder) -> Step:
    table = d.constant(d.operand(4))
    if not 0 <= table < 256:
        d.fail(f"{table} is not an 8-bit table")

    def look_up(a: Any, b: Any, c: Any) -> Any:
        result = np.uint32(0)
        for i in range(8):
            if table >> i & 1:
                result = result | ((a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c))
        return result

    return apply(ins, d, look_up, U32, U32, U32, U32)


# --- moving and choosing ---------------------------------------------------------------------------


def build_mov(ins: Instruction, d: Decoder) -> Step:
    """Builds `mov`, including packing and unpacking of `{a, b}`."""
    type_ = d.scalar(ins.parts[-1])
    target, source = d.operand(0), d.operand(1)
    if isinstance(target, Vector):
        whole, piece = _halved(d, type_, target)
        value, puts = d.peek(source, whole), [d.poke(item, piece) for item in target.items]

        def unpack(m: Any, lanes: Any) -> None:
            bits, defined = value(m, lanes)
            for i, put in enumerate(puts):
                put(m, lanes, (bits >> bits.dtype.type(i * piece.bits)).astype(piece.dtype), defined)

        return unpack
    if isinstance(source, Vector):
        whole, piece = _halved(d, type_, source)
        join, reads = d.poke(target, whole), [d.peek_part(item, piece) for item in source.items]

        def pack(m: Any, lanes: Any) -> None:
            total, known = np.zeros(lanes.count, whole.dtype), np.ones(lanes.count, np.bool_)
            for i, read in enumerate(reads):
                bits, defined = read(m, lanes)
                total |= bits.astype(whole.dtype) << whole.dtype.type(i * piece.bits)
                known &= defined
            join(m, lanes, total, known)

        return pack

    put, read = d.write(target, type_), d.read(source, type_)
    registers = [o.name for o in (target, source) if isinstance(o, Register) and o.name in d.slots and not o.negated]
    if len(registers) == 2 and all(d.kernel.registers[name].bits == type_.bits for name in registers):
        to, start = (d.slots[name] for name in registers)
        return lambda m, lanes: m.registers.copy(to, start, lanes)
    return lambda m, lanes: put(m, lanes, np.array(read(m, lanes)))


def _halved(d: Decoder, type_: Scalar, parts: Vector) -> tuple[Scalar, Scalar]:
    """Returns the unsigned types of a whole register and of its parts."""
    piece = SCALARS.get(f"u{type_.bits // len(parts.items)}")
    if piece is None:
        d.fail(f"{type_.bits} bits cannot be split into {len(parts.items)} parts")
    return SCALARS[f"u{type_.bits}"], piece


def build_selp(ins: Instruction, d: Decoder) -> Step:
    type_ = d.scalar(ins.parts[-1])
    bits = SCALARS[f"u{type_.bits}"] if type_.kind != "f" else type_
    return apply(ins, d, lambda a, b, p: np.where(p, a, b), bits, bits, bits, PRED)


def build_slct(ins: Instruction, d: Decoder) -> Step:
    *_, type_name, test_name = ins.parts
    type_, test = d.scalar(type_name), d.scalar(test_name)
    keep = (lambda c: flush(c, test) >= 0) if "ftz" in ins.parts else (lambda c: c >= 0)
    return apply(ins, d, lambda a, b, c: np.where(keep(c), a, b), type_, type_, type_, test)


# --- comparing -------------------------------------------------------------------------------------

_ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}
_COMBINE: dict[str, Callable[[Any, Any], Any]] = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def comparison(name: str, type_: Scalar) -> Callable[[Any, Any], Any]:
    """Returns a comparison by its PTX name. Ordered comparisons with NaN are false, unordered ones (`ltu`) true."""
    if type_.kind != "f":
        return _ORDERED[_UNSIGNED.get(name, name)]
    if name == "ne":
        return lambda a, b: (a != b) & ~(np.isnan(a) | np.isnan(b))
    if name == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if name == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    ordered = _ORDERED[name[:2]]
    return ordered if name in _ORDERED else lambda a, b: ordered(a, b) | np.isnan(a) | np.isnan(b)


def build_setp(ins: Instruction, d: Decoder) -> Step:
    """`setp.lt[.and].f32 p[|q], a, b[, c]` and `set`."""
    name, test_name, *modifiers, type_name = ins.parts
    combine = next((_COMBINE[m] for m in modifiers if m in _COMBINE), None)
    type_ = d.scalar(type_name)
    test = comparison(test_name, type_)
    if "ftz" in modifiers:
        plain = test
        test = lambda a, b: plain(flush(a, type_), flush(b, type_))  # noqa: E731
    left, right = d.read(d.operand(1), type_), d.read(d.operand(2), type_)
    third = d.read(d.operand(3), PRED) if combine else None
    target = d.scalar(modifiers[-1]) if name == "set" else PRED
    puts = [d.write(item, target) for item in d.destinations()]
    zero = np.array(0, target.dtype)
    # the value that `set` writes for true is 1.0, or all ones in an integer
    true = np.array(1, target.dtype) if target.kind in "pf" else np.array(-1, f"i{target.bytes}").view(target.dtype)

    def step(m: Any, lanes: Any) -> None:
        result = test(left(m, lanes), right(m, lanes))
        for put in puts:
            value = combine(result, third(m, lanes)) if combine and third else result
            put(m, lanes, value if target is PRED else np.where(value, true, zero))
            if len(puts) > 1:
                result = np.logical_not(result)

    return step
