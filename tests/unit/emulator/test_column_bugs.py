"""
Bugs seeded into kernels that reduce columns, and into row reductions in the epilogue of a product: each must be detected by a fault of
the emulator or by a wrong result.

The columns' kernels cut 257 rows into four parts of 65, which end within the second tile of 64 rows; 40 columns end within the
tile's. The product has 33 rows and 17 columns, and ends within its tiles.
"""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import pytest

import ptir

from ..builders.prologue_programs import arrays
from ..builders.row_epilogue_programs import text
from ..builders.seeded_bugs import Bug, Subject, stale

COLUMNS = """
func.func @f(%x: tensor<257x40xbf16>) -> (tensor<40xf32>, tensor<40xbf16>) {
  %0 = ptir.cast %x : tensor<257x40xbf16> -> tensor<257x40xf32>
  %1 = ptir.pad %0 with 0.0 : f32 low [0, 0] high [3, 0] interior [0, 0] : tensor<257x40xf32> -> tensor<260x40xf32>
  %2 = ptir.reshape %1 : tensor<260x40xf32> -> tensor<4x65x40xf32>
  %3 = ptir.reduce sum %2 axes [1] accum f32 : tensor<4x65x40xf32> -> tensor<4x40xf32>
  %4 = ptir.reduce sum %3 axes [0] accum f32 : tensor<4x40xf32> -> tensor<40xf32>
  %5 = ptir.pad %x with "0x80FF" : bf16 low [0, 0] high [3, 0] interior [0, 0] : tensor<257x40xbf16> -> tensor<260x40xbf16>
  %6 = ptir.reshape %5 : tensor<260x40xbf16> -> tensor<4x65x40xbf16>
  %7 = ptir.reduce max %6 axes [1] : tensor<4x65x40xbf16> -> tensor<4x40xbf16>
  %8 = ptir.reduce max %7 axes [0] : tensor<4x40xbf16> -> tensor<40xbf16>
  func.return %4, %8 : tensor<40xf32>, tensor<40xbf16>
}"""


@cache
def kernel(name: str) -> Subject:
    if name == "epilogue":
        source = text("softmax", 33, 40, 17)
        return Subject.of(ptir.compile(source).program, source, arrays(source))
    x = (-1 - np.abs(np.random.default_rng(0).standard_normal((257, 40)))).astype(ml_dtypes.bfloat16)
    return Subject.of(ptir.compile(COLUMNS).program, COLUMNS, [x])


# Not here, because they are right: all lanes of a column store its result; the loaded vector's elements beyond the array, which a
# mask replaces; warps whose columns overlap; zero in the maximum that a softmax
# subtracts.
BUGS = {
    # parts of the rows
    "the last part is left out": Bug("columns", r"row1 < 4\b", "row1 < 3"),
    "a part too short": Bug("columns", r"r < 65; r", "r < 64; r"),
    "tiles of rows overlap": Bug("columns", r"r \+= 64", "r += 32"),
    "tiles of rows leave gaps": Bug("columns", r"r \+= 64", "r += 128"),
    "parts overlap": Bug("columns", r"2600 \* \(", "2560 * ("),
    "parts are stored in one place": Bug("columns", r"row2 = \(int\)blockIdx.y \+ tile_row", "row2 = tile_row", "EmulatorFault GlobalRace"),
    "the guard of the last part": Bug("columns", r"(column1 < 40) && 65 \* \(\(int\)blockIdx.y\) \+ row1 <= 256", r"\1", "OutOfBounds"),
    "the mask of a part": Bug("columns", r"\(row1 < 65\) & \(column1 < 40\)", "column1 < 40"),
    "zero for the smallest": Bug("columns", r"__int_as_float\(0xff800000\)", "0.0f"),
    # what the loop carries
    "totals are lost": Bug("columns", r"total\[h \* 8 \+ v\] \+ (\w+);", r"\1;"),
    "totals of another element": Bug("columns", r"total\[h \* 8 \+ v\]", "total[h * 8 + (v ^ 1)]"),
    "totals are not kept": Bug("columns", r"total\[e\] = t2\[e\];", ";", "UninitializedRegister"),
    "totals start at one": Bug("columns", r"(t1?\[h \* 8 \+ v\] = )0.0f", r"\g<1>1.0f"),
    # among a lane's rows and lanes
    "a row of the lane is left out": Bug("columns", r"int e = 1; e < 4", "int e = 2; e < 4"),
    "rows of the lane twice": Bug("columns", r"total\[e \* 8 \+ v\]", "total[e / 2 * 8 + v]"),
    "half of the lanes": Bug("columns", r"int away = 16; away < 32", "int away = 16; away < 16"),
    "lanes of other columns": Bug("columns", r"int away = 16; away < 32", "int away = 1; away < 32"),
    "registers traded with another lane": Bug("columns", r"(trade\(.*), 8\)", r"\1, 4)"),
    "the sum is a maximum": Bug("columns", r"(\w+\[v\]) \+ (__shfl_xor_sync\(.*\));", r"fmaxf(\1, \2);"),
    "the maximum is a sum": Bug("columns", r"max_nan\((\w+\[v\]), (__shfl_xor_sync\(.*\))\);", r"\1 + \2;"),
    # where elements are
    "rows of another lane": Bug("columns", r"h \* 16 \+ lane / 2", "h * 16 + lane / 4"),
    "columns of another warp": Bug("columns", r"warp \* 16", "warp * 32", "EmulatorFault bounds"),
    "columns overlap": Bug("columns", r"lane % 2 \* 8", "lane % 2 * 4", "Misaligned GlobalRace EmulatorFault bounds"),
    "the guard of columns": Bug("columns", r"if \(column2 < 40 && ", "if (", "GlobalRace OutOfBounds"),
    "a lane that has no result stores it": Bug("columns", r"lane / 2 == 0", "lane == 0", "EmulatorFault bounds"),
    # rows of a product
    "registers exchanged the wrong way": Bug("epilogue", r"(exchange\(acc_rows\[n % 2 .*), 1\)", r"\1, 2)"),
    "half of the exchanges": Bug("epilogue", r"(int n = 0; n < )8(; \+\+n\) \{\n *exchange)", r"\g<1>4\2"),
    "registers of the other row": Bug("epilogue", r"n % 2 \+ n / 8 \* 2\]", "n % 2]"),
    "columns of a product in another order": Bug("epilogue", r"acc\[0\]\[n / 2 % 4\]", "acc[0][n / 2 % 4 ^ 1]"),
    "the mask of the sum": Bug("epilogue", r"mask1 \? (\w+) : 0.0f", r"\1"),
    "half of the row's lanes": Bug("epilogue", r"away < 4", "away < 2"),
    "lanes of other rows": Bug("epilogue", r"away < 4", "away < 8"),
    "the other row's maximum": Bug("epilogue", r" - t2\[h\]", " - t2[h ^ 1]", "bounds"),
    "the other row's sum": Bug("epilogue", r"(divide_by<8>\(.*), t13\[r\]", r"\1, t13[r ^ 1]"),
    "the guard of rows": Bug("epilogue", r"if \(row3 < 33 && ", "if (", "OutOfBounds"),
    "the guard of an element": Bug("epilogue", r"if \(column3 \+ v < 17\) ", "", "GlobalRace OutOfBounds"),
}  # fmt: skip


@pytest.mark.parametrize("name", ["columns", "epilogue"])
def test_the_kernels_are_right_before_they_are_broken(name: str):
    assert kernel(name).verdict == "ok"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_in_the_kernel_is_caught(name: str):
    assert BUGS[name].is_caught(kernel(BUGS[name].kernel))


def test_every_bug_has_a_place():
    assert not stale(BUGS, kernel)
