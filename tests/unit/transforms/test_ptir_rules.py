"""
The table of algebraic rules: each row is proved for integers by z3, compared bit for bit on floats, and applied to IR.

Seeded wrong rows must be refuted by the same methods.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriteWalker

from ptir.semantics.arrays.scalars import Array, is_float, numpy_dtype
from ptir.semantics.interpreter import call
from ptir.transforms.ptir_rules.engine import Simplify
from ptir.transforms.ptir_rules.evaluation import evaluate
from ptir.transforms.ptir_rules.inexact import INEXACT
from ptir.transforms.ptir_rules.smt import counterexample
from ptir.transforms.ptir_rules.table import EXACT, ROWS, render
from ptir.transforms.ptir_rules.terms import (
    ANYTHING,
    BITS,
    BITS_OF,
    FALSE,
    FLOATS,
    GREATEST,
    INTEGERS,
    LOWEST,
    NUMBERS,
    REALS,
    SIGNED,
    UNSIGNED,
    Apply,
    Kind,
    Rule,
    Sort,
    Term,
    Var,
    abs_,
    add,
    and_,
    c,
    d,
    div,
    eq,
    ge,
    le,
    log2,
    lt,
    maximum,
    minimum,
    mul,
    neg,
    not_,
    or_,
    p,
    pow_,
    reciprocal,
    remainder,
    rule,
    select,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    sub,
    subterms,
    variables,
    x,
    xor,
    y,
    z,
)

from ..builders.rule_programs import DTYPES, numbers, program, special_floats

pytestmark = pytest.mark.sampled(3)

INTEGER_KINDS = (Kind.SIGNED, Kind.UNSIGNED, Kind.BOOL)


def names(rules: tuple[Rule, ...]) -> list[str]:
    return [r.name for r in rules]


# --- integers: proofs -----------------------------------------------------------------------------


@pytest.mark.parametrize("row", EXACT, ids=names(EXACT))
def test_rows_are_proved_on_integers(row: Rule):
    pytest.importorskip("z3")
    for kind in row.kinds & set(INTEGER_KINDS):
        for width in (4, 8):
            assert counterexample(row, width, kind) is None, f"{kind.value}{width}"


WRONG_ON_INTEGERS = (
    rule("", INTEGERS, sub(x, y), sub(y, x)),
    rule("", INTEGERS, neg(sub(x, y)), sub(x, y)),
    rule("", INTEGERS, div(mul(x, y), y), x),
    rule("", INTEGERS, mul(div(x, y), y), x),
    rule("", UNSIGNED, abs_(neg(x)), abs_(x)),
    rule("", SIGNED, maximum(abs_(x), 0), abs_(x)),
    rule("", SIGNED, maximum(neg(x), neg(y)), neg(minimum(x, y))),
    rule("", SIGNED, div(neg(x), neg(y)), div(x, y)),
    rule("", SIGNED, div(x, c), shift_right_arithmetic(x, log2(c)), eq(and_(c, sub(c, 1)), 0)),
    rule("", UNSIGNED, div(x, c), shift_right(x, log2(c))),
    rule("", UNSIGNED, remainder(x, c), and_(x, c)),
    rule("", INTEGERS, minimum(maximum(x, c), d), d),
    rule("", INTEGERS, minimum(maximum(x, c), d), c, le(d, c)),
    rule("", INTEGERS, lt(add(x, c), d), lt(x, sub(d, c))),
    rule("", INTEGERS, lt(neg(x), neg(y)), lt(y, x)),
    rule("", INTEGERS, le(x, LOWEST), FALSE),
    rule("", INTEGERS, lt(x, GREATEST), eq(x, GREATEST)),
    rule("", INTEGERS, not_(lt(x, y)), lt(y, x)),
    rule("", ANYTHING, select(not_(p), x, y), select(p, x, y)),
    rule("", ANYTHING, select(p, select(p, x, y), z), select(p, y, z)),
    rule("", INTEGERS, select(lt(x, y), x, y), maximum(x, y)),
    rule("", BITS_OF, and_(x, or_(x, y)), y),
    rule("", BITS_OF, and_(not_(x), not_(y)), not_(and_(x, y))),
    rule("", BITS_OF, xor(x, -1), x),
    rule("", BITS_OF, or_(x, not_(x)), 1),
    rule("", INTEGERS, shift_left(shift_left(x, c), d), shift_left(x, add(c, d))),
    rule("", INTEGERS, shift_right_arithmetic(x, c), 0, ge(c, BITS)),
    rule("", INTEGERS, shift_right(shift_left(x, c), c), x),
    rule("", INTEGERS, neg(not_(x)), sub(x, 1)),
    rule("", INTEGERS, sub(0, x), x),
    rule("", INTEGERS, mul(x, 0), div(0, x)),  # for x = 0, only the replacement is undefined
)


@pytest.mark.parametrize("row", WRONG_ON_INTEGERS, ids=map(str, WRONG_ON_INTEGERS))
def test_wrong_rows_are_refuted_on_integers(row: Rule):
    pytest.importorskip("z3")
    kinds = sorted(row.kinds & set(INTEGER_KINDS), key=lambda k: k.value)
    assert any(counterexample(row, width, kind) for kind in kinds for width in (4, 8))


# --- all types: the meaning on both sides ---------------------------------------------------------


def differences(row: Rule, dtype: np.dtype) -> Iterator[str]:
    """
    Returns values on which pattern and replacement differ. Tries all pairs and triples of special values, or of all values if few.
    """
    free = list(dict.fromkeys(v for of in (row.pattern, row.replacement) for v in variables(of)))
    choices = [_choices(v, dtype, len(free)) for v in free]
    grids = np.meshgrid(*[np.arange(len(choice)) for choice in choices], indexing="ij")
    values = {v.name: choice[g.reshape(-1)] for v, choice, g in zip(free, choices, grids, strict=True)}
    if row.guard is not None:
        kept = np.broadcast_to(evaluate(row.guard, values, dtype), grids[0].size)
        values = {name: value[kept] for name, value in values.items()}
    before, after, values = _both(row, values, dtype)
    if wrong := np.flatnonzero(~same(before, after)).tolist():
        at = wrong[0]
        yield f"{dtype}: { {n: v[at] for n, v in values.items()} }: {before[at]} becomes {after[at]}"


def _choices(variable: Var, dtype: np.dtype, count: int) -> Array:
    if variable.sort is Sort.P:
        return np.array([False, True])
    if count == 1 and is_float(dtype) and dtype.itemsize == 2:
        return np.arange(1 << 16).astype(np.uint16).view(dtype)
    if count == 1 and is_float(dtype) and dtype.itemsize > 2:
        return np.concatenate([numbers(dtype), random_floats(dtype, 1 << 14)])
    if count > 2 and is_float(dtype):
        return special_floats(dtype)
    if count > 2 and dtype.itemsize == 1 and dtype.kind in "iu":
        return np.array([-128, -127, -8, -3, -1, 0, 1, 2, 3, 7, 8, 100, 127]).astype(dtype)
    return numbers(dtype)


def random_floats(dtype: np.dtype, count: int) -> Array:
    """Returns floats with random bits, and floats with half as many digits, whose squares may be ties."""
    bits = np.random.default_rng(0).integers(0, 256, count * dtype.itemsize, np.uint8).view(f"u{dtype.itemsize}")
    digits = int(np.finfo(dtype).nmant) // 2
    return np.concatenate([bits, bits >> digits << digits]).view(dtype)


def _both(row: Rule, values: dict[str, Array], dtype: np.dtype) -> tuple[Array, Array, dict[str, Array]]:
    """Evaluates both sides of a rule on values for which no integer is divided by zero. Returns these values as well."""
    if _divides(row) and dtype.kind != "f" and not is_float(dtype):
        kept = np.logical_and.reduce([evaluate(t, values, dtype) != 0 for t in _divisors(row.pattern)] or [True])
        values = {name: value[np.broadcast_to(kept, value.shape)] for name, value in values.items()}
    size = len(next(iter(values.values())))
    before, after = (np.broadcast_to(evaluate(of, values, dtype), (size,)) for of in (row.pattern, row.replacement))
    return before, after, values


def _divisors(term: Term) -> list[Term]:
    return [t.args[1] for t in subterms(term) if isinstance(t, Apply) and t.op in ("div", "remainder")]


def same(a: Array, b: Array) -> Array:
    """Compares arrays element by element and bit for bit. All NaNs are equal."""
    assert a.dtype == b.dtype
    if a.dtype.kind == "c":
        return same(a.real, b.real) & same(a.imag, b.imag)
    if not is_float(a.dtype):
        return np.asarray(a == b)
    bits = np.dtype(f"u{a.dtype.itemsize}")
    equal = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    with np.errstate(invalid="ignore"):  # a signalling NaN becomes quiet
        return equal | (np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))


@pytest.mark.parametrize("row", EXACT, ids=names(EXACT))
def test_rows_are_exact_on_every_type(row: Rule):
    """The interpreter confirms on all types, including integers, what z3 proves by its own definitions."""
    for kind in row.kinds:
        for dtype in DTYPES[kind]:
            assert not list(differences(row, numpy_dtype(dtype)))


@pytest.mark.parametrize("name", ["pow-two", "pow-minus-one"])
def test_powers_are_one_operation_in_types_that_are_computed_wider(name: str):
    """The guard leaves f64 out: there, given an exponent for each element, NumPy's `pow` is another number."""
    row = ROWS[name]
    for dtype in DTYPES[Kind.FLOAT]:
        of = numpy_dtype(dtype)
        x = random_floats(of, 500_000) if of.itemsize > 2 else np.arange(1 << 8 * of.itemsize).astype(f"u{of.itemsize}")
        before, after = (evaluate(side, {"x": x.view(of)}, of) for side in (row.pattern, row.replacement))
        assert same(before, after).all() == (of != np.float64) == bool(evaluate(row.guard, {}, of)), dtype


WRONG_ON_FLOATS = (
    rule("", FLOATS, pow_(x, 2), mul(x, x)),
    rule("", FLOATS, pow_(x, -1), reciprocal(x)),
    rule("", FLOATS, add(x, 0), x),
    rule("", FLOATS, sub(0, x), neg(x)),
    rule("", FLOATS, sub(x, -0.0), x),
    rule("", FLOATS, sub(x, x), 0),
    rule("", FLOATS, mul(x, 0), 0),
    rule("", FLOATS, neg(sub(x, y)), sub(y, x)),
    rule("", FLOATS, div(x, x), 1),
    rule("", FLOATS, div(x, c), mul(x, reciprocal(c))),
    rule("", FLOATS, maximum(x, minimum(x, y)), x),
    rule("", FLOATS, maximum(x, GREATEST), GREATEST),
    rule("", FLOATS, ge(x, LOWEST), lt(x, GREATEST)),
    rule("", FLOATS, not_(lt(x, y)), ge(x, y)),
    rule("", FLOATS, select(lt(x, y), x, y), minimum(x, y)),
    rule("", FLOATS, select(eq(x, y), x, y), y),
    rule("", FLOATS, eq(sub(x, y), 0), eq(x, y)),
    rule("", FLOATS, add(add(x, c), d), add(x, add(c, d))),
    rule("", FLOATS, mul(mul(x, c), d), mul(x, mul(c, d))),
    rule("", FLOATS, minimum(maximum(x, c), d), d, le(d, c)),
    rule("", FLOATS, abs_(x), maximum(x, 0)),
    rule("", NUMBERS - REALS, mul(x, 1), x),
)


@pytest.mark.parametrize("row", WRONG_ON_FLOATS, ids=map(str, WRONG_ON_FLOATS))
def test_wrong_rows_are_refuted_on_floats(row: Rule):
    """A wrong row must be refuted on at least one type."""
    assert any(list(differences(row, numpy_dtype(dtype))) for kind in row.kinds for dtype in DTYPES[kind])


@pytest.mark.parametrize("row", INEXACT, ids=names(INEXACT))
def test_inexact_rows_are_nearly_exact_on_plain_numbers(row: Rule):
    """In f64 and between 1/2 and 2, up to a few roundings; and some value shows that the row is not exact."""
    rng = np.random.default_rng(0)
    free = variables(row.pattern)
    values = {v.name: rng.uniform(0.5, 2.0, 500) for v in free}
    before, after = (
        np.broadcast_to(evaluate(of, values, np.dtype(np.float64)), 500) for of in (row.pattern, row.replacement)
    )
    np.testing.assert_allclose(after, before, rtol=1e-12, atol=1e-13)
    assert any(list(differences(row, numpy_dtype(dtype))) for dtype in DTYPES[Kind.FLOAT]), "the row is exact: move it"


# --- in the IR ------------------------------------------------------------------------------------

FIRED = [(row, kind) for row in (*EXACT, *INEXACT) for kind in sorted(row.kinds, key=lambda k: k.value)]


def sample(dtype: Attribute, length: int, seed: int) -> Array:
    choices = numbers(numpy_dtype(dtype))
    return np.random.default_rng(seed).choice(choices, length)


@pytest.mark.parametrize(("row", "kind"), FIRED, ids=[f"{r.name}-{k.value}" for r, k in FIRED])
def test_every_row_fires_where_its_pattern_stands(row: Rule, kind: Kind):
    """The row alone, on a program that is its pattern; what comes out verifies and computes the same."""
    dtype = [t for t in DTYPES[kind] if _is_about(row, numpy_dtype(t))][-1]
    module = program(row, dtype, 13)
    module.verify()
    after = module.clone()
    pattern = Simplify((row,), fold_limit=1024)
    for op in list(after.walk()):
        if op.next_op is not None and op.next_op.name == "func.return":
            PatternRewriteWalker(_Only(pattern, op), apply_recursively=False).rewrite_module(after)
    assert row.name in pattern.last, pattern.last
    after.verify()
    if row.exact:
        args = [sample(element, 13, i) for i, element in enumerate(_elements(module))]
        args = [np.where(a == 0, np.ones_like(a), a) if _divides(row) and a.dtype != np.bool_ else a for a in args]
        for got, want in zip(call(after, "f", *args), call(module, "f", *args), strict=True):
            assert same(got, want).all()


def _is_about(row: Rule, dtype: np.dtype) -> bool:
    """Whether the rule's guard holds for an element type, if it depends on the type only."""
    return row.guard is None or bool(variables(row.guard)) or bool(evaluate(row.guard, {}, dtype))


class _Only(Simplify):
    """Rewrites one op by the rows of the table only."""

    def __init__(self, of: Simplify, op: object):
        self.of, self.op = of, op

    def match_and_rewrite(self, op, rewriter):  # type: ignore[no-untyped-def]
        if op is not self.op:
            return
        attempts = self.of._attempts
        matcher = self.of._matcher
        self.of._attempts = lambda o, w: matcher.attempts(o, w)  # type: ignore[method-assign]
        try:
            self.of.match_and_rewrite(op, rewriter)
        finally:
            self.of._attempts = attempts  # type: ignore[method-assign]


def _elements(module: ModuleOp) -> list[Attribute]:
    function = next(iter(module.ops))
    return [t.element_type for t in function.function_type.inputs]


def _divides(row: Rule) -> bool:
    return bool(_divisors(row.pattern))


# --- the table ------------------------------------------------------------------------------------


def test_names_are_unique_and_say_which_rows_are_off():
    assert len(ROWS) == len(EXACT) + len(INEXACT)
    assert all(r.exact for r in EXACT)
    assert not any(r.exact for r in INEXACT)
    assert {name for name in ROWS if name.startswith("fast-")} == set(names(INEXACT))


def test_the_table_as_text():
    lines = render().split("\n")
    row = next(line for line in lines if line.startswith("div-exact-constant "))
    assert row.split(maxsplit=2) == [
        "div-exact-constant",
        "float",
        "div(x, c) → mul(x, reciprocal(c))  if exact_reciprocal(c)",
    ]
    assert sum(" → " in line for line in lines) == len(ROWS)
    assert any(line.startswith("ptir.slice ") and "slice-of-pad" in line for line in lines)


def test_variables_of_replacements_are_those_of_patterns():
    for row in ROWS.values():
        assert set(variables(row.replacement)) <= set(variables(row.pattern)), row.name
        assert row.guard is None or all(v.constant for v in variables(row.guard)), row.name
