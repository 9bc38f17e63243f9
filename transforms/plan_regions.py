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
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from msgspec.structs import replace
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.index.book import index_book
from ..analysis.program.statistics import count
from ..analysis.regions.contraction import NotAContraction, contraction_at
from ..analysis.regions.operands import elementwise_count, prologue_ops
from ..dialects.plan import ScheduleAttr
from ..dialects.plan.choice import choice_of
from ..dialects.plan.given import GivenPlan
from ..dialects.plan.schedule import ATTENTION, MAX_SPLITS, Schedule
from ..dialects.region import RegionKernelOp
from ..errors import InvalidAttributeValue, NoPlanFits, PlanMismatch, counted
from ..planning.completion import completed, differences, guarded, reductions
from ..planning.elementwise import Elementwise
from ..planning.explain import SHOWN_DIGITS, Explanation, is_explaining, report
from ..planning.given import assign_plans, plans_of, region_hash
from ..planning.multistage import Multistage
from ..planning.prediction import predicted
from ..planning.pto_tiles import plans_for
from ..planning.rules import IMPLICIT, REWRITES, REWRITTEN, asked_algorithm
from ..planning.strict import adds_strict_floats, order_rules
from ..planning.template import ContractionTemplate, Request, Template
from ..planning.templates import TEMPLATES, check_plan, template_of
from ..targets.architectures import Arch, arch_named
from ..targets.machines import MACHINES, Machine, machine_of
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
        for kernel in kernels:
            if kernel in given:
                write_plan(kernel, given[kernel], arch, machine, fit=self.fit)
            else:
                target = None if self.target is None else machine_named(self.target)
                planned = self.fallback, self.stages, self.split, machine, self.roles, self.fit, self.attention, target
                plan_region(kernel, arch, *planned)


def pin_given_plans(module: ModuleOp, arch: Arch) -> None:
    """Writes the plans that the user gives for all runs of the pass on the module's regions."""
    kernels = [o for o in module.body.block.ops if isinstance(o, RegionKernelOp)]
    for kernel, given in assign_plans(plans_of(None), kernels).items():
        write_plan(kernel, given, arch)


def write_plan(
    kernel: RegionKernelOp, given: GivenPlan, arch: Arch, machine: Machine | None = None, *, fit: bool = False
) -> None:
    """Writes the plan of a text on one kernel. Raises `PlanRefused` and `InvalidPlanText` at the places in the text."""
    planner = Planner(Request(kernel, arch, machine or machine_of(arch.name)))
    try:
        plan = planner.checked(completed(given, planner.request, planner.templates, planner.accepts), fit)
    except (PlanMismatch, NoPlanFits) as error:
        raise given.refused(error) from None
    kernel.plan = ScheduleAttr(plan)
    planner.explain(plan, "it was given")
    count("plans given")


def plan_region(
    kernel: RegionKernelOp,
    arch: Arch,
    fallback: int = 0,
    stages: int | None = None,
    split: int | None = None,
    machine: Machine | None = None,
    roles: bool = True,
    fit: bool = False,
    attention: str | None = None,
    target: PtoMachine | None = None,
) -> None:
    """
    Writes the plan of one kernel, or checks the plan that it has. Raises `NoPlanFits` if there is no plan with the index
    `fallback`, and the errors of `Planner.checked`.
    """
    planner = Planner(Request(kernel, arch, machine or machine_of(arch.name), stages, split, roles, attention))
    if kernel.plan is not None:
        plan = planner.checked(kernel.plan.schedule(), fit)
        kernel.plan = ScheduleAttr(plan)
        planner.explain(plan, "it was given")
        return
    plans: list[Schedule] = []
    for template in planner.templates:
        found = template.fallbacks()
        if target is not None:
            found = plans_for(target, template.ranked(), kernel, planner.request.space, planner.accepts)
        plans += [plan for plan in found if template.overflow(plan) is None and planner.keeps_order(plan)]
        if fallback < len(plans):
            break
    else:
        if target is not None and fallback == 0:
            raise planner.failure(f"no tiles of its plans fit the memories of {target.name}", "run it on a GPU")
        if not plans and planner.request.attention is not None:
            help = "leave attention out: docs/kernels/attention.md says what each algorithm needs"
            raise planner.failure(f"none has attention = {planner.request.attention}", help)
        help = "give a smaller tile by hand: plan #plan.schedule<{…}>"
        raise planner.failure(planner.exhausted(len(plans)), help)
    plan = template_of(plans[fallback])(planner.request).completed(plans[fallback])
    kernel.plan = ScheduleAttr(plan)
    if fallback:
        log.info(
            "@%s falls back on plan %d: %s",
            kernel.sym_name.data,
            fallback,
            differences(plans[0], plans[fallback]),
            extra={"op": kernel},
        )
    planner.explain(plan, f"fallback {fallback}" if fallback else "")
    count("plans made")
    count("plans considered", len(plans))


@dataclass(frozen=True)
class Planner:
    """Chooses a plan for one request, or checks one that was written by hand."""

    request: Request

    @cached_property
    def templates(self) -> Sequence[Template]:
        """
        The matching templates, in order of preference. The last template matches every region; it is included only if no other
        template matches.
        """
        found = [t for template in TEMPLATES if (t := template(self.request)).matches]
        if self.is_strict:
            return [t for t in found if isinstance(t, Multistage | Elementwise)]
        if (asked := asked_algorithm(self.request.kernel)) is not None:
            return self.computing(asked.conv, found)
        if self.request.space.chained and len(found) == 1:
            problem = "no template of this architecture computes these chained products as one kernel"
            raise self.failure(problem, "run form-regions for this architecture, or without arch")
        return found[:-1] or found

    @cached_property
    def is_strict(self) -> bool:
        """Whether the kernel has a sum whose order is specified. Any template may compute others."""
        return adds_strict_floats(self.request.kernel)

    def keeps_order(self, plan: Schedule) -> bool:
        """Returns whether a plan keeps the order of the sums of strict floats."""
        return all(holds for holds, *_ in order_rules(self.request.kernel, plan, self.request.space))

    def computing(self, algorithm: str, found: Sequence[Template]) -> Sequence[Template]:
        """Returns the templates of `found` that compute a convolution by an algorithm. Raises `NoPlanFits` if there are none."""
        if algorithm in REWRITTEN:
            raise self.failure(f"{algorithm} is asked for, which no kernel computes alone", REWRITES)
        implicit = [t for t in found if t.family == ContractionTemplate.family]
        if algorithm == IMPLICIT and not implicit:
            help = "ask for another algorithm, or for none"
            raise self.failure(f"{algorithm} is asked for, but {self.no_contraction()}", help)
        direct = [t for t in found if t not in implicit]
        return implicit if algorithm == IMPLICIT else direct[:-1] or direct

    def no_contraction(self) -> str:
        """Returns why matrix units do not compute the kernel's convolution."""
        if self.request.space.contraction is not None:
            return "no instruction multiplies its element types"
        kernel = self.request.kernel
        for op in kernel.body.block.ops:
            if choice_of(op) is not None:
                try:
                    contraction_at(op, index_book(kernel))
                except NotAContraction as why:
                    return str(why)
        return "its kernel reduces more than the convolution"

    def checked(self, plan: Schedule, fit: bool = False) -> Schedule:
        """
        Returns the plan or, if it does not fit and `fit` is true, the first of its reductions that fits. Raises `PlanMismatch` if the plan
        is for another architecture or not legal, `NoPlanFits` if it does not fit.
        """
        try:
            self.check(plan)
        except NoPlanFits as error:
            if not fit:
                raise
            for reduced in reductions(plan):
                tail = guarded(reduced, self.request).predicate_tail
                smaller = replace(reduced, predicate_tail=tuple(dict.fromkeys((*reduced.predicate_tail, *tail))))
                if self.accepts(smaller):
                    message, changes = error.problem, differences(plan, smaller)
                    kernel = self.request.kernel
                    log.info(
                        "the plan of @%s is reduced: %s; %s",
                        kernel.sym_name.data,
                        message,
                        changes,
                        extra={"op": kernel},
                    )
                    return smaller
            raise
        return plan

    def accepts(self, plan: Schedule) -> bool:
        """Returns whether a plan is legal for the region and fits the machine."""
        try:
            self.check(plan)
        except (PlanMismatch, NoPlanFits):
            return False
        return True

    def check(self, plan: Schedule) -> None:
        """Raises `PlanMismatch` if a plan is for another architecture or not legal, `NoPlanFits` if it does not fit."""
        kernel, arch = self.request.kernel, self.request.arch
        if plan.arch != arch.name:
            help = f"remove it, or run plan-regions{{arch={plan.arch}}}"
            raise PlanMismatch(kernel, kernel=kernel.sym_name.data, problem=f"it is for {plan.arch}", help=help)
        request = self.request.for_plan(plan)
        check_plan(kernel, plan, request.space)
        if (over := template_of(plan)(request).overflow(plan)) is not None:
            raise self.failure(over.problem, over.help)

    def failure(self, problem: str, help: str) -> NoPlanFits:
        kernel, arch = self.request.kernel, self.request.arch.name
        return NoPlanFits(kernel, kernel=kernel.sym_name.data, arch=arch, problem=problem, help=help)

    def exhausted(self, fitted: int) -> str:
        """Returns why no plan is left: none fits, k cannot be divided into `split` parts, or all `fitted` plans were tried."""
        request = self.request
        options = (("stages", request.stages), ("split", request.split), ("attention", request.attention))
        asked = " and ".join(f"{name} = {value}" for name, value in options if value is not None)
        last = self.templates[-1]
        plans = last.fallbacks()
        if plans and not fitted and (over := last.overflow(plans[0])) is not None:
            return f"with tile {list(plans[0].tile)} {over.problem}"
        if isinstance(last, ContractionTemplate) and not any(template.fallbacks() for template in self.templates):
            bk = last.known.mma.k
            steps = -(-request.space.k // bk)
            return (
                f"the {counted(steps, 'step')} of BK = {bk} along k cannot be divided into {request.split} equal parts"
            )
        given = f" with {asked}" if asked else ""
        return f"the only plan{given} was tried" if fitted == 1 else f"all {fitted} plans{given} were tried"

    def explain(self, plan: Schedule, why: str) -> None:
        """Reports the candidates and the reason for `plan`: `why` or, if it is empty, that the plan is the fastest or largest."""
        if not is_explaining():
            return
        request, space = self.request, self.request.space
        chosen = template_of(plan)(request)
        found = next((t for t in self.templates if any(map(self.keeps_order, t.ranked()))), chosen)
        template = chosen if plan.warp_specialized else found
        rows, row = [template.row(p) for p in template.ranked() if self.keeps_order(p)], chosen.row(plan)
        rejected = [(f"{'x'.join(map(str, p.tile))} of {p.warp_tile}", over.problem) for p, over in template.rejected()]
        if not why and len(rows) > 1 and "total" in row:
            more = rows[1]["total"] / row["total"] - 1
            why = (
                f"it has the lowest predicted time; the second candidate takes {100 * more:.1f} % more; "
                f"the bottleneck is {row['limit']}"
            )
        sizes = "x".join(map(str, space.sizes))
        problem = f"m = {space.m}, n = {space.n}, k = {space.k} of {sizes}" if space.contraction else f"{sizes}"
        problem += "; chained products: queries, columns of the values, keys" if space.chained else ""
        for name, ops in zip("AB", prologue_ops(space) if not space.chained else ([], []), strict=True):
            problem += (
                f"; operand {name} is computed in the prologue ({counted(elementwise_count(ops), 'op')})" if ops else ""
            )
        why = why or "it is the largest that fits"
        name, machine = request.kernel.sym_name.data, request.machine.name
        digits = region_hash(request.kernel)[:SHOWN_DIGITS]
        takes = asdict(predicted(plan, request))
        slower = "; ".join(filter(None, (self.price(plan), chosen.slower)))
        report(Explanation(name, machine, problem, why, row, rows, rejected, slower, digits, takes))

    def price(self, plan: Schedule) -> str:
        """Returns what the order of strict floats costs: the instructions of a plan beside those of the planner's without an order."""
        if not self.is_strict:
            return ""
        unordered = self.request.kernel.clone()  # outside of the strict module
        unordered.plan = None
        free = Planner(Request(unordered, self.request.arch, self.request.machine, roles=self.request.roles))
        other = next(p for t in free.templates for p in t.ranked() if t.overflow(p) is None)
        own, least = (predicted(p, r).instructions for p, r in ((plan, self.request), (other, free.request)))
        tile = "x".join(map(str, other.tile))
        if own <= least:
            together = f"without an order, blocks of {other.threads} threads would reduce tiles of {tile} together"
            return "the order of strict floats costs nothing" if len(plan.tile) == len(other.tile) == 3 else together
        return f"the order of strict floats takes {own / least:.1f} times the instructions: tiles of {tile} would take {least}, not {own}"
