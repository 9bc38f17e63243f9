"""`tiny-fast-math`: its documented errors, and the error bounds of the programs that it writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.semantics.bounds import check

from ..builders.row_programs import arrays, text

PASSES = "ptir-to-tiny,tiny-fast-math"
EXP = "func.func @f(%x: tensor<4096xf32>) -> tensor<4096xf32> {\n  %0 = ptir.exp %x : tensor<4096xf32>\n  func.return %0 : tensor<4096xf32>\n}"
DIV = EXP.replace("ptir.exp %x", "ptir.div %x, %s").replace("(%x", "(%y: tensor<1xf32>, %x").replace(
    "  %0", "  %s = ptir.broadcast_to %y : tensor<1xf32> -> tensor<4096xf32>\n  %0"
)  # fmt: skip


def fast(source: str, *inputs: Any) -> Any:
    """Returns the first result of the program's kernels in the emulator."""
    return ptir.compile(PassManager(PASSES).run(ptir.parse(source)), device=ptir.Emulator())(*inputs)[0]


def ulps(got: Any, wanted: Any) -> Any:
    return np.abs(got.astype(np.float64) - wanted) / np.spacing(np.abs(wanted).astype(np.float32))


def test_an_exponential_is_off_by_as_much_as_is_documented():
    x = np.random.default_rng(0).uniform(-87, 88, 4096).astype(np.float32)
    off = ulps(fast(EXP, x), np.exp(x.astype(np.float64)))
    assert np.all(off <= 2 + 1.3 * np.abs(x)) and off.max() > 20


def test_exponentials_at_the_ends():
    x = np.resize(np.float32([0, -0.0, np.inf, -np.inf, 89, -104, np.nan]), 4096)
    assert np.array_equal(fast(EXP, x)[:7], np.float32([1, 1, np.inf, 0, np.inf, 0, np.nan]), equal_nan=True)


def test_a_quotient_is_off_by_two_ulp():
    rng = np.random.default_rng(0)
    for divisor in rng.standard_normal(5).astype(np.float32):
        x = rng.standard_normal(4096).astype(np.float32)
        assert ulps(fast(DIV, np.array([divisor]), x), x.astype(np.float64) / divisor).max() <= 2


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_softmax_is_within_the_bounds_of_the_new_program(dtype: str):
    x = arrays("softmax", 3, 300, dtype)
    module = PassManager(PASSES).run(ptir.parse(text("softmax", 3, 300, dtype)))
    (wanted,) = ptir.bounds(module, *x)
    (got,) = ptir.compile(module, device=ptir.Emulator())(*x)
    assert check(got, wanted).ok
