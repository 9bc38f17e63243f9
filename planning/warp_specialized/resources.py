"""
What a plan with roles takes of the machine: shared memory and registers, as the template of Hopper lays them out.

```
   ring of A, ring of B    `stages` slots each
   staging                 one or two epilogue tiles for each consumer warpgroup and result
   barriers                full and empty of each slot, 8 bytes each; for pingpong two by which the warpgroups take turns
```

Rings and staging begin at multiples of 1024 bytes, as the swizzle of 128 bytes works on addresses. The sums of a consumer's
tile lie in registers, which setmaxnreg takes from the producer. Sources: PTX ISA §9.7.15.5 (layouts), §9.7.19 (setmaxnreg); `tensor-compiler.ja §5`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import msgspec

from ...dialects.plan.schedule import WARPGROUP, Roles
from ..multistage.resources import Problem, transposed_copies

if TYPE_CHECKING:
    from ...dialects.plan.schedule import Schedule
    from ...targets.architectures import Arch

ALIGNMENT = 1024
"""To which rings and staging are rounded up: eight rows of 128 bytes, after which the swizzle repeats."""
BARRIERS = 16
"""Bytes of two barriers: those of a slot, or of the turns."""
STORED_ROWS = (128, 64, 32)
"""Bytes of a row of an epilogue tile where the plan does not say: those of a swizzled store, the first that divides."""
POOL, PRODUCER, COPYING, MOST_REGISTERS = 512, 24, 80, 240
"""
Registers of one thread of each warpgroup that a block may have together; of them those of a producer, what more it
needs where its threads copy, and what a consumer is given at most.
"""
LEAST_OTHER = 32
"""Registers of a consumer that no plan may take for sums: addresses, loop state, a part of the epilogue."""


@dataclass(frozen=True)
class RoleShape:
    """The sizes of a plan with roles for a contraction; `tile` and `warp` along m and n, as in the plan."""

    tile: tuple[int, int, int]
    warp: tuple[int, int]
    stages: int
    roles: Roles = "cooperative"
    cluster: tuple[int, int] = (1, 1)
    split: int = 1
    stream_k: bool = False
    transposed: bool = False
    order: str = "row"
    epilogue_tile: tuple[int, int] | None = None

    @property
    def oriented(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Rows and columns of the tile and of a warpgroup's share of it, as they are computed."""
        (bm, bn, _), (wm, wn) = self.tile, self.warp
        return ((bn, bm), (wn, wm)) if self.transposed else ((bm, bn), (wm, wn))

    @property
    def consumers(self) -> int:
        if self.roles == "pingpong":
            return 2
        return self.tile[0] // self.warp[0] * (self.tile[1] // self.warp[1])

    def steps(self, k: int) -> int:
        """Steps of BK along a part of k."""
        steps = -(-k // self.tile[2])
        return -(-steps // self.split)


def role_shape_of(plan: Schedule) -> RoleShape:
    bm, bn, bk = plan.tile
    staged = None if plan.epilogue_tile is msgspec.UNSET else plan.epilogue_tile
    return RoleShape(
        (bm, bn, bk), plan.warp, cast(int, plan.stages), cast(Roles, plan.roles), plan.cluster, plan.split,
        plan.matmul == "stream_k", plan.transposed, plan.order, staged
    )  # fmt: skip


def staged_columns(columns: int, element_bytes: int) -> int:
    """
    Columns of the epilogue tile of a warpgroup with so many where the plan does not say. 0 where nothing is staged,
    because no 16 columns make such a row: then lanes store what they hold.
    """
    widths = (row // element_bytes for row in STORED_ROWS)
    return next((width for width in widths if width % 16 == 0 and columns % width == 0), 0)


def staging_bytes(shape: RoleShape, problem: Problem) -> int:
    """Of all consumers: their rows by an epilogue tile's columns, two where they take turns on the way to one result."""
    rows, columns = shape.oriented[1]
    part = shape.epilogue_tile[1] if shape.epilogue_tile else staged_columns(columns, problem.stored)
    if part == 0:
        return 0
    buffers = 2 if problem.outputs == 1 and columns // part % 2 == 0 else 1
    return problem.outputs * _aligned(shape.consumers * buffers * rows * part * problem.stored)


def consumer_registers(consumers: int, copies: bool) -> tuple[int, int]:
    """What setmaxnreg gives a thread of the producer and of each of so many consumers, in eights."""
    producer = PRODUCER + COPYING * copies
    return producer, min(MOST_REGISTERS, (POOL - producer) // consumers // 8 * 8)


def slot_bytes(tile: tuple[int, int, int], element_bytes: int) -> int:
    """What one step of k takes of both rings."""
    bm, bn, bk = tile
    return (bm + bn) * bk * element_bytes


def shared_bytes(shape: RoleShape, problem: Problem) -> int:
    bm, bn, bk = shape.tile
    rings = sum(_aligned(side * bk * problem.bytes * shape.stages) for side in (bm, bn))
    return rings + staging_bytes(shape, problem) + barrier_bytes(shape)


def barrier_bytes(shape: RoleShape) -> int:
    return BARRIERS * (shape.stages + (shape.roles == "pingpong"))


def most_stages(shape: RoleShape, problem: Problem, limit: int) -> int:
    """How deep the ring may be in so many bytes of shared memory."""
    each = slot_bytes(shape.tile, problem.bytes) + BARRIERS
    depth = (limit - staging_bytes(shape, problem)) // each
    while depth > 0 and shared_bytes(replace(shape, stages=depth), problem) > limit:
        depth -= 1
    return depth


def sums(shape: RoleShape, problem: Problem) -> int:
    """Registers of a consumer's thread for its tile; fp8 has a second set, into which the first is added now and then."""
    rows, columns = shape.warp
    return rows * columns // WARPGROUP * (2 if problem.promotes else 1)


def role_overflow(shape: RoleShape, problem: Problem, arch: Arch, other: int = LEAST_OTHER) -> tuple[str, str] | None:
    """
    What the machine cannot hold of the plan, and what to change; None if all fits. `other` are the registers of a
    consumer beside its sums.
    """
    shared, held = shared_bytes(shape, problem), sums(shape, problem)
    _, given = consumer_registers(shape.consumers, any(transposed_copies(problem)))
    if shared > arch.shared_per_block:
        return (
            f"its rings, staging and barriers take {shared} bytes of shared memory, the limit is {arch.shared_per_block}",
            "use fewer stages or a smaller tile or epilogue_tile",
        )
    if held + other > given:
        twice = ", twice as fp8 is promoted" if problem.promotes else ""
        return (
            f"the sums of its consumers take {held} registers a thread{twice}, of {given} with {other} for all else",
            "use a smaller warp_tile",
        )
    return None


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
