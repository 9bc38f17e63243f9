"""
Checks ptxas' report against the plans: fatal remarks, blocks that do not fit, spills.

Each fault is an error at the kernel; its help names the field of the plan (`nv.plan` on the `gpu.func`) to change.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp

from ...dialects import nv
from ...dialects.common.syntax import ints
from ...dialects.plan import ScheduleAttr
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import REGISTERS, REGISTERS_OF_THREAD, Arch
from .errors import KernelFault, KernelRemark, KernelSpills, KernelTooLarge
from .identifiers import kernel_names, symbol_of
from .nvrtc import FATAL_REMARKS, Binary, Resources

PLAN = "nv.plan"
"""The attribute of a `gpu.func` that holds its plan."""
ALLOW = "ptir.compile(…, allow_spills=True) takes the kernel as it is"


def kernel_faults(module: ModuleOp, binary: Binary, arch: Arch) -> Iterator[KernelFault]:
    """Yields the faults of the kernels of `module` in `binary`, the worst first."""
    names = kernel_names(module)
    functions: dict[str, gpu.FuncOp] = {symbol_of(o): o for o in module.walk() if isinstance(o, gpu.FuncOp)}
    used = {symbol: binary.kernels.get(names[symbol], Resources()) for symbol in functions}
    for remark in binary.remarks:
        if remark.kind == "fatal":
            symbol = next((s for s in functions if remark.kernel in ("", names[s])), "")
            function = functions.get(symbol)
            problem = f"was not compiled as planned, {FATAL_REMARKS[remark.number]}: {remark.text}"
            help = _remark_help(remark.number, plan_of(function))
            yield KernelRemark(function, kernel=symbol, number=remark.number, problem=problem, help=help)
    for launch in [o for o in module.walk() if isinstance(o, nv.LaunchOp)]:
        symbol = launch.kernel.nested_references.data[-1].data
        if problem := _too_large(launch, used.get(symbol, Resources()), arch):
            notes = [(functions.get(symbol), "the kernel is here")]
            help = smaller_block(plan_of(functions.get(symbol)))
            yield KernelTooLarge(launch, notes=notes, kernel=symbol, problem=problem, help=help)
    for symbol, function in functions.items():
        took = used[symbol]
        if spilled := took.spill_stores or took.spill_loads:
            help = f"{fewer_registers(plan_of(function))}; {ALLOW}"
            yield KernelSpills(function, kernel=symbol, bytes=spilled, registers=took.registers, help=help)


def plan_of(function: gpu.FuncOp | None) -> Schedule | None:
    """Returns the plan of a kernel, or None if it has no `nv.plan`."""
    attribute = function.attributes.get(PLAN) if function is not None else None
    return attribute.schedule() if isinstance(attribute, ScheduleAttr) else None


def fewer_registers(plan: Schedule | None) -> str:
    """Returns the help for a kernel that is short of registers."""
    if plan is None:
        return f"the kernel has no {PLAN}: make its fragments smaller, or its block"
    size = "x".join(map(str, plan.tile))
    if len(plan.tile) == 2:
        return f"make tile smaller than {size}, or vectorize.width smaller than {plan.vectorize.width}"
    share = min(REGISTERS_OF_THREAD, REGISTERS // plan.threads // 8 * 8)
    if plan.warp_specialized:
        return f"make warp_tile smaller than {plan.warp_tile}: {plan.threads} threads have {share} registers each at launch"
    if share < REGISTERS_OF_THREAD:
        return f"make tile smaller than {size}: {plan.threads} threads have {share} registers each"
    return f"make warp_tile smaller than {plan.warp_tile}, or stages smaller than {plan.stages}"


def smaller_block(plan: Schedule | None) -> str:
    """Returns the help for a block that does not fit."""
    if plan is None:
        return f"the kernel has no {PLAN}: launch it with a smaller block or less shared memory"
    size = "x".join(map(str, plan.tile))
    return f"make tile smaller than {size}" + ("" if len(plan.tile) == 2 else f", or stages smaller than {plan.stages}")


def _remark_help(number: str, plan: Schedule | None) -> str:
    """Returns the help for a fatal remark."""
    if number == "C7602":
        return fewer_registers(plan)
    if number == "C7508":
        return "ptxas must know the block's size: give the gpu.func a known_block_size"
    field = f", or make warp_tile smaller than {plan.warp_tile}" if plan and len(plan.tile) == 3 else ""
    return f"do not access an accumulator between its wgmma and the wait for it{field}"


def _too_large(launch: nv.LaunchOp, used: Resources, arch: Arch) -> str:
    """Returns a description of the resource of a multiprocessor that a block exceeds, or '' if the block fits."""
    x, y, z = ints(launch.block)
    threads, shared = x * y * z, launch.shared.value.data + used.static_shared
    if shared > arch.shared_per_block:
        return f"takes {shared} bytes of shared memory per block, but {arch.name} has {arch.shared_per_block}"
    if arch.blocks(threads, used.registers, 0) == 0:
        return f"takes {used.registers} registers in each of {threads} threads, but a block has {REGISTERS}"
    return ""
