"""
Which plans give tiles that a PTO target holds, and which of them is the best for it.

Tiles of a kernel share the memories of a core: the ring and its operands are double-buffered, the accumulator is not, and vector ops work
on a few tiles at a time. Among plans that fit, products prefer those that load least: their cost is the elements of A and B that
cross global memory, padding included.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from ..analysis.pto.legality import element_bytes
from ..analysis.regions.space import KernelSpace
from ..dialects.common.shapes import element
from ..dialects.plan.schedule import ONLINE, Schedule
from ..targets.pto.machine import PtoMachine

BUFFERS = 2
"""Tiles of each operand that are in memory at a time."""
LIVE = 6
"""Vector tiles of a kernel that are in memory at a time, temporaries included."""
UNIT = 16
"""Tiles have a multiple of so many rows and columns."""


def plans_for(machine: PtoMachine, plans: Iterable[Schedule], space: KernelSpace) -> list[Schedule]:
    """Returns the plans whose tiles a target holds, the best first."""
    fitting = [plan for plan in plans if fits(plan, machine, space)]
    return sorted(fitting, key=lambda plan: cost(plan, space))


def rounded(size: int) -> int:
    return -(-size // UNIT) * UNIT


def fits(plan: Schedule, machine: PtoMachine, space: KernelSpace) -> bool:
    """Returns whether a target holds the tiles of a plan, and has a form of its kernel."""
    if plan.split > 1 or plan.transposed or plan.warp_specialized or plan.reduces_columns:
        return False
    vec = machine.memories["Vec"]
    if len(plan.tile) == 2:
        rows, columns = plan.row_tile if plan.holds_rows else plan.block_tile
        whole = not plan.holds_rows or space.n <= plan.row_columns
        return whole and 4 * LIVE * (rows if rows == 1 else rounded(rows)) * rounded(columns) <= vec
    bm, bn, bk = map(rounded, plan.tile)
    c = space.contraction
    bytes_ = 4 if c is None else max(element_bytes(element(v)) for v in (c.lhs.value, c.rhs.value))
    attends = plan.algo_choice.get("attention") == ONLINE
    if attends or space.chained:
        lefts, rights, accs = max(bm * bn, bm * bk), bn * bk, bm * (bk + bn)
        staged, vectors = bm * bn + 2 * bn * bk, bm * (6 * bk + 4 * bn)
    else:
        lefts, rights, accs = bm * bk, bk * bn, bm * bn
        staged, vectors = bk * (bm + bn), 3 * bm * bn
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
        return -float(min(plan.tile[0], space.m) * plan.tile[1]), float(plan.tile[0])
    if space.chained:
        return -float(min(plan.tile[0], space.m)), float(plan.tile[0]), -float(plan.tile[2])
    bm, bn, bk = plan.tile
    m, n = (-(-size // tile) * tile for size, tile in ((space.m, bm), (space.n, bn)))
    loads = m * n * (1 / bm + 1 / bn) if bm and bn else inf
    return loads, -(-space.k // bk) * bk, -float(bk)
