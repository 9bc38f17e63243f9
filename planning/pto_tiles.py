"""
Selects the plans whose tiles fit the memories of a PTO target, best first.

Tiles of a kernel share the memories of a core: the ring and its operands are double-buffered, the accumulator is not, and vector ops work
on a few tiles at a time. Among plans that fit, products prefer those that load least: their cost is the elements of A and B that
cross global memory, padding included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf

from msgspec.structs import replace
from xdsl.dialects.builtin import TensorType, i1

from ..analysis.regions.space import KernelSpace
from ..dialects import tiny
from ..dialects.common.shapes import element
from ..dialects.plan.schedule import ONLINE, Schedule
from ..dialects.pto.storage import element_bytes
from ..dialects.region import RegionKernelOp
from ..targets.pto.machine import FRACTAL_SIDE, ROWS_ALIGNMENT, PtoMachine
from .rules import tails

BUFFERS = 2
"""Tiles of each operand that are in memory at a time."""
LIVE = 5
"""Vector tiles of a kernel that are in memory at a time, temporaries included."""
LIVE_STREAMED = 9
"""Vector tiles of a kernel that goes through rows part by part."""
FURTHER = {"erfc": 4, "pow": 10, "cos": 11, "sin": 12}
"""Vector tiles that are in memory besides, while a function is computed that PTO lacks, by its name in `tiny`."""
PARTS = (1024, 512, 256, 128)
"""Columns of the parts of long rows."""


def plans_for(
    machine: PtoMachine,
    plans: Sequence[Schedule],
    kernel: RegionKernelOp,
    space: KernelSpace,
    accepts: Callable[[Schedule], bool],
) -> list[Schedule]:
    """Returns the plans whose tiles a target holds, the best first. `accepts` says which plans of long rows are legal."""
    unit, further = rows_of(kernel), further_tiles(kernel)
    found = [*plans, *(plan for plan in streaming(plans, space, unit) if accepts(plan))]
    return sorted(
        (plan for plan in found if fits(plan, machine, space, unit, further)), key=lambda plan: cost(plan, space)
    )


def rows_of(kernel: RegionKernelOp) -> int:
    """Returns the number of which tiles without products have a multiple of rows and columns, so that each of their lines is aligned."""
    types = {element(v) for op in kernel.walk() for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)}
    return ROWS_ALIGNMENT // min((element_bytes(t) for t in types if t != i1), default=4)


def further_tiles(kernel: RegionKernelOp) -> int:
    """Returns how many vector tiles the functions of a kernel need besides those of other kernels."""
    functions = (op.fn.data for op in kernel.walk() if isinstance(op, tiny.UnaryOp | tiny.BinaryOp))
    return max((FURTHER.get(fn, 0) for fn in functions), default=0)


def streaming(plans: Sequence[Schedule], space: KernelSpace, unit: int) -> Iterator[Schedule]:
    """Yields plans in which each warp of a GPU, and a core all together, go through rows part by part."""
    for plan in plans[:1]:
        for columns in PARTS if plan.holds_rows and not plan.transposed else ():
            if columns < space.n:
                tile = unit, columns
                tail = tuple(tails(tile, space))
                yield replace(plan, tile=tile, warp_tile=f"1x{columns}", cluster=(1, 1), predicate_tail=tail)


def rounded(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def fits(plan: Schedule, machine: PtoMachine, space: KernelSpace, unit: int, further: int) -> bool:
    """Returns whether a target holds the tiles of a plan, and has a form of its kernel."""
    if plan.split > 1 or plan.warp_specialized:
        return False
    vec = machine.memories["Vec"]
    if len(plan.tile) == 2:
        rows, columns = plan.row_tile if plan.holds_rows else plan.tile
        rows = rows if rows == 1 and not plan.holds_rows else rounded(rows, unit)
        streams = plan.holds_rows and space.n > plan.row_columns
        return 4 * ((LIVE_STREAMED if streams else LIVE) + further) * rows * rounded(columns, unit) <= vec
    bm, bn, bk = (rounded(size, FRACTAL_SIDE) for size in plan.tile)
    c = space.contraction
    bytes_ = 4 if c is None else max(element_bytes(element(v)) for v in (c.lhs.value, c.rhs.value))
    attends = plan.algo_choice.get("attention") == ONLINE
    if attends or space.chained:
        lefts, rights, accs = max(bm * bn, bm * bk), bn * bk, bm * (bk + bn)
        staged, vectors = bm * bn + 2 * bn * bk, bm * (6 * bk + 4 * bn + further * max(bk, bn))
    else:
        lefts, rights, accs = bm * bk, bk * bn, bm * bn
        staged, vectors = bk * (bm + bn), (3 + further) * bm * bn
    return (
        BUFFERS * bytes_ * lefts <= machine.memories["Left"]
        and BUFFERS * bytes_ * rights <= machine.memories["Right"]
        and 4 * accs <= machine.memories["Acc"]
        and BUFFERS * bytes_ * staged <= machine.memories["Mat"]
        and 4 * vectors <= vec
    )


def cost(plan: Schedule, space: KernelSpace) -> tuple[float, ...]:
    """Returns what a plan costs on a core, to compare it with others for the same kernel."""
    if len(plan.tile) == 2:
        streams = plan.holds_rows and space.n > plan.row_columns
        rows = plan.tile[0] if plan.reduces_columns else min(plan.tile[0], space.m)
        return float(streams), -float(rows * plan.tile[1]), float(plan.tile[0])
    if space.chained:
        return -float(min(plan.tile[0], space.m)), float(plan.tile[0]), -float(plan.tile[2])
    bm, bn, bk = plan.tile
    m, n = (-(-size // tile) * tile for size, tile in ((space.m, bm), (space.n, bn)))
    loads = m * n * (1 / bm + 1 / bn) if bm and bn else inf
    return loads, -(-space.k // bk) * bk, -float(bk)
