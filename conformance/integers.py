"""The integer ops in Python's own integers, which have no width. Spec: `vyre-ir-types`, DataType; the facts on total rules."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dialects.vyre.types import VECTORS, DataType, boolean, u64, vec2u32


def quotient(a: int, b: int) -> int:
    """Returns a / b, truncated towards 0; by 0, it is 0."""
    if b == 0:
        return 0
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


BINARY: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, width: a + b,
    "sub": lambda a, b, width: a - b,
    "mul": lambda a, b, width: a * b,
    "div": lambda a, b, width: quotient(a, b),
    "rem": lambda a, b, width: a - b * quotient(a, b) if b else 0,
    "min": lambda a, b, width: min(a, b),
    "max": lambda a, b, width: max(a, b),
    "shl": lambda a, b, width: a << b % width,
    "shr": lambda a, b, width: a >> b % width,
    "and": lambda a, b, width: a & b,
    "or": lambda a, b, width: a | b,
    "xor": lambda a, b, width: a ^ b,
}
"""The results before they are taken modulo the width of the type."""
UNARY: dict[str, Callable[[int], int]] = {"neg": lambda a: -a, "not": lambda a: ~a}
COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def binary(fn: str, t: DataType) -> Callable[..., Any]:
    """Returns a `vyre.binop` on the numbers of a type; on vectors, on each component."""
    op, width = BINARY[fn], 64 if t == u64 else 32
    if t in VECTORS:
        return lambda a, b: tuple(op(x, y, width) for x, y in zip(a, b, strict=True))
    return lambda a, b: op(a, b, width)


def unary(fn: str, t: DataType) -> Callable[..., Any]:
    """Returns a `vyre.unop` on the numbers of a type."""
    op = UNARY[fn]
    if t in VECTORS:
        return lambda a: tuple(map(op, a))
    return (lambda a: 1 - a) if t == boolean else op


def cast(of: DataType, to: DataType) -> Callable[..., Any]:
    """Returns a `vyre.cast` between types of integers, booleans and vectors."""
    if to == boolean:
        return lambda a: int(a != 0)
    if of == vec2u32:
        return lambda a: a[0] | a[1] << 32
    if to == vec2u32:
        return lambda a: (a, a >> 32)
    return lambda a: a


def select(condition: int, on_true: Any, on_false: Any) -> Any:
    return on_true if condition else on_false
