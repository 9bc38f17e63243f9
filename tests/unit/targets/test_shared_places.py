"""Offsets in shared memory, split into a thread's part and constants, against the layout itself."""

from __future__ import annotations

from itertools import product

import pytest

from ptir.targets.layouts import Mode
from ptir.targets.shared_layouts import named
from ptir.targets.shared_places import split_place, varying_bits


@pytest.mark.parametrize("name", ["none", "xor", "xor_columns", "b128", "b64"])
@pytest.mark.parametrize(
    ("rows", "columns", "size"), [(64, 64, 2), (16, 128, 2), (128, 32, 2), (32, 16, 4), (64, 64, 1)]
)
def test_parts_add_up_to_the_offset(name: str, rows: int, columns: int, size: int):
    if name.startswith("b") and columns * size % int(name[1:]):
        return
    layout, splits = named(name, rows, columns, size), 0
    for step, constant in product([(0, 0), (8, 0), (16, 0), (0, 8), (0, 16)], [(0, 0), (0, 16), (8, 0), (4, 8)]):
        count = 2 if any(step) else 1
        varying = 7, 8 // size - 1
        if any(c + s * (count - 1) >= n for c, s, n in zip(constant, step, (rows, columns), strict=True)):
            continue
        if (place := split_place(layout, varying, constant, step, count)) is None:
            continue
        splits += 1
        for row, column, i in product(range(8), range(8 // size), range(count)):
            at = layout.offset(row, column) ^ place.crossed ^ (i * place.stride if place.crosses else 0)
            at += place.added + (0 if place.crosses else i * place.stride)
            want = layout.offset(row + constant[0] + i * step[0], column + constant[1] + i * step[1])
            assert at == want, (step, constant, row, column, i)
    assert splits > 3


def test_sums_that_carry_are_not_split():
    layout = named("xor", 64, 64, 2)
    assert split_place(layout, (15, 0), (8, 0), (0, 0), 1) is None
    assert split_place(layout, (7, 0), (8, 0), (8, 0), 2) is None
    assert split_place(layout, (7, 0), (0, 0), (8, 0), 4) is not None
    assert varying_bits([Mode(4, 2, 0), Mode(2, 0, 8)]) == (6, 8)
