"""Each field of a plan with roles is checked against its region, and against the tile program that carries the plan."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from xdsl.dialects.builtin import ModuleOp

from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects import nv, pto
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.errors import NoPlanFits, PlanMismatch
from ptir.passes.manager import PassManager
from ptir.planning.template import Request
from ptir.planning.templates import check_plan, check_program_plan
from ptir.planning.warp_specialized import WarpSpecialized
from ptir.planning.warp_specialized.resources import (
    consumer_registers,
    fragment_registers,
    shape_of,
    shared_bytes,
    staging_bytes,
)
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import MACHINES

from .test_multistage import KINDS, gemm, kernel_of, regions

ROLES: dict[str, Any] = {
    "arch": "sm90",
    "tile": [128, 64, 64],
    "stages": 4,
    "warp_tile": "64x64",
    "roles": "cooperative",
    "cache": [{"tensor": "A"}, {"tensor": "B"}],
    "vectorize": {"axis": "n.i.i", "width": 8},
    "predicate_tail": ["m.i.i", "n.i.i", "k.i.i"],
    "epilogue": ["tanh"],
}
COL: dict[str, Any] = {"layout_hints": {"C_stride": "col"}, "vectorize": {"axis": "m.i.i", "width": 8}}
TURNED: dict[str, Any] = {**COL, "tile": [64, 128, 64], "warp_tile": "64x64"}
BF16 = regions(gemm(200, 200, 200))
I8 = regions(gemm(200, 200, 200, KINDS["i8"]))
I8_ALONG_M = regions(gemm(200, 200, 200, KINDS["i8"]).replace("contract [1] x [0]", "contract [0] x [0]"))
TF32 = regions(gemm(200, 200, 200, KINDS["tf32"]))
F64 = regions(gemm(200, 200, 200, KINDS["f64"]))
F32 = regions(gemm(200, 200, 200, KINDS["f32"]))


def planned(fields: dict[str, Any], module: ModuleOp = BF16) -> ModuleOp:
    copy = module.clone()
    merged = {k: v for k, v in (ROLES | fields).items() if v is not None}
    kernel_of(copy).plan = ScheduleAttr(msgspec.convert(merged, Schedule))
    return PassManager("plan-regions{arch=sm90}").run(copy)


NOTHING: dict[str, Any] = {"epilogue": []}
LEGAL: list[tuple[dict[str, Any], ModuleOp]] = [
    ({}, BF16),
    (TURNED, BF16),
    ({"roles": "pingpong", "tile": [64, 64, 64]}, BF16),
    ({"cluster": [2, 1], "order": "grouped_4", "epilogue_tile": [64, 32]}, BF16),
    ({"cluster": [2, 2]}, BF16),
    ({"tile": [128, 64, 16]}, BF16),  # rows of 32 bytes
    ({"tile": [128, 64, 192], "stages": 2}, BF16),  # three panels
    ({"tile": [128, 192, 64], "warp_tile": "64x192"}, BF16),
    ({"tile": [128, 16, 64], "warp_tile": "64x16"}, BF16),
    ({"tile": [64, 64, 64], "stages": 12}, BF16),
    ({"split": 2, "algo_choice": {"matmul": "splitk_parallel"}}, BF16),
    ({"algo_choice": {"matmul": "stream_k"}}, BF16),
    ({"local_edges": [{"from": "sum", "to": "tanh"}]}, BF16),
    ({"accumulators": 2, "tile": [128, 192, 64], "warp_tile": "64x192"}, BF16),
    ({"tile": [128, 24, 32], "warp_tile": "64x24", **NOTHING}, I8),  # contiguous along k: BN is not the length of a row
    ({"tile": [192, 64, 64], **NOTHING}, I8_ALONG_M),
    ({"tile": [128, 256, 64], "warp_tile": "64x256", "stages": 2, **NOTHING}, I8),
    ({"tile": [128, 40, 8], "warp_tile": "64x40"}, TF32),
    # 128 accumulator and 32 other registers, of 160.
    ({"tile": [192, 256, 64], "warp_tile": "64x256", "stages": 2}, BF16),
]


@pytest.mark.parametrize(("fields", "module"), LEGAL, ids=[str(f)[:50] for f, _ in LEGAL])
def test_what_the_template_can_do_is_taken(fields: dict[str, Any], module: ModuleOp):
    attribute = kernel_of(planned(fields, module)).plan
    assert attribute is not None and attribute.schedule().warp_specialized


REFUSED: list[tuple[dict[str, Any], ModuleOp, str, str]] = [
    (
        {"accumulators": 2, "algo_choice": {"matmul": "stream_k"}},
        BF16,
        "accumulators",
        "must be 1 if blocks share accumulators",
    ),
    (
        {
            "accumulators": 2,
            "stages": 1,
            "cache": [{"tensor": "A", "pingpong": False}, {"tensor": "B", "pingpong": False}],
        },
        BF16,
        "accumulators",
        "must be 1 if blocks share accumulators (algo_choice.matmul), or if stages is 1",
    ),
    (
        {"accumulators": 2, "tile": [128, 64, 128]},
        regions(gemm(200, 200, 256).replace("xbf16", "xf8E4M3FN")),
        "accumulators is 2, but fp8 products are promoted between the wgmmas of a tile",
        "accumulators must be 1",
    ),
    ({}, F64, "roles is cooperative, but wgmma does not multiply f64 and f64 into f64", "roles must be left out"),
    ({}, F32, "wgmma does not multiply f32 and f32 into f32", "f32 (with precision tf32)"),
    ({"tile": [128, 64, 24]}, BF16, "tile has BK = 24, but m64k16 takes 16 at a time", "a multiple of 16"),
    ({"tile": [128, 64, 40], "epilogue": []}, I8, "tile has BK = 40, but m64k32_i8 takes 32", "a multiple of 32"),
    (
        {"tile": [128, 40, 64], "warp_tile": "64x40", **NOTHING},
        I8,
        "warp_tile 64x40 gives wgmma 40 columns, but no m64k32_i8 has that many",
        "8, 16, 24, 32, 48",
    ),
    (
        {**TURNED, "tile": [40, 128, 64], "warp_tile": "40x64", **NOTHING},
        I8,
        "warp_tile 40x64 gives wgmma 40 columns",
        "8, 16, 24, 32, 48",
    ),
    (
        {"tile": [128, 64, 48]},
        BF16,
        "BK = 48, which makes rows of 96 bytes of A",
        "BK must give rows of 32, 64 or 128 bytes, or panels of 128",
    ),
    ({"tile": [128, 8, 64], "warp_tile": "64x8"}, BF16, "BN = 8, which makes rows of 16 bytes of B", "BN must"),
    ({"tile": [128, 96, 64], "warp_tile": "64x96"}, BF16, "BN = 96, which makes rows of 192 bytes of B", "BN must"),
    (
        {"tile": [128, 64, 16], "cluster": [4, 1]},
        BF16,
        "BK = 16 rows of B cannot be divided among the 4 blocks along m in multiples of 8",
        "1 along m, or BK a multiple of 32",
    ),
    (
        {**TURNED, "tile": [8, 128, 64], "warp_tile": "8x64", "cluster": [1, 2]},
        BF16,
        "BM = 8 rows of A cannot be divided among the 2 blocks along n",
        "1 along n, or BM a multiple of 16",
    ),
    (
        {"split": 3, "algo_choice": {"matmul": "splitk_serial"}},
        BF16,
        "split is 3, but 4 steps of BK = 64 can fill only 2 equal parts",
        "split must be 2",
    ),
    (
        {"cluster": [1, 4], "tile": [128, 64, 64], "algo_choice": {"matmul": "stream_k"}, "predicate_tail": None},
        regions(gemm(256, 128, 128)),
        "cluster [1, 4] does not divide the 2x2 tiles, whose accumulators are shared",
        "cluster must divide them",
    ),
    (
        {"cluster": [2, 1], "order": "hilbert_2"},
        BF16,
        "order is hilbert_2, but squares of 2x2 do not divide the 1x4 clusters of tiles",
        "order must be another one whose groups may be incomplete",
    ),
    (
        {"cluster": [4, 1], "split": 2, "algo_choice": {"matmul": "splitk_serial"}},
        BF16,
        "cluster [4, 1] does not divide the 2x4 tiles",
        "cluster must divide them",
    ),
    (
        {"roles": "pingpong", "tile": [64, 64, 64], "algo_choice": {"matmul": "stream_k"}},
        BF16,
        "roles is pingpong, whose warpgroups cannot wait for other blocks",
        "cooperative, as algo_choice.matmul is stream_k",
    ),
    (
        {"bind": {"m.o": "block.y", "n.o": "block.x"}},
        BF16,
        "bind has a value",
        "persistent blocks take tiles in `order`",
    ),
    ({"layout_hints": {"A_swizzle": False}}, BF16, "layout_hints has a value", "not have A_swizzle or B_swizzle"),
    ({"layout_hints": {"B_swizzle": False}}, BF16, "layout_hints has a value", "not have A_swizzle or B_swizzle"),
    ({"layout_hints": {"C_stride": "diagonal"}}, BF16, "layout_hints has a value", '"row" or "col"'),
    (
        {"local_edges": [{"from": x, "to": "sum", "depth": 2} for x in "AB"]},
        BF16,
        "local_edges has a value",
        "from sum to tanh in reg, or between ops of the epilogue, and none from A and B in reg, which wgmma reads from shared memory",
    ),
    (
        {"local_edges": [{"from": "sum", "to": "tanh"}], **NOTHING},
        I8,
        "local_edges has a value",
        "none from sum, as there is no epilogue,",
    ),
    ({"cache": []}, BF16, "cache has a value", "A and B in smem"),
    (
        {"algo_choice": {"conv": "winograd_3x3"}},
        BF16,
        'algo_choice has conv = "winograd_3x3", which no kernel computes alone',
        "run tiny-choose-convolutions before form-regions",
    ),
    ({"predicate_tail": []}, BF16, "predicate_tail has a value", "m.i.i"),
    ({"vectorize": {"axis": "m.i.i", "width": 8}}, BF16, "vectorize has a value", 'axis = "n.i.i"'),
]


@pytest.mark.parametrize(("fields", "module", "problem", "want"), REFUSED, ids=[f"{r[2][:60]}" for r in REFUSED])
def test_what_the_template_cannot_do_is_refused_by_name(
    fields: dict[str, Any], module: ModuleOp, problem: str, want: str
):
    with pytest.raises(PlanMismatch) as failure:
        planned(fields, module)
    assert problem in str(failure.value), failure.value
    assert want in failure.value.help, failure.value.help


OVERFLOWS: list[tuple[dict[str, Any], ModuleOp, str]] = [
    # 5 slots of 48 KiB, 2 x 2 staged tiles of 64 rows of 128 bytes, 5 pairs of barriers
    (
        {"tile": [128, 256, 64], "warp_tile": "64x256", "stages": 5},
        BF16,
        f"take {5 * 49152 + 4 * 8192 + 80} bytes of shared memory, the limit is 232448",
    ),
    (
        {"tile": [64, 64, 64], "stages": 14, "epilogue_tile": [64, 64]},
        BF16,
        f"take {14 * 16384 + 16384 + 224} bytes of shared memory",
    ),
    (
        {"tile": [128, 256, 64], "warp_tile": "128x256", "stages": 2},
        BF16,
        "the accumulators take 256 registers per consumer thread, but only 208 of 240 are free",
    ),
    (
        {"accumulators": 2, "tile": [128, 256, 64], "warp_tile": "64x256", "stages": 3},
        BF16,
        "the accumulators take 256 registers per consumer thread (two sets, because accumulators is 2), but only 208 of 240 are free",
    ),
    # 128 rows of 128 bytes, two of them
    (
        {"tile": [128, 64, 64], "warp_tile": "128x64", "stages": 9},
        BF16,
        f"take {9 * 24576 + 2 * 16384 + 144} bytes of shared memory",
    ),
    # the producer's threads copy B, which is contiguous along n, and need more registers
    (
        {"tile": [192, 256, 64], "warp_tile": "64x256", "stages": 2, "epilogue": []},
        I8,
        "the accumulators take 128 registers per consumer thread, but only 104 of 136 are free",
    ),
]


@pytest.mark.parametrize(("fields", "module", "message"), OVERFLOWS, ids=[o[2][:50] for o in OVERFLOWS])
def test_what_the_machine_cannot_hold_is_refused_with_the_number(
    fields: dict[str, Any], module: ModuleOp, message: str
):
    with pytest.raises(NoPlanFits, match=re.escape(message)) as failure:
        planned(fields, module)
    assert failure.value.help


# --- beside a tile program ----------------------------------------------------------------------


def beside(fields: dict[str, Any], **changes: Any) -> pto.PtoKernelOp:
    """Returns the tile program of one plan, which carries another plan."""
    module = planned(fields)
    PassManager("region-to-pto").run(module)
    kernel = next(o for o in module.walk() if isinstance(o, pto.PtoKernelOp))
    assert kernel.plan is not None
    kernel.plan = ScheduleAttr(msgspec.convert(kernel.plan.schedule().to_dict() | changes, Schedule))
    return kernel


def plan_of(kernel: pto.PtoKernelOp) -> Schedule:
    assert kernel.plan is not None
    return kernel.plan.schedule()


@pytest.mark.parametrize("fields", [{}, TURNED, {"split": 2, "algo_choice": {"matmul": "splitk_serial"}}])
def test_the_tile_program_of_a_plan_agrees_with_it(fields: dict[str, Any]):
    kernel = beside(fields)
    check_program_plan(kernel, plan_of(kernel))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"tile": [64, 64, 64]},
            r"tile is \[64, 64\], but the tile program has \[128, 64\]",
        ),
        ({"stages": 5}, "stages is 5, but the tile program has 4"),
        ({"tile": [128, 64, 32]}, r"tile and C_stride is \[\[128, 32\], \[32, 64\]\], but the tile program has"),
        ({**COL, "warp_tile": "128x64"}, r"tile and C_stride is \[\[64, 64\], \[64, 128\]\]"),
        (
            {"split": 2, "algo_choice": {"matmul": "splitk_serial"}},
            "split is 2, but the tile program has 1",
        ),
        ({"bind": {"m.o": "block.y"}}, "bind has a value that this lowering does not support"),
        ({"order": "hilbert_32"}, "order is hilbert_32, but squares of 32x32 do not divide"),
        ({"layout_hints": {"B_swizzle": False}}, "layout_hints has a value"),
        ({"layout_hints": {"C_stride": "up"}}, "layout_hints has a value"),
        ({"predicate_tail": ["z"]}, "predicate_tail has a value"),
        ({"vectorize": {"axis": "k.i.i", "width": 8}}, "vectorize has a value"),
    ],
)
def test_a_plan_that_says_otherwise_than_the_tile_program_is_refused(changes: dict[str, Any], message: str):
    kernel = beside({}, **changes)
    with pytest.raises(PlanMismatch, match=message):
        check_program_plan(kernel, plan_of(kernel))


def test_the_region_rules_are_those_of_the_region():
    module = planned({})
    kernel = kernel_of(module)
    assert kernel.plan is not None
    check_plan(kernel, kernel.plan.schedule(), kernel_space(kernel))


# --- beside the kernel --------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("fields", "module"), LEGAL, ids=[str(f)[:50] for f, _ in LEGAL])
def test_resources_are_those_of_the_kernel(fields: dict[str, Any], module: ModuleOp):
    """They are the shared memory of the launch and the registers of setmaxnreg; f32 results along columns are not staged."""
    lowered = planned(fields, module)
    kernel = kernel_of(lowered)
    assert kernel.plan is not None
    shape = shape_of(kernel.plan.schedule())
    problem = WarpSpecialized(Request(kernel, ARCHS["sm90"], MACHINES["h100"])).problem
    assert problem is not None
    PassManager("region-to-pto,pto-to-nv").run(lowered)
    launch = next(o for o in lowered.walk() if isinstance(o, nv.LaunchOp))
    staging = staging_bytes(shape, problem) if shape.transposed else 0
    assert launch.shared.value.data == shared_bytes(shape, problem) - staging
    given = [o.registers.value.data for o in lowered.walk() if isinstance(o, nv.SetMaxRegistersOp)]
    copies = any(problem.transposed_copies)
    want = list(consumer_registers(shape.consumers, copies))
    if shape.consumers == 1 or (
        copies and fragment_registers(shape, problem) <= 64
    ):  # the registers that each thread has at launch suffice
        want = []
    assert given == want
