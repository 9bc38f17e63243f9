"""
Bugs seeded into kernels of rows that no block holds, streamed or held by a cluster: each must be detected by a fault of the
emulator or by a wrong result.

Two warps of a block have 128 elements of a row of 300: the last of three tiles has 44, and the last of four blocks has none. One
row begins with 140 times -inf, one has nothing else.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptir

from ..builders.row_plans import tiles
from ..builders.row_programs import text
from ..builders.seeded_bugs import Bug, Subject, stale

SOURCE = text("softmax_and_sum", 4, 300)
KERNELS = {"stream": ("sm80", 1), "cluster": ("sm90", 4)}
"""The architecture of a kernel and the number of blocks of a cluster."""


@cache
def kernel(name: str) -> Subject:
    arch, blocks = KERNELS[name]
    x = (np.random.default_rng(0).standard_normal((4, 300)) * 4 + [[0], [200], [-200], [0]]).astype(np.float32)
    x[2, :140] = x[3] = -np.inf
    planned = ptir.parse(tiles(SOURCE, (1, 128), "1x64", 2, blocks, arch))
    return Subject.of(ptir.compile(planned, arch=arch).program, SOURCE, [x])


# Not here, because they are right: a sum that starts at one, which the first maximum makes zero; stores of the same bits twice.
BUGS = {
    # tiles of a row
    "the first tile is left out": Bug("stream", r"int c = 0", "int c = 128"),
    "the last tile is left out": Bug("stream", r"c1 < 300;", "c1 < 256;"),
    "every other tile": Bug("stream", r"c \+= 128", "c += 256"),
    "tiles overlap": Bug("stream", r"c \+= 128", "c += 64", "OutOfBounds bounds"),
    "the last tile of the result is left out": Bug("stream", r"c3 < 300;", "c3 < 256;", "EmulatorFault bounds"),
    "the tile's place": Bug("stream", r"column1 = c \+ ", "column1 = "),
    "the last tile's place": Bug("stream", r"column2 = c1 \+ ", "column2 = "),
    "the result's place": Bug("stream", r"column4 = c2 \+ ", "column4 = ", "GlobalRace EmulatorFault bounds"),
    "the guard of a load": Bug("stream", r"column2 < 300 \? (.*) : vec<float, 2>\{\}", r"\1", "OutOfBounds bounds"),
    "the guard of a store": Bug("stream", r"if \(column5 < 300\) (\*\(vec<float, 2>\*\)\(y)", r"\1", "OutOfBounds GlobalRace"),
    "the mask of the sum": Bug("stream", r"mask1 \? (\w+) : 0.0f", r"\1"),
    "the mask of the maximum": Bug("stream", r"mask \? (\S+) : __int_as_float\(0xff800000\)", r"\1"),
    # what loops carry
    "the sum of the last tile alone": Bug("stream", r"= t28 \+ t39", "= t39"),
    "the sum of no tile": Bug("stream", r"(part2 = )t19;", r"\1t7;"),
    "the maximum of the last tile alone": Bug("stream", r"max_nan\(part3, t24\)", "t24"),
    "the maximum is not carried": Bug("stream", r"  part1 = t5;\n", ""),
    "the maximum starts at zero": Bug("stream", r"(\n +)t = __int_as_float\(0xff800000\)", r"\1t = 0.0f"),
    "the maximum starts again for the last tile": Bug("stream", r"part3 = part1;", "part3 = t;"),
    "the sum starts again for the last tile": Bug("stream", r"part4 = part2;", "part4 = t1;"),
    # online sums
    "the sum is not rescaled": Bug("stream", r"part4 \* t33", "part4"),
    "the sum is rescaled by the inverse": Bug("stream", r"part3 - t31", "t31 - part3"),
    "terms relative to the maximum before": Bug("stream", r"t22\[v\] - t27", "t22[v] - part3"),
    "relative to -inf": Bug("stream", r"t9 \? 0.0f : t8", "t8"),
    "lanes are not rescaled": Bug("stream", r"part4 \* t53", "part4"),
    "a row of -inf has a sum": Bug("stream", r"t55 \+ t47", "t55"),
    # among warps of a block that streams
    "no barrier": Bug("stream", r"__syncthreads\(\);", "", "SharedRace UninitializedMemory"),
    "one scratch for both reductions": Bug("stream", r"shared \+ 16", "shared + 0", "SharedRace"),
    "one warp's result": Bug("stream", r"other < 2", "other < 1"),
    "a distance is left out": Bug("stream", r"int away = 1", "int away = 2"),
    # among blocks of a cluster
    "blocks may not have begun": Bug("cluster", r"cluster_sync\(\);", "", "PeerMemory", 1),
    "no barrier of the cluster": Bug("cluster", r"(t\w*;\n +)cluster_sync\(\);", r"\1", "SharedRace UninitializedMemory PeerExited"),
    "a barrier of the block": Bug("cluster", r"(t\w*;\n +)cluster_sync\(\);", r"\1__syncthreads();", "SharedRace UninitializedMemory PeerExited"),
    "every result in one place": Bug("cluster", r"scratch(\d) \+ rank", r"scratch\1", "SharedRace UninitializedMemory"),
    "its own result alone": Bug("cluster", r"\+ rank, lane % 32\)", "+ rank, rank)", "UninitializedMemory SharedRace"),
    "one block gets no result": Bug("cluster", r"lane % 32 < 4", "lane % 32 < 3", "UninitializedMemory"),
    "a block too many": Bug("cluster", r"lane % 32 < 4", "lane % 32 < 5", "PeerMemory"),
    "two blocks' results": Bug("cluster", r"other < 4", "other < 2"),
    "past the results": Bug("cluster", r"other < 4", "other < 5", "UninitializedMemory SharedRace OutOfBounds"),
    "one scratch for warps and blocks": Bug("cluster", r"shared \+ 16", "shared + 0", "SharedRace"),
    "one scratch for both reductions of the cluster": Bug("cluster", r"shared \+ 64", "shared + 16", "SharedRace"),
    "a warp before the block's result": Bug("cluster", r"(\n[^\n]*other < 2[^}]*\})(\n[^\n]*\n[^\n]*\*in_block)", r"\2"),
    # where elements are
    "blocks overlap": Bug("cluster", r"rank \* 128", "rank * 64", "GlobalRace bounds"),
    "blocks leave gaps": Bug("cluster", r"rank \* 128", "rank * 160", "EmulatorFault"),
    "the block's place": Bug("cluster", r"rank \* 128 \+ ", "", "EmulatorFault"),
}  # fmt: skip


def test_the_kernels_are_right_before_they_are_broken():
    assert [kernel(name).verdict for name in KERNELS] == ["ok"] * len(KERNELS)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    assert BUGS[name].is_caught(kernel(BUGS[name].kernel))


def test_every_bug_has_a_place():
    assert not stale(BUGS, kernel)
