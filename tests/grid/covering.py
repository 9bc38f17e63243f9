"""
A covering set: few points that have among them every combination of values of any two axes.

Greedy, one point at a time: of some points that contain a combination not yet covered, filled up at random, the one
that covers most is taken (Cohen et al., *The AETG System*, 1997). What is not legal is neither made nor wanted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

TRIES = 40
Row = tuple[str, ...]
Part = tuple[tuple[int, str], ...]
"""Some of the axes, by number, and their values."""


def parts(row: Row, strength: int) -> set[Part]:
    """All that a row covers."""
    return set(combinations(enumerate(row), strength))


def cover(
    axes: Mapping[str, Sequence[str]],
    legal: Callable[[Row], bool],
    strength: int = 2,
    seed: int = 0,
    given: Iterable[Row] = (),
) -> list[Row]:
    """Legal rows that, with `given`, have every combination of `strength` values that any legal row has."""
    draw = random.Random(seed)
    wanted = sorted(_possible(axes, legal, strength))
    covered: set[Part] = set()
    for row in given:
        covered |= parts(row, strength)
    out: list[Row] = []
    draw.shuffle(wanted)
    for want in wanted:
        if want in covered:
            continue
        rows = [row for _ in range(TRIES) if (row := _fill(axes, legal, want, draw)) is not None]
        best = max(rows, key=lambda row: len(parts(row, strength) - covered))
        covered |= parts(best, strength)
        out.append(best)
    return out


def _possible(axes: Mapping[str, Sequence[str]], legal: Callable[[Row], bool], strength: int) -> set[Part]:
    """Combinations of values that some legal row has, found by filling up."""
    draw = random.Random(0)
    values = list(axes.values())
    out: set[Part] = set()
    for numbers in combinations(range(len(values)), strength):
        for part in _products(numbers, values):
            if part in out:
                continue
            if any(_fill(axes, legal, part, draw) is not None for _ in range(TRIES)):
                out.add(part)
    return out


def _products(numbers: Sequence[int], values: Sequence[Sequence[str]]) -> Iterable[Part]:
    if not numbers:
        yield ()
        return
    for value in values[numbers[0]]:
        for rest in _products(numbers[1:], values):
            yield ((numbers[0], value), *rest)


def _fill(
    axes: Mapping[str, Sequence[str]], legal: Callable[[Row], bool], part: Part, draw: random.Random
) -> Row | None:
    """A legal row that contains `part`, or None if the draw was not lucky."""
    fixed = dict(part)
    row = tuple(fixed.get(i) or draw.choice(values) for i, values in enumerate(axes.values()))
    return row if legal(row) else None
