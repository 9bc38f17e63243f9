"""
Fallbacks: a kernel that spills is compiled again with the next candidate plan, while other kernels keep their plans. A plan that
the user pins is not changed: its spills are an error.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.backends.cuda import emit
from ptir.backends.cuda.errors import KernelRemark, KernelSpills
from ptir.backends.cuda.nvrtc import Remark
from ptir.dialects.region import RegionKernelOp
from ptir.errors import NoPlanFits
from ptir.planning.template import Request
from ptir.transforms.plan_regions import plan_region

TWO_LAYERS = """
func.func @f(%x: tensor<256x256xbf16>, %w: tensor<256x192xbf16>, %v: tensor<192x128xbf16>) -> tensor<256x128xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<256x256xbf16>, tensor<256x192xbf16>) -> tensor<256x192xbf16>
  %1 = ptir.dot_general %0, %v contract [1] x [0] out f32 : (tensor<256x192xbf16>, tensor<192x128xbf16>) -> tensor<256x128xf32>
  func.return %1 : tensor<256x128xf32>
}
"""


def regions() -> dict[str, RegionKernelOp]:
    module = ptir.PassManager("ptir-to-tiny,form-regions").run(ptir.parse(TWO_LAYERS))
    return {o.sym_name.data: o for o in module.walk() if isinstance(o, RegionKernelOp)}


def planned(fallback: int) -> Any:
    kernel = regions()["f_0"]
    plan_region(Request.of(kernel, "sm80"), fallback)
    assert kernel.plan is not None
    return kernel.plan.schedule()


def spilling(monkeypatch: pytest.MonkeyPatch, kernel: str, times: int) -> list[str]:
    """Makes NVRTC report spills of `kernel` in the first `times` compilations. Returns the list of compiled sources."""
    seen: list[str] = []
    real = emit.compile_cuda

    def fake(source: str, arch: str, **options: Any) -> Any:
        binary = real(source, arch, **options)
        seen.append(source)
        if len(seen) <= times:
            spilled = replace(binary.kernels[kernel], spill_stores=100 - len(seen))
            return replace(binary, kernels={**binary.kernels, kernel: spilled})
        return binary

    monkeypatch.setattr(emit, "compile_cuda", fake)
    return seen


def body(source: str, kernel: str) -> str:
    """Returns the text of one kernel."""
    (text,) = [part for part in source.split("// launched on ") if f" {kernel}(" in part]
    return text


def test_every_step_of_the_ladder_is_another_plan() -> None:
    plans = [planned(step) for step in range(4)]
    assert len({plan.to_json() for plan in plans}) == 4


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


def pinned() -> ModuleOp:
    return ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}").run(ptir.parse(TWO_LAYERS))


def test_a_plan_by_hand_is_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spilling(monkeypatch, "f_1", 1)
    with pytest.raises(KernelSpills, match=r"@f_1 spills 99 bytes \(\d+ registers a thread\)") as caught:
        ptir.compile(pinned())
    assert len(seen) == 1
    assert isinstance(caught.value.op, gpu.FuncOp) and caught.value.op.sym_name.data == "f_1"  # pyright: ignore


def test_a_plan_by_hand_is_taken_as_it_is_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spilling(monkeypatch, "f_1", 1)
    assert ptir.compile(pinned(), allow_spills=True).program.binary.kernels["f_1"].spill_stores == 99
    assert len(seen) == 1


def test_without_a_plan_that_fits_the_fewest_spills_win_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    seen = spilling(monkeypatch, "f_1", 10_000)
    with caplog.at_level("WARNING"):
        program = ptir.compile(TWO_LAYERS).program
    assert program.cuda == seen[-1]  # each attempt above reports one byte less
    assert len(seen) > 3
    assert f"every plan spills: @f_1 spills {100 - len(seen)} bytes" in caplog.text


@pytest.mark.sampled(1)
def test_a_wgmma_that_ptxas_gave_up_on_is_planned_again_and_other_remarks_are_errors(monkeypatch: pytest.MonkeyPatch):
    real = emit.compile_cuda
    seen: list[str] = []

    def remarking(number: str) -> None:
        def fake(source: str, arch: str, **options: Any) -> Any:
            binary = real(source, arch, **options)
            seen.append(source)
            remark = Remark(number, f"({number}) a remark in function 'f_1'", "f_1")
            return replace(binary, remarks=(remark,)) if len(seen) == 1 else binary

        monkeypatch.setattr(emit, "compile_cuda", fake)

    for number in ("C7602", "C7514"):
        remarking(number)
        assert ptir.compile(TWO_LAYERS).program.cuda == seen[1] != seen[0]
        seen.clear()
    remarking("C7508")
    with pytest.raises(
        KernelRemark, match=r"@f_1 was not compiled as planned, setmaxnreg is ignored: \(C7508\) a remark"
    ):
        ptir.compile(TWO_LAYERS)
