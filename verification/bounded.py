"""
A second opinion on obligations: bitwuzla, on bit-vectors, for symbols up to a bound.

A statement about integers is translated to bit-vectors that are wide enough for every value on the way, so that nothing wraps. A model is
thus a counterexample to the statement; that there is none says something about sizes up to the bound only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal

z3: Any = import_module("z3")  # these two have no type annotations
bitwuzla: Any = import_module("bitwuzla")
Term = Any
Kind = bitwuzla.Kind

LARGEST = 16
"""Maximum number of a symbol."""
ELEMENTS = 1 << 12
"""Maximum magnitude of an element."""
MAX_BITS = 96
MILLISECONDS = 2000


class TooWide(Exception):
    """A statement that needs more than `MAX_BITS`, or has a function without a translation."""


def search(
    given: Sequence[Term], holds: Term, symbols: Sequence[str]
) -> tuple[Literal["sat", "unsat", "unknown"], dict[str, int]]:
    """
    Looks for numbers for which the z3 terms `given` hold and `holds` does not. Symbols are at most `LARGEST`, and elements of arrays at
    most `ELEMENTS`. Returns the numbers of the symbols if there are any.
    """
    statement = z3.And(*given, z3.Not(holds))
    try:
        translation = Translation(statement, symbols)
    except TooWide:
        return "unknown", {}
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.PRODUCE_MODELS, True)
    options.set(bitwuzla.Option.TIME_LIMIT_PER, MILLISECONDS)
    solver = bitwuzla.Bitwuzla(translation.terms, options)
    for term in translation.asserted:
        solver.assert_formula(term)
    match solver.check_sat():
        case bitwuzla.Result.SAT:
            found = {s: translation.leaves[s] for s in symbols if s in translation.leaves}
            return "sat", {s: int(solver.get_value(t).value(10)) for s, t in found.items()}
        case bitwuzla.Result.UNSAT:
            return "unsat", {}
        case _:
            return "unknown", {}


class Translation:
    """Translates a statement of z3. `asserted` has its bit-vector form, with the bounds of its leaves and divisors that are not zero."""

    def __init__(self, statement: Term, symbols: Sequence[str]):
        self.terms = bitwuzla.TermManager()
        self.symbols = set(symbols)
        self._magnitudes: dict[int, int] = {}
        self._done: dict[int, Term] = {}
        self._alive: list[Term] = []
        """The z3 terms whose numbers are keys."""
        largest = self._magnitude(statement)
        self.bits = max(2, largest.bit_length() + 2)
        if self.bits > MAX_BITS:
            raise TooWide
        self.sort = self.terms.mk_bv_sort(self.bits)
        self.leaves: dict[str, Term] = {}
        self.asserted: list[Term] = []
        self.asserted.append(self._term(statement))

    def _magnitude(self, t: Term) -> int:
        """Returns a bound of the magnitudes of a term and of the terms that it is computed from."""
        key = t.get_id()
        if key not in self._magnitudes:
            self._alive.append(t)
            parts = [self._magnitude(c) for c in t.children()]
            self._magnitudes[key] = max([self._own(t, parts), *parts])
        return self._magnitudes[key]

    def _own(self, t: Term, parts: Sequence[int]) -> int:
        if z3.is_int_value(t):
            return abs(t.as_long())
        if not z3.is_int(t):
            return 0
        match t.decl().kind():
            case z3.Z3_OP_ADD | z3.Z3_OP_SUB:
                return sum(parts)
            case z3.Z3_OP_MUL:
                out = 1
                for part in parts:
                    out *= max(part, 1)
                return out
            case z3.Z3_OP_IDIV | z3.Z3_OP_MOD | z3.Z3_OP_UMINUS | z3.Z3_OP_ITE:
                return max(parts) + 1
            case z3.Z3_OP_UNINTERPRETED:
                return LARGEST if t.decl().name() in self.symbols else ELEMENTS
            case _:
                raise TooWide

    def _term(self, t: Term) -> Term:
        key = t.get_id()
        if key not in self._done:
            self._done[key] = self._translated(t, [self._term(c) for c in t.children()])
        return self._done[key]

    def _translated(self, t: Term, parts: list[Term]) -> Term:
        make = self.terms.mk_term
        if z3.is_int_value(t):
            return self.terms.mk_bv_value(self.sort, t.as_long())
        if z3.is_true(t) or z3.is_false(t):
            return self.terms.mk_true() if z3.is_true(t) else self.terms.mk_false()
        kind = t.decl().kind()
        if kind == z3.Z3_OP_UNINTERPRETED:
            return self._leaf(t, parts)
        if kind in (z3.Z3_OP_IDIV, z3.Z3_OP_MOD):
            return self._euclidean(kind == z3.Z3_OP_IDIV, *parts)
        if kind == z3.Z3_OP_DISTINCT:
            return make(Kind.NOT, [make(Kind.EQUAL, parts)])
        if kind in (z3.Z3_OP_AND, z3.Z3_OP_OR, z3.Z3_OP_ADD, z3.Z3_OP_MUL):
            out = parts[0]
            for part in parts[1:]:
                out = make(_KINDS[kind], [out, part])
            return out
        if (kind == z3.Z3_OP_SUB and len(parts) != 2) or kind not in _KINDS:
            raise TooWide
        return make(_KINDS[kind], parts)

    def _leaf(self, t: Term, parts: list[Term]) -> Term:
        name = t.decl().name()
        if z3.is_bool(t):
            return self.terms.mk_const(self.terms.mk_bool_sort(), name)
        if name not in self.leaves:
            sort = self.terms.mk_fun_sort([self.sort] * len(parts), self.sort) if parts else self.sort
            self.leaves[name] = self.terms.mk_const(sort, name)
        leaf = self.leaves[name]
        value = self.terms.mk_term(Kind.APPLY, [leaf, *parts]) if parts else leaf
        bound = LARGEST if name in self.symbols else ELEMENTS
        for relation, number in ((Kind.BV_SGE, -bound), (Kind.BV_SLE, bound)):
            self.asserted.append(self.terms.mk_term(relation, [value, self.terms.mk_bv_value(self.sort, number)]))
        return value

    def _euclidean(self, is_quotient: bool, a: Term, b: Term) -> Term:
        """Returns z3's quotient, whose remainder is not negative, or the remainder. The divisor is asserted not to be zero."""
        make, zero = self.terms.mk_term, self.terms.mk_bv_value(self.sort, 0)
        one = self.terms.mk_bv_value(self.sort, 1)
        self.asserted.append(make(Kind.NOT, [make(Kind.EQUAL, [b, zero])]))
        rest = make(Kind.BV_SREM, [a, b])  # it has the sign of a
        negative, divisor = (make(Kind.BV_SLT, [x, zero]) for x in (rest, b))
        if not is_quotient:
            size = make(Kind.ITE, [divisor, make(Kind.BV_NEG, [b]), b])
            return make(Kind.ITE, [negative, make(Kind.BV_ADD, [rest, size]), rest])
        quotient = make(Kind.BV_SDIV, [a, b])
        step = make(Kind.ITE, [divisor, one, make(Kind.BV_NEG, [one])])
        return make(Kind.ITE, [negative, make(Kind.BV_ADD, [quotient, step]), quotient])


_KINDS: Mapping[int, Any] = {
    z3.Z3_OP_ADD: Kind.BV_ADD,
    z3.Z3_OP_SUB: Kind.BV_SUB,
    z3.Z3_OP_MUL: Kind.BV_MUL,
    z3.Z3_OP_UMINUS: Kind.BV_NEG,
    z3.Z3_OP_ITE: Kind.ITE,
    z3.Z3_OP_EQ: Kind.EQUAL,
    z3.Z3_OP_LE: Kind.BV_SLE,
    z3.Z3_OP_LT: Kind.BV_SLT,
    z3.Z3_OP_GE: Kind.BV_SGE,
    z3.Z3_OP_GT: Kind.BV_SGT,
    z3.Z3_OP_AND: Kind.AND,
    z3.Z3_OP_OR: Kind.OR,
    z3.Z3_OP_NOT: Kind.NOT,
    z3.Z3_OP_IMPLIES: Kind.IMPLIES,
}
