"""
Functions of tiles that PTO lacks, from those that it has. They are formulas on f32, with errors below 2 ulp, and `erfc` below 6 ulp, if `exp` and the
quotients are rounded correctly: near zero a polynomial, whose error is relative, and elsewhere a formula whose error is absolute.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log

from .values import Value

Apply = Callable[..., Value]
"""
`apply("mul", x, 2.0)` returns a function of tiles and numbers. So do the comparisons, which return masks, `select`, `bits`, which returns the
bits of f32 as i32, `floats`, its inverse, and `number`, which converts to f32. A whole number is of i32 where the other operand is.
"""


def exp2(apply: Apply, x: Value) -> Value:
    """Returns `exp(x · ln 2)`."""
    return apply("exp", apply("mul", x, log(2)))


TANH = (0.0, -0.333332995, 0.133319583, -0.0537866784, 0.0208053799, -0.00590585982)
"""Coefficients of `tanh(x) / x - 1` in x², with an error below 3e-9 for |x| < 0.6, by least squares with weights."""
ERF = (0.128379154, -0.376125233, 0.112821406, -0.0267789023, 0.00501195294, -0.000609030756)
"""Coefficients of `erf(x) / x - 1` in x², with an error below 1.2e-8 for |x| < 0.9."""
ERFC = (
    0.282075882,
    0.282588154,
    0.241330966,
    0.210631758,
    -0.0476103276,
    0.311571658,
    -0.5188151,
    0.300694734,
    -0.0624619983,
)
"""Coefficients of `erfc(x) exp(x²)` in `t = 1 / (1 + x / 2)`, from t on, with a relative error below 2^-26 for 0.45 < x < 10.2."""


def powers(apply: Apply, x: Value, coefficients: Sequence[float]) -> Value:
    """Returns the sum of coefficients times x, x² and so on."""
    total = apply("mul", x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        total = apply("mul", apply("add", total, coefficient), x)
    return total


def near(apply: Apply, x: Value, coefficients: Sequence[float]) -> Value:
    """Returns `x + x (c0 + c1 x² + …)`."""
    first, *others = coefficients
    sum_ = powers(apply, apply("mul", x, x), others)
    return apply("add", x, apply("mul", x, apply("add", sum_, first) if first else sum_))


def near_zero(apply: Apply, x: Value, limit: float, coefficients: Sequence[float], elsewhere: Value) -> Value:
    """Returns `near` where |x| is below a limit."""
    return apply("select", apply("lt", apply("abs", x), limit), near(apply, x, coefficients), elsewhere)


def tanh(apply: Apply, x: Value) -> Value:
    """Returns `1 - 2 / (exp(2x) + 1)`, or the polynomial."""
    quotient = apply("div", 2.0, apply("add", apply("exp", apply("mul", x, 2.0)), 1.0))
    return near_zero(apply, x, 0.6, TANH, apply("sub", 1.0, quotient))


def scaled_complement(apply: Apply, size: Value) -> Value:
    """Returns `erfc(x) exp(x²)` for x that are not near zero."""
    return powers(apply, apply("recip", apply("add", apply("mul", size, 0.5), 1.0)), ERFC)


def erf(apply: Apply, x: Value) -> Value:
    """Returns one minus the complement for |x|, with the sign of x, or the polynomial."""
    complement = apply("mul", scaled_complement(apply, apply("abs", x)), apply("exp", apply("neg", apply("mul", x, x))))
    return near_zero(apply, x, 0.9, ERF, apply("mul", apply("sub", 1.0, complement), sign(apply, x)))


def erfc(apply: Apply, x: Value) -> Value:
    """Returns the complement for |x|, or two minus that, or one minus `erf(x)`. The exponential is that of x² and of the error of x²."""
    size = apply("min", apply("abs", x), 11.0)
    square, error = product(apply, size, size)
    e = apply("exp", apply("neg", square))
    complement = apply("mul", apply("sub", e, apply("mul", e, error)), scaled_complement(apply, size))
    far = apply("select", apply("lt", x, 0.0), apply("sub", 2.0, complement), complement)
    return apply("select", apply("lt", size, 0.5), apply("sub", 1.0, near(apply, x, ERF)), far)


def sign(apply: Apply, x: Value) -> Value:
    """Returns -1, 0 or 1: the clamped product of x, which may be subnormal, and a large number."""
    return apply("min", apply("max", apply("mul", apply("mul", x, 1e38), 1e38), -1.0), 1.0)


def expm1(apply: Apply, x: Value) -> Value:
    """Returns `tanh(x / 2) (exp(x) + 1)`."""
    return apply("mul", tanh(apply, apply("mul", x, 0.5)), apply("add", apply("exp", x), 1.0))


def log1p(apply: Apply, x: Value) -> Value:
    """
    Returns `log(u) · x / (u - 1)` for `u = 1 + x`, where the errors of u and of its logarithm cancel; `x - x² / 2` near zero, and the
    logarithm of large numbers. Source: W. Kahan, HP-15C Advanced Functions Handbook.
    """
    u = apply("add", x, 1.0)
    log_u = apply("log", u)
    middle = apply("mul", log_u, apply("div", x, apply("sub", u, 1.0)))
    series = apply("sub", x, apply("mul", apply("mul", x, x), 0.5))
    far = apply("select", apply("lt", x, 1e8), middle, log_u)
    return apply("select", apply("lt", apply("abs", x), 2.0**-12), series, far)


LN2 = (0.693145751953125, 1.4286068203094172e-06)
"""The logarithm of 2, as a number of 16 bits and the rest."""
SQRT_HALF = 0x3F3504F3
"""The bits of the square root of 1/2."""


def halves(apply: Apply, x: Value) -> tuple[Value, Value]:
    """Returns two numbers of 12 bits whose sum is x. Products of such numbers are exact."""
    high = apply("floats", apply("and", apply("bits", x), -4096))
    return high, apply("sub", x, high)


def product(apply: Apply, a: Value, b: Value) -> tuple[Value, Value]:
    """Returns a product, and its error."""
    total, (ah, al), (bh, bl) = apply("mul", a, b), halves(apply, a), halves(apply, b)
    error = apply("sub", apply("mul", ah, bh), total)
    for x, y in ((ah, bl), (al, bh), (al, bl)):
        error = apply("add", error, apply("mul", x, y))
    return total, error


def logarithm(apply: Apply, x: Value) -> tuple[Value, Value]:
    """
    Returns the logarithm of positive x as the sum of two numbers, with an error below 2^-29 of it: `x = 2^k m` with m between the square roots
    of 1/2 and 2, and `log m` is the series of `2 atanh s` for `s = (m - 1) / (m + 1)`.
    """
    is_tiny = apply("lt", x, 2.0**-126)
    bits = apply("bits", apply("select", is_tiny, apply("mul", x, 2.0**24), x))
    exponent = apply("shift_right_arithmetic", apply("sub", bits, SQRT_HALF), 23)
    m = apply("floats", apply("sub", bits, apply("shift_left", exponent, 23)))
    k = apply("number", exponent)
    k = apply("select", is_tiny, apply("sub", k, 24.0), k)
    f, d = apply("sub", m, 1.0), apply("add", m, 1.0)
    s = apply("div", f, d)
    whole, error = product(apply, s, d)
    rest = apply("sub", apply("sub", f, whole), error)
    rest = apply("sub", rest, apply("mul", s, apply("sub", m, apply("sub", d, 1.0))))
    square = apply("mul", s, s)
    series = powers(apply, square, [2 / n for n in (3, 5, 7, 9, 11)])
    low = apply("add", apply("mul", apply("div", rest, d), 2.0), apply("mul", s, series))
    low = apply("add", low, apply("mul", k, LN2[1]))
    first, second = apply("mul", k, LN2[0]), apply("mul", s, 2.0)
    high = apply("add", first, second)
    part = apply("sub", high, first)
    error = apply("add", apply("sub", first, apply("sub", high, part)), apply("sub", second, part))
    low = apply("add", low, error)
    total = apply("add", high, low)
    return total, apply("sub", low, apply("sub", total, high))


def power(apply: Apply, x: Value, y: Value) -> Value:
    """Returns `exp(y log |x|)`, with the sign of x if y is odd. The product has twice the bits of f32. Source: IEEE 754 §9.2.1."""
    size = apply("abs", x)
    high, low = logarithm(apply, size)
    is_number = apply("and", apply("gt", size, 0.0), apply("lt", size, float("inf")))
    high = apply("select", is_number, high, apply("log", size))
    exponent, error = product(apply, y, high)
    error = apply("add", error, apply("mul", y, low))
    error = apply("select", apply("lt", apply("abs", exponent), 104.0), error, 0.0)
    result = apply("mul", apply("exp", exponent), apply("add", error, 1.0))
    is_whole = apply("eq", apply("round", y), y)
    is_even = apply("eq", apply("mul", apply("round", apply("mul", y, 0.5)), 2.0), y)
    is_negative = apply("lt", apply("bits", x), 0)
    is_odd = apply("and", is_whole, apply("not", is_even))
    result = apply("select", apply("and", is_negative, is_odd), apply("neg", result), result)
    undefined = apply("and", apply("and", is_negative, is_number), apply("not", is_whole))
    result = apply("select", undefined, float("nan"), result)
    is_one = apply("and", apply("eq", size, 1.0), apply("eq", apply("abs", y), float("inf")))
    is_one = apply("or", apply("or", is_one, apply("eq", x, 1.0)), apply("eq", y, 0.0))
    return apply("select", is_one, 1.0, result)


ROUNDINGS = {"floor": "CAST_FLOOR", "ceil": "CAST_CEIL", "round": "CAST_RINT"}
"""How conversions to integers round for functions whose results are whole numbers."""
WHOLE = 1 << 23
"""Numbers of f32 that are not below are whole."""
