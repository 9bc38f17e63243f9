"""
Sorts the rows of a tensor, in a stable order: joins short sorted runs to longer ones, and keeps of each what may be needed.

```
the 3 least of 16 words                                 one row of 16

  entries = a word's bits above its position            16 runs of 1
  ranks of the entries of four runs each                4 runs of 3
  two runs merged                                       2 runs of 3
  two runs merged                                       1 run of 3
```

**Ranks** compare the entries of a group of runs with each other; the entry of rank p becomes the p-th of the new run:

```
  %r = reduce sum (binary where (%e along j < %e along i), 1, 0) axes [j]     the rank of entry i
  %n = reduce sum (binary where (%r along i == iota along p), %e, 0) axes [i]
```

**A merge** searches for each entry of the new run how many of those before it come from the left run (merge path). A step of the binary
search reads an entry of each run, and all steps are in one kernel. `plan_sort` counts which steps are the cheapest.

Since an entry holds its position, no two are equal. A word of 64 bits leaves no room for it: then the position alone is the entry, whose
word is read where entries are compared.

Source: Green, McColl, Bader: *GPU Merge Path: a GPU merging algorithm* (2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import prod

from xdsl.ir import SSAValue

from ...dialects.common.shapes import element
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.functions import bit_width
from ..op_writer import Declined, static_sizes
from .writer import POSITION, POSITIONS, U32, U64, Writer

RANK, SELECT, SEARCH, LAUNCH = 25, 11, 27, 2**24
"""
Instructions for a pair of entries that are compared, for a pair of an entry and a rank, and for a step of a search; a launch takes as
long as this many.
"""


@dataclass(frozen=True)
class Step:
    """Joins `joined` adjacent runs at a time to `groups` runs of `kept` entries: by a merge of two, or by ranks."""

    groups: int
    joined: int
    kept: int
    merges: bool


def plan_sort(size: int, count: int, rows: int) -> tuple[int, tuple[Step, ...]]:
    """
    Returns the cheapest steps to sort the `count` least of `size` entries in each of `rows` rows, and their cost in instructions before
    them.
    """

    @cache
    def best(runs: int, length: int) -> tuple[int, tuple[Step, ...]]:
        """Returns the cost of the steps from `runs` runs of a length to one run, and the steps."""
        found = list[tuple[int, tuple[Step, ...]]]()
        for groups in (2**bits for bits in range((runs - 1).bit_length())):
            joined = -(-runs // groups)
            entries = joined * length
            kept = min(count, entries)
            costs = {False: entries * (entries * RANK + kept * SELECT) * rows * groups + 2 * LAUNCH}
            if joined == 2:
                costs[True] = kept * (length.bit_length() + 1) * SEARCH * rows * groups + LAUNCH
            further, steps = best(groups, kept)
            found += [(cost + further, (Step(groups, joined, kept, merges), *steps)) for merges, cost in costs.items()]
        return min(found, key=lambda costs: costs[0], default=(0, ()))

    return best(size, 1)


@dataclass
class Sort:
    """
    The rows of `words`, unsigned integers of 32 or 64 bits along the last axis, to be sorted in ascending order. Equal words keep their
    order. Runs of entries are tensors with an axis for the runs and an axis for the entries of each.
    """

    write: Writer
    words: SSAValue

    @property
    def packed(self) -> bool:
        """Whether entries hold their words."""
        return element(self.words) == U32

    def least(self, count: int) -> SSAValue:
        """Writes the entries of the `count` least words of each row, in order."""
        write, (*rows, size) = self.write, static_sizes(self.words)
        if size > POSITIONS:
            raise Declined(f"an axis of {size} elements is sorted by positions of 31 bits")
        _, steps = plan_sort(size, count, prod(rows))
        if steps:
            most = ScalarAttr.of(2 ** bit_width(element(self.words)) - 1, element(self.words))
            missing = steps[0].groups * steps[0].joined - size
            self.words = write.pad(self.words, [0] * (len(rows) + 1), [*(0 for _ in rows), missing], most)
        runs, length = self.entries(), 1
        for step in steps:
            sizes = [*rows, step.groups, step.joined * length]
            joined = write.reshape(runs, sizes)
            if step.merges:
                runs = self.merged(joined, step.kept)
            else:
                unsorted = not self.packed and step is steps[0]
                keys = (write.reshape(self.words, sizes), joined) if unsorted else self.keys(joined)
                runs = self.ranked(joined, keys, step.kept)
            length = step.kept
        return write.reshape(runs, [*rows, count])

    def entries(self) -> SSAValue:
        """Writes the entries of all words: a word's bits above its position, or the position."""
        write, sizes = self.write, static_sizes(self.words)
        places = write.count(U64 if self.packed else U32, len(sizes), len(sizes) - 1, sizes[-1])
        if not self.packed:
            return write.expand(places, sizes)
        high = write.binary("shift_left", write.cast(self.words, U64), write.literal(32, U64))
        return write.binary("or", high, places)

    def positions(self, entries: SSAValue) -> SSAValue:
        """Writes the positions of entries in their rows, as unsigned integers."""
        write = self.write
        return write.binary("and", entries, write.literal(2**32 - 1, U64)) if self.packed else entries

    def word(self, entries: SSAValue) -> SSAValue:
        """Writes the words of entries."""
        write, (*rows, size) = self.write, static_sizes(self.words)
        if self.packed:
            return write.cast(write.binary("shift_right_logical", entries, write.literal(32, U64)), U32)
        apart = write.reshape(self.words, [*rows, 1, size])
        return write.at(write.expand(apart, [*static_sizes(entries)[:-1], size]), self.positions(entries))

    def keys(self, entries: SSAValue) -> tuple[SSAValue, ...]:
        """Writes what determines the order of entries, the most significant first."""
        return (entries,) if self.packed else (self.word(entries), entries)

    def precedes(self, one: Sequence[SSAValue], other: Sequence[SSAValue]) -> SSAValue:
        """Writes whether an entry comes before another, given the keys of both."""
        *high, (low, low_other) = zip(one, other, strict=True)
        before = self.write.binary("lt", low, low_other)
        for left, right in high:
            equal = self.write.binary("and", self.write.binary("eq", left, right), before)
            before = self.write.binary("or", self.write.binary("lt", left, right), equal)
        return before

    def ranked(self, runs: SSAValue, keys: Sequence[SSAValue], kept: int) -> SSAValue:
        """Writes the first `kept` entries of each run, which may have any order."""
        write, (*rows, length) = self.write, static_sizes(runs)
        rank = len(rows) + 2
        above, below = ([write.reshape(k, [*rows, *pair]) for k in keys] for pair in ((length, 1), (1, length)))
        one, none = write.literal(1, POSITION), write.literal(0, POSITION)
        before = write.binary("where", self.precedes(below, above), one, none)
        ranks = write.reshape(write.reduce("sum", before, [rank - 1], POSITION), [*rows, 1, length])
        chosen = write.binary("eq", ranks, write.count(POSITION, rank, rank - 2, kept))
        places = write.binary("where", chosen, write.count(U32, rank, rank - 1, length), write.literal(0, U32))
        return write.at(runs, write.reduce("sum", places, [rank - 1], U32))

    def merged(self, runs: SSAValue, kept: int) -> SSAValue:
        """
        Writes the first `kept` entries of each run, both of whose halves are in order. Of the first p entries, `taken` are from the left
        half: c or more of them are if entry c - 1 of it comes before entry p - c of the right half.
        """
        write, (*rows, size) = self.write, static_sizes(runs)
        half, rank = size // 2, len(rows) + 1

        def number(value: int) -> SSAValue:
            return write.literal(value, U32)

        place = write.count(U32, rank, rank - 1, kept)
        most = write.binary("min", place, number(half))
        last = write.binary("add", place, number(half - 1))
        """The sum of two positions: of the last entry that comes from the left half, and of the first one that does not from the right."""
        taken = write.binary("sub", write.binary("max", place, number(half)), number(half))
        for bit in reversed(range(half.bit_length())):
            left = write.binary("add", taken, number(2**bit - 1))
            right = write.binary("sub", last, left)
            precedes = self.precedes(*(self.keys(write.at(runs, at)) for at in (left, right)))
            more = write.binary("and", write.binary("lt", left, most), precedes)
            taken = write.binary("where", more, write.binary("add", left, number(1)), taken)
        others = write.binary("sub", place, taken)
        left, right = write.at(runs, taken), write.at(runs, write.binary("add", others, number(half)))
        first = write.binary(
            "or", write.binary("ge", others, number(half)), self.precedes(self.keys(left), self.keys(right))
        )
        return write.binary("where", write.binary("and", write.binary("lt", taken, number(half)), first), left, right)
