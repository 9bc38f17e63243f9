"""What lanes address for ldmatrix and for vectors, executed as the PTX ISA describes: each lane gets the elements of its layout."""

from __future__ import annotations

import pytest

from ptir.targets.layouts import Layout, Mode, layout_of
from ptir.targets.matrices import matrix_rows, vector_elements
from ptir.targets.mma import MMAS, OPERANDS
from ptir.targets.shared_layouts import SWIZZLES, SharedLayout, named, parse_shared_layout

Element = tuple[int, int]


def memory_of(layout: Layout, name: str, size: int) -> SharedLayout:
    """Returns the layout `name` of a tile that contains that of `layout`."""
    columns = max(128 // size, layout.columns)
    return named(name, max(16, layout.rows), 1 << (columns - 1).bit_length(), size)


def contents(memory: SharedLayout) -> dict[int, Element]:
    rows, columns = memory.sizes
    return {memory.offset(r, c): (r, c) for r in range(rows) for c in range(columns)}


def held(layout: Layout) -> list[list[Element]]:
    return [
        [(r + row, c + column) for row, column in map(layout.element, range(layout.count))]
        for r, c in map(layout.lane, range(layout.threads))
    ]


def loaded(layout: Layout, memory: SharedLayout, size: int) -> list[list[Element]] | None:
    """Returns the elements that ldmatrix gives each lane, in the order of its registers; None if no ldmatrix loads them."""
    rows = matrix_rows(layout, memory, size)
    if rows is None:
        return None
    stored, addresses = contents(memory), layout_of(rows.lanes, (), ())
    matrices, each = layout.count * size // 4, 4 // size
    result: list[list[Element]] = []
    for thread in range(layout.threads):
        warp, lane = thread // 32 * 32, thread % 32
        elements: list[Element] = []
        for matrix in range(matrices):
            for e in range(each):
                row, along = (2 * (lane % 4) + e, lane // 4) if rows.is_transposed else (lane // 4, lane % 4 * each + e)
                start = memory.offset(*addresses.lane(warp + matrix * 8 + row))
                assert start * size % 16 == 0, "the address of a row is a multiple of 16 bytes"
                elements.append(stored[start + along])
        result.append(elements)
    return result


def tiles(layout: Layout, down: int, across: int) -> Layout:
    modes = [Mode(across, 0, layout.columns), Mode(down, layout.rows, 0)]
    return layout_of(layout.lanes, (), [*layout.elements, *modes])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", OPERANDS)
def test_each_lane_gets_its_elements(name: str, size: int, by_rows: bool):
    operand, mma = OPERANDS[name]
    for down, across in ((1, 1), (2, 1), (1, 2), (4, 1)):
        tile = tiles(mma.operands[operand], down, across)
        layout = tile if by_rows else tile.transposed
        for swizzle in SWIZZLES:
            if (found := loaded(layout, memory_of(layout, swizzle, size), size)) is not None:
                assert found == held(layout)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("name", OPERANDS)
def test_vectors_are_contiguous(name: str, size: int):
    operand, mma = OPERANDS[name]
    for layout in (mma.operands[operand], mma.operands[operand].transposed):
        for memory in (memory_of(layout, "xor", size), parse_shared_layout("at(4: j, 64: i, 32: 4j)")):
            width = vector_elements(layout, memory, size)
            for elements in held(layout):
                for first in range(0, len(elements), width):
                    start = memory.offset(*elements[first])
                    assert start % width == 0
                    assert [memory.offset(*e) for e in elements[first : first + width]] == [
                        *range(start, start + width)
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
        if (rows := matrix_rows(layout if by_rows else layout.transposed, memory_of(layout, "xor", size), size)) is not None
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
    a = tiles(MMAS["m16n8k16"].a, 2, 1)
    assert matrix_rows(a, memory_of(a, "xor", 2), 2) is None


def test_rows_of_matrices_are_contiguous_in_memory():
    a = MMAS["m16n8k16"].a
    assert matrix_rows(a, parse_shared_layout("at(8: j, 16: i, 2: 8j)"), 2) is not None
    assert matrix_rows(a, parse_shared_layout("at(4: j, 16: i, 4: 4j)"), 2) is None
