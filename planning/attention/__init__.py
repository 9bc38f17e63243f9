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
from typing import Any

from xdsl.ir import Block, Operation

from ...analysis.regions.attention import Attention, attentions
from ...analysis.regions.kernel_space import KernelSpace, attention_space
from ...dialects.plan.schedule import Schedule
from ...dialects.pto import PtoKernelOp
from ...targets.architectures import Arch
from ...targets.mma import Mma, wgmma_for
from ..problem import Overflow
from ..rules import Rule, field_rule
from ..warp_specialized.resources import consumer_registers
from .online import OnlineAttention, online_program_rules, online_rules, rounded
from .operands import all_strided, operands

OTHER_REGISTERS = 44
"""Registers of a consumer thread besides accumulators, scores and their conversion."""
BARRIER_BYTES = 2048
"""An upper bound of the bytes of mbarriers, and of what aligns the rings."""
KEYS = (176, 128, 96, 80, 64, 48, 32, 16)
"""Candidate numbers of keys in a tile."""


def attention_problem(a: Attention) -> str | None:
    """Returns why no template computes an attention, so that its products have kernels of their own, or None."""
    names = zip(("queries", "keys", "values"), operands(attention_space(a), a), strict=True)
    return next(
        (f"the addresses of {name} are not affine in batch, head and position" for name, o in names if not o.is_affine),
        None,
    )


def reductions_of_attention(block: Block) -> set[Operation]:
    """Returns the reductions of a block of which kernels of attention consist, whose plans divide them."""
    found = (a for a in attentions(block).values() if attention_problem(a) is None)
    return {op for a in found for op in (a.scores.op, a.maximum, a.total, a.product.op)}


def _by_tma(space: KernelSpace, a: Attention, arch: Arch) -> bool:
    return arch.has_wgmma and all_strided(operands(space, a))


class WarpSpecializedAttention(OnlineAttention):
    """A producer warpgroup loads keys and values by TMA, and one to three consumer warpgroups have 64 queries each: sm90a."""

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return plan.warp_specialized and "attention" in plan.algo_choice

    @property
    def matches(self) -> bool:
        a = self.space.attention
        return a is not None and self.request.roles and _by_tma(self.space, a, self.request.arch)

    def instruction(self) -> Mma | None:
        return None if (a := self.space.attention) is None else wgmma_for(*a.product.dtypes, a.product.precision)

    def whole(self) -> Sequence[Schedule]:
        """Returns the plans that fit, with the most queries and keys in a tile first, as far as there are any."""
        enough = max(1, min(3, -(-self.space.m // 64)))
        counts = [n for n in (2, 3, 1) if n <= enough]
        longest = rounded(self.space.k)
        keys = list(dict.fromkeys(min(n, longest) for n in KEYS))
        deep = (self.request.stages,) if self.request.stages else (3, 2)
        plans = (self.plan(count, n, stages) for count in counts for n in keys for stages in deep)
        return [plan for plan in plans if self.overflow(plan) is None]

    def plan(self, consumers: int, keys: int, stages: int) -> Schedule:
        machine = self.request.machine.multiprocessors
        return self.schedule(64 * consumers, 64, keys, stages, roles="cooperative", multiprocessors=machine)

    def shared_bytes(self, plan: Schedule) -> int:
        """Returns the bytes of the queries, and of the rings of keys and values with their barriers."""
        return self.ring_bytes(plan) + BARRIER_BYTES

    @staticmethod
    def registers(plan: Schedule) -> int:
        """Returns the registers of a consumer thread for its accumulators, its scores and the operand that they become."""
        _, bn, keys = plan.tile
        return bn // 2 + keys // 2 + keys // 4

    def overflow(self, plan: Schedule) -> Overflow | None:
        if (over := self.shared_overflow(self.shared_bytes(plan))) is not None:
            return over
        _, given = consumer_registers(plan.consumers, False)
        held = self.registers(plan)
        if held + OTHER_REGISTERS > given:
            what = f"its accumulators, scores and operand take {held} registers a thread"
            return Overflow(f"{what}, but only {given - OTHER_REGISTERS} of {given} are free", "use a smaller tile")
        return None

    def row(self, plan: Schedule) -> dict[str, Any]:
        return super().row(plan) | {
            "stages": plan.stages,
            "split": plan.split,
            "shared_bytes": self.shared_bytes(plan),
            "registers": self.registers(plan),
        }

    @staticmethod
    def rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
        yield from online_rules(plan, space, 64 * plan.consumers)

    @staticmethod
    def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
        need = 'must be "cooperative": warpgroups share the keys and take turns'
        yield field_rule(plan.roles == "cooperative", "roles", need)
        yield field_rule(plan.cluster == (1, 1), "cluster", "must be [1, 1]")
        yield from online_program_rules(plan, kernel)
