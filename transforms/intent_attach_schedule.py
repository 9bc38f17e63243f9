"""
`intent-attach-schedule{arch=sm80}`: makes plans of the schedules that intents have.

```
func.func @gemm(…) attributes {intent.schedule = {tile_m = 64, tile_n = 128, pipeline_depth = 3}}
  region.launch @gemm_0 …                         →  region.kernel @gemm_0(…) plan #plan.schedule<{"tile": [64, 128, 32], "stages": 3, …}>
```

The plan is the best of those that the planner considers for the kernel and that agree with the schedule: `tile_m`, `tile_n` and
`tile_k` are the tile of a block, `vec_width` is its vector width, `pipeline_depth` its number of stages. A name instead of a number is a
parameter that the planner may choose; so is what a schedule does not say. A schedule applies to the contractions of its function, or
to all kernels if there is none. If no plan agrees, the schedule is rejected. A plan never changes results.
Spec: `intentir-semantics §3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET
from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.traits import SymbolTable

from ..dialects.plan import ScheduleAttr
from ..dialects.plan.schedule import Schedule
from ..dialects.region import LaunchOp, RegionKernelOp
from ..errors import PtirError
from ..planning.planner import Planner
from ..planning.template import Request
from ..targets.architectures import Arch, arch_named
from .input_level import require_level
from .intent_to_ptir import SCHEDULE


class ScheduleNotHonored(PtirError):
    code = "PTIR0307"
    template = "no plan of @{kernel} has {wanted}"
    hint = "{help}"


@dataclass(frozen=True)
class IntentAttachSchedule(ModulePass):
    """Makes plans of the schedules that intents have."""

    name = "intent-attach-schedule"
    arch: str = "sm80"
    """The architecture of the kernels: sm80, sm_90a …"""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = arch_named(self.arch)
        require_level(op, "region.kernel", self.name)
        for function in [f for f in op.body.block.ops if isinstance(f, FuncOp)]:
            schedule = function.attributes.pop(SCHEDULE, None)
            if isinstance(schedule, DictionaryAttr):
                attach(function, numbers(schedule), arch)


def numbers(schedule: DictionaryAttr) -> dict[str, int]:
    """Returns the fields of a schedule that are numbers."""
    return {name: value.value.data for name, value in schedule.data.items() if isinstance(value, IntegerAttr)}


def attach(function: FuncOp, wanted: Mapping[str, int], arch: Arch) -> None:
    """Writes plans that agree with `wanted` on the kernels that a function launches. Raises `ScheduleNotHonored`."""
    if not wanted:
        return
    found = [SymbolTable.lookup_symbol(function, op.kernel) for op in function.walk() if isinstance(op, LaunchOp)]
    kernels = [kernel for kernel in dict.fromkeys(found) if isinstance(kernel, RegionKernelOp) and kernel.plan is None]
    planners = {kernel: Planner(Request.of(kernel, arch.name)) for kernel in kernels}
    contractions = [k for k, planner in planners.items() if planner.request.space.contraction is not None]
    for kernel in contractions or kernels:
        plans = [plan for template in planners[kernel].templates for plan in template.ranked()]
        agreeing = [plan for plan in plans if all(fields(plan).get(name) == value for name, value in wanted.items())]
        if not agreeing:
            raise _not_honored(kernel, wanted, plans)
        kernel.plan = ScheduleAttr(agreeing[0])


def fields(plan: Schedule) -> dict[str, int]:
    """Returns a plan's fields by their names in a schedule."""
    found: dict[str, int] = dict(zip(("tile_m", "tile_n", "tile_k"), plan.tile, strict=False))
    found["vec_width"] = plan.vectorize.width
    if plan.stages is not UNSET:
        found["pipeline_depth"] = plan.stages
    return found


def _not_honored(kernel: RegionKernelOp, wanted: Mapping[str, int], plans: Sequence[Schedule]) -> ScheduleNotHonored:
    """Returns the error, which names the first field that no plan has, with its possible values."""
    name = kernel.sym_name.data
    for field, value in wanted.items():
        values = sorted({found[field] for plan in plans if field in (found := fields(plan))})
        if value not in values:
            help = (
                f"{field} can be {', '.join(map(str, values))}" if values else f"plans of this kernel have no {field}"
            )
            return ScheduleNotHonored(kernel, kernel=name, wanted=f"{field} = {value}", help=help)
    shown = ", ".join(f"{field} = {value}" for field, value in wanted.items())
    help = "each value occurs, but not together: leave one out, or give the name of a parameter instead of a number"
    return ScheduleNotHonored(kernel, kernel=name, wanted=shown, help=help)
