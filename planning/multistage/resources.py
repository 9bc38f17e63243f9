"""
Resources that a multistage kernel takes: shared memory, registers, threads and the grid.

Shared memory and the grid are exact, as the template lays them out. Registers are estimated from the lane layouts of the
instruction: accumulators and fragments, which nothing can shrink, and `BASE_REGISTERS` for the rest.
Spec: `tensor-compiler.ja §5` (resources).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from ...analysis.regions.kernel_space import KernelSpace
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import GRID_LIMIT, REGISTERS, Arch
from ..problem import Overflow, Problem, Tiling
from ..rules import tile_counts

BASE_REGISTERS = {"m16n8k16": 48, "m16n8k8": 64, "m16n8k32": 48, "m8n8k4": 80, "fma": 48}
"""
Addresses, predicates and loop state of the template, in addition to accumulators and fragments: for each instruction the number that
separates the warp tiles that ptxas compiles for SM80 without spills from those with which it spills.
"""
RING_UNIT = 128
"""Bytes of shared memory to which each operand's ring is rounded up."""


@dataclass(frozen=True)
class Shape(Tiling):
    """The sizes of a multistage kernel. `buffers` counts the fragments of each operand."""

    buffers: int = 1


def shape_of(plan: Schedule) -> Shape:
    """Returns the shape that a plan asks for."""
    bm, bn, bk = plan.tile
    buffers = 2 if plan.double_buffered else 1
    return Shape((bm, bn, bk), plan.warp, cast(int, plan.stages), plan.split, plan.transposed, buffers)


def shared_bytes(shape: Shape, problem: Problem) -> int:
    """§5: `(BM·BK + BK·BN) · sizeof(T) · stages`, each operand's ring in whole units."""
    bm, bn, bk = shape.tile
    rings = (rows * bk * problem.bytes * shape.stages for rows in (bm, bn))
    return sum(-(-ring // RING_UNIT) * RING_UNIT for ring in rings)


def fragment_elements(warp: tuple[int, int], transposed: bool, problem: Problem) -> int:
    """Returns how many elements of A and B a lane holds for one step of the instruction."""
    rows, columns = warp[::-1] if transposed else warp
    return rows // problem.mma.m * problem.mma.a.count + columns // problem.mma.n * problem.mma.b.count


def fragment_registers(shape: Shape, problem: Problem) -> int:
    """Returns the registers of a thread that hold its accumulators and the fragments of both operands."""
    elements = shape.warp[0] * shape.warp[1] // (problem.mma.m * problem.mma.n) * problem.mma.c.count
    fragments = fragment_elements(shape.warp, shape.transposed, problem) * problem.bytes
    return elements * problem.accumulator_bytes // 4 + shape.buffers * -(-fragments // 4)


def overflow(shape: Shape, problem: Problem, arch: Arch, base: int = 0) -> Overflow | None:
    """
    Returns the limit of the machine that the shape exceeds, or None if all fits. `base` is added to the registers of
    accumulators and fragments.
    """
    shared, threads = shared_bytes(shape, problem), shape.shares * 32
    held = fragment_registers(shape, problem) + base
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
    Returns the blocks along x, y and z for `counts` tiles along each axis: tiles of m and n by the plan's bind, the other
    axes and the parts of k along z or, if z is too short, x.
    """
    *outer, m, n = counts
    x, y = (m, n) if plan.bind.get("m.o") == "block.x" else (n, m)
    z = prod(outer) * parts
    return (x * z, y, 1) if z > GRID_LIMIT[2] else (x, y, z)


def grid_overflow(plan: Schedule, space: KernelSpace) -> Overflow | None:
    """Returns the axis along which the grid has too many blocks, or None."""
    for axis, got, limit in zip("xyz", grid_of(plan, tile_counts(plan, space), plan.split), GRID_LIMIT, strict=True):
        if got > limit:
            return Overflow(
                f"its grid has {got} blocks along {axis}, the limit is {limit}",
                "use a larger tile, or bind the longer of m.o and n.o to block.x",
            )
    return None
