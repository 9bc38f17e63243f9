"""
sin, cos and tan, for all magnitudes.

    |x| · 64/π = k + f    k an integer modulo 128, |f| ≤ 1/2, by the bits of 64/π that matter for the exponent of x (Payne and Hanek)

A row of a table holds 64/π · 2^(t-23) modulo 128 in four chunks of at most 29 bits, whose products with a significand of 24 bits are exact.
sin(π (k + f) / 64) follows from sines and cosines of k and two polynomials in f. Below 2^-12, a series is enough.
"""

from __future__ import annotations

from .arithmetic import (
    BIAS,
    MANTISSA,
    MANTISSA_BITS,
    SHIFTER,
    Pair,
    divide_pairs,
    fast_two_sum,
    magnitude,
    polynomial,
    row,
    select_pair,
    two_product,
    two_sum,
    with_sign_of,
)
from .graph import Value, bits, number, select
from .tables import constants

EXPONENTS = -12, 127
"""The smallest and the largest exponent that has a row of chunks."""
SMALL = 2.0**-12
PERIOD = 128
QUARTER = 32


def reduced_angle(size: Value) -> tuple[Value, Value, Value]:
    """Returns k, and f as a pair with an error of about 2^-100."""
    low, high = EXPONENTS
    pattern = bits(size)
    exponent = (pattern >> MANTISSA_BITS) - BIAS
    exponent = select(exponent < low, low, select(exponent > high, high, exponent))
    significand = number((pattern & MANTISSA) | ((BIAS + 23) << MANTISSA_BITS))
    first, second, third, fourth = (significand * c for c in row("trigonometric.chunks", exponent - low, 4))
    shifted = (first + second) + SHIFTER
    f = (first - (shifted - SHIFTER)) + second  # exact
    f_high, f_low = two_sum(f, third)
    return bits(shifted), f_high, f_low + fourth


def sine(k: Value, f: Value, f_low: Value) -> Pair:
    """Returns sin(π (k + f + f_low) / 64)."""
    sin_high, sin_low, cos_high, cos_low = row("trigonometric.sines", k & (PERIOD - 1), 4)
    square = f * f
    product, error = two_product(cos_high, f)
    total, rest = fast_two_sum(sin_high, product)
    curved = sin_high * (square * polynomial(square, constants("cos.series")))
    curved = curved + product * (square * polynomial(square, constants("sin.series")))
    return fast_two_sum(total, rest + (curved + (error + (sin_low + (cos_low * f + cos_high * f_low)))))


def _series(x: Value, name: str) -> Value:
    """Returns a + b x²."""
    constant, quadratic = constants(name)
    return (x * x) * quadratic + constant


def sin(x: Value) -> Pair:
    size = magnitude(x)
    far = with_sign_of(x, sine(*reduced_angle(size)))
    return select_pair(size < SMALL, (x, (x * x * x) * _series(x, "sin.small")), far)


def cos(x: Value) -> Pair:
    size = magnitude(x)
    k, f, f_low = reduced_angle(size)
    near = x.graph.lift(1.0, "f64"), (x * x) * _series(x, "cos.small")
    return select_pair(size < SMALL, near, sine(k + QUARTER, f, f_low))


def tan(x: Value) -> Pair:
    size = magnitude(x)
    k, f, f_low = reduced_angle(size)
    far = with_sign_of(x, divide_pairs(sine(k, f, f_low), sine(k + QUARTER, f, f_low)))
    return select_pair(size < SMALL, (x, (x * x * x) * _series(x, "tan.small")), far)
