"""
`plan-regions{arch=sm80}`: writes a Schedule Plan on every region that has none.

A contraction gets the tile, warp tile, BK, depth and split of the candidate with the least estimated time on the
machine, by element type and shape (`planning/multistage/candidates.py`, `planning/multistage/cost.py`): within the machine's
limits, and nothing that the lowering refuses (`planning/rules.py`). `machine=NAME` is one of `targets/machines.py`; without
it the first of the architecture is meant. `roles=true` gives what wgmma can multiply on sm90 a plan with roles, for the
template of Hopper (`planning/warp_specialized/candidates.py`, `planning/warp_specialized/cost.py`), and the rest a plan without.

`fallback=N` gives the plan N steps further down the ladder *single fragments → fewer stages → fewer registers*, which
smaller warp tiles need: the compile driver asks for it when the compiled kernel spills. With roles the ladder has ever
fewer registers, and then plans without roles. `stages=N` makes every ring N deep, `split=N` sums every contraction in N
parts. A plan that stands on a region already is kept if it keeps the rules and fits. `ptir-opt --explain-plan` shows what
was considered, and why the plan is what it is (`planning/explain.py`).

Spec: `tensor-compiler.ja §1.7`, `§5` (resources), `§6` (cost), `§10` (fallback).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects import region
from ..dialects.plan import ScheduleAttr
from ..errors import InvalidAttributeValue, NoPlanFits, PlanMismatch, Unsupported
from ..planning.explain import Explanation, is_asked, row, say
from ..planning.rules import check_plan, epilogue_labels, fragment_edges, instruction, tails
from ..planning.warp_specialized.rules import role_instruction
from .input_level import require_level

if TYPE_CHECKING:
    from ..analysis.regions.contraction import Contraction
    from ..analysis.regions.kernel_space import KernelSpace
    from ..dialects.plan.schedule import Schedule
    from ..planning.multistage.resources import Problem, Shape
    from ..planning.warp_specialized.resources import RoleShape
    from ..targets.architectures import Arch
    from ..targets.machines import Machine
    from ..targets.mma import Mma

ROLES = True
"""Whether plans for sm90 have roles where nothing is said."""


@dataclass(frozen=True)
class PlanRegions(ModulePass):
    """
    Writes a Schedule Plan on every region that has none.
    """

    name = "plan-regions"
    arch: str = "sm80"
    """sm80, sm86, sm89 or sm90 (also: sm90a)."""
    fallback: int = 0
    """How many candidates to skip, best first."""
    stages: int | None = None
    """Depth of the shared-memory rings, 2 to 8."""
    split: int | None = None
    """Into how many parts k is split."""
    machine: str | None = None
    """The GPU whose figures rank the candidates."""
    roles: bool = ROLES
    """Consider warp-specialized kernels on sm90."""

    def __post_init__(self) -> None:
        from ..dialects.plan.schedule import MOST_PARTS
        from ..targets.architectures import arch_named
        from ..targets.machines import MACHINES

        arch = arch_named(self.arch)
        fitting = [machine.name for machine in MACHINES.values() if machine.arch == arch.name]
        for name, value, legal, help in (
            ("fallback", self.fallback, self.fallback >= 0, "0 is the best plan"),
            ("stages", self.stages, self.stages is None or 2 <= self.stages <= 8, "a ring has 2 to 8 stages"),
            (
                "split",
                self.split,
                self.split is None or 1 <= self.split <= MOST_PARTS,
                f"k is summed in 1 to {MOST_PARTS} parts",
            ),
            ("machine", self.machine, self.machine in (None, *fitting), f"for {arch.name} one of {', '.join(fitting)}"),
        ):
            if not legal:
                raise InvalidAttributeValue(name=name, problem=f"is {value!r}", help=help)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ..targets.architectures import arch_named
        from ..targets.machines import MACHINES, machine_of

        arch = arch_named(self.arch)
        machine = machine_of(arch.name) if self.machine is None else MACHINES[self.machine]
        require_level(op, "region.kernel", self.name)
        for kernel in [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]:
            plan_region(kernel, arch, self.fallback, self.stages, self.split, machine, self.roles)


def plan_region(
    kernel: region.RegionKernelOp,
    arch: Arch,
    fallback: int = 0,
    stages: int | None = None,
    split: int | None = None,
    machine: Machine | None = None,
    roles: bool = ROLES,
) -> None:
    """Gives one kernel its plan. Raises `NoPlanFits` at the end of the ladder."""
    from ..targets.machines import machine_of

    planner = Planner(kernel, arch, machine or machine_of(arch.name), stages, split, roles)
    if kernel.plan is not None:
        planner.check(kernel.plan.schedule())
        if is_asked():
            planner.explain(kernel.plan.schedule(), "it stood there")
        return
    plans = [plan for plan in planner.role_plans if planner.overflow(plan) is None]
    if fallback >= len(plans):
        plans += [plan for plan in planner.plans if planner.overflow(plan) is None]
    if fallback >= len(plans):
        raise planner.fails(planner.exhausted(len(plans)), "give a smaller tile by hand: plan #plan.schedule<{…}>")
    kernel.plan = ScheduleAttr(plans[fallback])
    if is_asked():
        planner.explain(plans[fallback], f"step {fallback} of the ladder" if fallback else "")
    count("plans made")
    count("plans considered", len(plans))


@dataclass(frozen=True)
class Planner:
    """What there is to know when a kernel is planned for a machine."""

    kernel: region.RegionKernelOp
    arch: Arch
    machine: Machine
    stages: int | None = None
    split: int | None = None
    roles: bool = ROLES

    @cached_property
    def space(self) -> KernelSpace:
        from ..analysis.regions.kernel_space import kernel_space

        return kernel_space(self.kernel)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return epilogue_labels(self.kernel, self.space)

    @cached_property
    def problem(self) -> Problem | None:
        """The contraction, if there is one, as the instructions of warps see it. Raises `Unsupported` if none does it."""
        c = self.space.contraction
        return self._problem(c, instruction(c)) if c is not None else None

    @cached_property
    def role_problem(self) -> Problem | None:
        """The contraction, if there is one and wgmma does it."""
        c = self.space.contraction
        mma = role_instruction(c) if c is not None and self.arch.name == "sm90" else None
        return self._problem(c, mma) if c is not None and mma is not None else None

    def _problem(self, c: Contraction, mma: Mma) -> Problem:
        from ..planning.multistage.resources import problem_of

        return problem_of(self.kernel, self.space, c, mma, len(self.labels))

    @cached_property
    def role_plans(self) -> Sequence[Schedule]:
        """Those with roles, best first, if they are wanted and wgmma does the contraction."""
        from ..planning.warp_specialized.candidates import role_ladder

        if not self.roles or (problem := self.role_problem) is None:
            return []
        return [self.with_roles(s, problem) for s in role_ladder(problem, self.machine, self.stages, self.split)]

    @cached_property
    def plans(self) -> Sequence[Schedule]:
        """The ladder without roles, best first; none of a contraction that only wgmma does."""
        from ..planning.multistage.candidates import ladder

        if self.role_plans and self.role_only:
            return []
        if (problem := self.problem) is None:
            return self.elementwise()
        return [self.contraction(shape, problem) for shape in ladder(problem, self.machine, self.stages, self.split)]

    @property
    def role_only(self) -> bool:
        """Whether no instruction of warps does the contraction."""
        try:
            return self.problem is None
        except Unsupported:
            return True

    def check(self, plan: Schedule) -> None:
        """A plan by hand: for this machine, for this region, within the limits."""
        if plan.arch != self.arch.name:
            help = f"remove it, or run plan-regions{{arch={plan.arch}}}"
            problem = f"it is for {plan.arch}"
            raise PlanMismatch(self.kernel, kernel=self.kernel.sym_name.data, problem=problem, help=help)
        check_plan(self.kernel, plan, self.space)
        if (over := self.overflow(plan)) is not None:
            raise self.fails(*over)

    def overflow(self, plan: Schedule) -> tuple[str, str] | None:
        """What the machine cannot hold, and what to change; None if all fits."""
        from ..planning.multistage.resources import grid_overflow, overflow, shape_of
        from ..planning.warp_specialized.resources import role_overflow, role_shape_of

        if plan.warp_specialized:  # persistent blocks: no grid is too large
            return role_overflow(role_shape_of(plan), self.role_problem, self.arch) if self.role_problem else None
        over = overflow(shape_of(plan), self.problem, self.arch) if self.problem is not None else None
        return over or grid_overflow(plan, self.space)

    def fails(self, problem: str, help: str) -> NoPlanFits:
        return NoPlanFits(
            self.kernel, kernel=self.kernel.sym_name.data, arch=self.arch.name, problem=problem, help=help
        )

    def exhausted(self, fitted: int) -> str:
        """How far the ladder went, and the number that ended it."""
        given = (("stages", self.stages), ("split", self.split))
        asked = " and ".join(f"{name} = {value}" for name, value in given if value is not None)
        tried = f"all {fitted} plans{' of ' if asked else ''}{asked} were tried"
        if self.plans and not fitted and (over := self.overflow(self.plans[0])) is not None:
            return f"{tried}: with tile {list(self.plans[0].tile)} {over[0]}"
        if not self.plans and not self.role_plans and self.problem is not None:
            bk = self.problem.least_bk
            steps = -(-self.space.k // bk)
            return (
                f"{tried}: k = {self.space.k} has {steps} steps of BK = {bk}, of which {self.split} parts are not equal"
            )
        return tried

    # --- why ------------------------------------------------------------------------------------

    def explain(self, plan: Schedule, why: str) -> None:
        """Says what was considered, and why it was this one: the fastest, or what the caller knows of it."""
        rows, rejected = self.considered(self.roles or plan.warp_specialized)
        chosen = self.row(plan)
        if not why and len(rows) > 1 and "total" in chosen:
            more = rows[1]["total"] / chosen["total"] - 1
            why = f"it takes the fewest clocks, the next {100 * more:.1f} % more; {chosen['limit']} limits it"
        space, sizes = self.space, "x".join(map(str, self.space.sizes))
        problem = f"m = {space.m}, n = {space.n}, k = {space.k} of {sizes}" if space.contraction else f"{sizes}"
        name = self.kernel.sym_name.data
        say(Explanation(name, self.machine.name, problem, rows, chosen, why or "it is the largest that fits", rejected))

    def considered(self, roles: bool) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
        """Rows of all candidates, best first, and what was rejected with the number that overflowed."""
        from ..planning.multistage import candidates as plan_candidates
        from ..planning.warp_specialized import candidates as hopper_candidates

        asked = self.machine, self.stages, self.split
        if self.space.contraction is None:
            return [self.row(plan) for plan in self.elementwise()], []
        if roles and (p := self.role_problem) is not None:
            rows = [self.row(self.with_roles(s, p)) for s in hopper_candidates.ranked(p, *asked)]
            over = [(self.with_roles(s, p), o) for s, o in hopper_candidates.candidates(p, *asked) if o is not None]
        elif (p := self.problem) is not None:
            rows = [self.row(self.contraction(s, p)) for s in plan_candidates.ranked(p, *asked)]
            over = [(self.contraction(s, p), o) for s, o in plan_candidates.candidates(p, *asked) if o is not None]
        else:
            return [], []
        return rows, [(f"{'x'.join(map(str, plan.tile))} of {plan.warp_tile}", o[0]) for plan, o in over]

    def row(self, plan: Schedule) -> dict[str, Any]:
        from ..planning.multistage import resources as plan_resources
        from ..planning.multistage.cost import estimate
        from ..planning.warp_specialized import resources as hopper_resources
        from ..planning.warp_specialized.cost import role_estimate

        if plan.warp_specialized and (p := self.role_problem) is not None:
            shape = hopper_resources.role_shape_of(plan)
            time, shared = role_estimate(shape, p, self.machine), hopper_resources.shared_bytes(shape, p)
            return row(plan, time, shared, hopper_resources.sums(shape, p), time.tflops(p, self.machine))
        if self.space.contraction is None or (p := self.problem) is None:
            return row(plan, None, 0, 0, 0)
        shape = plan_resources.shape_of(plan)
        time, shared = estimate(shape, p, self.machine), plan_resources.shared_bytes(shape, p.bytes)
        return row(plan, time, shared, plan_resources.registers(shape, p), time.tflops(p, self.machine))

    # --- plans ------------------------------------------------------------------------------------

    def contraction(self, shape: Shape, problem: Problem) -> Schedule:
        from ..dialects.plan.schedule import Cache, LocalEdge, Schedule, Vectorize
        from ..planning.multistage.cost import joining

        edges = [LocalEdge(source="sum", target=label) for label in self.labels[:1]]
        if shape.buffers > 1:
            edges = [*fragment_edges(), *edges]
        columns, axis = (shape.warp[0], "m.i.i") if shape.transposed else (shape.warp[1], "n.i.i")
        return Schedule(
            arch=self.arch.name,
            tile=shape.tile,
            stages=shape.stages,
            warp_tile=f"{shape.warp[0]}x{shape.warp[1]}",
            split=shape.split,
            bind=self.bind(shape.tile) | {"m.i.o": "warp.y", "n.i.o": "warp.x"},
            cache=(Cache(tensor="A"), Cache(tensor="B")),
            vectorize=Vectorize(axis=axis, width=8 if columns % 32 == 0 else 4 if columns % 16 == 0 else 2),
            predicate_tail=tails(shape.tile, self.space),
            epilogue=self.labels,
            layout_hints={"A_swizzle": True, "B_swizzle": True, "C_stride": "col" if shape.transposed else "row"},
            algo_choice={"matmul": joining(shape, problem, self.machine)[0]},
            local_edges=tuple(edges),
        )

    def with_roles(self, shape: RoleShape, problem: Problem) -> Schedule:
        from msgspec import UNSET

        from ..dialects.plan.schedule import Cache, LocalEdge, Schedule, Vectorize
        from ..planning.multistage.cost import joining

        columns = shape.oriented[1][1]
        return Schedule(
            arch=self.arch.name,
            tile=shape.tile,
            stages=shape.stages,
            warp_tile=f"{shape.warp[0]}x{shape.warp[1]}",
            roles=shape.roles,
            cluster=shape.cluster,
            order=shape.order,
            epilogue_tile=shape.epilogue_tile or UNSET,
            split=shape.split,
            cache=(Cache(tensor="A"), Cache(tensor="B")),
            vectorize=Vectorize(axis="m.i.i" if shape.transposed else "n.i.i", width=8 if columns % 16 == 0 else 4),
            predicate_tail=tails(shape.tile, self.space),
            epilogue=self.labels,
            layout_hints={"A_swizzle": True, "B_swizzle": True, "C_stride": "col" if shape.transposed else "row"},
            algo_choice={"matmul": "stream_k" if shape.stream_k else joining(shape, problem, self.machine)[0]},
            local_edges=tuple(LocalEdge(source="sum", target=label) for label in self.labels[:1]),
        )

    def elementwise(self) -> list[Schedule]:
        from ..dialects.plan.schedule import Schedule, Vectorize

        m, n = self.space.m, self.space.n
        columns = min(1024, max(8, power_of_two(n)))
        rows = max(1, min(power_of_two(m), 1024 // columns))
        width = 4 if n % 4 == 0 else 2 if n % 2 == 0 else 1
        return [
            Schedule(
                arch=self.arch.name,
                tile=(height, columns),
                bind=self.bind((height, columns)),
                vectorize=Vectorize(axis="n.i.i", width=width),
                predicate_tail=tails((height, columns), self.space),
                epilogue=self.labels,
            )
            for height in dict.fromkeys(max(1, rows // step) for step in (1, 2, 4))
        ]

    def bind(self, tile: Sequence[int]) -> dict[str, str]:
        """n over x, m over y, the rest over z; m over x where there are more rows of tiles than y can count."""
        from ..targets.architectures import GRID_LIMIT

        tall = -(-self.space.m // tile[0]) > GRID_LIMIT[1]
        return {"m.o": "block.x", "n.o": "block.y"} if tall else {"m.o": "block.y", "n.o": "block.x"}


def power_of_two(n: int) -> int:
    """The least power of two that is at least n."""
    return 1 << (n - 1).bit_length()
