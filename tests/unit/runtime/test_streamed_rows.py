"""Kernels that stream rows, against the reference's bounds: programs, lengths, element types, special values, the same bits again."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check

from ..builders.row_plans import planned
from ..builders.row_programs import PROGRAMS, arrays, text
from .test_row_kernels import DTYPES, SEVERAL, SPECIALS

pytestmark = pytest.mark.sampled(2)

LENGTHS = (257, 300, 511, 512, 1031)
"""Tiles have 128 elements: the last tile of a row has one, or 44, or 127, or all, or 7."""
CASES = [
    (name, n, DTYPES.get(name, ("f32",))[k % len(DTYPES.get(name, ("f32",)))])
    for name, (k, n) in product(PROGRAMS, enumerate(LENGTHS))
]


def streamed(source: str, width: int) -> Any:
    """Returns the compiled program whose rows are streamed in tiles of 128 elements by two warps."""
    module = PassManager("region-to-pto").run(planned(source, (1, 128), "1x64", width))
    return ptir.compile(str(module), device=Emulator())


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "n", "dtype"), CASES)
def test_programs(name: str, n: int, dtype: str):
    source, inputs = text(name, 3, n, dtype), arrays(name, 3, n, dtype)
    program = streamed(source, 2 if n % 2 == 0 else 1)
    for k, (result, want) in enumerate(zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"
    if name not in SEVERAL:
        assert program.cuda.count("__global__") == 1


WEIGHTED = """
func.func @f(%x: tensor<{0}x{1}xf32>, %g: tensor<{0}x{1}xf32>) -> (tensor<{0}x1xf32>, tensor<{0}x1xf32>) {{
  %m = ptir.reduce max %x axes [1] keepdims : tensor<{0}x{1}xf32> -> tensor<{0}x1xf32>
  %ms = ptir.broadcast_to %m : tensor<{0}x1xf32> -> tensor<{0}x{1}xf32>
  %d = ptir.sub %x, %ms : tensor<{0}x{1}xf32>
  %e = ptir.exp %d : tensor<{0}x{1}xf32>
  %p = ptir.mul %e, %g : tensor<{0}x{1}xf32>
  %s = ptir.reduce sum %e axes [1] keepdims : tensor<{0}x{1}xf32> -> tensor<{0}x1xf32>
  %t = ptir.reduce sum %p axes [1] keepdims : tensor<{0}x{1}xf32> -> tensor<{0}x1xf32>
  func.return %s, %t : tensor<{0}x1xf32>, tensor<{0}x1xf32>
}}"""


@pytest.mark.campaign
@pytest.mark.parametrize("place", [0, 130, 296])
def test_online_sums_of_special_values(place: int):
    """Wherever in a row infinities and NaN are, the online sums are NaN exactly where the sums by definition are."""
    x = np.random.default_rng(1).integers(-3, 4, (len(SPECIALS) + 2, 300)).astype(np.float32)
    x[: len(SPECIALS), place : place + 4] = SPECIALS
    x[1] = x[-2] = -np.inf
    x[-2, place] = 2.0  # one finite element
    x[-1] = np.linspace(-3e38, 3e38, 300)  # the maximum grows with every tile
    g = np.random.default_rng(2).standard_normal(x.shape).astype(np.float32)
    source = WEIGHTED.format(*x.shape)
    got = streamed(source, 2)(x, g)
    with np.errstate(all="ignore"):
        wanted, intervals = ptir.reference(source, x, g), bounds(ptir.parse(source), "f", x, g)
    for result, want, interval in zip(got, wanted, intervals, strict=True):
        assert (report := check(result, interval)).ok, report
        np.testing.assert_array_equal(np.isnan(result), np.isnan(want))


@pytest.mark.campaign
def test_bits():
    """The same from run to run, and for the same rows of an array of more rows."""
    inputs = arrays("softmax_and_sum", 9, 700, "f32")
    program = streamed(text("softmax_and_sum", 9, 700), 2)
    got, again = program(*inputs), program(*inputs)
    fewer = streamed(text("softmax_and_sum", 2, 700), 2)(*(a[:2] for a in inputs))
    for first, second, part in zip(got, again, fewer, strict=True):
        assert first.tobytes() == second.tobytes()
        assert first[:2].tobytes() == part.tobytes()


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["softmax_and_sum", "rms_norm"])
def test_long_rows(name: str):
    """Rows that no block holds, by the plan that is chosen for them."""
    source, inputs = text(name, 2, 16392, "bf16"), arrays(name, 2, 16392, "bf16")
    program = ptir.compile(source, device=Emulator())
    for result, want in zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert check(result, want).ok
    assert program.cuda.count("__global__") == 1
    assert "for (int c" in program.cuda
