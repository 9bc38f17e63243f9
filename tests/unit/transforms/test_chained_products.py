"""
Attention by the lowering of chained products: compiled and run in the emulator, which reports races and other faults, against NumPy
in f64; the order of instructions that ptxas made of it; and mistakes that must not go unnoticed.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator.engine.report import Report
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.attention_programs import Attention


@cache
def compiled(case: Attention) -> Program:
    return compile_module(ptir.parse(case.text), "sm90")


def error(case: Attention, seed: int | None = None, spread: float = 1.0) -> tuple[float, Report]:
    """Returns the largest error relative to the largest result, and the emulator's report."""
    device, arrays = Emulator(seed=seed), case.arrays(spread)
    (got,) = execute(compiled(case), arrays, device)
    want = case.expected(*arrays)
    (report,) = device.reports
    return float(np.abs(got.astype(np.float64) - want).max() / np.abs(want).max()), report


TOLERANCE = {"bf16": 2**-7, "f16": 2**-10}
CASES = {
    "causal, ragged": Attention(200, 200, causal=True),
    "one query and key": Attention(1, 1, size=16),
    "decode": Attention(1, 331, group=4, heads=2, exponential="exp"),
    "fewer keys than a tile": Attention(70, 13, exponential="exp2"),
    "a tile and one": Attention(129, 65, causal=False, dtype="f16"),
    "a tile less one": Attention(127, 127, causal=True, dtype="f16", exponential="exp"),
    "head size 128": Attention(133, 257, size=128, tile=128, causal=False),
    "causal, head size 128": Attention(257, 257, size=128, tile=128, causal=True, heads=2),
    "head size 256": Attention(70, 170, size=256, tile=80),
    "value size": Attention(129, 150, size=32, value_size=96, tile=80),
    "one warpgroup": Attention(130, 130, consumers=1, causal=True),
    "three warpgroups": Attention(200, 200, consumers=3, causal=True),
    "three stages": Attention(64, 500, stages=3, causal=False),
    "groups and batches": Attention(150, 150, batch=2, heads=2, group=2, causal=True, multiprocessors=3),
    "capped and biased": Attention(100, 150, cap=2.0, bias=True),
}


@pytest.mark.parametrize("name", CASES)
def test_attention(name: str):
    case = CASES[name]
    wrong, report = error(case)
    assert wrong < TOLERANCE[case.dtype], str(case)
    assert not report.bank_conflicts


@pytest.mark.parametrize("spread", [0.0, 40.0])
def test_scores_without_and_with_large_differences(spread: float):
    """Equal scores; and scores whose exponentials are 0 or 1."""
    case = CASES["a tile and one"]
    wrong, _ = error(case, 3, spread)
    assert wrong < TOLERANCE[case.dtype]


# --- the order of instructions ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "limit"),
    [
        (Attention(4096, 4096, size=128, tile=128, causal=True), 7.06),
        (Attention(4096, 4096, size=64, tile=128), 6.7),
    ],
)
def test_exponentials_run_under_the_second_product(case: Attention, limit: float):
    """ptxas neither serializes the products (remarks C75xx) nor moves a wait over the vector ops. Each thread has half a row of scores."""
    program = compiled(case)
    (kernel,) = program.binary.kernels.values()
    assert not program.binary.remarks
    assert kernel.spill_stores == kernel.spill_loads == 0
    (function,) = sass.instructions(program.binary.cubin).values()
    found = sass.product_loops(function)
    assert len(found) == 1 + case.causal
    assert all(loop.is_overlapped for loop in found)
    assert len(found[0].instructions) <= limit * case.tile / 2
    assert len(found[0].after) <= 40
    kinds = sass.by_name(function)
    assert kinds["HGMMA"] and not kinds["HMMA"]


def test_the_check_of_the_order_notices_a_wait_that_ptxas_moves():
    """Without `nv.hold`, all is right but the schedule."""
    source = re.sub(r"\n *hold\([^;]*\);", "", compiled(Attention(4096, 4096, size=128, tile=128, causal=True)).cuda)
    binary = compile_cuda(source, "sm_90a")
    (function,) = sass.instructions(binary.cubin).values()
    assert not all(loop.is_overlapped for loop in sass.product_loops(function))
