"""The text of layouts, and that a layout maps each element of a tile to one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptir.dialects.plan.schedule import Schedule, Vectorize
from ptir.targets.layouts import Layout, Mode, layout_of, layout_text, parse_layout, reaches_each_once
from ptir.transforms.pto_to_nv.rows import layout_of_plan

STEPS = st.integers(0, 999_999_999)
MODES = st.builds(
    lambda radix, step, rows: Mode(radix, *((step, 0) if rows else (0, step))),
    st.integers(1, 999_999),
    STEPS,
    st.booleans(),
)
DIGITS = st.lists(MODES, max_size=4)
SMALL = st.builds(
    lambda radix, step, rows: Mode(radix, *((step, 0) if rows else (0, step))),
    st.integers(1, 4),
    st.sampled_from((0, 1, 1, 2, 3, 4, 6, 8)),
    st.booleans(),
)


def held(layout: Layout) -> Counter[tuple[int, int]]:
    """Counts the places of each element, not counting replicas in other lanes and warps."""
    modes = [m for m in (*layout.lanes, *layout.warps) if m.rows or m.columns] + list(layout.elements)
    digits = product(*(range(m.radix) for m in modes))
    return Counter(
        (
            sum(d * m.rows for d, m in zip(digit, modes, strict=True)),
            sum(d * m.columns for d, m in zip(digit, modes, strict=True)),
        )
        for digit in digits
    )


@given(DIGITS, DIGITS, DIGITS)
def test_text_and_layout(lanes: Sequence[Mode], warps: Sequence[Mode], elements: Sequence[Mode]):
    layout = layout_of(lanes, warps, elements)
    text = layout_text(layout)
    assert parse_layout(text) == layout
    assert layout_text(parse_layout(text)) == text


@given(st.lists(SMALL, max_size=3), st.lists(SMALL, max_size=2), st.lists(SMALL, max_size=3))
def test_each_element_once(lanes: Sequence[Mode], warps: Sequence[Mode], elements: Sequence[Mode]):
    layout = layout_of(lanes, warps, elements)
    assert reaches_each_once(layout) == (held(layout) == Counter(product(range(layout.rows), range(layout.columns))))


def test_digits():
    layout = parse_layout("lane(8: 4j, 4: i) warp(2: 0, 2: 4i) reg(4: j, 3: 32j)")
    assert layout == Layout(
        rows=8,
        columns=96,
        lanes=(Mode(8, 0, 4), Mode(4, 1, 0)),
        elements=(Mode(4, 0, 1), Mode(3, 0, 32)),
        warps=(Mode(2, 0, 0), Mode(2, 4, 0)),
    )
    assert (layout.threads, layout.count, layout.contiguous) == (32, 12, 4)
    assert layout.lane(13) == (1, 20)
    assert layout.element(6) == (0, 34)
    assert layout_text(Layout(1, 1, (), ())) == "" and parse_layout("") == Layout(1, 1, (), ())


@pytest.mark.parametrize(
    "text",
    [
        "lane",
        "lane()",
        "lane(32)",
        "lane(32:)",
        "lane(32: 8)",
        "lane(32: 8k)",
        "lane(32: 1j)",  # the text of a step of 1 is j
        "lane(32: 0j)",
        "lane(32: 08j)",
        "lane(032: j)",
        "lane(0: j)",
        "lane(1: j)",
        "lane(-2: j)",
        "lane(32: -j)",
        "lane(32: j",
        "lane 32: j",
        "lane(32: j))",
        "lane(32:  j)",
        "lane(32:j)",
        "lane(32: j) ",
        " lane(32: j)",
        "lane(32: j)  warp(2: i)",
        "lane(32: j), warp(2: i)",
        "lane(32: j,  2: i)",
        "lane(32: j,2: i)",
        "lane(32: j, )",
        "warp(2: i) lane(32: j)",
        "lane(32: j) lane(2: i)",
        "lane(32: j) cluster(2: i)",
        "lane(32: j) and more",
        "lane(1000000: j)",
        "lane(32: 1000000000j)",
        "lane(٣٢: j)",
        "lane(32: j)\n",
    ],
)
def test_parse_errors(text: str):
    with pytest.raises(ValueError, match="digit"):
        parse_layout(text)


@pytest.mark.parametrize(
    ("tile", "warp_tile", "width", "text"),
    [
        ((4, 1024), "1x1024", 8, "lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)"),
        ((1, 8192), "1x1024", 8, "lane(32: 8j) warp(8: 1024j) reg(8: j, 4: 256j)"),
        ((16, 128), "4x128", 4, "lane(8: 4j, 4: i) warp(4: 4i) reg(4: j, 4: 32j)"),
        ((2, 1024), "1x512", 4, "lane(32: 4j) warp(2: 512j, 2: i) reg(4: j, 4: 128j)"),
        ((128, 2), "32x2", 2, "lane(32: i) warp(4: 32i) reg(2: j)"),
        ((64, 8), "16x8", 1, "lane(2: j, 16: i) warp(4: 16i) reg(4: 2j)"),
        ((1, 384), "1x96", 1, "lane(32: j) warp(4: 96j) reg(3: 32j)"),
        ((1, 32), "1x32", 1, "lane(32: j)"),
    ],
)
def test_layouts_of_plans(tile: tuple[int, int], warp_tile: str, width: int, text: str):
    vectorize = Vectorize(axis="n.i.i", width=width)  # pyright: ignore[reportArgumentType]
    layout = layout_of_plan(Schedule(arch="sm80", tile=tile, warp_tile=warp_tile, vectorize=vectorize))
    assert layout_text(layout) == text
    assert (layout.rows, layout.columns) == tile
    assert reaches_each_once(layout)


def test_the_layout_of_a_cluster():
    vectorize = Vectorize(axis="n.i.i", width=8)
    plan = Schedule(arch="sm90", tile=(1, 8192), warp_tile="1x1024", cluster=(1, 4), vectorize=vectorize)
    layout = layout_of_plan(plan)
    assert layout_text(layout) == "lane(32: 8j) warp(8: 1024j) block(4: 8192j) reg(8: j, 4: 256j)"
    assert parse_layout(layout_text(layout)) == layout
    assert (layout.rows, layout.columns) == (1, plan.row_columns)
    assert reaches_each_once(layout)


@pytest.mark.parametrize(
    "text",
    [
        "lane(4: 2j, 8: i) reg(2: j, 2: 8i)",
        "lane(4: 2j, 8: i, 4: 16i) reg(2: j, 2: 8i)",
        "lane(4: i, 8: j)",
        "lane(32: j)",
    ],
)
def test_lanes_that_hold_other_rows(text: str):
    """Compares with enumeration: the lane with row r XOR `rows` of the same columns, if it is at one distance from all, in the same warp."""
    layout = parse_layout(text)
    held = {
        lane: {tuple(map(sum, zip(layout.lane(lane), layout.element(e), strict=True))) for e in range(layout.count)}
        for lane in range(layout.threads)
    }
    for rows in (1, 2, 4, 8, 16):
        apart = layout.lanes_apart(rows)
        if apart is not None:
            assert all(
                {(r ^ rows, c) for r, c in held[lane]} == held[lane ^ apart] and lane // 32 == (lane ^ apart) // 32
                for lane in held
            )
        else:
            assert not any(
                all({(r ^ rows, c) for r, c in held[n]} == held[n ^ step] for n in held) for step in (1, 2, 4, 8, 16)
            )
