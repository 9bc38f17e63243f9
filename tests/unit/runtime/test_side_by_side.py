"""Horizontal fusion on both architectures: groups of launches, split results, and small kernels side by side."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

HEAD = "ptir.dot_general %x, {} contract [1] x [0] accum f32 out f32 : (tensor<24x40xbf16>, tensor<40x{n}xbf16>) -> tensor<24x{n}xf32>"
SQUARE, WIDE = (HEAD.replace("{n}", str(n)) for n in (32, 96))
OUT, PART = "tensor<24x32xf32>", "tensor<24x32xbf16>"
PROGRAM = f"""
func.func @f(%x: tensor<24x40xbf16>, %u: tensor<40x32xbf16>, %v: tensor<40x32xbf16>, %w: tensor<40x96xbf16>, %s: {OUT}, %t: {OUT})
    -> ({OUT}, {OUT}, {PART}, {PART}, {PART}, tensor<24xf32>, tensor<24xf32>) {{
  %0 = {SQUARE.format("%u")}
  %1 = {SQUARE.format("%v")}
  %2 = {WIDE.format("%w")}
  %3 = ptir.cast %2 : tensor<24x96xf32> -> tensor<24x96xbf16>
  %q = ptir.slice %3 [0, 0] : tensor<24x96xbf16> -> {PART}
  %k = ptir.slice %3 [0, 32] : tensor<24x96xbf16> -> {PART}
  %l = ptir.slice %3 [0, 64] : tensor<24x96xbf16> -> {PART}
  %a = ptir.reduce sum %s axes [1] accum f32 out f32 : {OUT} -> tensor<24xf32>
  %b = ptir.reduce max %t axes [1] : {OUT} -> tensor<24xf32>
  func.return %0, %1, %q, %k, %l, %a, %b : {OUT}, {OUT}, {PART}, {PART}, {PART}, tensor<24xf32>, tensor<24xf32>
}}"""


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_three_launches_compute_seven_results(arch: str):
    rng, (f,) = np.random.default_rng(5), ptir.parse(PROGRAM).ops
    shapes = [a.type.get_shape() for a in f.body.block.args]  # pyright: ignore
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    arrays[:4] = [a.astype(ml_dtypes.bfloat16) for a in arrays[:4]]
    device = Emulator()
    got = ptir.compile(PROGRAM, arch=arch, device=device)(*arrays)
    assert len(device.reports) == 3
    for result, interval in zip(got, bounds(ptir.parse(PROGRAM), "f", *arrays), strict=True):
        report = check(result, interval)
        assert report.ok, str(report)
