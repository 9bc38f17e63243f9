"""
Indices as sums of symbols, and the arrays that they address.

A symbol is an unknown integer with bounds. An access of global memory is a box in the coordinates of the argument that holds the array:
views are composed, so that two accesses through different views of one array are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.ir import SSAValue

MAX_TERMS = 8
"""Sums of more symbols than this are treated as unknown, which bounds the cost of an index."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """
    An unknown integer: one of `low`, `low + step`, … up to `high`, if `low` is known. The distance from an earlier iteration of a loop has as
    `first` the induction variable of the earliest one: `first`, plus all distances that are added to it, is at most `first.high`.
    """

    low: float = -inf
    high: float = inf
    step: int = 1
    first: Symbol | None = None


@dataclass(frozen=True)
class Affine:
    """The number `constant` + Σ coefficient · symbol. The terms are sorted, so that equal sums compare equal."""

    constant: int = 0
    terms: tuple[tuple[Symbol, int], ...] = ()

    @staticmethod
    def of(symbol: Symbol) -> Affine:
        return Affine(0, ((symbol, 1),))

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """Returns `self + factor · other`."""
        if not other.terms:
            return Affine(self.constant + factor * other.constant, self.terms) if other.constant and factor else self
        if not self.terms:
            scaled = other.times(factor)
            return Affine(self.constant + scaled.constant, scaled.terms) if self.constant else scaled
        total = dict(self.terms)
        for symbol, coefficient in other.terms:
            total[symbol] = total.get(symbol, 0) + factor * coefficient
        terms = sorted(((s, c) for s, c in total.items() if c), key=lambda term: id(term[0]))
        constant = self.constant + factor * other.constant
        return Affine(constant, tuple(terms)) if len(terms) <= MAX_TERMS else Affine.of(Symbol())

    def times(self, factor: int) -> Affine:
        if factor == 1:
            return self
        return Affine(self.constant * factor, tuple([(s, c * factor) for s, c in self.terms]) if factor else ())

    @property
    def known(self) -> int | None:
        """The number, if it is known."""
        return None if self.terms else self.constant


Terms = tuple[tuple[Symbol, int], ...]
Form = tuple[SSAValue, tuple[Terms, ...], tuple[int | None, ...]]


class Box:
    """The elements from `starts` on, `extents` many along each axis (None: to the end), of the array `root`."""

    __slots__ = ("constants", "form", "root")

    def __init__(self, root: SSAValue, starts: tuple[Affine, ...], extents: tuple[int | None, ...]) -> None:
        self.root = root
        self.constants = tuple([start.constant for start in starts])
        """The constants of the starts."""
        self.form: Form = root, tuple([start.terms for start in starts]), extents
        """The array, the terms and the extents, which boxes share that differ in the constants of their starts only."""

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The first and the last element along each axis, for all values of the symbols."""
        return placed(form_bounds(self.form), self.constants)


def placed(around: Iterable[tuple[float, float]], starts: Iterable[int]) -> tuple[tuple[float, float], ...]:
    """Returns bounds along each axis, moved by `starts`."""
    return tuple([(low + at, high + at) for (low, high), at in zip(around, starts, strict=True)])


def form_bounds(form: Form) -> tuple[tuple[float, float], ...]:
    """Returns the bounds of a box of this form whose constants are 0."""
    around = [bounds(terms) if terms else (0, 0) for terms in form[1]]
    return tuple([
        (low, inf if size is None else high + size - 1)
        for (low, high), size in zip(around, form[2], strict=True)
    ])  # fmt: skip


def bounds(terms: Iterable[tuple[Symbol, int]]) -> tuple[float, float]:
    """Returns bounds of a sum of symbols."""
    low = high = 0.0
    loops: dict[Symbol, tuple[float, int, int]] = {}
    """Maps an induction variable to the range of it and its distances, and to the least and the largest of their coefficients and 0."""
    for symbol, factor in terms:
        if symbol.low == -inf:
            return -inf, inf
        first = symbol.first or symbol
        excess, least, most = loops.get(first, (first.high - first.low, 0, 0))
        if symbol is not first:
            excess -= symbol.low
        loops[first] = excess, min(least, factor), max(most, factor)
        low, high = low + factor * symbol.low, high + factor * symbol.low
    for excess, least, most in loops.values():
        low += least * excess if least else 0
        high += most * excess if most else 0
    return low, high


@dataclass(frozen=True, slots=True)
class Distance:
    """The numbers from `low` to `high` that are `rest` plus a multiple of `step`; one number, if `step` is 0."""

    low: float
    high: float
    step: int
    rest: int

    def meets(self, low: ArrayLike, high: ArrayLike) -> NDArray[np.bool_]:
        """Returns whether one of the numbers from `low` to `high` may be a distance."""
        least, most = np.maximum(low, self.low), np.minimum(high, self.high)
        if self.step > 1:
            known = np.isfinite(least)
            least = np.where(known, least + (self.rest - np.where(known, least, 0)) % self.step, least)
        return np.less_equal(least, most)


def axis_distance(a: Form, b: Form, axis: int) -> Distance:
    """Returns the starts' distance `b - a` along an axis, without their constants."""
    if a[1][axis] == b[1][axis]:
        return Distance(0, 0, 0, 0)
    terms = Affine(0, b[1][axis]).plus(Affine(0, a[1][axis]), -1).terms
    if any(symbol.low == -inf for symbol, _ in terms):
        return Distance(*bounds(terms), 1, 0)
    step = gcd(*(factor * symbol.step for symbol, factor in terms))
    return Distance(*bounds(terms), step, sum(factor * int(symbol.low) for symbol, factor in terms))


def overlaps(a: Form, starts: NDArray[np.int64], b: Form, others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """
    Returns which boxes of form `a` can have an element in common with those of form `b`. The constants of their starts, along the last axis,
    are broadcast.
    """
    found = np.ones(np.broadcast_shapes(starts.shape, others.shape)[:-1], np.bool_)
    if a[0] is not b[0]:
        return ~found
    for axis, (here, there) in enumerate(zip(a[2], b[2], strict=True)):
        constant = others[..., axis] - starts[..., axis]
        low = -inf if there is None else 1 - there - constant
        high = inf if here is None else here - 1 - constant
        found &= axis_distance(a, b, axis).meets(low, high)
        if not found.any():
            break
    return found
