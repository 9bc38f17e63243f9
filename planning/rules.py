"""
Rules that a plan must satisfy: the lowering honors each field of the plan, or an error names the field.

These are the rules that several templates share; each template has its own rules in its package. Limits of the machine are
not rules: they are checked in `resources.py`.
Spec: `tensor-compiler.ja §1.7` (fields), `§5` (fragments, swizzle).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from xdsl.ir import Operation

from ..analysis.regions.contraction import is_convolution
from ..analysis.regions.kernel_space import KernelSpace, stored_values
from ..dialects import region, tiny
from ..dialects.plan.choice import Choice, choice_of
from ..dialects.plan.schedule import CONV, HILBERT, LARGEST_SQUARE, Cache, Schedule
from ..errors import counted

IMPLICIT, *REWRITTEN, DIRECT = CONV
"""The algorithms of one kernel, and between them those that `tiny-choose-convolutions` writes as several."""
REWRITES = f"{' and '.join(REWRITTEN)} are several kernels: run tiny-choose-convolutions before form-regions"
Rule = tuple[bool, str, str]
"""Whether the rule holds, what is wrong with the plan if it does not, and what the plan must be."""
AXES = ("m.i.i", "n.i.i", "k.i.i")
"""The plan's names of the axes m, n and k inside a tile."""
STAGED_OPERANDS = {Cache(tensor="A"), Cache(tensor="B")}
"""The only value of `cache` that contractions support: both operands in a ring of shared memory."""


def field_rule(holds: bool, field: str, want: str) -> Rule:
    """Returns the rule that the lowering supports the value of `field`. `want` says what the value "must" or "may" be."""
    return holds, f"{field} has a value that this lowering does not support", f"{field} {want}"


def agreement(field: str, plan: object, program: object) -> Rule:
    """Returns the rule that a field of the plan equals the tile program's value."""
    return plan == program, f"{field} is {plan}, but the tile program has {program}", f"{field} must be {program}"


def epilogue_labels(kernel: region.RegionKernelOp, space: KernelSpace) -> tuple[str, ...]:
    """Returns the names of the elementwise functions that follow the contraction, in order. They only label the plan's epilogue."""
    stops = {c.op for c in (space.contraction, *(c.product for c in space.chained)) if c is not None}
    if space.attention is not None:
        stops |= {space.attention.maximum, space.attention.total}
    found: set[Operation] = set()
    todo = [value.owner for value in stored_values(kernel)]
    while todo:
        op = todo.pop()
        if isinstance(op, Operation) and op not in found | stops:
            found.add(op)
            todo += [operand.owner for operand in op.operands]
    return tuple(
        op.fn.data for op in kernel.body.block.ops if isinstance(op, tiny.UnaryOp | tiny.BinaryOp) and op in found
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
    contraction = space.contraction
    yield (
        len(plan.tile) == 2 or contraction is not None,
        f"tile is {list(plan.tile)}",
        "this region has no contraction: it needs tile = [BM, BN]",
    )
    labels = epilogue_labels(kernel, space)
    yield (
        plan.epilogue == labels,
        f"it labels the epilogue {list(plan.epilogue)}, but the region computes {list(labels)}",
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
    conv = plan.algo_choice.get("conv")
    yield conv not in REWRITTEN, f'algo_choice has conv = "{conv}", which no kernel computes alone', REWRITES
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


def matmul_rules(plan: Schedule) -> Iterator[Rule]:
    """Yields the rules for fields that mean the same in all templates of contractions."""
    yield algorithm_rule(plan)
    yield field_rule(
        len(plan.cache) == 2 and set(plan.cache) == STAGED_OPERANDS,
        "cache",
        "must have A and B in smem at k.i with pingpong",
    )
    yield hints_rule(plan)


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
