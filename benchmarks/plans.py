"""Plans that benchmarks pin, and what the planner expects of them."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.planning.warp_specialized.resources import RoleShape
from ptir.runtime.compile import UPPER
from ptir.targets.architectures import ARCHS
from ptir.targets.machines import Machine, machine_of
from ptir.transforms.plan_regions import Planner


def regions(text: str) -> ModuleOp:
    """A program as regions without plans."""
    return ptir.PassManager(UPPER).run(ptir.parse(text))


def kernels(module: ModuleOp) -> list[RegionKernelOp]:
    return [op for op in module.walk() if isinstance(op, RegionKernelOp)]


def pin(module: ModuleOp, plan: Schedule) -> ModuleOp:
    """Every region gets the plan."""
    for kernel in kernels(module):
        kernel.plan = ScheduleAttr(plan)
    return module


def planner(module: ModuleOp, arch: str, machine: Machine | None = None) -> Planner:
    """What plans the one kernel of `module`; with roles where the architecture has them."""
    (kernel,) = kernels(module)
    return Planner(kernel, ARCHS[arch], machine or machine_of(arch), roles=arch == "sm90")


def with_roles(module: ModuleOp, shape: RoleShape) -> ModuleOp:
    """The one kernel of `module` gets the plan of the Hopper template with these sizes."""
    p = planner(module, "sm90")
    if p.role_problem is None:
        raise ValueError("wgmma does not multiply these types")
    return pin(module, p.with_roles(shape, p.role_problem))


def planned(text: str, arch: str, machine: Machine | None = None, *, roles: bool = True) -> ModuleOp:
    """A program as regions, each with the planner's plan; with roles where the architecture has them."""
    options = f"arch={arch}" + (f" machine={machine.name}" if machine is not None else "")
    return ptir.PassManager(f"plan-regions{{{options} roles={str(roles).lower()}}}").run(regions(text))


def prediction(module: ModuleOp, arch: str, machine: Machine | None = None) -> dict[str, Any]:
    """
    What the planner says of the one kernel of `module`: its plan in a few words, and the microseconds that it expects of a
    contraction.
    """
    p = planner(module, arch, machine)
    assert p.kernel.plan is not None
    plan = p.kernel.plan.schedule()
    row = p.row(plan)
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
    expected = round(row["total"] / (p.machine.clock * 1e3), 2)
    return {"plan": " ".join(words), "expected": expected, "limit": row["limit"]}
