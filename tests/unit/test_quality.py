"""Facts about the machine code that must hold, read from SASS: `benchmarks/quality.py` prints the rest."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.errors import DisassemblerUnavailable
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.dialects.region import RegionKernelOp

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


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


def in_registers_and_by_the_ideal(facts: dict[str, Any]) -> None:
    assert facts["spill_bytes"] == facts["local_loads_and_stores"] == 0
    assert facts["multiplies_per_loop"] > 0 and facts["k_steps"] == int(facts["k_steps"]) >= 1
    assert facts["global_stores"] == ["STG.E.128"]
    assert facts["instructions_per_multiply"] < 3


@pytest.mark.parametrize(("dtype", "buffers"), [("bf16", 1), ("bf16", 2), ("f16", 2)])
@pytest.mark.parametrize(("tile", "stages"), [((128, 128, 32), 4), ((128, 128, 64), 3)])
def test_the_large_tile(quality: Any, dtype: str, buffers: int, tile: tuple[int, int, int], stages: int):
    row = quality.measure(quality.Case(dtype, tile, stages, "64x64", buffers))
    in_registers_and_by_the_ideal(row)
    assert row["per_loop"]["LDSM"] == row["multiplies_per_loop"] / 4
    assert row["per_loop"]["LDGSTS"] == row["k_steps"] * (tile[0] + tile[1]) * tile[2] / 8 / row["threads"]
    assert row["per_loop"]["BAR"] == row["k_steps"] and row["blocks_per_multiprocessor"] >= 1


def test_every_type_stays_in_registers(quality: Any):
    rows = [quality.measure(case) for case in quality.CASES if case.dtype not in ("bf16", "f16")]
    assert [row.get("refused") for row in rows] == [None] * 4
    for row in rows:
        assert row["spill_bytes"] == row["local_loads_and_stores"] == 0 and row["global_stores"] == ["STG.E.128"]
        assert row["multiplies_per_loop"] >= row["ideal_per_k_step"]


def test_the_plan_that_the_planner_chooses(quality: Any):
    text = quality.program(quality.TYPES["bf16"], (4096, 4096, 4096))
    compiled = ptir.compile(text).program
    module = ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}").run(ptir.parse(text))
    (kernel,) = [o for o in module.walk() if isinstance(o, RegionKernelOp)]
    assert kernel.plan is not None
    plan = kernel.plan.schedule()
    case = quality.Case("bf16", plan.tile, plan.stages, plan.warp_tile)
    in_registers_and_by_the_ideal(quality.facts(case, compiled.binary, case.ring_bytes))


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
