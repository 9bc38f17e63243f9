"""
The operations of IEEE 754 on binary32, binary16 and bfloat16, as graphs on binary64.

The binary64 result of a sum, difference, product, quotient or root of numbers of at most 24 bits, rounded again, is as if rounded once
(Figueroa, *When is double rounding innocuous?*, 1995); also where the result is subnormal, since a quotient of two such numbers is farther than
2^-50 from each midpoint that it does not equal. A fused multiply-add is rounded to odd first: its product is exact in binary64.
"""

from __future__ import annotations

from collections.abc import Callable

from .arithmetic import round_to_odd, two_sum
from .graph import Value, bits, number, select, square_root

NAN = float("nan")


def _fma(x: Value, y: Value, z: Value) -> Value:
    total, error = two_sum(x * y, z)
    return select((error > 0.0) | (error < 0.0), round_to_odd((total, error)), total)


def _minimum(x: Value, y: Value) -> Value:
    equal = number(bits(x) | bits(y))  # -0 and 0 are equal, and -0 is the smaller one
    smaller = select(x < y, x, select(y < x, y, equal))
    return select(x.equals(x) & y.equals(y), smaller, NAN)


def _maximum(x: Value, y: Value) -> Value:
    equal = number(bits(x) & bits(y))
    larger = select(x > y, x, select(y > x, y, equal))
    return select(x.equals(x) & y.equals(y), larger, NAN)


def _add(x: Value, y: Value) -> Value:
    return x + y


def _sub(x: Value, y: Value) -> Value:
    return x - y


def _mul(x: Value, y: Value) -> Value:
    return x * y


def _div(x: Value, y: Value) -> Value:
    return x / y


OPERATIONS: dict[str, tuple[int, Callable[..., Value]]] = {
    "add": (2, _add),
    "sub": (2, _sub),
    "mul": (2, _mul),
    "div": (2, _div),
    "min": (2, _minimum),
    "max": (2, _maximum),
    "sqrt": (1, square_root),
    "fma": (3, _fma),
}
"""The number of operands of each operation, and its graph. `min` and `max` are IEEE 754-2019 minimum and maximum."""
