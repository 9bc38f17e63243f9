"""Ranges of tiles of keys, where isl's quota ends."""

from __future__ import annotations

import pytest

from ptir.analysis.errors import TooComplex
from ptir.analysis.index import affine
from ptir.analysis.regions.key_ranges import _columns  # pyright: ignore[reportPrivateUsage]


def test_no_quota_ends_inside_a_callback(capfd: pytest.CaptureFixture[str]):
    """islpy prints errors in callbacks and goes on: the end of a quota would be a traceback on the terminal."""
    tiles = affine.read_set("{ [i0, i1] : 0 <= i0 < 4 and 0 <= i1 < 3000 }")
    for operations in range(2000, 2012):
        with pytest.raises(TooComplex), affine.quota(operations):
            _columns(tiles, 1)
    assert capfd.readouterr().err == ""
