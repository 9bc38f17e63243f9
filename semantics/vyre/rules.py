"""
The results of expressions, on arrays with an element per invocation, and the table of the rules that make them total.

A U32 is a uint32, an I32 an int32, a U64 a uint64, a Bool a bool; a vector has its components on the last axis, as uint32. A float is its bits,
as uint32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dialects.vyre.floats import format_of
from ...dialects.vyre.types import FLOATS, DataType, boolean, i32, u32, u64, vec2u32
from ...elementary.words import COMPARISONS, evaluate

Array = npt.NDArray[Any]

TOTAL: tuple[tuple[str, str], ...] = (
    ("`load` or `load_word` out of bounds", "0, or false, or a vector of zeros"),
    ("`store` or `store_word` out of bounds", "nothing is stored"),
    ("`atomic` or `compare_exchange` out of bounds", "nothing is stored; the result is 0"),
    ("a byte stored in a `Bytes` buffer", "its low 8 bits; the other bytes of the word stay"),
    ("`add`, `sub`, `mul`, `neg`", "modulo 2³² or 2⁶⁴; I32 in two's complement"),
    ("`div`, `rem` by 0", "0"),
    ("`div`, `rem` of I32", "truncated towards 0; the remainder has the sign of the dividend"),
    ("-2147483648 `div` -1", "-2147483648; `rem` is 0"),
    ("`shl`, `shr`", "by the amount modulo the width, 32 or 64; of I32, `shr` copies the sign"),
    ("an op on vectors", "the op on each component, as U32"),
    ("`cast` to fewer bits", "the low bits"),
    ("`cast` of I32 to U64", "the sign is extended"),
    ("`cast` to Bool", "whether it is not 0"),
    ("a word of a Bool buffer", "0 is false, any other word true; stored as 0 or 1"),
    ("`for` with `from` not less than `to`", "no iteration"),
    ("workgroup memory, before it is stored", "0"),
    ("a float op without a result, such as 0 / 0", "NaN: 0x7FC00000, of F16 0x7E00, of BF16 0x7FC0"),
    ("`cast` of a float to an integer", "truncated, and the nearest integer of the type; NaN is 0"),
    ("`bitcast` to F16 or BF16", "of the low 16 bits; the others are ignored"),
    ("`reduce`, `dot`: an element out of bounds", "0"),
)
"""What happens where other languages have undefined behavior."""

DTYPES: dict[DataType, type[np.generic]] = {u32: np.uint32, i32: np.int32, u64: np.uint64, boolean: np.bool_}
"""NumPy's types of the elements; those of vectors are uint32."""


def dtype(t: DataType) -> type[np.generic]:
    return DTYPES.get(t, np.uint32)


def _divide(a: Array, b: Array) -> tuple[Array, Array]:
    """Returns quotient and remainder, both 0 where `b` is 0."""
    zero = b == 0
    divisor = np.where(zero, b.dtype.type(1), b)
    if a.dtype == np.int32:
        wide, by = a.astype(np.int64), divisor.astype(np.int64)
        quotient = np.abs(wide) // np.abs(by) * np.sign(wide) * np.sign(by)
        remainder = (wide - quotient * by).astype(np.int32)
        quotient = quotient.astype(np.int32)
    else:
        quotient, remainder = a // divisor, a % divisor
    nothing = a.dtype.type(0)
    return np.where(zero, nothing, quotient), np.where(zero, nothing, remainder)


def _amount(b: Array) -> Array:
    return b & b.dtype.type(8 * b.dtype.itemsize - 1)


BINOPS: dict[str, Callable[[Array, Array], Array]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: _divide(a, b)[0],
    "rem": lambda a, b: _divide(a, b)[1],
    "min": np.minimum,
    "max": np.maximum,
    "shl": lambda a, b: a << _amount(b),
    "shr": lambda a, b: a >> _amount(b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
UNOPS: dict[str, Callable[[Array], Array]] = {"not": np.invert, "neg": lambda a: (~a) + a.dtype.type(1)}


def compared(fn: str, a: Array, b: Array, t: DataType) -> Array:
    return evaluate(f"{fn}_{format_of(t)}", a, b) != 0 if t in FLOATS else COMPARISONS[fn](a, b)


def cast_to(value: Array, of: DataType, to: DataType) -> Array:
    """Returns a value converted to another type."""
    if of in FLOATS or to in FLOATS:
        return evaluate(f"{format_of(of)}_to_{format_of(to)}", value.view(np.uint32)).view(dtype(to))
    if to == boolean:
        return value != 0
    if to == vec2u32:
        return from_words(to_words(value, of), to)
    if of == vec2u32:
        return from_words(value, to)
    return value.astype(dtype(to))


def to_words(value: Array, t: DataType) -> Array:
    """Returns the words of each element, on an axis of their own, in the order in which they are in memory."""
    if t == u64:
        return np.stack([value & np.uint64(0xFFFFFFFF), value >> np.uint64(32)], axis=-1).astype(np.uint32)
    if t == i32:
        return value.view(np.uint32)[..., None]
    return value.astype(np.uint32)[..., None] if t in (u32, boolean, *FLOATS) else value


def from_words(words: Array, t: DataType) -> Array:
    """Returns elements from their words."""
    if t == u64:
        return words[..., 0].astype(np.uint64) | words[..., 1].astype(np.uint64) << np.uint64(32)
    if t == boolean:
        return words[..., 0] != 0
    if t in (u32, i32, *FLOATS):
        return np.ascontiguousarray(words[..., 0]).view(dtype(t))
    return words
