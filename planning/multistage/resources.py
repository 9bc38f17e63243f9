"""
What a plan takes of the machine: shared memory, registers, threads and the grid.

Shared memory and the grid are exact, as the kernel template lays them out. Registers are estimated from the lane
layouts of the instruction: sums and fragments, which nothing can shrink, and `BASE_REGISTERS` for the rest.
Spec: `tensor-compiler.ja §5` (resources).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, cast

from ...analysis.regions.kernel_space import KernelSpace, contiguous_axis, operand_layouts, yielded
from ...dialects.common.shapes import element
from ...targets.architectures import GRID_LIMIT, REGISTERS, Arch
from ...targets.mma import Mma, element_bytes

if TYPE_CHECKING:
    from ...analysis.regions.contraction import Contraction
    from ...dialects.plan.schedule import Schedule
    from ...dialects.region import RegionKernelOp

BASE_REGISTERS = {"m16n8k16": 48, "m16n8k8": 64, "m16n8k32": 48, "m8n8k4": 80, "fma": 48}
"""
Addresses, predicates and loop state of the template, beside sums and fragments: of each instruction as many as
parts the warp tiles that ptxas compiles for SM80 without spills from those with which it spills.
"""
RING_UNIT = 128
"""Bytes of shared memory to which each operand's ring is rounded up."""
ROW_BYTES = 16
"""Bytes of the chunks that the swizzle permutes and ldmatrix reads: a row of shared memory holds whole ones."""


@dataclass(frozen=True)
class Problem:
    """
    A contraction as the planner sees it: `outer` times m x n x k, multiplied by `mma`. `bytes` are those of an
    operand's element; `layouts` say how the tiles of A and B lie in shared memory, `along_m` whether it is m along
    which the result is contiguous where it is stored, `stored` the bytes of its elements there, `operations` how many
    elementwise ones the epilogue does for each, and `outputs` how many results there are.
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
    def counts(self) -> tuple[int, int, int]:
        """Elements that a lane holds of A, B and the sum, of one instruction."""
        return self.mma.a.count, self.mma.b.count, self.mma.c.count

    @cached_property
    def sum_bytes(self) -> int:
        return element_bytes(self.mma.accum)

    @property
    def gathers(self) -> bool:
        """Whether lanes put an operand's words together from bytes: ldmatrix transposes 16-bit elements only."""
        a, b = self.layouts
        return self.bytes == 1 and (a == "DN" or b == "ND")

    @property
    def promotes(self) -> bool:
        """Whether sums are added into a second set now and then: wgmma's own of fp8 keep 14 bits or so."""
        return self.mma.name == "m64k32_f8"

    @property
    def base_registers(self) -> int:
        return BASE_REGISTERS[self.mma.name]

    @property
    def chunk(self) -> int:
        """Elements of the shortest row of shared memory."""
        return ROW_BYTES // self.bytes

    @property
    def least_bk(self) -> int:
        """The shortest step of k: the instruction's, which is a chunk of a row or more."""
        return self.mma.k


def problem_of(
    kernel: RegionKernelOp, space: KernelSpace, contraction: Contraction, mma: Mma, operations: int = 0
) -> Problem:
    outer, size = prod(space.sizes[: space.outer]), element_bytes(contraction.dtypes[0])
    along_m = contiguous_axis(kernel, space) == "m"
    results = yielded(kernel)
    stored = max(element_bytes(element(value)) for value in results)
    layouts = operand_layouts(space)
    return Problem(outer, space.m, space.n, space.k, mma, size, layouts, along_m, stored, operations, len(results))


@dataclass(frozen=True)
class Shape:
    """The sizes of a plan for a contraction. `buffers` are those of each operand's fragments."""

    tile: tuple[int, int, int]
    warp: tuple[int, int]
    stages: int
    split: int = 1
    buffers: int = 1
    transposed: bool = False

    @property
    def warps(self) -> int:
        return self.tile[0] // self.warp[0] * (self.tile[1] // self.warp[1])

    def steps(self, k: int) -> int:
        """Steps of BK that a block takes along its part of k."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split)


def swizzles(row: int) -> bool:
    """Whether wgmma and TMA take rows of so many bytes in shared memory: those of a swizzle, or several panels of 128."""
    return row in (32, 64) or row % 128 == 0


def transposed_copies(problem: Problem) -> tuple[bool, bool]:
    """Which of A and B lie along m or n in memory but along k in shared memory, as wgmma takes all but 16-bit elements."""
    a, b = problem.layouts
    return (a == "DN", b == "ND") if problem.bytes != 2 else (False, False)


def shape_of(plan: Schedule) -> Shape:
    bm, bn, bk = plan.tile
    buffers = 2 if plan.double_buffered else 1
    return Shape((bm, bn, bk), plan.warp, cast(int, plan.stages), plan.split, buffers, plan.transposed)


def shared_bytes(shape: Shape, element_bytes: int) -> int:
    """§5: `(BM·BK + BK·BN) · sizeof(T) · stages`, each operand's ring in whole units."""
    bm, bn, bk = shape.tile
    rings = (rows * bk * element_bytes * shape.stages for rows in (bm, bn))
    return sum(-(-ring // RING_UNIT) * RING_UNIT for ring in rings)


def fragment_reads(warp: tuple[int, int], transposed: bool, problem: Problem) -> int:
    """Elements that a lane holds of A and B for one step of k."""
    rows, columns = warp[::-1] if transposed else warp
    return rows // problem.mma.m * problem.counts[0] + columns // problem.mma.n * problem.counts[1]


def registers(shape: Shape, problem: Problem) -> int:
    """Of one thread: its sums, and the fragments of both operands."""
    sums = shape.warp[0] * shape.warp[1] // (problem.mma.m * problem.mma.n) * problem.counts[2]
    fragments = fragment_reads(shape.warp, shape.transposed, problem) * problem.bytes
    return sums * problem.sum_bytes // 4 + shape.buffers * -(-fragments // 4)


def overflow(shape: Shape, problem: Problem, arch: Arch, base: int = 0) -> tuple[str, str] | None:
    """
    What the machine cannot hold of the plan, and what to change; None if all fits. `base` is added to the
    registers of the sums and fragments.
    """
    shared, threads = shared_bytes(shape, problem.bytes), shape.warps * 32
    held = registers(shape, problem) + base
    if shared > arch.shared_per_block:
        return (
            f"its ring takes {shared} bytes of shared memory, the limit is {arch.shared_per_block}",
            "use fewer stages or a smaller tile",
        )
    if held > arch.registers_per_thread:
        return (
            f"its sums and fragments take {held} registers a thread, the limit is {arch.registers_per_thread}",
            "use a smaller warp_tile, or no local_edges from A and B",
        )
    if arch.blocks(threads, held, shared) == 0:
        return (
            f"its {threads} threads take {held} registers each, a multiprocessor has {REGISTERS}",
            "use a smaller tile, or no local_edges from A and B",
        )
    return None


def grid_of(plan: Schedule, space: KernelSpace) -> tuple[int, int, int]:
    """Blocks along x, y and z: the tiles of m and n by the plan's bind, the rest along z or, where z cannot count it, x."""
    m, n = (-(-size // step) for size, step in zip((space.m, space.n), plan.tile[:2], strict=True))
    x, y = (m, n) if plan.bind.get("m.o") == "block.x" else (n, m)
    z = prod(space.sizes[: space.outer]) * plan.split
    return (x * z, y, 1) if z > GRID_LIMIT[2] else (x, y, z)


def grid_overflow(plan: Schedule, space: KernelSpace) -> tuple[str, str] | None:
    """The axis along which the grid has too many blocks, and what to change; None if all fit."""
    for axis, got, limit in zip("xyz", grid_of(plan, space), GRID_LIMIT, strict=True):
        if got > limit:
            return (
                f"its grid has {got} blocks along {axis}, the limit is {limit}",
                "use a larger tile, or bind the longer of m.o and n.o to block.x",
            )
    return None
