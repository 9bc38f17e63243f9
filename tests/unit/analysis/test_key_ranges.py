"""Ranges of tiles of keys, where isl's quota ends."""

from __future__ import annotations

import islpy as isl
import pytest

from ptir.analysis.errors import TooComplex
from ptir.analysis.index import affine
from ptir.analysis.regions.key_ranges import _columns  # pyright: ignore[reportPrivateUsage]


def test_no_quota_ends_inside_a_callback(capfd: pytest.CaptureFixture[str]):
    """islpy prints errors in callbacks and goes on: the end of a quota would be a traceback on the terminal."""
    tiles = affine.read_set("{ [i0, i1] : 0 <= i0 < 4 and 0 <= i1 < 6000 and i1 mod 2 = 0 }")
    for operations in range(2000, 2012):
        with pytest.raises(TooComplex), affine.quota(operations):
            _columns(tiles, 1)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "condition",
    [
        "0 <= i0 < 3 and 2 <= i1 < 5",
        "i0 = 1 and i1 = 4",
        "0 <= i0 < 4 and 0 <= i1 < i0",
        "0 <= i0 < 4 and (i1 = i0 or i1 = 3 + i0)",
        "0 <= i0 < 4 and i0 <= i1 < 9 and i1 mod 2 = 0",
        "1 = 0",
    ],
)
def test_columns_are_the_points_of_each_row(condition: str):
    """Boxes, intervals, unions and strides."""
    tiles = affine.read_set(f"{{ [i0, i1] : {condition} }}")
    points: list[isl.Point] = []
    tiles.foreach_point(points.append)
    at = [[int(p.get_coordinate_val(isl.dim_type.set, k).to_python()) for k in (0, 1)] for p in points]
    assert [list(row) for row in _columns(tiles, 4)] == [sorted(j for i, j in at if i == k) for k in range(4)]
