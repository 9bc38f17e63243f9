"""The retreat: a kernel whose compiled form spills is planned again, further down the ladder; others keep their plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ptir
from ptir.analysis.arch import ARCHS
from ptir.dialects.region import RegionKernelOp
from ptir.errors import NoPlanFits
from ptir.runtime import compile as compiling
from ptir.transforms.plan_regions import plan_region

TWO_LAYERS = """
func.func @f(%x: tensor<64x32xbf16>, %w: tensor<32x48xbf16>, %v: tensor<48x16xbf16>) -> tensor<64x16xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
  %1 = ptir.dot_general %0, %v contract [1] x [0] out f32 : (tensor<64x48xbf16>, tensor<48x16xbf16>) -> tensor<64x16xf32>
  func.return %1 : tensor<64x16xf32>
}
"""


def regions() -> dict[str, RegionKernelOp]:
    module = ptir.PassManager("ptir-to-tiny,form-regions").run(ptir.parse(TWO_LAYERS))
    return {o.sym_name.data: o for o in module.walk() if isinstance(o, RegionKernelOp)}


def planned(retreat: int) -> Any:
    kernel = regions()["f_0"]
    plan_region(kernel, ARCHS["sm80"], retreat)
    assert kernel.plan is not None
    return kernel.plan.schedule()


def spilling(monkeypatch: pytest.MonkeyPatch, kernel: str, times: int) -> list[str]:
    """Makes NVRTC report spills of `kernel` in the first `times` compilations; gives the sources it saw."""
    seen: list[str] = []
    real = compiling.compile_cuda

    def fake(source: str, arch: str) -> Any:
        binary = real(source, arch)
        seen.append(source)
        if len(seen) <= times:
            spilled = replace(binary.kernels[kernel], spill_stores=100 - len(seen))
            return replace(binary, kernels={**binary.kernels, kernel: spilled})
        return binary

    monkeypatch.setattr(compiling, "compile_cuda", fake)
    return seen


def body(source: str, kernel: str) -> str:
    """The text of one kernel."""
    (text,) = [part for part in source.split("// launched on ") if f" {kernel}(" in part]
    return text


def test_every_step_of_the_ladder_is_another_plan() -> None:
    plans = [planned(step) for step in range(5)]
    assert len({(p.tile, p.stages, p.warp_tile) for p in plans}) == 5


def test_the_ladder_ends_with_an_error() -> None:
    with pytest.raises(NoPlanFits, match="plans were tried"):
        planned(10_000)


def test_only_the_spilling_kernel_is_planned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spilling(monkeypatch, "f_1", 2)
    program = ptir.compile(TWO_LAYERS).program
    assert len(seen) == 3
    assert body(seen[0], "f_0") == body(seen[2], "f_0")
    assert len({body(source, "f_1") for source in seen}) == 3
    assert program.cuda == seen[2]


def test_a_plan_by_hand_is_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}").run(ptir.parse(TWO_LAYERS))
    seen = spilling(monkeypatch, "f_1", 1)
    assert ptir.compile(module).program.binary.kernels["f_1"].spill_stores == 99
    assert len(seen) == 1


def test_without_a_plan_that_fits_the_fewest_spills_win(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spilling(monkeypatch, "f_1", 10_000)
    program = ptir.compile(TWO_LAYERS).program
    assert program.cuda == seen[-1]  # each attempt above reports one byte less
    assert len(seen) > 5
