"""
The warp-specialized template: a producer warpgroup feeds consumer warpgroups through a ring in shared memory that mbarriers
synchronize; consumers multiply with wgmma. Blocks are persistent. The template needs wgmma, TMA and setmaxnreg: sm90a.
"""

from __future__ import annotations

from msgspec import UNSET

from ...analysis.regions.operands import prologue_ops
from ...dialects.plan.schedule import Schedule, Vectorize
from ...targets.mma import Mma, wgmma_for
from ..template import ContractionTemplate, Request
from . import candidates, cost, resources
from .resources import Shape
from .rules import contraction_rules, program_rules


class WarpSpecialized(ContractionTemplate[Shape]):
    """The template of contractions that multiply with the instruction of a warpgroup (wgmma)."""

    def __init__(self, request: Request):
        super().__init__(request, candidates, resources, cost.estimate)

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.warp_specialized

    @property
    def matches(self) -> bool:
        return self.request.roles and super().matches

    def instruction(self) -> Mma | None:
        c = self.space.contraction
        if (
            c is None
            or self.space.chained
            or not self.request.arch.has_wgmma
            or self.space.of_rows
            or self.space.members is not None
            or all(computed := prologue_ops(self.space))
            or (self.space.window is not None and computed[1])
        ):
            return None
        return wgmma_for(*c.dtypes, c.precision)

    rules = staticmethod(contraction_rules)
    program_rules = staticmethod(program_rules)

    def plan(self, shape: Shape) -> Schedule:
        columns = shape.oriented[1][1]
        return self.schedule(
            shape,
            matmul="stream_k" if shape.stream_k else None,
            roles=shape.roles,
            cluster=shape.cluster,
            order=shape.order,
            multiprocessors=self.request.machine.multiprocessors,
            epilogue_tile=shape.epilogue_tile or UNSET,
            accumulators=shape.accumulators,
            vectorize=Vectorize(axis="m.i.i" if shape.transposed else "n.i.i", width=8 if columns % 16 == 0 else 4),
        )
