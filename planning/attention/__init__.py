"""
The templates of chained products. One kernel multiplies queries by keys, and what it computes from the scores by values, tile of keys after
tile of keys. The weights are a softmax of the scores, computed online, or gradients of it and the like, whose row sums are stored before
(`algo_choice.attention`).

```
tile = [BM, BN, BK]     BM queries, all columns of the values, BK keys at a time; the rings of keys and values have `stages` slots
```

Spec: `tensor-compiler.ja §1.7` (`algo_choice`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, cast

from msgspec import UNSET, structs
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, Operation

from ...analysis.index.positions import Positions
from ...analysis.regions.attention import Attention
from ...analysis.regions.chained import Chained, operand_type
from ...analysis.regions.contraction import contractions
from ...analysis.regions.contraction_space import chained_space
from ...analysis.regions.fused_products import fused_products
from ...analysis.regions.key_ranges import Masks, key_ranges
from ...analysis.regions.space import KernelSpace
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.plan.schedule import MAX_RESCALE_THRESHOLD, Schedule
from ...dialects.pto import PtoKernelOp
from ...targets.architectures import Arch
from ...targets.machines import Machine
from ...targets.mma import Mma, element_bytes, mma_for, wgmma_for
from ..problem import Overflow
from ..row_time import LAUNCH
from ..rules import Rule, field_rule, loop_rules
from ..tile_order import balanced_order
from ..warp_specialized.cost import HELD
from ..warp_specialized.resources import consumer_registers
from .chained import (
    GRANULE,
    ChainedTemplate,
    can_divide_keys,
    chained_program_rules,
    chained_rules,
    heads,
    ring_bytes,
    rounded,
    shared_overflow,
)
from .multistage import by_copies
from .operands import Operand, all_strided, has_one_place_a_row, operands

OTHER_REGISTERS = 44
"""Registers of a consumer thread besides accumulators, scores and their conversion."""
BARRIER_BYTES = 2048
"""An upper bound of the bytes of mbarriers, and of what aligns the rings."""
KEYS = (176, 128, 96, 80, 64, 48, 32, 16)
"""Candidate numbers of keys in a tile."""


def chained_problem(chained: Sequence[Chained], arch: Arch | None = None) -> str | None:
    """Returns why no template, of an architecture, computes chained products, so that each has a kernel of its own, or None."""
    if any(isinstance(t, FLOAT8) for c in chained for t in c.dtypes):
        return "operands are fp8, which only attention with more scores than elements of operands widens to 16 bits"
    space = chained_space(*sorted(chained, key=lambda c: -len(c.inner)))
    if not all(has_one_place_a_row(o) for c in space.chained for o in operands(space, c)):
        return "the elements of a row of an operand are gathered from several rows"
    fits = arch is None or _by_tma(space, arch) or by_copies(space, arch)
    return None if fits else "the smallest tile takes more registers or shared memory than there are"


def multiplies_again(a: Attention, machine: Machine) -> bool:
    """
    Returns whether it takes less time to multiply queries by keys again, for what else reads scores or weights of an attention, than to have
    kernels of their own for the products and the softmax: one kernel more, which reads the scores and stores the weights, which the last one
    reads. Where few queries have long keys, the attention divides these, and a kernel for each of its results combines the parts.
    """
    c, p = a.scores, a.product
    dtype = operand_type(c.dtypes, a.dtypes)
    mma = None if dtype is None else mma_for(dtype, dtype, f32, c.precision)
    if mma is None or c.out not in contractions(cast(Block, c.op.parent)):  # that of one query is a product of a vector
        return False
    outer, queries, keys = (prod(p.sizes[axis] for axis in axes) for axes in (p.batch, p.m, p.k))
    divides = 2 * outer * -(-queries // 64) <= machine.multiprocessors and keys > 2 * KEYS[0]
    read = sum(prod(shape(side.value)) * element_bytes(element(side.value)) for side in (c.lhs, c.rhs))
    stored = prod(shape(c.out)) * (element_bytes(element(c.out)) + 2 * element_bytes(element(a.weights)))
    bandwidth = machine.dram_share * machine.multiprocessors
    again = max(read / bandwidth, prod(c.sizes) / (machine.rate(mma) * machine.multiprocessors))
    return again + 2 * LAUNCH * divides < stored / bandwidth + LAUNCH * (not divides)


def reductions_of_chained_products(block: Block, machine: Machine | None = None) -> set[Operation]:
    """
    Returns the reductions of a block of which kernels of chained products consist, whose plans divide them. Without a machine, all attention
    is taken to have such a kernel, whatever else reads its weights.
    """
    found, _ = fused_products(block, chained_problem, lambda a: machine is None or multiplies_again(a, machine))
    rows = {op for a in found.values() if isinstance(a, Attention) for op in (a.maximum, a.total)}
    return {*rows, *(p.op for c in found.values() for p in (c.product, *c.inner))}


def _by_tma(space: KernelSpace, arch: Arch) -> bool:
    """Returns whether TMA can load the operands, and a small tile fits."""
    fits = arch.has_wgmma and overflow(space, (64, rounded(space.n), GRANULE), 2, arch) is None
    return fits and all(all_strided(operands(space, c)) for c in space.chained)


class WarpSpecializedAttention(ChainedTemplate):
    """A producer warpgroup loads keys and values by TMA, and one to three consumer warpgroups have 64 queries each: sm90a."""

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.warp_specialized and "attention" in plan.algo_choice

    @property
    def matches(self) -> bool:
        return bool(self.space.chained) and self.request.roles and _by_tma(self.space, self.request.arch)

    def instruction(self) -> Mma | None:
        c = self.space.chained[0].inner[0]
        return wgmma_for(*c.dtypes, c.precision)

    def whole(self) -> Sequence[Schedule]:
        """Returns the plans that fit, with the most queries and keys in a tile first, as far as there are any."""
        enough = max(1, min(3, -(-self.space.m // 64)))
        counts = [n for n in (2, 3, 1) if n <= enough]
        longest = rounded(self.space.k)
        keys = list(dict.fromkeys(min(n, longest) for n in KEYS))
        deep = (self.request.stages,) if self.request.stages else (3, 2)
        plans = (self.plan(count, n, stages) for count in counts for n in keys for stages in deep)
        return [plan for plan in plans if self.overflow(plan) is None]

    def fallbacks(self) -> Sequence[Schedule]:
        """Returns the best plan of each tile: fewer stages would not need fewer registers."""
        return list({plan.tile: plan for plan in reversed(self.ranked())}.values())[::-1]

    def plan(self, consumers: int, keys: int, stages: int) -> Schedule:
        machine = self.request.machine.multiprocessors
        return self.schedule(64 * consumers, 64, keys, stages, roles="cooperative", multiprocessors=machine)

    def completed(self, plan: Schedule) -> Schedule:
        """
        Returns the plan with a threshold for rescaling, if there are tiles of keys for which it may be skipped, and with the order of tiles
        whose slowest block has the fewest tiles of keys, counted by isl. Other orders than the
        program's take as many batches and heads at a time as have their keys and values in L2.
        """
        space, machine = self.space, self.request.machine
        if can_divide_keys(space) and space.k > 2 * plan.tile[2]:
            plan = structs.replace(plan, rescale_threshold=MAX_RESCALE_THRESHOLD)
        rows, heads = -(-space.m // plan.tile[0]), prod(space.sizes[: space.outer])
        if plan.split > 1 or rows == 1 or rows * heads <= machine.multiprocessors:
            return plan
        ranges = key_ranges(Masks(space, Positions(space.book)), plan.tile[0], plan.tile[2])
        bounds = [ranges.at(m, plan.tile[2]) for m in range(0, space.m, plan.tile[0])]
        counts = [last - first for first, *_, last in bounds]
        read = {o.value: element_bytes(element(o.value)) * prod(shape(o.value)) for o in self.rights()}
        group = min(heads, max(1, int(HELD * machine.l2 * 1e6 * heads / sum(read.values()))))
        return structs.replace(plan, order=balanced_order(counts, heads, group, machine.multiprocessors))

    def rights(self) -> list[Operand]:
        """Returns the right operands of all products, which each tile of queries reads."""
        found = [operands(self.space, c) for c in self.space.chained]
        return [o for each in found for n, o in enumerate(each) if n % 2 or n == len(each) - 1]

    def overflow(self, plan: Schedule) -> Overflow | None:
        return overflow(self.space, plan.tile, cast(int, plan.stages), self.request.arch)

    def row(self, plan: Schedule) -> dict[str, Any]:
        return super().row(plan) | {
            "stages": plan.stages,
            "split": plan.split,
            "shared_bytes": self.ring_bytes(plan) + BARRIER_BYTES,
            "registers": registers(self.space, plan.tile),
        }

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield from chained_rules(plan, space, 64 * plan.consumers)
        yield from _field_rules(plan)

    @staticmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
        yield from _field_rules(plan)
        yield from chained_program_rules(plan, kernel)


def _field_rules(plan: Schedule) -> Iterator[Rule]:
    """Yields the rules for fields that belong to other templates."""
    yield from loop_rules(plan, fuses=False)
    yield field_rule(not plan.bind, "bind", "must be left out: persistent blocks take tiles in order")
    yield field_rule(
        plan.roles == "cooperative", "roles", 'must be "cooperative": warpgroups share the keys and take turns'
    )
    yield field_rule(plan.cluster == (1, 1), "cluster", "must be [1, 1]")
    yield field_rule(plan.accumulators == 1, "accumulators", "must be 1: softmax and products of a tile overlap anyway")
    yield field_rule(
        plan.epilogue_tile is UNSET, "epilogue_tile", "must be left out: warpgroups store their rows alone"
    )


def registers(space: KernelSpace, tile: Sequence[int]) -> int:
    """Returns the registers of a consumer thread for its accumulators, its scores and the operands that they become."""
    (_, bn, keys), products = tile, len(space.chained)
    return products * bn // 2 + len(heads(space)) * keys // 2 + products * keys // 4


def overflow(space: KernelSpace, tile: Sequence[int], stages: int, arch: Arch) -> Overflow | None:
    """Returns the limit of the machine that a tile exceeds, or None."""
    if (over := shared_overflow(ring_bytes(space, tile, stages) + BARRIER_BYTES, arch)) is not None:
        return over
    _, given = consumer_registers(tile[0] // 64, False)
    held = registers(space, tile)
    if held + OTHER_REGISTERS > given:
        what = f"its accumulators, scores and operands take {held} registers a thread"
        return Overflow(f"{what}, but only {given - OTHER_REGISTERS} of {given} are free", "use a smaller tile")
    return None
