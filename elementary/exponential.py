"""
exp, exp2, expm1, sinh, cosh, tanh and the logistic function.

    e^x = 2^(k/128) · e^r    k = round(x · 128 / ln 2),  r = x - k · ln 2 / 128 in two parts, of which the first is exact

2^(k/128) is a power of two times one of 128 pairs; e^r - 1 is a polynomial of degree 7, |r| < 2^-8.5. Near zero, the functions that are
nearly x keep x exact and add a series.
"""

from __future__ import annotations

from .arithmetic import (
    Pair,
    clamp,
    divide_pairs,
    fast_two_sum,
    nearest_integer,
    polynomial,
    power_of_two,
    row,
    scale,
    select_pair,
    two_sum,
    within,
)
from .graph import Value
from .tables import constant, constants

STEPS = 128
STEP_BITS = 7


def fraction_power(k: Value) -> tuple[Value, Value, Value]:
    """Returns 2^(k/128) as a power of two and a pair in [1, 2)."""
    high, low = row("exp2", k & (STEPS - 1), 2)
    return power_of_two(k >> STEP_BITS), high, low


def exp_parts(x: Value, low: Value | None = None) -> tuple[Value, Value, Value]:
    """Returns e^(x + low) as a power of two, a number in [1, 2) and an addend below 2^-6.9. |x| is below 2^9."""
    step_high, step_low = constants("exp.step")
    steps, k = nearest_integer(x * constant("exp.inverse_step"))
    high = x - steps * step_high
    rest = -(steps * step_low) if low is None else low - steps * step_low
    r = high + rest
    grown = high + (rest + (r * r) * polynomial(r, constants("exp.series")))
    power, t, t_low = fraction_power(k)
    return power, t, t_low + t * grown


def exp_of(x: Value, low: Value | None = None) -> Pair:
    power, t, addend = exp_parts(x, low)
    return scale(power, (t, addend))


def exp(x: Value) -> Pair:
    return exp_of(clamp(x, -110.0, 95.0))


def exp2(x: Value) -> Pair:
    x = clamp(x, -160.0, 135.0)
    high, low, ln2 = constants("exp2.ln2")
    steps, k = nearest_integer(x * float(STEPS))
    f = x - steps * (1.0 / STEPS)  # exact
    r = f * ln2
    grown = f * high + (f * low + (r * r) * polynomial(r, constants("exp.series")))  # f * high is exact
    power, t, t_low = fraction_power(k)
    return scale(power, (t, t_low + t * grown))


def expm1_of(x: Value) -> Pair:
    """Returns e^x - 1 with the absolute error of e^x."""
    high, low = exp_of(x)
    total, error = two_sum(high, -1.0)
    return fast_two_sum(total, error + low)


def expm1(x: Value) -> Pair:
    x = clamp(x, -60.0, 95.0)
    square = x * x  # exact
    total, error = fast_two_sum(x, 0.5 * square)
    series = error + (square * x) * polynomial(x, constants("expm1.series"))
    return select_pair(within(x, 0.0625), (total, series), expm1_of(x))


def _near_zero(x: Value, limit: float, series: str, far: Pair) -> Pair:
    """Returns x + x³ · P(x²) near zero."""
    square = x * x
    return select_pair(within(x, limit), (x, (square * x) * polynomial(square, constants(series))), far)


def sinh(x: Value) -> Pair:
    x = clamp(x, -95.0, 95.0)
    up, down = exp_of(x), exp_of(-x)
    total, error = two_sum(0.5 * up[0], -0.5 * down[0])
    return _near_zero(x, 0.25, "sinh.series", fast_two_sum(total, error + 0.5 * (up[1] - down[1])))


def cosh(x: Value) -> Pair:
    x = clamp(x, -95.0, 95.0)
    up, down = exp_of(x), exp_of(-x)
    total, error = two_sum(0.5 * up[0], 0.5 * down[0])
    return fast_two_sum(total, error + 0.5 * (up[1] + down[1]))


def tanh(x: Value) -> Pair:
    """(e^2x - 1) / (e^2x + 1)."""
    x = clamp(x, -20.0, 20.0)
    numerator = expm1_of(x + x)
    high, low = two_sum(numerator[0], 2.0)
    return _near_zero(x, 0.125, "tanh.series", divide_pairs(numerator, (high, low + numerator[1])))


def sigmoid(x: Value) -> Pair:
    """1 / (1 + e^-x). Near zero it is 1/2 + x/4 - x³/48, within 2^-76 of ties, so that the first two terms are kept exact."""
    high, low = exp_of(-clamp(x, -110.0, 60.0))
    total, error = two_sum(high, 1.0)
    lift = x.graph.lift
    far = divide_pairs((lift(1.0, "f64"), lift(0.0, "f64")), fast_two_sum(total, error + low))
    square = x * x
    near, rest = two_sum(0.25 * x, 0.5)
    rest = rest + (square * x) * polynomial(square, constants("sigmoid.series"))
    return select_pair(within(x, 0.0625), (near, rest), far)
