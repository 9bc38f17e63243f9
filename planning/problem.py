"""
The contraction that a planner gets, and the base of every template's kernel shape.

Sizes count elements unless a name says bytes. Spec: `tensor-compiler.ja §5` (resources), `§6` (search space).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from ..analysis.regions.contraction import Contraction
from ..analysis.regions.kernel_space import KernelSpace, contiguous_axis, operand_layouts, stored_values
from ..dialects.common.shapes import element
from ..dialects.region import RegionKernelOp
from ..targets.mma import Mma, element_bytes

ROW_BYTES = 16
"""Bytes of the chunks that the swizzle permutes and ldmatrix reads: a row of shared memory holds whole chunks."""


@dataclass(frozen=True)
class Overflow:
    """A machine limit that a plan exceeds: what exceeds it, and which field of the plan to change."""

    problem: str
    help: str


@dataclass(frozen=True)
class Problem:
    """
    `outer` products of m x k by k x n matrices, multiplied by `mma`.

    `bytes` is the size of an operand's element and `stored` that of a result's; `layouts` are the layouts of the tiles of
    A and B in shared memory. `along_m` says whether the result is contiguous along m where it is stored. The epilogue
    does `operations` elementwise ops for each element, and stores `outputs` results.
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

    @cached_property
    def accumulator_bytes(self) -> int:
        return element_bytes(self.mma.accum)

    @property
    def gathers(self) -> bool:
        """Whether lanes assemble an operand's words from bytes: ldmatrix transposes 16-bit elements only."""
        a, b = self.layouts
        return self.bytes == 1 and (a == "DN" or b == "ND")

    @property
    def promotes(self) -> bool:
        """Whether accumulators are added into a second set now and then: those of fp8 wgmma keep about 14 bits."""
        return self.mma.name == "m64k32_f8"

    @property
    def transposed_copies(self) -> tuple[bool, bool]:
        """Whether A and B are contiguous along m or n in memory but along k in shared memory."""
        a, b = self.layouts
        return (a == "DN", b == "ND") if self.bytes != 2 else (False, False)

    @property
    def chunk(self) -> int:
        """Elements of the shortest row of shared memory."""
        return ROW_BYTES // self.bytes

    def k_tiles(self, row_bytes: tuple[int, ...]) -> list[int]:
        """Returns the sizes of BK for rows of these lengths: whole instructions, and no longer than k needs; longest first."""
        most = 1 << (self.k - 1).bit_length()
        return sorted({max(self.mma.k, min(size // self.bytes, most)) for size in row_bytes}, reverse=True)


def problem_of(
    kernel: RegionKernelOp, space: KernelSpace, contraction: Contraction, mma: Mma, operations: int = 0
) -> Problem:
    """Returns the problem that a region's contraction poses when `mma` multiplies it."""
    results = stored_values(kernel)
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
    )


@dataclass(frozen=True)
class Tiling:
    """The sizes that every plan of a contraction has: BM x BN x BK, the share of a warp or warpgroup, stages, parts of k."""

    tile: tuple[int, int, int]
    warp: tuple[int, int]
    stages: int
    split: int = 1
    transposed: bool = False
    """Whether blocks compute Cᵀ = Bᵀ·Aᵀ, so that the instruction's columns lie along m."""

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of the result's tile, and of the share of a warp or warpgroup, as they are computed."""
        (bm, bn, _), (wm, wn) = self.tile, self.warp
        return ((bn, bm), (wn, wm)) if self.transposed else ((bm, bn), (wm, wn))

    @property
    def shares(self) -> int:
        """Warps or warpgroups that share a tile."""
        return self.tile[0] // self.warp[0] * (self.tile[1] // self.warp[1])

    def k_steps(self, k: int) -> int:
        """Steps of BK that a block takes along its part of k."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split)


def rows_along_k(layouts: tuple[str, str], element_bytes: int) -> tuple[bool, bool]:
    """Returns whether rows of A and B lie along k in shared memory, as wgmma requires for all but 16-bit elements."""
    a, b = layouts
    return a == "ND" or element_bytes != 2, b == "DN" or element_bytes != 2


def filled_parts(steps: int, parts: int) -> int:
    """Returns how many of `parts` equal parts of so many steps are not empty."""
    return -(-steps // -(-steps // parts))


def swizzles(row: int) -> bool:
    """Returns whether TMA and wgmma take rows of `row` bytes in shared memory: one swizzle, or several panels of 128 bytes."""
    return row in (32, 64) or row % 128 == 0
