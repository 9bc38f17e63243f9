"""A softmax between two products is one kernel in whatever form it is written, and gives what the program's own ops give."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from tests.unit.builders.softmax_forms import FORMS, HEADS, KEYS, QUERIES, SIZE, expected, text_of


@pytest.mark.sampled(5)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", FORMS)
def test_a_form(name: str, arch: str):
    """The first queries see no key: their results are NaN, or zero, as the program says."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((HEADS, n, SIZE)).astype(ml_dtypes.bfloat16) for n in (QUERIES, KEYS, KEYS))
    drop = rng.random((HEADS, QUERIES, KEYS)) < 0.8
    want, device = expected(name, q, k, v, drop), Emulator()
    text = text_of(name)
    arrays = (q, k, v, drop)
    (got,) = ptir.compile(text, arch=arch, device=device)(*arrays)
    assert len(device.reports) == 1
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_allclose(got, want, atol=2**-6 * np.nanmax(np.abs(want)), rtol=0)


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_sums_beside_a_number_are_relative_to_the_maximum(arch: str):
    """The maximum rises in the last tile of keys, by less than what a plain softmax rescales for."""
    scores, rows = "tensor<2x40x640xf32>", "tensor<2x40x1xf32>"
    text = f"""builtin.module attributes {{ptir.extensions}} {{
    func.func @f(%q: tensor<2x40x16xbf16>, %k: tensor<2x640x16xbf16>, %v: tensor<2x640x16xbf16>) -> tensor<2x40x16xf32> {{
      %x = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32
        : (tensor<2x40x16xbf16>, tensor<2x640x16xbf16>) -> {scores}
      %max = ptir.reduce max %x axes [2] keepdims : {scores} -> {rows}
      %m = ptir.broadcast_to %max : {rows} -> {scores}
      %d = ptir.sub %x, %m : {scores}
      %e = ptir.exp %d : {scores}
      %sum = ptir.reduce sum %e axes [2] keepdims : {scores} -> {rows}
      %one = ptir.constant dense<1.0> : {rows}
      %more = ptir.add %sum, %one : {rows}
      %n = ptir.broadcast_to %more : {rows} -> {scores}
      %p = ptir.div %e, %n : {scores}
      %pb = ptir.cast %p : {scores} -> {scores.replace("f32", "bf16")}
      %o = ptir.dot_general %pb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32
        : ({scores.replace("f32", "bf16")}, tensor<2x640x16xbf16>) -> tensor<2x40x16xf32>
      func.return %o : tensor<2x40x16xf32>
    }}
    }}"""
    rng = np.random.default_rng(0)
    q = np.ones((2, 40, 16), ml_dtypes.bfloat16)
    k = np.zeros((2, 640, 16), ml_dtypes.bfloat16)
    k[:, 639, 0] = 5  # a sixth of the sum and the number, in the last tile of keys
    v = rng.standard_normal((2, 640, 16)).astype(ml_dtypes.bfloat16)
    s = q.astype(np.float64) @ k.astype(np.float64).swapaxes(-1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    want, device = (e / (e.sum(-1, keepdims=True) + 1)) @ v.astype(np.float64), Emulator()
    (got,) = ptir.compile(text, arch=arch, device=device)(q, k, v)
    assert len(device.reports) == 1
    np.testing.assert_allclose(got, want, atol=2**-6 * np.abs(want).max(), rtol=0)
