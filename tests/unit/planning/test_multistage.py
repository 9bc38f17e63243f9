"""`plan-regions` chooses a legal plan that fits, for every element type, shape and machine."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects import nv, pto, region
from ptir.dialects.common.syntax import ints
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.errors import InvalidAttributeValue, NoPlanFits, PlanMismatch, PlanMissing
from ptir.passes.environment import make_context
from ptir.passes.errors import BadOptionValue
from ptir.passes.manager import PassManager
from ptir.planning.cost import splitk_reduction
from ptir.planning.multistage.candidates import fallbacks, unrolled_steps
from ptir.planning.multistage.cost import estimate
from ptir.planning.multistage.resources import Shape, fragment_registers, grid_of, overflow, shared_bytes
from ptir.planning.problem import Problem
from ptir.planning.rules import tile_counts
from ptir.planning.templates import check_plan
from ptir.targets.architectures import ARCHS, Arch
from ptir.targets.machines import Machine, machine_of
from ptir.targets.mma import MMAS
from ptir.text.parsing import parse_text
from ptir.transforms.plan_regions import PlanRegions

from ..builders.amount import examples


def cycles(shape: Shape, problem: Problem, machine: Machine) -> float:
    return estimate(shape, problem, machine).total


class Kind(NamedTuple):
    """An element type: its spelling, bytes of an operand and of a sum, m, n and k of the instruction, and the
    registers that a lane needs for a step's A (16 rows) and B (8 columns)."""

    operand: str
    accum: str
    precision: str
    mma: str
    bytes: int
    sum_bytes: int
    sizes: tuple[int, int, int]
    a: float
    b: float


KINDS = {
    "bf16": Kind("bf16", "f32", "", "m16n8k16", 2, 4, (16, 8, 16), 4, 2),
    "f16": Kind("f16", "f32", "", "m16n8k16", 2, 4, (16, 8, 16), 4, 2),
    "tf32": Kind("f32", "f32", " precision tf32", "m16n8k8", 4, 4, (16, 8, 8), 4, 2),
    "i8": Kind("i8", "i32", "", "m16n8k32", 1, 4, (16, 8, 32), 4, 2),
    "f64": Kind("f64", "f64", "", "m8n8k4", 8, 8, (8, 8, 4), 4, 2),
    "f32": Kind("f32", "f32", "", "fma", 4, 4, (16, 8, 4), 8, 8),
}
LIMITS = {"sm80": 166912, "sm86": 101376, "sm89": 101376, "sm90": 232448}


def gemm(m: int, n: int, k: int, kind: Kind = KINDS["bf16"], batch: int = 1) -> str:
    """Returns the program tanh(x · w); for integers, x · w."""
    b, dims = (f"{batch}x", "batch [0] x [0] contract [2] x [1]") if batch > 1 else ("", "contract [1] x [0]")
    x, w, c = f"{b}{m}x{k}x{kind.operand}", f"{b}{k}x{n}x{kind.operand}", f"{b}{m}x{n}x{kind.accum}"
    after = f"%d = ptir.tanh %c : tensor<{c}>\n" if kind.accum != "i32" else ""
    return f"""
func.func @f(%x: tensor<{x}>, %w: tensor<{w}>) -> tensor<{c}> {{
  %c = ptir.dot_general %x, %w {dims} accum {kind.accum} out {kind.accum}{kind.precision} : (tensor<{x}>, tensor<{w}>) -> tensor<{c}>
  {after}func.return {"%d" if after else "%c"} : tensor<{c}>
}}"""


def kernel_of(module: ModuleOp) -> region.RegionKernelOp:
    return next(o for o in module.ops if isinstance(o, region.RegionKernelOp))


def regions(text: str) -> ModuleOp:
    return PassManager("ptir-to-tiny,form-regions").run(parse_text(text, make_context()))


def planned(text: str, options: str = "arch=sm80") -> Schedule:
    attribute = kernel_of(PassManager(f"plan-regions{{{options}}}").run(regions(text))).plan
    assert attribute is not None
    return attribute.schedule()


GOOD: dict[str, Any] = {
    "arch": "sm80",
    "tile": [128, 64, 32],
    "stages": 3,
    "warp_tile": "64x32",
    "cache": [{"tensor": "A"}, {"tensor": "B"}],
    "vectorize": {"axis": "n.i.i", "width": 8},
    "epilogue": ["tanh"],
}


def replanned(fields: dict[str, Any], text: str = gemm(128, 64, 64), options: str = "arch=sm80") -> ModuleOp:
    """Returns a kernel after `plan-regions`, which had this plan before."""
    module = regions(text)
    merged = {k: v for k, v in (GOOD | fields).items() if v is not None}
    kernel_of(module).plan = ScheduleAttr(msgspec.convert(merged, Schedule))
    return PassManager(f"plan-regions{{{options}}}").run(module)


# --- every plan keeps the rules and fits --------------------------------------------------------


def shared_of(tile: tuple[int, int, int], stages: int, size: int) -> int:
    """Returns the size of both operands' rings, each rounded up to 128 bytes."""
    return sum(math.ceil(rows * tile[2] * size * stages / 128) * 128 for rows in tile[:2])


def registers_of(shape: Shape, kind: Kind) -> float:
    """Returns the registers of a lane for accumulators and fragments."""
    rows, columns = shape.warp[::-1] if shape.transposed else shape.warp
    return rows * columns * kind.sum_bytes / 128 + shape.buffers * (rows / 16 * kind.a + columns / 8 * kind.b)


def keeps_the_rules(shape: Shape, problem: Problem, kind: Kind, arch: Arch) -> None:
    (bm, bn, bk), (wm, wn) = shape.tile, shape.warp
    rows, columns = (wn, wm) if shape.transposed else (wm, wn)
    m, n, k = kind.sizes
    assert bm % wm == bn % wn == rows % m == columns % n == bk % k == 0
    assert shape.buffers == 1 or bk % (2 * k) == 0
    a, b = problem.layouts
    for row in (bk if a == "ND" else bm, bn if b == "ND" else bk):
        assert row * kind.bytes >= 16 and math.log2(row).is_integer()
    assert shared_of(shape.tile, shape.stages, kind.bytes) <= LIMITS[arch.name]
    threads = bm // wm * (bn // wn) * 32
    assert threads <= 1024 and registers_of(shape, kind) <= 255 and registers_of(shape, kind) * threads <= 65536
    steps = math.ceil(problem.k / bk)
    each = math.ceil(steps / shape.split)
    assert 1 <= shape.split <= 64 and each * (shape.split - 1) < steps


sizes = st.sampled_from([1, 2, 7, 8, 9, 16, 17, 64, 100, 128, 333, 1024, 4096, 100_000]) | st.integers(1, 5000)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, Kind]:
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    layouts = draw(st.sampled_from(["ND", "DN"])), draw(st.sampled_from(["ND", "DN"]))
    outer = draw(st.sampled_from([1, 3, 64]))
    return Problem(outer, draw(sizes), draw(sizes), draw(sizes), MMAS[kind.mma], kind.bytes, layouts), kind


@settings(max_examples=examples(60))
@given(case=problems(), arch=st.sampled_from(sorted(ARCHS)))
def test_every_step_of_every_ladder_keeps_the_rules(case: tuple[Problem, Kind], arch: str):
    problem, kind = case
    shapes = fallbacks(problem, machine_of(arch))
    assert shapes and len(set(shapes)) == len(shapes)
    for shape in shapes:
        keeps_the_rules(shape, problem, kind, ARCHS[arch])
        parts = math.ceil(math.ceil(problem.k / shape.tile[2]) / shape.split)
        assert shape.split == 1 or parts >= 2 * shape.stages
        assert fragment_registers(shape, problem) == math.ceil(registers_of(shape, kind))
        assert shared_bytes(shape, problem) == shared_of(shape.tile, shape.stages, kind.bytes)


@settings(max_examples=examples(30))
@given(case=problems(), stages=st.none() | st.integers(2, 8), split=st.none() | st.integers(1, 64))
def test_what_is_asked_for_is_what_every_step_has(case: tuple[Problem, Kind], stages: int | None, split: int | None):
    problem, kind = case
    shapes = fallbacks(problem, machine_of("sm86"), stages, split)
    assert all(s.stages == stages for s in shapes if stages) and all(s.split == split for s in shapes if split)
    for shape in shapes:
        keeps_the_rules(shape, problem, kind, ARCHS["sm86"])
    if not split:
        assert shapes


WHOLE = [
    (1, 2, 1, 1),
    (1, 768, 3072, 1),
    (150, 70, 130, 1),
    (128, 128, 128, 1),
    (333, 65, 1027, 1),
    (4, 512, 4096, 1),
    (512, 8, 300, 1),
    (40, 24, 64, 3),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("sizes", WHOLE, ids=lambda s: "x".join(map(str, s)))
def test_plans_lower_to_tile_programs(kind: str, sizes: tuple[int, int, int, int]):
    arch = sorted(ARCHS)[sum(sizes) % 4]
    m, n, k, batch = sizes
    module = regions(gemm(m, n, k, KINDS[kind], batch))
    PassManager(f"plan-regions{{arch={arch}}}").run(module)
    kernel = kernel_of(module)
    assert kernel.plan is not None
    plan = kernel.plan.schedule()
    check_plan(kernel, plan, kernel_space(kernel))
    rest = {"m.i.i": m % plan.tile[0], "n.i.i": n % plan.tile[1], "k.i.i": k % plan.tile[2]}
    assert set(plan.predicate_tail) == {axis for axis, left in rest.items() if left}
    again = PassManager(f"plan-regions{{arch={arch}}}").run(module)
    assert kernel_of(again).plan == kernel.plan
    PassManager("region-to-pto").run(module)
    tiles = next(o for o in module.walk() if isinstance(o, pto.TilesOp))
    assert tiles.counts[-2:] == (math.ceil(m / plan.tile[0]), math.ceil(n / plan.tile[1]))


# --- what is chosen -----------------------------------------------------------------------------


def best(m: int, n: int, k: int, kind: str = "bf16", arch: str = "sm80", outer: int = 1) -> Shape:
    of = KINDS[kind]
    return fallbacks(Problem(outer, m, n, k, MMAS[of.mma], of.bytes, ("ND", "ND")), machine_of(arch))[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_a_large_problem_reuses_what_it_loads(kind: str, arch: str):
    shape = best(8192, 8192, 8192, kind, arch)
    assert shape.tile[0] * shape.tile[1] >= 64 * 128 and shape.shares in (4, 8) and shape.split == 1
    assert 3 <= shape.stages <= 5 and shape.buffers == (2 if kind in ("bf16", "f16", "f32") else 1)
    assert 64 <= shape.tile[2] * KINDS[kind].bytes <= 128


def test_small_problems_get_small_tiles():
    assert best(16, 16, 64).tile[:2] in ((16, 16), (16, 8))
    assert best(1, 1, 1).tile == (16, 8, 16)
    assert best(64, 64, 8, "f64").tile[2] == 8  # no longer than k


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_skinny_problem_gets_a_skinny_tile_with_warps_along_the_other_axis(kind: str):
    wide, tall = best(16, 4096, 4096, kind), best(4096, 16, 4096, kind)
    assert wide.tile[0] == wide.warp[0] == 16 and wide.tile[1] >= 32
    assert tall.tile[1] == tall.warp[1] == 16 and tall.tile[0] >= 32
    assert best(4096, 8, 4096, kind).tile[1] == max(8, 16 // KINDS[kind].bytes)  # for i8, a row of B is a 16-byte chunk


def test_a_very_skinny_one_lies_along_the_shorter_side_of_the_instruction():
    """f32 without tensor cores pays for every row that it does not need."""
    shape = best(1, 4096, 4096, "f32")
    assert shape.transposed and shape.tile[0] == 8
    assert not best(16, 4096, 4096, "f32").transposed
    assert best(1, 4096, 4096, "f64").tile[0] == 8 and not best(1, 4096, 4096, "f64").transposed


def test_a_result_stored_by_columns_is_computed_by_columns():
    by_rows = gemm(512, 384, 256)
    d = "tensor<512x384xf32>"
    by_columns = by_rows.replace(
        f"func.return %d : {d}",
        f"%e = ptir.transpose %d [1, 0] : {d} -> tensor<384x512xf32>\nfunc.return %e : tensor<384x512xf32>",
    ).replace(f"-> {d} {{", "-> tensor<384x512xf32> {")
    for text, stride, axis in ((by_rows, "row", "n.i.i"), (by_columns, "col", "m.i.i")):
        plan = planned(text)
        assert (plan.layout_hints["C_stride"], plan.vectorize.axis) == (stride, axis)
    p, arch = problem(512, 384, 256), machine_of("sm80")
    shapes = [Shape((64, 64, 64), (32, 32), 3, transposed=transposed) for transposed in (False, True)]
    assert cycles(shapes[0], p, arch) < cycles(shapes[1], p, arch)
    assert cycles(shapes[0], replace(p, along_m=True), arch) > cycles(shapes[1], replace(p, along_m=True), arch)


def test_a_long_k_is_split_where_tiles_leave_multiprocessors_idle():
    shape = best(128, 128, 8192)
    tiles = math.ceil(128 / shape.tile[0]) * math.ceil(128 / shape.tile[1])
    assert shape.split > 1 and 54 < tiles * shape.split <= 108
    steps = math.ceil(8192 / shape.tile[2])
    assert math.ceil(steps / shape.split) >= 2 * shape.stages
    assert best(128, 128, 128).split == 1  # too short
    for k in (1024, 2048, 4096):
        short = best(16, 16, k)
        assert math.ceil(math.ceil(k / short.tile[2]) / short.split) >= 2 * short.stages
    assert best(4096, 4096, 65536).split == 1  # there are enough tiles
    assert best(128, 128, 8192, outer=108).split == 1


def test_a_long_loop_has_a_step_for_each_slot():
    """Copies must move by as much from each step to the next, and the loop must be long enough to be worth the compiler's time."""
    p, shape = problem(4096, 4096, 4096), Shape((128, 256, 64), (64, 64), 3, buffers=2)
    assert unrolled_steps(shape, p) == planned(gemm(4096, 4096, 4096)).unroll["k.o"] == 3
    assert unrolled_steps(replace(shape, split=2), p) == 3
    shorter = [replace(p, k=k) for k in (64 * 23, 4096 + 8)]
    assert [unrolled_steps(shape, x) for x in (*shorter, replace(p, run=576), replace(p, prologue=(0, 1)))] == [1] * 4
    assert unrolled_steps(replace(shape, split=3), p) == unrolled_steps(replace(shape, buffers=1), p) == 1


def problem(m: int = 128, n: int = 128, k: int = 8192) -> Problem:
    return Problem(1, m, n, k, MMAS["m16n8k16"], 2, ("ND", "ND"))


@pytest.mark.parametrize("tile", [(16, 64, 64), (64, 64, 64), (128, 256, 64)])
def test_two_parts_are_joined_one_after_the_other_and_more_all_at_once(tile: tuple[int, int, int]):
    ways = [
        splitk_reduction(Shape(tile, (16, 16), 3, split), problem(), machine_of("sm80"))[0]
        for split in (1, 2, 3, 4, 64)
    ]
    assert ways == ["implicit_gemm", "splitk_serial", *["splitk_parallel"] * 3]
    costs = [
        splitk_reduction(Shape(tile, (16, 16), 3, split), problem(), machine_of("sm80"))[1] for split in range(1, 65)
    ]
    assert costs == sorted(costs) and costs[0] == 0


def test_the_reduction_is_paid_for():
    """Two parts of a k that is twice as long take as long as one part of k, plus the reduction."""
    arch = machine_of("sm80")
    one, two = (Shape((64, 64, 64), (32, 32), 3, split) for split in (1, 2))
    extra = cycles(two, problem(64, 64, 8192), arch) - cycles(one, problem(64, 64, 4096), arch)
    assert extra >= splitk_reduction(two, problem(), arch)[1] > 0


def test_short_steps_make_the_parts_that_are_asked_for():
    assert {shape.tile[2] for shape in fallbacks(problem(16, 16, 100), machine_of("sm80"), split=7)} == {16}


def test_bytes_along_m_fill_a_chunk():
    p = Problem(1, 4, 4096, 4096, MMAS["m16n8k32"], 1, ("DN", "DN"))
    assert min(shape.tile[0] for shape in fallbacks(p, machine_of("sm80"))) == 16


def test_the_plan_says_how_it_splits():
    for options, split, matmul in (
        ("", 1, "implicit_gemm"),
        (" split=2", 2, "splitk_serial"),
        (" split=4", 4, "splitk_parallel"),
    ):
        plan = planned(gemm(64, 64, 512), "arch=sm80" + options)
        assert (plan.split, plan.algo_choice) == (split, {"matmul": matmul})


# --- the estimate -------------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("arch", sorted(ARCHS))
def test_no_plan_is_faster_than_the_machine(kind: str, arch: str):
    of, machine = KINDS[kind], machine_of(arch)
    for m, n, k in ((4096, 4096, 4096), (16, 4096, 4096), (333, 65, 1027)):
        p = Problem(1, m, n, k, MMAS[of.mma], of.bytes, ("ND", "ND"))
        multiply = m * n * k / machine.rate(MMAS[of.mma]) / machine.multiprocessors
        bring = (m * k + k * n) * of.bytes / machine.dram_share / machine.multiprocessors
        assert all(cycles(shape, p, machine) >= max(multiply, bring) for shape in fallbacks(p, machine))


def test_more_of_what_costs_takes_longer():
    p, arch = problem(4096, 4096, 4096), machine_of("sm80")
    good = Shape((128, 128, 64), (64, 64), 3, 1, buffers=2)
    time = cycles(good, p, arch)
    for worse in (
        Shape((32, 32, 64), (16, 16), 3, 1, buffers=2),  # loads more
        Shape((128, 128, 64), (32, 32), 3, 1, buffers=2),  # reads more fragments
        Shape((128, 128, 64), (64, 64), 3, 1, buffers=1),  # waits for them
        Shape((128, 128, 64), (64, 64), 3, 8, buffers=2),  # joins parts
    ):
        assert cycles(worse, p, arch) > time, worse
    alone = [cycles(Shape((32, 32, 64), (16, 16), depth, 1, buffers=2), problem(), arch) for depth in (2, 3, 4, 5)]
    assert alone == sorted(alone, reverse=True) and alone[0] > 2 * alone[-1]  # waits for memory
    dn = Problem(1, 4096, 4096, 4096, MMAS["m16n8k16"], 2, ("ND", "DN"))
    narrow = Shape((64, 8, 64), (16, 8), 3)
    assert cycles(narrow, p, arch) > cycles(narrow, dn, arch)  # 16-byte rows waste parts of cache lines


# --- the fallbacks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_retreat_gives_up_a_buffer_then_stages_then_registers(kind: str):
    of = KINDS[kind]
    p = Problem(1, 512, 512, 512, MMAS[of.mma], of.bytes, ("ND", "DN"))
    first, single, *rest = fallbacks(p, machine_of("sm80"))
    assert first.buffers == 2 and single == replace(first, buffers=1)
    depths = [replace(single, stages=depth) for depth in range(first.stages - 1, 1, -1)]
    assert rest[: len(depths)] == depths
    used = [fragment_registers(shape, p) for shape in (first, single, *rest[len(depths) :])]
    assert used == sorted(set(used), reverse=True) and len(used) >= 4
    times = [cycles(shape, p, machine_of("sm80")) for shape in (first, single, *rest) if shape.stages > 2]
    assert times[0] == min(times)


def test_bytes_that_lanes_gather_are_not_double_buffered():
    """There is no ldmatrix.trans for bytes: fragments of an operand along m or n are assembled byte by byte, in many registers."""
    for layouts, buffers in ((("ND", "DN"), 2), (("ND", "ND"), 1), (("DN", "DN"), 1)):
        p = Problem(1, 1024, 1024, 1024, MMAS["m16n8k32"], 1, layouts)
        assert {shape.buffers for shape in fallbacks(p, machine_of("sm80"))} == set(range(1, buffers + 1))


def test_retreat_ends():
    seen: list[Schedule] = []
    with pytest.raises(NoPlanFits, match=r"no plan of @f_0 fits sm80: all \d+ plans were tried"):
        for step in range(1000):
            seen.append(planned(gemm(512, 512, 512), f"arch=sm80 fallback={step}"))
    assert 5 < len(seen) == len(set(map(str, seen))) < 30


@pytest.mark.campaign
def test_an_end_that_a_limit_makes_says_its_number():
    with pytest.raises(
        NoPlanFits,
        match="the 7 steps of BK = 16 along k cannot be divided into 8 equal parts",
    ):
        planned(gemm(16, 16, 100), "arch=sm80 split=8")
    with pytest.raises(NoPlanFits, match=r"with tile .* its grid has \d+ blocks along y, the limit is 65535"):
        planned(gemm(65537 * 256, 65537 * 256, 1))


@pytest.mark.parametrize(
    ("options", "name"), [("fallback=-1", "fallback"), ("stages=1", "stages"), ("stages=9", "stages"), ("split=0", "split"), ("split=65", "split")]
)  # fmt: skip
def test_options_have_limits(options: str, name: str):
    with pytest.raises(BadOptionValue, match=f"option '{name}' of 'plan-regions' is") as failure:
        planned(gemm(16, 16, 16), f"arch=sm80 {options}")
    assert failure.value.span.text == options and failure.value.help
    value = int(options.partition("=")[2])
    with pytest.raises(InvalidAttributeValue, match=f"'{name}' is {value}"):
        PlanRegions(**{name: value})


def test_an_unknown_machine_is_refused():
    with pytest.raises(
        BadOptionValue, match="'arch' of 'plan-regions' is 'sm70'\n  help: one of sm80, sm86, sm89, sm90"
    ):
        planned(gemm(16, 16, 16), "arch=sm70")


# --- plans by hand ------------------------------------------------------------------------------


def test_a_plan_that_stands_there_is_kept():
    module = replanned({"tile": [64, 64, 32], "warp_tile": "32x32"})
    attribute = kernel_of(module).plan
    assert attribute is not None and attribute.schedule().tile == (64, 64, 32)


def test_a_plan_for_another_machine_is_refused():
    with pytest.raises(PlanMismatch, match="the plan of @f_0 does not fit it: it is for sm90"):
        replanned({"arch": "sm90"})


F64 = gemm(128, 64, 64, KINDS["f64"])
OVERFLOWS: list[tuple[dict[str, Any], str, str]] = [
    (
        {"tile": [128, 128, 128], "warp_tile": "64x64", "stages": 4, "predicate_tail": ["n.i.i", "k.i.i"]},
        gemm(128, 64, 64),
        "its ring takes 262144 bytes of shared memory, the limit is 166912",
    ),
    (
        {"tile": [128, 64, 64], "warp_tile": "32x32", "stages": 2},
        F64,
        "its ring takes 196608 bytes of shared memory, the limit is 166912",
    ),
    (
        {"tile": [128, 128, 32], "warp_tile": "128x128", "predicate_tail": ["n.i.i"]},
        gemm(128, 64, 64),
        "its accumulators and fragments take 576 registers a thread, the limit is 255",
    ),
    ({"tile": [64, 64, 16], "warp_tile": "64x64"}, F64, "take 288 registers a thread, the limit is 255"),
    (
        {"tile": [256, 256, 32], "warp_tile": "64x32", "predicate_tail": ["m.i.i", "n.i.i"]},
        gemm(128, 64, 64),
        "its 1024 threads take 88 registers each, a multiprocessor has 65536",
    ),
    (
        {"tile": [16, 16, 16], "warp_tile": "16x16"},
        gemm(2**21, 16, 16),
        "its grid has 131072 blocks along y, the limit is 65535",
    ),
]


@pytest.mark.parametrize(("fields", "text", "message"), OVERFLOWS, ids=[o[2][:40] for o in OVERFLOWS])
def test_a_plan_that_the_machine_cannot_hold_is_refused_with_the_number(
    fields: dict[str, Any], text: str, message: str
):
    with pytest.raises(NoPlanFits, match=message) as failure:
        replanned(fields, text)
    assert failure.value.help


def test_double_buffers_count_twice():
    edges = [{"from": x, "to": "sum", "depth": 2} for x in "AB"]
    with pytest.raises(NoPlanFits, match="its accumulators and fragments take 320 registers a thread"):
        replanned(
            {"tile": [128, 64, 32], "warp_tile": "128x32", "local_edges": edges, "predicate_tail": []},
            gemm(128, 64, 64, KINDS["f32"]),
        )
    replanned({"tile": [128, 64, 32], "warp_tile": "64x32", "local_edges": edges})


@pytest.mark.parametrize(
    ("m", "n", "k", "batch", "split"), [(70, 40, 64, 1, 1), (70, 40, 64, 3, 2), (16, 8, 64, 40_000, 2)]
)
def test_the_grid_is_that_of_the_launch(m: int, n: int, k: int, batch: int, split: int):
    module = regions(gemm(m, n, k, batch=batch))
    PassManager(f"plan-regions{{arch=sm80 split={split}}}").run(module)
    kernel = kernel_of(module)
    assert kernel.plan is not None
    plan = kernel.plan.schedule()
    grid = grid_of(plan, tile_counts(plan, kernel_space(kernel)), plan.split)
    PassManager("region-to-pto,pto-to-nv").run(module)
    launch = next(o for o in module.walk() if isinstance(o, nv.LaunchOp))
    assert grid == tuple(ints(launch.grid))
    assert (grid[2] == 1) == (batch * split in (1, 80_000))  # z counts to 65535


def test_tall_grids_run_over_x():
    assert planned(gemm(2**25, 16, 16)).bind["m.o"] == "block.x"
    assert planned(gemm(2**10, 16, 16)).bind["m.o"] == "block.y"
    bind = {"m.o": "block.x", "n.o": "block.y"}
    replanned({"tile": [16, 16, 16], "warp_tile": "16x16", "bind": bind}, gemm(2**21, 16, 16))


@pytest.mark.parametrize(
    ("tile", "stages", "size", "want"),
    [((128, 64, 64), 3, 2, 73728), ((8, 8, 8), 3, 1, 512), ((16, 8, 4), 5, 8, 2560 + 1280), ((8, 24, 12), 3, 2, 640 + 1792)],
)  # fmt: skip
def test_each_ring_takes_whole_units_of_shared_memory(tile: tuple[int, int, int], stages: int, size: int, want: int):
    p = Problem(1, 8, 8, 8, MMAS["m16n8k16"], size, ("ND", "ND"))
    assert shared_bytes(Shape(tile, (8, 8), stages), p) == want


def test_overflow_allows_for_what_the_planner_sets_aside():
    p, arch = problem(), ARCHS["sm80"]
    shape = Shape((128, 128, 64), (64, 64), 3, 1, buffers=2)
    held = fragment_registers(shape, p)
    assert held == 192 and overflow(shape, p, arch) is None
    assert overflow(shape, p, arch, 63) is None
    over = overflow(shape, p, arch, 64)
    assert over is not None and "256 registers" in over.problem


def test_region_to_pto_wants_a_plan():
    with pytest.raises(PlanMissing, match="@f_0 has no plan"):
        PassManager("region-to-pto").run(regions(gemm(16, 16, 16)))


def test_planning_reads_the_region_only():
    """Printed and parsed again, a region gets the same plan."""
    module = regions(gemm(150, 70, 130))
    again = ptir.parse(str(module))
    for m in (module, again):
        PassManager("plan-regions{arch=sm80}").run(m)
    assert kernel_of(module).plan == kernel_of(again).plan
