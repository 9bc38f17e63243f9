"""The facts of the kernel of a point: what the cubin says, and what the emulator counts in all of its blocks."""

from __future__ import annotations

from typing import Any

import msgspec

import ptir
from ptir.backends.cuda.errors import KernelFault
from ptir.passes.manager import PassManager
from ptir.runtime.compile import to_regions
from ptir.targets.machines import machine_of
from ptir.tuning import trial
from ptir.tuning.kernels import isolated
from tests.plan_grid.check import random_plan
from tests.plan_grid.points import point
from tests.unit.builders.plan_families import kernel_of


def facts_of(number: int, seed: int) -> dict[str, Any]:
    """Returns the family, the architecture, the plan and the facts of a point; `facts` is None if there are none, and `reason` says why."""
    p = point(number, seed)
    if p.family == "attention":
        reason = "with one thread for each element, a random plan of chained products takes the emulator minutes"
        return {"number": number, "family": p.family, "arch": p.arch, "facts": None, "reason": reason}
    module = PassManager(to_regions(p.arch)).run(ptir.parse(p.text))
    kernel = isolated(kernel_of(module))
    line: dict[str, Any] = {"number": number, "family": p.family, "arch": p.arch, "facts": None}
    try:
        _, plan = random_plan(p, kernel)
    except KernelFault as error:
        return line | {"reason": error.message}
    text = str(kernel.parent_op())
    task = trial.Task(kernel=text, plan=plan.to_json(), machine=machine_of(p.arch).name, how="emulator", estimate=0.0)
    outcome = trial.run(task)
    facts = outcome.facts if outcome.word == "measured" else None
    return line | {"plan": plan.to_json(), "reason": outcome.reason, "facts": msgspec.to_builtins(facts)}
