"""The backward pass of attention compiled from programs of `ptir` ops, and run in the emulator, against NumPy in f64."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptir
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.attention_backward_cases import BackwardCase

TOLERANCE = {"bf16": 2**-6, "f16": 2**-9}
CASES = {
    "causal": BackwardCase(70, 70, size=16, mask="causal"),
    "plain": BackwardCase(65, 129, size=16, dtype="f16"),
    "window": BackwardCase(300, 300, mask="window", heads=2),
    "prefix": BackwardCase(200, 200, mask="prefix"),
    "chunks of positions": BackwardCase(100, 100, mask="chunk"),
    "an added mask": BackwardCase(100, 100, mask="causal", fill="added"),
    "documents": BackwardCase(150, 150, mask="documents"),
    "lengths": BackwardCase(70, 90, mask="lengths", batch=2),
    "alibi": BackwardCase(100, 100, mask="causal", bias="alibi"),
    "a tensor of biases": BackwardCase(60, 100, bias="tensor", heads=2),
    "capped scores": BackwardCase(65, 100, cap=3.0),
    "head size 128": BackwardCase(100, 130, size=128, mask="causal"),
    "heads after positions": BackwardCase(100, 100, mask="causal", batch=2, heads=2, heads_last=True),
    "groups": BackwardCase(100, 100, mask="causal", batch=2, heads=2, group=2),
    "fewer keys than queries": BackwardCase(70, 13, mask="causal"),
}


@cache
def compiled(case: BackwardCase, arch: str) -> Program:
    return compile_module(ptir.parse(case.text), arch)


def run(case: BackwardCase, arch: str, arrays: list[np.ndarray], seed: int | None = None) -> list[np.ndarray]:
    device = Emulator(seed=seed)
    got = execute(compiled(case, arch), arrays, device)
    assert len(device.reports) == 3
    return got


def check(case: BackwardCase, arch: str, arrays: list[np.ndarray]) -> None:
    for got, want in zip(run(case, arch, arrays), case.expected(*arrays), strict=True):
        np.testing.assert_allclose(got, want, atol=TOLERANCE[case.dtype] * np.abs(want).max(), rtol=0)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", CASES)
def test_three_kernels(name: str):
    check(CASES[name], "sm90", CASES[name].arrays())


@pytest.mark.sampled(15)
@pytest.mark.parametrize("name", CASES)
def test_three_kernels_of_warps(name: str):
    check(CASES[name], "sm80", CASES[name].arrays())


def test_another_order_of_warps_gives_the_same_bits():
    case = CASES["causal"]
    arrays = case.arrays()
    one, other = (run(case, "sm90", arrays, seed) for seed in (1, 2))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.view(np.uint16), b.view(np.uint16))
