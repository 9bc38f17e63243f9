"""
The template that matches every region: a block computes a tile of m x n points of the kernel space, spread over its threads.

A thread computes each element alone, including its reductions, so that only regions without reductions are fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.regions.kernel_space import KernelSpace
from ..dialects import tiny
from ..dialects.plan.schedule import Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
from ..targets.architectures import WARPGROUP
from .multistage.resources import grid_overflow
from .problem import Overflow
from .rules import Rule, field_rule, tails
from .template import Template


def _rules(plan: Schedule, _: KernelSpace | PtoKernelOp) -> Iterator[Rule]:
    blocks = {plan.bind.get("m.o", "block.y"), plan.bind.get("n.o", "block.x")}
    yield field_rule(
        set(plan.bind) <= {"m.o", "n.o"} and blocks == {"block.x", "block.y"},
        "bind",
        "must have m.o and n.o, one on block.x and the other on block.y",
    )
    for field in ("algo_choice", "cache", "layout_hints", "local_edges"):
        yield field_rule(not getattr(plan, field), field, "must be empty: no instruction multiplies here")


class Elementwise(Template):
    """Regions without a contraction, and regions whose contraction no instruction can multiply."""

    family = "elementwise"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return len(plan.tile) == 2 and not plan.holds_rows

    @property
    def matches(self) -> bool:
        return True

    def ranked(self) -> Sequence[Schedule]:
        m, n = self.space.m, self.space.n
        reduces = any(isinstance(op, tiny.ReduceOp) for op in self.request.kernel.body.block.ops)
        points = WARPGROUP if reduces else 1024
        columns = min(points, max(8, power_of_two(n)))
        rows = max(1, min(power_of_two(m), points // columns))
        width = 1 if reduces else 4 if n % 4 == 0 else 2 if n % 2 == 0 else 1
        return [
            Schedule(
                arch=self.request.arch.name,
                tile=(height, columns),
                bind=self.bind((height, columns)),
                vectorize=Vectorize(axis="n.i.i", width=width),
                predicate_tail=tails((height, columns), self.space),
                epilogue=self.request.labels,
            )
            for height in dict.fromkeys(max(1, rows // step) for step in (1, 2, 4))
        ]

    def overflow(self, plan: Schedule) -> Overflow | None:
        return grid_overflow(plan, self.space)

    rules = program_rules = staticmethod(_rules)


def power_of_two(n: int) -> int:
    """Returns the smallest power of two that is at least `n`."""
    return 1 << (n - 1).bit_length()
