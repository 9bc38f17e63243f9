"""Resource problems that ptxas reports are errors at the kernel, which name the field of the plan to change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from xdsl.dialects import gpu
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32

import ptir
from ptir.backends.cuda.errors import KernelRemark, KernelSpills, KernelTooLarge
from ptir.backends.cuda.nvrtc import Binary, Remark, Resources
from ptir.backends.cuda.resources import PLAN, kernel_faults
from ptir.dialects.common.syntax import axes_attr
from ptir.dialects.nv import LaunchOp
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.targets.architectures import ARCHS

GEMM = """
func.func @f(%x: tensor<128x64xbf16>, %w: tensor<64x256xbf16>) -> tensor<128x256xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] out f32 : (tensor<128x64xbf16>, tensor<64x256xbf16>) -> tensor<128x256xf32>
  func.return %0 : tensor<128x256xf32>
}
"""


def schedule(**fields: Any) -> Schedule:
    rest: dict[str, Any] = {"tile": (128, 64, 32), "stages": 3, "warp_tile": "64x32", **fields}
    if len(rest["tile"]) == 2:
        rest = {"tile": rest["tile"]}
    else:
        rest["cache"] = (Cache(tensor="A"), Cache(tensor="B"))
    return Schedule(arch="sm80", vectorize=Vectorize(axis="n.i.i", width=8), **rest)


def lowered(plan: Schedule) -> ModuleOp:
    """Returns a product with a pinned plan at the nv level, where the kernel carries its plan."""
    module = ptir.PassManager("ptir-to-tiny,form-regions").run(ptir.parse(GEMM))
    for op in module.walk():
        if isinstance(op, RegionKernelOp):
            op.plan = ScheduleAttr(plan)
    ptir.PassManager("plan-regions{arch=sm80},region-to-pto,pto-to-nv").run(module)
    for op in module.walk():
        if isinstance(op, gpu.FuncOp):
            op.attributes[PLAN] = ScheduleAttr(plan)
    return module


def binary(*remarks: Remark, **resources: int) -> Binary:
    return Binary("", b"", "", "sm_80", {"f_0": Resources(**resources)}, remarks)


def test_a_kernel_that_spills_is_an_error_that_names_the_field_of_its_plan():
    plan = schedule(warp_tile="64x64")
    module = lowered(plan)
    (function,) = [o for o in module.walk() if isinstance(o, gpu.FuncOp)]
    # At most 64 registers per thread.
    function.attributes["gpu.known_block_size"] = DenseArrayBase.from_list(i32, [1024, 1, 1])
    (launch,) = [o for o in module.walk() if isinstance(o, LaunchOp)]
    launch.block = axes_attr((1024, 1, 1))
    with pytest.raises(KernelSpills, match=r"@f_0 spills \d\d+ bytes \(64 registers a thread\)") as caught:
        ptir.compile(module)
    assert "make warp_tile smaller than 64x64, or stages smaller than 3" in caught.value.help
    assert isinstance(caught.value.op, gpu.FuncOp)
    assert ptir.compile(module, allow_spills=True).program.binary.kernels["f_0"].spill_stores > 0


def test_a_kernel_that_fits_has_no_faults():
    module = lowered(schedule())
    program = ptir.compile(module).program
    assert not list(kernel_faults(program.module, program.binary, ARCHS["sm80"]))


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({}, "make warp_tile smaller than 64x32, or stages smaller than 3"),
        ({"tile": (128, 64, 32), "warp_tile": "16x16"}, "make tile smaller than 128x64x32: 1024 threads have 64"),
        ({"tile": (8, 256)}, "make tile smaller than 8x256, or vectorize.width smaller than 8"),
        (None, "the kernel has no nv.plan"),
    ],
)
def test_the_field_to_change_for_registers(plan: dict[str, Any] | None, field: str):
    module = lowered(schedule())
    (function,) = [o for o in module.walk() if isinstance(o, gpu.FuncOp)]
    if plan is None:
        del function.attributes[PLAN]
    else:
        function.attributes[PLAN] = ScheduleAttr(schedule(**plan))
    for answer in (binary(spill_loads=8), binary(Remark("C7602", "(C7602) not enough", "f_0"))):
        (fault,) = kernel_faults(module, answer, ARCHS["sm80"])
        assert field in fault.help and fault.smaller_tile_may_help and fault.op is function and fault.kernel == "f_0"


@pytest.mark.parametrize(
    ("number", "field"),
    [
        ("C7508", "known_block_size"),
        ("C7510", "make warp_tile smaller than 64x32"),
        ("C7514", "between its wgmma and the wait for it"),
    ],
)
def test_other_fatal_remarks(number: str, field: str):
    module = lowered(schedule())
    for kernel in ("", "f_0"):
        (fault,) = kernel_faults(module, binary(Remark(number, f"({number}) text", kernel)), ARCHS["sm80"])
        assert isinstance(fault, KernelRemark) and field in fault.help
        assert fault.smaller_tile_may_help == (number != "C7508")
        assert isinstance(fault.op, gpu.FuncOp) and f"({number}) text" in fault.message
    assert not list(kernel_faults(module, binary(Remark("C7517", "…", "f_0")), ARCHS["sm80"]))


def test_a_block_that_no_multiprocessor_holds():
    module = lowered(schedule(tile=(128, 64, 64), stages=5))
    (launch,) = [o for o in module.walk() if isinstance(o, LaunchOp)]
    (fault,) = kernel_faults(module, binary(registers=64), ARCHS["sm86"])
    assert isinstance(fault, KernelTooLarge) and fault.op is launch
    assert "@f_0 takes 122880 bytes of shared memory per block, but sm86 has 101376" in fault.message
    assert fault.help == "make tile smaller than 128x64x64, or stages smaller than 5"
    assert str(fault) == (
        "<string>:3:8: error[PTIR0408]: @f_0 takes 122880 bytes of shared memory per block, but sm86 has 101376\n"
        "  help: make tile smaller than 128x64x64, or stages smaller than 5"
    )
    launch.properties["block"] = axes_attr((512, 2, 1))
    (fault,) = kernel_faults(module, binary(registers=65), ARCHS["sm80"])
    assert "@f_0 takes 65 registers in each of 1024 threads, but a block has 65536" in fault.message
    assert not list(kernel_faults(module, binary(registers=64), ARCHS["sm80"]))


def test_static_shared_memory_counts():
    module = lowered(schedule())
    (fault,) = kernel_faults(module, replace(binary(static_shared=150000)), ARCHS["sm80"])
    assert isinstance(fault, KernelTooLarge) and "takes 186864 bytes of shared memory" in fault.message


def test_messages_of_faults():
    module = lowered(schedule())
    for answer, message in (
        (
            binary(spill_loads=8),
            "<string>:3:8: error[PTIR0407]: @f_0 spills 8 bytes (0 registers a thread)\n"
            "  help: make warp_tile smaller than 64x32, or stages smaller than 3; "
            "ptir.compile(…, allow_spills=True) takes the kernel as it is",
        ),
        (
            binary(Remark("C7508", "(C7508) text", "f_0")),
            "<string>:3:8: error[PTIR0406]: @f_0 was not compiled as planned, setmaxnreg is ignored: (C7508) text\n"
            "  help: ptxas must know the block's size: give the gpu.func a known_block_size",
        ),
        (
            binary(Remark("C7602", "(C7602) text", "f_0")),
            "<string>:3:8: error[PTIR0406]: @f_0 was not compiled as planned, not enough registers: (C7602) text\n"
            "  help: make warp_tile smaller than 64x32, or stages smaller than 3",
        ),
    ):
        (fault,) = kernel_faults(module, answer, ARCHS["sm80"])
        assert str(fault) == message
