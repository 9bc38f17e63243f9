"""
Indices that are computed from the offsets of a tile.

An offset is a multiple of a known number, its unit. An expression of isl in the offsets, each divided by its unit, becomes a sum of products,
quotients and remainders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import islpy as isl


@dataclass(frozen=True)
class Term:
    """`factor · (index / divisor)` or, for a remainder, `factor · (index mod divisor)`. The index is a tile's offset along an axis, or a sum."""

    factor: int
    index: int | Place
    divisor: int = 1
    is_remainder: bool = False
    is_exact: bool = False
    """Whether the index is a multiple of the divisor."""

    @property
    def reduced(self) -> Term:
        """The term without a division that has no remainder, where the factor allows it."""
        is_reduced = self.is_exact and self.factor % self.divisor == 0
        return Term(self.factor // self.divisor, self.index) if is_reduced else self

    def greatest(self, bounds: Sequence[int]) -> int:
        """Returns an upper bound, for offsets below `bounds`."""
        most = bounds[self.index] - 1 if isinstance(self.index, int) else self.index.greatest(bounds)
        return self.factor * (min(most, self.divisor - 1) if self.is_remainder else most // self.divisor)


@dataclass(frozen=True)
class Place:
    """An index that is computed from the offsets of a tile: a sum."""

    constant: int
    terms: tuple[Term, ...] = ()

    def greatest(self, bounds: Sequence[int]) -> int:
        """Returns an upper bound, for offsets below `bounds`."""
        return self.constant + sum(term.greatest(bounds) for term in self.terms)

    def divided(self, by: int) -> tuple[Place, Place]:
        """Returns the multiples of `by`, counted in it, and the rest."""
        whole = tuple(replace(term, factor=term.factor // by).reduced for term in self.terms if term.factor % by == 0)
        rest = tuple(term.reduced for term in self.terms if term.factor % by)
        return Place(self.constant // by, whole), Place(self.constant % by, rest)


def coefficient(index: isl.Aff, axis: int) -> int:
    """Returns the factor of an axis."""
    return int(index.get_coefficient_val(isl.dim_type.in_, axis).to_python())


def place_of(index: isl.Aff, units: Sequence[int]) -> Place:
    """
    Returns an expression in the offsets, each divided by its unit. What is subtracted as multiples of a quotient makes a remainder of what it
    is subtracted from: `floor(x / p) - r · floor(x / (p · r))` is `(x / p) mod r`, also for p = 1.
    """
    linear, positive, negative = index, list[tuple[int, isl.Aff, int]](), list[tuple[int, isl.Aff, int]]()
    for k in range(index.dim(isl.dim_type.div)):
        if factor := int(index.get_coefficient_val(isl.dim_type.div, k).to_python()):
            q = int(index.get_div(k).get_denominator_val().to_python())
            (positive if factor > 0 else negative).append((factor, index.get_div(k).scale_val(isl.Val(q)), q))
            linear = linear.sub(index.get_div(k).floor().scale_val(isl.Val(factor)))
    terms: list[Term] = []
    for factor, x, q in negative:
        for n, (most, y, p) in enumerate(positive):
            if x.plain_is_equal(y) and q % p == 0 == factor % (q // p) and most >= (times := -factor * p // q):
                positive[n] = most - times, y, p
                terms.append(_remainder(times, Place(0, (_quotient(1, place_of(x, units), p),)), q // p))
                break
        else:
            times = -factor // q
            linear = linear.sub(x.scale_val(isl.Val(times)))
            terms.append(_remainder(times, place_of(x, units), q))
            if rest := factor + times * q:  # no remainder: a term that is negative
                terms.append(_quotient(rest, place_of(x, units), q))
    terms += [_quotient(factor, place_of(x, units), q) for factor, x, q in positive if factor]
    for axis, unit in enumerate(units):
        if factor := coefficient(linear, axis):
            terms.append(Term(factor, axis, unit, is_exact=True))
    return Place(int(linear.get_constant_val().to_python()), tuple(terms))


def _quotient(factor: int, place: Place, q: int) -> Term:
    """Returns `factor · (place / q)`; the quotient of a quotient is one."""
    match place:
        case Place(0, (Term(1, index, unit, False),)):
            return Term(factor, index, unit * q)
        case _:
            return Term(factor, place, q)


def _remainder(factor: int, place: Place, q: int) -> Term:
    """Returns `factor · (place mod q)`. For a quotient without remainder, it is a remainder of the offset."""
    match place:
        case Place(0, (Term(1, int(axis), unit, False, is_exact),)) if factor % unit == 0 and is_exact:
            return Term(factor // unit, axis, unit * q, is_remainder=True)
        case _:
            return Term(factor, place, q, is_remainder=True)
