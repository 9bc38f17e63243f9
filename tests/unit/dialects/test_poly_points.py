"""`dialects/poly/points.py`: maps and sets, evaluated on integer arrays, agree with isl at each point."""

from __future__ import annotations

from itertools import product

import islpy as isl
import numpy as np
import pytest

from ptir.dialects.poly.points import condition, expressions

MAPS = (
    "{ [i, j] -> [(i), (j)] }",
    "{ [i, j] -> [(3*i - 2*j + 5)] }",
    "{ [i, j] -> [(floor((i + 2*j)/3)), ((i) mod 4)] }",
    "{ [i, j] -> [(floor((j + floor(i/2))/2) - 7*floor((i - j)/5))] }",
    "{ [i, j] -> [(4294967296*i + j), (floor((4294967296*i - j)/4294967296))] }",
)
SETS = (
    "{ [i, j] : 0 <= i < 3 and j >= 1 }",
    "{ [i, j] : i = j }",
    "{ [i, j] : 2*i = j + 1 or j < -2 }",
    "{ [i, j] : (i + j) mod 3 = 1 and i > -3 }",
    "{ [i, j] : false }",
    "{ [i, j] }",
)
GRID = np.array(list(product(range(-5, 6), repeat=2)))


def point(space: isl.Space, at: tuple[int, int]) -> isl.Point:
    out = isl.Point.zero(space)
    for k, value in enumerate(at):
        out = out.set_coordinate_val(isl.dim_type.set, k, isl.Val(int(value)))
    return out


@pytest.mark.parametrize("text", MAPS)
def test_maps(text: str):
    m = isl.MultiAff(text)
    got = expressions(m)(GRID[:, 0], GRID[:, 1])
    for row, at in enumerate(GRID):
        p = point(m.get_domain_space(), at)
        want = [int(m.get_at(k).eval(p).to_python()) for k in range(m.dim(isl.dim_type.out))]
        assert [int(axis[row]) for axis in got] == want


def test_numbers_of_more_than_64_bits_on_the_way():
    factor, divisor, at = (1 << 39) + 1, (1 << 40) - 1, 1 << 40
    (got,) = expressions(isl.MultiAff(f"{{ [i] -> [(floor(({factor}*i)/{divisor}))] }}"))(np.array([at, 5]))
    assert factor * at >= 1 << 63
    assert got.tolist() == [factor * at // divisor, factor * 5 // divisor]


@pytest.mark.parametrize("text", SETS)
def test_sets(text: str):
    points = isl.Set(text)
    got = condition(points)(GRID[:, 0], GRID[:, 1])
    want = [not points.intersect(isl.Set.from_point(point(points.get_space(), at))).is_empty() for at in GRID]
    assert got.tolist() == want


def test_axes_broadcast_and_are_counted():
    row, column = np.arange(3), np.arange(4)[:, None]
    assert condition(isl.Set("{ [i, j] : i = j }"))(row, column).shape == (4, 3)
    with pytest.raises(ValueError, match="the map takes 2 axes, got 1"):
        expressions(isl.MultiAff(MAPS[0]))(row)
