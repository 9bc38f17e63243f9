"""
Indices as sums of symbols, and the arrays that they address.

A symbol is an unknown integer with bounds. An access of global memory is a box in the coordinates of the argument that holds the array:
views are composed, so that two accesses through different views of one array are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

MAX_TERMS = 8
"""Sums of more symbols than this are treated as unknown, which bounds the cost of an index."""


@dataclass(frozen=True, eq=False)
class Symbol:
    """An unknown integer; `low` and `high` are its inclusive bounds."""

    low: float = -inf
    high: float = inf


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
            return Affine(self.constant + factor * other.constant, self.terms)
        total = dict(self.terms)
        for symbol, coefficient in other.terms:
            total[symbol] = total.get(symbol, 0) + factor * coefficient
        terms = sorted(((s, c) for s, c in total.items() if c), key=lambda term: id(term[0]))
        constant = self.constant + factor * other.constant
        return Affine(constant, tuple(terms)) if len(terms) <= MAX_TERMS else Affine.of(Symbol())

    def times(self, factor: int) -> Affine:
        return Affine(0).plus(self, factor)

    @property
    def known(self) -> int | None:
        """The number, if it is known."""
        return None if self.terms else self.constant


@dataclass(frozen=True)
class Box:
    """The elements from `starts` on, `extents` many along each axis (None: to the end), of the array `root`."""

    root: SSAValue
    starts: tuple[Affine, ...]
    extents: tuple[int | None, ...]

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """The constants of the starts."""
        return tuple([start.constant for start in self.starts])

    @cached_property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The first and the last element along each axis, for all values of the symbols."""
        found: list[tuple[float, float]] = []
        for start, size in zip(self.starts, self.extents, strict=True):
            low, high = bounds(start.terms) if start.terms else (0, 0)
            found.append((start.constant + low, inf if size is None else start.constant + high + size - 1))
        return tuple(found)

    @cached_property
    def form(self) -> Form:
        """The array, the terms and the extents, which boxes share that differ in the constants of their starts only."""
        return self.root, tuple([s.terms for s in self.starts]), self.extents


Form = tuple[SSAValue, tuple[tuple[tuple[Symbol, int], ...], ...], tuple[int | None, ...]]


def bounds(terms: Iterable[tuple[Symbol, int]]) -> tuple[float, float]:
    """Returns bounds of a sum of symbols."""
    low = high = 0.0
    for symbol, factor in terms:
        low += factor * (symbol.low if factor > 0 else symbol.high)
        high += factor * (symbol.high if factor > 0 else symbol.low)
    return low, high


def distance_bounds(a: Form, b: Form, axis: int) -> tuple[float, float]:
    """Returns bounds of the starts' distance `b - a` along an axis, without their constants."""
    if a[1][axis] == b[1][axis]:
        return 0, 0
    difference = Affine(0, b[1][axis]).plus(Affine(0, a[1][axis]), -1)
    return bounds(difference.terms)


def overlaps(a: Form, starts: NDArray[np.int64], b: Form, others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """
    Returns which boxes of form `a` can have an element in common with those of form `b`. The constants of their starts, along the last axis,
    are broadcast.
    """
    found = np.ones(np.broadcast_shapes(starts.shape, others.shape)[:-1], np.bool_)
    if a[0] is not b[0]:
        return ~found
    for axis, (here, there) in enumerate(zip(a[2], b[2], strict=True)):
        low, high = distance_bounds(a, b, axis)
        distance = others[..., axis] - starts[..., axis]
        if here is not None and low > -inf:
            found &= distance < int(here - low)
        if there is not None and high < inf:
            found &= distance > int(-there - high)
        if not found.any():
            break
    return found
