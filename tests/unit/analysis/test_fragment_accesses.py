"""Wavefronts of loads of fragments, compared with the emulator's count of the lanes' addresses by the formulas of the PTX ISA."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f32, f64

from ptir.analysis.nv.fragment_accesses import load_wavefronts
from ptir.dialects.nv.types import FragType, SmemType
from ptir.emulator.memory.banks import wavefronts

WARP = range(32)


def counted(ring: SmemType, places: Sequence[Sequence[tuple[int, int]]], width: int) -> int:
    """Returns the wavefronts of accesses of `width` bytes at these rows and columns of a slot, one for each lane."""
    size, total = {bf16: 2, f32: 4, f64: 8}[ring.element_type], 0
    for access in places:
        at = np.array([ring.layout.offset(*place) * size for place in access], np.uint64)
        total += wavefronts(np.arange(len(access)), at, width)[0]
    return total


@pytest.mark.parametrize("swizzle", ["none", "xor", "xor_columns"])
@pytest.mark.parametrize("columns", [16, 32, 64])
def test_loads_take_as_many_wavefronts_as_the_emulator_counts(columns: int, swizzle: str):
    half, single, double = (SmemType((2, 32, columns), dtype, swizzle) for dtype in (bf16, f32, f64))
    a = FragType((16, 16), bf16, "A of m16n8k16")
    rows = [(lane % 16, lane // 16 * 8) for lane in WARP]
    assert load_wavefronts(a, half, "ND") == counted(half, [rows], 16)
    across = [(lane % 8 + lane // 16 * 8, lane // 8 % 2 * 8) for lane in WARP]
    assert load_wavefronts(a, half, "DN") == counted(half, [across], 16)
    pairs = [[(lane // 4 + h % 2 * 8, lane % 4 * 2 + h // 2 * 8) for lane in WARP] for h in range(4)]
    assert load_wavefronts(FragType((16, 16), f32, "A of m16n8k16"), single, "ND") == counted(single, pairs, 8)
    words = [[(lane % 4 + 4 * e, lane // 4) for lane in WARP] for e in range(2)]
    assert load_wavefronts(FragType((8, 8), f32, "B of m16n8k8"), single, "ND") == counted(single, words, 4)
    one = [[(lane // 4, lane % 4) for lane in WARP]]
    assert load_wavefronts(FragType((8, 4), f64, "A of m8n8k4"), double, "ND") == counted(double, one, 8)
