"""Attention of fp8 arrays: a kernel widens them to 16 bits, and another one has both products."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.compile import compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.attention_backward_cases import BackwardCase
from tests.unit.builders.attention_cases import Case

E4M3, E5M2 = "f8E4M3FN", "f8E5M2"
CASES = {
    "causal": (Case(130, 200, 32, group=3, mask="causal", dtype=E4M3, result="f32"), 3),
    "heads after positions": (Case(100, 100, 24, 16, 2, 2, 2, heads_last=True, dtype=E5M2, result="f32"), 4),
    "capped scores and sums": (Case(100, 150, 32, cap=3.0, log_sums=True, dtype=E5M2, result="f32"), 3),
    "transposed": (Case(70, 70, 16, transposed="kv", dtype=E4M3, result="bf16"), 3),
    "lengths": (Case(90, 120, 16, batch=2, mask="lengths", dtype=E4M3, result="f32"), 3),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_products_are_those_of_fp8(case: str, arch: str):
    of, kernels = CASES[case]
    arrays = of.arrays()
    device = Emulator()
    got, *rows = execute(compile_module(ptir.parse(of.text), arch), arrays, device)
    want, tolerance = of.expected(*arrays), 2**-6 if of.result == "bf16" else 2**-9
    assert len(device.reports) == kernels
    assert np.abs(got.astype(np.float64) - want).max() <= tolerance * np.abs(want).max()
    for row in rows:
        assert np.allclose(row, of.expected_log_sums(*arrays), rtol=2**-18)


BACKWARD = {
    "by log-sum-exp": BackwardCase(70, 100, 32, mask="causal", dtype=E4M3),
    "by softmax": BackwardCase(70, 90, 16, group=2, dtype=E4M3, given=False),
    "after the forward pass": BackwardCase(64, 64, 16, dtype=E5M2, given=False, forward=True),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", BACKWARD)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_gradients_are_those_of_fp8(case: str, arch: str):
    """dQ is one kernel, and dK and dV another: they compute the scores again, from widened operands. Weights are rounded as by the program."""
    of = BACKWARD[case]
    arrays = of.arrays()
    program = compile_module(ptir.parse(of.text), arch)
    kernels = re.split(r'(?=extern "C" __global__)', program.cuda)[1:]
    assert sum("mma" in text and "exp2" in text for text in kernels) == 2 + of.forward + (not of.given)
    half_ulp = 2**-4 if of.dtype == E4M3 else 2**-3
    for mine, want in zip(execute(program, arrays, Emulator())[-3:], of.expected(*arrays)[-3:], strict=True):
        off, most = np.abs(mine.astype(np.float64) - want), np.abs(want).max()
        assert off.max() <= 1.5 * half_ulp * most and np.sqrt((off**2).mean()) <= half_ulp * most / 4


QUOTIENT = """
func.func @f(%q: tensor<{m}x16x{t}>, %k: tensor<{k}x16x{t}>, %v: tensor<{k}x16x{t}>) -> tensor<{m}x16xf32> {{
  %s = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<{m}x16x{t}>, tensor<{k}x16x{t}>) -> tensor<{m}x{k}xf32>
  %max = ptir.reduce max %s axes [1] keepdims : tensor<{m}x{k}xf32> -> tensor<{m}x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<{m}x1xf32> -> tensor<{m}x{k}xf32>
  %d = ptir.sub %s, %maxes : tensor<{m}x{k}xf32>
  %e = ptir.exp %d : tensor<{m}x{k}xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<{m}x{k}xf32> -> tensor<{m}x1xf32>
  %p = ptir.cast %e : tensor<{m}x{k}xf32> -> tensor<{m}x{k}x{t}>
  %o = ptir.dot_general %p, %v contract [1] x [0] accum f32 out f32 : (tensor<{m}x{k}x{t}>, tensor<{k}x16x{t}>) -> tensor<{m}x16xf32>
  %sums = ptir.broadcast_to %sum : tensor<{m}x1xf32> -> tensor<{m}x16xf32>
  %y = ptir.div %o, %sums : tensor<{m}x16xf32>
  func.return %y : tensor<{m}x16xf32>
}}
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("queries", [2, 70])
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_weights_of_long_rows_do_not_vanish(queries: int, arch: str):
    """Numerators are cast to fp8, and then divided by a sum of 2048: the quotients would be zero in e4m3, whose least number is 2⁻⁹."""
    keys = 2048
    rng = np.random.default_rng(queries)
    q, k = (
        np.zeros((queries, 16), ml_dtypes.float8_e4m3fn),
        rng.standard_normal((keys, 16)).astype(ml_dtypes.float8_e4m3fn),
    )
    v = (1 + rng.random((keys, 16))).astype(ml_dtypes.float8_e4m3fn)
    program = compile_module(ptir.parse(QUOTIENT.format(m=queries, k=keys, t=E4M3)), arch)
    (got,) = execute(program, [q, k, v], Emulator())
    assert np.allclose(got, np.broadcast_to(v.astype(np.float64).mean(0), got.shape), rtol=2**-8)
