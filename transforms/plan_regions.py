"""
`plan-regions{arch=sm80}`: writes a Schedule Plan on every region that has none.

A contraction gets the tile, warp tile, BK, depth and split of the candidate with the least estimated time on the
architecture, by element type and shape (`analysis/plan_candidates.py`, `analysis/roofline.py`): within the machine's
limits, and nothing that the lowering refuses (`plan_rules.py`).

`retreat=N` gives the plan N steps further down the ladder *single fragments → fewer stages → fewer registers*, which
smaller warp tiles need: the compile driver asks for it when the compiled kernel spills. `stages=N` makes every ring N
deep, `split=N` sums every contraction in N parts. A plan that stands on a region already is kept if it keeps the
rules and fits.

Spec: `tensor-compiler.ja §1.7`, `§5` (resources), `§6` (cost), `§10` (retreat).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.statistics import count
from ..dialects import region
from ..dialects.plan import ScheduleAttr
from ..errors import InvalidAttributeValue, NoPlanFits, PlanMismatch
from .plan_rules import check_plan, epilogue_labels, fragment_edges, instruction, tails

if TYPE_CHECKING:
    from ..analysis.arch import Arch
    from ..analysis.kernel_space import KernelSpace
    from ..analysis.plan_resources import Problem, Shape
    from ..dialects.schedule import Schedule


@dataclass(frozen=True)
class PlanRegions(ModulePass):
    """Plans for `arch`; `retreat` steps down the ladder, `stages` fixes the depth of the rings, `split` the parts of k."""

    name = "plan-regions"
    arch: str = "sm80"
    retreat: int = 0
    stages: int | None = None
    split: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from ..analysis.arch import ARCHS
        from ..dialects.schedule import MOST_PARTS

        if self.arch not in ARCHS:
            raise InvalidAttributeValue(name="arch", problem=f"is '{self.arch}'", help=f"one of {', '.join(ARCHS)}")
        if self.retreat < 0:
            raise InvalidAttributeValue(name="retreat", problem=f"is {self.retreat}", help="0 is the best plan")
        if self.stages is not None and not 2 <= self.stages <= 8:
            raise InvalidAttributeValue(name="stages", problem=f"is {self.stages}", help="a ring has 2 to 8 stages")
        if self.split is not None and not 1 <= self.split <= MOST_PARTS:
            raise InvalidAttributeValue(
                name="split", problem=f"is {self.split}", help=f"k is summed in 1 to {MOST_PARTS} parts"
            )
        for kernel in [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]:
            plan_region(kernel, ARCHS[self.arch], self.retreat, self.stages, self.split)


def plan_region(
    kernel: region.RegionKernelOp,
    arch: Arch,
    retreat: int = 0,
    stages: int | None = None,
    split: int | None = None,
) -> None:
    """Gives one kernel its plan. Raises `NoPlanFits` at the end of the ladder."""
    planner = Planner(kernel, arch, stages, split)
    if kernel.plan is not None:
        planner.check(kernel.plan.schedule())
        return
    plans = [plan for plan in planner.plans if planner.overflow(plan) is None]
    if retreat >= len(plans):
        raise planner.fails(planner.exhausted(len(plans)), "give a smaller tile by hand: plan #plan.schedule<{…}>")
    kernel.plan = ScheduleAttr(plans[retreat])
    count("plans made")
    count("plans considered", len(plans))


@dataclass(frozen=True)
class Planner:
    """What there is to know when a kernel is planned for a machine."""

    kernel: region.RegionKernelOp
    arch: Arch
    stages: int | None = None
    split: int | None = None

    @cached_property
    def space(self) -> KernelSpace:
        from ..analysis.kernel_space import kernel_space

        return kernel_space(self.kernel)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return epilogue_labels(self.kernel, self.space)

    @cached_property
    def problem(self) -> Problem | None:
        """The contraction, if there is one."""
        from ..analysis.plan_resources import problem_of

        c = self.space.contraction
        return problem_of(self.kernel, self.space, c, instruction(c)) if c is not None else None

    @cached_property
    def plans(self) -> Sequence[Schedule]:
        """The ladder, best first."""
        from ..analysis.plan_candidates import ladder

        if (problem := self.problem) is None:
            return self.elementwise()
        return [self.contraction(shape, problem) for shape in ladder(problem, self.arch, self.stages, self.split)]

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
        from ..analysis.plan_resources import grid_overflow, overflow, shape_of

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
        if self.problem is not None and not self.plans:
            bk = self.problem.least_bk
            steps = -(-self.space.k // bk)
            return (
                f"{tried}: k = {self.space.k} has {steps} steps of BK = {bk}, of which {self.split} parts are not equal"
            )
        return tried

    # --- plans ------------------------------------------------------------------------------------

    def contraction(self, shape: Shape, problem: Problem) -> Schedule:
        from ..analysis.roofline import joining
        from ..dialects.schedule import Cache, LocalEdge, Schedule, Vectorize

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
            algo_choice={"matmul": joining(shape, problem)[0]},
            local_edges=tuple(edges),
        )

    def elementwise(self) -> list[Schedule]:
        from ..dialects.schedule import Schedule, Vectorize

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
        from ..analysis.arch import GRID_LIMIT

        tall = -(-self.space.m // tile[0]) > GRID_LIMIT[1]
        return {"m.o": "block.x", "n.o": "block.y"} if tall else {"m.o": "block.y", "n.o": "block.x"}


def power_of_two(n: int) -> int:
    """The least power of two that is at least n."""
    return 1 << (n - 1).bit_length()
