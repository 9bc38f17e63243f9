"""
Compiles a module at any level: runs the passes and NVRTC, and tries other plans for kernels that spill registers.

The number of registers that a kernel needs is only known after ptxas has run. If a kernel spills, or ptxas runs out of
registers, `compile_module` plans that kernel again with the next fallback of `plan-regions`; kernels that fit keep their plan.
A plan that the user wrote is pinned, that is, never changed: a spill is then an error, which names the field to change. A tuned plan
(`tuning/`) is tried first.
Spec: `tensor-compiler.ja §10` (fallback on spills).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.gpu import FuncOp as GpuFuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..analysis.program.symbols import references
from ..backends.cuda.emit import compile_text, emit_cuda
from ..backends.cuda.errors import KernelFault, KernelSpills
from ..backends.cuda.nvrtc import Binary
from ..backends.cuda.resources import kernel_faults
from ..dialects.plan import ScheduleAttr
from ..dialects.plan.schedule import Schedule
from ..dialects.ptir.module import ENTRY
from ..dialects.pto import PtoKernelOp
from ..dialects.region import RegionKernelOp
from ..errors import NoPlanFits, PtirError
from ..passes.environment import make_context
from ..passes.manager import Instrumentation, PassManager
from ..passes.registry import PIPELINES
from ..planning.fusion.strategies import Strategy
from ..planning.template import Request
from ..targets.architectures import ARCHS, arch_named
from ..text.verify import verify_module
from ..transforms.plan_regions import pin_given_plans, plan_region

log = logging.getLogger(__name__)

_, *STAGES = PIPELINES["ptir-to-cuda"].stages
TO_REGIONS = ",".join(STAGES[: STAGES.index("plan-regions")])
FOR_ARCH = {stage for stage, _ in PIPELINES["ptir-to-cuda"].forwards["arch"]}
TO_NV = "region-to-pto,pto-to-nv"


@dataclass(frozen=True)
class Stage:
    """A step of a compilation, its time in seconds, and the number of operations after it."""

    name: str
    seconds: float
    operations: int


@dataclass
class Program:
    """A compiled module: the module at the nv level, whose host function launches the kernels, and the kernels' binary."""

    module: ModuleOp = field(repr=False)
    cuda: str = field(repr=False)
    binary: Binary
    arch: str
    stages: list[Stage] = field(default_factory=list[Stage], repr=False)
    origins: Sequence[Operation | None] = field(default=(), repr=False)
    """For each line of `cuda`, the operation that it was printed for, or None."""


def compile_module(
    module: ModuleOp,
    arch: str = "sm80",
    ctx: Context | None = None,
    watch: Callable[[str, ModuleOp], None] | None = None,
    *,
    strategy: Strategy = "exact",
    allow_spills: bool = False,
    tuned: Callable[[RegionKernelOp], Schedule | None] = lambda kernel: None,
) -> Program:
    """
    Lowers and compiles `module` for `arch`, and tries other plans for kernels that spill. `module` is changed in place down to the
    region level; `strategy` is that of `form-regions`.

    `watch` is called with the name of each pass and the module after it. `tuned` returns a plan to try for a kernel before the planner's,
    or None; a plan with which the kernel does not compile, or spills, is dropped with a warning. Raises the errors of the passes, and
    `CudaCompileError`.
    If every plan of a kernel spills, uses the plan that spills least, with a warning. If a pinned plan spills, raises an error of
    `backends/cuda/resources.py` unless `allow_spills` is true.
    """
    arch = arch_named(arch).name
    ctx = ctx or make_context()
    stages: list[Stage] = []
    if _has_kernels(module):
        verify_module(module)
    else:
        stages += _run(f"ptir-check-cuda{{arch={arch}}},{to_regions(arch, strategy)}", module, ctx, watch)
    pin_given_plans(module, ARCHS[arch])
    kernels = [op for op in module.ops if isinstance(op, RegionKernelOp) and op.plan is None]
    first = {op.sym_name.data: plan for op in kernels if (plan := tuned(op)) is not None}
    fallbacks: dict[str, int] = {}
    stages_to_regions = tuple(stages)
    best: _Attempt | None = None
    faults: Sequence[KernelFault] = ()
    while True:
        try:
            observer = watch if best is None else None
            attempt = _attempt(module, arch, ctx, fallbacks, first, list(stages_to_regions), observer)
        except PtirError as error:
            if first:
                log.warning("the tuned plans are dropped: %s", error.message, extra={"op": error.op})
                first.clear()
                continue
            if best is None or not isinstance(error, NoPlanFits):
                raise
            if best.usable:
                for spill in best.faults:
                    log.warning("every plan spills: %s", spill.message, extra={"op": spill.op})
                return best.program
            raise _no_plan_fits(error, faults, arch) from error
        if dropped := [fault for fault in attempt.faults if fault.kernel in first]:
            for fault in dropped:
                log.warning("the tuned plan of @%s is dropped: %s", fault.kernel, fault.message, extra={"op": fault.op})
                first.pop(fault.kernel, None)
            continue
        best, faults = attempt if best is None else min(best, attempt, key=lambda a: a.cost), attempt.faults
        if not (retried := attempt.retried(allow_spills)):
            return best.program
        for kernel in retried:
            fallbacks[kernel] = fallbacks.get(kernel, 0) + 1
            log.info("@%s is planned again", kernel)


def to_regions(arch: str, strategy: Strategy = "exact") -> str:
    """Returns the passes that lower a program to regions for an architecture, by a strategy of fusion."""
    options = dict.fromkeys(FOR_ARCH, f"{{arch={arch}}}")
    options["form-regions"] = f"{{arch={arch} strategy={strategy}}}"
    return ",".join(stage + options.get(stage, "") for stage in TO_REGIONS.split(","))


@dataclass(frozen=True)
class _Attempt:
    """A compiled program, the kernels whose plan is not pinned, and the kernels' faults, such as spills, that ptxas reports."""

    program: Program
    unpinned: set[str]
    faults: Sequence[KernelFault]

    @property
    def usable(self) -> bool:
        """Whether the program can run: it has no faults other than spills."""
        return all(isinstance(fault, KernelSpills) for fault in self.faults)

    @property
    def cost(self) -> tuple[bool, int]:
        """The sort key of attempts: whether the program is unusable, then the number of bytes that it spills."""
        return not self.usable, sum(k.spill_stores + k.spill_loads for k in self.program.binary.kernels.values())

    def retried(self, allow_spills: bool) -> Sequence[str]:
        """Returns the kernels to plan again. Raises a fault that no other plan cures, except a spill with `allow_spills`."""
        retried = [f for f in self.faults if f.smaller_tile_may_help and f.kernel in self.unpinned]
        for fault in self.faults:
            if fault not in retried and not (allow_spills and isinstance(fault, KernelSpills)):
                raise fault
        return list(dict.fromkeys(fault.kernel for fault in retried))


def _no_plan_fits(error: NoPlanFits, faults: Sequence[KernelFault], arch: str) -> NoPlanFits:
    """Returns the error for a kernel that has no further fallbacks; it quotes the fault of the kernel's last plan."""
    op = cast(RegionKernelOp, error.op)
    last = next(fault for fault in faults if fault.kernel == op.sym_name.data)
    problem = f"all plans were tried; with the last one {last.message}"
    return NoPlanFits(op, kernel=last.kernel, arch=arch, problem=problem, help="compute less in one kernel")


def _attempt(
    regions: ModuleOp,
    arch: str,
    ctx: Context,
    fallbacks: dict[str, int],
    first: Mapping[str, Schedule],
    stages: list[Stage],
    watch: Callable[[str, ModuleOp], None] | None,
) -> _Attempt:
    """
    Plans, lowers and compiles a copy of `regions`, and collects the faults of its kernels. `fallbacks` maps a kernel to the number
    of plans to skip, `first` to its tuned plan.
    """
    module = regions.clone()
    kernels = [o for o in module.walk() if isinstance(o, RegionKernelOp)]
    unpinned = {kernel.sym_name.data for kernel in kernels if kernel.plan is None}
    for kernel in kernels:
        if (plan := first.get(kernel.sym_name.data)) is not None:
            kernel.plan = ScheduleAttr(plan)
            count("tuned plans")
        elif (steps := fallbacks.get(kernel.sym_name.data)) is not None:
            plan_region(Request.of(kernel, arch), steps)
    plan = f"plan-regions{{arch={arch}}}"
    if not any(isinstance(o, GpuFuncOp) for o in module.walk()):
        stages += _run(f"{plan},{TO_NV}" if kernels else TO_NV, module, ctx, watch, verify_input=False)
    elif kernels:
        stages += _run(plan, module, ctx, watch, verify_input=False)
    start = time.perf_counter()
    cuda = emit_cuda(module)
    stages.append(Stage("print CUDA", time.perf_counter() - start, len(cuda.origins)))
    start = time.perf_counter()
    binary = compile_text(cuda, ARCHS[arch].target, allow_remarks=True)
    stages.append(Stage("NVRTC", time.perf_counter() - start, binary.ptx.count(";\n")))
    program = Program(module, cuda.text, binary, arch, stages, cuda.origins)
    return _Attempt(program, unpinned, list(kernel_faults(module, binary, ARCHS[arch])))


def _run(
    pipeline: str,
    module: ModuleOp,
    ctx: Context,
    watch: Callable[[str, ModuleOp], None] | None,
    *,
    verify_input: bool = True,
) -> list[Stage]:
    """Runs a pipeline without nests, and returns its passes. It is verified after each pass only for somebody who watches."""
    sizes: list[int] = []

    class Watch(Instrumentation):
        def after_pass(self, pass_: ModulePass, scope: Operation) -> None:
            sizes.append(sum(1 for _ in module.walk()))
            if watch is not None:
                watch(pass_.name, module)

    verify = "ends" if watch is None else "each"
    manager = PassManager(pipeline, ctx, verify=verify, verify_input=verify_input, instrumentations=[Watch()])
    manager.run(module)
    return [Stage(t.name, t.seconds, size) for t, size in zip(manager.timer.passes, sizes, strict=True)]


def keep_only(module: ModuleOp, entry: str) -> None:
    """
    Erases the functions that are not reachable from `entry`, so that they need not compile. Modules with kernels do not change.
    """
    if _has_kernels(module):
        return
    functions = {o.sym_name.data: o for o in module.ops if isinstance(o, FuncOp)}
    todo = [entry]
    while todo:
        if (function := functions.pop(todo.pop(), None)) is not None:
            todo += (found.root_reference.data for op in function.walk() for found in references(op))
    for function in functions.values():
        function.detach()
        function.erase()
    module.attributes.pop(ENTRY, None)


def _has_kernels(module: ModuleOp) -> bool:
    return any(isinstance(o, PtoKernelOp | GpuFuncOp | RegionKernelOp) for o in module.walk())
