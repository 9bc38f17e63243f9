"""
Runs a point in the interpreters of all levels, and in the emulator for each architecture, strategy of fusion and plan: all must give the bits
of the reference.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.backends.cuda.errors import KernelFault
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.planner import Planner
from ptir.planning.template import Request
from ptir.runtime.compile import compile_module, to_regions
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.semantics.arrays.strict import differs
from ptir.semantics.interpreter import call
from tests.plan_grid.check import with_tails
from tests.plan_grid.points import changes

from .points import StrictPoint, operands

STRATEGIES = ("exact", "greedy", "maximal", "none")
CHANGES = 3
"""Maximum number of changes to a plan of the planner."""


def random_plan(random: Random, kernel: RegionKernelOp, arch: str, line: dict[str, Any]) -> Schedule:
    """Returns a random legal plan of a kernel. Counts the plans with a split of k that are refused since they would change the sums."""
    planner, space = Planner(Request.of(kernel, arch)), kernel_space(kernel)
    plans = [p for t in planner.templates for p in t.ranked()[:40] if planner.accepts(p)]
    plan, most = random.choice(plans), random.randint(1, CHANGES)
    for change in changes(random, plan.to_dict()):
        changed = with_tails(plan, change, space)
        if most and changed is not None and planner.accepts(changed):
            plan, most = changed, most - 1
        line["splits"] += changed is not None and changed.split > 1 and planner.is_strict
    return plan


def variants(p: StrictPoint, line: dict[str, Any]) -> Iterator[tuple[str, str, ModuleOp]]:
    """Yields the kernels to run: of each architecture, with the planner's plans and a strategy, and with random plans and another one."""
    for arch in ("sm80", "sm90"):
        for plans in ("planned", "random plans"):
            strategy = p.random.choice(STRATEGIES)
            module = PassManager(to_regions(arch, strategy)).run(ptir.parse(p.text))
            kernels = [op for op in module.ops if isinstance(op, RegionKernelOp)]
            for kernel in kernels if plans != "planned" else ():
                kernel.plan = ScheduleAttr(random_plan(p.random, kernel, arch, line))
            line["kernels"] += len(kernels)
            if kernels:  # a program of movements that change nothing has none
                yield f"{arch}, {strategy}, {plans}", arch, module


def examine(p: StrictPoint) -> dict[str, Any]:
    """Returns the outcome of a point: its `problems`, and what has run."""
    start, problems = time.process_time(), list[str]()
    line: dict[str, Any] = {"kinds": p.kinds, "kernels": 0, "splits": 0, "spilled": 0, "runs": 0}
    try:
        source = ptir.parse(p.text)
        function = entry_function(source, None)
        arrays = operands(p, function.function_type.inputs)
        want = call(source, function.sym_name.data, *arrays)
        for name, passes in (("canonical", "ptir-canonicalize"), ("tiny", "ptir-canonicalize,ptir-to-tiny")):
            compare(name, call(PassManager(passes).run(ptir.parse(p.text)), "f", *arrays), want, problems)
        for number, (name, arch, module) in enumerate(variants(p, line)):
            if number == 0:
                tiles = PassManager("plan-regions,region-to-pto").run(module.clone())
                compare(f"tiles, {name}", call(tiles, "f", *arrays), want, problems)
            try:
                got = execute(compile_module(module, arch), arrays, Emulator())
                compare(name, [np.asarray(g) for g in got], want, problems)
                line["runs"] += 1
            except KernelFault:
                line["spilled"] += 1
    except Exception as error:  # a point that crashes is a failure, and no reason to stop
        problems.append(f"{type(error).__name__}: {error}"[:300])
    return line | {"problems": problems, "seconds": round(time.process_time() - start, 2)}


def compare(name: str, got: Sequence[Any], want: Sequence[Any], problems: list[str]) -> None:
    """Appends to `problems` which results differ from the reference in a bit."""
    for k, (result, expected) in enumerate(zip(got, want, strict=True)):
        if (wrong := differs(result, expected)).any():
            problems.append(f"{name}: {int(wrong.sum())} of {wrong.size} elements of result {k} differ")
