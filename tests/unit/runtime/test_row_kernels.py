"""Kernels of rows: within the reference's bounds for all programs, row lengths, element types and special values; deterministic."""

from __future__ import annotations

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.row_programs import PROGRAMS, arrays, text

pytestmark = pytest.mark.sampled(2)

LENGTHS = (1, 2, 3, 31, 32, 33, 128, 301, 1000, 1024, 4104)
ARCHS = ("sm80", "sm90")
DTYPES = {
    "softmax of other types": ("bf16", "f16", "f64"),
    "rms_norm": ("bf16", "f16"),
    "first_maximum": ("f32", "si32", "bf16"),
    "argmax": ("f32", "si64", "f16"),
    "reductions": ("si32", "ui8", "si8", "si64", "f32", "f64"),
    "centered": ("f16", "si16", "ui32", "f64"),
    "accumulators": ("bf16", "f16", "f32"),
}
"""The element types of the programs that run on several."""
SEVERAL = ("layer_norm_backward",)
"""Programs that need several kernels, as they also reduce columns."""
CASES = [
    (name, n, DTYPES.get(name, ("f32",))[k % len(DTYPES.get(name, ("f32",)))], arch)
    for name, (k, n), arch in product(PROGRAMS, enumerate(LENGTHS), ARCHS)
]


def run(source: str, inputs: list[Any], arch: str) -> tuple[Any, int]:
    """Returns the results in the emulator, and the number of kernels."""
    program = ptir.compile(source, arch=arch, device=Emulator())
    return program(*inputs), program.cuda.count("__global__")


@pytest.mark.sampled(11)
@pytest.mark.parametrize(("name", "n", "dtype", "arch"), CASES)
def test_programs(name: str, n: int, dtype: str, arch: str):
    m = 3 if n > 1000 else 5
    source, inputs = text(name, m, n, dtype), arrays(name, m, n, dtype)
    got, kernels = run(source, inputs, arch)
    for k, (result, want) in enumerate(zip(got, bounds(ptir.parse(source), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"
    if n > 1 and name not in SEVERAL:
        assert kernels == 1


SPECIALS = np.array([
    [np.inf, 1, 2, -1], [-np.inf] * 4, [-np.inf, 1, -np.inf, 2], [np.nan, 1, 2, 3], [np.inf, -np.inf, 0, np.nan],
    [0.0, -0.0, 0.0, -0.0], [3e38, 3e38, -3e38, 1], [1e-45, -1e-45, 0, 1e-40],
], np.float32)  # fmt: skip
"""The first elements of rows; others are small integers."""


@pytest.mark.parametrize("n", [4, 133, 1030])
@pytest.mark.parametrize("name", ["softmax", "reductions", "argmax", "first_maximum", "spread"])
def test_special_values(name: str, n: int):
    """Infinities and NaNs of a row affect the results of this row, as in the reference, and of no other row."""
    x = np.random.default_rng(1).integers(-3, 4, (len(SPECIALS), n)).astype(np.float32)
    x[:, :4] = SPECIALS
    source = text(name, *x.shape)
    got, _ = run(source, [x], "sm80")
    with np.errstate(all="ignore"):
        wanted, intervals = ptir.reference(source, x), bounds(ptir.parse(source), "f", x)
    for result, want, interval in zip(got, wanted, intervals, strict=True):
        assert check(result, interval).ok
        if result.dtype.kind == "f" and name != "reductions":  # sums may overflow in another order
            np.testing.assert_array_equal(np.isnan(result), np.isnan(want))


EXTREMES = """
func.func @f(%x: tensor<{m}x{n}xbf16>) -> (tensor<{m}xf32>, tensor<{m}xf32>, tensor<{m}xbf16>) {{
  %w = ptir.cast %x : tensor<{m}x{n}xbf16> -> tensor<{m}x{n}xf32>
  %max = ptir.reduce max %w axes [1] : tensor<{m}x{n}xf32> -> tensor<{m}xf32>
  %min = ptir.reduce min %w axes [1] : tensor<{m}x{n}xf32> -> tensor<{m}xf32>
  %same = ptir.reduce max %x axes [1] : tensor<{m}x{n}xbf16> -> tensor<{m}xbf16>
  func.return %max, %min, %same : tensor<{m}xf32>, tensor<{m}xf32>, tensor<{m}xbf16>
}}"""


@pytest.mark.parametrize(
    ("n", "arch"), [(4, "sm80"), (133, "sm90"), (1030, "sm80"), (2048, "sm80"), (16900, "sm80"), (16900, "sm90")]
)
def test_extremes_of_bf16(n: int, arch: str):
    """Lanes compare two elements at a time: the largest and the least at every position, NaN, infinities, and zeros of both signs."""
    places = np.unique(np.linspace(0, n - 1, 4 if n > 1000 else 40).astype(int))
    rows = range(len(SPECIALS), m := len(SPECIALS) + len(places))
    x = np.random.default_rng(1).integers(-3, 4, (m, n)).astype(ml_dtypes.bfloat16)
    x[: len(SPECIALS), :4], x[5] = SPECIALS, np.resize(SPECIALS[5], n)
    x[rows, places], x[rows, (places + n // 2) % n] = 9, -9
    program = ptir.compile(EXTREMES.format(m=m, n=n), arch=arch, device=Emulator())
    largest, least, same = program(x)
    wide = x.astype(np.float32)
    for got, want in ((largest, wide.max(1)), (least, wide.min(1)), (same.astype(np.float32), wide.max(1))):
        np.testing.assert_array_equal(got, want)
    assert np.signbit(least[5]) and not np.signbit(largest[5])
    assert "max_nan_bf16x2" in program.cuda and "min_nan_bf16x2" in program.cuda


@pytest.mark.parametrize(("name", "dtype"), [("softmax of other types", "bf16"), ("reductions", "si32")])
def test_rows_of_sixteen_warps(name: str, dtype: str):
    """Each lane takes the result of one warp. A sum or a maximum that a warp does not have a part in would be another one."""
    source, inputs = text(name, 2, 9000, dtype), arrays(name, 2, 9000, dtype)
    for column in range(0, 9000, 500):
        inputs[0][:, column] = column // 500 + 9
    got, kernels = run(source, inputs, "sm80")
    for result, want in zip(got, bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert check(result, want).ok
    assert kernels == 1


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("name", "n"), [("softmax", 40), ("layer_norm", 301), ("rms_norm", 2056)])
def test_bits(name: str, n: int, arch: str):
    """Results are bit-equal in every run, and for the same rows in a larger array."""
    inputs = arrays(name, 37, n, "bf16")
    program = ptir.compile(text(name, 37, n, "bf16"), arch=arch, device=Emulator())
    got, again = program(*inputs), program(*inputs)
    fewer, _ = run(text(name, 3, n, "bf16"), [a[:3] if a.shape[0] == 37 else a for a in inputs], arch)
    for first, second, part in zip(got, again, fewer, strict=True):
        assert first.tobytes() == second.tobytes()
        assert first[:3].tobytes() == part.tobytes()


def test_a_sum_is_rounded_before_it_is_read():
    """The sum is of type f16, also where a lane holds it in a register of f32 until the second map reads it."""
    source, inputs = text("centered", 3, 257, "f16"), arrays("centered", 3, 257, "f16")
    (got,), _ = run(source, inputs, "sm80")
    (want,) = bounds(ptir.parse(source), "f", *inputs)
    assert check(got, want).ok


def test_group_norm():
    """Rows of several axes, one of them a part of an axis of the result: groups of three channels, each a plane of 4 x 8."""
    source = """
    func.func @f(%x: tensor<3x6x4x8xf32>, %g: tensor<3x2x1x1x1xf32>) -> tensor<3x6x4x8xf32> {
      %0 = ptir.reshape %x : tensor<3x6x4x8xf32> -> tensor<3x2x3x4x8xf32>
      %n = ptir.constant dense<96.0> : tensor<3x2x1x1x1xf32>
      %1 = ptir.reduce sum %0 axes [2, 3, 4] keepdims : tensor<3x2x3x4x8xf32> -> tensor<3x2x1x1x1xf32>
      %2 = ptir.div %1, %n : tensor<3x2x1x1x1xf32>
      %3 = ptir.broadcast_to %2 : tensor<3x2x1x1x1xf32> -> tensor<3x2x3x4x8xf32>
      %4 = ptir.sub %0, %3 : tensor<3x2x3x4x8xf32>
      %5 = ptir.mul %4, %4 : tensor<3x2x3x4x8xf32>
      %6 = ptir.reduce sum %5 axes [2, 3, 4] keepdims : tensor<3x2x3x4x8xf32> -> tensor<3x2x1x1x1xf32>
      %7 = ptir.div %6, %n : tensor<3x2x1x1x1xf32>
      %8 = ptir.rsqrt %7 : tensor<3x2x1x1x1xf32>
      %9 = ptir.mul %8, %g : tensor<3x2x1x1x1xf32>
      %10 = ptir.broadcast_to %9 : tensor<3x2x1x1x1xf32> -> tensor<3x2x3x4x8xf32>
      %11 = ptir.mul %4, %10 : tensor<3x2x3x4x8xf32>
      %12 = ptir.reshape %11 : tensor<3x2x3x4x8xf32> -> tensor<3x6x4x8xf32>
      func.return %12 : tensor<3x6x4x8xf32>
    }"""
    rng = np.random.default_rng(0)
    x, g = (rng.standard_normal(shape).astype(np.float32) for shape in ((3, 6, 4, 8), (3, 2, 1, 1, 1)))
    for arch in ARCHS:
        (got,), kernels = run(source, [x, g], arch)
        (want,) = bounds(ptir.parse(source), "f", x, g)
        assert check(got, want).ok
        assert kernels == 1


@pytest.mark.parametrize("arch", ARCHS)
def test_factors_of_groups(arch: str):
    """A vector times a quantized matrix, whose rows have a scale for each 64 elements: one kernel, which reads whole sectors."""
    source = """
    func.func @f(%x: tensor<512xf32>, %q: tensor<24x512xsi8>, %s: tensor<24x8xf32>) -> tensor<24xf32> {
      %0 = ptir.reshape %q : tensor<24x512xsi8> -> tensor<24x8x64xsi8>
      %1 = ptir.cast %0 : tensor<24x8x64xsi8> -> tensor<24x8x64xf32>
      %2 = ptir.reshape %s : tensor<24x8xf32> -> tensor<24x8x1xf32>
      %3 = ptir.broadcast_to %2 : tensor<24x8x1xf32> -> tensor<24x8x64xf32>
      %4 = ptir.mul %1, %3 : tensor<24x8x64xf32>
      %5 = ptir.reshape %4 : tensor<24x8x64xf32> -> tensor<24x512xf32>
      %6 = ptir.dot_general %5, %x contract [1] x [0] : (tensor<24x512xf32>, tensor<512xf32>) -> tensor<24xf32>
      func.return %6 : tensor<24xf32>
    }"""
    rng = np.random.default_rng(0)
    x, q, s = rng.integers(-4, 5, 512), rng.integers(-8, 8, (24, 512)), rng.integers(1, 5, (24, 8))
    emulator = Emulator()
    program = ptir.compile(source, arch=arch, device=emulator)
    (got,) = program(x.astype(np.float32), q.astype(np.int8), s.astype(np.float32))
    np.testing.assert_array_equal(got, (q * np.repeat(s, 64, 1)) @ x)
    (report,) = emulator.reports
    assert report.sectors < 24 * (512 + 4 * 512) // 32 * 1.2  # the matrix, and the vector for each row
