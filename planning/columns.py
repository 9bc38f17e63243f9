"""
The columns template: a block reduces a range of columns, some rows at a time.

```
tile 32x256, warp_tile 4x256:     8 warps of 4 rows, whose lanes hold 8 columns each      a thread has 4 loads in flight
tile 32x64,  warp_tile 16x64:     2 warps; 8 lanes hold a row, 4 rows at a time
```

Each thread accumulates its elements of all tiles; at the end, lanes and warps that hold the same columns combine their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Literal

from ..analysis.regions.columns import Columns, columns_of
from ..analysis.regions.space import KernelSpace
from ..dialects.common.shapes import element
from ..dialects.plan.schedule import Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
from ..targets.architectures import SECTOR, WARP
from ..targets.mma import element_bytes
from .elementwise import WIDEST, WIDTHS, grid_rules, power_of_two
from .multistage.resources import grid_overflow
from .problem import Overflow
from .rules import DIRECT, Rule, field_rule, tails
from .template import Template, distinct

LOADS = 4
"""Number of rows that a thread loads at a time."""
WARPS = 8
"""Maximum number of warps that share columns."""
MAX_PADDING = 1.125
"""Maximum ratio of the rows of whole tiles to the rows of the array; if it is exceeded, fewer warps share the columns."""
FEWEST_WARPS = 4
"""Minimum number of warps of a block, if there are enough columns."""


def _rules(plan: Schedule, _: KernelSpace | PtoKernelOp) -> Iterator[Rule]:
    yield from grid_rules(plan)
    holds = {"conv": DIRECT, **plan.algo_choice} == {"conv": DIRECT, "reduce": "columns"}
    yield field_rule(holds, "algo_choice", 'must be {reduce = "columns"}')
    (rows, columns), width = plan.warp, plan.vectorize.width
    lanes = columns // width
    yield field_rule(
        columns % width == 0 and WARP % lanes == 0 and rows % (WARP // lanes) == 0,
        "warp_tile",
        f"must have as many vectors of {width} columns as some lanes of a warp, and whole rows for the others",
    )


class ColumnReductions(Template):
    """The template of regions that reduce the columns of arrays with the same number of rows, each contiguous in memory."""

    family = "columns"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.reduces_columns

    @cached_property
    def columns(self) -> Columns | str:
        return columns_of(self.request.kernel, self.space)

    @property
    def matches(self) -> bool:
        return isinstance(self.columns, Columns)

    def ranked(self) -> Sequence[Schedule]:
        return distinct(self.plan(loads) for loads in (LOADS, 2, 1))

    @cached_property
    def width(self) -> Literal[8, 4, 2, 1]:
        """Vector width in columns: 16 bytes of the narrowest type that the reductions read, or less if that does not divide n."""
        loads = self.columns.loads if isinstance(self.columns, Columns) else ()
        widest = WIDEST // min((element_bytes(element(value)) for value, _ in loads), default=4)
        return next(width for width in WIDTHS if width <= widest and self.space.n % width == 0)

    def plan(self, loads: int) -> Schedule:
        """Returns the plan in which each thread loads `loads` rows of a tile at a time, or fewer if the array has too few rows."""
        width, rows = self.width, self.columns.rows if isinstance(self.columns, Columns) else 1
        vectors = self.space.n // width
        narrow = max(1, SECTOR // (WIDEST if width > 1 else 4))
        lanes = min((n for n in (32, 16, 8, 4, 2, 1) if n >= narrow), key=lambda n: (-(-vectors // n) * n, -n))
        held = min(loads, power_of_two(-(-rows * lanes // WARP))) * (WARP // lanes)
        down = next(n for n in (WARPS, 4, 2, 1) if -(-rows // (held * n)) * held * n <= MAX_PADDING * rows or n == 1)
        across = min(max(1, FEWEST_WARPS // down), power_of_two(-(-vectors // lanes)))
        tile = (held * down, width * lanes * across)
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            warp_tile=f"{held}x{width * lanes}",
            bind=self.bind((1, tile[1])),
            vectorize=Vectorize(axis="n.i.i", width=width),
            predicate_tail=tails((1, tile[1]), self.space),
            epilogue=self.request.labels,
            algo_choice={"reduce": "columns", **self.request.convolution(DIRECT)},
        )

    def overflow(self, plan: Schedule) -> Overflow | None:
        held, limit = prod(plan.warp) // WARP, self.request.arch.registers_per_thread
        if held > limit:
            problem = f"its rows take {held} registers a thread, the limit is {limit}"
            return Overflow(problem, "use a smaller warp_tile")
        return grid_overflow(plan, self.space)

    rules = program_rules = staticmethod(_rules)
