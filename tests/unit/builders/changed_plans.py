"""Programs whose kernels have the plans that the planner chooses, of which some fields are replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.template import Request
from ptir.runtime.compile import Program, compile_module, to_regions
from ptir.transforms.plan_regions import plan_region


def compiled(source: str, arch: str, changes: Mapping[str, Any], attention: str | None = None) -> Program:
    """
    Compiles a program; plans with roles have these `changes`, and `attention` is the algorithm of attention. Blocks of few multiprocessors
    have several tiles, and a small ring is filled again. Kernels may spill registers.
    """
    module = PassManager(to_regions(arch)).run(ptir.parse(source))
    for kernel in module.body.block.ops:
        if not isinstance(kernel, RegionKernelOp):
            continue
        plan_region(Request.of(kernel, arch, attention=attention))
        assert kernel.plan is not None
        plan = kernel.plan.schedule()
        if plan.warp_specialized:
            kernel.plan = ScheduleAttr(replace(plan, **changes))
    return compile_module(module, arch, allow_spills=True)
