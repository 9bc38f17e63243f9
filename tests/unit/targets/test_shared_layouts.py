"""Layouts of shared memory, compared with the enumeration of their digits, and with formulas for those that have a name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptir.targets.shared_layouts import CHUNK, PANELS, SWIZZLES, SharedLayout, named, parse_shared_layout

from ..builders.amount import examples


def product(digit: int, stride: int) -> int:
    """The product without carries."""
    return stride if digit == 1 else 0 if not digit else product(digit >> 1, stride << 1) ^ (stride if digit & 1 else 0)


def element(layout: SharedLayout, offset: int) -> tuple[int, int]:
    row = column = 0
    for mode in layout.digits:
        offset, digit = divmod(offset, mode.radix)
        row, column = row ^ product(digit, mode.rows), column ^ product(digit, mode.columns)
    return row, column


def agrees(layout: SharedLayout, rows: int, columns: int) -> None:
    assert layout.sizes == (rows, columns)
    places = [element(layout, offset) for offset in range(rows * columns)]
    assert len(set(places)) == rows * columns
    assert [layout.offset(*place) for place in places] == list(range(rows * columns))


def chunk_of(name: str, row: int, column: int, rows: int, columns: int, size: int) -> tuple[int, int]:
    """Returns the row and the chunk where the chunk of an element is, by the formulas of TMA (PTX ISA §5.5.6) and of cp.async tiles."""
    chunk, count = column * size // CHUNK, columns * size // CHUNK
    if name == "none":
        return row, chunk
    if name in PANELS:
        byte = column * size
        at = (byte // PANELS[name] * rows + row) * PANELS[name] + byte % PANELS[name]
        return divmod((at ^ (at >> 3 & (PANELS[name] - CHUNK))) // CHUNK, count)
    step, mask = 8 // min(count, 8), min(count, 8) - 1
    if name == "xor_columns":
        step, taken = max(4 // size, step), 1 if size < 4 else 2
        moved = row ^ row // 4 % 4 if size == 1 and count < 4 else row
        return moved, chunk ^ (row // step * taken & mask)
    return row, chunk ^ (row // step & mask)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("name", SWIZZLES)
def test_named_layouts(name: str, size: int):
    for rows, chunks in ((8, 1), (16, 2), (32, 4), (64, 8), (16, 16), (24, 8), (8, 24)):
        columns = chunks * CHUNK // size
        if (name in PANELS and columns * size % PANELS[name]) or (name not in PANELS and chunks == 24):
            continue
        layout = named(name, rows, columns, size)
        agrees(layout, rows, columns)
        assert layout.run * size >= CHUNK
        assert parse_shared_layout(str(layout)) == layout
        if rows != 24 or name != "xor_columns":  # whose pattern ends at the largest power of two that divides the rows
            for row in range(rows):
                for column in range(columns):
                    moved, chunk = chunk_of(name, row, column, rows, columns, size)
                    byte = (moved * (columns * size // CHUNK) + chunk) * CHUNK + column * size % CHUNK
                    assert layout.offset(row, column) * size == byte


@st.composite
def digits(draw: st.DrawFn) -> tuple[str, int, int]:
    """Draws a layout: the bits of rows and columns in any order, some with further strides above them, and odd outermost digits."""
    i, j = draw(st.integers(0, 4)), draw(st.integers(1, 4))
    bits = draw(st.permutations([("i", k) for k in range(i)] + [("j", k) for k in range(j)]))
    parts: list[str] = []
    for at, bit in enumerate(bits):
        others = draw(st.lists(st.sampled_from(bits[:at]), unique=True, max_size=2)) if at else []
        parts.append("2: " + "^".join(f"{1 << k if k else ''}{axis}" for axis, k in [bit, *others]))
    odd = {axis: draw(st.sampled_from([1, 1, 3, 5])) for axis in "ij"}
    parts += [f"{odd[axis]}: {1 << k if k else ''}{axis}" for axis, k in (("i", i), ("j", j)) if odd[axis] > 1]
    return f"at({', '.join(parts)})", odd["i"] << i, odd["j"] << j


@settings(max_examples=examples(200))
@given(digits())
def test_random_layouts(drawn: tuple[str, int, int]):
    text, rows, columns = drawn
    layout = parse_shared_layout(text)
    agrees(layout, rows, columns)
    assert parse_shared_layout(str(layout)) == layout
    offsets = [[layout.offset(row, column) for column in range(columns)] for row in range(rows)]
    runs = [
        run
        for run in (1, 2, 4, 8, 16, 32)
        if columns % run == 0
        and all(line[c + k] == line[c] + k for line in offsets for c in range(0, columns, run) for k in range(run))
    ]
    assert layout.run == max(runs)


def test_a_run_does_not_depend_on_how_digits_are_written():
    assert parse_shared_layout("at(2: j, 32: 2j, 16: i)").run == parse_shared_layout("at(64: j, 16: i)").run == 64
    assert parse_shared_layout("at(12: j, 16: i)").run == 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("64: j", "write it as"),
        ("at(64)", "'64' is not a digit"),
        ("at(8: k)", "'8: k' is not a digit"),
        ("at(8: 0)", "'8: 0' is not a digit"),
        ("at(8: j^^i)", "is not a digit"),
        ("at(8: j, 8: 4j)", "do not reach each element once"),
        ("at(8: j, 8: 16j)", "do not reach each element once"),
        ("at(8: j, 8: j^i)", None),
        ("at(8: j, 4: i^i)", "do not reach each element once"),
        ("at(6: j, 2: 6j)", r"6j is not a power of two: if it is meant without carries, write 2j\^4j"),
        ("at(6: j, 2: 4j)", "do not reach each element once"),
        ("at(8: j, 3: i, 5: 2i)", "do not reach each element once"),
        ("at(8: j, 3: i, 3: 8j, 3: i)", "do not reach each element once"),
        (
            "at(8: j, 3: 2i, 2: i, 2: i^8j)",
            "each bit of the offset must be one bit of a row or of a column",
        ),
    ],
)
def test_texts(text: str, problem: str | None):
    if problem is None:
        agrees(parse_shared_layout(text), 8, 8)
        return
    with pytest.raises(ValueError, match=problem):
        _ = parse_shared_layout(text).sizes
