"""
Rules for plans of the warp-specialized template.

wgmma restricts element types, k-steps and columns. TMA and the swizzle restrict the rows of shared memory, which lie along k, or
along m or n if the operand has 16-bit elements and is contiguous along that axis. The blocks of a cluster must be able to divide
the rows that they share.
Sources: PTX ISA §9.7.15.5 (wgmma), §5.5 (tensors, swizzle); `tensor-compiler.ja §1.7`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...analysis.regions.operands import prologue_ops, sources_of_members
from ...analysis.regions.space import KernelSpace
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...targets.mma import Mma, wgmma_columns, wgmma_for
from ..problem import prologue_of, swizzles, wgmma_rows
from ..rules import (
    Rule,
    agreement,
    algorithm_rule,
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

BOTH_COMPUTED = "both operands are computed, and wgmma reads B from shared memory as it is stored"
"""The reason why a contraction with two computed operands cannot be warp-specialized."""
IN_SHARED = "which wgmma reads from shared memory"
"""The reason why operands are not double-buffered in registers."""
ROWS = "32, 64 or 128 bytes, or panels of 128"
"""The legal lengths of a row of shared memory, for messages."""


def contraction_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rules for the plan of a contraction; each rule relies on the ones before it."""
    yield from matmul_rules(plan, space)
    yield from _field_rules(plan)
    if (contraction := space.contraction) is None:
        return
    left, right, accum = contraction.dtypes
    mma = wgmma_for(left, right, accum, contraction.precision)
    yield (
        mma is not None,
        f"roles is {plan.roles}, but wgmma does not multiply {left} and {right} into {accum}",
        "roles must be left out, unless bf16, f16, fp8 or f32 (with precision tf32) accumulate in f32, or 8-bit integers in i32",
    )
    if mma is None:
        return
    computes_a, computes_b = map(bool, prologue_ops(space))
    yield (
        not (computes_a and computes_b),
        f"roles is {plan.roles}, but {BOTH_COMPUTED}",
        "roles must be left out",
    )
    yield (
        not (computes_a or computes_b) or plan.transposed == computes_b,
        f"layout_hints has C_stride {'col' if plan.transposed else 'row'}, which makes the computed operand {'AB'[computes_b]} wgmma's B",
        f"C_stride must be {'col' if computes_b else 'row'}: only wgmma's A can be in registers",
    )
    yield (
        not space.of_rows,
        f"roles is {plan.roles}, but the epilogue reduces rows",
        "roles must be left out: a warp must hold whole rows of the accumulator",
    )
    yield (
        space.members is None,
        f"roles is {plan.roles}, but the epilogue combines several products",
        "roles must be left out: a warp must hold an accumulator of each",
    )
    between = (
        "fp8 products are promoted"
        if mma.kind == "f8"
        else "an operand is computed"
        if computes_a or computes_b
        else ""
    )
    yield (
        plan.accumulators == 1 or not between,
        f"accumulators is 2, but {between} between the wgmmas of a tile",
        "accumulators must be 1",
    )
    yield from _wgmma_rules(plan, mma)
    yield from _row_rules(plan, space)
    yield from part_rules(plan, space)
    yield order_rule(plan, tile_counts(plan, space))
    yield from _sharing_rules(plan, tile_counts(plan, space)[-2:])
    yield edge_rule(plan, space, IN_SHARED)


def _wgmma_rules(plan: Schedule, mma: Mma) -> Iterator[Rule]:
    bk, columns = plan.tile[2], plan.oriented[1][1]
    yield (
        not bk % mma.k,
        f"tile has BK = {bk}, but {mma.name} takes {mma.k} at a time",
        f"BK must be a multiple of {mma.k}",
    )
    yield (
        wgmma_columns(mma, columns),
        f"warp_tile {plan.warp_tile} gives wgmma {columns} columns, but no {mma.name} has that many",
        "warp_tile must be 8, 16, 24, 32, 48, … or 256 columns wide, as the operands are 8-bit integers",
    )


def _row_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    (bm, bn, bk), (cm, cn) = plan.tile, plan.cluster
    operands = ("A", ("BM", bm), cn, "n"), ("B", ("BN", bn), cm, "m")
    for operand, along_k, size in wgmma_rows(*prologue_of(space, sources_of_members(space))):
        name, side, blocks, axis = operands[operand]
        row, rows = (("BK", bk), side) if along_k else (side, ("BK", bk))
        yield (
            swizzles(row[1] * size),
            f"tile has {row[0]} = {row[1]}, which makes rows of {row[1] * size} bytes of {name} in shared memory",
            f"{row[0]} must give rows of {ROWS}",
        )
        yield (
            rows[1] % (8 * blocks) == 0,
            f"cluster is {list(plan.cluster)}, but {rows[0]} = {rows[1]} rows of {name} cannot be divided among the {blocks} "
            f"blocks along {axis} in multiples of 8",
            f"cluster must be 1 along {axis}, or {rows[0]} a multiple of {8 * blocks}",
        )


def _sharing_rules(plan: Schedule, tiles: Sequence[int]) -> Iterator[Rule]:
    """Yields the rules for split-K and stream-K, where blocks add their accumulators and therefore wait for each other."""
    yield (
        plan.matmul == "implicit_gemm" or not any(n % c for n, c in zip(tiles, plan.cluster, strict=True)),
        f"cluster {list(plan.cluster)} does not divide the {tiles[0]}x{tiles[1]} tiles, whose accumulators are shared",
        "cluster must divide them, or algo_choice.matmul must be implicit_gemm",
    )
    yield (
        plan.matmul == "implicit_gemm" or plan.roles == "cooperative",
        "roles is pingpong, whose warpgroups cannot wait for other blocks",
        f"roles must be cooperative, as algo_choice.matmul is {plan.matmul}",
    )


def _field_rules(plan: Schedule) -> Iterator[Rule]:
    """Yields the rules for fields that a warp-specialized plan must leave at their defaults."""
    yield from loop_rules(plan, fuses=False, unrolls=True)
    alone = "must be left out if blocks share loads: cluster = [1, 1] allows it"
    yield field_rule(not plan.unroll or plan.cluster == (1, 1), "unroll", alone)
    yield field_rule(
        plan.accumulators == 1 or (plan.matmul == "implicit_gemm" and plan.stages != 1),
        "accumulators",
        "must be 1 if blocks share accumulators (algo_choice.matmul), or if stages is 1",
    )
    yield field_rule(not plan.bind, "bind", "must be left out: with roles, persistent blocks take tiles in `order`")
    yield field_rule(
        all(plan.layout_hints.get(f"{name}_swizzle", True) for name in "AB"),
        "layout_hints",
        "must not have A_swizzle or B_swizzle false: wgmma reads what TMA has swizzled",
    )


def program_rules(plan: Schedule, kernel: pto.PtoKernelOp) -> Iterator[Rule]:
    """Yields the rules for the plan of a tile program: the program must have the plan's sizes."""
    yield hints_rule(plan)
    yield from _field_rules(plan)
    yield field_rule(not plan.double_buffered, "local_edges", f"must have none from A and B in reg, {IN_SHARED}")
    yield algorithm_rule(plan)
    yield from cache_rules(plan)
    bm, bn, bk = plan.tile
    for op in kernel.walk():
        match op:
            case pto.TilesOp():
                yield agreement("tile", [bm, bn], list(ints(op.steps)[-2:]))
                yield agreement("split", plan.split, op.parts)
                yield order_rule(plan, op.counts)
                yield from _sharing_rules(plan, op.counts[-2:])
            case pto.ChannelOp():
                yield agreement("stages", plan.stages, op.result.type.depth.data)
            case pto.MatmulAccOp():  # not the ring, which has any number of sources of a computed operand, or none
                want = [[bn, bk], [bk, bm]] if plan.transposed else [[bm, bk], [bk, bn]]
                yield agreement("tile and C_stride", want, [list(pto.tile_type(x).sizes) for x in (op.a, op.b)])
            case _:
                pass
