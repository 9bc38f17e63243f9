"""
The plans of kernels that add strict floats: those that keep the order of the sums.

A thread adds all elements of a sum, one after the other: each result is computed by one thread (`elementwise.py`) or, where the terms are
exact products of f32, by the fused multiply-adds of the multistage template, which take k in order. Tensor cores add several products at
once, in no specified order. A split of k would add sums of parts, and a step that extends beyond k would add 0 to a sum that may be -0.
Spec: `vyre-ir-types.md`, *Float Semantics*.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import f32

from ..analysis.regions.space import KernelSpace
from ..dialects import tiny
from ..dialects.plan.schedule import Schedule
from ..dialects.region import RegionKernelOp
from .rules import Rule

SPLIT = "the sums of strict floats are not split"


def adds_strict_floats(kernel: RegionKernelOp) -> bool:
    """Returns whether a kernel has a sum whose order is specified."""
    return any(map(tiny.keeps_order, kernel.body.block.ops))


def fuses_products(space: KernelSpace) -> bool:
    """Returns whether a kernel's contraction adds exact products of f32."""
    c = space.contraction
    return c is not None and c.dtypes == (f32, f32, f32) and c.precision == "exact" and tiny.is_exact_product(c.op)


def order_rules(kernel: RegionKernelOp, plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rules that a plan keeps the order of the sums of strict floats."""
    if not adds_strict_floats(kernel):
        return
    alone = len(plan.tile) == 2 and not plan.holds_rows and not plan.reduces_columns
    by_steps = len(plan.tile) == 3 and not plan.warp_specialized and fuses_products(space)
    want = "give a tile [BM, BN]" + " or [BM, BN, BK], without roles" * fuses_products(space)
    yield alone or by_steps, "several threads, or tensor cores, would add strict floats", want
    yield plan.split == 1, f"split is {plan.split}, but {SPLIT}", "split must be 1"
    if by_steps:
        *_, bk = plan.tile
        yield (
            space.k % bk == 0,
            f"BK is {bk}, which does not divide k = {space.k}",
            "BK must divide k: strict floats are not padded",
        )
