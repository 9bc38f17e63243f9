"""Plans of kernels that add strict floats keep the order of the sums; the others are refused with a reason."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace

import ptir
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.errors import PlanMismatch
from ptir.planning.explain import explaining
from ptir.planning.given import region_hash
from ptir.planning.planner import Planner
from ptir.planning.template import Request
from ptir.runtime.compile import to_regions
from ptir.transforms.plan_regions import plan_region
from ptir.tuning.kernels import isolated

PRODUCT = """func.func @f(%x: tensor<64x{k}x{t}>, %w: tensor<{k}x64x{t}>) -> tensor<64x64xf32> {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x{k}x{t}>, tensor<{k}x64x{t}>) -> tensor<64x64xf32>
  func.return %0 : tensor<64x64xf32>
}}"""
ROWS = """func.func @f(%x: tensor<64x512xf32>) -> tensor<64xf32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<64x512xf32> -> tensor<64xf32>
  func.return %0 : tensor<64xf32>
}"""


def kernel_of(text: str, arch: str = "sm90", strict: bool = True) -> RegionKernelOp:
    attributes = "attributes {ptir.strict_floats} " if strict else ""
    module = ptir.PassManager(to_regions(arch)).run(ptir.parse(f"builtin.module {attributes}{{\n{text}\n}}"))
    (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
    return kernel


def planned(kernel: RegionKernelOp, arch: str = "sm90") -> Schedule:
    plan_region(Request.of(kernel, arch))
    assert kernel.plan is not None
    return kernel.plan.schedule()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("k", "t"), [(50, "f32"), (50, "bf16"), (64, "f64")])
def test_other_products_are_computed_by_a_thread(k: int, t: str):
    text = PRODUCT.format(k=k, t=t).replace("accum f32", f"accum {'f64' if t == 'f64' else 'f32'}")
    assert len(planned(kernel_of(text)).tile) == 2


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            lambda plan: replace(plan, split=2, algo_choice={"matmul": "splitk_serial"}),
            "split is 2, but the sums of strict floats",
        ),
        (
            lambda plan: replace(plan, tile=(*plan.tile[:2], 128), predicate_tail=("k.i.i",)),
            "BK is 128, which does not divide k = 64",
        ),
        (
            lambda plan: replace(plan, roles="cooperative", tile=(64, 64, 32), warp_tile="64x64"),
            "several threads, or tensor cores, would add strict floats",
        ),
    ],
)
def test_plans_that_change_a_sum_are_refused(change: Callable[[Schedule], Schedule], problem: str):
    text = PRODUCT.format(k=64, t="f32")
    kernel = kernel_of(text)
    plan = change(planned(kernel_of(text)))
    with pytest.raises(PlanMismatch, match=problem):
        Planner(Request.of(kernel, "sm90")).check(plan)


def test_plans_of_rows_are_refused_for_sums_only():
    free, strict = kernel_of(ROWS, strict=False), kernel_of(ROWS)
    plan = planned(free)
    assert plan.holds_rows
    planner = Planner(Request.of(strict, "sm90"))
    with pytest.raises(PlanMismatch, match="several threads"):
        planner.check(plan)
    assert planned(kernel_of(ROWS.replace("sum", "max"))).holds_rows


def test_products_of_f32_are_multiplied_by_tiles_and_the_price_is_explained():
    with explaining() as found:
        planned(kernel_of(PRODUCT.format(k=64, t="bf16")))
        plan = planned(kernel_of(PRODUCT.format(k=64, t="f32")))
        planned(kernel_of(PRODUCT.format(k=64, t="f32"), strict=False))
    assert (len(plan.tile), plan.split, plan.warp_specialized) == (3, 1, False)
    slow, equal, free = (e.slower for e in found)
    assert "the order of strict floats takes" in slow
    assert "times the instructions" in slow
    assert "the order of strict floats costs nothing" in equal
    assert "strict" not in free


def test_tuned_plans_are_not_those_of_other_floats():
    text = PRODUCT.format(k=64, t="f32")
    strict, free = kernel_of(text), kernel_of(text, strict=False)
    assert region_hash(isolated(strict)) == region_hash(strict) != region_hash(free)


@pytest.mark.campaign
def test_compiled_programs_are_strict():
    x = np.zeros((1, 64), np.float32)
    x[0, :32:8] = [1, 2**-24, 2**-24, -1]  # in other lanes, which add their results in pairs
    text = ROWS.replace("64x512", "1x64").replace("tensor<64x", "tensor<1x")
    assert ptir.compile(text, strict=True, device=ptir.Emulator())(x)[0] == 0
    assert ptir.compile(text, device=ptir.Emulator())(x)[0] != 0


def test_strict_is_an_argument():
    x = np.float32([[1, 2**-24, 2**-24, -1]])
    text = ROWS.replace("64x512", "1x4").replace("64x", "1x")
    assert ptir.reference(text, x, strict=True)[0] == 0
    with pytest.raises(ptir.PtirError, match="strict"):
        ptir.compile(text, strict="yes")  # pyright: ignore[reportArgumentType]
