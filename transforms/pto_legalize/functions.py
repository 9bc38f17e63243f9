"""Functions of tiles that PTO lacks, from those that it has. They are formulas on f32; errors are absolute, of the last bits of f32."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log

from .values import Value

Apply = Callable[..., Value]
"""`apply("mul", x, 2.0)` returns a function of tiles and numbers."""


def exp2(apply: Apply, x: Value) -> Value:
    """Returns `exp(x · ln 2)`."""
    return apply("exp", apply("mul", x, log(2)))


def tanh(apply: Apply, x: Value) -> Value:
    """Returns `1 - 2 / (exp(2x) + 1)`."""
    return apply("sub", 1.0, apply("div", 2.0, apply("add", apply("exp", apply("mul", x, 2.0)), 1.0)))


ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
"""Coefficients of a polynomial in `1 / (1 + p |x|)`, with an error below 1.5e-7. Source: Abramowitz and Stegun, 7.1.26."""
ERF_P = 0.3275911


def erf(apply: Apply, x: Value) -> Value:
    """Returns the error function by a rational approximation of its complement for |x|, and the sign of x."""
    size = apply("abs", x)
    t = apply("recip", apply("add", apply("mul", size, ERF_P), 1.0))
    total: Value = apply("mul", t, ERF[-1])
    for coefficient in ERF[-2::-1]:
        total = apply("mul", apply("add", total, coefficient), t)
    decay = apply("exp", apply("neg", apply("mul", x, x)))
    sign = apply("min", apply("max", apply("mul", x, 1e30), -1.0), 1.0)
    return apply("mul", apply("sub", 1.0, apply("mul", total, decay)), sign)


def sign(apply: Apply, x: Value) -> Value:
    """Returns -1, 0 or 1: the clamped product of x, which may be subnormal, and a large number."""
    return apply("min", apply("max", apply("mul", apply("mul", x, 1e38), 1e38), -1.0), 1.0)


FORMULAS: Mapping[str, Callable[[Apply, Value], Value]] = {"exp2": exp2, "tanh": tanh, "erf": erf, "sign": sign}
"""The formula of each function, by its name in `tiny`."""
ROUNDINGS = {"floor": "CAST_FLOOR", "ceil": "CAST_CEIL", "round": "CAST_RINT"}
"""How conversions to integers round for functions whose results are whole numbers."""
WHOLE = 1 << 23
"""Numbers of f32 that are not below are whole."""
