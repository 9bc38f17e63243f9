"""
Resources that a warp-specialized kernel takes: registers, and shared memory, which holds

```
   ring of A, ring of B    `stages` slots each
   staging                 one or two epilogue tiles for each consumer warpgroup and result
   barriers                "full" and "empty" for each slot, 8 bytes each; for pingpong two that order the warpgroups
```

Rings and staging begin at multiples of 1024 bytes, as the 128-byte swizzle depends on the address. Consumers hold the
accumulators in registers; setmaxnreg takes these registers from the producer.
Sources: PTX ISA §9.7.15.5 (layouts), §9.7.19 (setmaxnreg); `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import msgspec

from ...dialects.plan.schedule import Roles, Schedule
from ...targets.architectures import REGISTERS, WARPGROUP, Arch
from ..problem import Overflow, Problem, Tiling

ALIGNMENT = 1024
"""Alignment of rings and staging, in bytes: eight rows of 128 bytes, after which the swizzle repeats."""
BARRIERS = 16
"""Size of a pair of barriers, in bytes: each slot has a pair, and a further pair orders pingpong warpgroups."""
STORED_ROWS = (128, 64, 32)
"""Default lengths of a row of an epilogue tile, in bytes: the swizzled rows of a TMA store, in order of preference."""
POOL = 512
"""Registers per thread, summed over the warpgroups of a block."""
PRODUCER = 24
"""Registers per producer thread."""
COPYING = 80
"""Additional registers per producer thread if threads, not TMA, copy the tiles."""
EPILOGUE_REGISTERS = 88
"""Number of registers that a consumer thread needs in addition to its accumulator."""
MOST_REGISTERS = 240
"""Maximum registers per consumer thread."""
LEAST_OTHER = 32
"""Minimum number of registers that accumulators must leave to a consumer thread: for addresses, loop state and the epilogue."""


@dataclass(frozen=True)
class Shape(Tiling):
    """The sizes of a warp-specialized kernel; `warp` is the tile of a consumer warpgroup."""

    roles: Roles = "cooperative"
    cluster: tuple[int, int] = (1, 1)
    stream_k: bool = False
    order: str = "row"
    epilogue_tile: tuple[int, int] | None = None
    accumulators: int = 1
    """The number of accumulators between which tiles alternate."""

    @property
    def consumers(self) -> int:
        return 2 if self.roles == "pingpong" else self.shares


def shape_of(plan: Schedule) -> Shape:
    """Returns the shape that a plan asks for."""
    bm, bn, bk = plan.tile
    return Shape(
        (bm, bn, bk),
        plan.warp,
        cast(int, plan.stages),
        plan.split,
        plan.transposed,
        cast(Roles, plan.roles),
        plan.cluster,
        plan.matmul == "stream_k",
        plan.tile_order,
        None if plan.epilogue_tile is msgspec.UNSET else plan.epilogue_tile,
        plan.accumulators,
    )


def staged_columns(columns: int, element_bytes: int) -> int:
    """
    Returns the default number of columns of an epilogue tile for a warpgroup tile of `columns`: the first of `STORED_ROWS` that is
    a multiple of 16 columns and divides `columns`. 0 means that nothing is staged: lanes store their registers directly.
    """
    widths = (row // element_bytes for row in STORED_ROWS)
    return next((width for width in widths if width % 16 == 0 and columns % width == 0), 0)


def staging_bytes(shape: Shape, problem: Problem) -> int:
    """Returns the bytes of the staging. A single result is double-buffered if a consumer has an even number of epilogue tiles."""
    rows, columns = shape.oriented[1]
    part = shape.epilogue_tile[1] if shape.epilogue_tile else staged_columns(columns, problem.stored)
    if part == 0:
        return 0
    buffers = 2 if problem.outputs == 1 and columns // part % 2 == 0 else 1
    return problem.outputs * _aligned(shape.consumers * buffers * rows * part * problem.stored)


def divides_registers(consumers: int, accumulator: int, copies: bool) -> bool:
    """
    Returns whether setmaxnreg divides the registers of a block: not if each thread of a single consumer warpgroup already has the maximum
    number, or if the registers that producers need to copy tiles are enough for a consumer with `accumulator` registers of results.
    """
    enough = REGISTERS // (WARPGROUP * (1 + consumers)) // 8 * 8
    return consumers > 1 and not (copies and accumulator + EPILOGUE_REGISTERS <= enough)


def consumer_registers(consumers: int, copies: bool) -> tuple[int, int]:
    """Returns the numbers of registers that setmaxnreg gives a producer thread and a consumer thread, each a multiple of 8."""
    producer = PRODUCER + COPYING * copies
    return producer, min(MOST_REGISTERS, (POOL - producer) // consumers // 8 * 8)


def slot_bytes(tile: tuple[int, int, int], problem: Problem) -> int:
    """Returns the bytes that a stage takes in all rings."""
    (bm, bn, bk), (of_a, of_b) = tile, problem.source_bytes
    return (bm * of_a + bn * of_b) * bk


def shared_bytes(shape: Shape, problem: Problem) -> int:
    bm, bn, bk = shape.tile
    of_a, of_b = problem.ring_tiles
    sizes = (side * bk * size for side, tiles in ((bm, of_a), (bn, of_b)) for _, size in tiles)
    rings = sum(_aligned(size * shape.stages) for size in sizes)
    return rings + staging_bytes(shape, problem) + barrier_bytes(shape)


def barrier_bytes(shape: Shape) -> int:
    return BARRIERS * (shape.stages + (shape.roles == "pingpong"))


def most_stages(shape: Shape, problem: Problem, limit: int) -> int:
    """Returns the largest number of stages that fits in `limit` bytes of shared memory."""
    each = slot_bytes(shape.tile, problem) + BARRIERS
    depth = (limit - staging_bytes(shape, problem)) // each
    while depth > 0 and shared_bytes(replace(shape, stages=depth), problem) > limit:
        depth -= 1
    return depth


def fragment_registers(shape: Shape, problem: Problem) -> int:
    """
    Returns the number of registers in which a consumer thread holds its accumulators and a computed operand A. fp8 needs two sets of
    accumulators: the first is added to the second. So do tiles that alternate. A computed operand and its sources have two sets each,
    which alternate.
    """
    (rows, columns), mma = shape.oriented[1], problem.mma
    elements = rows // mma.m * mma.a.count
    computed = [
        sources + problem.bytes for sources, ops in zip(problem.source_bytes, problem.prologue, strict=True) if ops
    ]
    operand = sum(2 * -(-elements * size // 4) for size in computed)
    return rows * columns // WARPGROUP * (2 if problem.promotes else shape.accumulators) + operand


def overflow(shape: Shape, problem: Problem, arch: Arch, other: int = LEAST_OTHER) -> Overflow | None:
    """
    Returns the limit of the machine that the shape exceeds, or None if it fits. `other` is the number of registers that a consumer
    thread needs in addition to its accumulators.
    """
    shared, held = shared_bytes(shape, problem), fragment_registers(shape, problem)
    _, given = consumer_registers(shape.consumers, any(problem.transposed_copies))
    if shared > arch.shared_per_block:
        return Overflow(
            f"its rings, staging and barriers take {shared} bytes of shared memory, the limit is {arch.shared_per_block}",
            "use fewer stages or a smaller tile or epilogue_tile",
        )
    if held + other > given:
        what = "accumulators and the computed operand" if any(problem.prologue) else "accumulators"
        why = "fp8 products are promoted" if problem.promotes else "accumulators is 2" if shape.accumulators > 1 else ""
        twice = f" (two sets, because {why})" if why else ""
        return Overflow(
            f"the {what} take {held} registers per consumer thread{twice}, but only {given - other} of {given} are free",
            "use a smaller warp_tile" + (" or accumulators = 1" if shape.accumulators > 1 else ""),
        )
    return None


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
