"""The rows that lanes address for ldmatrix, executed as the PTX ISA describes: each lane gets the elements of its layout."""

from __future__ import annotations

import pytest

from ptir.targets.layouts import Layout, Mode, layout_of
from ptir.targets.matrices import matrix_rows
from ptir.targets.mma import MMAS, OPERANDS

Element = tuple[int, int]


def loaded(layout: Layout, size: int, by_rows: bool) -> list[list[Element]] | None:
    """Returns the elements that ldmatrix gives each lane, in the order of its registers; None if no ldmatrix loads them."""
    rows = matrix_rows(layout, size, by_rows=by_rows)
    if rows is None:
        return None
    addresses = layout_of(rows.lanes, (), ())
    matrices, each = layout.count * size // 4, 4 // size
    result: list[list[Element]] = []
    for thread in range(layout.threads):
        warp, lane = thread // 32 * 32, thread % 32
        held: list[Element] = []
        for matrix in range(matrices):
            for e in range(each):
                row, along = (2 * (lane % 4) + e, lane // 4) if rows.is_transposed else (lane // 4, lane % 4 * each + e)
                down, across = addresses.lane(warp + matrix * 8 + row)
                held.append((down, across + along) if by_rows else (down + along, across))
        result.append(held)
    return result


def tiles(layout: Layout, down: int, across: int) -> Layout:
    modes = [Mode(across, 0, layout.columns), Mode(down, layout.rows, 0)]
    return layout_of(layout.lanes, (), [*layout.elements, *modes])


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", OPERANDS)
def test_each_lane_gets_its_elements(name: str, size: int, by_rows: bool):
    operand, mma = OPERANDS[name]
    for down, across in ((1, 1), (2, 1), (1, 2), (4, 1)):
        layout = tiles(mma.operands[operand], down, across)
        if (found := loaded(layout, size, by_rows)) is not None:
            assert found == [
                [(r + row, c + column) for row, column in map(layout.element, range(layout.count))]
                for r, c in map(layout.lane, range(layout.threads))
            ]


def test_what_ldmatrix_loads():
    """Words along the contiguous axis, and 16-bit elements across it; nothing else."""
    half, eight, single = MMAS["m16n8k16"], MMAS["m16n8k32"], MMAS["m16n8k8"]
    found = {
        (name, size, by_rows): rows is not None and rows.is_transposed
        for name, layout, size in (
            ("A", half.a, 2), ("B", half.b, 2), ("A8", eight.a, 1), ("B8", eight.b, 1), ("A32", single.a, 4), ("B32", single.b, 4),
            ("narrow", half.a, 1), ("fma", MMAS["fma"].a, 4), ("f64", MMAS["m8n8k4"].a, 8), ("sums", half.c, 4),
        )
        for by_rows in (True, False)
        if (rows := matrix_rows(layout, size, by_rows=by_rows)) is not None
    }  # fmt: skip
    assert found == {
        ("A", 2, True): False,
        ("A", 2, False): True,
        ("B", 2, True): True,
        ("B", 2, False): False,
        ("A8", 1, True): False,
        ("B8", 1, False): False,
        ("A32", 4, True): False,
        ("B32", 4, False): False,
    }


def test_at_most_four_matrices():
    assert matrix_rows(tiles(MMAS["m16n8k16"].a, 2, 1), 2, by_rows=True) is None
