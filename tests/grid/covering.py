"""
Covering arrays: few points that together contain all combinations of values of any two (or `strength`) axes.

The algorithm is greedy (Cohen et al., *The AETG System*, 1997). For a combination that is not covered yet, it draws several random
points that contain it, and takes the one that covers most new combinations. Illegal points are not generated, and combinations
that occur only in illegal points need not be covered.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

TRIES = 40
Row = tuple[str, ...]
Part = tuple[tuple[int, str], ...]
"""A combination: numbers of axes, each with a value."""


def parts(row: Row, strength: int) -> set[Part]:
    """Returns all combinations of `strength` values that a row covers."""
    return set(combinations(enumerate(row), strength))


def cover(
    axes: Mapping[str, Sequence[str]],
    legal: Callable[[Row], bool],
    strength: int = 2,
    seed: int = 0,
    given: Iterable[Row] = (),
) -> list[Row]:
    """Returns legal rows that, with `given`, cover every combination of `strength` values that occurs in a legal row."""
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
    """Returns the combinations that occur in a legal row, as far as random rows show."""
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
    """Draws a row that contains `part`. Returns None if it is not legal."""
    fixed = dict(part)
    row = tuple(fixed.get(i) or draw.choice(values) for i, values in enumerate(axes.values()))
    return row if legal(row) else None
