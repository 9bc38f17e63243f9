"""
The template of elementwise regions: a block computes a tile of m x n points of the kernel space, spread over its threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.regions.kernel_space import KernelSpace
from ..dialects.plan.schedule import Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
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
        yield field_rule(not getattr(plan, field), field, "must be empty: this region contracts nothing")


class Elementwise(Template):
    """Regions without a contraction."""

    family = "elementwise"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return len(plan.tile) == 2

    @property
    def matches(self) -> bool:
        return self.space.contraction is None

    def ranked(self) -> Sequence[Schedule]:
        m, n = self.space.m, self.space.n
        columns = min(1024, max(8, power_of_two(n)))
        rows = max(1, min(power_of_two(m), 1024 // columns))
        width = 4 if n % 4 == 0 else 2 if n % 2 == 0 else 1
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
    """Returns the least power of two that is at least n."""
    return 1 << (n - 1).bit_length()
