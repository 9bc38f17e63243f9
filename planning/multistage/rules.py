"""
Rules for plans of the multistage template: warp tiles consist of whole instructions, and rows of shared memory
consist of whole chunks.

Spec: `tensor-compiler.ja §1.7` (fields), `§5` (fragments, swizzle).
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Attribute, Operation

from ...analysis.regions.contraction import Contraction
from ...analysis.regions.operands import sources_of_members
from ...analysis.regions.space import KernelSpace
from ...dialects.common.shapes import element
from ...dialects.plan.schedule import LocalEdge, Schedule
from ...dialects.pto import PtoKernelOp, TilesOp
from ...errors import Unsupported
from ...targets.mma import Mma, element_bytes, mma_for, unsupported_operands_help
from ..problem import ROW_BYTES
from ..rules import (
    Rule,
    bind_want,
    block_axes,
    bound_axes,
    cache_rules,
    edge_rule,
    field_rule,
    hints_rule,
    loop_rules,
    matmul_rules,
    order_rule,
    part_rules,
    tile_counts,
)


def contraction_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rules for the plan of a contraction; each rule relies on the ones before it."""
    yield from matmul_rules(plan, space)
    yield from loop_rules(plan, unrolls=True)
    if (contraction := space.contraction) is None:
        return
    mma = instruction(contraction)
    yield from _size_rules(plan, space, mma)
    yield from _row_rules(plan, space)
    yield edge_rule(plan, space, _fragments_problem(plan, mma))
    yield _bind_rule(plan)


def program_rules(plan: Schedule, kernel: PtoKernelOp) -> Iterator[Rule]:
    """Yields the rules for the plan of a tile program."""
    yield hints_rule(plan)
    yield from cache_rules(plan)
    yield from loop_rules(plan, unrolls=True)
    yield _bind_rule(plan)
    for op in kernel.walk():
        if isinstance(op, TilesOp):
            yield order_rule(plan, op.counts)


def instruction(contraction: Contraction) -> Mma:
    """Returns the instruction for the contraction's element types. Raises `Unsupported` if there is none."""
    return required_mma(contraction.op, *contraction.dtypes, contraction.precision)


def required_mma(op: Operation, left: Attribute, right: Attribute, accum: Attribute, precision: str) -> Mma:
    """Returns the instruction for these element types. Raises `Unsupported` at `op` if there is none."""
    if (mma := mma_for(left, right, accum, precision)) is None:
        what = f"a contraction of {left} and {right} into {accum}"
        raise Unsupported(op, what=what, need=unsupported_operands_help(left, right, accum))
    return mma


def _bind_rule(plan: Schedule) -> Rule:
    warps = {plan.bind.get("m.i.o", "warp.y"), plan.bind.get("n.i.o", "warp.x")}
    return field_rule(
        set(plan.bind) <= bound_axes(plan) | {"m.i.o", "n.i.o"} and block_axes(plan) and warps == {"warp.x", "warp.y"},
        "bind",
        f"must have {bind_want(plan)}, and m.i.o and n.i.o on warp.x and warp.y, one on each",
    )


def _size_rules(plan: Schedule, space: KernelSpace, mma: Mma) -> Iterator[Rule]:
    """Yields the rules that warp tiles and k-steps consist of whole instructions, and that split-K leaves no part empty."""
    bk, (rows, columns) = plan.tile[2], plan.oriented[1]
    least = f"{mma.n}x{mma.m}, as C_stride is col" if plan.transposed else f"{mma.m}x{mma.n}"
    yield (
        not (rows % mma.m or columns % mma.n),
        f"warp_tile {plan.warp_tile} is not made of {mma.name} instructions",
        f"warp_tile must be a multiple of {least}",
    )
    yield (
        not bk % mma.k,
        f"tile has BK = {bk}, but {mma.name} takes {mma.k} at a time",
        f"BK must be a multiple of {mma.k}",
    )
    yield from part_rules(plan, space)
    yield order_rule(plan, tile_counts(plan, space))
    if space.members is not None:
        yield field_rule(plan.split == 1, "split", "must be 1, as the epilogue combines several products")
    if space.of_rows:
        yield (
            plan.split == 1
            and not plan.transposed
            and plan.warp[1] == plan.tile[1] >= space.n
            and plan.tile[1] % 16 == 0,
            f"tile {plan.tile[0]}x{plan.tile[1]}, warp_tile {plan.warp_tile} and split {plan.split} do not give whole rows to a warp, "
            f"but the epilogue reduces rows of {space.n}",
            f"tile and warp_tile must have equally many columns, a multiple of 16 and at least {space.n}; split 1 and C_stride row",
        )


def _fragments_problem(plan: Schedule, mma: Mma) -> str:
    """
    Returns why fragments cannot be double-buffered: two buffers alternate, so that a stage must have an even number of the
    instruction's k-steps, and the first of the next stage are loaded while the ring has them.
    """
    if plan.stages == 1:
        return "as the ring has one slot"
    bk = plan.tile[2]
    return f"as BK = {bk} is an odd number of steps of {mma.name}" if bk % (2 * mma.k) else ""


def fragment_edges() -> tuple[LocalEdge, LocalEdge]:
    """Returns the edges that ask for double-buffered fragments of both operands."""
    return LocalEdge(source="A", target="sum", depth=2), LocalEdge(source="B", target="sum", depth=2)


def _row_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """
    Yields the rules that rows of shared memory, which lie along a source's contiguous axis, are a power of two of chunks, as the
    swizzle permutes chunks by XOR.
    """
    bm, bn, bk = plan.tile
    a, b = sources_of_members(space)
    rows = [("A", ("BK", bk) if s.layout == "ND" else ("BM", bm), s) for s in a]
    rows += [("B", ("BN", bn) if s.layout == "ND" else ("BK", bk), s) for s in b]
    for name, size, source in rows:
        each = element_bytes(element(source.value))
        row = size[1] * each
        yield (
            row >= ROW_BYTES and not row & (row - 1),
            f"tile has {size[0]} = {size[1]}, which makes rows of {row} bytes of {name} in shared memory",
            f"{size[0]} must be a power of two, and at least {ROW_BYTES // each}",
        )
