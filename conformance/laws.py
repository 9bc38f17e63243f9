"""
Laws that an op must satisfy besides being equal to its oracle: commutativity, associativity, identities, involutions, symmetry, monotony.

A law is two results that must be equal, and the operands that show it if they are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dialects.vyre.floats import format_of
from ..dialects.vyre.types import FLOATS, DataType, boolean, i32
from .floats import INFINITY, ONE, SIGN
from .values import words_of

Array = npt.NDArray[Any]
Op = Callable[..., Array]
Sides = tuple[Array, Array, tuple[Array, ...]]
"""Two results that must be equal, and the operands."""


@dataclass(frozen=True)
class Law:
    """`sides` takes the op and its operands. `operands` names those of the two results."""

    name: str
    operands: tuple[str, ...]
    sides: Callable[[Op, Sequence[Array]], Sides]

    def inputs(self, arity: int) -> list[tuple[int, ...]]:
        """Returns inputs of the op, as numbers of `operands`, of which `sides` makes these operands again."""
        if arity == 1:
            return [(k,) for k in range(len(self.operands))]
        return {1: [(0, 0)], 2: [(0, 1)], 3: [(0, 1), (0, 2)]}[len(self.operands)]


def _like(word: Sequence[int], column: Array) -> Array:
    return np.broadcast_to(np.array(word, np.uint32), column.shape).copy()


def _commutative() -> Law:
    return Law("f(x, y) = f(y, x)", ("x", "y"), lambda f, c: (f(c[0], c[1]), f(c[1], c[0]), (c[0], c[1])))


def _associative() -> Law:
    def sides(f: Op, columns: Sequence[Array]) -> Sides:
        x, y = columns
        z = np.roll(y, 1, axis=0)
        return f(f(x, y), z), f(x, f(y, z)), (x, y, z)

    return Law("f(f(x, y), z) = f(x, f(y, z))", ("x", "y", "z"), sides)


def _with(e: int, result: int | None, t: DataType, shown: str) -> Law:
    """Returns the law that f(x, e) is x, or another constant. A float that is not a number counts as zero."""
    word = words_of([[e] * t.words if t.word.startswith("vec") else e], t)[0]

    def sides(f: Op, columns: Sequence[Array]) -> Sides:
        x = _without_nan(columns[0], t)
        got = f(x, _like(word, x))
        want = (
            x
            if result is None
            else _like(words_of([[result] * t.words if t.word.startswith("vec") else result], t)[0], x)
        )
        return got, want, (x,)

    return Law(f"f(x, {shown}) = {'x' if result is None else result}", ("x",), sides)


def _with_itself(result: int | None, t: DataType) -> Law:
    def sides(f: Op, columns: Sequence[Array]) -> Sides:
        x = _without_nan(columns[0], t)
        return f(x, x), x if result is None else np.full_like(x, result), (x,)

    return Law(f"f(x, x) = {'x' if result is None else result}", ("x",), sides)


def _involution(t: DataType) -> Law:
    return Law("f(f(x)) = x", ("x",), lambda f, c: (f(f(c[0])), c[0], (c[0],)))


def _symmetry(t: DataType, odd: bool) -> Law:
    sign = np.uint32(SIGN[format_of(t)])

    def sides(f: Op, columns: Sequence[Array]) -> Sides:
        x = _without_nan(columns[0], t)
        result = f(x)
        negated = np.where(_is_nan(result, t), result, result ^ sign) if odd else result
        return f(x ^ sign), negated, (x,)

    return Law("f(-x) = -f(x)" if odd else "f(-x) = f(x)", ("x",), sides)


def _monotone(t: DataType) -> Law:
    def sides(f: Op, columns: Sequence[Array]) -> Sides:
        x = np.sort(_ordered(_without_nan(columns[0], t), t), axis=0)
        x = _unordered(x, t)
        y = f(x)
        nan = _is_nan(y, t)
        keys = _ordered(y, t)
        holds = (keys[1:] >= keys[:-1]) | nan[1:] | nan[:-1] | _zeros(y[1:], y[:-1], t)
        return holds.astype(np.uint32), np.ones_like(x[1:]), (x[:-1], x[1:])

    return Law("x ≤ y → f(x) ≤ f(y)", ("x", "y"), sides)


# --- floats as numbers in order -----------------------------------------------------------------


def _magnitude(words: Array, t: DataType) -> Array:
    """Returns the bits without the sign."""
    return words & np.uint32(SIGN[format_of(t)] - 1)


def _is_nan(words: Array, t: DataType) -> Array:
    return _magnitude(words, t) > INFINITY[format_of(t)]


def _without_nan(words: Array, t: DataType) -> Array:
    return np.where(_is_nan(words, t), np.uint32(0), words) if t in FLOATS else words


def _ordered(words: Array, t: DataType) -> Array:
    """Returns integers in the order of the numbers; -0 is 0."""
    size = _magnitude(words, t).astype(np.int64)
    return np.where(words & np.uint32(SIGN[format_of(t)]), -size, size)


def _unordered(keys: Array, t: DataType) -> Array:
    return np.where(keys < 0, SIGN[format_of(t)] - keys, keys).astype(np.uint32)


def _zeros(a: Array, b: Array, t: DataType) -> Array:
    return (_magnitude(a, t) == 0) & (_magnitude(b, t) == 0)


# --- which ops have which laws -------------------------------------------------------------------

ODD = ("fsin", "ftan", "fsinh", "ftanh", "ferf", "fcbrt")
EVEN = ("fcos", "fcosh")
RISING = (
    "fexp",
    "fexp2",
    "fexpm1",
    "flog",
    "flog2",
    "flog10",
    "flog1p",
    "fsinh",
    "ftanh",
    "fsigmoid",
    "ferf",
    "fcbrt",
    "fsqrt",
)
COMMUTING = (
    *("add", "mul", "min", "max", "and", "or", "xor", "eq", "ne", "fadd", "fmul", "fmin", "fmax"),
    *("mul_high", "add_saturating", "abs_diff", "average_floor", "gcd"),
)
ASSOCIATING = ("add", "mul", "min", "max", "and", "or", "xor", "gcd", "fmin", "fmax", "add_saturating")
IDEMPOTENT = ("min", "max", "and", "or", "fmin", "fmax", "average_floor", "gcd")
INVOLUTIONS = ("neg", "not", "fneg", "byte_swap", "reverse_bits")
NEUTRAL = {
    **dict.fromkeys(("add", "sub", "or", "xor", "shl", "shr", "rotl", "rotr", "abs_diff", "add_saturating", "gcd"), 0),
    **dict.fromkeys(("mul", "div", "power"), 1),
}


def laws_of(fn: str, t: DataType) -> tuple[Law, ...]:
    """Returns the laws of an op whose operands have one type."""
    found: list[Law] = []
    if fn in COMMUTING:
        found.append(_commutative())
    if fn in ASSOCIATING:
        found.append(_associative())
    if fn in IDEMPOTENT:
        found.append(_with_itself(None, t))
    if fn in ("sub", "xor", "abs_diff"):
        found.append(_with_itself(0, t))
    if fn in INVOLUTIONS:
        found.append(_involution(t))
    if fn in NEUTRAL and t != boolean:
        found.append(_with(NEUTRAL[fn], None, t, str(NEUTRAL[fn])))
    if fn == "and" and t != boolean:
        found.append(_with(-1 if t == i32 else (1 << (t.BITS or 32)) - 1, None, t, "all bits"))
    if fn in ("mul", "and", "div", "rem") and t != boolean:
        found.append(_with(0, 0, t, "0"))
    if t in FLOATS:
        one = ONE[format_of(t)]
        neutral = {"fadd": SIGN[format_of(t)], "fsub": 0, "fmul": one, "fdiv": one, "fpow": one}
        if fn in neutral:
            found.append(_with(neutral[fn], None, t, {"fadd": "-0", "fsub": "0"}.get(fn, "1")))
        if fn in (*ODD, *EVEN):
            found.append(_symmetry(t, fn in ODD))
        if fn in RISING:
            found.append(_monotone(t))
    return tuple(found)
