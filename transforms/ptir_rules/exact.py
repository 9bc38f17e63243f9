"""
Algebraic rules that always apply: they preserve results bit for bit in the element types that they name.

- Integers are numbers modulo 2^w, so sums and products reassociate.
- Division of integers by zero is an error at run time, which rules preserve: there is no row for `x / x`.
- The sign of zero, NaN and infinities are preserved: `x + 0.0` is not `x`, as -0 + 0 is +0, but `x - 0.0` is `x`.
- `maximum` and `minimum` propagate NaN and order +0 above -0.
- A power is computed in f64 and rounded once: in narrower types, `pow(x, 2)` is `x * x` and `pow(x, -1)` is `1 / x`, but in
  f64 they may differ.
- A comparison with NaN is false, except for `ne`. +0 and -0 compare equal, but differ in their bits.
- Shift counts are unsigned; a shift by the width (`BITS`) or more shifts all bits out.
"""

from __future__ import annotations

from .terms import (
    ANYTHING,
    BITS,
    BITS_OF,
    BOOLS,
    COMPLEX,
    FALSE,
    FLOATS,
    GREATEST,
    INTEGERS,
    LOWEST,
    NUMBERS,
    REALS,
    SIGNED,
    TRUE,
    UNSIGNED,
    Kinds,
    Rule,
    Term,
    abs_,
    add,
    and_,
    c,
    ceil,
    clamp,
    cos,
    d,
    div,
    eq,
    exact_reciprocal,
    exp,
    floor,
    ge,
    gt,
    is_finite,
    le,
    log2,
    lt,
    maximum,
    minimum,
    mul,
    ne,
    neg,
    not_,
    or_,
    p,
    pow_,
    reciprocal,
    remainder,
    round_,
    rule,
    select,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    sign,
    sub,
    x,
    xor,
    y,
    z,
)

# --- arithmetic ---------------------------------------------------------------------------------

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

# --- comparisons and selections -----------------------------------------------------------------

COMPARED = (
    rule("eq-self", INTEGERS | BOOLS, eq(x, x), TRUE),
    rule("ne-self", INTEGERS | BOOLS, ne(x, x), FALSE),
    rule("le-self", INTEGERS, le(x, x), TRUE),
    rule("ge-self", INTEGERS, ge(x, x), TRUE),
    rule("lt-self", REALS, lt(x, x), FALSE),
    rule("gt-self", REALS, gt(x, x), FALSE),
    rule("lt-lowest", REALS, lt(x, LOWEST), FALSE),
    rule("gt-greatest", REALS, gt(x, GREATEST), FALSE),
    rule("ge-lowest", INTEGERS, ge(x, LOWEST), TRUE),
    rule("le-greatest", INTEGERS, le(x, GREATEST), TRUE),
    rule("le-lowest", REALS, le(x, LOWEST), eq(x, LOWEST)),
    rule("ge-greatest", REALS, ge(x, GREATEST), eq(x, GREATEST)),
    rule("gt-lowest", INTEGERS, gt(x, LOWEST), ne(x, LOWEST)),
    rule("lt-greatest", INTEGERS, lt(x, GREATEST), ne(x, GREATEST)),
    rule("eq-true", BOOLS, eq(x, 1), x),
    rule("ne-false", BOOLS, ne(x, 0), x),
    rule("eq-false", BOOLS, eq(x, 0), not_(x)),
    rule("ne-true", BOOLS, ne(x, 1), not_(x)),
    rule("is-finite-neg", FLOATS, is_finite(neg(x)), is_finite(x)),
    rule("is-finite-abs", FLOATS, is_finite(abs_(x)), is_finite(x)),
    *(
        row
        for same in (eq, ne)
        for row in (
            rule(f"{same.name}-negs", NUMBERS, same(neg(x), neg(y)), same(x, y)),
            rule(f"{same.name}-neg-constant", REALS, same(neg(x), c), same(x, neg(c))),
            rule(f"{same.name}-add-constant", INTEGERS, same(add(x, c), d), same(x, sub(d, c))),
            rule(f"{same.name}-sub-constant", INTEGERS, same(sub(c, x), d), same(x, sub(c, d))),
            rule(f"{same.name}-difference", INTEGERS, same(sub(x, y), 0), same(x, y)),
        )
    ),
    *(
        rule(f"{less.name}-negs", FLOATS, less(neg(x), neg(y)), more(x, y))
        for less, more in ((lt, gt), (le, ge), (gt, lt), (ge, le))
    ),
    *(
        rule(f"not-{holds.name}", kinds, not_(holds(x, y)), fails(x, y), single=True)
        for holds, fails, kinds in (
            (lt, ge, INTEGERS),
            (le, gt, INTEGERS),
            (ge, lt, INTEGERS),
            (gt, le, INTEGERS),
            (eq, ne, ANYTHING),
            (ne, eq, ANYTHING),
        )
    ),
)


def selected_extremes(kinds: Kinds, prefix: str = "", *, exact: bool = True) -> tuple[Rule, ...]:
    """Returns the rows that turn a select of the smaller or larger value into `minimum` or `maximum`."""
    return tuple(
        rule(
            f"{prefix}select-{compare.name}-{extreme.name[:3]}",
            kinds,
            select(compare(x, y), *arms),
            extreme(x, y),
            exact=exact,
        )
        for compare, smaller in ((lt, (x, y)), (le, (x, y)), (gt, (y, x)), (ge, (y, x)))
        for extreme, arms in ((minimum, smaller), (maximum, smaller[::-1]))
    )


SELECTED = (
    rule("select-same", ANYTHING, select(p, x, x), x),
    rule("select-true", ANYTHING, select(TRUE, x, y), x),
    rule("select-false", ANYTHING, select(FALSE, x, y), y),
    rule("select-not", ANYTHING, select(not_(p), x, y), select(p, y, x)),
    rule("select-select-true", ANYTHING, select(p, select(p, x, y), z), select(p, x, z)),
    rule("select-select-false", ANYTHING, select(p, x, select(p, y, z)), select(p, x, z)),
    rule("select-predicate", BOOLS, select(p, 1, 0), p),
    rule("select-not-predicate", BOOLS, select(p, 0, 1), not_(p)),
    rule("select-eq", INTEGERS | BOOLS, select(eq(x, y), x, y), y),
    rule("select-ne", INTEGERS | BOOLS, select(ne(x, y), x, y), x),
    *selected_extremes(INTEGERS),
)

# --- bits ---------------------------------------------------------------------------------------

LOGIC = (
    rule("and-self", BITS_OF, and_(x, x), x),
    rule("and-zero", BITS_OF, and_(x, 0), 0),
    rule("and-ones", BITS_OF, and_(x, -1), x),
    rule("and-not-self", BITS_OF, and_(x, not_(x)), 0),
    rule("and-or", BITS_OF, and_(x, or_(x, y)), x),
    rule("and-and", BITS_OF, and_(and_(x, y), y), and_(x, y)),
    rule("and-and-constants", BITS_OF, and_(and_(x, c), d), and_(x, and_(c, d))),
    rule("and-nots", BITS_OF, and_(not_(x), not_(y)), not_(or_(x, y)), single=True),
    rule("or-self", BITS_OF, or_(x, x), x),
    rule("or-zero", BITS_OF, or_(x, 0), x),
    rule("or-ones", BITS_OF, or_(x, -1), -1),
    rule("or-not-self", BITS_OF, or_(x, not_(x)), -1),
    rule("or-and", BITS_OF, or_(x, and_(x, y)), x),
    rule("or-or", BITS_OF, or_(or_(x, y), y), or_(x, y)),
    rule("or-or-constants", BITS_OF, or_(or_(x, c), d), or_(x, or_(c, d))),
    rule("or-nots", BITS_OF, or_(not_(x), not_(y)), not_(and_(x, y)), single=True),
    rule("xor-self", BITS_OF, xor(x, x), 0),
    rule("xor-zero", BITS_OF, xor(x, 0), x),
    rule("xor-ones", BITS_OF, xor(x, -1), not_(x)),
    rule("xor-not-self", BITS_OF, xor(x, not_(x)), -1),
    rule("xor-nots", BITS_OF, xor(not_(x), not_(y)), xor(x, y)),
    rule("xor-xor", BITS_OF, xor(xor(x, y), y), x),
    rule("xor-xor-constants", BITS_OF, xor(xor(x, c), d), xor(x, xor(c, d))),
    rule("not-not", BITS_OF, not_(not_(x)), x),
    rule("not-xor-constant", BITS_OF, not_(xor(x, c)), xor(x, not_(c))),
    rule("neg-not", INTEGERS, neg(not_(x)), add(x, 1)),
    rule("not-neg", INTEGERS, not_(neg(x)), add(x, -1)),
    rule("not-plus-one", INTEGERS, add(not_(x), 1), neg(x)),
    rule("add-not-self", INTEGERS, add(x, not_(x)), -1),
    rule("eq-xor", BITS_OF, eq(xor(x, y), 0), eq(x, y)),
    rule("ne-xor", BITS_OF, ne(xor(x, y), 0), ne(x, y)),
)


def _within(shift: Term) -> Term:
    return and_(ge(shift, 0), lt(shift, BITS))


SHIFTS = (
    *(
        row
        for shift in (shift_left, shift_right, shift_right_arithmetic)
        for row in (
            rule(f"{shift.name}-by-zero", INTEGERS, shift(x, 0), x),
            rule(f"{shift.name}-of-zero", INTEGERS, shift(0, x), 0),
            rule(
                f"{shift.name}-twice",
                INTEGERS,
                shift(shift(x, c), d),
                shift(x, add(c, d)),
                and_(and_(_within(c), _within(d)), lt(add(c, d), BITS)),
            ),
        )
    ),
    rule("shift-left-all", INTEGERS, shift_left(x, c), 0, ge(c, BITS)),
    rule("shift-right-all", INTEGERS, shift_right(x, c), 0, ge(c, BITS)),
)


def _is_power_of_two(of: Term) -> Term:
    return and_(ne(of, 0), eq(and_(of, sub(of, 1)), 0))


STRENGTH = (
    rule("div-power-of-two", UNSIGNED, div(x, c), shift_right(x, log2(c)), _is_power_of_two(c)),
    rule("remainder-power-of-two", UNSIGNED, remainder(x, c), and_(x, sub(c, 1)), _is_power_of_two(c)),
)

EXACT: tuple[Rule, ...] = (*SUMS, *PRODUCTS, *EXTREMES, *SIGNS, *COMPARED, *SELECTED, *LOGIC, *SHIFTS, *STRENGTH)
