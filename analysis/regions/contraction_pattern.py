"""
Classifies a contraction by its two access maps: `matmul`, or `conv` with the windows that slide over an operand.

```
    lhs[i0, 2*i2 + i5 - 1, i4] · rhs[i5, i4, i1]     summed over i4, i5        conv: i5 slides over axis 1 of lhs,
                                                                               stride 2, dilation 1, offset -1
```

A *kept* axis is an axis of the output. An index that adds a summed axis to a kept axis that only this operand reads is an
*affine offset*, and makes the contraction a conv. Other sums of axes in an index are merged axes. To make the result
independent of a program's reshapes,

- an iteration axis that is only read through `floor(i/q)` and remainders is split into its digits, and
- an index that linearizes several axes is split into them, as far as bounds and guards prove that no digit carries into
  the next.

Windows that do not overlap and stay inside the operand only tile an axis, as a reshape does: the stride is at least the extent
of a window, or the dilation at least the extent of all outputs. They make a conv only if another axis is summed, too;
otherwise the contraction is a matmul of consecutive rows. Windows with a guard do not stay inside the operand.

Spec: `tensor-compiler.ja §1.4`, `§3.5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd, isqrt
from typing import Literal

import islpy as isl

from ..index import affine
from ..index.isl_text import Symbol, divisions
from ..index.linearize import product

Axes = tuple[int, ...]
Reads = tuple[isl.MultiAff, isl.Set | None]
"""The map of an operand, and the guard outside of which it is not read."""


@dataclass(frozen=True)
class Offset:
    """
    Axis `axis` of an operand is read at `stride*out + dilation*window + offset`, where the output keeps `out` and `window`
    is summed. If the operand's axis linearizes several axes, this expression is multiplied by `unit`. The window of a transposed
    convolution slides over an axis with gaps, of `base_dilation` - 1 zeros: the expression counts gaps and elements, and the operand
    is read where `base_dilation` divides it, at the quotient.
    """

    axis: int
    out: int
    window: int
    stride: int
    dilation: int
    offset: int
    unit: int = 1
    base_dilation: int = 1


@dataclass(frozen=True)
class ContractionPattern:
    """
    Iteration axes, classified by their use. The output keeps `batch` axes, which both operands read, `m` axes, which only lhs
    reads, `n` axes, which only rhs reads, and `spread` axes, which no operand reads. `k` axes are summed. `lhs` and `rhs` are the
    axes that the operands read, in the order batch, m or n, k.

    The iteration axes are those of the reduction, the output's first. If some are split, `digits` maps the reduction's axes to
    the finer ones, and all other fields refer to the finer ones.
    """

    pattern: Literal["matmul", "conv"]
    sizes: tuple[Symbol, ...]
    batch: Axes
    m: Axes
    n: Axes
    k: Axes
    spread: Axes
    lhs: Axes
    rhs: Axes
    offsets: tuple[tuple[Offset, ...], tuple[Offset, ...]] = ((), ())
    digits: isl.MultiAff | None = None

    @property
    def out(self) -> Axes:
        return tuple(sorted((*self.batch, *self.m, *self.n, *self.spread)))

    @property
    def groups(self) -> int | None:
        """The number of groups of the convolution; None if it is symbolic."""
        number, names = product([self.sizes[a] for a in self.batch])
        return None if names else number


def classify(lhs: Reads, rhs: Reads, sizes: Sequence[Symbol], rank: int) -> ContractionPattern:
    """Returns the pattern of `out(i) = Σ_k lhs(i, k) · rhs(i, k)` with `rank` output axes before the summed ones."""
    plain = _Space(lhs, rhs, tuple(sizes), tuple(range(rank)))
    split = _split(plain)
    offsets = (split or plain).offsets()
    if not any(offsets):
        return plain.pattern("matmul")
    return (split or plain).pattern("conv", offsets)


@dataclass(frozen=True)
class _Space:
    """The iteration axes of a contraction and the operands' reads; the output keeps the axes `kept`."""

    lhs: Reads
    rhs: Reads
    sizes: tuple[Symbol, ...]
    kept: Axes
    digits: isl.MultiAff | None = None

    @property
    def rank(self) -> int:
        return len(self.sizes)

    def reads(self) -> tuple[Axes, Axes]:
        return reads_of(self.lhs, self.sizes), reads_of(self.rhs, self.sizes)

    def pattern(
        self,
        name: Literal["matmul", "conv"],
        offsets: tuple[tuple[Offset, ...], tuple[Offset, ...]] = ((), ()),
    ) -> ContractionPattern:
        lhs, rhs = self.reads()

        def read_by(left: bool, right: bool) -> Axes:
            return tuple(a for a in self.kept if (a in lhs, a in rhs) == (left, right))

        batch, m, n, spread = read_by(True, True), read_by(True, False), read_by(False, True), read_by(False, False)
        k = tuple(a for a in range(self.rank) if a not in self.kept)

        def ordered(free: Axes, of: Axes) -> Axes:
            return (*batch, *free, *(a for a in k if a in of))

        read = ordered(m, lhs), ordered(n, rhs)
        return ContractionPattern(name, self.sizes, batch, m, n, k, spread, *read, offsets, self.digits)

    def offsets(self) -> tuple[tuple[Offset, ...], tuple[Offset, ...]]:
        lhs, rhs = self.reads()
        free_axes = [a for a in self.kept if (a in lhs) != (a in rhs)]
        summed = [a for a in range(self.rank) if a not in self.kept and a in lhs and a in rhs]
        return tuple(self._windows(self.lhs, free_axes, summed)), tuple(self._windows(self.rhs, free_axes, summed))

    def _windows(self, operand: Reads, free_axes: Sequence[int], summed: Sequence[int]) -> Iterator[Offset]:
        at, guard = operand
        points = None if guard is None else guard.intersect(affine.box(self.sizes))
        for axis in range(at.dim(isl.dim_type.out)):
            index = affine.terms(at.get_at(axis))
            if index is None:
                yield from _spread_offset(axis, at.get_at(axis), points, free_axes, summed)
                continue
            digits = list(_carry_free(*index, self.sizes, points))
            for digit in digits:
                yield from _offset(axis, digit, free_axes, summed)
            inside = {a for digit in digits for a in digit.terms}
            stick_out = guard is not None and any(guard.involves_dims(isl.dim_type.set, a, 1) for a in inside)
            if len(inside) == 2 and len(digits) == 2 and (stick_out or any(a not in inside for a in summed)):
                whole = _Digit(1, *index)
                yield from _offset(axis, whole, free_axes, summed)


def reads_of(operand: Reads, sizes: Sequence[Symbol]) -> Axes:
    """Returns the iteration axes on which the element that `operand` reads depends."""
    return tuple(a for a in range(len(sizes)) if sizes[a] != 1 and _depends(operand, a, sizes))


def _depends(operand: Reads, axis: int, sizes: Sequence[Symbol]) -> bool:
    """Whether the guard or the map of an operand changes along an iteration axis."""
    at, guard = operand
    if guard is not None and guard.involves_dims(isl.dim_type.set, axis, 1):
        within = guard.intersect(affine.box(sizes))
        if not within.eliminate(isl.dim_type.set, axis, 1).intersect(affine.box(sizes)).is_equal(within):
            return True
    if not affine.uses_axis(at, axis):
        return False
    if all(at.get_at(k).dim(isl.dim_type.div) == 0 for k in range(at.dim(isl.dim_type.out))):
        return True
    relation = at.as_map().intersect_domain(affine.box(sizes))
    return not relation.project_out(isl.dim_type.in_, axis, 1).is_single_valued()


# --- axes of the iteration ------------------------------------------------------------------------


def _split(space: _Space) -> _Space | None:
    """Returns the space with every axis split into digits at the divisors that `_cuts` finds; None if it finds none."""
    cuts = [_cuts(space, axis) for axis in range(space.rank)]
    if not any(cuts):
        return None
    sizes: list[Symbol] = []
    kept: list[int] = []
    back: list[str] = []  # from digits to axes
    forth: list[str] = []  # from axes to digits
    for axis, (size, steps) in enumerate(zip(space.sizes, cuts, strict=True)):
        terms: list[str] = []
        for k, step in enumerate(units := [*reversed(steps), 1]):
            above = units[k - 1] if k else None
            if axis in space.kept:
                kept.append(len(sizes))
            terms.append(f"{step}*i{len(sizes)}")
            sizes.append(above // step if above is not None else size if isinstance(size, str) else size // step)
            quotient = f"floor(i{axis}/{step})"
            forth.append(quotient if above is None else f"{quotient} - {above // step}*floor(i{axis}/{above})")
        back.append(" + ".join(terms))
    merge = affine.make_map(len(sizes), back)

    def finer(operand: Reads) -> Reads:
        at, guard = operand
        return affine.compose(at, merge, sizes), None if guard is None else guard.preimage_multi_aff(merge)

    digits = affine.make_map(space.rank, forth)
    return _Space(finer(space.lhs), finer(space.rhs), tuple(sizes), tuple(kept), digits)


def _cuts(space: _Space, axis: int) -> list[int]:
    """
    Returns the divisors q of the quotients `floor(i/q)` of an axis in maps and guards, in ascending order. Empty unless each
    divides the next one, and the last one divides the axis's size.
    """
    size = space.sizes[axis]
    if isinstance(size, str):
        return []
    found: set[int] = set()
    for numerator, q in (*_divided(space.lhs), *_divided(space.rhs)):
        index = affine.terms(numerator)
        if index is not None and list(index[0]) == [axis]:
            (c,) = index[0].values()
            if q % c == 0:
                found.add(q // c)
    steps = sorted(q for q in found if q < size)
    return steps if all(b % a == 0 for a, b in pairwise([*steps, size])) else []


def _divided(operand: Reads) -> Iterator[tuple[isl.Aff, int]]:
    """Yields every `floor(E/q)` of the map and the guard, as E and q."""
    at, guard = operand
    yield from divisions(at)
    for part in guard.compute_divs().get_basic_sets() if guard is not None else ():
        local = part.get_local_space()
        for k in range(local.dim(isl.dim_type.div)):
            q = (quotient := local.get_div(k)).get_denominator_val()
            yield quotient.scale_val(q), int(q.to_python())


# --- axes of an operand ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Digit:
    """`unit * (Σ terms + constant)`, a part of an index that never carries into the next."""

    unit: int
    terms: dict[int, int]
    constant: int


def _offset(axis: int, digit: _Digit, free_axes: Sequence[int], summed: Sequence[int]) -> Iterator[Offset]:
    """Yields the affine offset that a digit is, if it adds one summed axis to one free axis."""
    out, window = ([a for a in digit.terms if a in axes] for axes in (free_axes, summed))
    if len(digit.terms) == 2 and out and window:
        (o,), (w,) = out, window
        yield Offset(axis, o, w, digit.terms[o], digit.terms[w], digit.constant, digit.unit)


def _spread_offset(
    axis: int, index: isl.Aff, points: isl.Set | None, free_axes: Sequence[int], summed: Sequence[int]
) -> Iterator[Offset]:
    """
    Yields the affine offset that an index `floor((stride*out + dilation*window + offset)/q)` is, if the guard says that the remainder of
    the division is constant.
    """
    found = list(divisions(isl.MultiAff.from_aff(index)))
    if points is None or points.is_empty() or len(found) != 1:
        return
    numerator, q = found[0]
    quotient = numerator.scale_down_val(isl.Val(q)).floor()
    factors = (index.get_coefficient_val(isl.dim_type.div, k) for k in range(index.dim(isl.dim_type.div)))
    factor = next(f for f in factors if not f.is_zero())
    inner, outer = affine.terms(numerator), affine.terms(index.sub(quotient.scale_val(factor)))
    remainder = numerator.sub(quotient.scale_val(isl.Val(q)))
    rest = points.max_val(remainder)
    if inner is None or outer is None or not rest.is_int():
        return
    if not points.is_subset(remainder.add_constant_val(rest.neg()).zero_basic_set().to_set()):
        return
    c = int(factor.to_python())
    terms = {a: c * inner[0].get(a, 0) + q * outer[0].get(a, 0) for a in {**inner[0], **outer[0]}}
    constant = c * (inner[1] - int(rest.to_python())) + q * outer[1]
    whole = _Digit(1, {a: t for a, t in terms.items() if t}, constant)
    for offset in _offset(axis, whole, free_axes, summed):
        yield replace(offset, base_dilation=q)


def _carry_free(
    terms: dict[int, int], constant: int, sizes: Sequence[Symbol], points: isl.Set | None
) -> Iterator[_Digit]:
    """Yields the digits of an index in a mixed radix: the smallest unit first, each with as few axes as possible."""
    if any(c < 0 for c in terms.values()):
        yield _Digit(1, terms, constant)
        return
    unit = 1
    rest = sorted(terms.items(), key=lambda term: term[1])
    lower: dict[int, int] = {}
    while rest:
        axis, coefficient = rest.pop(0)
        lower[axis] = coefficient // unit
        if not rest:
            break
        found = _radix(lower, constant, gcd(*(c // unit for _, c in rest)), sizes, points)
        if found is not None:
            radix, offset = found
            yield _Digit(unit, lower, offset)
            unit, constant, lower = unit * radix, (constant - offset) // radix, {}
    if lower or constant:
        yield _Digit(unit, lower, constant)


def _radix(
    lower: dict[int, int], constant: int, step: int, sizes: Sequence[Symbol], points: isl.Set | None
) -> tuple[int, int] | None:
    """
    Returns the smallest divisor r of `step` for which some offset congruent to `constant` modulo r keeps `Σ lower + offset`
    within 0 … r - 1, and that offset; None if there is none.
    """
    bounds = _range(lower, sizes, points)
    if bounds is None:
        return None
    low, high = bounds
    for radix in _divisors(step):
        offset = (low + constant) % radix - low
        if high + offset < radix:
            return radix, offset
    return None


def _range(terms: dict[int, int], sizes: Sequence[Symbol], points: isl.Set | None) -> tuple[int, int] | None:
    """Returns the lower and the upper bound of a sum of terms; None if one depends on symbolic sizes."""
    if points is not None and not points.is_empty():
        aff = affine.make_map(len(sizes), [" + ".join(f"{c}*i{a}" for a, c in terms.items())]).get_at(0)
        least, most = points.min_val(aff), points.max_val(aff)
        return (int(least.to_python()), int(most.to_python())) if least.is_int() and most.is_int() else None
    top = 0
    for a, c in terms.items():
        if isinstance(size := sizes[a], str):
            return None
        top += c * (size - 1)
    return 0, top


def _divisors(number: int) -> list[int]:
    """Returns the divisors of a number in ascending order."""
    small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})
