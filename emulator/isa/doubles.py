"""
Directed rounding of float64 (PTX ISA §9.7.3), computed lane by lane with rational numbers because it is rare.

The result is the nearest float64, or the next float64 on the side on which the exact value lies.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isfinite, isinf

import numpy as np

from .rounding import settle
from .types import Array

Exact = Callable[..., Fraction]
"""Takes the nearest result and the operands; returns a number with the sign of (nearest - exact)."""


def directed(difference: Exact, nearest: Callable[..., Array], mode: str, *, divides: bool) -> Callable[..., Array]:
    """Returns the float64 operation whose nearest-even form is `nearest`, rounded by `mode` (rz | rm | rp)."""

    def operation(*arguments: Array) -> Array:
        columns = np.broadcast_arrays(*(np.atleast_1d(a) for a in arguments))
        result = np.array(nearest(*columns))
        side = np.zeros(result.size)
        for i, row in enumerate(zip(result.tolist(), *(c.tolist() for c in columns), strict=True)):
            side[i] = _side(difference, divides, *row)
        return settle(result, side > 0, side < 0, mode)

    return operation


def _side(difference: Exact, divides: bool, result: float, *operands: float) -> int:
    if not all(map(isfinite, operands)) or result != result:
        return 0
    if isinf(result):  # infinity is exact after a division by zero, but not after an overflow
        return 0 if operands[-1] == 0 and divides else (1 if result > 0 else -1)
    exact = difference(Fraction(result), *map(Fraction, operands))
    return (exact > 0) - (exact < 0)


def signed_zeros(name: str, operation: Callable[..., Array], mode: str) -> Callable[..., Array]:
    """Makes `operation` return -0 for sums that are exactly zero when rounding down, unless all terms are +0 (IEEE 754 §6.3)."""
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
