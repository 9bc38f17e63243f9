"""
Arithmetic on pairs of binary64 numbers whose exact sum is the value (double-double), and the rounding of a pair to odd.

References: Dekker, *A floating-point technique for extending the available precision* (1971); Knuth, TAOCP 2, §4.2.2; Boldo and
Melquiond, *Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd* (2008).
"""

from __future__ import annotations

from collections.abc import Sequence

from .graph import Scalar, Value, bits, lookup, number, product_error, select

Pair = tuple[Value, Value]
SHIFTER = float.fromhex("0x1.8p52")
"""A number of magnitude below 2^51 added to this one is rounded to an integer, which is in the low bits of the sum."""
SHIFTER_BITS = 0x4338000000000000
MANTISSA_BITS = 52
MANTISSA = (1 << MANTISSA_BITS) - 1
BIAS = 1023


def two_sum(a: Value, b: Value | Scalar) -> Pair:
    """Returns the rounded sum and its error (Knuth)."""
    total = a + b
    added = total - a
    return total, (a - (total - added)) + (b - added)


def fast_two_sum(a: Value, b: Value | Scalar) -> Pair:
    """Returns the rounded sum and its error, if a is 0 or its exponent is not below that of b (Dekker)."""
    total = a + b
    return total, b - (total - a)


def two_product(a: Value, b: Value | Scalar) -> Pair:
    """Returns the rounded product and its error."""
    product = a * b
    return product, product_error(a, b, product)


def add_pairs(a: Pair, b: Pair) -> Pair:
    total, error = two_sum(a[0], b[0])
    low, low_error = two_sum(a[1], b[1])
    total, error = fast_two_sum(total, error + low)
    return fast_two_sum(total, error + low_error)


def multiply_pairs(a: Pair, b: Pair) -> Pair:
    product, error = two_product(a[0], b[0])
    return fast_two_sum(product, error + (a[0] * b[1] + a[1] * b[0]))


def divide_pairs(a: Pair, b: Pair) -> Pair:
    """Returns the quotient, if b is normalized: its high part is its sum, rounded."""
    quotient = a[0] / b[0]
    product, error = two_product(quotient, b[0])
    rest = ((a[0] - product) - error) + (a[1] - quotient * b[1])
    return quotient, rest / b[0]


def negate(pair: Pair) -> Pair:
    return -pair[0], -pair[1]


def scale(factor: Value | Scalar, pair: Pair) -> Pair:
    """Returns a pair times a power of two."""
    return pair[0] * factor, pair[1] * factor


def select_pair(condition: Value, on_true: Pair, on_false: Pair) -> Pair:
    return select(condition, on_true[0], on_false[0]), select(condition, on_true[1], on_false[1])


def magnitude(x: Value) -> Value:
    return select(x < 0.0, -x, x)


def with_sign_of(x: Value, pair: Pair) -> Pair:
    """Returns the pair, negated where x is negative."""
    return select_pair(x < 0.0, negate(pair), pair)


def within(x: Value, limit: float) -> Value:
    return (x < limit) & (x > -limit)


def clamp(x: Value, low: float, high: float) -> Value:
    """Returns x, or the bound that it exceeds; NaN stays."""
    x = select(x > high, high, x)
    return select(x < low, low, x)


def polynomial(x: Value, coefficients: Sequence[Value | Scalar]) -> Value:
    """Evaluates a polynomial, whose lowest coefficient is the first, by Horner's rule."""
    *rest, last = coefficients
    total = x.graph.lift(last, "f64")
    for coefficient in reversed(rest):
        total = total * x + coefficient
    return total


def pair_polynomial(x: Pair, coefficients: Sequence[Sequence[float]], tail: Sequence[float]) -> Pair:
    """Evaluates a polynomial: the high powers, `tail`, in one binary64 number, the low powers in pairs."""
    lift = x[0].graph.lift
    total = polynomial(x[0], tail), lift(0.0, "f64")
    for high, low in reversed(coefficients):
        total = add_pairs(multiply_pairs(total, x), (lift(high, "f64"), lift(low, "f64")))
    return total


def nearest_integer(x: Value) -> tuple[Value, Value]:
    """Returns the integer next to x, as a number and as an integer."""
    shifted = x + SHIFTER
    return shifted - SHIFTER, bits(shifted) - SHIFTER_BITS


def power_of_two(exponent: Value) -> Value:
    """Returns 2 to the power of an integer from -1022 to 1023."""
    return number((exponent + BIAS) << MANTISSA_BITS)


def row(table: str, index: Value, columns: int) -> list[Value]:
    """Returns a row of a table of that many columns."""
    first = index * columns
    return [lookup(table, first + k if k else first) for k in range(columns)]


def round_to_odd(pair: Pair) -> Value:
    """
    Returns the sum of a pair, rounded to odd: the sum itself if it is a binary64 number, otherwise that neighbor of it whose last bit is 1.
    A number rounded to odd, and then to nearest in a format of at most 51 bits, is as if rounded once.
    """
    total, error = fast_two_sum(*pair)
    pattern = bits(total)
    outward = (error > 0.0).equals(total > 0.0)
    even = (pattern & 1).equals(0)
    return number(select(error.differs(0.0) & even, pattern + select(outward, pattern * 0 + 1, -1), pattern))
