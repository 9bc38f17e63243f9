"""
`plan-regions{arch=sm80}`: writes a Schedule Plan on every region that has none.

The templates of `planning/templates.py` that match the region enumerate candidates. The plan is the candidate with the lowest
estimated time on the machine, among those that the lowering supports and that fit the machine.
`machine=NAME` is one of `targets/machines.py`, by default the first machine of the architecture. `roles=false` excludes
warp-specialized kernels.

`from=FILE` writes the plans of a file that the command line names (`ptir-opt --plan=FILE` does the same). A plan is for a region by its
name or structural hash; the fields that it leaves out are completed (`planning/completion.py`). `fit` reduces a given plan that the
machine cannot hold: its stages, then its warp tile, its vectors, and its tile. A remark says what was reduced.

`fallback=N` takes plan N in the list of fallbacks, which need ever fewer registers or stages; the compile driver
asks for it when a compiled kernel spills. The fallbacks of a template are followed by those of the next template. `stages=N`
gives every ring N stages, `split=N` accumulates every contraction in N parts; `attention=NAME` is the algorithm of every attention. A plan
that the region already has is kept, but checked, unless a file has another one. `ptir-opt --explain-plan` shows the plans considered, and
the reason for the choice (`planning/explain.py`).

`target=a3` takes the best plan among those whose tiles fit the memories of a PTO target too (`planning/pto_tiles.py`), so that one tile
program goes to CUDA and to PTO.

Spec: `tensor-compiler.ja §1.7`, `§5` (resources), `§6` (cost), `§10` (fallback).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects.plan import ScheduleAttr
from ..dialects.plan.given import GivenPlan
from ..dialects.plan.schedule import ATTENTION, MAX_SPLITS
from ..dialects.region import RegionKernelOp
from ..errors import InvalidAttributeValue, NoPlanFits, PlanMismatch
from ..planning.completion import completed, differences
from ..planning.given import assign_plans, plans_of
from ..planning.planner import Planner
from ..planning.template import Request
from ..planning.templates import template_of
from ..targets.architectures import Arch, arch_named
from ..targets.machines import MACHINES, machine_of
from ..targets.pto.machine import PtoMachine
from ..targets.pto.machines import machine_named
from .input_level import require_level

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlanRegions(ModulePass):
    """Writes a Schedule Plan on every region that has none."""

    name = "plan-regions"
    arch: str = "sm80"
    """The architecture of the kernels: sm80, sm_90a …"""
    fallback: int = 0
    """Index of the plan in the list of fallbacks; 0 is the fastest plan."""
    stages: int | None = None
    """Number of stages of the shared-memory rings, 2 to 8."""
    split: int | None = None
    """Number of parts of k that are accumulated separately."""
    machine: str | None = None
    """The GPU for which the candidates are ranked."""
    roles: bool = True
    """Consider warp-specialized kernels on sm90."""
    attention: str | None = None
    """The algorithm of attention: online_softmax, split_kv or streaming_softmax_2pass."""
    from_: str | None = None
    """A file of plans, JSON or statements, that the command line names."""
    fit: bool = False
    """Reduce given plans that do not fit the machine, instead of refusing them."""
    target: str | None = None
    """A PTO target whose memories hold the tiles as well: a2, a3 or a5."""

    def __post_init__(self) -> None:
        arch = arch_named(self.arch)
        fitting = [machine.name for machine in MACHINES.values() if machine.arch == arch.name]
        for name, legal, help in (
            ("fallback", self.fallback >= 0, "0 is the best plan"),
            ("stages", self.stages is None or 2 <= self.stages <= 8, "a ring has 2 to 8 stages"),
            ("split", self.split is None or 1 <= self.split <= MAX_SPLITS, f"k is summed in 1 to {MAX_SPLITS} parts"),
            ("attention", self.attention in (None, *ATTENTION), f"one of {', '.join(ATTENTION)}"),
            (
                "target",
                self.target is None or machine_named(self.target).has_pipes,
                "one of a2, a3, a5: others are GPUs",
            ),
            ("machine", self.machine in (None, *fitting), f"for {arch.name} one of {', '.join(fitting)}"),
        ):
            if not legal:
                raise InvalidAttributeValue(name=name, problem=f"is {getattr(self, name)!r}", help=help)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        arch = arch_named(self.arch)
        machine = machine_of(arch.name) if self.machine is None else MACHINES[self.machine]
        plans = plans_of(self.from_)
        require_level(op, "region.kernel", self.name)
        kernels = [o for o in op.body.block.ops if isinstance(o, RegionKernelOp)]
        given = assign_plans(plans, kernels)
        target = None if self.target is None else machine_named(self.target)
        for kernel in kernels:
            if kernel in given:
                write_plan(Request(kernel, arch, machine), given[kernel], fit=self.fit)
            else:
                request = Request(kernel, arch, machine, self.stages, self.split, self.roles, self.attention)
                plan_region(request, self.fallback, fit=self.fit, target=target)


def pin_given_plans(module: ModuleOp, arch: Arch) -> None:
    """Writes the plans that the user gives for all runs of the pass on the module's regions."""
    kernels = [o for o in module.body.block.ops if isinstance(o, RegionKernelOp)]
    for kernel, given in assign_plans(plans_of(None), kernels).items():
        write_plan(Request.of(kernel, arch.name), given)


def write_plan(request: Request, given: GivenPlan, *, fit: bool = False) -> None:
    """Writes the plan of a text on one kernel. Raises `PlanRefused` and `InvalidPlanText` at the places in the text."""
    planner = Planner(request)
    try:
        plan = planner.checked(completed(given, request, planner.templates, planner.accepts), fit)
    except (PlanMismatch, NoPlanFits) as error:
        raise given.refused(error) from None
    request.kernel.plan = ScheduleAttr(plan)
    planner.explain(plan, "it was given")
    count("plans given")


def plan_region(request: Request, fallback: int = 0, *, fit: bool = False, target: PtoMachine | None = None) -> None:
    """
    Writes the plan of one kernel, or checks the plan that it has. Raises `NoPlanFits` if there is no plan with the index
    `fallback`, and the errors of `Planner.checked`.
    """
    planner, kernel = Planner(request), request.kernel
    if kernel.plan is not None:
        plan = planner.checked(kernel.plan.schedule(), fit)
        kernel.plan = ScheduleAttr(plan)
        planner.explain(plan, "it was given")
        return
    plans = planner.ranked(fallback + 1, target)
    plan = template_of(plans[fallback])(request).completed(plans[fallback])
    kernel.plan = ScheduleAttr(plan)
    if fallback:
        name, changes = kernel.sym_name.data, differences(plans[0], plans[fallback])
        log.info("@%s falls back on plan %d: %s", name, fallback, changes, extra={"op": kernel})
    planner.explain(plan, f"fallback {fallback}" if fallback else "")
    count("plans made")
    count("plans considered", len(plans))
