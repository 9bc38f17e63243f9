"""
Removes divisions that are redundant on a box: `floor((4*i0 + i1)/4)` is `i0` where `0 <= i1 < 4`.

isl finds such forms by integer programming, whose cost explodes along a chain of reshapes and permutes. This module gives
each term of an expression an interval and simplifies `floor(E/q)` by four rules, inner divisions first:

- multiples of `q` leave the division;
- the rest is constant if its interval lies between two multiples of `q`;
- `floor((g*A + B)/(g*p))` is `floor(A/p)` where `0 <= B < g`;
- `floor(-A/q)` is `-1 - floor((A - 1)/q)`, which cancels against quotients of `A` in inverted maps.

A remainder counts as one term, because its interval is tighter than the sum of its parts' intervals: `E - q*floor(E/q)` lies
in [0, q - 1], and `floor(E/q) - r*floor(E/(q*r))` in [0, r - 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

import islpy as isl

from .isl_text import Symbol

ENDLESS = 1 << 200
"""Upper bound that is assumed for parameters and for axes of symbolic size."""

PASSES = 4
"""Maximum number of simplification rounds. Two nearly always suffice: the second changes nothing."""


@dataclass(frozen=True)
class Term:
    """
    A term `factor · expr`. `expr` is an axis, a parameter, `floor(numerator / divisor)` or a remainder, and lies in
    [low, high].
    """

    factor: int
    expr: isl.Aff
    low: int
    high: int
    numerator: isl.Aff | None = None
    divisor: int = 1


def reduce_divisions(m: isl.MultiAff, sizes: Sequence[Symbol]) -> isl.MultiAff:
    """
    Returns a map equal to `m` on the box of `sizes`, with redundant divisions removed and 0 for axes of size 1. Iterates,
    because one simplification may enable another.
    """
    reducer = _Reducer(m, sizes)
    for _ in range(PASSES):
        before = m
        for k in range(m.dim(isl.dim_type.out)):
            m = m.set_at(k, reducer.reduce(m.get_at(k)))
        if m.plain_is_equal(before):
            break
    return m


def intervals(m: isl.MultiAff, sizes: Sequence[Symbol]) -> list[tuple[int, int]]:
    """Returns a lower and an upper bound of each expression of the map on the box of `sizes`; they need not be tight."""
    reducer = _Reducer(m, sizes)
    return [reducer.interval(m.get_at(k)) for k in range(m.dim(isl.dim_type.out))]


class _Reducer:
    """Simplifies expressions on the box of `sizes`. Caches divisions and intervals by the text of the expression."""

    def __init__(self, m: isl.MultiAff, sizes: Sequence[Symbol]):
        self.zero = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(m.get_domain_space()))
        self.sizes = sizes
        self.reduced: dict[str, isl.Aff] = {}
        self.intervals: dict[str, tuple[int, int]] = {}

    def total(self, constant: int, terms: Iterable[Term], by: int = 1) -> isl.Aff:
        """Returns `constant` plus the terms with their factors divided by `by`, which must divide each factor."""
        out = self.zero.add_constant_val(self.value(constant))
        for term in terms:
            factor = term.factor // by
            out = out.add(term.expr if factor == 1 else term.expr.scale_val(self.value(factor)))
        return out

    def value(self, number: int) -> isl.Val:
        return isl.Val.read_from_str(self.zero.get_ctx(), str(number))  # int_from_si is limited to 64 bits

    def reduce(self, aff: isl.Aff) -> isl.Aff:
        terms, constant = self.terms(aff)
        return self.total(constant, (replace(t, expr=self.quotient(t)) for t in terms.values()))

    def quotient(self, term: Term) -> isl.Aff:
        """Returns the expression of a term, simplified if it is a division."""
        if term.numerator is None:
            return term.expr
        if (found := self.reduced.get(key := str(term.expr))) is None:
            found = self.reduced[key] = self.floor(self.reduce(term.numerator), term.divisor)
        return found

    def floor(self, numerator: isl.Aff, q: int) -> isl.Aff:
        """Returns `floor(numerator / q)` by the four rules; the numerator is already simplified."""
        terms, constant = self.with_remainders(*self.terms(numerator))
        outside = self.total(constant // q, (t for t in terms if t.factor % q == 0), q)
        rest, constant = [t for t in terms if t.factor % q], constant % q
        low, high = _sum(rest, constant)
        if low // q == high // q:
            return outside.add_constant_val(self.value(low // q))
        for g in sorted({gcd(t.factor, q) for t in rest} - {1}, reverse=True):
            low, high = _sum((t for t in rest if t.factor % g), constant % g)
            if low >= 0 and high < g:
                kept = self.total(constant // g, (t for t in rest if t.factor % g == 0), g)
                return outside.add(self.floor(kept, q // g))
        if all(-q < 2 * t.factor < 0 for t in rest):
            turned = self.total(-1 - constant, (replace(t, factor=-t.factor) for t in rest))
            return outside.add_constant_val(self.value(-1)).sub(self.floor(turned, q))
        return outside.add(self.total(constant, rest).scale_down_val(self.value(q)).floor())

    # --- terms of an expression ----------------------------------------------------------------------

    def terms(self, aff: isl.Aff) -> tuple[dict[str, Term], int]:
        """Returns the terms of an expression, keyed by the text of `expr`, and its constant."""
        found: list[Term] = []
        for k in range(aff.dim(isl.dim_type.param)):
            if factor := _integer(aff.get_coefficient_val(isl.dim_type.param, k)):
                found.append(Term(factor, self.variable(isl.dim_type.param, k), 0, ENDLESS))
        for k, size in enumerate(self.sizes):
            if size != 1 and (factor := _integer(aff.get_coefficient_val(isl.dim_type.in_, k))):
                high = ENDLESS if isinstance(size, str) else max(size - 1, 0)
                found.append(Term(factor, self.variable(isl.dim_type.set, k), 0, high))
        for k in range(aff.dim(isl.dim_type.div)):
            if factor := _integer(aff.get_coefficient_val(isl.dim_type.div, k)):
                div = aff.get_div(k)
                q = div.get_denominator_val()
                numerator, divisor = div.scale_val(q), _integer(q)
                low, high = self.interval(numerator)
                found.append(Term(factor, div.floor(), low // divisor, high // divisor, numerator, divisor))
        return _merged(found), _integer(aff.get_constant_val())

    def variable(self, kind: isl.dim_type, k: int) -> isl.Aff:
        return isl.Aff.var_on_domain(self.zero.get_domain_local_space(), kind, k)

    def with_remainders(self, terms: dict[str, Term], constant: int) -> tuple[list[Term], int]:
        """Combines terms that form a remainder into one term; returns all terms and the constant."""
        remainders: list[Term] = []
        for key, term in reversed(list(terms.items())):
            for whole, q in self.wholes(term, terms) if key in terms else ():
                parts, offset = self.terms(whole)
                factor = -term.factor // q
                if term.factor % q == 0 and all(
                    k in terms and terms[k].factor == factor * p.factor for k, p in parts.items()
                ):
                    for k in (key, *parts):
                        del terms[k]
                    constant -= factor * offset
                    low, high = self.interval(whole)
                    fits = low >= 0 and high < q
                    expr = whole.sub(term.expr.scale_val(self.value(q)))
                    remainders.append(Term(factor, expr, low if fits else 0, high if fits else q - 1))
                    break
        return [*remainders, *terms.values()], constant

    def wholes(self, term: Term, terms: dict[str, Term]) -> Iterator[tuple[isl.Aff, int]]:
        """Yields pairs E, q such that `term` is `floor(E/q)`: E is its numerator, or a quotient of the same numerator."""
        if term.numerator is None:
            return
        yield term.numerator, term.divisor
        for other in terms.values():
            same = other.numerator is not None and term.numerator.plain_is_equal(other.numerator)
            if same and term.divisor > other.divisor and term.divisor % other.divisor == 0:
                yield other.expr, term.divisor // other.divisor

    def interval(self, aff: isl.Aff) -> tuple[int, int]:
        """Returns a lower and an upper bound of an expression; they need not be tight."""
        if (found := self.intervals.get(key := str(aff))) is None:
            terms, constant = self.with_remainders(*self.terms(aff))
            found = self.intervals[key] = _sum(terms, constant)
        return found


def _merged(terms: Iterable[Term]) -> dict[str, Term]:
    """Adds up terms with the same text, because isl may list the same division twice."""
    found: dict[str, Term] = {}
    for term in terms:
        known = found.get(key := str(term.expr))
        found[key] = term if known is None else replace(known, factor=known.factor + term.factor)
    return {key: term for key, term in found.items() if term.factor}


def _integer(value: isl.Val) -> int:
    number: Any = value.to_python()
    if number is None:
        raise isl.Error("isl's quota has run out: its values are invalid")
    return int(number)


def _sum(terms: Iterable[Term], constant: int) -> tuple[int, int]:
    """Returns the interval of a sum of terms."""
    low = high = constant
    for t in terms:
        ends = (t.factor * t.low, t.factor * t.high)
        low, high = low + min(ends), high + max(ends)
    return low, high
