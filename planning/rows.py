"""
The rows template: a row is held in the registers of some lanes of a warp, of one or several warps, or of the blocks of a cluster,
by its length. A longer row is streamed, tile after tile.

```
tile 4x1024, warp_tile 1x1024:    one warp per row, 4 warps    lane l holds elements 8·(32·j + l) …, j = 0 … 3
tile 1x8192, warp_tile 1x1024:    8 warps per row              which exchange partial results through shared memory
tile 16x128, warp_tile 4x128:     8 lanes per row
tile 1x8192, cluster 1x4:         4 blocks per row             which exchange partial results through their shared memory
tile 1x8192 of rows of 50257:     7 tiles per row              which the block reads once in each pass
tile 32x512, warp_tile 32x32:     16 warps for 32 rows         lane l holds rows 8·(l % 4) …, elements l / 4 + 8·(w + 16·j)
```

The last one is transposed, `C_stride = "col"`: the elements of adjacent rows are contiguous, so that vectors lie across rows.

Spec: `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Literal

from xdsl.ir import SSAValue

from ..analysis.index import affine
from ..analysis.regions.kernel_space import stored_values
from ..analysis.regions.passes import passes_of
from ..analysis.regions.space import KernelSpace
from ..dialects import region
from ..dialects.common.shapes import element, shape
from ..dialects.plan.schedule import ROW_CLUSTER_SIZES, Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
from ..targets.architectures import SECTOR, WARP, WARPGROUP
from ..targets.mma import element_bytes
from .elementwise import WIDEST, WIDTHS, direct_rule, grid_rules, power_of_two
from .multistage.resources import grid_overflow
from .problem import Overflow
from .row_time import memory_clocks
from .rules import DIRECT, Rule, field_rule, stride_rule, tails, tile_counts
from .template import Template, distinct

Width = Literal[1, 2, 4, 8]
VECTORS = 4
"""Minimum number of 16-byte loads that a thread has in flight, if the row is long enough."""
MAX_ROW_THREADS = 512
"""Maximum number of threads that hold a row in the first candidate; other candidates have up to twice as many."""
MAX_LENGTH = 16_384
"""Maximum length of a row that a block holds in registers, in elements."""
NARROW = 4
"""Minimum number of elements that count as a vector of a streamed tile, if unaligned rows require narrower loads."""
REALIGNED = 16
"""Minimum number of vectors of a row that it pays to realign: shorter rows consist of edges for the most part."""
STREAMING_THREADS = 256
"""Number of threads of a block that streams rows: several blocks share a multiprocessor, so that some load while others compute."""


def _rules(plan: Schedule, _: KernelSpace | PtoKernelOp) -> Iterator[Rule]:
    yield from grid_rules(plan, ("cache", "local_edges"))
    alone = plan.cluster == (1, 1)
    yield field_rule(alone or not plan.fuse, "fuse", "must be left out: the blocks of a cluster share a row along n.o")
    yield direct_rule(plan)
    yield stride_rule(plan)
    rows, columns = plan.warp
    if plan.transposed:
        width = plan.vectorize.width
        lanes = rows // width
        yield field_rule(
            rows % width == 0 and WARP % lanes == 0 and columns % (WARP // lanes) == 0,
            "warp_tile",
            f"must have as many vectors of {width} rows as some lanes of a warp, and whole elements of a row for the others",
        )
        yield field_rule(alone, "cluster", "must be [1, 1], as C_stride is col")
        return
    each = "must give a row as many lanes of a warp as the cluster has blocks, which each get the result from one"
    yield field_rule(alone or WARP // rows >= plan.cluster[1], "warp_tile", each)
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
        return self.space.of_rows and self.space.contraction is None

    def ranked(self) -> Sequence[Schedule]:
        if self.space.adjacent:
            return self.adjacent()
        if self.space.n <= MAX_LENGTH:
            return self.held(self.space.n)
        clusters = ROW_CLUSTER_SIZES if self.request.arch.has_tma else (1,)
        streams = [self.streaming(vectors, blocks) for vectors in (VECTORS, 2, 1) for blocks in clusters]
        held = [p for c in clusters if self.space.n <= c * MAX_LENGTH for p in self.held(-(-self.space.n // c), c)]
        apart = [plan for plan in streams if plan.row_columns < self.space.n]
        return sorted([*apart, *held], key=lambda plan: (self.clocks(plan), plan.blocks_of_cluster))

    def held(self, length: int, blocks: int = 1) -> list[Schedule]:
        """Returns the plans in which each of the `blocks` blocks of a cluster holds `length` elements of a row."""
        vectors = -(-length // self.width)
        each = 2 * VECTORS if self.only_reduces and vectors > VECTORS * WARP else VECTORS
        most = max(1, (vectors - 1) // (each - 1))  # of so many threads, one still has `each` vectors
        fewest = min(power_of_two(most + 1) // 2, MAX_ROW_THREADS)
        return [self.plan(length, fewest * more, blocks) for more in (1, 2, 4) if fewest * more <= 2 * MAX_ROW_THREADS]

    def adjacent(self) -> list[Schedule]:
        """
        Returns the plans in which vectors lie across rows: first those with enough blocks for the machine, and of these, those with the
        most rows in a warp, so that lanes exchange less. Threads hold `VECTORS` vectors, or more if a block would have too many.
        """
        n, vectors = self.space.n, power_of_two(-(-self.space.m // self.width))
        sharing = power_of_two(max(1, (n - 1) // (VECTORS - 1)) + 1) // 2
        size = min((element_bytes(element(v)) for v in self.loads if shape(v)), default=4)
        sector = min(vectors, power_of_two(-(-SECTOR // (self.width * size))))
        while (
            self.space.m * size % SECTOR and sector < min(vectors, WARP) and 2 * sector * self.width * n <= MAX_LENGTH
        ):
            sector *= 2  # rows that begin within a sector share it with the next block
        widest = min(vectors, max(sector, WARP // min(sharing, self.width)))
        lanes = [n for n in (32, 16, 8, 4, 2, 1) if sector <= n <= widest]
        plans: dict[int, list[Schedule]] = {}
        for across in lanes:
            fewest = max(WARP, min(across * sharing, MAX_ROW_THREADS))
            if across * sharing <= MAX_ROW_THREADS or across == lanes[-1]:
                more = (fewest * k for k in (1, 2, 4) if fewest * k <= 2 * MAX_ROW_THREADS)
                plans[across] = [self.transposed(across, threads) for threads in more]
        most = self.request.machine.multiprocessors
        ranked = sorted(plans.values(), key=lambda found: -min(most, prod(tile_counts(found[0], self.space))))
        return distinct(plan for found in ranked for plan in found)

    def transposed(self, across: int, threads: int) -> Schedule:
        """Returns the plan in which `threads` threads hold the rows that `across` lanes of a warp have vectors of."""
        rows, sharing = across * self.width, threads // across
        columns = -(-self.space.n // sharing) * (WARP // across)
        warps = power_of_two(-(-self.space.m // rows)) if threads < WARPGROUP else 1
        beside = min(warps, WARPGROUP // threads) if threads < WARPGROUP else 1
        return self.schedule((rows * beside, columns * (threads // WARP)), (rows, columns), 1, "col")

    def clocks(self, plan: Schedule) -> float:
        """
        Returns the estimated clocks of a plan: the kernel reads rows that it streams in every pass, and rows that it holds
        once.
        """
        kernel, space, stored = self.request.kernel, self.space, self.stored
        passes = 1 if plan.row_columns >= space.n else passes_of(kernel, space.book).count(stored)
        read, written = (
            sum(prod(shape(v)) * element_bytes(element(v)) for v in values) for values in (self.loads, stored)
        )
        blocks = prod(tile_counts(plan, space)[:-1]) * plan.blocks_of_cluster
        return memory_clocks(self.request.machine, passes * read + written, blocks)

    @property
    def width(self) -> Width:
        """
        Vector width in elements: 16 bytes of the narrowest element type. Short rows, and those that cannot be realigned, have
        vectors that divide their length. Vectors across rows divide the number of rows.
        """
        n, sizes = self.space.n, [element_bytes(element(v)) for v in self.loads if shape(v)]
        widest = min(WIDTHS[0], WIDEST // min(sizes, default=4))
        if self.space.adjacent:
            return next(width for width in WIDTHS if width <= widest and self.space.m % width == 0)
        any_row = n % widest and n >= REALIGNED * widest and self.realigns
        return next(width for width in WIDTHS if width <= widest and (any_row or n % width == 0))

    @property
    def loads(self) -> Sequence[SSAValue]:
        """The arrays that the kernel reads."""
        return [op.results[0] for op in self.request.kernel.body.block.ops if isinstance(op, region.LoadOp)]

    @property
    def stored(self) -> Sequence[SSAValue]:
        """The outputs that have all elements of a row."""
        n, outputs = self.space.outer + 1, self.space.outputs
        return [root for root in stored_values(self.request.kernel) if affine.uses_axis(outputs[root][0], n)]

    @property
    def only_reduces(self) -> bool:
        """
        Whether the kernel stores only results of reductions, and the rows that it reads have at most four bytes for each position. A
        thread then has registers for more elements, so that fewer threads exchange partial results.
        """
        whole = [v for v in self.loads if prod(shape(v)) >= self.space.n]
        return not self.stored and sum(element_bytes(element(v)) for v in whole) <= 4

    @property
    def realigns(self) -> bool:
        """Whether all arrays begin at multiples of 16 bytes, and no row is padded: padded ones are loaded element by element."""
        kernel, book = self.request.kernel, self.space.book
        aligned = all(kernel.alignment(arg) % WIDEST == 0 for arg in kernel.body.block.args)
        return aligned and all(at.guard is None for value in book for at in book[value].accesses)

    def plan(self, length: int, threads: int, blocks: int) -> Schedule:
        """Returns the plan in which `threads` threads of each of `blocks` blocks hold `length` elements of a row."""
        lanes, width = min(threads, WARP), self.width
        columns = -(-length // (threads * width)) * lanes * width
        rows = max(1, WARPGROUP // threads) if blocks == 1 else 1
        return self.schedule((rows, columns * (threads // lanes)), (WARP // lanes, columns), blocks)

    def streaming(self, vectors: int, blocks: int) -> Schedule:
        """
        Returns the streaming plan in which a thread holds at least `vectors` vectors of a tile, of at least `NARROW` elements each, and
        a tile is spread over a cluster of `blocks` blocks. Tiles are widened so that the last one is as whole as the others.
        """
        vector = max(self.width, NARROW)
        total = -(-self.space.n // (vector * STREAMING_THREADS * blocks))
        if (tiles := total // vectors) > 1:
            vectors = -(-total // tiles)
        columns = vector * vectors * WARP
        return self.schedule((1, columns * (STREAMING_THREADS // WARP)), (1, columns), blocks)

    def schedule(self, tile: tuple[int, int], warp: tuple[int, int], blocks: int, stride: str = "row") -> Schedule:
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            warp_tile=f"{warp[0]}x{warp[1]}",
            bind={"m.o": "block.x", "n.o": "block.y"},
            vectorize=Vectorize(axis="n.i.i" if stride == "row" else "m.i.i", width=self.width),
            predicate_tail=tails((tile[0], tile[1] * blocks), self.space),
            epilogue=self.request.labels,
            layout_hints={} if stride == "row" else {"C_stride": stride},
            algo_choice=self.request.convolution(DIRECT),
            **({"cluster": (1, blocks)} if blocks > 1 else {}),  # pyright: ignore[reportArgumentType]
        )

    def overflow(self, plan: Schedule) -> Overflow | None:
        rows, columns = plan.warp
        held, limit = rows * columns // WARP, self.request.arch.registers_per_thread
        if held > limit:
            problem = f"its rows take {held} registers a thread, the limit is {limit}"
            help = (
                "fewer rows, or more lanes or warps for a row" if plan.transposed else "more lanes or warps for a row"
            )
            return Overflow(problem, f"use a narrower warp_tile: {help}")
        return grid_overflow(plan, self.space)

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield from _rules(plan, space)
        yield field_rule(space.of_rows, "warp_tile", "must be left out: this region has no rows")
        whole = f"must have all {space.n} elements of a row, as C_stride is col"
        yield field_rule(not plan.transposed or plan.row_columns >= space.n, "tile", whole)
        several = (
            f"must give a row several lanes, or tile all {space.n} elements: lanes hold parts of rows that are streamed"
        )
        yield field_rule(plan.row_columns >= space.n or plan.row_lanes > 1, "warp_tile", several)

    program_rules = staticmethod(_rules)
