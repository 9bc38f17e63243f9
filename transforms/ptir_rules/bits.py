"""
Bitwise rows: logic on integers and `i1`, shifts, and division by powers of two.

Shift counts are unsigned; a shift by the width (`BITS`) or more shifts all bits out.
"""

from __future__ import annotations

from .terms import (
    BITS,
    BITS_OF,
    INTEGERS,
    UNSIGNED,
    Rule,
    Term,
    add,
    and_,
    c,
    d,
    div,
    eq,
    ge,
    log2,
    lt,
    ne,
    neg,
    not_,
    or_,
    remainder,
    rule,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    sub,
    x,
    xor,
    y,
)

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


SHIFTS: tuple[Rule, ...] = (
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

BITWISE: tuple[Rule, ...] = (*LOGIC, *SHIFTS, *STRENGTH)
