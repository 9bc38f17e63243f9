"""
Rules that a plan must satisfy: the lowering honors each field of the plan, or an error names the field.

These are the rules that several templates share; each template has its own rules in its package. Limits of the machine are
not rules: they are checked in `resources.py`.
Spec: `tensor-compiler.ja §1.7` (fields), `§5` (fragments, swizzle).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import cast

from msgspec import UNSET

from ..analysis.regions.contraction import Contraction, is_convolution
from ..analysis.regions.space import KernelSpace
from ..dialects import region
from ..dialects.plan.choice import Choice, choice_of
from ..dialects.plan.schedule import CONV, HILBERT, LARGEST_SQUARE, Cache, Schedule
from ..errors import counted
from .epilogue import edge_ends, epilogue_ops, labels_match

IMPLICIT, *REWRITTEN, DIRECT = CONV
"""The algorithms of one kernel, and between them those that `tiny-choose-convolutions` writes as several."""
REWRITES = f"{' and '.join(REWRITTEN)} are several kernels: run tiny-choose-convolutions before form-regions"
Rule = tuple[bool, str, str]
"""Whether the rule holds, what is wrong with the plan if it does not, and what the plan must be."""
AXES = ("m.i.i", "n.i.i", "k.i.i")
"""The plan's names of the axes m, n and k inside a tile."""
OPERANDS = ("A", "B")
"""The names of a contraction's operands."""
NEST = ("m.o", "n.o", "k.o", "m.i.o", "n.i.o", "k.i.o", "m.i.i", "n.i.i", "k.i.i")
"""The loops of a contraction, the outermost first: tiles, steps of BK, warps, steps of the instruction, and elements."""


def field_rule(holds: bool, field: str, want: str) -> Rule:
    """Returns the rule that the lowering supports the value of `field`. `want` says what the value "must" or "may" be."""
    return holds, f"{field} has a value that this lowering does not support", f"{field} {want}"


def agreement(field: str, plan: object, program: object) -> Rule:
    """Returns the rule that a field of the plan equals the tile program's value."""
    return plan == program, f"{field} is {plan}, but the tile program has {program}", f"{field} must be {program}"


def loop_rules(plan: Schedule, *, fuses: bool = True, unrolls: bool = False) -> Iterator[Rule]:
    """
    Yields the rules for `reorder`, `fuse` and `unroll`. `fuses` says whether the template has a grid whose axes can become one,
    `unrolls` whether it has a loop over steps of k that can be written out.
    """
    nest = [axis for axis in NEST if len(plan.tile) == 3 or not axis.startswith("k")]
    swapped = [nest[1], nest[0], *nest[2:]]
    holds = any([axis for axis in loops if axis in plan.reorder] == list(plan.reorder) for loops in (nest, swapped))
    yield field_rule(holds, "reorder", f"may have {' '.join(nest)} in this order, where n.o may be before m.o")
    names = [fused.into for fused in plan.fuse]
    if not fuses:
        yield field_rule(not names, "fuse", "must be left out: blocks take tiles in `order`, not by an axis of a grid")
    else:
        holds = len(names) <= 1 and all(set(f.axes) == {"m.o", "n.o"} and f.into not in NEST for f in plan.fuse)
        yield field_rule(holds, "fuse", "may have m.o and n.o once, with a new name")
    if unrolls:
        yield field_rule(set(plan.unroll) <= {"k.o"}, "unroll", "may have k.o, the loop over the steps of BK")
    else:
        yield field_rule(
            not plan.unroll, "unroll", "must be left out: this template has no loop over steps of k to unroll"
        )
    outer, inner = ("m.o", "n.o") if plan.tile_order == "row" else ("n.o", "m.o")
    if plan.tile_order in ("row", "col") and not plan.fuse and not plan.warp_specialized and plan.reorder:
        by_number = plan.tile_order == "row" and plan.bind.get("m.o") == "block.x"
        outer, inner = (inner, outer) if by_number else (outer, inner)
        both = [axis for axis in plan.reorder if axis in ("m.o", "n.o")]
        yield (
            both in ([outer, inner], [outer], [inner], []),
            f"reorder has {inner} outside of {outer}, but bind puts {inner} on block.x, along which blocks are numbered",
            "bind and reorder must agree",
        )


def block_axes(plan: Schedule) -> bool:
    """Returns whether `bind` puts m.o and n.o, or the loop that they are fused into, on the axes of the grid."""
    if plan.fuse:
        name = plan.fuse[0].into
        return plan.bind.get(name) == "block.x" and not {"m.o", "n.o"} & plan.bind.keys()
    return {plan.bind.get("m.o", "block.y"), plan.bind.get("n.o", "block.x")} == {"block.x", "block.y"}


def bound_axes(plan: Schedule) -> set[str]:
    """Returns the loops over tiles that `bind` may have."""
    return {fused.into for fused in plan.fuse} or {"m.o", "n.o"}


def bind_want(plan: Schedule) -> str:
    """Returns the words of an error about `bind` that say what `block_axes` requires."""
    return (
        f"{plan.fuse[0].into} on block.x, into which fuse makes m.o and n.o"
        if plan.fuse
        else "m.o and n.o on block.x and block.y, one on each"
    )


def tails(tile: Sequence[int], space: KernelSpace) -> tuple[str, ...]:
    """Returns the axes whose sizes the tile does not divide, as the plan names them."""
    sizes = zip(AXES, (space.m, space.n, space.k), tile, strict=False)
    return tuple(axis for axis, size, step in sizes if size % step)


def tile_counts(plan: Schedule, space: KernelSpace) -> tuple[int, ...]:
    """Returns the numbers of tiles along the axes outer…, m and n."""
    steps = (*(1 for _ in range(space.outer)), *plan.block_tile)
    return tuple(-(-size // step) for size, step in zip(space.points, steps, strict=True))


def order_rule(plan: Schedule, counts: Sequence[int]) -> Rule:
    """Returns the rule that the squares of a Hilbert curve divide the tiles, of which there are `counts` along …, m and n."""
    side, down, across = plan.square or 1, *(-(-n // c) for n, c in zip(counts[-2:], plan.cluster, strict=True))
    what, best = "tiles" if plan.blocks_of_cluster == 1 else "clusters of tiles", gcd(down, across, LARGEST_SQUARE)
    return (
        not (down % side or across % side),
        f"order is {plan.order}, but squares of {side}x{side} do not divide the {down}x{across} {what}",
        f"order must be {f'{HILBERT}{best}, or another one' if best > 1 else 'another one'} whose groups may be incomplete",
    )


def region_rules(kernel: region.RegionKernelOp, plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rules that all templates have for the plan of a region."""
    conv = plan.algo_choice.get("conv")
    yield conv not in REWRITTEN, f'algo_choice has conv = "{conv}", which no kernel computes alone', REWRITES
    contraction = space.contraction
    yield (
        len(plan.tile) == 2 or contraction is not None,
        f"tile is {list(plan.tile)}",
        "this region has no contraction: it needs tile = [BM, BN]",
    )
    ops = epilogue_ops(kernel, space)
    yield (
        labels_match(plan.epilogue, ops),
        f"it labels the epilogue {list(plan.epilogue)}, but the region computes {[op.fn.data for op in ops]}",
        "the region decides: correct the plan's epilogue or run plan-regions on the region without a plan",
    )
    tile = (plan.tile[0], plan.row_columns) if plan.holds_rows else (*plan.block_tile, *plan.tile[2:])
    axes, needed = AXES[: len(plan.tile)], tails(tile, space)
    yield field_rule(
        set(needed) <= set(plan.predicate_tail) <= set(axes),
        "predicate_tail",
        f"may have {', '.join(axes)}"
        + f", and must have {', '.join(needed)}, which the tile does not divide" * bool(needed),
    )
    yield vectorize_rule(plan)
    named = conv is None or is_convolution(kernel)
    yield named, "algo_choice has conv, but the region has none", "algo_choice must not have conv"
    if (asked := asked_algorithm(kernel)) is not None:
        problem = f'algo_choice has conv = "{conv}", but the program asks for {asked.conv}'
        yield conv == asked.conv, problem, f'algo_choice must have conv = "{asked.conv}"'


def asked_algorithm(kernel: region.RegionKernelOp) -> Choice | None:
    """Returns the algorithm that the program asks for, or None. Raises `InvalidAttributeValue`."""
    return next((choice for op in kernel.body.block.ops if (choice := choice_of(op)) is not None), None)


def program_rules(plan: Schedule) -> Iterator[Rule]:
    """Yields the rules that all templates have for the plan of a tile program."""
    axes, tail = AXES[: len(plan.tile)], plan.predicate_tail
    words = set(tail) <= set(axes) and len(set(tail)) == len(tail)
    yield field_rule(words, "predicate_tail", f"may have {', '.join(axes)}, each once")
    yield vectorize_rule(plan)


def vectorize_rule(plan: Schedule) -> Rule:
    columns, stride = (AXES[0], "col") if plan.transposed else (AXES[1], "row")
    return field_rule(
        plan.vectorize.axis == columns, "vectorize", f'must have axis = "{columns}", as C_stride is {stride}'
    )


def stride_rule(plan: Schedule) -> Rule:
    strides = {key: value in ("row", "col") for key, value in plan.layout_hints.items()}
    holds = set(strides) <= {"C_stride"} and all(strides.values())
    return field_rule(holds, "layout_hints", 'may have C_stride, "row" or "col"')


def hints_rule(plan: Schedule) -> Rule:
    return field_rule(
        all(
            v in ("row", "col") if k == "C_stride" else k in ("A_swizzle", "B_swizzle") and type(v) is bool
            for k, v in plan.layout_hints.items()
        ),
        "layout_hints",
        'may have A_swizzle and B_swizzle, true or false, and C_stride, "row" or "col"',
    )


def algorithm_rule(plan: Schedule) -> Rule:
    """Returns the rule for `algo_choice` of a contraction: a convolution is an implicit GEMM, whose windows are never stored."""
    holds = set(plan.algo_choice) <= {"matmul", "conv"} and plan.algo_choice.get("conv", IMPLICIT) == IMPLICIT
    return field_rule(holds, "algo_choice", f'may have matmul and, of a convolution, conv = "{IMPLICIT}"')


def matmul_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rules for fields that mean the same in all templates of contractions."""
    want = "algo_choice must have attention: this region has chained products"
    yield not space.chained, "algo_choice has no attention", want
    yield algorithm_rule(plan)
    yield field_rule(bool(plan.cache), "cache", "must have A and B in smem at k.i")
    yield from cache_rules(plan)
    yield hints_rule(plan)
    yield (
        space.window is None or not plan.transposed,
        "layout_hints has C_stride col, but the epilogue reduces windows, which are adjacent rows",
        "C_stride must be row",
    )


def cache_rules(plan: Schedule) -> Iterator[Rule]:
    """
    Yields the rules for the rings of both operands: they alternate between `stages` slots, or have one slot. The plan of a tile program
    may leave out `cache`, since the program has the rings.
    """
    if not plan.cache:
        return
    pingpong = {staged.pingpong for staged in plan.cache}
    holds = sorted(staged.tensor for staged in plan.cache) == ["A", "B"] and all(
        staged == Cache(tensor=staged.tensor, pingpong=staged.pingpong) for staged in plan.cache
    )
    want = "must have A and B in smem at k.i, both with pingpong or both without"
    yield field_rule(holds and len(pingpong) == 1, "cache", want)
    yield (
        pingpong != {False} or plan.stages == 1,
        f"stages is {plan.stages}, but cache has no pingpong, so that the ring has one slot",
        "stages must be 1 or left out, or cache must have pingpong = true",
    )


def edge_rule(plan: Schedule, space: KernelSpace, fragments: str = "") -> Rule:
    """
    Returns the rule for `local_edges` of a contraction. The accumulator goes to the epilogue, and from op to op, in registers; both
    operands come from rings of `stages` slots. `fragments` says why fragments cannot be double-buffered; empty if they can be.
    """
    kernel = cast(region.RegionKernelOp, cast(Contraction, space.contraction).op.parent_op())
    sums, after = edge_ends(kernel, space)
    registers: list[str] = []
    holds = len(set(plan.local_edges)) == len(plan.local_edges)
    for edge in plan.local_edges:
        if edge.source in OPERANDS:
            registers += [edge.source] * (edge.buffer == "reg")
            depth = edge.depth in (UNSET, plan.stages) if edge.buffer == "smem_ring" else edge.depth == 2
            holds &= edge.target in sums and depth and edge.buffer != "gmem"
        else:
            known = (sums | after) if edge.source in sums | after else set[str]()
            holds &= edge.target in after & known and edge.buffer == "reg" and edge.depth is UNSET
    holds &= sorted(registers) in ([], [] if fragments else list(OPERANDS))
    first = plan.epilogue[0] if plan.epilogue else ""
    from_sum = (
        f"those from sum to {first} in reg, or between ops of the epilogue,"
        if after
        else "none from sum, as there is no epilogue,"
    )
    from_operands = (
        f"none from A and B in reg, {fragments}"
        if fragments
        else "those from A and B to sum in reg with depth 2, both or neither"
    )
    want = (
        f"may have {from_sum} and {from_operands}, and those from A and B to sum in smem_ring with depth {plan.stages}"
    )
    return field_rule(holds, "local_edges", want)


def part_rules(plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    """Yields the rule that split-K leaves no part of k without a step."""
    bk = plan.tile[2]
    steps = -(-space.k // bk)
    parts = -(-steps * bk // plan.part(space.k))
    yield (
        parts == plan.split,
        f"split is {plan.split}, but {counted(steps, 'step')} of BK = {bk} can fill only {counted(parts, 'equal part')}",
        f"split must be {parts}, or another number that leaves no part empty",
    )
