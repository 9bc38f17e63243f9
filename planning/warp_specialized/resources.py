"""
Resources that a warp-specialized kernel takes: shared memory and registers, as the template lays them out.

```
   ring of A, ring of B    `stages` slots each
   staging                 one or two epilogue tiles for each consumer warpgroup and result
   barriers                full and empty of each slot, 8 bytes each; for pingpong two that order the warpgroups
```

Rings and staging begin at multiples of 1024 bytes, as the swizzle of 128 bytes works on addresses. The accumulators of a
consumer lie in registers, which setmaxnreg takes from the producer.
Sources: PTX ISA §9.7.15.5 (layouts), §9.7.19 (setmaxnreg); `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import msgspec

from ...dialects.plan.schedule import Roles, Schedule
from ...targets.architectures import WARPGROUP, Arch
from ..problem import Overflow, Problem, Tiling

ALIGNMENT = 1024
"""Rings and staging are rounded up to this size: eight rows of 128 bytes, after which the swizzle repeats."""
BARRIERS = 16
"""Bytes of two barriers: those of a slot, or those that order pingpong warpgroups."""
STORED_ROWS = (128, 64, 32)
"""Bytes of a row of an epilogue tile if the plan does not say: those of a swizzled store, the first that divides."""
POOL, PRODUCER, COPYING, MOST_REGISTERS = 512, 24, 80, 240
"""
Registers per thread: the sum over the warpgroups of a block; a producer's; those that a producer needs in addition if its
threads copy; the limit of a consumer.
"""
LEAST_OTHER = 32
"""Registers of a consumer that no plan may take for accumulators: addresses, loop state, a part of the epilogue."""


@dataclass(frozen=True)
class Shape(Tiling):
    """The sizes of a warp-specialized kernel; `warp` is the share of a consumer warpgroup."""

    roles: Roles = "cooperative"
    cluster: tuple[int, int] = (1, 1)
    stream_k: bool = False
    order: str = "row"
    epilogue_tile: tuple[int, int] | None = None

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
        plan.order,
        None if plan.epilogue_tile is msgspec.UNSET else plan.epilogue_tile,
    )


def staged_columns(columns: int, element_bytes: int) -> int:
    """
    Returns the columns of the epilogue tile of a warpgroup that has `columns`, if the plan does not say. 0 means that
    nothing is staged, because no 16 columns make such a row: then lanes store their registers.
    """
    widths = (row // element_bytes for row in STORED_ROWS)
    return next((width for width in widths if width % 16 == 0 and columns % width == 0), 0)


def staging_bytes(shape: Shape, problem: Problem) -> int:
    """Returns the bytes that all consumers stage: rows by an epilogue tile's columns, double-buffered if there is one result."""
    rows, columns = shape.oriented[1]
    part = shape.epilogue_tile[1] if shape.epilogue_tile else staged_columns(columns, problem.stored)
    if part == 0:
        return 0
    buffers = 2 if problem.outputs == 1 and columns // part % 2 == 0 else 1
    return problem.outputs * _aligned(shape.consumers * buffers * rows * part * problem.stored)


def consumer_registers(consumers: int, copies: bool) -> tuple[int, int]:
    """Returns the registers that setmaxnreg gives a thread of the producer and of each consumer, in units of 8."""
    producer = PRODUCER + COPYING * copies
    return producer, min(MOST_REGISTERS, (POOL - producer) // consumers // 8 * 8)


def slot_bytes(tile: tuple[int, int, int], element_bytes: int) -> int:
    """Returns the bytes of one slot of both rings."""
    bm, bn, bk = tile
    return (bm + bn) * bk * element_bytes


def shared_bytes(shape: Shape, problem: Problem) -> int:
    bm, bn, bk = shape.tile
    rings = sum(_aligned(side * bk * problem.bytes * shape.stages) for side in (bm, bn))
    return rings + staging_bytes(shape, problem) + barrier_bytes(shape)


def barrier_bytes(shape: Shape) -> int:
    return BARRIERS * (shape.stages + (shape.roles == "pingpong"))


def most_stages(shape: Shape, problem: Problem, limit: int) -> int:
    """Returns the depth of the deepest ring that fits in `limit` bytes of shared memory."""
    each = slot_bytes(shape.tile, problem.bytes) + BARRIERS
    depth = (limit - staging_bytes(shape, problem)) // each
    while depth > 0 and shared_bytes(replace(shape, stages=depth), problem) > limit:
        depth -= 1
    return depth


def fragment_registers(shape: Shape, problem: Problem) -> int:
    """Returns the registers of a consumer's thread that hold its tile; fp8 has a second set, into which the first is promoted."""
    rows, columns = shape.warp
    return rows * columns // WARPGROUP * (2 if problem.promotes else 1)


def overflow(shape: Shape, problem: Problem, arch: Arch, other: int = LEAST_OTHER) -> Overflow | None:
    """
    Returns the limit of the machine that the shape exceeds, or None if all fits. `other` counts the registers of a
    consumer in addition to its accumulators.
    """
    shared, held = shared_bytes(shape, problem), fragment_registers(shape, problem)
    _, given = consumer_registers(shape.consumers, any(problem.transposed_copies))
    if shared > arch.shared_per_block:
        return Overflow(
            f"its rings, staging and barriers take {shared} bytes of shared memory, the limit is {arch.shared_per_block}",
            "use fewer stages or a smaller tile or epilogue_tile",
        )
    if held + other > given:
        twice = ", twice as fp8 is promoted" if problem.promotes else ""
        return Overflow(
            f"the accumulators of its consumers take {held} registers a thread{twice}, but only {given - other} of {given} are free for them",
            "use a smaller warp_tile",
        )
    return None


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
