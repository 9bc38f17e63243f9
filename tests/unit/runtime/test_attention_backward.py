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
    "causal": BackwardCase(70, 70, size=16, mask="causal", given=False),
    "plain": BackwardCase(65, 129, size=16, dtype="f16"),
    "window": BackwardCase(300, 300, mask="window", heads=2),
    "prefix": BackwardCase(200, 200, mask="prefix", given=False),
    "chunks of positions": BackwardCase(100, 100, mask="chunk"),
    "an added mask": BackwardCase(100, 100, mask="causal", fill="added"),
    "documents": BackwardCase(150, 150, mask="documents", given=False),
    "lengths": BackwardCase(70, 90, mask="lengths", batch=2),
    "alibi": BackwardCase(100, 100, mask="causal", bias="alibi", given=False),
    "a tensor of biases": BackwardCase(60, 100, bias="tensor", heads=2, given=False),
    "capped scores": BackwardCase(65, 100, cap=3.0),
    "capped scores and their softmax": BackwardCase(65, 100, cap=3.0, given=False),
    "head size 128": BackwardCase(100, 130, size=128, mask="causal", given=False),
    "heads after positions": BackwardCase(100, 100, mask="causal", batch=2, heads=2, heads_last=True, given=False),
    "groups": BackwardCase(100, 100, mask="causal", batch=2, heads=2, group=2),
    "groups of heads after positions": BackwardCase(70, 70, batch=2, heads=2, group=2, heads_last=True, given=False),
    "huge masked scores": BackwardCase(70, 70, size=16, mask="causal", fill="-1000000000.0", given=False),
    "fewer keys than queries": BackwardCase(70, 13, mask="causal", given=False),
    "with the forward pass": BackwardCase(100, 100, mask="causal", given=False, forward=True),
    "with the forward pass and its log-sum-exp": BackwardCase(100, 100, mask="causal", forward=True),
}
"""Their kernels: one of row sums, those of dQ, and of dK and dV; perhaps that of the forward pass."""


@cache
def compiled(case: BackwardCase, arch: str) -> Program:
    return compile_module(ptir.parse(case.text), arch)


def run(case: BackwardCase, arch: str, arrays: list[np.ndarray], seed: int | None = None) -> list[np.ndarray]:
    device = Emulator(seed=seed)
    got = execute(compiled(case, arch), arrays, device)
    assert len(device.reports) == 3 + case.forward
    return got


def check(case: BackwardCase, arch: str, arrays: list[np.ndarray]) -> None:
    for got, want in zip(run(case, arch, arrays), case.expected(*arrays), strict=True):
        np.testing.assert_allclose(got, want, atol=TOLERANCE[case.dtype] * np.abs(want).max(), rtol=0)


@pytest.mark.sampled(18)
@pytest.mark.parametrize("name", CASES)
def test_three_kernels(name: str):
    check(CASES[name], "sm90", CASES[name].arrays())


@pytest.mark.campaign
@pytest.mark.parametrize("name", CASES)
def test_three_kernels_of_warps(name: str):
    check(CASES[name], "sm80", CASES[name].arrays())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", ["sm90", "sm80"])
def test_rows_without_keys(arch: str):
    """A query without keys has no weights, as the program divides zero by zero, so that the gradients of all keys are NaN."""
    case = BackwardCase(70, 13, size=16, mask="window", window=10, given=False)
    arrays = case.arrays()
    for got, want in zip(run(case, arch, arrays), case.expected(*arrays), strict=True):
        np.testing.assert_array_equal(np.isnan(got.astype(np.float64)), np.isnan(want))
        kept = ~np.isnan(want)
        np.testing.assert_allclose(
            got[kept].astype(np.float64), want[kept], atol=2**-6 * np.abs(want[kept]).max(initial=0)
        )


@pytest.mark.campaign
def test_large_scores():
    """Scores of 1e4 overflow nothing."""
    case = CASES["causal"]
    check(case, "sm90", case.arrays(spread=36.0))


@pytest.mark.campaign
def test_another_order_of_warps_gives_the_same_bits():
    case = CASES["causal"]
    arrays = case.arrays()
    one, other = (run(case, "sm90", arrays, seed) for seed in (1, 2))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a.view(np.uint16), b.view(np.uint16))
