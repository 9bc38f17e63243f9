"""
The template of attention by the instructions of a warp: a ring of cp.async stages, ldmatrix and mma.sync, on every architecture from
sm80 on. Each warp has 16 or 32 queries, and all warps of a block share the keys and values.

A fragment of keys or values that is loaded serves twice as many multiplications in a warp with 32 queries, so that these read half as
much shared memory; the accumulators of large heads leave room for 16 only. With more keys in a tile, accumulators are rescaled less often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from ...analysis.regions.kernel_space import KernelSpace
from ...dialects.plan.schedule import Schedule
from ...dialects.pto import PtoKernelOp
from ...targets.architectures import PARTITIONS, REGISTERS_OF_THREAD, WARP
from ...targets.mma import MMAS, Mma
from ..multistage.resources import grid_overflow
from ..problem import Overflow
from ..rules import Rule, field_rule, tile_counts
from .online import OnlineAttention, online_program_rules, online_rules, rounded
from .operands import operands

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


def fragment_registers(plan: Schedule) -> int:
    """
    Returns the registers of a thread for its accumulators, and for the scores with the fragments of one k-step and the next, or the
    operand that they become with those of one k-step.
    """
    _, columns, keys = plan.tile
    rows = plan.warp[0]
    accumulators, scores = rows * columns // WARP, rows * keys // WARP
    first = scores + 2 * (MMA.k * keys // WARP // 2) + 2 * (rows * MMA.k // WARP // 2)
    second = scores // 2 + MMA.k * columns // WARP // 2
    return accumulators + max(first, second)


def queries_in_registers(plan: Schedule, head: int) -> bool:
    """Returns whether the fragments of a warp's queries for a whole head stay in registers: there are enough for all."""
    held = plan.warp[0] * head // WARP // 2
    return fragment_registers(plan) + held + OTHER_REGISTERS <= REGISTERS_OF_THREAD


class MultistageAttention(OnlineAttention):
    """The template of attention that multiplies with the instructions of a warp (mma.sync)."""

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return not plan.warp_specialized and "attention" in plan.algo_choice

    @property
    def matches(self) -> bool:
        a = self.space.attention
        return a is not None and by_copies(self.space)

    def instruction(self) -> Mma:
        return MMA

    def whole(self) -> Sequence[Schedule]:
        """
        Returns the plans that fit, the best first. Plans that leave partitions of the machine idle come last. Then, the best one has enough
        warps on a multiprocessor, the fewest clocks a score besides multiplications, and few warps in a block, so that several blocks wait for
        copies and for each other by turns.
        """
        enough, longest = rounded(self.space.m), rounded(self.space.k)
        keys = list(dict.fromkeys(min(n, longest) for n in KEYS))
        stages = (self.request.stages,) if self.request.stages else (2,)
        shapes = product(WARPS, (32, 16), keys, stages)
        plans = [self.plan(*shape) for shape in shapes if shape[0] * shape[1] <= max(enough, shape[1])]
        fitting = [plan for plan in plans if self.overflow(plan) is None]
        most = UNEVEN * min(map(self.queries_of_partition, fitting), default=0)

        def preference(plan: Schedule) -> tuple[int, ...]:
            idle = self.queries_of_partition(plan) > most
            return idle, -min(self.resident_warps(plan), ENOUGH_WARPS), round(self.clocks_of_score(plan))

        return sorted(fitting, key=preference)

    def clocks_of_score(self, plan: Schedule) -> float:
        """
        Returns the clocks of a partition for a score of each thread, besides those of multiplications and exponentials: it loads the
        fragments of keys and values, and of queries that do not stay in registers, rescales the accumulators, and begins a tile of keys.
        """
        (_, columns, keys), rows = plan.tile, plan.warp[0]
        queries = 0 if queries_in_registers(plan, self.head) else rows * self.head
        loads = (queries + keys * (self.head + columns)) / FRAGMENT * LOAD
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
        held = plan.warp[0] * self.head // WARP // 2 if queries_in_registers(plan, self.head) else 0
        return fragment_registers(plan) + held

    def overflow(self, plan: Schedule) -> Overflow | None:
        if (over := self.shared_overflow(self.ring_bytes(plan))) is not None:
            return over
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
        yield from online_rules(plan, space, MMA.m)
        yield from _warp_rules(plan)

    @staticmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
        yield from online_program_rules(plan, kernel)
        yield from _warp_rules(plan)


def by_copies(space: KernelSpace) -> bool:
    """Returns whether the addresses of an attention's queries, keys and values are such that threads can copy them."""
    return space.attention is not None and all(o.is_affine for o in operands(space, space.attention))


def _warp_rules(plan: Schedule) -> Iterator[Rule]:
    rows, columns = plan.warp
    whole = rows % MMA.m == 0 and columns == plan.tile[1] and columns % MMA.k == 0
    need = f"must have a multiple of {MMA.m} rows, and all columns of tile, a multiple of {MMA.k}"
    yield field_rule(whole, "warp_tile", need)
    yield field_rule(
        set(plan.bind) <= {"m.o", "n.o"} and set(plan.bind.values()) <= {"block.x", "block.y"},
        "bind",
        "may have m.o and n.o on block.x and block.y: warps lie along the queries",
    )
