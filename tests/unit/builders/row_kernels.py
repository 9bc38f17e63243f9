"""Kernels of rows with a plan that a test chooses."""

from __future__ import annotations

from functools import cache

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager


@cache
def tiles(source: str, tile: tuple[int, int], warp_tile: str, width: int) -> str:
    """Returns the tile program of the one kernel of `source`, with a row's elements in vectors of `width`."""
    module = PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80}").run(ptir.parse(source))
    (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
    assert kernel.plan is not None
    plan = Schedule(
        arch="sm80",
        tile=tile,
        warp_tile=warp_tile,
        bind={"m.o": "block.x", "n.o": "block.y"},
        vectorize=Vectorize(axis="n.i.i", width=width),  # pyright: ignore[reportArgumentType]
        predicate_tail=("m.i.i", "n.i.i"),
        epilogue=kernel.plan.schedule().epilogue,
    )
    kernel.plan = ScheduleAttr(plan)
    return str(PassManager("region-to-pto").run(module))
