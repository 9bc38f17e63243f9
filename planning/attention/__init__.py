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
from typing import Any, cast

from ...analysis.regions.chained import Chained
from ...analysis.regions.kernel_space import KernelSpace, chained_space
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
RECOMPUTE = "recompute"
"""The value of `algo_choice.attention`: the scores are computed again from queries and keys, and their row sums are stored."""
GRANULE = 16
"""Head sizes, value sizes and numbers of keys in a tile are rounded up to a multiple of this: one step of the instruction."""
OTHER_REGISTERS = 44
"""Registers of a consumer thread besides accumulators, scores and their conversion."""
BARRIER_BYTES = 2048
"""An upper bound of the bytes of mbarriers, and of what aligns the rings."""
KEYS = (176, 128, 96, 80, 64, 48, 32, 16)
"""Candidate numbers of keys in a tile."""


def chained_template(chained: Sequence[Chained], arch: Arch) -> type[Template] | None:
    """Returns the template that computes chained products in one kernel, or None if products have kernels of their own."""
    space = chained_space(*sorted(chained, key=lambda c: -len(c.inner)))
    fits = arch.has_wgmma and _overflow(space, (64, rounded(space.n), GRANULE), 2, arch) is None
    return WarpSpecializedAttention if fits and _are_strided(space) else None


def _are_strided(space: KernelSpace) -> bool:
    return all(all_strided(operands(space, c)) for c in space.chained)


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
        arch = self.request.arch
        return bool(self.space.chained) and self.request.roles and arch.has_wgmma and _are_strided(self.space)

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
            algo_choice={"attention": algorithm(self.space)},
        )

    def overflow(self, plan: Schedule) -> Overflow | None:
        return _overflow(self.space, plan.tile, cast(int, plan.stages), self.request.arch)

    def row(self, plan: Schedule) -> dict[str, Any]:
        return super().row(plan) | {
            "stages": plan.stages,
            "shared_bytes": shared_bytes(self.space, plan.tile, cast(int, plan.stages)),
            "registers": registers(self.space, plan.tile),
        }

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield (bool(space.chained), "algo_choice has attention", "this region has none: leave it out")
        want = algorithm(space)
        yield field_rule(plan.algo_choice == {"attention": want}, "algo_choice", f'must be {{attention = "{want}"}}')
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


def algorithm(space: KernelSpace) -> str:
    """Returns the value of `algo_choice.attention` for a kernel of chained products."""
    return RECOMPUTE if space.attention is None else ONLINE


def heads(space: KernelSpace) -> list[int]:
    """Returns the sizes that the inner products sum, rounded up."""
    return [rounded(c.sizes[c.k[0]]) for c in space.chained[0].inner]


def shared_bytes(space: KernelSpace, tile: Sequence[int], stages: int) -> int:
    """Returns the bytes of the left operands, and of the rings of the right ones with their barriers."""
    (bm, bn, keys), summed = tile, sum(heads(space))
    return 2 * (bm * summed + stages * keys * (summed + len(space.chained) * bn)) + BARRIER_BYTES


def registers(space: KernelSpace, tile: Sequence[int]) -> int:
    """Returns the registers of a consumer thread for its accumulators, its scores and the operands that they become."""
    (_, bn, keys), products = tile, len(space.chained)
    return products * bn // 2 + len(heads(space)) * keys // 2 + products * keys // 4


def _overflow(space: KernelSpace, tile: Sequence[int], stages: int, arch: Arch) -> Overflow | None:
    shared, limit = shared_bytes(space, tile, stages), arch.shared_per_block
    if shared > limit:
        return Overflow(f"its rings take {shared} bytes of shared memory, the limit is {limit}", "use a smaller tile")
    _, given = consumer_registers(tile[0] // 64, False)
    held = registers(space, tile)
    if held + OTHER_REGISTERS > given:
        what = f"its accumulators, scores and operands take {held} registers a thread"
        return Overflow(f"{what}, but only {given - OTHER_REGISTERS} of {given} are free", "use a smaller tile")
    return None
