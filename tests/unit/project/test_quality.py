"""
Properties that the machine code (SASS) of kernels must have. `benchmarks/quality.py` and
`benchmarks/warp_specialized_quality.py` print further ones.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.errors import DisassemblerUnavailable
from ptir.backends.cuda.nvrtc import compile_cuda

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture(autouse=True)
def disassembler() -> None:
    try:
        sass.find_tool("nvdisasm")
    except DisassemblerUnavailable:
        pytest.skip("the test extra is not installed")


@pytest.fixture
def quality(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("quality")


@pytest.fixture
def warp_specialized(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("warp_specialized_quality")


def in_registers_and_by_the_ideal(facts: dict[str, Any]) -> None:
    assert facts["spill_bytes"] == facts["local_loads_and_stores"] == 0
    assert facts["multiplies_per_loop"] > 0 and facts["k_steps"] == int(facts["k_steps"]) >= 1
    assert facts["global_stores"] == ["STG.E.128"]
    assert facts["instructions_per_multiply"] < 3


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("dtype", "buffers"), [("bf16", 1), ("bf16", 2), ("f16", 2)])
@pytest.mark.parametrize(("tile", "stages"), [((128, 128, 32), 4), ((128, 128, 64), 3)])
def test_the_large_tile(quality: Any, dtype: str, buffers: int, tile: tuple[int, int, int], stages: int):
    row = quality.measure(quality.Case(dtype, tile, stages, "64x64", buffers))
    in_registers_and_by_the_ideal(row)
    assert row["instructions_per_multiply"] < (
        2.1 if tile[2] == 32 else 1.8
    )  # one pointer for the rows and lines of a tile
    assert row["per_loop"]["LDSM"] == row["multiplies_per_loop"] / 4
    assert row["per_loop"]["LDGSTS"] == row["k_steps"] * (tile[0] + tile[1]) * tile[2] / 8 / row["threads"]
    assert row["per_loop"]["BAR"] == row["k_steps"] and row["blocks_per_multiprocessor"] >= 1


@pytest.mark.campaign
def test_every_type_stays_in_registers(quality: Any):
    rows = [quality.measure(case) for case in quality.CASES if case.dtype not in ("bf16", "f16")]
    assert [row.get("refused") for row in rows] == [None] * 4
    for row in rows:
        assert row["spill_bytes"] == row["local_loads_and_stores"] == 0 and row["global_stores"] == ["STG.E.128"]
        assert row["multiplies_per_loop"] >= row["ideal_per_k_step"]


def test_the_plan_that_the_planner_chooses(quality: Any):
    plans = importlib.import_module("plans")
    module = plans.planned(quality.Product("bf16", (4096, 4096, 4096)).text, "sm80")
    (kernel,) = plans.kernels(module)
    plan = kernel.plan.schedule()
    case = quality.Case("bf16", plan.tile, plan.stages, plan.warp_tile)
    compiled = ptir.compile(module).program
    facts = quality.facts(case, compiled.binary, case.ring_bytes)
    in_registers_and_by_the_ideal(facts)
    assert facts["instructions_per_multiply"] < 1.7 and plan.order == "grouped_16"


def test_a_step_for_each_slot_needs_fewer_instructions(quality: Any):
    row = quality.measure(quality.Case("bf16", (128, 256, 64), 3, "64x64", 2, 3, transposed=True))
    assert row["spill_bytes"] == row["local_loads_and_stores"] == 0 and row["multiplies_per_loop"] == 3 * 128
    assert row["instructions_per_loop"] <= 3 * 190


def test_local_memory_is_seen_where_ptxas_counts_no_spills(quality: Any):
    body = "float a[64]; for (int i = 0; i < 64; ++i) a[i] = x[i] * x[i + 1]; y[0] = a[(int)x[99]];"
    source = f'extern "C" __global__ void k(const float* x, float* y) {{ {body} }}'
    binary = compile_cuda(source, "sm_80")
    facts = quality.facts(quality.Case("f32", (64, 64, 16), 3, "32x32"), binary, 0)
    assert facts["spill_bytes"] == 0 and facts["local_loads_and_stores"] > 0 and facts["global_stores"] == ["STG.E"]


def test_a_type_that_is_refused_is_listed_with_its_reason(quality: Any):
    case = quality.Case("bf16", (128, 128, 64), 8, "64x64")
    assert quality.measure(case)["refused"].startswith("PTIR0303: ")
    table = quality.markdown({"target": "sm_80", "nvrtc": "13.0", "kernels": [quality.measure(case)]})
    assert "| bf16 128x128x64, 8 stages, warp 64x64 | PTIR0303: " in table


# --- the warp-specialized template -----------------------------------------------------------------


STEPS = {
    "bf16, 128x256x64": ("HGMMA.64x256x16.F32.BF16", 4, 59),
    "f16, 128x256x64": ("HGMMA.64x256x16.F32", 4, 59),
    "bf16, 128x128x64, pingpong": ("HGMMA.64x128x16.F32.BF16", 8, 66),
    "bf16, 128x128x64, cooperative": ("HGMMA.64x128x16.F32.BF16", 4, 51),
    "fp8, 128x128x128": ("QGMMA.64x128x32.F32.E4M3.E4M3", 4, 116),
    "tf32, 128x128x32": ("HGMMA.64x128x8.F32.TF32", 4, 56),
    "i8, 128x256x128": ("IGMMA.64x256x32.S8.S8", 4, 57),
    "bf16, 16x128x128": ("HGMMA.64x16x16.F32.BF16", 8, 70),
}
"""For each kernel: the multiplication instruction, its count per step, and the maximum number of instructions per step."""


def as_the_best_by_hand(row: dict[str, Any]) -> None:
    """
    Asserts that a kernel needs no more registers than the best handwritten kernel for its tile, and that its loop has no other
    kinds of instructions.
    """
    (expected,) = [facts for name, facts in STEPS.items() if row["kernel"].startswith(name)]
    opcode, multiplies, instructions = expected
    assert row["multiplies"] == [opcode] and row["multiplies_a_step"] == multiplies
    assert row["multiplies_outside"] == 0 and row["steps_a_loop"] == 1
    assert row["instructions_a_step"] <= instructions and row["barriers_in_loop"] == 0
    assert row["registers"] <= 168 and row["shared_bytes"] <= 232448
    assert max(row["spill_bytes"], row["stack_bytes"], row["local_loads_and_stores"]) == 0
    assert row["tma_loads"] >= 2 and not row["remarks"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("number", [0, 1, 6, 8, 9, 11])
def test_the_warp_specialized_template(warp_specialized: Any, number: int):
    row = warp_specialized.measure(warp_specialized.CASES[number])
    as_the_best_by_hand(row)
    assert row["tma_stores"] > 0 and not row["global_stores"]


@pytest.mark.parametrize("number", [3, 10], ids=["bias gelu residual", "rows of i32 that lanes store"])
def test_an_epilogue_leaves_the_loop_as_it_is(warp_specialized: Any, number: int):
    as_the_best_by_hand(warp_specialized.measure(warp_specialized.CASES[number]))


def test_what_was_measured_keeps_the_limits(warp_specialized: Any):
    """The committed report has every kernel, the prototype and what was published of the best."""
    (path,) = sorted((BENCHMARKS / "results").glob("*-warp-specialized-quality.json"))[-1:]
    rows = warp_specialized.load(path)
    assert list(rows)[: len(warp_specialized.CASES)] == [case.name for case in warp_specialized.CASES]
    for case in warp_specialized.CASES:
        as_the_best_by_hand(rows[case.name])
    assert rows[warp_specialized.PUBLISHED["kernel"]]["registers"] == 168
    (by_hand,) = [row for name, row in rows.items() if name.startswith("prototype")]
    ours = rows[by_hand["kernel"].removeprefix("prototype, ")]
    assert ours["instructions_a_step"] < by_hand["instructions_a_step"]
    table = path.with_suffix(".md").read_text(encoding="utf-8")
    assert all(f"\n| {name} | " in table for name in rows)


def test_another_report_is_not_taken_for_one(warp_specialized: Any):
    with pytest.raises(ValueError, match=r"quality\.json is no report of warp_specialized_quality\.py"):
        warp_specialized.load(next((BENCHMARKS / "results").glob("*6-quality.json")))


def test_barriers_spills_and_refusals_are_seen(warp_specialized: Any):
    body = "__shared__ float s[128]; float a[64]; for (int i = 0; i < 64; ++i) a[i] = x[i] * x[i + 1]; " \
           "for (int i = 0; i < n; ++i) { s[threadIdx.x] = a[i & 63] * s[i]; __syncthreads(); y[i] = s[i & 127]; }"  # fmt: skip
    source = f'extern "C" __global__ void k(const float* x, float* y, int n) {{ {body} }}'
    facts = warp_specialized.facts(compile_cuda(source, "sm_90a"), 4, 100)
    assert facts["local_loads_and_stores"] > 0 and facts["barriers_in_loop"] > 0 and facts["stack_bytes"] == 256
    assert facts["multiplies"] == [] and facts["instructions_a_step"] is None and facts["shared_bytes"] == 612
    case = warp_specialized.CASES[0]
    deep = warp_specialized.measure(replace(case, shape=replace(case.shape, stages=40)))
    assert deep["refused"].startswith("PTIR0303: ")
    table = warp_specialized.markdown(
        {"target": "sm_90a", "nvrtc": "13.0", "kernels": [deep, warp_specialized.PUBLISHED]}
    )
    assert "40 stages, cluster 2x1 | PTIR0303: " in table and "| 168 |" in table
