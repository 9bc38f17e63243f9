"""Pins plans for benchmarks, and returns the planner's predictions."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.planning.template import Request
from ptir.planning.templates import template_of
from ptir.planning.warp_specialized import WarpSpecialized
from ptir.planning.warp_specialized.resources import Shape
from ptir.runtime.compile import to_regions
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import Machine, machine_of


def regions(text: str, arch: str = "sm80") -> ModuleOp:
    """Returns a program as regions without plans, for an architecture."""
    return ptir.PassManager(to_regions(arch)).run(ptir.parse(text))


def kernels(module: ModuleOp) -> list[RegionKernelOp]:
    return [op for op in module.walk() if isinstance(op, RegionKernelOp)]


def pin(module: ModuleOp, plan: Schedule) -> ModuleOp:
    """Gives every region of `module` the plan."""
    for kernel in kernels(module):
        kernel.plan = ScheduleAttr(plan)
    return module


def request(module: ModuleOp, arch: str, machine: Machine | None = None) -> Request:
    """Returns a request for a plan of the only kernel of `module`; the plan may have roles if the architecture has wgmma."""
    (kernel,) = kernels(module)
    return Request(kernel, ARCHS[arch], machine or machine_of(arch), roles=ARCHS[arch].has_wgmma)


def with_roles(module: ModuleOp, shape: Shape) -> ModuleOp:
    """Gives the only kernel of `module` a warp-specialized plan of this shape."""
    return pin(module, WarpSpecialized(request(module, "sm90")).plan(shape))


def planned(text: str, arch: str, machine: Machine | None = None, *, roles: bool = True) -> ModuleOp:
    """Returns a program as regions with the planner's plans, which have roles if the architecture supports them and `roles`."""
    options = f"arch={arch}" + (f" machine={machine.name}" if machine is not None else "")
    return ptir.PassManager(f"plan-regions{{{options} roles={str(roles).lower()}}}").run(regions(text, arch))


def prediction(module: ModuleOp, arch: str, machine: Machine | None = None) -> dict[str, Any]:
    """
    Returns the planner's description of the plan of the only kernel of `module`; for a contraction also the predicted time
    in microseconds, and what limits it.
    """
    asked = request(module, arch, machine)
    assert asked.kernel.plan is not None
    plan = asked.kernel.plan.schedule()
    row = template_of(plan)(asked).row(plan)
    if "total" not in row:
        return {"plan": row["tile"]}
    words = [
        row["tile"],
        f"of {plan.warp_tile}",
        *([str(plan.roles)] if plan.warp_specialized else []),
        f"{plan.stages} stages",
    ]
    words += [f"cluster {row['cluster']}"] * (plan.cluster != (1, 1)) + [plan.order] * (plan.order != "row")
    words += [f"split {row['split']}"] * (row["split"] != "1") + ["C transposed"] * plan.transposed
    if plan.epilogue_tile is not UNSET:
        words.append(f"epilogue_tile {plan.epilogue_tile[0]}x{plan.epilogue_tile[1]}")
    expected = round(row["total"] / (asked.machine.clock * 1e3), 2)
    return {"plan": " ".join(words), "expected": expected, "limit": row["limit"]}
