"""
Attention by the lowering of chained products: compiled and run in the emulator, which reports races and other faults, against NumPy
in f64; the order of instructions that ptxas made of it; and mistakes that must not go unnoticed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.emulator.engine.report import Report
from ptir.emulator.errors import EmulatorFault
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
    "head size 72": Attention(90, 140, size=72, value_size=40),
    "head size 104": Attention(140, 90, size=104, dtype="f16", tile=80),
    "one warpgroup": Attention(130, 130, consumers=1, causal=True),
    "three warpgroups": Attention(200, 200, consumers=3, causal=True),
    "three stages": Attention(64, 500, stages=3, causal=False),
    "groups and batches": Attention(150, 150, batch=2, heads=2, group=2, causal=True, multiprocessors=3),
    "windows, rows without keys": Attention(500, 200, window=90, causal=True),
    "windows and first keys, between which tiles are skipped": Attention(
        500, 500, window=100, sinks=1, causal=True, multiprocessors=1
    ),
    "windows, keys and values in rings of their own": Attention(400, 130, window=50, causal=True, key_stages=1),
    "heads first, three together, from the last queries": Attention(
        330, 330, size=16, batch=2, heads=4, causal=True, order="down_3", multiprocessors=5, tile=128
    ),
    "heads first, from the first queries, one wave in part": Attention(
        130, 70, size=16, batch=3, heads=3, group=2, order="up_4", multiprocessors=4
    ),
    "capped and biased": Attention(100, 150, cap=2.0, bias=True),
}


@pytest.mark.sampled(6)
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


@pytest.mark.campaign
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
    assert "opaque(threadIdx" not in str(program.cuda)  # which takes registers that larger tiles of keys need


@pytest.mark.campaign
def test_the_check_of_the_order_notices_a_wait_that_ptxas_moves():
    """Without `nv.hold`, all is right but the schedule."""
    source = re.sub(r"\n *hold\([^;]*\);", "", compiled(Attention(4096, 4096, size=128, tile=128, causal=True)).cuda)
    binary = compile_cuda(source, "sm_90a")
    (function,) = sass.instructions(binary.cubin).values()
    assert not all(loop.is_overlapped for loop in sass.product_loops(function))


# --- mistakes -----------------------------------------------------------------------------------------

RELEASE = r"if \(\(int\)threadIdx.x % 128 == 0\) \{\s*mbarrier_arrive\(empty_RING[^}]*\}"
"""The release of a slot of RING."""
MISTAKES = {
    "keys are not waited for": (r"mbarrier_wait\(full_k[^;]*;", ""),
    "values are not waited for": (r"mbarrier_wait\(full_v[^;]*;", ""),
    "queries are not waited for": (r"mbarrier_wait\(full_q[^;]*;", ""),
    "keys are overwritten": (r"mbarrier_wait\(empty_k[^;]*;", ""),
    "values are overwritten": (r"mbarrier_wait\(empty_v[^;]*;", ""),
    "queries are overwritten": (r"mbarrier_wait\(empty_q[^;]*;", ""),
    "the other parity": (r"(mbarrier_wait\(full_k [^,]*, phase_k\d+)", r"\1 ^ 1"),
    "values are released early": (rf"(hold\([^;]*;\s*wgmma_wait<0>.*?)({RELEASE.replace('RING', 'v')})", r"\2 \1"),
    "keys are released early": (rf"(wgmma_wait<1>\(\);[^{{}}]*?)({RELEASE.replace('RING', 'k')})", r"\2 \1"),
    "queries are not released": (RELEASE.replace("RING", "q"), ""),
    "keys are not released": (RELEASE.replace("RING", "k"), ""),
    "one warpgroup releases": (r"(mbarrier_init\(empty_k[^,]*, )2", r"\g<1>1"),
    "scores in flight are read": (r"wgmma_wait<1>\(\);", ""),
    "the operand in flight is overwritten": (r"(hold\([^;]*;\s*)wgmma_wait<0>\(\);", r"\1"),
    "no fence": (r"wgmma_fence\(\);", ""),
    "too few bytes": (r"(expect_tx\(full_k[^,]*, )8192", r"\g<1>4096"),
    "no turns": (r"named_barrier_arrive\([^;]*;", ""),
    "another part of the operand": (r"adjacent_tiles\(operand\[0\]\[2\]\)", "adjacent_tiles(operand[0][4])"),
    "other values": (r"(mn_major<128, 64>\(smem_v, [^)]*\)) \+ 128", r"\1 + 64"),
    "no scale": (r"c\[e\] = c\d+\[e\];", "c[e] = 1.0f;"),
    "no maximum": (r"m_\[e\] = new\d+\[e\];", ""),
    "part of the sums": (r"(sum\[r\] = l_\[r \* 1\];.*?away = )1", r"\g<1>2"),
    "the mask's edge": (r">= tat_column", "> tat_column"),
    "no fence between the proxies": (r"fence_async\(\);", ""),
    "no synchronization before the store": (r"(fence_async\(\);\s*)__syncwarp\(\);", r"\1"),
    "the store is not waited for": (r"bulk_wait_read<\d>\(\);", ""),
    "no synchronization after the wait for the store": (r"(bulk_wait_read<\d>\(\);\s*\}\s*)__syncwarp\(\);", r"\1"),
    "too many registers": (r"setmaxnreg_inc<240>", "setmaxnreg_inc<248>"),
}
"""Replacements in the text of a kernel."""

SHALLOW = Attention(128, 300, key_stages=1)
"""
The producer takes slots of keys and of values in turns. If both rings are equally deep, it has waited for the release of values, after
all products, when it overwrites keys: an early release of keys is then right. Here, the ring of keys has one slot.
"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_noticed(name: str):
    """A fault of the emulator, or a wrong result."""
    case = SHALLOW if name == "keys are released early" else Attention(300, 300, causal=True, multiprocessors=1)
    program = compiled(case)
    at = program.cuda.index('extern "C"')
    pattern, replacement = MISTAKES[name]
    text, count = re.subn(pattern, replacement, program.cuda[at:], flags=re.DOTALL)
    assert count
    cuda = program.cuda[:at] + text
    changed = replace(program, cuda=cuda, binary=compile_cuda(cuda, "sm_90a", allow_remarks=True))
    arrays = case.arrays(2.0)
    try:
        (got,) = execute(changed, arrays, Emulator())
    except EmulatorFault:
        return
    want = case.expected(*arrays)
    assert not np.abs(got.astype(np.float64) - want).max() < TOLERANCE["bf16"] * np.abs(want).max()
