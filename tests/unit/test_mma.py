"""The lane layouts against the formulas of PTX ISA §9.7.14.5, written out."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32, f64, i8, i32

from ptir.dialects.mma import MMAS, ROWS, Layout, multiplication


def places(layout: Layout) -> dict[tuple[int, int], tuple[int, int]]:
    """(lane, element) → (row, column)."""
    return {
        (lane, e): tuple(x + y for x, y in zip(layout.lane(lane), layout.element(e), strict=True))
        for lane in range(32)
        for e in range(layout.count)
    }


def c16x8(lane: int, i: int) -> tuple[int, int]:
    return lane // 4 + (8 if i >= 2 else 0), lane % 4 * 2 + (i & 1)


FORMULAS = {
    ("m16n8k16", "A"): lambda lane, i: (
        lane // 4 + (8 if i in (2, 3, 6, 7) else 0),
        lane % 4 * 2 + (i & 1) + (8 if i >= 4 else 0),
    ),
    ("m16n8k16", "B"): lambda lane, i: (lane % 4 * 2 + (i & 1) + (8 if i >= 2 else 0), lane // 4),
    ("m16n8k16", "C"): c16x8,
    ("m16n8k8", "A"): lambda lane, i: (lane // 4 + (8 if i in (1, 3) else 0), lane % 4 + (4 if i >= 2 else 0)),
    ("m16n8k8", "B"): lambda lane, i: (lane % 4 + 4 * i, lane // 4),
    ("m16n8k8", "C"): c16x8,
    ("m16n8k32", "A"): lambda lane, i: (
        lane // 4 + (8 if i // 4 % 2 else 0),
        lane % 4 * 4 + (i & 3) + (16 if i >= 8 else 0),
    ),
    ("m16n8k32", "B"): lambda lane, i: (lane % 4 * 4 + (i & 3) + (16 if i >= 4 else 0), lane // 4),
    ("m16n8k32", "C"): c16x8,
    ("m8n8k4", "A"): lambda lane, i: (lane // 4, lane % 4),
    ("m8n8k4", "B"): lambda lane, i: (lane % 4, lane // 4),
    ("m8n8k4", "C"): lambda lane, i: (lane // 4, lane % 4 * 2 + i),
    ("fma", "C"): c16x8,
}


@pytest.mark.parametrize(("name", "role"), FORMULAS)
def test_lanes_hold_what_the_isa_says(name: str, role: str):
    for (lane, e), place in places(MMAS[name].layout(role)).items():
        assert place == FORMULAS[name, role](lane, e), (lane, e)


@pytest.mark.parametrize("layout", [*(m.layout(r) for m in MMAS.values() for r in "ABC"), *ROWS.values()])
def test_a_layout_holds_its_whole_tile(layout: Layout):
    assert set(places(layout).values()) == {(r, c) for r in range(layout.rows) for c in range(layout.columns)}


def test_lanes_multiply_what_they_hold_without_tensor_cores():
    mma = MMAS["fma"]
    a, b = places(mma.a), places(mma.b)
    for (lane, e), (row, column) in places(mma.c).items():
        del e
        assert {k for (x, _), (r, k) in a.items() if x == lane and r == row} == set(range(mma.k))
        assert {k for (x, _), (k, c) in b.items() if x == lane and c == column} == set(range(mma.k))


def test_neighbours():
    assert [MMAS[n].c.neighbours for n in MMAS] == [2] * len(MMAS)
    assert {w: r.neighbours for w, r in ROWS.items()} == {4: 4, 8: 8}


def test_which_instruction_multiplies_what():
    u8 = IntegerType(8, Signedness.UNSIGNED)
    found = {
        (bf16, bf16, f32, "exact"): "m16n8k16",
        (f16, f16, f32, "exact"): "m16n8k16",
        (f32, f32, f32, "exact"): "fma",
        (f32, f32, f32, "tf32"): "m16n8k8",
        (f64, f64, f64, "exact"): "m8n8k4",
        (i8, i8, i32, "exact"): "m16n8k32",
        (u8, i8, i32, "exact"): "m16n8k32",
    }
    for types, name in found.items():
        assert multiplication(*types) is MMAS[name]
    for types in ((f16, bf16, f32), (f16, f16, f16), (f32, f32, f64), (i32, i32, i32), (i8, i8, f32)):
        assert multiplication(*types) is None
    assert multiplication(bf16, bf16, f32, "tf32") is None
