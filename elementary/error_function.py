"""
erf and erfc.

erf x is a Taylor polynomial of degree 9 about the next multiple of 1/64, and a series below 1/8. From 1/2 on, erfc x is e^(-x²) times a
Taylor polynomial, of degree 13 about the next multiple of 1/16, of e^(x²) erfc x; below it is 1 - erf x.
"""

from __future__ import annotations

from .arithmetic import (
    Pair,
    clamp,
    fast_two_sum,
    magnitude,
    nearest_integer,
    polynomial,
    row,
    scale,
    select_pair,
    two_product,
    two_sum,
    with_sign_of,
)
from .exponential import exp_parts
from .graph import Value, select
from .tables import constants


def _taylor(table: str, columns: int, x: Value, spacing: float, mask: int) -> Pair:
    """Returns the polynomial about the next multiple of `spacing`. Its constant is a pair."""
    center, index = nearest_integer(x * (1.0 / spacing))
    offset = x - center * spacing  # exact
    index = select(x.equals(x), index & mask, 0)
    high, low, *rest = row(table, index, columns)
    return fast_two_sum(high, low + offset * polynomial(offset, rest))


def erf(x: Value) -> Pair:
    size = magnitude(x)
    size = select(size > 4.0, 4.0, size)
    factor_high, factor_low = constants("erf.factor")
    square = size * size
    series = size * factor_low + (square * size) * polynomial(square, constants("erf.series"))
    near = fast_two_sum(size * factor_high, series)  # size * factor_high is exact
    far = _taylor("erf", 11, size, 1 / 64, 511)
    return with_sign_of(x, select_pair(size < 0.125, near, far))


def erfc(x: Value) -> Pair:
    high, low = erf(x)
    total, error = two_sum(-high, 1.0)
    near = fast_two_sum(total, error - low)
    size = clamp(x, 0.0, 10.125)
    scaled = _taylor("erfcx", 15, size, 1 / 16, 255)
    power, t, addend = exp_parts(-(size * size))
    product, error = two_product(t, scaled[0])
    far = fast_two_sum(product, error + (t * scaled[1] + addend * scaled[0]))
    return select_pair(x >= 0.5, scale(power, far), near)
