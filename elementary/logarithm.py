"""
log, log2, log10 and log1p.

    log x = e · ln 2 - log c + log(1 + z)    x = 2^e · m,  c ≈ 1/m of 12 bits from a table of 128,  z = m · c - 1 exactly

For |z| < 2^-7, log(1 + z) is z and a polynomial. e · ln 2, -log c and z are multiples of 2^-40, so that their sum is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arithmetic import MANTISSA_BITS, Pair, fast_two_sum, polynomial, row, select_pair, two_product, two_sum
from .graph import Value, bits, convert, number, select
from .tables import constants

ROWS = 128
FIRST = 0x3FE6800000000000
"""The bits of the smallest m, 0.703125."""


@dataclass(frozen=True)
class Reduced:
    """x = 2^exponent · m with m in [0.703125, 1.40625), and the row of the table that belongs to m."""

    exponent: Value
    shifted: Value
    index: Value
    m: Value


def reduce(x: Value) -> Reduced:
    pattern = bits(x)
    offset = pattern - FIRST
    exponent = offset >> MANTISSA_BITS
    shifted = exponent << MANTISSA_BITS
    index = (offset >> (MANTISSA_BITS - 7)) & (ROWS - 1)
    return Reduced(exponent, shifted, index, number(pattern - shifted))


def log_parts(x: Value) -> tuple[Value, Value, Value]:
    """Returns e, high and low with log x = e · ln 2 + high + low; high is a multiple of 2^-40. x is positive and has at most 40 bits."""
    reduced = reduce(x)
    c, log_high, log_low = row("log", reduced.index, 3)
    z = reduced.m * c - 1.0
    return convert(reduced.exponent), log_high + z, log_low + (z * z) * polynomial(z, constants("log.series"))


def log(x: Value) -> Pair:
    ln2_high, ln2_low = constants("log.ln2")
    e, high, low = log_parts(x)
    return fast_two_sum(e * ln2_high + high, e * ln2_low + low)


def log2(x: Value) -> Pair:
    factor_high, factor_low = constants("log2.factor")
    e, high, low = log_parts(x)
    product, error = two_product(high, factor_high)
    total, rest = fast_two_sum(e, product)
    return fast_two_sum(total, rest + (error + (high * factor_low + low * factor_high)))


def log10(x: Value) -> Pair:
    factor_high, factor_low = constants("log10.factor")
    high, low = log(x)
    product, error = two_product(high, factor_high)
    return fast_two_sum(product, error + (high * factor_low + low * factor_high))


def log1p(x: Value) -> Pair:
    """log(1 + x), where 1 + x is a pair. Near zero, x is kept exact."""
    ln2_high, ln2_low = constants("log.ln2")
    total, tail = two_sum(x, 1.0)  # the tail is not 0 only for |x| < 2^-29 or x >= 2^29
    reduced = reduce(total)
    c, log_high, log_low = row("log", reduced.index, 3)
    product, error = two_product(reduced.m, c)
    z = product - 1.0
    finite = reduced.exponent < 1000
    shrink = number((1023 << MANTISSA_BITS) - select(finite, reduced.shifted, 0))
    z_low = error + select(finite, tail, 0.0) * (c * shrink)
    e = convert(reduced.exponent)
    high, rest = two_sum(e * ln2_high + log_high, z)
    series = (z * z) * polynomial(z, constants("log.series"))
    far = fast_two_sum(high, rest + (e * ln2_low + log_low + (z_low - z * z_low) + series))
    near = (x, (x * x) * polynomial(x, constants("log.series")))
    return select_pair((x < 0.0078125) & (x > -0.00390625), near, far)
