"""
The planner's interface to a kernel template: which regions it matches, its plans for a region, and their cost.

```
region + machine  →  Request  →  the templates that match, by preference
                                 for each: candidates → the candidates that fit, ranked by cost → fallbacks
```

`transforms/region_to_pto` writes the tile program of a template's family; `transforms/pto_to_nv` lowers it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from ..analysis.regions.contraction import is_convolution
from ..analysis.regions.kernel_space import kernel_space
from ..analysis.regions.space import KernelSpace
from ..dialects.plan.schedule import Cache, LocalEdge, Schedule
from ..dialects.pto import PtoKernelOp
from ..dialects.region import RegionKernelOp
from ..targets.architectures import GRID_LIMIT, Arch, arch_named
from ..targets.machines import Machine, machine_of
from ..targets.mma import Mma
from .cost import PARTS, Estimate, splitk_reduction
from .epilogue import epilogue_labels
from .problem import Overflow, Problem, Tiling, problem_of
from .rules import IMPLICIT, Rule, tails

S = TypeVar("S", bound=Tiling)
S_co = TypeVar("S_co", bound=Tiling, covariant=True)


@dataclass(frozen=True)
class Request:
    """
    A region to plan for a machine. The user may fix `stages`, `split` and the algorithm of `attention`, or forbid warp specialization
    (`roles`).
    """

    kernel: RegionKernelOp
    arch: Arch
    machine: Machine
    stages: int | None = None
    split: int | None = None
    roles: bool = True
    attention: str | None = None

    by_rows: bool | None = None
    """The space of the kernel, as in `kernel_space`."""

    @classmethod
    def of(cls, kernel: RegionKernelOp, arch: str, **fields: Any) -> Request:
        """Returns the request for an architecture's default machine, with further fields."""
        return cls(kernel, arch_named(arch), machine_of(arch), **fields)

    @cached_property
    def space(self) -> KernelSpace:
        return kernel_space(self.kernel, self.by_rows)

    def for_plan(self, plan: Schedule) -> Request:
        """Returns the request in whose space a plan runs: that of the results of a kernel of rows, if a thread computes each alone."""
        return (
            self._of_results if self.space.of_rows and self.space.contraction is None and not plan.holds_rows else self
        )

    @cached_property
    def _of_results(self) -> Request:
        return replace(self, by_rows=False)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return epilogue_labels(self.kernel, self.space)

    @cached_property
    def _convolves(self) -> bool:
        return is_convolution(self.kernel)

    def convolution(self, way: str) -> dict[str, str]:
        """Returns the entry of `algo_choice` for a convolution that is computed in this `way`; empty if the region has none."""
        return {"conv": way} if self._convolves else {}


def distinct(plans: Iterable[Schedule]) -> list[Schedule]:
    """Returns the plans without those that equal an earlier one."""
    found: list[Schedule] = []
    for plan in plans:
        if plan not in found:
            found.append(plan)
    return found


class Template(ABC):
    """The plans that one kernel template can have for a requested region."""

    family: ClassVar[str]
    """The name of the kind of tile program that `region-to-pto` writes for this template."""

    def __init__(self, request: Request):
        self.request = request
        self.space = request.space

    @classmethod
    @abstractmethod
    def owns(cls, plan: Schedule) -> bool:
        """Returns whether a plan asks for this template."""

    @property
    @abstractmethod
    def matches(self) -> bool:
        """Whether the template can compute the region."""

    @abstractmethod
    def ranked(self) -> Sequence[Schedule]:
        """Returns the plans that fit the machine, best first."""

    def fallbacks(self) -> Sequence[Schedule]:
        """Returns the best plan, followed by the plans to try if the compiled kernel needs too many registers."""
        return self.ranked()

    def completed(self, plan: Schedule) -> Schedule:
        """Returns a plan that was chosen with what was left open for all candidates."""
        return plan

    def rejected(self) -> Iterable[tuple[Schedule, Overflow]]:
        """Returns the candidates that exceed a limit of the machine, each with that limit."""
        return ()

    @abstractmethod
    def overflow(self, plan: Schedule) -> Overflow | None:
        """Returns the limit of the machine that a plan exceeds, or None."""

    @staticmethod
    @abstractmethod
    def rules(plan: Schedule, space: KernelSpace, /) -> Iterator[Rule]:
        """Yields the conditions under which the template can lower a region of this `space` with this plan."""

    @staticmethod
    @abstractmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp, /) -> Iterator[Rule]:
        """
        Yields the conditions under which the template can lower a tile program with this plan. They do not cover fields that only
        `region-to-pto` reads, as the tile program already expresses these.
        """

    def row(self, plan: Schedule) -> dict[str, Any]:
        """Returns the row of `--explain-plan` for a plan, as a map from column names to cells."""
        return {"tile": "x".join(map(str, plan.tile)), "threads": plan.threads}

    @property
    def slower(self) -> str:
        """Returns the note of `--explain-plan` on a faster form of the kernel and why this region does not allow it, or an empty string."""
        return ""

    def bind(self, tile: Sequence[int]) -> dict[str, str]:
        """Returns the grid axes of the tiles along m and n: y and x, or x and y if there are more tiles along m than y allows."""
        tall = -(-self.space.m // tile[0]) > GRID_LIMIT[1]
        return {"m.o": "block.x", "n.o": "block.y"} if tall else {"m.o": "block.y", "n.o": "block.x"}


class Candidates(Protocol[S_co]):
    """The interface of a template's module `candidates`: the shapes that its kernel can have for a problem on a machine."""

    def ranked(
        self, problem: Problem, machine: Machine, stages: int | None, split: int | None, /
    ) -> Sequence[S_co]: ...

    def fallbacks(
        self, problem: Problem, machine: Machine, stages: int | None, split: int | None, /
    ) -> Sequence[S_co]: ...

    def candidates(
        self, p: Problem, machine: Machine, stages: int | None, split: int | None, /
    ) -> Iterator[tuple[S_co, Overflow | None]]: ...


class Resources(Protocol[S]):
    """The interface of a template's module `resources`: the resources of the machine that its kernel uses."""

    def shape_of(self, plan: Schedule, /) -> S: ...

    def shared_bytes(self, shape: S, problem: Problem, /) -> int: ...

    def fragment_registers(self, shape: S, problem: Problem, /) -> int: ...

    def overflow(self, shape: S, problem: Problem, arch: Arch, /) -> Overflow | None: ...


class ContractionTemplate(Template, Generic[S]):
    """A template of contractions, whose plans follow from shapes of type `S`."""

    family = "contraction"

    def __init__(
        self,
        request: Request,
        shapes: Candidates[S],
        resources: Resources[S],
        estimate: Callable[[S, Problem, Machine], Estimate],
    ):
        super().__init__(request)
        self.shapes, self.resources, self.estimate = shapes, resources, estimate

    @property
    def matches(self) -> bool:
        return self.problem is not None

    def overflow(self, plan: Schedule) -> Overflow | None:
        if self.problem is None:
            return None
        return self.resources.overflow(self.resources.shape_of(plan), self.problem, self.request.arch)

    @abstractmethod
    def instruction(self) -> Mma | None:
        """Returns the instruction that multiplies the region's operands, or None if there is none."""

    @cached_property
    def problem(self) -> Problem | None:
        contraction = self.space.contraction
        if contraction is None or (mma := self.instruction()) is None:
            return None
        return problem_of(self.request.kernel, self.space, contraction, mma, len(self.request.labels))

    @property
    def known(self) -> Problem:
        """The problem of a region that the template matches."""
        if self.problem is None:
            raise ValueError(f"{type(self).__name__} does not match the region")
        return self.problem

    @property
    def _asked(self) -> tuple[Problem, Machine, int | None, int | None]:
        return self.known, self.request.machine, self.request.stages, self.request.split

    def ranked(self) -> Sequence[Schedule]:
        return [self.plan(shape) for shape in self.shapes.ranked(*self._asked)]

    def fallbacks(self) -> Sequence[Schedule]:
        return [self.plan(shape) for shape in self.shapes.fallbacks(*self._asked)]

    def rejected(self) -> Iterable[tuple[Schedule, Overflow]]:
        return ((self.plan(shape), over) for shape, over in self.shapes.candidates(*self._asked) if over is not None)

    @abstractmethod
    def plan(self, shape: S) -> Schedule: ...

    def schedule(self, shape: S, matmul: str | None = None, edges: Sequence[LocalEdge] = (), **fields: Any) -> Schedule:
        """Returns the plan of a shape: the fields that all contractions have, and `fields`."""
        labels = self.request.labels
        return Schedule(
            arch=self.request.arch.name,
            tile=shape.tile,
            stages=shape.stages,
            warp_tile=f"{shape.warp[0]}x{shape.warp[1]}",
            split=shape.split,
            cache=(Cache(tensor="A"), Cache(tensor="B")),
            predicate_tail=tails(shape.tile, self.space),
            epilogue=labels,
            layout_hints={"A_swizzle": True, "B_swizzle": True, "C_stride": "col" if shape.transposed else "row"},
            algo_choice={
                "matmul": matmul or splitk_reduction(shape, self.known, self.request.machine)[0],
                **self.request.convolution(IMPLICIT),
            },
            local_edges=(*edges, *(LocalEdge(source="sum", target=label) for label in labels[:1])),
            **fields,
        )

    def row(self, plan: Schedule) -> dict[str, Any]:
        if self.problem is None:
            return super().row(plan)
        shape = self.resources.shape_of(plan)
        time = self.estimate(shape, self.problem, self.request.machine)
        return {
            "tile": "x".join(map(str, plan.tile)),
            "warp_tile": str(plan.warp_tile),
            "roles": str(plan.roles) if plan.warp_specialized else "-",
            "cluster": "x".join(map(str, plan.cluster)),
            "order": plan.tile_order,
            "C_stride": plan.layout_hints.get("C_stride", "row"),
            "stages": plan.stages,
            "split": "stream_k" if plan.matmul == "stream_k" else str(plan.split),
            "waves": time.waves,
            **{name: round(getattr(time, name)) for name in (*PARTS, "total")},
            "shared_bytes": self.resources.shared_bytes(shape, self.problem),
            "registers": self.resources.fragment_registers(shape, self.problem),
            "tflops": round(time.tflops(self.problem, self.request.machine), 1),
            "limit": time.limit,
        }
