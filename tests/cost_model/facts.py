"""The facts of the kernel of a point: what the cubin says, and what the emulator counts in all of its blocks."""

from __future__ import annotations

from typing import Any

import msgspec

import ptir
from ptir.backends.cuda.errors import KernelFault
from ptir.passes.manager import PassManager
from ptir.planning.planner import Planner
from ptir.planning.template import Request
from ptir.runtime.compile import to_regions
from ptir.targets.machines import machine_of
from ptir.tuning import trial
from ptir.tuning.kernels import isolated
from tests.plan_grid.check import changed_plan
from tests.unit.builders.plan_families import kernel_of

from .points import point

CANDIDATES = 20
"""Number of candidates of a template of which one is drawn."""
MOST = 2
"""Maximum number of changes to a candidate of the planner: its neighbors are the plans that a tuner tries."""


def facts_of(number: int, seed: int) -> dict[str, Any]:
    """Returns the family, the architecture, the plan and the facts of a point; `facts` is None if there are none, and `reason` says why."""
    p = point(number, seed)
    module = PassManager(to_regions(p.arch)).run(ptir.parse(p.text))
    kernel = isolated(kernel_of(module))
    line: dict[str, Any] = {"number": number, "family": p.family, "arch": p.arch, "facts": None}
    try:
        planner = Planner(Request.of(kernel, p.arch))
        candidates = [template.ranked()[:CANDIDATES] for template in planner.templates]
        plan = p.random.choice(p.random.choice([found for found in candidates if found]))
        plan = changed_plan(p.random, planner, plan, p.random.randint(0, MOST))
    except KernelFault as error:
        return line | {"reason": error.message}
    text = str(kernel.parent_op())
    task = trial.Task(kernel=text, plan=plan.to_json(), machine=machine_of(p.arch).name, how="emulator", estimate=0.0)
    outcome = trial.run(task)
    facts = outcome.facts if outcome.word == "measured" else None
    return line | {"plan": plan.to_json(), "reason": outcome.reason, "facts": msgspec.to_builtins(facts)}
