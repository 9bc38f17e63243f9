"""
Directed rounding of float64 (and of exact zeros): rare, so lane by lane in rationals (PTX ISA §9.7.3).

The nearest result is at most one step from the directed one; which side of it the exact value lies decides.
"""

from __future__ import annotations

# Lambdas over rationals, whose count varies.
# pyright: reportUnknownLambdaType=false
from collections.abc import Callable
from fractions import Fraction
from math import isfinite, isinf

import numpy as np

from .rounding import settle
from .types import Array

Exact = Callable[..., Fraction]
"""From the nearest result and the operands: that result minus the exact one, in sign."""

DIFFERENCES: dict[str, Exact] = {
    "add": lambda r, a, b: r - (a + b),
    "sub": lambda r, a, b: r - (a - b),
    "mul": lambda r, a, b: r - a * b,
    "fma": lambda r, a, b, c: r - (a * b + c),
    "mad": lambda r, a, b, c: r - (a * b + c),
    "div": lambda r, a, b: (r * b - a) * (1 if b > 0 else -1),
    "rcp": lambda r, a: (r * a - 1) * (1 if a > 0 else -1),
    "sqrt": lambda r, a: r * r - a,
}

_QUOTIENTS = (DIFFERENCES["div"], DIFFERENCES["rcp"])


def directed(name: str, nearest: Callable[..., Array], mode: str) -> Callable[..., Array]:
    """The float64 operation `name`, whose nearest-even form is `nearest`, rounded by `mode` (rz | rm | rp)."""
    difference = DIFFERENCES[name]

    def operation(*arguments: Array) -> Array:
        columns = np.broadcast_arrays(*(np.atleast_1d(a) for a in arguments))
        result = np.array(nearest(*columns))
        side = np.zeros(result.size)
        for i, row in enumerate(zip(result.tolist(), *(c.tolist() for c in columns), strict=True)):
            side[i] = _side(difference, *row)
        return settle(result, side > 0, side < 0, mode)

    return operation


def _side(difference: Exact, result: float, *operands: float) -> int:
    if not all(map(isfinite, operands)) or result != result:
        return 0
    if isinf(result):  # a division by zero is exact, an overflow is not
        return 0 if operands[-1] == 0 and difference in _QUOTIENTS else (1 if result > 0 else -1)
    exact = difference(Fraction(result), *map(Fraction, operands))
    return (exact > 0) - (exact < 0)


def signed_zeros(name: str, operation: Callable[..., Array], mode: str) -> Callable[..., Array]:
    """Sums that are exactly zero are -0 when rounding down, unless all terms are +0 (IEEE 754 §6.3)."""
    if mode != "rm" or name not in ("add", "sub", "fma", "mad"):
        return operation

    def with_sign(*arguments: Array) -> Array:
        result = operation(*arguments)
        *factors, last = (np.asarray(a).astype(np.float64) for a in arguments)
        term = factors[0] * factors[1] if len(factors) == 2 else factors[0]
        last = -last if name == "sub" else last
        cancelled = (term == -last) & (np.signbit(term) != np.signbit(last))
        cancelled &= (last != 0) | (np.minimum(np.abs(factors[0]), np.abs(factors[-1])) == 0)
        return np.where(cancelled, -np.abs(result), result)

    return with_sign
