"""
The rows template. Depending on its length, a row is held in the registers of some lanes of a warp, of a warp, or of several warps.
A row that is too long for the registers of a block is streamed, tile after tile.

```
tile 4x1024, warp_tile 1x1024:    a row a warp, 4 warps        lane l holds elements 8·(32·j + l) …, j = 0 … 3
tile 1x8192, warp_tile 1x1024:    a row in 8 warps             which exchange partial results through shared memory
tile 16x128, warp_tile 4x128:     8 lanes a row
tile 1x8192 of rows of 50257:     seven tiles a row            which the block reads once for each pass
```

Spec: `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ..analysis.regions.kernel_space import KernelSpace
from ..dialects import region
from ..dialects.common.shapes import element, shape
from ..dialects.plan.schedule import Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
from ..targets.architectures import WARP, WARPGROUP
from ..targets.mma import element_bytes
from .elementwise import power_of_two
from .multistage.resources import grid_overflow
from .problem import Overflow
from .rules import Rule, field_rule, tails
from .template import Template

Width = Literal[1, 2, 4, 8]
VECTORS = 4
"""Number of 16-byte loads that a thread has in flight, if the row is long enough."""
MAX_ROW_THREADS = 512
"""Maximum number of threads that hold a row in the first candidate; other candidates have up to twice as many."""
MAX_LENGTH = 16_384
"""Maximum length of a row that a block holds in registers, in elements."""
NARROW = 4
"""Minimum number of elements that count as a vector of a streamed tile, if unaligned rows require narrower loads."""
STREAMING_THREADS = 256
"""Number of threads of a block that streams rows: several blocks share a multiprocessor, so that some load while others compute."""
WIDEST = 16
"""Width of the widest access, in bytes."""


def _rules(plan: Schedule, _: KernelSpace | PtoKernelOp) -> Iterator[Rule]:
    blocks = {plan.bind.get("m.o", "block.y"), plan.bind.get("n.o", "block.x")}
    yield field_rule(
        set(plan.bind) <= {"m.o", "n.o"} and blocks == {"block.x", "block.y"},
        "bind",
        "must be m.o and n.o, one on block.x and the other on block.y",
    )
    for field in ("algo_choice", "cache", "layout_hints", "local_edges"):
        yield field_rule(not getattr(plan, field), field, "must be empty: this template uses no multiply instruction")
    rows, columns = plan.warp
    yield field_rule(
        WARP % rows == 0 and columns % (WARP // rows * plan.vectorize.width) == 0,
        "warp_tile",
        f"must have rows that divide {WARP}, and whole vectors of {plan.vectorize.width} for each lane of a row",
    )


class Rows(Template):
    """The template of regions whose reductions are along rows of the same length."""

    family = "rows"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.holds_rows

    @property
    def matches(self) -> bool:
        return self.space.of_rows

    def ranked(self) -> Sequence[Schedule]:
        length, width = self.space.n, self.width
        if length > MAX_LENGTH:
            return [self.streaming(vectors, width) for vectors in (VECTORS, 2, 1)]
        fewest = min(power_of_two(-(-length // (width * VECTORS))), MAX_ROW_THREADS)
        return [self.plan(fewest * more, width) for more in (1, 2, 4) if fewest * more <= 2 * MAX_ROW_THREADS]

    @property
    def width(self) -> Width:
        """Vector width in elements: 16 bytes of the narrowest element type, or less if that does not divide the row's length."""
        values = [op.results[0] for op in self.request.kernel.body.block.ops if isinstance(op, region.LoadOp)]
        sizes = [element_bytes(element(v)) for v in values if shape(v)]
        widest = WIDEST // min(sizes, default=4)
        widths: tuple[Width, ...] = (8, 4, 2, 1)
        return next(width for width in widths if width <= widest and self.space.n % width == 0)

    def plan(self, threads: int, width: Width) -> Schedule:
        """Returns the plan in which `threads` threads hold a row and access `width` elements at a time."""
        lanes = min(threads, WARP)
        columns = -(-self.space.n // (threads * width)) * lanes * width
        rows = max(1, WARPGROUP // threads)
        return self.schedule((rows, columns * (threads // lanes)), (WARP // lanes, columns), width)

    def streaming(self, vectors: int, width: Width) -> Schedule:
        """Returns the plan in which each thread holds `vectors` vectors of a tile, each of at least `NARROW` elements."""
        columns = max(width, NARROW) * vectors * WARP
        return self.schedule((1, columns * (STREAMING_THREADS // WARP)), (1, columns), width)

    def schedule(self, tile: tuple[int, int], warp: tuple[int, int], width: Width) -> Schedule:
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            warp_tile=f"{warp[0]}x{warp[1]}",
            bind={"m.o": "block.x", "n.o": "block.y"},
            vectorize=Vectorize(axis="n.i.i", width=width),
            predicate_tail=tails(tile, self.space),
            epilogue=self.request.labels,
        )

    def overflow(self, plan: Schedule) -> Overflow | None:
        rows, columns = plan.warp
        held, limit = rows * columns // WARP, self.request.arch.registers_per_thread
        if held > limit:
            problem = f"its rows take {held} registers a thread, the limit is {limit}"
            return Overflow(problem, "use a narrower warp_tile: more lanes or warps for a row")
        return grid_overflow(plan, self.space)

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield from _rules(plan, space)
        yield field_rule(space.of_rows, "warp_tile", "must be left out: this region has no rows")

    program_rules = staticmethod(_rules)
