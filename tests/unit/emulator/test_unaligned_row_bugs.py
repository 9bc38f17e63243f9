"""
Bugs seeded into kernels that realign the vectors of rows: each must be detected by a fault of the emulator or by a wrong result.

Rows of 601 elements of bf16 are held by two warps, and rows of 89 by four lanes: the last vector of a run, of a row and of the array
is not whole.
"""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import pytest

import ptir

from ..builders.row_plans import tiles
from ..builders.row_programs import text
from ..builders.seeded_bugs import Bug, Subject, stale

PLANS = {"warps": (601, (2, 1024), "1x512", 8), "lanes": (89, (8, 96), "8x96", 8)}
"""Length of a row, tile, warp tile and vector width of each plan."""


@cache
def kernel(name: str) -> Subject:
    columns, *plan = PLANS[name]
    source = text("softmax of other types", 3, columns, "bf16")
    x = np.add(np.random.default_rng(0).standard_normal((3, columns)), [[0], [20], [-20]]).astype(ml_dtypes.bfloat16)
    x[:, -1] += x[:, -1].dtype.type(4)
    return Subject.of(ptir.compile(ptir.parse(tiles(source, *plan)), allow_spills=True).program, source, [x])


# Omitted, because results stay right: vectors between the end of a row and that of the array are loaded as well, and
# several lanes store the same elements after the vectors.
BUGS = {
    # loads
    "rows taken for aligned": Bug("warps", r"const int a_shift = [^;]*", "const int a_shift = 0", "Misaligned"),
    "the shift in bytes": Bug("warps", r"(const int a_shift = .*) / 2;", r"\1;", "Misaligned OutOfBounds bounds"),
    "a shift of its own for each lane": Bug("warps", r"(const int a_shift = .*);", r"\1 + (lane & 1);", "Misaligned"),
    "vectors are not shifted": Bug("warps", r"a_shift \* 2\)", "0)"),
    "the lane's own vector follows": Bug("warps", r"next_vector<32>\((a_vectors\[h\]), a_vectors\[h \+ 1\]\)", r"\1"),
    "the last lane continues in the same round": Bug("warps", r"a_vectors\[h \+ 1\]\)", "a_vectors[h])"),
    "a lane of another row follows": Bug("lanes", r"next_vector<4>\(a_", "next_vector<32>(a_"),
    "the run's last vector continues in nothing": Bug("warps", r"if \(.*a_shift && .*\) a_vectors.*;", ""),
    "another lane continues": Bug("warps", r"lane == 0 && a_shift", "lane == 1 && a_shift"),
    "the vector after the run is the next but one": Bug("warps", r"a_from\[64\]", "a_from[65]"),
    "rounds overlap": Bug("warps", r"a_from\[h \* 32\]", "a_from[h * 16]"),
    "the row's last vector is not loaded": Bug("warps", r"run_left \+ 7 \+ a_shift", "run_left + a_shift"),
    "the row ends before the shift": Bug("lanes", r"run_left \+ 7 \+ a_shift", "run_left + 7 - a_shift"),
    "rows beyond the array": Bug("warps", r"(int run_left1?) = run_row1? < 3 && ", r"\1 = ", "OutOfBounds"),
    "all vectors of the array are whole": Bug("lanes", r"< a_whole\) (a_vectors\[h)", r"< a_left) \1", "OutOfBounds"),
    "one vector more is whole": Bug("lanes", r"< a_whole\) (a_vectors\[h)", r"<= a_whole) \1", "OutOfBounds"),
    "the array's last elements are not loaded": Bug("lanes", r"if \(a_whole < a_left\)", "if (false)"),
    "they are the first": Bug("lanes", r"\(\(const u16\*\)a\)\[\d+ \+ v\]", "((const u16*)a)[v]"),
    "they are loaded in every lane": Bug("lanes", r"if \(h \* 4 == a_whole\)", "if (h * 4 >= a_whole)", "ok"),
    # stores
    "stores as if rows were aligned": Bug("warps", r"const int y_shift = [^;]*", "const int y_shift = 0", "Misaligned"),
    "the shift of a load": Bug("warps", r"0u - \(u32\)\(u64\)y_run", "(u32)(u64)y_run", "Misaligned"),
    "stored vectors are not shifted": Bug("warps", r"y_shift \* 2\)", "0)"),
    "a run as long as the row": Bug("warps", r"min\(run_left1, 512\)", "run_left1", "GlobalRace bounds"),
    "a run one element short": Bug("warps", r"min\(run_left1, 512\)", "min(run_left1, 511)", "EmulatorFault"),
    "the last part of a vector is whole": Bug("warps", r"< y_whole\) y_to", "<= y_whole) y_to", "GlobalRace OutOfBounds"),
    "a vector too few": Bug("warps", r"< y_whole\) y_to", "+ 1 < y_whole) y_to", "EmulatorFault"),
    "no elements before the vectors": Bug("warps", r"min\(y_shift, y_held\)", "0", "EmulatorFault"),
    "too many elements before the vectors": Bug("warps", r"min\(y_shift, y_held\)", "8", "OutOfBounds"),
    "no elements after the vectors": Bug("lanes", r"y_left % 8, ", "0, ", "EmulatorFault"),
    "elements after the vectors of another lane": Bug("warps", r"y_left / 8 % 32\)", "y_left / 8 % 32 + 1)"),
    "elements after the vectors of another round": Bug("warps", r"== y_whole\) y_last", "+ 32 == y_whole) y_last"),
    "elements after the vectors in another place": Bug("warps", r"\(y_left / 8 - lane\) \* 8", "(y_left / 8) * 8", "GlobalRace OutOfBounds bounds"),
    # functions
    "half of a vector's shift": Bug("warps", r"shift & by \* 4", "shift & 4"),
    "words of one vector": Bug("warps", r"w\[N \+ k\] = b.at\[k\]", "w[N + k] = a.at[k]"),
    "whole words only": Bug("warps", r"__funnelshift_r\(w\[k\], w\[k \+ 1\], shift \* 8\)", "w[k]"),
    "bits of the wrong word": Bug("warps", r"__funnelshift_r\(w\[k\], w\[k \+ 1\]", "__funnelshift_r(w[k + 1], w[k]"),
    "the previous lane": Bug("warps", r"lane \+ 1, LANES", "lane - 1, LANES"),
    "half of the lanes": Bug("warps", r"0xffffffff, lane == 0", "0x0000ffff, lane == 0", "DivergentWarp"),
    "the first lane's own vector": Bug("warps", r"lane == 0 \? after.at\[k\] : own.at\[k\]", "own.at[k]"),
    "half of the edges": Bug("lanes", r"first < 2 \* EACH", "first < EACH", "EmulatorFault"),
    "edges exchanged": Bug("warps", r"at_end \? tails : heads", "at_end ? heads : tails", "GlobalRace OutOfBounds bounds"),
    "the upper half of a word": Bug("warps", r"w >> at \* sizeof\(T\) % 4 \* 8", "w >> 16"),
}  # fmt: skip


@pytest.mark.campaign
def test_the_kernels_are_right_before_they_are_broken():
    assert [kernel(name).verdict for name in PLANS] == ["ok"] * len(PLANS)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    assert BUGS[name].is_caught(kernel(BUGS[name].kernel))


def test_every_bug_has_a_place():
    assert not stale(BUGS, kernel)
