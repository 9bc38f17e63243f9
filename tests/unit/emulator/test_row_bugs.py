"""
Bugs seeded into kernels of rows: each must be detected by a fault of the emulator or by a wrong result.

A bug is a regular expression and its replacement in the CUDA text or in the text of `nv`. In the kernels, two warps share a row
and a block has two rows, or four lanes share a row and a warp has eight. Rows end within a tile, and the last block extends one
row beyond the array.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptir

from ..builders.row_plans import tiles
from ..builders.row_programs import text
from ..builders.seeded_bugs import Bug, Subject, stale

SOURCE = text("softmax_and_sum", 3, 300)
PLANS = {"warps": ((2, 512), "1x256", 4), "lanes": ((8, 304), "8x304", 4)}
"""Tile, warp tile and vector width of each plan. Of 300 elements, the second warp of a row has 44, and four lanes have 76 each."""


@cache
def kernel(name: str) -> Subject:
    x = (np.random.default_rng(0).standard_normal((3, 300)) * 4 + [[0], [200], [-200]]).astype(np.float32)
    return Subject.of(ptir.compile(ptir.parse(tiles(SOURCE, *PLANS[name]))).program, SOURCE, [x])


# Omitted, because results stay right: all lanes of a row write, or store, instead of one; rows of scratch memory are exchanged.
BUGS = {
    # among lanes
    "a distance is left out": Bug("warps", r"int away = 1", "int away = 2"),
    "distances end too early": Bug("warps", r"away < 32", "away < 16"),
    "distances end too late": Bug("lanes", r"away < 4;", "away < 8;"),
    "neighbors of another row": Bug("lanes", r"away = 1; away < 4;", "away = 4; away < 16;"),
    "the same distance each time": Bug("warps", r"total, away\)|, away\)", ", 1)"),
    "half of the lanes": Bug("warps", r"0xffffffff", "0x0000ffff", "DivergentWarp"),
    # within a lane
    "the first element twice": Bug("warps", r"int e = 4; e < 8", "int e = 0; e < 8"),
    "an element too few": Bug("warps", r"e < 8; \+\+e", "e < 7; ++e"),
    "a partial result is forgotten": Bug("warps", r"\n.*part1?\[2\] = t\w*;", ""),
    "partial results of two chains": Bug("warps", r"\[e % 4\] = t", "[e % 2] = t"),
    # among warps
    "no barrier": Bug("warps", r"__syncthreads\(\);", "", "SharedRace UninitializedMemory"),
    "no barrier after the first": Bug("warps", r"__syncthreads\(\);", "", "SharedRace UninitializedMemory", 1),
    "one scratch for both reductions": Bug("warps", r"shared \+ (?!0\))\d+", "shared + 0", "SharedRace"),
    "scratch of one row": Bug("warps", r" \+ \(warp / 2\) \* 2", "", "SharedRace"),
    "scratch of rows overlaps": Bug("warps", r"\(warp / 2\) \* 2", "(warp / 2) * 1", "SharedRace bounds"),
    "scratch by the block's warp": Bug("warps", r"\[warp % 2\]", "[warp]", "SharedRace UninitializedMemory OutOfBounds"),
    "the last lane's partial result, which it has not": Bug("warps", r"lane % 32 == 0", "lane % 32 == 32", "UninitializedMemory"),
    "one warp's result": Bug("warps", r"other < 2", "other < 1"),
    "its own result alone": Bug("warps", r"(t\w*) = scratch\w*\[0\];", ";"),
    "past the scratch": Bug("warps", r"other < 2", "other < 3", "SharedRace UninitializedMemory OutOfBounds bounds"),
    # where rows end
    "the mask of the maximum": Bug("warps", r"mask\w* \? (\S+) : __int_as_float\(0xff800000\)", r"\1"),
    "the mask of the sum": Bug("lanes", r"mask\w* \? (\w+) : 0.0f", r"\1"),
    "a mask one vector too short": Bug("lanes", r"(bool mask\w* = .*) < 300", r"\1 < 296"),
    "a mask one too long": Bug("lanes", r"(bool mask\w* = .*) < 300", r"\1 < 301"),
    "zero for the largest": Bug("warps", r"__int_as_float\(0xff800000\)", "1e30f"),
    "one for nothing": Bug("warps", r"mask(\w*) \? (\w+) : 0.0f", r"mask\1 ? \2 : 1.0f"),
    "the guard of a load": Bug("lanes", r"row\w* < 3 && column\w* < 300 \? (.*) : vec<float, 4>\{\}", r"\1", "OutOfBounds"),
    "the guard of rows": Bug("warps", r"if \((row\w*) < 3 && ", "if (", "OutOfBounds"),
    "the guard of columns": Bug("warps", r"(if \(row\w* < 3) && column\w* < 300\)", r"\1)", "OutOfBounds GlobalRace"),
    # where elements are
    "lanes overlap": Bug("warps", r"lane \* 4", "lane * 2", "GlobalRace Misaligned"),
    "warps overlap": Bug("warps", r"warp % 2 \* 256", "warp % 2 * 128", "bounds"),
    "vectors overlap": Bug("warps", r"h \* 128", "h * 64", "EmulatorFault"),
    "warps of another row": Bug("warps", r"tile_row = warp / 2", "tile_row = warp % 2", "EmulatorFault GlobalRace"),
    "rows of another lane": Bug("lanes", r"tile_row = lane / 4", "tile_row = lane % 8", "EmulatorFault GlobalRace"),
    "another element of the lane": Bug("warps", r"\[h \* 4 \+ v\] - ", "[h * 4 + (v ^ 1)] - "),
    "no lane that has the row stores the sum": Bug("lanes", r"&& lane % 4 == 0\)", "&& lane == 0)", "EmulatorFault bounds"),
    # values
    "the maximum is a sum": Bug("warps", r"max_nan\((\w+), (__shfl.*)\);", r"\1 + \2;"),
    "the sum is a maximum": Bug("warps", r"(\w+) \+ (__shfl_xor_sync\(.*\));", r"fmaxf(\1, \2);"),
}  # fmt: skip


def test_the_kernels_are_right_before_they_are_broken():
    assert [kernel(name).verdict for name in PLANS] == ["ok"] * len(PLANS)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    assert BUGS[name].is_caught(kernel(BUGS[name].kernel))


def test_every_bug_has_a_place():
    assert not stale(BUGS, kernel)
