"""`analysis/pto/boxes.py`: the latest access that can overlap another one, compared with a search among all of them."""

from __future__ import annotations

from math import inf
from random import Random

import numpy as np
import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import Block

from ptir.analysis.pto.affine import Affine, Box, Symbol, overlaps
from ptir.analysis.pto.boxes import Boxes

ARRAY = Block(arg_types=[i32]).args[0]


def can_overlap(a: Box, b: Box) -> bool:
    return bool(overlaps(a.form, np.array(a.constants), b.form, np.array(b.constants)))


@pytest.mark.parametrize("seed", range(6))
def test_the_latest_overlap_is_that_of_a_search(seed: int):
    random = Random(seed)
    symbols = [Symbol(0, 40), Symbol(0, inf, 24), Symbol(), Symbol(8, 800), Symbol(-3, 3)]
    symbols = symbols[: 1 + seed % 3] if seed else []
    sizes = [[1, 4, 8], [8, None], [1, 100, 3000]][seed % 3]

    def start() -> Affine:
        terms = random.sample(symbols, min(len(symbols), random.randrange(3)))
        found = Affine(random.randrange(-50, 2000))
        for symbol in terms:
            found = found.plus(Affine.of(symbol), random.choice([1, 16, -4]))
        return found

    boxes, added = Boxes(), list[Box]()
    for number in range(90):
        box = Box(ARRAY, (start(), start()), (random.choice(sizes), random.choice(sizes)))
        want = max((n for n, other in enumerate(added) if can_overlap(other, box)), default=-1)
        assert boxes.latest(box, -1) == want
        after = random.randrange(number + 1)
        assert boxes.latest(box, after) == max(want, after)
        boxes.add(box, number)
        added.append(box)


@pytest.mark.parametrize("seed", range(8))
def test_accesses_of_two_iterations_are_compared_exactly(seed: int):
    """The iterations are enumerated. Only a sum of several symbols can be a number that is neither a bound nor out of step, and not taken."""
    random = Random(seed)
    low, step, trips = random.randrange(-4, 5), random.randrange(1, 7), random.randrange(2, 6)
    first = Symbol(low, low + step * (trips - 1), step)
    index = Affine.of(first)
    later = index.plus(Affine.of(Symbol(step, step * (trips - 1), step, first)))
    iterations = range(low, low + step * trips, step)
    for _ in range(40):
        factor, other, constant, here, there = (random.randrange(n, 7) for n in (1, 1, -6, 1, 1))
        a = Box(ARRAY, (Affine(constant).plus(index, factor),), (here,))
        b = Box(ARRAY, (Affine(0).plus(later, other),), (there,))
        starts = [(constant + factor * i, other * j) for i in iterations for j in iterations if i < j]
        truth = any(x < y + there and y < x + here for x, y in starts)
        assert can_overlap(a, b) >= truth
        if factor == other:
            assert can_overlap(a, b) == truth
        assert b.bounds == ((min(y for _, y in starts), max(y for _, y in starts) + there - 1),)
