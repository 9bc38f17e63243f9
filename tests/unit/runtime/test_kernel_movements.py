"""Kernels that read through `shrink` and `view`: the emulator and the interpreter agree, bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator

PROGRAMS = {
    # A convolution without padding is a contraction whose rows overlap: k = (kh, kw, c), and no patch is stored.
    "convolution": (
        """
module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x7x8x4xbf16>, %w: tensor<3x3x4x16xbf16>) -> tensor<2x3x6x16xf32> {
  %y = ptir.convolution %x, %w strides [2, 1] accum f32 out f32 : (tensor<2x7x8x4xbf16>, tensor<3x3x4x16xbf16>) -> tensor<2x3x6x16xf32>
  func.return %y : tensor<2x3x6x16xf32>
}
}""",
        (2, 7, 8, 4),
        (3, 3, 4, 16),
    ),
    "a window of an operand": (
        """
func.func @f(%x: tensor<20x40xbf16>, %w: tensor<24x16xbf16>) -> tensor<12x16xf32> {
  %a = tiny.movement shrink %x from [4, 8] : tensor<20x40xbf16> -> tensor<12x24xbf16>
  %y = ptir.dot_general %a, %w contract [1] x [0] accum f32 out f32 : (tensor<12x24xbf16>, tensor<24x16xbf16>) -> tensor<12x16xf32>
  func.return %y : tensor<12x16xf32>
}""",
        (20, 40),
        (24, 16),
    ),
    "every other element": (
        """
func.func @f(%x: tensor<20x12xbf16>, %y: tensor<7x4xbf16>) -> tensor<7x4xbf16> {
  %a = tiny.movement view %x offset 1 strides [24, 3] : tensor<20x12xbf16> -> tensor<7x4xbf16>
  %b = tiny.binary sub %a, %y : (tensor<7x4xbf16>, tensor<7x4xbf16>) -> tensor<7x4xbf16>
  func.return %b : tensor<7x4xbf16>
}""",
        (20, 12),
        (7, 4),
    ),
    "windows that overlap and wrap": (
        """
func.func @f(%x: tensor<5x7xbf16>, %y: tensor<4x6xbf16>) -> tensor<4x6xbf16> {
  %a = tiny.movement view %x offset 3 strides [5, 3] : tensor<5x7xbf16> -> tensor<4x6xbf16>
  %b = tiny.binary sub %a, %y : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  func.return %b : tensor<4x6xbf16>
}""",
        (5, 7),
        (4, 6),
    ),
    "the contraction by an inverse that isl writes in another way": (
        """
func.func @f(%a: tensor<2x2x1xbf16>, %b: tensor<1x2xbf16>) -> tensor<8xf32> {
  %0 = ptir.dot_general %a, %b contract [2] x [0] accum f32 out f32 : (tensor<2x2x1xbf16>, tensor<1x2xbf16>) -> tensor<2x2x2xf32>
  %1 = ptir.transpose %0 [2, 1, 0] : tensor<2x2x2xf32> -> tensor<2x2x2xf32>
  %2 = ptir.reshape %1 : tensor<2x2x2xf32> -> tensor<8xf32>
  func.return %2 : tensor<8xf32>
}""",
        (2, 2, 1),
        (1, 2),
    ),
}


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels_read_through_movements(name: str, arch: str):
    text, *shapes = PROGRAMS[name]
    rng = np.random.default_rng(3)
    arrays = [rng.integers(-3, 4, shape).astype(ml_dtypes.bfloat16) for shape in shapes]
    (got,) = ptir.compile(text, arch=arch, device=Emulator())(*arrays)
    (want,) = ptir.reference(text, *arrays)
    np.testing.assert_array_equal(got.astype(np.float64), np.asarray(want).astype(np.float64), strict=True)
