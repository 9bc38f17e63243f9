"""
Reduces the elements of a tensor that belong to the same segment. There are three ways, and the one with the fewest instructions is
chosen. The first two combine elements in a fixed order.

**Comparing**: each segment compares all ids with its own number.

```
segments 8, ids and x 5

  %h = binary eq %ids, iota                             8x5: element j belongs to segment s
  %t = reduce sum (binary where %h, %x, 0) axes [1]     8
```

**In order**: the ids are sorted, so that the elements of a segment are adjacent. Each kernel adds up to 8 partial sums of one segment:
elements of one id that are 1 apart, then 8, then 64. The last element of a segment then has all of it, and is found by a binary search.

```
segments 800, ids and x 5000

  %i, %o = the sorted ids, and the positions they come from
  %w = the ids, and the elements, of up to 8 positions before each      5000x8, as views of %i and of ptir.gather %x, %o
  %s = reduce sum (binary where (%w == %i), %x of %w, 0) axes [1]       5000, and so on
  %e = the position of the last id that is s                            800
  %t = ptir.gather %s, %e
```

No two threads write the same element. No tensor of the size of all pairs is stored: the kernel that reduces the terms computes them.

**Scattered**: integers are combined in memory by atomic operations, because their order does not change the result.

```
segments 800, ids and x 5000

  %t = ptir.scatter_reduce add %zeros, %ids, %x         800
```
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import cast

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir, tiny
from ...dialects.common.atomics import ATOMICS, WIDTHS
from ...dialects.common.shapes import element
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.domains import is_integer
from ...semantics.arrays.scalars import integer_range, numpy_dtype
from ..op_writer import static_sizes
from .reductions import with_neutral
from .sort import LAUNCH, SEARCH, Sort, plan_sort
from .writer import POSITION, POSITIONS, U32, Writer, zero

PAIR, TERM, READ, UPDATE = 12, 30, 10, 20
"""
Instructions for a pair of a segment and an element, for a term of a partial sum, for a read of the result, and for an atomic update.
"""
WINDOW = 8
"""The number of partial sums that a kernel adds."""


@dataclass(frozen=True)
class Segments(abc.ABC):
    """
    The segments 0, …, `count` - 1 of elements along `axis`. `ids` are integers with the rank of the elements, and have size 1 along axes on
    which they do not depend. If they are `unique`, it is checked that no two elements belong to one segment.
    """

    write: Writer
    ids: SSAValue
    axis: int
    count: int
    unique: bool = False

    @property
    def size(self) -> int:
        """The number of elements along the axis."""
        return static_sizes(self.ids)[self.axis]

    def numbers(self, rank: int, dtype: Attribute) -> SSAValue:
        """Writes the numbers of the segments, along the axis."""
        return self.write.count(dtype, rank, self.axis, self.count)

    @abc.abstractmethod
    def total(self, kind: str, x: SSAValue, accum: Attribute) -> SSAValue:
        """Writes the reduction of each segment in type `accum`; the neutral element, if it is empty."""


@dataclass(frozen=True)
class Compared(Segments):
    """Segments whose elements are found by comparing all ids with all numbers."""

    def apart(self, x: SSAValue) -> SSAValue:
        """Writes `x` with an axis of size 1, for the segments, before the axis of the elements."""
        of = static_sizes(x)
        return self.write.reshape(x, [*of[: self.axis], 1, *of[self.axis :]])

    def hits(self) -> SSAValue:
        """Writes whether an element belongs to a segment."""
        ids = self.apart(self.ids)
        return self.write.binary("eq", ids, self.numbers(len(static_sizes(ids)), element(ids)))

    def total(self, kind: str, x: SSAValue, accum: Attribute) -> SSAValue:
        write, hits = self.write, self.hits()
        terms, fill = with_neutral(write, kind, self.apart(x), accum)
        terms = write.binary("where", hits, terms, write.add(tiny.ConstOp(fill.dense)))
        total = write.cast(write.reduce(kind, terms, [self.axis + 1], element(terms)), accum)
        if not self.unique:
            return total
        one = write.literal(1, POSITION)
        found = write.binary("where", hits, one, write.literal(0, POSITION))
        found = write.reduce("sum", found, [self.axis + 1], POSITION)
        return write.binary("require_unique", write.binary("le", found, one), total)

    def last(self) -> SSAValue:
        """Writes the unsigned position of the last element of each segment; a large number, if it is empty."""
        write, hits = self.write, self.hits()
        one = write.literal(1, U32)
        after = write.binary("add", write.count(U32, len(static_sizes(hits)), self.axis + 1, self.size), one)
        last = write.reduce("max", write.binary("where", hits, after, write.literal(0, U32)), [self.axis + 1], U32)
        return write.binary("sub", last, one)


@dataclass(frozen=True)
class InOrder(Segments):
    """Segments of adjacent elements: the ids ascend. `order` has the positions from which the elements come, unless they are in order."""

    order: SSAValue | None = None

    @classmethod
    def of(cls, s: Segments) -> InOrder:
        """Writes the ids in order."""
        write, of = s.write, static_sizes(s.ids)
        others = [a for a in range(len(of)) if a != s.axis]
        rows = [of[a] for a in others if of[a] != 1]
        permuted = write.permute(s.ids, [*others, s.axis])
        sort = Sort(write, write.bitcast(write.reshape(permuted, [*rows, s.size]), U32))
        entries = sort.least(s.size)

        def restored(x: SSAValue) -> SSAValue:
            back = [*range(s.axis), len(others), *range(s.axis, len(others))]
            return write.permute(write.reshape(x, [*(of[a] for a in others), s.size]), back)

        ids = write.bitcast(restored(sort.word(entries)), POSITION)
        if s.unique:
            ids = write.binary("require_unique", write.binary("lt", before(ids, s.axis, write), ids), ids)
        return cls(write, ids, s.axis, s.count, order=restored(sort.positions(entries)))

    def total(self, kind: str, x: SSAValue, accum: Attribute) -> SSAValue:
        write, axis = self.write, self.axis
        if self.order is not None:
            x = write.at(x, self.order, axis)
        terms, fill = with_neutral(write, kind, x, accum)
        neutral, dtype = write.add(tiny.ConstOp(fill.dense)), element(terms)
        of = list(static_sizes(self.ids))
        ids = write.reshape(self.ids, [*of[: axis + 1], 1, *of[axis + 1 :]])
        step = 1
        while step < self.size:
            window = min(WINDOW, -(-self.size // step))
            same = write.binary("eq", self.windows(self.ids, window, step, -1), ids)
            shares = write.binary("where", same, self.windows(terms, window, step, 0), neutral)
            terms = write.reduce(kind, shares, [axis + 1], dtype)
            step *= window
        last = self.ends()
        found = write.binary("lt", last, write.literal(self.size, U32))
        return write.cast(write.binary("where", found, write.at(terms, last, axis), neutral), accum)

    def windows(self, x: SSAValue, window: int, step: int, value: int) -> SSAValue:
        """Writes the elements that are 0, `step`, …, `(window - 1) * step` before each, the last one first; before the first, a value."""
        rank = len(static_sizes(x))
        low = [(window - 1) * step if a == self.axis else 0 for a in range(rank)]
        fill = ScalarAttr.of(value, POSITION) if value else zero(element(x))
        padded = self.write.pad(x, low, [0] * rank, fill)
        axes = list(zip(static_sizes(x), row_major_strides(static_sizes(padded)), strict=True))
        axes.insert(self.axis + 1, (window, step * axes[self.axis][1]))
        return self.write.view(padded, axes)

    def ends(self) -> SSAValue:
        """Writes the position of the last id of each segment; a large number, if it has none."""
        write, of = self.write, list(static_sizes(self.ids))
        ids, numbers = write.bitcast(self.ids, U32), self.numbers(len(of), U32)
        of[self.axis] = self.count
        count = write.expand(write.literal(0, U32), of)
        """The number of ids that are known not to come after those of the segment."""
        for bit in reversed(range(self.size.bit_length())):
            at = write.binary("add", count, write.literal(2**bit - 1, U32))
            inside = write.binary("lt", at, write.literal(self.size, U32))
            before = write.binary("le", write.at(ids, at, self.axis), numbers)
            more = write.binary("add", at, write.literal(1, U32))
            count = write.binary("where", write.binary("and", inside, before), more, count)
        last = write.binary("sub", count, write.literal(1, U32))
        found = write.binary("eq", write.at(ids, last, self.axis), numbers)
        return write.binary("where", found, last, write.literal(2**32 - 1, U32))

    def last(self) -> SSAValue:
        """Writes the unsigned position of the last element of each segment; a large number, if it is empty."""
        write, last = self.write, self.ends()
        if self.order is None:
            return last
        found = write.binary("lt", last, write.literal(self.size, U32))
        origin = write.cast(write.at(self.order, last, self.axis), U32)
        return write.binary("where", found, origin, write.literal(2**32 - 1, U32))


@dataclass(frozen=True)
class Scattered(Segments):
    """Segments of integers that are combined in memory."""

    def total(self, kind: str, x: SSAValue, accum: Attribute) -> SSAValue:
        _, fill = with_neutral(self.write, kind, x, accum)
        of = [self.count if a == self.axis else size for a, size in enumerate(static_sizes(x))]
        return self.added_to(self.write.expand(self.write.add(tiny.ConstOp(fill.dense)), of), kind, x)

    def added_to(self, start: SSAValue, kind: str, x: SSAValue) -> SSAValue:
        """
        Writes `start` combined with the elements of each segment, in the type of `start`. No atomic operation has less than 32 bits:
        narrower types are widened, and sums wrapped.
        """
        write, accum = self.write, cast(IntegerType, element(start))
        wide = IntegerType(max(accum.width.data, min(WIDTHS)), accum.signedness.data)
        start, updates = (write.cast(write.cast(value, accum), wide) for value in (start, x))
        ids = write.expand(self.ids, static_sizes(x))
        kind = "add" if kind == "sum" else kind
        total = write.add(ptir.ScatterReduceOp(kind, start, ids, updates, self.axis))
        return write.reduce("sum", total, [], accum) if kind == "add" else write.cast(total, accum)


def segments(s: Compared, of: Sequence[int], kind: str, accum: Attribute, *, ordered: bool = False) -> Segments:
    """
    Returns the segments of elements of the sizes `of` in the way that reduces them in type `accum` with the fewest instructions.
    `ordered` are ids that ascend.
    """
    width = prod(of) // max(s.size, 1)
    if not s.unique and is_scattered(s.size, s.count, width, kind, accum):
        return Scattered(s.write, s.ids, s.axis, s.count)
    return in_fixed_order(s, of, reduces=True, ordered=ordered)


def is_scattered(size: int, count: int, width: int, kind: str, accum: Attribute) -> bool:
    """
    Returns whether rows of `width` elements are combined in memory: if they are integers, and fewer instructions are executed than compare
    all pairs of one of `size` rows and one of `count` segments.
    """
    cost = (UPDATE * size + READ * count) * width + LAUNCH
    commutes = kind in ("sum", *ATOMICS) and is_integer(accum)
    return commutes and count <= POSITIONS and cost < PAIR * size * count * width


def in_fixed_order(s: Compared, of: Sequence[int], *, reduces: bool, ordered: bool = False) -> Compared | InOrder:
    """
    Returns the segments of elements of the sizes `of` in the way that takes fewer instructions: to reduce them, or to find the last ones.
    `ordered` are ids that ascend.
    """
    size, rows, width = s.size, prod(static_sizes(s.ids)) // max(s.size, 1), prod(of) // max(s.size, 1)
    compared = PAIR * size * s.count * (width if reduces else rows)
    if not compared or s.count > POSITIONS or size > POSITIONS:
        return s
    cost = SEARCH * size.bit_length() * s.count * rows + READ * s.count * width + 2 * LAUNCH
    cost += 0 if ordered else plan_sort(size, size, rows)[0]
    step = 1
    while reduces and step < size:
        cost += TERM * WINDOW * size * width + LAUNCH
        step *= WINDOW
    if compared <= cost:
        return s
    narrow = replace(s, ids=s.write.cast(s.ids, POSITION))
    return InOrder(s.write, narrow.ids, s.axis, s.count) if ordered else InOrder.of(narrow)


def before(ids: SSAValue, axis: int, write: Writer) -> SSAValue:
    """Writes the id before each id along an axis; before the first one, the least integer."""
    of = list(static_sizes(ids))
    least, _ = integer_range(numpy_dtype(element(ids)))
    first = [1 if a == axis else 0 for a in range(len(of))]
    of[axis] -= 1
    kept = write.shrink(ids, [0] * len(of), of)
    return write.pad(kept, first, [0] * len(of), ScalarAttr.of(least, element(ids)))
