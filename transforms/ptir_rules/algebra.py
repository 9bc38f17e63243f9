"""
Arithmetic rows, exact bit for bit in the element types that they name.

Integers are numbers modulo 2^w, so sums and products reassociate; a zero divisor is an error. Floats keep the sign of
zero, NaN and infinities: `x + 0.0` is not `x`, as -0 + 0 is +0, but `x - 0.0` is. `maximum` and `minimum` propagate NaN
and order +0 above -0. A power is computed in f64 and rounded once; only in f64 itself can it differ from one
multiplication or division. Integer division by a possible zero stays, as it is an error at run time: there is no row for
`x / x`.
"""

from __future__ import annotations

from .terms import (
    BITS,
    COMPLEX,
    FLOATS,
    GREATEST,
    INTEGERS,
    LOWEST,
    NUMBERS,
    REALS,
    SIGNED,
    UNSIGNED,
    Rule,
    abs_,
    add,
    c,
    ceil,
    clamp,
    cos,
    d,
    div,
    exact_reciprocal,
    exp,
    floor,
    le,
    lt,
    maximum,
    minimum,
    mul,
    neg,
    pow_,
    reciprocal,
    remainder,
    round_,
    rule,
    sign,
    sub,
    x,
    y,
    z,
)

SUMS = (
    rule("add-zero", INTEGERS, add(x, 0), x),
    rule("add-negative-zero", FLOATS | COMPLEX, add(x, -0.0), x),
    rule("sub-zero", NUMBERS, sub(x, 0), x),
    rule("zero-sub", INTEGERS, sub(0, x), neg(x)),
    rule("negative-zero-sub", FLOATS | COMPLEX, sub(-0.0, x), neg(x)),
    rule("sub-self", INTEGERS, sub(x, x), 0),
    rule("add-neg", NUMBERS, add(x, neg(y)), sub(x, y)),
    rule("sub-neg", NUMBERS, sub(x, neg(y)), add(x, y)),
    rule("neg-neg", NUMBERS, neg(neg(x)), x),
    rule("neg-sub", INTEGERS, neg(sub(x, y)), sub(y, x), single=True),
    rule("neg-add-constant", INTEGERS, neg(add(x, c)), sub(neg(c), x), single=True),
    rule("sub-constant", INTEGERS, sub(x, c), add(x, neg(c))),
    rule("add-add-constants", INTEGERS, add(add(x, c), d), add(x, add(c, d))),
    rule("add-sub-constants", INTEGERS, add(sub(c, x), d), sub(add(c, d), x)),
    rule("sub-add-constants", INTEGERS, sub(c, add(x, d)), sub(sub(c, d), x)),
    rule("sub-sub-constants", INTEGERS, sub(c, sub(d, x)), add(x, sub(c, d))),
    rule("sub-sub-self", INTEGERS, sub(x, sub(x, y)), y),
    rule("sub-self-sub", INTEGERS, sub(sub(x, y), x), neg(y)),
    rule("sub-then-add", INTEGERS, add(sub(x, y), y), x),
    rule("add-then-sub", INTEGERS, sub(add(x, y), y), x),
    rule("sub-sum-self", INTEGERS, sub(x, add(x, y)), neg(y)),
    rule("constant-outward", INTEGERS, add(add(x, c), y), add(add(x, y), c), single=True),
)

PRODUCTS = (
    rule("mul-one", REALS, mul(x, 1), x),
    rule("mul-zero", INTEGERS, mul(x, 0), 0),
    rule("mul-minus-one", REALS, mul(x, -1), neg(x)),
    rule("mul-neg-neg", REALS, mul(neg(x), neg(y)), mul(x, y)),
    rule("mul-neg-constant", REALS, mul(neg(x), c), mul(x, neg(c))),
    rule("neg-mul-constant", REALS, neg(mul(x, c)), mul(x, neg(c)), single=True),
    rule("mul-mul-constants", INTEGERS, mul(mul(x, c), d), mul(x, mul(c, d))),
    rule("mul-constant-outward", INTEGERS, mul(mul(x, c), y), mul(mul(x, y), c), single=True),
    rule("mul-abs-self", SIGNED | FLOATS, mul(abs_(x), abs_(x)), mul(x, x)),
    rule("factor-add", INTEGERS, add(mul(x, y), mul(x, z)), mul(x, add(y, z)), single=True),
    rule("factor-sub", INTEGERS, sub(mul(x, y), mul(x, z)), mul(x, sub(y, z)), single=True),
    rule("factor-add-self", INTEGERS, add(mul(x, c), x), mul(x, add(c, 1)), single=True),
    rule("div-one", REALS, div(x, 1), x),
    rule("div-minus-one", SIGNED | FLOATS, div(x, -1), neg(x)),
    rule("div-neg-neg", FLOATS, div(neg(x), neg(y)), div(x, y)),
    rule("div-neg-constant", FLOATS, div(neg(x), c), div(x, neg(c))),
    rule("div-exact-constant", FLOATS, div(x, c), mul(x, reciprocal(c)), exact_reciprocal(c)),
    rule("one-div", FLOATS, div(1, x), reciprocal(x)),
    rule("remainder-one", INTEGERS, remainder(x, 1), 0),
    rule("remainder-minus-one", SIGNED, remainder(x, -1), 0),
    rule("remainder-remainder", REALS, remainder(remainder(x, y), y), remainder(x, y)),
    rule("remainder-neg", SIGNED | FLOATS, remainder(x, neg(y)), remainder(x, y)),
    rule("pow-one", FLOATS, pow_(x, 1), x),
    rule("pow-zero", FLOATS, pow_(x, 0), 1),
    rule("pow-two", FLOATS, pow_(x, 2), mul(x, x), lt(BITS, 64)),
    rule("pow-minus-one", FLOATS, pow_(x, -1), reciprocal(x), lt(BITS, 64)),
)

EXTREMES = (
    rule("max-self", REALS, maximum(x, x), x),
    rule("min-self", REALS, minimum(x, x), x),
    rule("max-lowest", REALS, maximum(x, LOWEST), x),
    rule("min-greatest", REALS, minimum(x, GREATEST), x),
    rule("max-greatest", INTEGERS, maximum(x, GREATEST), GREATEST),
    rule("min-lowest", INTEGERS, minimum(x, LOWEST), LOWEST),
    rule("max-max", REALS, maximum(maximum(x, y), y), maximum(x, y)),
    rule("min-min", REALS, minimum(minimum(x, y), y), minimum(x, y)),
    rule("max-max-constants", REALS, maximum(maximum(x, c), d), maximum(x, maximum(c, d))),
    rule("min-min-constants", REALS, minimum(minimum(x, c), d), minimum(x, minimum(c, d))),
    rule("max-absorbs-min", INTEGERS, maximum(x, minimum(x, y)), x),
    rule("min-absorbs-max", INTEGERS, minimum(x, maximum(x, y)), x),
    rule("min-below-max", INTEGERS, minimum(maximum(x, c), d), d, le(d, c)),
    rule("max-above-min", INTEGERS, maximum(minimum(x, c), d), d, le(c, d)),
    rule("max-neg-self", SIGNED | FLOATS, maximum(x, neg(x)), abs_(x)),
    rule("max-negs", FLOATS, maximum(neg(x), neg(y)), neg(minimum(x, y)), single=True),
    rule("min-negs", FLOATS, minimum(neg(x), neg(y)), neg(maximum(x, y)), single=True),
    rule("max-abs-zero", FLOATS, maximum(abs_(x), 0), abs_(x)),
    rule("max-exp-zero", FLOATS, maximum(exp(x), 0), exp(x)),
    rule("clamp-below-greatest", REALS, clamp(x, y, GREATEST), maximum(x, y)),
    rule("clamp-above-lowest", REALS, clamp(x, LOWEST, y), minimum(x, y)),
    rule("clamp-clamp", REALS, clamp(clamp(x, y, z), y, z), clamp(x, y, z)),
)

SIGNS = (
    rule("abs-abs", REALS, abs_(abs_(x)), abs_(x)),
    rule("abs-neg", SIGNED | FLOATS, abs_(neg(x)), abs_(x)),
    rule("abs-unsigned", UNSIGNED, abs_(x), x),
    rule("abs-exp", FLOATS, abs_(exp(x)), exp(x)),
    rule("sign-sign", REALS, sign(sign(x)), sign(x)),
    rule("cos-neg", FLOATS, cos(neg(x)), cos(x)),
    rule("cos-abs", FLOATS, cos(abs_(x)), cos(x)),
    *(
        rule(f"{outer.name}-{inner.name}", FLOATS, outer(inner(x)), inner(x))
        for outer in (floor, ceil, round_)
        for inner in (floor, ceil, round_)
    ),
)

ALGEBRA: tuple[Rule, ...] = (*SUMS, *PRODUCTS, *EXTREMES, *SIGNS)
