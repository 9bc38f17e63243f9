"""
Compiles one point, runs it in the emulator, and checks the outcome:

1. On integer matrices whose partial sums the accumulator represents, results are bit-equal under any schedule, also after an
   epilogue. If the epilogue has a transcendental function, they are within the stated error of that function.
2. On random numbers, results are within the bound of DESIGN §6, propagated through the epilogue.
3. The emulator reports no race, no access out of bounds, and no read of uninitialized memory.
4. If rows are multiples of 16 bytes, shared memory has no bank conflicts. If the tile also divides the problem, so that all
   lanes are active, the number of wavefronts is the larger of bytes / 128 and one per access of a warp; it is smaller where lanes
   read the same word. In plans with roles, this is checked for `stmatrix` and 16-byte copies only: threads transpose 8-bit
   operands byte by byte, and 4-byte results are staged in pairs, two rows of which share banks.
5. Nothing spills, and a thread uses at most 255 registers.
6. In the PTX, additions and multiplications of floats have explicit rounding modifiers. Without them, ptxas may fuse them (PTX
   ISA §9.7.3), which executing the PTX would not show.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

import numpy as np
from xdsl.dialects import gpu

from ptir.backends.cuda.errors import KernelSpills
from ptir.backends.cuda.resources import plan_of
from ptir.emulator.engine.report import Report
from ptir.errors import PtirError
from ptir.runtime.compile import Program, compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.architectures import ARCHS

from .machines import FLOATS, NUMPY, Array, Bounded, Exact, Name, Text
from .plans import PLANS, multiprocessors, planned
from .points import INEXACT, Point

SHARED = ("shared_load", "shared_store", "copy", "copy_fill")
BANKS_BYTES = 128
WARP = 32
BY_ROLES = ("stmatrix", "cp.async.cg")
FUSIBLE = re.compile(r"\b(?:add|sub|mul)\.(?:ftz\.)?f(?:32|64)\b")


@dataclass
class Outcome:
    """The outcome of a point: `problems` is empty if it passes."""

    point: dict[str, str]
    problems: list[str] = field(default_factory=list[str])
    plan: dict[str, Any] | None = None
    registers: int = 0
    wavefronts: int = 0
    conflicts: int = 0
    ideal: bool = False
    """Whether wavefronts were compared with bytes / 128."""
    seconds: float = 0.0
    """Processor time in seconds; `compiling` is the part of it up to the cubin."""
    compiling: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def text_of(point: Point) -> str:
    """Returns the point's program as PTIR text."""
    on = Text()
    return on.finish(point.program(on))


def arrays_of(point: Point, seed: int, *, integers: bool) -> list[Array]:
    """
    Returns the inputs of a point. Floats are standard normal; with `integers`, the elements of the two matrices are integers such
    that every partial sum of |A|·|B| stays below 2^24. Integer types take all of their values (32-bit types: up to ±50,000).
    """
    on = Text()
    point.program(on)
    rng = np.random.default_rng([seed, zlib.crc32(str(point).encode()), integers])
    reach = min(16, int((2**24 / point.sizes.k) ** 0.5))

    def draw(a: Name) -> Array:
        if a.dtype not in FLOATS:
            info = np.iinfo(NUMPY[a.dtype])
            low, high = (info.min, info.max) if info.bits == 8 else (-50_000, 50_000)
            return rng.integers(low, high, a.sizes, endpoint=True)
        if integers and a in on.arguments[:2]:
            return rng.integers(-reach, reach, a.sizes, endpoint=True)
        return rng.standard_normal(a.sizes)

    return [np.asarray(draw(a)).astype(NUMPY[a.dtype]) for a in on.arguments]


def examine(point: Point, seed: int = 0, *, schedules: Sequence[int] = ()) -> Outcome:
    """Checks one point as described above. For each seed in `schedules`, the emulator runs it once more under that schedule."""
    outcome = Outcome({axis: str(value) for axis, value in asdict(point).items()})
    start = time.process_time()
    try:
        program = _compiled(point)
        outcome.plan = _plan(program)
        outcome.compiling = time.process_time() - start
        outcome.problems += _resources(point, program, outcome)
        outcome.problems += _results(point, program, seed, schedules, outcome)
    except PtirError as error:
        outcome.problems.append(f"{type(error).__name__}: {error.code}: {error}")
    except Exception as error:
        outcome.problems.append(f"crash: {type(error).__name__}: {error}")
    outcome.seconds = time.process_time() - start
    return outcome


def _compiled(point: Point) -> Program:
    """Compiles a point. If a pinned plan spills, takes the planner's next fallback with the same changes."""
    for fallback in count():
        try:
            module = planned(text_of(point), point.plan, point.arch, fallback)
            with multiprocessors(PLANS[point.plan].blocks):
                return compile_module(module, point.arch)
        except KernelSpills:
            if not PLANS[point.plan].fallbacks:
                raise
    raise AssertionError


def _plan(program: Program) -> dict[str, Any] | None:
    """Returns the plan of the kernel with the contraction."""
    plans = (plan_of(op) for op in program.module.walk() if isinstance(op, gpu.FuncOp))
    return next((plan.to_dict() for plan in plans if plan is not None and len(plan.tile) == 3), None)


def _resources(point: Point, program: Program, outcome: Outcome) -> Iterator[str]:
    target = ARCHS[point.arch].target
    if f".target {target}" not in program.binary.ptx:
        yield f"the PTX is not for {target}"
    if found := FUSIBLE.search(program.binary.ptx):
        yield f"{found[0]} names no rounding: ptxas may fuse it"
    for name, used in program.binary.kernels.items():
        outcome.registers = max(outcome.registers, used.registers)
        if used.spill_stores or used.spill_loads:
            yield f"{name} spills {used.spill_stores} and {used.spill_loads} bytes"
        if used.registers > 255:
            yield f"{name} takes {used.registers} registers"


def _results(point: Point, program: Program, seed: int, schedules: Sequence[int], outcome: Outcome) -> Iterator[str]:
    device = Emulator()
    whole = arrays_of(point, seed, integers=True)
    (got,) = execute(program, whole, device)
    yield from counter_problems(point, device.reports, outcome)
    yield from (f"integers: {problem}" for problem in judge_integers(point, whole, got))
    if point.is_float:
        given = arrays_of(point, seed, integers=False)
        (near,) = execute(program, given, Emulator())
        yield from (f"random numbers: {problem}" for problem in judge(point, given, near))
    for schedule in schedules:
        (again,) = execute(program, whole, Emulator(seed=schedule))
        if again.tobytes() != got.tobytes():
            yield f"schedule {schedule} gives other bits"


# --- results ------------------------------------------------------------------------------------


def judge_integers(point: Point, given: list[Array], got: Array) -> Iterator[str]:
    """Yields a problem unless results are bit-equal; within the error bound if the epilogue has a transcendental function."""
    if point.epilogue in INEXACT:
        yield from judge(point, given, got, exact_sums=True)
        return
    with np.errstate(over="ignore"):
        want = np.ascontiguousarray(point.program(Exact(given)))
    if got.dtype != want.dtype or got.shape != want.shape:
        yield f"{got.dtype} {got.shape} instead of {want.dtype} {want.shape}"
    elif (wrong := np.flatnonzero(_bits(got) != _bits(want))).size:
        yield _where(got, want, wrong)


def _bits(a: Array) -> Array:
    """Returns the bits of each element, where -0 counts as +0."""
    return np.where(a == 0, np.zeros_like(a), a).reshape(-1).view(f"u{a.dtype.itemsize}")


def judge(point: Point, given: list[Array], got: Array, *, exact_sums: bool = False) -> Iterator[str]:
    """Yields a problem unless results are within the error bounds."""
    want = point.program(Bounded(given, exact_sums))
    if got.dtype != NUMPY[want.dtype] or got.shape != want.value.shape:
        yield f"{got.dtype} {got.shape} instead of {np.dtype(NUMPY[want.dtype])} {want.value.shape}"
        return
    off = np.abs(got.astype(want.value.dtype) - want.value)
    if (wrong := np.flatnonzero(~(off <= want.off))).size:
        worst = wrong[np.argmax(np.nan_to_num(off.flat[wrong] / want.off.flat[wrong], nan=np.inf))]
        yield f"{_where(got, want.value, wrong)}; worst {off.flat[worst] / want.off.flat[worst]:.3g} of the bound"


def _where(got: Array, want: Array, wrong: Array) -> str:
    first = np.unravel_index(wrong[0], got.shape)
    at = [int(k) for k in first]
    return f"{wrong.size} of {got.size} elements are wrong, first {at}: {got[first]} instead of {want[first]}"


# --- counters -----------------------------------------------------------------------------------


def counter_problems(point: Point, reports: Sequence[Report], outcome: Outcome) -> Iterator[str]:
    """Yields the bank conflicts and excess wavefronts of each instruction that accesses shared memory."""
    outcome.wavefronts = sum(report.wavefronts for report in reports)
    outcome.conflicts = sum(report.conflicts for report in reports)
    if not point.aligned or PLANS[point.plan].conflicts or outcome.plan is None:
        return
    outcome.ideal = not outcome.plan.get("predicate_tail")
    for report in reports:
        for opcode, counts in report.by_opcode.items():
            if PLANS[point.plan].roles and not opcode.startswith(BY_ROLES):
                continue
            moved = sum(counts.bytes[level] for level in SHARED)
            if counts.conflicts:
                yield f"{opcode} has {counts.conflicts} bank conflicts in {counts.wavefronts} wavefronts"
            elif outcome.ideal and counts.wavefronts > max(-(-moved // BANKS_BYTES), -(-counts.lanes // WARP)):
                yield f"{opcode} moves {moved} bytes in {counts.wavefronts} wavefronts"
