"""
The templates of attention: one kernel multiplies queries by keys, computes the softmax of the scores online, and multiplies its
numerators by values, tile of keys after tile of keys (`algo_choice.attention = "online_softmax"`).

```
tile = [BM, DV, BK]     BM queries, all columns of the values, BK keys at a time; the rings of keys and values have `stages` slots
```

Spec: `tensor-compiler.ja §1.7` (`algo_choice`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from ...analysis.regions.attention import Attention
from ...analysis.regions.kernel_space import KernelSpace, attention_space
from ...dialects.plan.schedule import Schedule, Vectorize
from ...dialects.pto import PtoKernelOp
from ...targets.architectures import Arch
from ..problem import Overflow
from ..rules import Rule, field_rule, tails
from ..template import Template
from ..warp_specialized.resources import consumer_registers
from ..warp_specialized.rules import chained_program_rules
from .operands import all_strided, operands

ONLINE = "online_softmax"
"""The value of `algo_choice.attention`: one pass over the keys, with sums relative to the maximum so far."""
GRANULE = 16
"""Head sizes, value sizes and numbers of keys in a tile are rounded up to a multiple of this: one step of the instruction."""
OTHER_REGISTERS = 44
"""Registers of a consumer thread besides accumulators, scores and their conversion."""
BARRIER_BYTES = 2048
"""An upper bound of the bytes of mbarriers, and of what aligns the rings."""
KEYS = (176, 128, 96, 80, 64, 48, 32, 16)
"""Candidate numbers of keys in a tile."""


def attention_template(a: Attention, arch: Arch) -> type[Template] | None:
    """Returns the template that computes an attention on an architecture, or None if its products have kernels of their own."""
    return WarpSpecializedAttention if _by_tma(attention_space(a), a, arch) else None


def _by_tma(space: KernelSpace, a: Attention, arch: Arch) -> bool:
    return arch.has_wgmma and all_strided(operands(space, a))


def rounded(size: int) -> int:
    return -(-size // GRANULE) * GRANULE


class WarpSpecializedAttention(Template):
    """A producer warpgroup loads keys and values by TMA, and one to three consumer warpgroups have 64 queries each: sm90a."""

    family = "attention"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.warp_specialized and "attention" in plan.algo_choice

    @property
    def matches(self) -> bool:
        a = self.space.attention
        return a is not None and self.request.roles and _by_tma(self.space, a, self.request.arch)

    @property
    def head(self) -> int:
        a = self.space.attention
        return rounded(a.scores.sizes[a.scores.k[0]]) if a is not None else GRANULE

    def ranked(self) -> Sequence[Schedule]:
        """Returns the plans that fit, with the most queries and keys in a tile first, as far as there are any."""
        enough = max(1, min(3, -(-self.space.m // 64)))
        counts = [n for n in (2, 3, 1) if n <= enough]
        longest = rounded(self.space.k)
        keys = list(dict.fromkeys(min(n, longest) for n in KEYS))
        deep = (self.request.stages,) if self.request.stages else (3, 2)
        plans = (self.plan(count, n, stages) for count in counts for n in keys for stages in deep)
        return [plan for plan in plans if self.overflow(plan) is None]

    def plan(self, consumers: int, keys: int, stages: int) -> Schedule:
        columns = rounded(self.space.n)
        tile = (64 * consumers, columns, keys)
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            stages=stages,
            warp_tile=f"64x{columns}",
            roles="cooperative",
            multiprocessors=self.request.machine.multiprocessors,
            vectorize=Vectorize(axis="n.i.i", width=8),
            predicate_tail=tails(tile, self.space),
            epilogue=self.request.labels,
            algo_choice={"attention": ONLINE},
        )

    def shared_bytes(self, plan: Schedule) -> int:
        """Returns the bytes of the queries, and of the rings of keys and values with their barriers."""
        bm, bn, keys = plan.tile
        return 2 * (bm * self.head + cast(int, plan.stages) * keys * (self.head + bn)) + BARRIER_BYTES

    @staticmethod
    def registers(plan: Schedule) -> int:
        """Returns the registers of a consumer thread for its accumulators, its scores and the operand that they become."""
        _, bn, keys = plan.tile
        return bn // 2 + keys // 2 + keys // 4

    def overflow(self, plan: Schedule) -> Overflow | None:
        shared, limit = self.shared_bytes(plan), self.request.arch.shared_per_block
        if shared > limit:
            return Overflow(
                f"its rings take {shared} bytes of shared memory, the limit is {limit}", "use a smaller tile"
            )
        _, given = consumer_registers(plan.consumers, False)
        held = self.registers(plan)
        if held + OTHER_REGISTERS > given:
            what = f"its accumulators, scores and operand take {held} registers a thread"
            return Overflow(f"{what}, but only {given - OTHER_REGISTERS} of {given} are free", "use a smaller tile")
        return None

    def row(self, plan: Schedule) -> dict[str, Any]:
        return super().row(plan) | {
            "stages": plan.stages,
            "shared_bytes": self.shared_bytes(plan),
            "registers": self.registers(plan),
        }

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield (space.attention is not None, "algo_choice has attention", "this region has none: leave it out")
        yield field_rule(
            plan.algo_choice == {"attention": ONLINE}, "algo_choice", f'must be {{attention = "{ONLINE}"}}'
        )
        bm, bn, keys = plan.tile
        whole = bn == rounded(space.n) and bm == 64 * plan.consumers and keys % GRANULE == 0
        yield field_rule(
            whole,
            "tile",
            f"must have 64 rows for each warpgroup, {rounded(space.n)} columns and a multiple of {GRANULE} keys",
        )

    @staticmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
        yield from chained_program_rules(plan, kernel)
