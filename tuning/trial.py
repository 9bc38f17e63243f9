"""
One trial: compiles a kernel with a candidate's plan, checks its results, and measures it. Runs in a process of its own (`child.py`).

The outcome is a word:

- `measured`: the plan can be used; `seconds` is its time;
- `refused`: a pass, NVRTC or ptxas did not accept it; `spills`: ptxas spilled registers;
- `wrong`: a result is beyond the bound that follows from the roundings of its types; `faulty`: the emulator or the driver reported a fault;
- `crashed`, `hung`: the process ended, or did not answer in time;
- `too large`: the emulator would take too long, even for a few blocks.

Results are compared only if the interpreter computes them in reasonable time (`CHECKED`).
Spec: `tensor-compiler.ja §6` (warm-up, repeats, median), `§9` (validation).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from statistics import median
from typing import Any, Literal

import msgspec
import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ..analysis.program.signature import entry_function
from ..analysis.regions.kernel_space import kernel_space
from ..backends.cuda.errors import KernelSpills
from ..dialects import nv
from ..dialects.common.shapes import memref_of
from ..dialects.plan import ScheduleAttr
from ..dialects.plan.schedule import Schedule
from ..dialects.region import RegionKernelOp
from ..emulator.errors import EmulatorFault
from ..errors import PtirError
from ..passes.environment import make_context
from ..planning.row_time import LAUNCH
from ..runtime.compile import Program, compile_module
from ..runtime.devices import Emulator
from ..runtime.driver import DriverFailure
from ..runtime.execute import execute
from ..runtime.gpu import Gpu
from ..runtime.host import launch_of
from ..runtime.launch import Launch
from ..runtime.replay import Replay
from ..semantics.arrays.scalars import Array, is_float, numpy_dtype
from ..semantics.bounds import Interval, bounds, check
from ..semantics.errors import Violation
from ..targets.machines import MACHINES, Machine
from ..text.parsing import parse_text
from .facts import Facts, emulated_facts, seconds, static_facts
from .kernels import ENTRY, moved_bytes

How = Literal["model", "emulator", "gpu"]
Word = Literal["measured", "refused", "spills", "wrong", "faulty", "crashed", "hung", "too large"]

CHECKED = 1 << 27
"""Maximum number of points of a kernel whose results are compared."""
EMULATED = 1 << 25
"""Number of points that the emulator computes, in a second or two. Of a larger kernel, only some blocks run, at least one cluster."""
TOO_LARGE = 1 << 30
"""Maximum number of points that one cluster may compute to be emulated."""
CHAINED = 2**-6
"""Error that results of chained products may have beyond their bound, relative to the largest element: that of `tests/plan_grid`."""
WARM_UP, REPEATS = 2, 15
"""Numbers of replays on a GPU before the measurement, and of those whose median is taken."""


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A trial: `kernel` is the text of a module that `kernels.isolated` returns, `plan` a plan as JSON, `estimate` is in seconds."""

    kernel: str
    plan: str
    machine: str
    how: How
    estimate: float
    seed: int = 0


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a trial: `seconds` if it was measured, and whether results were compared."""

    word: Word
    reason: str = ""
    seconds: float | None = None
    facts: Facts | None = None
    checked: bool = False


def run(task: Task) -> Outcome:
    """Runs a trial in this process."""
    machine = MACHINES[task.machine]
    module = parse_text(task.kernel, make_context(), "kernel")
    kernel = next(op for op in module.ops if isinstance(op, RegionKernelOp))
    original = module.clone()
    kernel.plan = ScheduleAttr(msgspec.json.decode(task.plan, type=Schedule))
    points = prod(kernel_space(kernel).sizes)
    try:
        program = compile_module(module, machine.arch)
    except KernelSpills as error:
        return Outcome(word="spills", reason=error.message)
    except PtirError as error:
        return Outcome(word="refused", reason=f"{error.code}: {error.message}")
    launches = [launch_of(program.module, op) for op in program.module.walk() if isinstance(op, nv.LaunchOp)]
    facts = static_facts(launches[0], program.binary.kernels[launches[0].kernel], machine)
    if task.how == "model":
        return Outcome(word="measured", seconds=task.estimate, facts=facts)
    inputs = arguments(original, task.seed)
    want = expected(original, inputs) if points <= CHECKED else None
    if want is not None and kernel_space(kernel).chained:
        want = [_widened(interval) for interval in want]
    try:
        if task.how == "gpu":
            return _on_gpu(program, facts, inputs, want)
        return _emulated(program, launches, facts, machine, inputs, want, points, moved_bytes(kernel))
    except (EmulatorFault, DriverFailure, Violation) as error:
        return Outcome(word="faulty", reason=f"{error.code}: {error.message}", facts=facts)


def arguments(module: ModuleOp, seed: int) -> list[Array]:
    """
    Returns the arguments of the function of a kernel: standard normal floats. Integers are 1 or 2, which are indices of most arrays, and
    divisors.
    """
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for arg in entry_function(module, ENTRY).body.block.args:
        t = memref_of(arg)
        dtype, size = numpy_dtype(t.element_type), t.get_shape()
        values = rng.standard_normal(size) if is_float(dtype) or dtype.kind == "c" else rng.integers(1, 3, size)
        found.append(np.asarray(values).astype(dtype))
    return found


def expected(module: ModuleOp, inputs: Sequence[Array]) -> tuple[Interval, ...] | None:
    """Returns the bounds of a kernel's results, or None if the reference is undefined for these arguments or has no bounds."""
    try:
        return bounds(module, ENTRY, *inputs)
    except PtirError:
        return None


def _widened(interval: Interval) -> Interval:
    """Returns the interval for a result of chained products, whose weights are rounded before they are divided by their sum."""
    finite = np.abs(np.where(np.isfinite(interval.lo), interval.lo, 0.0))
    off = CHAINED * float(finite.max(initial=0.0))
    return Interval(interval.lo - off, interval.hi + off, interval.nan, interval.dtype)


def _on_gpu(program: Program, facts: Facts, inputs: Sequence[Array], want: Sequence[Interval] | None) -> Outcome:
    with Replay(Gpu(), program, inputs) as replay:
        for _ in range(WARM_UP):
            replay.seconds()
        taken = median(replay.seconds() for _ in range(REPEATS))
        wrong = _problem(replay.results(), want)
    if wrong:
        return Outcome(word="wrong", reason=wrong, facts=facts)
    return Outcome(word="measured", seconds=taken, facts=facts, checked=want is not None)


def _emulated(
    program: Program,
    launches: Sequence[Launch],
    facts: Facts,
    machine: Machine,
    inputs: Sequence[Array],
    want: Sequence[Interval] | None,
    points: int,
    size: int,
) -> Outcome:
    device, cluster = Emulator(), prod(launches[0].cluster)
    emulated = facts.blocks
    if points > EMULATED:
        if len(launches) > 1:
            reason = "one of its launches reads what the other one stores, so that all blocks must run"
            return Outcome(word="too large", reason=reason, facts=facts)
        emulated = max(cluster, min(facts.blocks, EMULATED * facts.blocks // points // cluster * cluster))
        if points * emulated > TOO_LARGE * facts.blocks:
            reason = f"{emulated} of its {facts.blocks} blocks compute {points * emulated // facts.blocks} points"
            return Outcome(word="too large", reason=reason, facts=facts)
        if launches[0].counters:
            return Outcome(word="too large", reason="its blocks wait for each other, so that all must run", facts=facts)
        device.ctas = emulated
    results = execute(program, inputs, device)
    facts = emulated_facts(facts, device.reports[0], emulated)
    if wrong := _problem(results, want, device.stored):
        return Outcome(word="wrong", reason=wrong, facts=facts)
    time = seconds(facts, machine, size)
    for launch, report in zip(
        launches[1:], device.reports[1:], strict=True
    ):  # such as the one that combines parts of keys
        static = static_facts(launch, program.binary.kernels[launch.kernel], machine)
        time += seconds(emulated_facts(static, report, static.blocks), machine, 0) + LAUNCH / (machine.clock * 1e9)
    return Outcome(word="measured", seconds=time, facts=facts, checked=want is not None)


def _problem(results: Sequence[Any], want: Sequence[Interval] | None, stored: Sequence[Array] = ()) -> str:
    """Returns how far a result is beyond its bound, or an empty string. Elements that were not `stored`, if given, are not compared."""
    for k, interval in enumerate(want or ()):
        result = np.asarray(results[k])
        places = np.argwhere(np.ones(result.shape, np.bool_))
        if k < len(stored) and stored[k].size:
            whole: Array = np.asarray(stored[k].reshape(-1, result.itemsize).all(axis=1)).reshape(result.shape)
            result, interval, places = result[whole], _selected(interval, whole), np.argwhere(whole)
        report = check(result, interval)
        if not report.ok:
            flat = np.ravel_multi_index(report.worst_index, result.shape) if result.ndim else 0
            at, off = places[int(flat)].tolist(), f"{report.worst_error:.3g}, {report.worst_bound:.3g} allowed"
            return f"result {k} is wrong at {at}: off by {off}"
    return ""


def _selected(interval: Interval, where: Array) -> Interval:
    """Returns the intervals of some elements, along one axis."""
    found = Interval(interval.lo[where], interval.hi[where], interval.nan[where], interval.dtype)
    return found if interval.known is None else found.keeping(known=interval.known[where])
