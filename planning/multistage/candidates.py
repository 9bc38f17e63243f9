"""
Candidate shapes of a multistage kernel, and the order in which the planner falls back on them.

Sizes are powers of two and no larger than the problem needs. BK is 64 or 128 bytes long. A ring has 3 to 5 stages if
shared memory and k allow; fragments are double-buffered if BK has two steps of the instruction and registers allow.
If there are too few tiles to fill the machine, split-K divides k so that *parts · tiles ≈ multiprocessors*; each part
fills its ring at least twice. The instruction's columns lie along the axis along which the result is contiguous. If the other axis
is so short that it would fill only part of the instruction's rows, the transposed orientation is a candidate too.
`cost.py` ranks the candidates that fit. The order of tiles is the one that reads the fewest sectors (`../tile_order.py`).
Spec: `tensor-compiler.ja §6` (search space), `§10` (fallback).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ...dialects.plan.schedule import MAX_SPLITS
from ...targets.machines import Machine
from ..problem import Overflow, Problem, filled_parts
from .cost import estimate, ordered
from .resources import BASE_REGISTERS, Shape, fragment_elements, fragment_registers, overflow

LARGEST_TILE = 256
"""Maximum of BM and BN, in elements."""
LARGEST_WARP = 64
"""Maximum rows and columns of a warp tile."""
ROW_COLUMNS = 16
"""The fewest columns of a tile whose rows lanes hold in 4 contiguous elements, as `conversions.contiguous` finds."""
MANY_WARPS = (8, 4)
"""Candidate numbers of warps in a block for tiles that have at least as many elements as the largest warp tile."""
FEW_WARPS = (4, 2, 1)
"""Candidate numbers of warps in a block for smaller tiles."""
DEPTHS = (5, 4, 3)
"""Candidate numbers of stages."""
K_BYTES = (128, 64)
"""Candidate lengths of a stage along k, in bytes: one or two lines of L2 for each row of an operand that is contiguous along k."""
SPLIT_K_BYTES = (128, 64, 32, 16)
"""Candidate lengths of a stage along k, in bytes, if the user gives the number of parts: short steps allow more parts."""
RINGS_A_LONG_LOOP = 8
"""
The number of times that a loop fills its ring from which on a step for each slot is written out: a tenth to a fifth fewer
instructions a step, and half as much time again in the compiler.
"""
RINGS_A_PART = 2
"""Minimum number of times that a part of k fills its ring; with fewer, the time to fill the ring would dominate."""


@lru_cache(maxsize=256)
def fallbacks(
    problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> tuple[Shape, ...]:
    """
    Returns the shapes to try in order: the fastest; the same without double-buffered fragments, then also with fewer stages;
    then the next fastest shapes, each with fewer registers than the one before. `Multistage.completed` chooses the order of tiles.
    """
    best = ranked(problem, machine, stages, split)
    out, least = best[:1], fragment_registers(best[0], problem) if best else 0
    for shape in best:
        for buffers in range(shape.buffers, 0, -1):
            smaller = shape if buffers == shape.buffers else replace(shape, buffers=buffers)
            if (held := fragment_registers(smaller, problem)) < least:
                out.append(smaller)
                least = held
        if shape is best[0] and stages is None:
            out += [replace(out[-1], stages=depth) for depth in range(shape.stages - 1, 1, -1)]
    return tuple(out)


def unrolled_steps(shape: Shape, p: Problem) -> int:
    """
    Returns the number of steps that the main loop has written out: one, or one for each slot in a long loop whose copies move by as
    much from each step to the next. Then slots have constant addresses, and pointers move once an iteration.
    """
    equal = not (p.k % (shape.tile[2] * shape.split) or p.run or any(p.prologue)) and shape.buffers > 1
    return shape.stages if equal and shape.k_steps(p.k) >= RINGS_A_LONG_LOOP * shape.stages else 1


def ranked(problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None) -> list[Shape]:
    """
    Returns the candidates that fit, sorted by predicted clocks. Only the first one has an order of tiles that was chosen: it does not
    change which shape is the fastest.
    """
    fitting = (shape for shape, over in candidates(problem, machine, stages, split) if over is None)
    best = sorted(fitting, key=lambda shape: estimate(shape, problem, machine).total)
    return [*(ordered(shape, problem, machine) for shape in best[:1]), *best[1:]]


def candidates(
    p: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> Iterator[tuple[Shape, Overflow | None]]:
    """Yields every candidate with the limit that it exceeds, or None. Fragments are single only if two per operand do not fit."""
    k_bytes = SPLIT_K_BYTES if split or p.members > 1 else K_BYTES  # several rings fit if steps are short
    for transposed in _orientations(p):
        for tile, warp in _tiles(p, transposed, k_bytes):
            buffered = (2, 1) if tile[2] >= 2 * p.mma.k and not p.gathers and p.members == 1 else (1,)
            for depth, parts in _loops(tile, p, machine, stages, split):
                for buffers in buffered:
                    shape = Shape(tile, warp, depth, parts, transposed, buffers)
                    over = overflow(shape, p, machine.limits, BASE_REGISTERS[p.mma.name])
                    yield shape, over
                    if over is None:
                        break


def _orientations(p: Problem) -> tuple[bool, ...]:
    """Returns the candidates for whether blocks compute Cᵀ."""
    if p.of_rows or p.has_windows:
        return (False,)
    rows = p.n if p.along_m else p.m
    return (p.along_m, not p.along_m) if rows <= p.mma.n < p.mma.m else (p.along_m,)


def _loops(
    tile: tuple[int, int, int], p: Problem, machine: Machine, stages: int | None, split: int | None
) -> Iterator[tuple[int, int]]:
    """Yields the candidate numbers of stages and of parts of k."""
    bm, bn, bk = tile
    steps = -(-p.k // bk)
    idle = machine.multiprocessors // (p.outer * -(-p.m // bm) * -(-p.n // bn))
    for depth in _depths(steps) if stages is None else (stages,):
        if p.of_rows or p.members > 1:
            splits = (1,)
        else:
            splits = _splits(steps, idle, depth) if split is None else (split,)
        yield from ((depth, parts) for parts in splits if filled_parts(steps, parts) == parts)


def _depths(steps: int) -> tuple[int, ...]:
    """Returns the candidate numbers of stages for a loop of `steps`: at most one stage more than there are steps."""
    return tuple(d for d in DEPTHS if d <= steps + 1) or (2,)


def _splits(steps: int, idle: int, depth: int) -> tuple[int, ...]:
    """Returns the candidate numbers of parts: 1, and `idle` (multiprocessors per tile), or fewer if parts would be too short."""
    parts = filled_parts(steps, max(1, min(idle, steps // (RINGS_A_PART * depth), MAX_SPLITS)))
    return (1, parts) if parts > 1 else (1,)


def _tiles(
    p: Problem, transposed: bool, k_bytes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, int, int], tuple[int, int]]]:
    """
    Yields (BM, BN, BK) and the warp tile: powers of two that are no larger than the problem needs, and for which rows of shared
    memory consist of whole chunks. For each number of warps, only the warp tile that reads the fewest fragments is a candidate.
    """
    m, n = (p.mma.n, p.mma.m) if transposed else (p.mma.m, p.mma.n)
    a, b = p.layouts
    if p.of_rows:
        *_, columns = _powers(max(ROW_COLUMNS, p.chunk if b == "ND" else 1), p.n)
        for bm in _powers(max(m, p.chunk if a == "DN" else 1), p.m):
            warps = [w for w in (*MANY_WARPS, *FEW_WARPS) if bm % (w * m) == 0 and bm // w <= LARGEST_WARP]
            yield from (
                ((bm, columns, bk), (bm // w, columns)) for w in dict.fromkeys(warps) for bk in p.k_tiles(k_bytes)
            )
        return
    for bm in _powers(max(m, p.chunk if a == "DN" else 1), p.m):
        for bn in _powers(max(n, p.chunk if b == "ND" else 1), p.n):
            for warps in MANY_WARPS if bm * bn >= LARGEST_WARP**2 else FEW_WARPS:
                cuts = (
                    (wm, bm * bn // (wm * warps))
                    for wm in _powers(m, min(bm, LARGEST_WARP))
                    if n <= bm * bn // (wm * warps) <= min(bn, LARGEST_WARP)
                )
                if warp := min(cuts, key=lambda cut: fragment_elements(cut, transposed, p), default=None):
                    yield from (((bm, bn, bk), warp) for bk in p.k_tiles(k_bytes))


def _powers(least: int, size: int) -> Iterator[int]:
    """Yields the powers of two from `least` up to the first that covers `size`."""
    powers = (1 << exponent for exponent in range(least.bit_length() - 1, LARGEST_TILE.bit_length()))
    return (power for power in powers if power == least or power < 2 * size)
