"""
Kernels whose rows are held, or streamed, by the blocks of a cluster, against the reference's bounds: programs, lengths, element
types, special values, the same bits again.
"""

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

PLANS = {"two": (256, 2), "four": (128, 4), "eight": (64, 8), "streaming": (128, 2)}
"""The elements of a row that a block of two warps holds, and the number of blocks of a cluster."""
LENGTHS = {"two": (511, 512), "four": (301, 512), "eight": (65, 509), "streaming": (513, 700)}
CASES = [
    (name, plan, n, DTYPES.get(name, ("f32",))[k % len(DTYPES.get(name, ("f32",)))])
    for (k, name), plan in product(enumerate(PROGRAMS), PLANS)
    for n in LENGTHS[plan]
]


def shared(source: str, plan: str, n: int) -> Any:
    """Returns the compiled program whose rows are shared by the blocks of a cluster."""
    columns, blocks = PLANS[plan]
    width = 2 if n % 2 == 0 and columns > 64 else 1
    module = planned(source, (1, columns), f"1x{columns // 2}", width, blocks, "sm90")
    return ptir.compile(str(PassManager("region-to-pto").run(module)), arch="sm90", device=Emulator())


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "plan", "n", "dtype"), CASES)
def test_programs(name: str, plan: str, n: int, dtype: str):
    source, inputs = text(name, 2, n, dtype), arrays(name, 2, n, dtype)
    program = shared(source, plan, n)
    for k, (result, want) in enumerate(zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True)):
        assert (report := check(result, want)).ok, f"result {k}: {report}"
    if name not in SEVERAL:
        assert program.cuda.count("__global__") == 1


@pytest.mark.parametrize("plan", ["four", "streaming"])
def test_special_values(plan: str):
    """Infinities and NaN of one block's part of a row are in the results as the reference has them."""
    x = np.random.default_rng(1).integers(-3, 4, (len(SPECIALS), 300)).astype(np.float32)
    x[:, 190:194] = SPECIALS
    x[1] = -np.inf
    source = text("softmax_and_sum", *x.shape)
    got = shared(source, plan, 300)(x)
    with np.errstate(all="ignore"):
        wanted, intervals = ptir.reference(source, x), bounds(ptir.parse(source), "f", x)
    for result, want, interval in zip(got, wanted, intervals, strict=True):
        assert (report := check(result, interval)).ok, report
        np.testing.assert_array_equal(np.isnan(result), np.isnan(want))


def test_bits():
    """The same from run to run, and for the same rows of an array of more rows."""
    inputs = arrays("softmax_and_sum", 5, 300, "f32")
    program = shared(text("softmax_and_sum", 5, 300), "four", 300)
    got, again = program(*inputs), program(*inputs)
    fewer = shared(text("softmax_and_sum", 2, 300), "four", 300)(*(a[:2] for a in inputs))
    for first, second, part in zip(got, again, fewer, strict=True):
        assert first.tobytes() == second.tobytes()
        assert first[:2].tobytes() == part.tobytes()


def test_long_rows():
    """Rows that no block holds, by the plan that is chosen for them: a cluster of two reads each once."""
    source, inputs = text("rms_norm", 2, 16392, "bf16"), arrays("rms_norm", 2, 16392, "bf16")
    program = ptir.compile(source, arch="sm90", device=Emulator())
    for result, want in zip(program(*inputs), bounds(ptir.parse(source), "f", *inputs), strict=True):
        assert check(result, want).ok
    assert program.cuda.count("__global__") == 1
    assert "in clusters of" in program.cuda
    assert "for (int c" not in program.cuda
