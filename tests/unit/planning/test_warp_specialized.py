"""Plans with roles: they are legal for any options, and the fastest by the cost model, which the tests recompute."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.common.syntax import ints
from ptir.dialects.nv import LaunchOp
from ptir.dialects.plan import ScheduleAttr
from ptir.passes.manager import PassManager
from ptir.planning.problem import Problem
from ptir.planning.templates import check_plan
from ptir.planning.warp_specialized.candidates import candidates, fallbacks, ranked
from ptir.planning.warp_specialized.cost import best_order, estimate, traffic
from ptir.planning.warp_specialized.resources import (
    Shape,
    consumer_registers,
    fragment_registers,
    most_stages,
    overflow,
    shared_bytes,
    staged_columns,
)
from ptir.targets.machines import MACHINES, Machine
from ptir.targets.mma import WGMMAS

from ..builders.amount import examples
from .test_multistage import KINDS, gemm, kernel_of, planned, regions

H100, H200 = MACHINES["h100"], MACHINES["h200"]
LIMIT = 232448


def cycles(shape: Shape, problem: Problem, machine: Machine) -> float:
    return estimate(shape, problem, machine).total


class Kind(NamedTuple):
    """An instruction: the bytes of an operand, and the multiply-adds per multiprocessor and clock."""

    mma: str
    bytes: int
    rate: int


WIDE = {
    "bf16": Kind("m64k16", 2, 2048),
    "tf32": Kind("m64k8", 4, 1024),
    "f8": Kind("m64k32_f8", 1, 4096),
    "i8": Kind("m64k32_i8", 1, 4096),
}


def problem(
    m: int, n: int, k: int, kind: str = "bf16", outer: int = 1, layouts: tuple[str, str] = ("ND", "ND"),
    along_m: bool = False, stored: int = 2, operations: int = 0, outputs: int = 1,
) -> Problem:  # fmt: skip
    of = WIDE[kind]
    return Problem(outer, m, n, k, WGMMAS[of.mma], of.bytes, layouts, along_m, stored, operations, outputs)


def best(p: Problem) -> Shape:
    return ranked(p, H200)[0]


# --- never over the limits ----------------------------------------------------------------------

sizes = st.sampled_from([1, 7, 8, 16, 64, 100, 128, 333, 1024, 4096, 16384]) | st.integers(1, 5000)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, str]:
    kind, layout = draw(st.sampled_from(sorted(WIDE))), st.sampled_from(["ND", "DN"])
    return problem(
        draw(sizes), draw(sizes), draw(sizes), kind, draw(st.sampled_from([1, 3, 64])), (draw(layout), draw(layout)),
        draw(st.booleans()), draw(st.sampled_from([1, 2, 4, 8])), draw(st.integers(0, 9)), draw(st.integers(1, 3)),
    ), kind  # fmt: skip


def keeps_the_rules(shape: Shape, p: Problem, kind: str) -> None:
    """Asserts that a shape is legal and fits. Implements the rules independently."""
    (bm, bn, bk), size, (cm, cn) = shape.tile, WIDE[kind].bytes, shape.cluster
    (rows, columns), (high, wide) = ((bn, bm), shape.warp[::-1]) if shape.transposed else ((bm, bn), shape.warp)
    warpgroups = rows // high
    consumers = 2 if shape.roles == "pingpong" else warpgroups
    assert columns == wide and high % 64 == 0 and rows % high == 0 and 1 <= consumers <= 3
    assert warpgroups == 1 or shape.roles == "cooperative"
    assert wide % 8 == 0 and 8 <= wide <= 256 and (kind != "i8" or wide in (8, 24) or wide % 16 == 0)
    assert bk * size % 32 == 0 and bk % WGMMAS[WIDE[kind].mma].k == 0
    for along_k, side, blocks in ((p.layouts[0] == "ND", bm, cn), (p.layouts[1] == "DN", bn, cm)):
        row, others = (bk, side) if along_k or size != 2 else (side, bk)
        assert row * size in (32, 64) or row * size % 128 == 0
        assert others % (8 * blocks) == 0
    rings = sum(math.ceil(side * bk * size * shape.stages / 1024) * 1024 for side in (bm, bn))
    part = max((c for c in range(16, 129, 16) if wide % c == 0 and c * p.stored in (32, 64, 128)), default=0)
    buffers = 2 if part and wide / part % 2 == 0 and p.outputs == 1 else 1
    staging = p.outputs * math.ceil(consumers * buffers * high * part * p.stored / 1024) * 1024
    barriers = 16 * shape.stages + 16 * (shape.roles == "pingpong")
    assert rings + staging + barriers == shared_bytes(shape, p) <= LIMIT
    want = high * wide // 128 * (2 if kind == "f8" else 1)
    copies = size != 2 and (p.layouts[0] == "DN" or p.layouts[1] == "ND")
    producer, consumer = {(1, 0): (24, 240), (2, 0): (24, 240), (3, 0): (24, 160), (1, 1): (104, 240), (2, 1): (104, 200),
                          (3, 1): (104, 136)}[consumers, int(copies)]  # fmt: skip
    assert consumer_registers(consumers, copies) == (producer, consumer)
    assert want == fragment_registers(shape, p) <= consumer - 32
    assert 128 * (1 + consumers) <= 512 and 128 * (producer + consumers * consumer) <= 65536
    m_tiles, n_tiles = math.ceil(p.m / bm), math.ceil(p.n / bn)
    assert not (shape.split > 1 or shape.stream_k) or (m_tiles % cm == 0 and n_tiles % cn == 0)
    assert not shape.stream_k or shape.roles == "cooperative"
    steps = math.ceil(p.k / bk)
    assert math.ceil(steps / shape.split) * (shape.split - 1) < steps and 1 <= shape.split <= 64
    assert not (shape.stream_k and shape.split > 1) and shape.stages >= 2


@settings(max_examples=examples(40))
@given(case=problems())
def test_every_candidate_that_fits_keeps_the_rules(case: tuple[Problem, str]):
    p, kind = case
    shapes = ranked(p, H100)
    assert shapes
    for shape in shapes[:: max(1, len(shapes) // 60)]:
        keeps_the_rules(shape, p, kind)
    found = fallbacks(p, H100)
    assert found[0] == shapes[0]
    held = [fragment_registers(shape, p) for shape in found]
    assert held == sorted(set(held), reverse=True)


@settings(max_examples=examples(20))
@given(case=problems(), stages=st.none() | st.integers(2, 8), split=st.none() | st.integers(1, 64))
def test_what_is_asked_for_is_what_every_step_has(case: tuple[Problem, str], stages: int | None, split: int | None):
    p, kind = case
    for shape in fallbacks(p, H200, stages, split):
        keeps_the_rules(shape, p, kind)
        assert stages in (None, shape.stages) and split in (None, shape.split) and not (split and shape.stream_k)


def test_no_tile_is_larger_than_the_problem_needs():
    for m, n in ((100, 100), (64, 300), (1, 8)):
        shapes = [shape.oriented for shape, _ in candidates(problem(m, n, 512, layouts=("ND", "DN")), H200)]
        assert max(rows for (rows, _), _ in shapes) < max(m, n) + 64
        assert max(columns for _, (_, columns) in shapes) < 2 * max(8, m, n)


def test_what_does_not_fit_says_the_number():
    p = problem(4096, 4096, 4096)
    rejected = {over.problem for _, over in candidates(p, H200) if over is not None}
    assert "the accumulators take 256 registers per consumer thread, but only 176 of 240 are free" in rejected
    deep = Shape((128, 256, 64), (64, 256), 5)
    over = overflow(deep, p, H200.limits)
    assert over is not None and "bytes of shared memory, the limit is 232448" in over.problem
    assert most_stages(deep, p, LIMIT) == 4 and overflow(replace(deep, stages=4), p, H200.limits) is None


@pytest.mark.parametrize(
    ("columns", "size", "want"),
    [(256, 2, 64), (256, 4, 32), (256, 1, 128), (96, 2, 32), (8, 2, 0), (24, 4, 0), (16, 8, 16), (160, 2, 32), (48, 4, 16)],
)  # fmt: skip
def test_a_staged_row_is_as_wide_as_a_swizzled_store(columns: int, size: int, want: int):
    assert staged_columns(columns, size) == want


# --- the choice ---------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [H100, H200], ids=lambda m: m.name)
@pytest.mark.parametrize("size", [4096, 8192])
@pytest.mark.parametrize("stored", [2, 4])
@pytest.mark.parametrize("right", ["ND", "DN"])
def test_a_large_square_gets_the_tile_of_the_best_kernels(machine: object, size: int, stored: int, right: str):
    shape = ranked(problem(size, size, size, layouts=("ND", right), stored=stored), machine)[0]  # pyright: ignore[reportArgumentType]
    assert (shape.tile, shape.warp, shape.roles) == ((128, 256, 64), (64, 256), "cooperative")
    assert shape.consumers == 2 and shape.stages in (3, 4) and shape.cluster == (2, 1)
    assert shape.split == 1 and not shape.stream_k and shape.order == "grouped_16"


def test_a_result_along_m_is_computed_by_columns():
    shape = best(problem(4096, 4096, 4096, along_m=True))
    assert shape.transposed and shape.tile == (256, 128, 64) and shape.warp == (256, 64) and shape.cluster == (1, 2)


@pytest.mark.parametrize("m", [1, 8, 16, 32])
def test_few_rows_are_the_columns_of_wgmma(m: int):
    """64 rows become n, which is rounded up only to the next number of columns of an instruction."""
    shape = best(problem(m, 4096, 4096))
    assert shape.transposed and shape.tile[0] <= max(8, m) and shape.tile[1] % 64 == 0
    few = best(problem(4096, m, 4096, along_m=True))
    assert not few.transposed and few.tile[1] <= max(16, m)


def test_a_long_k_fills_the_machine():
    for m, n, k in ((256, 256, 65536), (128, 128, 16384)):
        shape = best(problem(m, n, k))
        tiles = math.ceil(m / shape.tile[0]) * math.ceil(n / shape.tile[1])
        assert shape.stream_k or 64 <= tiles * shape.split <= 132
    assert best(problem(8192, 8192, 8192)).split == 1
    works = {(min(shape.split, 2), shape.stream_k) for shape, _ in candidates(problem(256, 256, 16384), H200)}
    assert works == {(1, False), (2, False), (1, True)}


def test_a_short_k_takes_turns():
    """The epilogue of a tile is most of the time, and pingpong hides it."""
    assert best(problem(8192, 8192, 128)).roles == "pingpong"
    assert best(problem(8192, 8192, 8192)).roles == "cooperative"


def test_equals_are_told_apart_in_the_same_way():
    p = problem(1000, 1000, 1000)
    assert ranked(p, H200) == ranked(p, H200)
    assert fallbacks(replace(p), H200) == fallbacks(p, H200)


# --- the formula --------------------------------------------------------------------------------

BEST = Shape((128, 256, 64), (64, 256), 4, cluster=(2, 1), order="grouped_16")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", sorted(WIDE))
@settings(max_examples=examples(25))
@given(m=sizes, n=sizes, k=sizes)
def test_no_plan_is_faster_than_the_machine(kind: str, m: int, n: int, k: int):
    p, of = problem(m, n, k, kind), WIDE[kind]
    least = max(m * n * k / of.rate / 132, ((m + n) * k * of.bytes + m * n * 2) / (4800 / 1.83))
    assert all(cycles(shape, p, H200) >= least for shape in fallbacks(p, H200))


def test_a_wave_more_is_as_long_as_a_wave():
    """132 multiprocessors hold 66 clusters of 2 blocks, each of which computes 256 x 256 elements of the result."""
    at = [estimate(BEST, problem(256 * tiles, 256, 4096), H200) for tiles in (1, 66, 67, 132, 133)]
    assert [e.waves for e in at] == [1, 1, 2, 2, 3]
    assert at[1].tensor == at[0].tensor and at[2].tensor == 2 * at[1].tensor
    assert at[2].total > 1.8 * at[1].total and at[3].total < 1.05 * at[2].total


def test_each_part_is_what_it_says():
    """One tile and one step, by hand: 128 x 256 x 64 of bf16."""
    e = estimate(BEST, problem(128 * 132, 256, 64), H200)
    assert e.waves == 1 and e.tensor == 128 * 256 * 64 / 2048
    reads = 2 * (64 + 256) * 64 * 2  # each of two warpgroups reads its rows of A and all of B
    assert e.shared == (reads + (128 + 256) * 64 * 2) / 128
    assert e.l2 == pytest.approx((128 + 256 / 2) * 64 * 2 / (5120 / 132))
    alone = estimate(replace(BEST, cluster=(1, 1)), problem(128 * 132, 256, 64), H200)
    assert alone.l2 == pytest.approx((128 + 256) * 64 * 2 / (5120 / 132))
    other = estimate(replace(BEST, cluster=(1, 2)), problem(128 * 66, 512, 64), H200)
    assert other.l2 == pytest.approx((128 / 2 + 256) * 64 * 2 / (5120 / 132))
    assert e.dram == pytest.approx(((128 * 132 + 256) * 64 * 2 + 128 * 132 * 256 * 2) / (4800 / 1.83))


def test_narrow_instructions_reach_what_was_measured():
    """m64n8k16 and m64n16k16 reach 21 and 38 % of the rate, as they read 64 rows of A for so few columns."""
    for columns, share in ((8, 0.21), (16, 0.38)):
        e = estimate(Shape((64, columns, 64), (64, columns), 4), problem(64 * 132, columns, 4096), H200)
        fill = (64 + columns) * 64 * 2 / 128 * 64
        assert e.tensor / (e.shared - fill) == pytest.approx(share, abs=0.03)


def test_more_of_what_costs_takes_longer():
    p = problem(4096, 4096, 4096)
    time = cycles(BEST, p, H200)
    for worse in (
        replace(BEST, cluster=(1, 1)),  # reads more of L2
        replace(BEST, cluster=(1, 2)),
        replace(BEST, stages=2),  # waits for copies
        Shape((256, 128, 64), (128, 128), 4, cluster=(2, 1), order="grouped_16"),  # reads more shared memory
        Shape((128, 128, 64), (64, 128), 6, cluster=(2, 1), order="grouped_16"),
        Shape((64, 256, 64), (64, 256), 4, cluster=(2, 1), order="grouped_16"),  # one warpgroup alone
        Shape((128, 256, 32), (64, 256), 8, cluster=(2, 1), order="grouped_16"),  # waits more often
        replace(BEST, split=2),  # joins parts
        replace(BEST, stream_k=True),  # multicasts nothing
    ):
        assert cycles(worse, p, H200) > time, worse
    assert cycles(BEST, replace(p, operations=20), H200) > time
    assert cycles(BEST, replace(p, stored=4), H200) > time
    assert cycles(BEST, replace(p, along_m=True), H200) > time
    assert cycles(BEST, p, H100) > time  # has less memory bandwidth
    f8 = estimate(replace(BEST, tile=(128, 256, 128)), problem(4096, 4096, 4096, "f8"), H200)
    assert f8.tensor == estimate(BEST, p, H200).tensor / 2


@settings(max_examples=examples(50))
@given(m=sizes, n=sizes, k=sizes, data=st.data())
def test_a_larger_problem_takes_no_less(m: int, n: int, k: int, data: st.DataObject):
    shape = data.draw(st.sampled_from(ranked(problem(m, n, k), H200)))
    shape = replace(shape, stream_k=False, split=1)
    time = cycles(shape, problem(m, n, k), H200)
    for grown in ((m + shape.tile[0], n, k), (m, n + shape.tile[1], k), (m, n, k + shape.tile[2])):
        assert cycles(shape, problem(*grown), H200) >= time * 0.999


def test_turns_hide_the_epilogue_where_there_is_another_tile():
    p, shape = problem(8192, 8192, 512), Shape((128, 128, 64), (128, 128), 4)
    together, turns = estimate(shape, p, H200), estimate(replace(shape, roles="pingpong"), p, H200)
    assert turns.epilogue == pytest.approx(together.epilogue / together.waves) and turns.total < together.total
    heavy = replace(problem(8192, 8192, 64), operations=99)  # an epilogue that is not overlapped with another tile
    e = estimate(replace(shape, roles="pingpong"), heavy, H200)
    assert e.waves == 32 and e.epilogue > 31 * 128 * 128 * (99 + 2) / 128 - e.waves * 700
    alone = problem(128, 128, 512)
    assert estimate(replace(shape, roles="pingpong"), alone, H200).epilogue == estimate(shape, alone, H200).epilogue


def test_stream_k_leaves_no_wave_incomplete():
    """70 tiles on 66 clusters: two waves, or 70/66 of one, and the reduction."""
    p = problem(256 * 70, 256, 2048)
    waves, stream = estimate(BEST, p, H200), estimate(replace(BEST, stream_k=True), p, H200)
    assert waves.waves == 2 and stream.tensor / waves.tensor == pytest.approx(70 / 66 / 2, rel=0.02)
    # a block writes or reads three sums of a tile at a block's share of L2, and waits there and back
    assert stream.epilogue - waves.epilogue == pytest.approx(3 * 128 * 256 * 4 / (5120 / 132) + 2 * 600)
    long = problem(128, 256, 65536)
    assert cycles(replace(BEST, cluster=(1, 1), stream_k=True), long, H200) < cycles(
        replace(BEST, cluster=(1, 1)), long, H200
    )


def test_the_order_makes_waves_square():
    p = problem(8192, 8192, 8192)
    bytes = {group: traffic(BEST, p, H200, group) for group in (1, 2, 4, 8, 16, 32)}
    assert bytes[16] == min(bytes.values()) < bytes[1]
    assert best_order(BEST, p, H200) == "grouped_16"
    assert best_order(BEST, problem(1024, 1024, 1024), H200) == "row"  # L2 holds it all
    # 66 clusters form 8 x 9 tiles; every wave reads their rows and columns, of 256 each
    assert bytes[16] == (8 + 9) * 256 * 8192 * 2 * (32 * 32 / 66) + 8192 * 8192 * 2
    assert traffic(BEST, problem(512, 512, 512), H200, 1) == 3 * 512 * 512 * 2
    assert traffic(BEST, problem(3072, 3072, 3072, "i8"), H200, 1) == 3072 * 3072 * (1 + 1 + 2)  # 19 MB are found in L2


def test_copies_that_turn_bytes_are_paid_for_and_shared_by_nobody():
    """There is no MN-major wgmma of bytes: B along n is stored along k by the producer's threads."""
    shape = Shape((128, 256, 128), (64, 256), 4, cluster=(2, 1))
    turned, straight = (problem(4096, 4096, 4096, "i8", layouts=("ND", b)) for b in ("ND", "DN"))
    slow, fast = estimate(shape, turned, H200), estimate(shape, straight, H200)
    assert slow.l2 > fast.l2 and slow.total > fast.total
    alone = replace(shape, cluster=(1, 1))
    slow, fast = estimate(alone, turned, H200), estimate(alone, straight, H200)
    assert slow.l2 == fast.l2 and slow.total > fast.total
    f8 = problem(4096, 4096, 4096, "f8", layouts=("ND", "DN"))
    assert cycles(shape, f8, H200) > cycles(shape, straight, H200)  # sums are promoted
    assert cycles(shape, problem(4096, 4096, 4096), H200) == cycles(
        shape, problem(4096, 4096, 4096, layouts=("ND", "DN")), H200
    )


# --- in the pass --------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("sizes", [(70, 40, 96, 1), (512, 256, 1024, 1), (1, 64, 64, 3)], ids=str)
def test_plans_keep_the_rules_of_the_region(kind: str, sizes: tuple[int, int, int, int]):
    m, n, k, batch = sizes
    module = regions(gemm(m, n, k, KINDS[kind], batch))
    PassManager("plan-regions{arch=sm90 machine=h200 roles=true}").run(module)
    kernel = kernel_of(module)
    assert kernel.plan is not None
    plan = kernel.plan.schedule()
    assert plan.warp_specialized == (kind not in ("f64", "f32"))
    check_plan(kernel, plan, kernel_space(kernel))
    PassManager("plan-regions{arch=sm90 machine=h200 roles=true}").run(module)
    PassManager("region-to-pto").run(module)


def test_roles_are_a_wish():
    text = gemm(4096, 4096, 4096)
    assert planned(text, "arch=sm90").warp_specialized
    assert (
        not planned(text, "arch=sm90 roles=false").warp_specialized
        and not planned(text, "arch=sm80 roles=true").warp_specialized
    )
    plan = planned(text, "arch=sm90 roles=true machine=h200")
    assert (plan.tile, plan.roles, plan.cluster, plan.order) == ((128, 256, 64), "cooperative", (2, 1), "grouped_16")
    assert plan.bind == {} and plan.vectorize.width == 8 and plan.epilogue == ("tanh",)
    assert planned(gemm(64, 64, 64, KINDS["f64"]), "arch=sm90 roles=true") == planned(
        gemm(64, 64, 64, KINDS["f64"]), "arch=sm90 roles=false"
    )


def test_retreat_gives_up_registers_then_roles():
    seen = [planned(gemm(512, 512, 512), f"arch=sm90 roles=true fallback={step}") for step in range(6)]
    roles = [plan.warp_specialized for plan in seen]
    assert roles == sorted(roles, reverse=True) and roles[0] and not roles[-1]
    rest = [plan for plan in seen if not plan.warp_specialized]
    assert rest[0] == planned(gemm(512, 512, 512), "arch=sm90 roles=false")


def test_split_and_stages_are_given_to_plans_with_roles_too():
    plan = planned(gemm(512, 512, 2048), "arch=sm90 roles=true stages=3 split=4")
    assert plan.warp_specialized and (plan.stages, plan.split, plan.matmul) == (3, 4, "splitk_parallel")


def test_fp8_has_instructions_with_roles_only():
    x, d = "tensor<256x256xf8E4M3FN>", "tensor<256x256xf32>"
    text = f"""
func.func @f(%x: {x}, %w: {x}) -> {d} {{
  %c = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : ({x}, {x}) -> {d}
  func.return %c : {d}
}}"""
    plan = planned(text, "arch=sm90 roles=true")
    assert plan.warp_specialized and plan.tile[2] % 32 == 0
    assert len(planned(text, "arch=sm90 roles=false").tile) == 2


@pytest.mark.parametrize("count", [2, 5, 132])
def test_persistent_blocks_fill_the_multiprocessors_of_the_plan(count: int):
    module = regions(gemm(1024, 1024, 64))
    PassManager("plan-regions{arch=sm90}").run(module)
    kernel = kernel_of(module)
    assert kernel.plan is not None and kernel.plan.schedule().multiprocessors == 132
    fields = {
        "cluster": (1, 1),
        "multiprocessors": count,
        "tile": (128, 64, 64),
        "warp_tile": "64x64",
        "roles": "cooperative",
    }
    kernel.plan = ScheduleAttr(structs.replace(kernel.plan.schedule(), **fields, algo_choice={}, predicate_tail=()))
    PassManager("region-to-pto,pto-to-nv").run(module)
    (launch,) = [op for op in module.walk() if isinstance(op, LaunchOp)]
    assert ints(launch.grid)[0] == min(count, 128)
