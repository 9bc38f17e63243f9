"""
The contraction that a planner plans for, and the base class of each template's kernel shape.

Sizes count elements unless a name says bytes. Spec: `tensor-compiler.ja §5` (resources), `§6` (search space).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

from ..analysis.regions.contraction import Contraction
from ..analysis.regions.copy_steps import cuts_of
from ..analysis.regions.kernel_space import contiguous_axis, stored_values
from ..analysis.regions.operands import Source, elementwise_count, operand_layouts, prologue_ops, sources_of_members
from ..analysis.regions.space import KernelSpace
from ..dialects.common.shapes import element
from ..dialects.region import RegionKernelOp
from ..targets.mma import Mma, element_bytes

ROW_BYTES = 16
"""Size in bytes of the chunks that the swizzle permutes and ldmatrix reads: a row of shared memory consists of whole chunks."""


Staged = tuple[tuple[str, int], ...]
"""The layout of each of an operand's tiles in the ring, `ND` or `DN`, and the size of the tile's elements in bytes."""


@dataclass(frozen=True)
class Overflow:
    """A machine limit that a plan exceeds: `problem` names the resource and the limit, `help` the field of the plan to change."""

    problem: str
    help: str


@dataclass(frozen=True)
class Problem:
    """
    `outer` products of m x k by k x n matrices, multiplied by `mma`.

    `bytes` is the size of an operand's element, `stored` the size of the widest result's element. `layouts` are the layouts of the
    tiles of A and B in shared memory: `ND` is row-major, `DN` column-major. `along_m` says whether the result is contiguous along m
    in memory. The epilogue does `operations` elementwise ops for each element, and stores `outputs` results.

    `staged` lists the layouts and element sizes of the tiles in the ring, for A and for B; the default is one tile of each, as it is
    multiplied. Members have tiles of their own, except of an operand that is computed. `prologue` is the number of ops that compute an
    element of A, and the same for B; it is 0 for a stored operand.
    """

    outer: int
    m: int
    n: int
    k: int
    mma: Mma
    bytes: int
    layouts: tuple[str, str]
    along_m: bool = False
    stored: int = 4
    operations: int = 0
    outputs: int = 1
    staged: tuple[Staged, Staged] | None = None
    prologue: tuple[int, int] = (0, 0)
    of_rows: bool = False
    """Whether the epilogue reduces rows of n elements, which a warp must hold."""
    has_windows: bool = False
    """Whether the epilogue reduces windows, which are adjacent rows of the tile that is computed: it is not transposed."""
    members: int = 1
    """The number of products that a block computes at the same time, as the epilogue combines them: a warp has an accumulator for each."""
    run: int = 0
    """
    The number of elements of k in one tap of a window, or more generally between the divisions of k in the operands' addresses; 0 if
    there are none. Addresses move from step to step without divisions if BK divides it.
    """

    @cached_property
    def source_bytes(self) -> tuple[int, int]:
        """Number of bytes in the ring for each element of A, and for each element of B."""
        a, b = (sum(size for _, size in tiles) for tiles in self.ring_tiles)
        return a, b

    @cached_property
    def ring_tiles(self) -> tuple[Staged, Staged]:
        """The layouts and element sizes of the tiles in the ring, for A and for B."""
        a, b = self.layouts
        return self.staged or (((a, self.bytes),), ((b, self.bytes),))

    @cached_property
    def repeats(self) -> tuple[int, int]:
        """How often the ring has the tiles of A, and those of B: once for each member, or once for all if the kernel computes the operand."""
        a, b = (1 if ops else self.members for ops in self.prologue)
        return a, b

    @cached_property
    def accumulator_bytes(self) -> int:
        return element_bytes(self.mma.accum)

    @property
    def gathers(self) -> bool:
        """Whether lanes must assemble an operand's 32-bit words byte by byte, as ldmatrix transposes 16-bit elements only."""
        a, b = self.layouts
        return self.bytes == 1 and (a == "DN" or b == "ND")

    @property
    def promotes(self) -> bool:
        """Whether accumulators are periodically added to a second set: the accumulators of fp8 wgmma keep only about 14 bits."""
        return self.mma.name == "m64k32_f8"

    @property
    def transposed_copies(self) -> tuple[bool, bool]:
        """Whether A, and whether B, must be transposed on the copy to shared memory, where its rows must lie along k."""
        (a, b), (computes_a, computes_b) = self.layouts, self.prologue
        return (a == "DN" and not computes_a, b == "ND" and not computes_b) if self.bytes != 2 else (False, False)

    @property
    def chunk(self) -> int:
        """Number of elements in the shortest row of shared memory, which is one chunk."""
        return ROW_BYTES // min([self.bytes, *(size for tiles in self.ring_tiles for _, size in tiles)])

    def k_tiles(self, row_bytes: tuple[int, ...]) -> list[int]:
        """
        Returns the sizes of BK, largest first, that give rows of `row_bytes` bytes. They do not exceed the power of two that covers
        the problem's k, but hold at least one step of the instruction. If some divide a tap, or a smaller size does, only these are returned.
        """
        most = 1 << (self.k - 1).bit_length()
        least = max(self.mma.k, self.chunk)
        sizes = {max(least, min(size // self.bytes, most)) for size in row_bytes}
        shorter = {self.run & -self.run} if self.run % least == 0 else set[int]()
        dividing = {size for size in sizes if self.run and self.run % size == 0}
        return sorted(dividing or (shorter if self.run else None) or sizes, reverse=True)


def problem_of(
    kernel: RegionKernelOp, space: KernelSpace, contraction: Contraction, mma: Mma, operations: int = 0
) -> Problem:
    """Returns the problem of computing a region's `contraction` with the instruction `mma`."""
    results, found = stored_values(kernel), sources_of_members(space)
    staged, prologue = prologue_of(space, found)
    return Problem(
        prod(space.sizes[: space.outer]),
        space.m,
        space.n,
        space.k,
        mma,
        element_bytes(contraction.dtypes[0]),
        operand_layouts(space),
        along_m=contiguous_axis(kernel, space) == "m",
        stored=max(element_bytes(element(value)) for value in results),
        operations=operations,
        outputs=len(results),
        staged=staged,
        prologue=prologue,
        of_rows=space.of_rows,
        has_windows=space.window is not None,
        members=space.members.count if space.members else 1,
        run=_run(space, found),
    )


def _run(space: KernelSpace, found: Iterable[Sequence[Source]]) -> int:
    """Returns the field `run` of a problem whose operands have the sources `found`."""
    k = space.outer + 2
    return gcd(*(cut for of in found for s in of for cut in cuts_of(s.at, k, space.k)[:1]))


def prologue_of(space: KernelSpace, found: Iterable[Sequence[Source]]) -> tuple[tuple[Staged, Staged], tuple[int, int]]:
    """Returns the fields `staged` and `prologue` of a problem whose operands have the sources `found`."""
    a, b = (tuple((s.layout, element_bytes(element(s.value))) for s in of) for of in found)
    of_a, of_b = (max(1, elementwise_count(ops)) if ops else 0 for ops in prologue_ops(space))
    return (a, b), (of_a, of_b)


@dataclass(frozen=True)
class Tiling:
    """The sizes in every plan of a contraction: BM x BN x BK, the warp or warpgroup tile, the numbers of stages and parts of k."""

    tile: tuple[int, int, int]
    warp: tuple[int, int]
    stages: int
    split: int = 1
    transposed: bool = False
    """Whether blocks compute Cᵀ = Bᵀ·Aᵀ, so that the instruction's columns lie along m."""

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of the block tile and of the warp or warpgroup tile of the matrix that is computed: C or Cᵀ."""
        (bm, bn, _), (wm, wn) = self.tile, self.warp
        return ((bn, bm), (wn, wm)) if self.transposed else ((bm, bn), (wm, wn))

    @property
    def shares(self) -> int:
        """Number of warps or warpgroups that share a tile."""
        return self.tile[0] // self.warp[0] * (self.tile[1] // self.warp[1])

    def k_steps(self, k: int) -> int:
        """Returns the number of steps of BK in a block's part of `k`."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split)


def wgmma_rows(tiles: tuple[Staged, Staged], prologue: tuple[int, int] = (0, 0)) -> Iterator[tuple[int, bool, int]]:
    """
    Yields, for each tile in the ring of a warp-specialized kernel, the number of its operand (0 or 1), whether its rows lie along k,
    and the size of its elements. wgmma requires rows along k for all but 16-bit elements, unless lanes read the tile.
    """
    for operand, (staged, ops, along_k) in enumerate(zip(tiles, prologue, ("ND", "DN"), strict=True)):
        for layout, size in staged:
            yield operand, layout == along_k or (size != 2 and not ops), size


def filled_parts(steps: int, parts: int) -> int:
    """Returns how many parts are not empty if `steps` are divided among `parts` equal parts."""
    return -(-steps // -(-steps // parts))


def swizzles(row: int) -> bool:
    """Returns whether TMA and wgmma can swizzle rows of `row` bytes in shared memory: as one row, or as panels of 128 bytes."""
    return row in (32, 64) or row % 128 == 0
