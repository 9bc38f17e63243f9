"""
The multistage template: a ring of cp.async stages, ldmatrix and mma.sync, on every architecture from sm80 on.

One block computes a tile; its warps share the tile and all of them copy, wait and multiply.
"""

from __future__ import annotations

from msgspec import structs

from ...analysis.regions.operands import prologue_ops
from ...dialects.plan.schedule import Schedule, Vectorize
from ...targets.mma import Mma, mma_for, wgmma_for
from ..problem import Overflow
from ..template import ContractionTemplate, Request
from ..warp_specialized.rules import BOTH_COMPUTED
from . import candidates, cost, resources
from .resources import Shape
from .rules import contraction_rules, fragment_edges, program_rules


class Multistage(ContractionTemplate[Shape]):
    """The template of contractions that multiply with the instructions of a warp (mma.sync)."""

    def __init__(self, request: Request):
        super().__init__(request, candidates, resources, cost.estimate)

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return len(plan.tile) == 3 and not plan.warp_specialized

    def instruction(self) -> Mma | None:
        c = self.space.contraction
        return None if c is None or self.space.chained else mma_for(*c.dtypes, c.precision)

    def overflow(self, plan: Schedule) -> Overflow | None:
        return super().overflow(plan) or resources.grid_overflow(plan, self.space)

    def completed(self, plan: Schedule) -> Schedule:
        """Returns the plan with the order of tiles in which the product reads the fewest sectors."""
        shape = cost.ordered(resources.shape_of(plan), self.known, self.request.machine)
        return structs.replace(plan, order=shape.order)

    rules = staticmethod(contraction_rules)
    program_rules = staticmethod(program_rules)

    @property
    def slower(self) -> str:
        c, computed = self.space.contraction, prologue_ops(self.space)
        if c is None or not self.request.arch.has_wgmma or wgmma_for(*c.dtypes, c.precision) is None:
            return ""
        if all(computed):
            return f"wgmma would be faster, but {BOTH_COMPUTED}"
        if self.space.members is not None:
            return "wgmma would be faster, but the epilogue combines several products, of each of which a warp holds an accumulator"
        if self.space.of_rows:
            return "wgmma would be faster, but the epilogue reduces rows, which a warp must hold"
        return (
            "wgmma would be faster, but no plan fits: its rows in shared memory have 32 bytes or more"
            if self.request.roles
            else ""
        )

    def plan(self, shape: Shape) -> Schedule:
        columns, axis = (shape.warp[0], "m.i.i") if shape.transposed else (shape.warp[1], "n.i.i")
        unroll = candidates.unrolled_steps(shape, self.known)
        return self.schedule(
            shape,
            order=shape.order,
            edges=fragment_edges() if shape.buffers > 1 else (),
            bind=self.bind(shape.tile) | {"m.i.o": "warp.y", "n.i.o": "warp.x"},
            unroll={"k.o": unroll} if unroll > 1 else {},
            vectorize=Vectorize(axis=axis, width=8 if columns % 32 == 0 else 4 if columns % 16 == 0 else 2),
        )
