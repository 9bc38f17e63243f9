"""
What a plan may ask of the kernel that it stands on: each field is honoured, or refused by name.

`check_plan` holds the plan against the region: its shape, its element types, its epilogue; `check_words` holds what it
says in words against what those may be, where a tile program has decided the rest. Sizes that only the
machine limits are the planner's matter. Plans with roles keep the rules of `planning/warp_specialized/rules.py` instead of those about warps.
Spec: `tensor-compiler.ja §1.7` (fields), `§5` (fragments, swizzle).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ..dialects import pto, region, tiny
from ..dialects.common.kernel import KernelOp
from ..errors import PlanMismatch, Unsupported
from .rule import Rule, asks
from .warp_specialized.rules import contraction_rules, part_rules, program_rules, sum_edge_rule, word_rules

if TYPE_CHECKING:
    from ..analysis.regions.contraction import Contraction
    from ..analysis.regions.kernel_space import KernelSpace
    from ..dialects.plan.schedule import Cache, LocalEdge, Schedule
    from ..targets.mma import Mma

AXES = ("m.i.i", "n.i.i", "k.i.i")


def check_plan(kernel: region.RegionKernelOp, plan: Schedule, space: KernelSpace) -> None:
    """Raises `PlanMismatch` naming the field that the lowering of this kernel cannot honour, and what it must be."""
    _require(kernel, _rules(kernel, plan, space))


def _require(kernel: KernelOp, rules: Iterable[Rule]) -> None:
    for holds, problem, want in rules:
        if not holds:
            raise PlanMismatch(kernel, kernel=kernel.sym_name.data, problem=problem, help=want)


def epilogue_labels(kernel: region.RegionKernelOp, space: KernelSpace) -> tuple[str, ...]:
    """The functions applied after the contraction, in order: labels for a reader; the region's SSA decides."""
    inside: set[Operation] = {space.contraction.op, *space.contraction.interior} if space.contraction else set()
    return tuple(
        op.fn.data for op in kernel.body.block.ops if isinstance(op, tiny.UnaryOp | tiny.BinaryOp) and op not in inside
    )


def instruction(contraction: Contraction) -> Mma:
    """The instruction that multiplies the contraction's element types. Raises `Unsupported` where there is none."""
    from ..targets.mma import lacking, multiplication

    left, right, accum = contraction.dtypes
    mma = multiplication(left, right, accum, contraction.precision)
    if mma is None:
        raise Unsupported(
            contraction.op,
            what=f"a contraction of {left} and {right} into {accum}",
            need=lacking(left, right, accum),
        )
    return mma


def tails(tile: Sequence[int], space: KernelSpace) -> tuple[str, ...]:
    """The axes that the tile does not divide."""
    sizes = zip(AXES, (space.m, space.n, space.k), tile, strict=False)
    return tuple(axis for axis, size, step in sizes if size % step)


def _rules(kernel: region.RegionKernelOp, plan: Schedule, space: KernelSpace) -> Iterator[Rule]:
    contraction = space.contraction
    yield (
        (len(plan.tile) == 3) == (contraction is not None),
        f"tile is {list(plan.tile)}",
        f"this region needs tile = {'[BM, BN, BK]' if contraction else '[BM, BN]'}",
    )
    labels = epilogue_labels(kernel, space)
    yield (
        plan.epilogue == labels,
        f"it labels the epilogue {list(plan.epilogue)}, the region computes {list(labels)}",
        "the region decides: correct the plan's epilogue or run plan-regions on the region without a plan",
    )
    axes, needed = AXES[: len(plan.tile)], tails(plan.tile, space)
    yield asks(
        set(needed) <= set(plan.predicate_tail) <= set(axes),
        "predicate_tail",
        f"{list(needed)}, the axes that the tile does not divide, and any others of {', '.join(axes)}",
    )
    yield _vectorize_rule(plan)
    yield from _contraction_rules(plan, space, contraction) if contraction else _elementwise_rules(plan)


def check_words(kernel: pto.PtoKernelOp, plan: Schedule) -> None:
    """What a plan says in words must mean something, also beside a tile program, which decides the rest."""
    axes = AXES[: len(plan.tile)]
    tail = plan.predicate_tail
    words = set(tail) <= set(axes) and len(set(tail)) == len(tail)
    _require(kernel, _word_rules(kernel, plan, asks(words, "predicate_tail", f"some of {', '.join(axes)}, each once")))


def _word_rules(kernel: pto.PtoKernelOp, plan: Schedule, tail: Rule) -> Iterator[Rule]:
    yield tail
    yield _vectorize_rule(plan)
    if len(plan.tile) == 2:
        yield from _elementwise_rules(plan)
        return
    yield _hints_rule(plan)
    if plan.warp_specialized:
        yield from word_rules(plan)
        yield sum_edge_rule(plan)
        yield asks(set(plan.algo_choice) <= {"matmul"}, "algo_choice", "matmul, or nothing")
        yield asks(set(plan.cache) <= staged_operands(), "cache", "A and B in smem at k.i with pingpong")
        yield from program_rules(kernel, plan)
    else:
        yield _bind_rule(plan)


def _vectorize_rule(plan: Schedule) -> Rule:
    columns, stride = (AXES[0], "col") if plan.transposed else (AXES[1], "row")
    return asks(plan.vectorize.axis == columns, "vectorize", f'axis = "{columns}", as C_stride is {stride}')


def staged_operands() -> set[Cache]:
    """Both operands in a ring of shared memory: all that `cache` can say of a contraction."""
    from ..dialects.plan.schedule import Cache

    return {Cache(tensor="A"), Cache(tensor="B")}


def _bind_rule(plan: Schedule) -> Rule:
    blocks = {plan.bind.get("m.o", "block.y"), plan.bind.get("n.o", "block.x")}
    warps = {plan.bind.get("m.i.o", "warp.y"), plan.bind.get("n.i.o", "warp.x")}
    return asks(
        set(plan.bind) <= {"m.o", "n.o", "m.i.o", "n.i.o"}
        and blocks == {"block.x", "block.y"}
        and warps == {"warp.x", "warp.y"},
        "bind",
        "m.o and n.o on block.x and block.y, m.i.o and n.i.o on warp.x and warp.y, one on each",
    )


def _hints_rule(plan: Schedule) -> Rule:
    return asks(
        all(
            v in ("row", "col") if k == "C_stride" else k in ("A_swizzle", "B_swizzle") and type(v) is bool
            for k, v in plan.layout_hints.items()
        ),
        "layout_hints",
        'A_swizzle and B_swizzle true or false, C_stride "row" or "col"',
    )


def _elementwise_rules(plan: Schedule) -> Iterator[Rule]:
    blocks = {plan.bind.get("m.o", "block.y"), plan.bind.get("n.o", "block.x")}
    yield asks(
        set(plan.bind) <= {"m.o", "n.o"} and blocks == {"block.x", "block.y"},
        "bind",
        "m.o and n.o, one on block.x and the other on block.y",
    )
    for field in ("algo_choice", "cache", "layout_hints", "local_edges"):
        yield asks(not getattr(plan, field), field, "empty: this region contracts nothing")


def _contraction_rules(plan: Schedule, space: KernelSpace, contraction: Contraction) -> Iterator[Rule]:
    yield asks(set(plan.algo_choice) <= {"matmul"}, "algo_choice", "matmul, or nothing")
    yield asks(
        len(plan.cache) == 2 and set(plan.cache) == staged_operands(),
        "cache",
        "A and B in smem at k.i with pingpong",
    )
    yield _hints_rule(plan)
    if plan.warp_specialized:
        yield from word_rules(plan)
        yield from contraction_rules(plan, space, contraction)
        yield sum_edge_rule(plan)
        return
    mma = instruction(contraction)
    yield from _size_rules(plan, space, mma)
    yield from _row_rules(plan, space, contraction)
    yield _edge_rule(plan, mma)
    yield _bind_rule(plan)


def _size_rules(plan: Schedule, space: KernelSpace, mma: Mma) -> Iterator[Rule]:
    """Warp tiles and steps are made of whole instructions, and every part of k has a step."""
    bk, (rows, columns) = plan.tile[2], plan.oriented[1]
    least = f"{mma.n}x{mma.m}, as C_stride is col" if plan.transposed else f"{mma.m}x{mma.n}"
    yield (
        not (rows % mma.m or columns % mma.n),
        f"warp_tile {plan.warp_tile} is not made of {mma.name} instructions",
        f"warp_tile must be: a multiple of {least}",
    )
    yield (
        not bk % mma.k,
        f"tile has BK = {bk}, {mma.name} takes {mma.k} at a time",
        f"BK must be: a multiple of {mma.k}",
    )
    yield from part_rules(plan, space)


def _edge_rule(plan: Schedule, mma: Mma) -> Rule:
    """The sum goes to the epilogue in registers; two buffers of fragments take turns over an even number of steps."""
    from ..dialects.plan.schedule import LocalEdge

    bk, none = plan.tile[2], set[LocalEdge]()
    result = {LocalEdge(source="sum", target=plan.epilogue[0])} if plan.epilogue else none
    fragments = set(fragment_edges()) if bk % (2 * mma.k) == 0 else none
    edges = set(plan.local_edges)
    from_sum = f"from sum to {plan.epilogue[0]} in reg" if result else "none from sum, there is no epilogue"
    from_operands = (
        "from A and from B to sum in reg with depth 2, both or neither"
        if fragments
        else f"none from A and B, BK = {bk} is an odd number of steps of {mma.name}"
    )
    return asks(
        len(edges) == len(plan.local_edges) and edges <= result | fragments and edges & fragments in (none, fragments),
        "local_edges",
        f"{from_sum} and {from_operands}",
    )


def fragment_edges() -> tuple[LocalEdge, LocalEdge]:
    """What asks for register double buffering: the fragments of both operands, two of each."""
    from ..dialects.plan.schedule import LocalEdge

    return LocalEdge(source="A", target="sum", depth=2), LocalEdge(source="B", target="sum", depth=2)


def _row_rules(plan: Schedule, space: KernelSpace, contraction: Contraction) -> Iterator[Rule]:
    """Rows of shared memory lie along an operand's contiguous axis; the swizzle permutes a power of two of chunks."""
    from ..analysis.regions.kernel_space import operand_layouts
    from ..targets.mma import element_bytes
    from .multistage.resources import ROW_BYTES

    bm, bn, bk = plan.tile
    a, b = operand_layouts(space)
    for name, size, dtype in (
        ("A", ("BK", bk) if a == "ND" else ("BM", bm), contraction.dtypes[0]),
        ("B", ("BN", bn) if b == "ND" else ("BK", bk), contraction.dtypes[1]),
    ):
        row = size[1] * element_bytes(dtype)
        yield (
            row >= ROW_BYTES and not row & (row - 1),
            f"tile has {size[0]} = {size[1]}, which makes rows of {row} bytes of {name} in shared memory",
            f"{size[0]} must be: a power of two, of at least {ROW_BYTES // element_bytes(dtype)}",
        )
