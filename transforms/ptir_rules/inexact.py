"""
Algebraic rules that are not exact for floats. `ptir-canonicalize{fast=true}` enables all of them, the option `rules` some.

Like `-ffast-math`, they may change rounding, the sign of zero, and results for NaN and infinities (`fast-sub-self` gives 0).
"""

from __future__ import annotations

from .exact import selected_extremes
from .terms import (
    FLOATS,
    Rule,
    Term,
    Writable,
    abs_,
    add,
    c,
    d,
    div,
    exp,
    expm1,
    log,
    log1p,
    logistic,
    maximum,
    minimum,
    mul,
    neg,
    pow_,
    reciprocal,
    rsqrt,
    rule,
    sqrt,
    sub,
    x,
    y,
    z,
)


def _fast(name: str, pattern: Term, replacement: Writable, *, single: bool = False) -> Rule:
    return rule(f"fast-{name}", FLOATS, pattern, replacement, exact=False, single=single)


INEXACT: tuple[Rule, ...] = (
    _fast("add-zero", add(x, 0), x),
    _fast("zero-sub", sub(0, x), neg(x)),
    _fast("sub-self", sub(x, x), 0),
    _fast("neg-sub", neg(sub(x, y)), sub(y, x), single=True),
    _fast("add-add-constants", add(add(x, c), d), add(x, add(c, d))),
    _fast("add-sub-constants", add(sub(c, x), d), sub(add(c, d), x)),
    _fast("sub-sub-constants", sub(sub(x, c), d), sub(x, add(c, d))),
    _fast("sub-then-add", add(sub(x, y), y), x),
    _fast("add-then-sub", sub(add(x, y), y), x),
    _fast("mul-zero", mul(x, 0), 0),
    _fast("mul-mul-constants", mul(mul(x, c), d), mul(x, mul(c, d))),
    _fast("mul-div-constants", mul(div(x, c), d), mul(x, div(d, c))),
    _fast("div-mul-constants", div(mul(x, c), d), mul(x, div(c, d))),
    _fast("div-constant", div(x, c), mul(x, reciprocal(c))),
    _fast("div-self", div(x, x), 1),
    _fast("div-div", div(div(x, y), z), div(x, mul(y, z)), single=True),
    _fast("mul-reciprocal", mul(x, reciprocal(y)), div(x, y), single=True),
    _fast("reciprocal-reciprocal", reciprocal(reciprocal(x)), x),
    _fast("reciprocal-div", reciprocal(div(x, y)), div(y, x), single=True),
    _fast("factor-add", add(mul(x, y), mul(x, z)), mul(x, add(y, z)), single=True),
    _fast("mul-exps", mul(exp(x), exp(y)), exp(add(x, y)), single=True),
    _fast("div-exps", div(exp(x), exp(y)), exp(sub(x, y)), single=True),
    _fast("reciprocal-exp", reciprocal(exp(x)), exp(neg(x)), single=True),
    _fast("exp-log", exp(log(x)), x),
    _fast("log-exp", log(exp(x)), x),
    _fast("log-one-plus", log(add(x, 1)), log1p(x), single=True),
    _fast("exp-minus-one", sub(exp(x), 1), expm1(x), single=True),
    _fast("logistic", reciprocal(add(exp(neg(x)), 1)), logistic(x), single=True),
    _fast("reciprocal-sqrt", reciprocal(sqrt(x)), rsqrt(x), single=True),
    _fast("sqrt-reciprocal", sqrt(reciprocal(x)), rsqrt(x), single=True),
    _fast("div-sqrt", div(x, sqrt(y)), mul(x, rsqrt(y)), single=True),
    _fast("mul-rsqrt-self", mul(rsqrt(x), x), sqrt(x), single=True),
    _fast("reciprocal-rsqrt", reciprocal(rsqrt(x)), sqrt(x), single=True),
    _fast("sqrt-square", sqrt(mul(x, x)), abs_(x), single=True),
    _fast("square-of-sqrt", mul(sqrt(x), sqrt(x)), x),
    _fast("pow-two", pow_(x, 2), mul(x, x)),
    _fast("pow-minus-one", pow_(x, -1), reciprocal(x)),
    _fast("pow-half", pow_(x, 0.5), sqrt(x)),
    _fast("pow-minus-half", pow_(x, -0.5), rsqrt(x)),
    _fast("max-absorbs-min", maximum(x, minimum(x, y)), x),
    _fast("min-absorbs-max", minimum(x, maximum(x, y)), x),
    *selected_extremes(FLOATS, "fast-", exact=False),
)
