"""
The planner: chooses the plan of one kernel from the candidates of the templates that match, or checks a plan that was written by hand.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

from msgspec.structs import replace

from ..analysis.index.book import index_book
from ..analysis.regions.contraction import NotAContraction, contraction_at
from ..analysis.regions.operands import elementwise_count, prologue_ops
from ..dialects.plan.choice import choice_of
from ..dialects.plan.schedule import Schedule
from ..errors import NoPlanFits, PlanMismatch, counted
from ..targets.pto.machine import PtoMachine
from .completion import differences, guarded, reductions
from .elementwise import Elementwise
from .explain import SHOWN_DIGITS, Explanation, is_explaining, report
from .given import region_hash
from .multistage import Multistage
from .prediction import predicted
from .pto_tiles import plans_for
from .rules import IMPLICIT, REWRITES, REWRITTEN, asked_algorithm
from .strict import adds_strict_floats, order_rules
from .template import ContractionTemplate, Request, Template
from .templates import TEMPLATES, check_plan, template_of

log = logging.getLogger(__name__)


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

    def ranked(self, count: int, target: PtoMachine | None = None) -> Sequence[Schedule]:
        """
        Returns at least `count` plans, those of the templates in order of preference, each with its fallbacks. With a `target`, their tiles
        fit its memories. Raises `NoPlanFits` if there are fewer.
        """
        plans: list[Schedule] = []
        for template in self.templates:
            found = template.fallbacks()
            if target is not None:
                found = plans_for(target, template.ranked(), self.request.kernel, self.request.space, self.accepts)
            plans += [plan for plan in found if template.overflow(plan) is None and self.keeps_order(plan)]
            if len(plans) >= count:
                return plans
        if target is not None and count == 1:
            raise self.failure(f"no tiles of its plans fit the memories of {target.name}", "run it on a GPU")
        if not plans and self.request.attention is not None:
            help = "leave attention out: docs/kernels/attention.md says what each algorithm needs"
            raise self.failure(f"none has attention = {self.request.attention}", help)
        help = "give a smaller tile by hand: plan #plan.schedule<{…}>"
        raise self.failure(self.exhausted(len(plans)), help)

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
