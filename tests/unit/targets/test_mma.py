"""The lane layouts of mma fragments, compared with the formulas of PTX ISA §9.7.14.5 and §9.7.15.5.1."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    Float8E4M3FNType,
    Float8E5M2Type,
    IntegerType,
    Signedness,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
)

from ptir.targets.layouts import Layout
from ptir.targets.mma import MMAS, WGMMAS, mma_for, wgmma_columns, wgmma_for


def places(layout: Layout) -> dict[tuple[int, int], tuple[int, int]]:
    """Returns the row and column of each lane's elements."""
    return {
        (lane, e): tuple(x + y for x, y in zip(layout.lane(lane), layout.element(e), strict=True))
        for lane in range(layout.threads)
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
    for (lane, e), place in places(MMAS[name].operands[role]).items():
        assert place == FORMULAS[name, role](lane, e), (lane, e)


def rows_of_warp(thread: int) -> int:
    return 16 * (thread // 32) + thread % 32 // 4


def c64x8(thread: int, i: int) -> tuple[int, int]:
    return rows_of_warp(thread) + (8 if i >= 2 else 0), thread % 4 * 2 + (i & 1)


def a64x32(thread: int, i: int) -> tuple[int, int]:
    return rows_of_warp(thread) + (8 if i // 4 % 2 else 0), thread % 4 * 4 + (i & 3) + (16 if i >= 8 else 0)


OF_WARPGROUPS = {
    ("m64k16", "A"): lambda thread, i: (
        rows_of_warp(thread) + (8 if i // 2 % 2 else 0),
        thread % 4 * 2 + (i & 1) + (8 if i >= 4 else 0),
    ),
    ("m64k8", "A"): lambda thread, i: (rows_of_warp(thread) + 8 * (i % 2), thread % 4 + (4 if i >= 2 else 0)),
    ("m64k32_f8", "A"): a64x32,
    ("m64k32_i8", "A"): a64x32,
    **{(name, "C"): c64x8 for name in ("m64k16", "m64k8", "m64k32_f8", "m64k32_i8")},
}


@pytest.mark.parametrize(("name", "role"), OF_WARPGROUPS)
def test_threads_of_a_warpgroup_hold_what_the_isa_says(name: str, role: str):
    layout = WGMMAS[name].operands[role]
    held = places(layout)
    assert len(held) == 128 * layout.count
    for (thread, e), place in held.items():
        assert place == OF_WARPGROUPS[name, role](thread, e), (thread, e)


@pytest.mark.parametrize("layout", [layout for m in WGMMAS.values() for layout in m.operands.values()])
def test_a_layout_of_a_warpgroup_holds_its_whole_tile(layout: Layout):
    assert (layout.threads, layout.rows) == (128, 64)
    assert set(places(layout).values()) == {(r, c) for r in range(64) for c in range(layout.columns)}


def test_columns_of_wgmma():
    eights = set(range(8, 257, 8))
    integers = {8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256}  # PTX ISA §9.7.15.5.2
    for name, mma in WGMMAS.items():
        want = integers if name == "m64k32_i8" else eights
        assert {n for n in range(-8, 300) if wgmma_columns(mma, n)} == want


def test_which_wgmma_multiplies_what():
    u8 = IntegerType(8, Signedness.UNSIGNED)
    e4, e5 = Float8E4M3FNType(), Float8E5M2Type()
    found = {
        (bf16, bf16, f32, "exact"): "m64k16",
        (f16, f16, f32, "exact"): "m64k16",
        (f32, f32, f32, "tf32"): "m64k8",
        (e4, e4, f32, "exact"): "m64k32_f8",
        (e4, e5, f32, "exact"): "m64k32_f8",
        (i8, i8, i32, "exact"): "m64k32_i8",
        (u8, i8, i32, "exact"): "m64k32_i8",
    }
    for types, name in found.items():
        assert wgmma_for(*types) is WGMMAS[name]
    for types in (
        (f32, f32, f32, "exact"),
        (f64, f64, f64, "exact"),
        (f16, bf16, f32, "exact"),
        (f16, f16, f16, "exact"),
        (e4, bf16, f32, "exact"),
        (e4, e4, i32, "exact"),
        (i8, i8, f32, "exact"),
        (i32, i32, i32, "exact"),
        (bf16, bf16, f32, "tf32"),
    ):
        assert wgmma_for(*types) is None


@pytest.mark.parametrize("layout", [layout for m in MMAS.values() for layout in m.operands.values()])
def test_a_layout_holds_its_whole_tile(layout: Layout):
    assert set(places(layout).values()) == {(r, c) for r in range(layout.rows) for c in range(layout.columns)}


def test_lanes_multiply_what_they_hold_without_tensor_cores():
    mma = MMAS["fma"]
    a, b = places(mma.a), places(mma.b)
    for (lane, e), (row, column) in places(mma.c).items():
        del e
        assert {k for (x, _), (r, k) in a.items() if x == lane and r == row} == set(range(mma.k))
        assert {k for (x, _), (k, c) in b.items() if x == lane and c == column} == set(range(mma.k))


def test_contiguous_elements():
    assert [MMAS[n].c.contiguous for n in MMAS] == [2] * len(MMAS)


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
        assert mma_for(*types) is MMAS[name]
    for types in ((f16, bf16, f32), (f16, f16, f16), (f32, f32, f64), (i32, i32, i32), (i8, i8, f32)):
        assert mma_for(*types) is None
    assert mma_for(bf16, bf16, f32, "tf32") is None
