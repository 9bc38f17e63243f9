"""
Resources that a multistage kernel takes: shared memory, registers, threads and the grid.

Shared memory and the grid are exact. Registers are estimated: the accumulators and fragments follow from the instruction's lane
layouts, and `BASE_REGISTERS` stands for all others.
Spec: `tensor-compiler.ja §5` (resources).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from ...analysis.regions.space import KernelSpace
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import GRID_LIMIT, REGISTERS, Arch
from ..problem import ROW_BYTES, Overflow, Problem, Tiling
from ..rules import tile_counts

BASE_REGISTERS = {"m16n8k16": 48, "m16n8k8": 64, "m16n8k32": 48, "m8n8k4": 80, "fma": 48}
"""
Registers that a thread needs in addition to accumulators and fragments: addresses, predicates, loop state. For each instruction,
the number was chosen so that it separates the warp tiles that ptxas compiles for SM80 without spills from those that spill.
"""
RING_UNIT = 128
"""Granularity of each operand's ring in shared memory, in bytes."""


@dataclass(frozen=True)
class Shape(Tiling):
    """The sizes of a multistage kernel. `buffers` is the number of fragments of each operand: 2 if they are double-buffered."""

    buffers: int = 1
    order: str = "row"


def shape_of(plan: Schedule) -> Shape:
    """Returns the shape that a plan asks for."""
    bm, bn, bk = plan.tile
    buffers = 2 if plan.double_buffered else 1
    return Shape((bm, bn, bk), plan.warp, cast(int, plan.stages), plan.split, plan.transposed, buffers, plan.tile_order)


def shared_bytes(shape: Shape, problem: Problem) -> int:
    """Returns the bytes of the rings, `(BM·BK + BK·BN) · sizeof(T) · stages` (§5); each ring is rounded up to `RING_UNIT`."""
    bm, bn, bk = shape.tile
    sides = zip((bm, bn), problem.ring_tiles, problem.repeats, strict=True)
    rings = [(rows * bk * size * shape.stages, times) for rows, tiles, times in sides for _, size in tiles]
    return sum(times * -(-ring // RING_UNIT) * RING_UNIT for ring, times in rings)


def fragment_elements(warp: tuple[int, int], transposed: bool, problem: Problem) -> int:
    """Returns how many elements of A and B together a lane holds for one k-step of the instruction."""
    return sum(operand_elements(warp, transposed, problem))


def operand_elements(warp: tuple[int, int], transposed: bool, problem: Problem) -> tuple[int, int]:
    """Returns how many elements of A and how many of B a lane holds for one k-step of the instruction."""
    rows, columns = warp[::-1] if transposed else warp
    left, right = rows // problem.mma.m * problem.mma.a.count, columns // problem.mma.n * problem.mma.b.count
    return (right, left) if transposed else (left, right)


def fragment_bytes(warp: tuple[int, int], transposed: bool, problem: Problem) -> int:
    """Returns the bytes that a lane reads from shared memory for one k-step of the instruction."""
    elements = operand_elements(warp, transposed, problem)
    return sum(count * size for count, size in zip(elements, problem.source_bytes, strict=True))


def fragment_registers(shape: Shape, problem: Problem) -> int:
    """Returns the number of registers in which a thread holds its accumulators and the fragments of both operands."""
    elements = shape.warp[0] * shape.warp[1] // (problem.mma.m * problem.mma.n) * problem.mma.c.count
    fragments = fragment_bytes(shape.warp, shape.transposed, problem)
    counts = operand_elements(shape.warp, shape.transposed, problem)
    computed = sum(count * problem.bytes for count, ops in zip(counts, problem.prologue, strict=True) if ops)
    if computed and problem.members > 1:
        # they take the place of the sources, of which ptxas loads those of the next steps of the instruction, too; one register's are in f32
        in_flight = problem.members * max(4, 16 // problem.bytes)
        computed = max(0, computed * problem.members - fragments) + in_flight
        fragments *= shape.tile[2] // problem.mma.k
    held = elements * problem.members * (2 if problem.of_rows else 1)  # what is computed from rows is held beside them
    return held * problem.accumulator_bytes // 4 + shape.buffers * -(-fragments // 4) + -(-computed // 4)


def offset_registers(shape: Shape, problem: Problem) -> int:
    """
    Returns the registers of the offsets and masks of a thread's copies in a convolution: two of a copy of windows, one of another.
    The offsets of a product differ by constants.
    """
    (bm, bn, bk), (of_a, of_b) = shape.tile, problem.source_bytes
    copies = (-(-rows * bk * size // (ROW_BYTES * shape.shares * 32)) for rows, size in ((bm, of_a), (bn, of_b)))
    of_windows, of_others = copies
    return 2 * of_windows + of_others if problem.run else 0


def overflow(shape: Shape, problem: Problem, arch: Arch, base: int = 0) -> Overflow | None:
    """
    Returns the limit of the machine that the shape exceeds, or None if it fits. `base` is the number of registers that a thread
    needs in addition to accumulators and fragments.
    """
    shared, threads = shared_bytes(shape, problem), shape.shares * 32
    held = fragment_registers(shape, problem) + offset_registers(shape, problem) + base
    if shared > arch.shared_per_block:
        return Overflow(
            f"its ring takes {shared} bytes of shared memory, the limit is {arch.shared_per_block}",
            "use fewer stages or a smaller tile",
        )
    if held > arch.registers_per_thread:
        return Overflow(
            f"its accumulators and fragments take {held} registers a thread, the limit is {arch.registers_per_thread}",
            "use a smaller warp_tile, or no local_edges from A and B",
        )
    if arch.blocks(threads, held, shared) == 0:
        return Overflow(
            f"its {threads} threads take {held} registers each, a multiprocessor has {REGISTERS}",
            "use a smaller tile, or no local_edges from A and B",
        )
    return None


def grid_of(plan: Schedule, counts: Sequence[int], parts: int) -> tuple[int, int, int]:
    """
    Returns the numbers of blocks along x, y and z, given the number of tiles along each axis (`counts`) and of `parts` of k.
    The plan's `bind` places m and n, or both along x if they are fused; the other axes and the parts lie along z or, if z allows too few
    blocks, along x.
    """
    *outer, m, n = counts
    x, y = (m * n, 1) if plan.fuse else (m, n) if plan.bind.get("m.o") == "block.x" else (n, m)
    z = prod(outer) * parts
    return (x * z, y, 1) if z > GRID_LIMIT[2] else (x, y, z)


def grid_overflow(plan: Schedule, space: KernelSpace) -> Overflow | None:
    """Returns an `Overflow` for the first grid axis along which there are too many blocks, or None."""
    for axis, got, limit in zip("xyz", grid_of(plan, tile_counts(plan, space), plan.split), GRID_LIMIT, strict=True):
        if got > limit:
            return Overflow(
                f"its grid has {got} blocks along {axis}, the limit is {limit}",
                "use a larger tile, or bind the longer of m.o and n.o to block.x",
            )
    return None
