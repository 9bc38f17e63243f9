"""
The template of chained products by the instructions of a warp: a ring of cp.async stages, ldmatrix and mma.sync, on every architecture from
sm80 on. Each warp has 16 or 32 queries, and all warps of a block share the keys and values.

A fragment of keys or values that is loaded serves twice as many multiplications in a warp with 32 queries, so that these read half as
much shared memory; the accumulators of large heads leave room for 16 only. With more keys in a tile, accumulators are rescaled less often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from ...analysis.regions.space import KernelSpace
from ...dialects.plan.schedule import Schedule
from ...dialects.pto import PtoKernelOp
from ...targets.architectures import PARTITIONS, REGISTERS_OF_THREAD, WARP, Arch
from ...targets.mma import MMAS, Mma
from ..multistage.resources import grid_overflow
from ..problem import Overflow
from ..rules import Rule, bind_want, block_axes, bound_axes, field_rule, loop_rules, tile_counts
from .chained import (
    GRANULE,
    ChainedTemplate,
    chained_program_rules,
    chained_rules,
    heads,
    ring_bytes,
    rounded,
    shared_overflow,
)

MMA = MMAS["m16n8k16"]
KEYS = (128, 64, 32, 16)
"""Candidate numbers of keys in a tile."""
WARPS = (4, 8, 2, 1)
"""Candidate numbers of warps of a block."""
OTHER_REGISTERS = 40
"""Registers of a thread besides accumulators, scores and fragments: addresses, rows of maxima and sums, loop state."""
ENOUGH_WARPS = 8
"""Number of warps on a multiprocessor with which products of some run under the softmax of others."""
FRAGMENT = 256
"""Elements that an ldmatrix of four matrices loads."""
LOAD = 16
"""Clocks of a partition for it: the four partitions share 128 bytes a clock of shared memory."""
SCALE = 2
"""Clocks of a partition for an f32 instruction of a warp: it has 16 lanes."""
TILE = 100
"""Clocks for a tile of keys, whatever its size: the barrier, and the maxima of rows, which lanes exchange."""
UNEVEN = 1.5
"""Maximum ratio of the queries of a partition to those with the most even division among partitions."""


def fragment_registers(tile: Sequence[int], rows: int, inner: int, products: int) -> int:
    """
    Returns the registers of a thread of a warp with some `rows` of a tile, for the accumulators of `products`, and for the scores of the
    `inner` products with the fragments of one k-step and the next, or the operands that they become with those of one k-step.
    """
    _, columns, keys = tile
    accumulators, scores = products * rows * columns // WARP, rows * keys // WARP
    first = inner * scores + 2 * (MMA.k * keys // WARP // 2) + 2 * (rows * MMA.k // WARP // 2)
    second = products * scores // 2 + MMA.k * columns // WARP // 2
    return accumulators + max(first, second)


def lefts_in_registers(plan: Schedule, heads: Sequence[int], products: int) -> bool:
    """
    Returns whether the fragments of a warp's left operands of inner products stay in registers, for whole `heads`: there are enough for
    all.
    """
    held = plan.warp[0] * sum(heads) // WARP // 2
    used = fragment_registers(plan.tile, plan.warp[0], len(heads), products)
    return used + held + OTHER_REGISTERS <= REGISTERS_OF_THREAD


class MultistageAttention(ChainedTemplate):
    """The template of chained products, such as attention, that multiplies with the instructions of a warp (mma.sync)."""

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return not plan.warp_specialized and "attention" in plan.algo_choice

    @property
    def matches(self) -> bool:
        return bool(self.space.chained) and by_copies(self.space, self.request.arch)

    def instruction(self) -> Mma:
        return MMA

    def whole(self) -> Sequence[Schedule]:
        """
        Returns the plans that fit, the best first. Plans that leave partitions of the machine idle come last. Then, the best one has enough
        warps on a multiprocessor, the fewest clocks a score besides multiplications, and few warps in a block, so that several blocks wait for
        copies and for each other by turns. Plans with warps that have no queries are the last ones to try: their threads have the fewest
        copies, and need the fewest registers for addresses.
        """
        enough, longest = rounded(self.space.m), rounded(self.space.k)
        keys = list(dict.fromkeys(min(n, longest) for n in KEYS))
        stages = (self.request.stages,) if self.request.stages else (2,)
        shapes = product(WARPS, (32, 16), keys, stages)
        plans = [self.plan(*shape) for shape in shapes]
        fitting = [plan for plan in plans if self.overflow(plan) is None]

        def wastes(plan: Schedule) -> bool:
            return plan.tile[0] > max(enough, plan.warp[0])

        most = UNEVEN * min((self.queries_of_partition(plan) for plan in fitting if not wastes(plan)), default=0)

        def preference(plan: Schedule) -> tuple[int, ...]:
            idle = self.queries_of_partition(plan) > most
            return wastes(plan), idle, -min(self.resident_warps(plan), ENOUGH_WARPS), round(self.clocks_of_score(plan))

        return sorted(fitting, key=preference)

    def clocks_of_score(self, plan: Schedule) -> float:
        """
        Returns the clocks of a partition for a score of each thread, besides those of multiplications and exponentials: it loads the
        fragments of keys and values, and of queries that do not stay in registers, rescales the accumulators, and begins a tile of keys.
        """
        (_, columns, keys), rows = plan.tile, plan.warp[0]
        sizes, outputs = heads(self.space), len(self.space.chained)
        lefts = 0 if lefts_in_registers(plan, sizes, outputs) else rows * sum(sizes)
        loads = (lefts + keys * (sum(sizes) + outputs * columns)) / FRAGMENT * LOAD
        return (loads + rows * columns // WARP * SCALE + TILE) / (rows * keys // WARP)

    def blocks(self, plan: Schedule) -> int:
        """Returns the number of blocks for each multiprocessor of the machine."""
        return -(-prod(tile_counts(plan, self.space)) // self.request.machine.multiprocessors)

    def queries_of_partition(self, plan: Schedule) -> int:
        """Returns how many queries a partition of a multiprocessor has at most."""
        return -(-self.blocks(plan) * plan.threads // WARP // PARTITIONS) * plan.warp[0]

    def resident_warps(self, plan: Schedule) -> int:
        """Returns the number of warps on a multiprocessor at a time."""
        held = min(REGISTERS_OF_THREAD, self.registers(plan) + OTHER_REGISTERS)
        most = self.request.arch.blocks(plan.threads, held, self.ring_bytes(plan))
        return min(most, self.blocks(plan)) * plan.threads // WARP

    def plan(self, warps: int, rows: int, keys: int, stages: int) -> Schedule:
        queries = warps * rows
        return self.schedule(queries, rows, keys, stages, bind=self.bind((queries, rounded(self.space.n))))

    def registers(self, plan: Schedule) -> int:
        """Returns the registers of a thread for its accumulators, its scores and its fragments."""
        sizes, products = heads(self.space), len(self.space.chained)
        held = plan.warp[0] * sum(sizes) // WARP // 2 if lefts_in_registers(plan, sizes, products) else 0
        return fragment_registers(plan.tile, plan.warp[0], len(sizes), products) + held

    def overflow(self, plan: Schedule) -> Overflow | None:
        if (over := shared_overflow(self.ring_bytes(plan), self.request.arch)) is not None:
            return over
        combined = any(c.queries is not None and c.queries.others for c in self.space.chained)
        if combined and not lefts_in_registers(plan, heads(self.space), len(self.space.chained)):
            return Overflow(
                "its queries, which are computed from several elements, take registers", "use a smaller tile"
            )
        held, limit = self.registers(plan), self.request.arch.registers_per_thread - OTHER_REGISTERS
        if held > limit:
            what = f"its accumulators, scores and fragments take {held} registers a thread"
            return Overflow(f"{what}, but only {limit} are free", "use a smaller tile or warp_tile")
        return grid_overflow(plan, self.space)

    def row(self, plan: Schedule) -> dict[str, Any]:
        return super().row(plan) | {
            "warp_tile": str(plan.warp_tile),
            "stages": plan.stages,
            "split": plan.split,
            "shared_bytes": self.ring_bytes(plan),
            "registers": self.registers(plan),
            "warps": self.resident_warps(plan),
            "clocks_of_score": round(self.clocks_of_score(plan)),
        }

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield from chained_rules(plan, space, MMA.m)
        yield from _warp_rules(plan)

    @staticmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
        yield from chained_program_rules(plan, kernel)
        yield from _warp_rules(plan)


def by_copies(space: KernelSpace, arch: Arch) -> bool:
    """Returns whether a small tile fits, of operands that threads copy from any addresses."""
    tile = MMA.m, rounded(space.n), GRANULE
    held = fragment_registers(tile, MMA.m, len(heads(space)), len(space.chained)) + OTHER_REGISTERS
    return held <= arch.registers_per_thread and shared_overflow(ring_bytes(space, tile, 2), arch) is None


def _warp_rules(plan: Schedule) -> Iterator[Rule]:
    rows, columns = plan.warp
    whole = rows % MMA.m == 0 and columns == plan.tile[1] and columns % MMA.k == 0
    need = f"must have a multiple of {MMA.m} rows, and all columns of tile, a multiple of {MMA.k}"
    yield field_rule(whole, "warp_tile", need)
    yield from loop_rules(plan)
    yield field_rule(
        set(plan.bind) <= bound_axes(plan) and block_axes(plan),
        "bind",
        f"must have {bind_want(plan)}: warps lie along the queries",
    )
