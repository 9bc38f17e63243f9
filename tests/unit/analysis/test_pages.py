"""Pages of a pool that a table lists: their rows, and the address within one."""

from __future__ import annotations

from typing import Any

import pytest

from ptir.analysis.index import affine
from ptir.analysis.regions.addresses import stride
from ptir.analysis.regions.pages import pages

SIZES = (2, 3, 96, 32, 7)
"""Batches, heads, keys, elements of a key, and places."""


def found(pool: tuple[int, ...], at: list[str], table: str, sizes: tuple[int, ...] = SIZES) -> Any:
    return pages(pool, affine.make_map(5, at), affine.make_map(4, ["i0", table]), sizes, 2, 3)


@pytest.mark.parametrize(
    ("pool", "at", "strides"),
    [
        ((7, 16, 3, 32), ["i4", "i2 mod 16", "i1", "i3"], [0, 32, 96, 1, 1536]),
        ((7, 3, 16, 32), ["i4", "i1", "i2 mod 16", "i3"], [0, 512, 32, 1, 1536]),
    ],
)
def test_a_page_is_a_strided_array(pool: tuple[int, ...], at: list[str], strides: list[int]):
    page = found(pool, at, "floor(i2/16)")
    assert page.rows == 16 and page.sizes == (2, 3, 16, 32, 7)
    assert [stride(page.address, axis) for axis in range(5)] == strides


def test_one_page_may_have_all_rows():
    page = found((7, 96, 3, 32), ["i4", "i2", "i1", "i3"], "0")
    assert page.rows == 96 and page.sizes == SIZES


def test_a_table_may_list_parts_of_pages():
    """Pages of 32 rows, of which each half has a place."""
    assert found((7, 32, 32), ["i4", "i2 mod 32", "i3"], "floor(i2/16)") is None  # the halves differ
    assert found((7, 16, 32), ["i4", "i2 mod 16", "i3"], "floor(i2/32)").rows == 16


@pytest.mark.parametrize(
    ("at", "table"),
    [
        (["i4", "i2 mod 16", "i3"], "i2"),  # a place for each row
        (["i4", "i2 mod 16", "i3"], "floor(i2/16) + i3"),  # and for each element
        (["i4", "i2 mod 16", "i3"], "floor((i2 + 4)/16)"),  # pages that begin in the middle
    ],
)
def test_what_is_no_page(at: list[str], table: str):
    assert found((7, 16, 32), at, table) is None


def test_the_last_page_must_be_whole():
    assert found((7, 16, 32), ["i4", "i2 mod 16", "i3"], "floor(i2/16)", (2, 3, 100, 32, 7)) is None
