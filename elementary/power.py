"""
pow: |x|^y = e^(y · log |x|), for two operands of at most 24 bits.

`fast` has a relative error below 2^-52. Where the interval of 2^-50 about it holds a rounding boundary of the format asked for, `accurate`
decides, in double-double arithmetic with an error of about 2^-95. Exact results and midpoints, where no accuracy decides, are known by a
criterion: x is a power of two, or 8 y is an integer below 128; a pair within 2^-85 of its high part is then taken as exact.

That `accurate` rounds correctly is not proven: of the about 2^60 pairs with a finite result, one is expected with probability 2^-10 to
lie closer to a boundary than its error. For all other functions, all inputs were tried.
"""

from __future__ import annotations

from .arithmetic import (
    MANTISSA,
    SHIFTER,
    Pair,
    add_pairs,
    clamp,
    fast_two_sum,
    magnitude,
    multiply_pairs,
    nearest_integer,
    pair_polynomial,
    row,
    scale,
    two_product,
    two_sum,
)
from .exponential import exp_of, fraction_power
from .graph import Value, bits, convert, select
from .logarithm import log, reduce
from .tables import constant, constants, load

UNDERFLOW, OVERFLOW = -110.0, 95.0
"""Exponents of e beyond which the result rounds to zero or infinity."""
UNCERTAINTY = 2.0**-50
TINY = 2.0**-85
INF, NAN = float("inf"), float("nan")


def fast(x: Value, y: Value) -> Pair:
    """Returns x^y for a positive, finite x and a finite y."""
    high, low = log(x)
    product, error = two_product(y, high)
    product, error = fast_two_sum(product, error + y * low)
    error = select((product > OVERFLOW) | (product < UNDERFLOW), 0.0, error)
    return exp_of(clamp(product, UNDERFLOW, OVERFLOW), error)


def _accurate_log(x: Value) -> Pair:
    ln2 = constants("log.ln2_parts")
    reduced = reduce(x)
    c, log_high, _ = row("log", reduced.index, 3)
    log_middle, log_low = row("log.tail", reduced.index, 2)
    z, e = reduced.m * c - 1.0, convert(reduced.exponent)
    zero = x.graph.lift(0.0, "f64")
    curved = pair_polynomial((z, zero), load()["log.series_pairs"].tolist(), constants("log.series_tail"))
    curved = multiply_pairs(two_product(z, z), curved)
    top = e * ln2[0] + log_high + z  # exact
    middle, low = e * ln2[1] + log_middle, e * ln2[2] + log_low  # the middle is exact
    high, rest = add_pairs(curved, (middle, low))
    total, error = two_sum(top, high)
    return fast_two_sum(total, error + rest)


def accurate(x: Value, y: Value) -> Pair:
    """Returns x^y for a positive, finite x and a finite y, exactly where it is a midpoint or a number of a format."""
    high, low = _accurate_log(x)
    product, error = two_product(high, y)
    product, error = fast_two_sum(product, error + low * y)
    error = select((product > OVERFLOW) | (product < UNDERFLOW), 0.0, error)
    product = clamp(product, UNDERFLOW, OVERFLOW)
    step = constants("exp.step_parts")
    steps, k = nearest_integer(product * constant("exp.inverse_step"))
    total, rest = two_sum(error, -(steps * step[1]))
    r, r_low = two_sum(product - steps * step[0], total)
    r = fast_two_sum(r, r_low + (rest - steps * step[2]))
    grown = pair_polynomial(r, load()["exp.series_pairs"].tolist(), constants("exp.series_tail"))
    grown = add_pairs(r, multiply_pairs(grown, multiply_pairs(r, r)))
    power, t, t_low = fraction_power(k)
    high, low = add_pairs((t, t_low), multiply_pairs((t, t_low), grown))
    eighths = y * 8.0
    few = (y > 0.0) & (y < 16.0) & (eighths + SHIFTER - SHIFTER).equals(eighths)
    exact = few | (bits(x) & MANTISSA).equals(0)
    return scale(power, (high, select(exact & (magnitude(low) < high * TINY), 0.0, low)))


def with_signs(x: Value, y: Value, result: Value) -> Value:
    """Returns x^y, given |x|^y for finite operands and x ≠ 0: the signs and the special values of IEEE 754 `pow`."""
    size, y_size = magnitude(x), magnitude(y)
    half = y_size * 0.5
    integral = (y_size >= 2.0**53) | (y_size + SHIFTER - SHIFTER).equals(y_size)
    odd = integral & (y_size < 2.0**24) & (half + SHIFTER - SHIFTER).differs(half)
    negated = (bits(x) < 0) & odd
    growing = y > 0.0
    result = select(negated, -result, result)
    result = select((x < 0.0) & ~integral, NAN, result)
    result = select(x.equals(0.0), select(growing, select(negated, -0.0, 0.0), select(negated, -INF, INF)), result)
    large = select(growing, select(negated, -INF, INF), select(negated, -0.0, 0.0))
    result = select(size.equals(INF), large, result)
    limit = select(size.equals(1.0), 1.0, select((size > 1.0).equals(growing), INF, 0.0))
    result = select(y_size.equals(INF), limit, result)
    result = select(x.differs(x) | y.differs(y), NAN, result)
    return select(y.equals(0.0) | x.equals(1.0), 1.0, result)
