"""Gives the kernel of a point a random legal plan, runs it in the emulator, and compares the results with the interpreter's."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import prod
from random import Random
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from xdsl.ir import SSAValue

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.analysis.regions.kernel_space import KernelSpace, kernel_space
from ptir.backends.cuda.errors import KernelFault
from ptir.dialects import tiny
from ptir.dialects.common.shapes import shape
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.planning.elementwise import Elementwise
from ptir.planning.planner import Planner
from ptir.planning.rules import tails
from ptir.planning.template import Request
from ptir.planning.templates import TEMPLATES
from ptir.runtime.compile import compile_module, to_regions
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call
from tests.unit.builders.plan_families import kernel_of

from .points import PlanPoint, changes

MAX_SERIAL = 1 << 26
"""Maximum number of operations for which a plan of one thread an element is drawn: the emulator takes a minute for as many."""
MOST = 5
"""Maximum number of changes to a candidate of the planner."""
TOLERANCE = 2**-6
"""Error of attention, relative to the largest element."""


def random_plan(p: PlanPoint, kernel: RegionKernelOp) -> tuple[Schedule, Schedule]:
    """Returns the planner's plan of a kernel, and a random legal one."""
    request = Request.of(kernel, p.arch)
    planner = Planner(request)
    templates = TEMPLATES if serial_operations(kernel) <= MAX_SERIAL else [t for t in TEMPLATES if t is not Elementwise]
    candidates = [plan for template in templates if (t := template(request)).matches for plan in t.ranked()[:40]]
    first = planner.templates[0].ranked()[0]
    return first, changed_plan(p.random, planner, p.random.choice(candidates), p.random.randint(1, MOST))


def serial_operations(kernel: RegionKernelOp) -> int:
    """Returns the operations of a kernel in which one thread computes an element, and all that it is computed from."""
    block, of_one = kernel.body.block, dict[SSAValue, int]()
    for op in block.ops:
        count = 1 + sum(of_one.get(v, 0) for v in op.operands)
        if isinstance(op, tiny.ReduceOp):
            count *= prod(shape(op.input)[axis] for axis in op.axes())
        of_one |= dict.fromkeys(op.results, count)
    last = block.last_op
    return sum(prod(shape(v)) * of_one[v] for v in last.operands) if last is not None else 0


def changed_plan(random: Random, planner: Planner, plan: Schedule, most: int) -> Schedule:
    """Returns a plan with up to `most` random changes that are legal."""
    space = kernel_space(planner.request.kernel)
    for change in changes(random, plan.to_dict()):
        if most and (changed := with_tails(plan, change, space)) is not None and planner.accepts(changed):
            plan, most = changed, most - 1
    return plan


def with_tails(plan: Schedule, change: Mapping[str, Any], space: KernelSpace) -> Schedule | None:
    """Returns the plan with some fields changed, and with the axes that its tiles do not divide, or None if it is not legal."""
    try:
        plan = msgspec.convert({**plan.to_dict(), **change}, Schedule)
        tile = (plan.tile[0], plan.row_columns) if plan.holds_rows else (*plan.block_tile, *plan.tile[2:])
        return replace(plan, predicate_tail=tuple(dict.fromkeys((*plan.predicate_tail, *tails(tile, space)))))
    except (ValueError, msgspec.ValidationError):
        return None


def examine(p: PlanPoint) -> dict[str, Any]:
    """Returns the outcome of a point: its `problems`, the plan, and the fields in which it differs from the planner's."""
    start, problems = time.process_time(), list[str]()
    line: dict[str, Any] = {"family": p.family, "arch": p.arch, "changed": [], "outcome": "runs"}
    module = PassManager(to_regions(p.arch)).run(ptir.parse(p.text))
    source = ptir.parse(p.text)
    function = entry_function(source, None)
    arrays = operands(p, function)
    want = call(source, function.sym_name.data, *arrays)
    kernel = kernel_of(module)
    try:
        first, plan = random_plan(p, kernel)
        old, new = first.to_dict(), plan.to_dict()
        line["plan"], line["changed"] = plan.to_json(), [name for name in new if new[name] != old.get(name)]
        kernel.plan = ScheduleAttr(plan)
        device = Emulator()
        got = execute(compile_module(module, p.arch), arrays, device)
        for result, expected in zip(got, want, strict=True):
            compare(p, np.asarray(result), np.asarray(expected), problems)
    except KernelFault:
        line["outcome"] = "spills"
    except PtirError as error:
        problems.append(f"{error.code}: {error.message.splitlines()[0]}")
    except Exception as error:  # a point that crashes is a failure, and no reason to stop
        problems.append(f"{type(error).__name__}: {error}"[:200])
    return line | {"problems": problems, "seconds": round(time.process_time() - start, 2)}


def operands(p: PlanPoint, function: Any) -> list[np.ndarray[Any, Any]]:
    """Returns small integers for the arguments of a function, or for attention small fractions."""
    draw, found = np.random.default_rng(p.number), []
    for t in function.function_type.inputs:
        numbers = draw.integers(-3, 4, t.get_shape()) / (4 if p.family == "attention" else 1)
        found.append(numbers.astype(numpy_dtype(t.element_type)))
    return found


def compare(p: PlanPoint, got: np.ndarray[Any, Any], want: np.ndarray[Any, Any], problems: list[str]) -> None:
    """Appends what is wrong with a result to `problems`."""
    if p.family != "attention":
        if wrong := int((got != want).sum()):
            problems.append(f"{wrong} of {want.size} elements differ")
        return
    error = np.abs(got.astype(np.float64) - want.astype(np.float64)).max() / np.abs(want.astype(np.float64)).max()
    if not error <= TOLERANCE:
        problems.append(f"an element is wrong by {error:.3g} of the largest")
