"""Rows of comparisons and selections. NaN compares false except by `ne`; +0 and -0 are equal, but different bits."""

from __future__ import annotations

from .terms import (
    ANYTHING,
    BOOLS,
    FALSE,
    FLOATS,
    GREATEST,
    INTEGERS,
    LOWEST,
    NUMBERS,
    REALS,
    TRUE,
    Op,
    Rule,
    abs_,
    add,
    c,
    d,
    eq,
    ge,
    gt,
    is_finite,
    le,
    lt,
    maximum,
    minimum,
    ne,
    neg,
    not_,
    p,
    rule,
    select,
    sub,
    x,
    y,
    z,
)

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


def _extremes() -> tuple[Rule, ...]:
    """Returns the rows that turn integer selections of the smaller or larger value into `minimum` and `maximum`."""
    rows: list[Rule] = []
    for compare, first, second in (
        (lt, minimum, maximum),
        (le, minimum, maximum),
        (gt, maximum, minimum),
        (ge, maximum, minimum),
    ):
        rows += [
            rule(f"select-{compare.name}-{_short(first)}", INTEGERS, select(compare(x, y), x, y), first(x, y)),
            rule(f"select-{compare.name}-{_short(second)}", INTEGERS, select(compare(x, y), y, x), second(x, y)),
        ]
    return tuple(rows)


def _short(extreme: Op) -> str:
    return extreme.name[:3]


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
    *_extremes(),
)

COMPARISONS: tuple[Rule, ...] = (*COMPARED, *SELECTED)
