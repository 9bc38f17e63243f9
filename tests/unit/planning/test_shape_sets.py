"""Shape sets are a partition of the requests, no wider than they may be, and independent of the order of the histogram."""

from __future__ import annotations

from math import inf
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptir.planning.shape_sets import FARTHEST, ShapeSet, Sizes, distance, nearest, shape_sets
from tests.unit.builders.amount import examples

HISTOGRAMS = st.dictionaries(st.tuples(st.integers(0, 3000), st.integers(1, 20)), st.integers(1, 99), max_size=7)


def test_the_example_of_the_docstring():
    histogram = {(1,): 900, (2,): 40, (4,): 12, (128,): 70, (160,): 5, (1000,): 3}
    found = shape_sets(histogram)
    assert [(s.low[0], s.high[0], s.representative[0], s.requests) for s in found] == [
        (1, 2, 1, 940),
        (128, 160, 128, 75),
        (4, 4, 4, 12),
        (1000, 1000, 1000, 3),
    ]


@settings(max_examples=examples(40))
@given(HISTOGRAMS, st.randoms(use_true_random=False))
def test_sets_are_a_partition_no_wider_than_allowed(histogram: dict[Sizes, int], random: Random):
    found = shape_sets(histogram, most=len(histogram) or 1)
    items = list(histogram.items())
    random.shuffle(items)
    assert shape_sets(dict(items), most=len(histogram) or 1) == found
    assert sum(s.requests for s in found) == sum(histogram.values())
    for each in found:
        assert each.representative in histogram and each.contains(each.representative)
        assert all(max(high, 1) <= 2 * max(low, 1) for low, high in zip(each.low, each.high, strict=True))
    for sizes in histogram:
        assert any(each.contains(sizes) for each in found)


@settings(max_examples=examples(40))
@given(HISTOGRAMS, st.integers(1, 4))
def test_there_are_at_most_so_many_sets(histogram: dict[Sizes, int], most: int):
    found = shape_sets(histogram, most)
    assert len(found) <= most and sum(s.requests for s in found) == sum(histogram.values())


def test_shapes_of_different_ranks_are_never_merged():
    assert len(shape_sets({(4,): 1, (4, 4): 1, (4, 4, 4): 1}, most=1)) == 3
    assert distance((1,), (1, 2)) == inf


@pytest.mark.parametrize(("sizes", "want"), [(16, [16, 12]), (13, [16, 12]), (24, [16, 12]), (200, []), (64, [16])])
def test_the_nearest_sets_come_first_and_far_ones_not_at_all(sizes: int, want: list[int]):
    sets = [ShapeSet((16,), (14,), (16,)), ShapeSet((12,), (12,), (12,)), ShapeSet((1024,), (1024,), (1024,))]
    found = nearest(sets, (sizes,))
    assert [s.representative[0] for s in found] == want and all(s.distance((sizes,)) <= FARTHEST for s in found)
