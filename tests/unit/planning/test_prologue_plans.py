"""Warp-specialized plans of contractions with a computed operand: the orientation, the rings of its sources, and why there is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ptir
from ptir.dialects import nv
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.explain import explaining
from ptir.planning.template import Request
from ptir.planning.templates import check_plan
from ptir.planning.warp_specialized import WarpSpecialized
from ptir.planning.warp_specialized.candidates import candidates
from ptir.planning.warp_specialized.resources import Shape, fragment_registers, shape_of, shared_bytes
from ptir.runtime.compile import TO_REGIONS
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import MACHINES

from ..builders.prologue_programs import text

SIZES = (200, 256, 136)


def template(name: str, src: str = "i8") -> WarpSpecialized:
    module = PassManager(TO_REGIONS).run(ptir.parse(text(name, *SIZES, src)))
    kernels = [op for op in module.ops if isinstance(op, RegionKernelOp)]
    found = (WarpSpecialized(Request(kernel, ARCHS["sm90"], MACHINES["h100"])) for kernel in kernels)
    return next(t for t in found if t.matches)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "transposed"),
    [("cast of a", False), ("two sources", False), ("norm", False), ("by column", True), ("tf32", True)],
)
def test_the_computed_operand_is_a(name: str, transposed: bool):
    t = template(name)
    for plan in t.ranked():
        assert plan.transposed == transposed
        check_plan(t.request.kernel, plan, t.space)


@pytest.mark.parametrize(
    ("name", "src", "bytes_"),
    [
        ("by column", "i8", (2, 1)),
        ("by column", "f32", (2, 4)),
        ("cast of a", "i8", (1, 2)),
        ("two sources", "i8", (4, 2)),
        ("tf32", "i8", (4, 2)),
    ],
)
def test_rings_hold_the_sources(name: str, src: str, bytes_: tuple[int, int]):
    """Each ring begins at a multiple of its swizzle's period, so that the planner's sum may exceed the kernel's by less than that."""
    t = template(name, src)
    problem, plan = t.known, t.ranked()[0]
    assert problem.source_bytes == bytes_
    bm, bn, bk = plan.tile
    shape = replace(shape_of(plan), stages=2)
    deeper = replace(shape, stages=4)
    of_a, of_b = bytes_
    assert shared_bytes(deeper, problem) - shared_bytes(shape, problem) == 2 * ((bm * of_a + bn * of_b) * bk + 16)
    lowered = PassManager("plan-regions{arch=sm90},region-to-pto,pto-to-nv").run(
        PassManager(TO_REGIONS).run(ptir.parse(text(name, *SIZES, src)))
    )
    (launch,) = [o for o in lowered.walk() if isinstance(o, nv.LaunchOp)]
    rings = [nv.smem(o.result) for o in lowered.walk() if isinstance(o, nv.SmemOp)]
    assert sum(r.bytes for r in rings) <= launch.shared.value.data <= ARCHS["sm90"].shared_per_block


def test_a_computed_operand_takes_registers():
    computed, stored = template("by column").known, replace(template("by column").known, prologue=(0, 0))
    shape = Shape((64, 128, 64), (64, 128), 2, transposed=True)
    accumulators = 64 * 128 // 128
    assert fragment_registers(shape, stored) == accumulators
    assert (
        fragment_registers(shape, computed) == accumulators + 2 * 2 * 8 * (2 + 1) // 4
    )  # two blocks of 64 rows, two sets


def test_rows_of_sources_are_swizzled():
    """A tile whose rows of bytes have less than 32 bytes is no candidate, though its rows of bf16 would be long enough."""
    p, machine = template("cast of a").known, MACHINES["h100"]
    assert {shape.tile[2] for shape, _ in candidates(p, machine)} == {64, 32}
    assert not list(candidates(replace(p, k=16), machine))


@pytest.mark.parametrize(
    ("name", "k", "note"),
    [
        ("not zero at zero", 256, "both operands are computed"),
        ("cast of a", 16, "its rows in shared memory have 32 bytes or more"),
        ("f32", 256, ""),
        ("by column", 256, ""),
    ],
)
def test_why_a_kernel_is_not_warp_specialized(name: str, k: int, note: str):
    with explaining() as found:
        PassManager(f"{TO_REGIONS},plan-regions{{arch=sm90}}").run(ptir.parse(text(name, 200, k, 136)))
    assert note in found[-1].slower and bool(note) == bool(found[-1].slower)
    assert found[-1].considered
