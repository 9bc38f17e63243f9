"""A program that allows an algorithm of its convolution an error has bounds that are wider by it, at both levels that state it."""

from __future__ import annotations

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.semantics.bounds import bounds

CONVOLUTION = """builtin.module attributes {{ptir.extensions}} {{
func.func @f(%x: tensor<2x5x5x4xf32>, %w: tensor<3x3x4x6xf32>) -> tensor<2x3x3x6xf32> {{
  %0 = ptir.convolution %x, %w accum f32 out f32{choice} : (tensor<2x5x5x4xf32>, tensor<3x3x4x6xf32>) -> tensor<2x3x3x6xf32>
  func.return %0 : tensor<2x3x3x6xf32>
}}
}}"""
ASKED = ' {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.25}}'


def widths(choice: str, x: np.ndarray, w: np.ndarray, *, lowered: bool) -> np.ndarray:
    """Returns half the widths of the bounds of the results, at the level of `ptir` or of `tiny`."""
    module = ptir.parse(CONVOLUTION.format(choice=choice))
    if lowered:
        module = PassManager("ptir-to-tiny").run(module)
    (interval,) = bounds(module, "f", x, w)
    return (interval.hi - interval.lo) / 2


@pytest.mark.parametrize("lowered", [False, True], ids=["ptir", "tiny"])
def test_the_tolerance_is_relative_to_the_image_and_the_norm_of_a_filter(lowered: bool):
    """Either operand may be the image, so that the larger product counts: for the first filters, whose numbers are small, that of a patch."""
    rng = np.random.default_rng(0)
    x = np.sign(rng.standard_normal((2, 5, 5, 4))).astype(np.float32) * np.array([1, 0, 0, 0], np.float32)
    w = np.sign(rng.standard_normal((3, 3, 4, 6))).astype(np.float32) * np.arange(1, 7, dtype=np.float32)
    more = widths(ASKED, x, w, lowered=lowered) - widths("", x, w, lowered=lowered)
    norms, patches = 6 * np.arange(1, 7), np.full(6, 3 * 6)
    np.testing.assert_allclose(more, np.broadcast_to(0.25 * np.maximum(norms, patches), more.shape), rtol=1e-4)


def test_an_infinity_spreads():
    x = np.ones((2, 5, 5, 4), np.float32)
    x[0, 0, 0, 0] = np.inf
    assert np.isinf(widths(ASKED, x, np.ones((3, 3, 4, 6), np.float32), lowered=False)).all()
