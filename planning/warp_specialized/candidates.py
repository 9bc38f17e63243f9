"""
The candidates of a plan with roles for a contraction, and the ladder that is made of them: best first, then with ever
fewer registers.

One to three warpgroups of 64 or 128 rows share a tile, or two take turns; its columns are those of one wgmma. BK is 64 or
128 bytes of k, the ring as deep as shared memory and the steps of a block allow, a cluster one block or two along m or
n. Where tiles do not fill the machine, k is split or streamed. The rows of wgmma, 64 at least, lie along the axis along
which the result is not contiguous, or along the other where they would be wasted. `cost.py` ranks what fits.
Spec: `tensor-compiler.ja §6` (search space), `§10` (fallback).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from ...dialects.plan.schedule import MOST_PARTS, Roles
from ...targets.machines import Machine
from ...targets.mma import wgmma_columns
from ..multistage.resources import Problem, swizzles, transposed_copies
from .cost import best_order, role_clocks
from .resources import RoleShape, most_stages, role_overflow, sums

OTHER_REGISTERS = 64
"""What the planner leaves a consumer for all but its sums: a round figure, twice what a plan must leave."""
WARPGROUPS: tuple[tuple[int, Roles, int], ...] = (
    (64, "cooperative", 1),
    (64, "cooperative", 2),
    (64, "cooperative", 3),
    (128, "cooperative", 1),
    (128, "cooperative", 2),
    (64, "pingpong", 1),
    (128, "pingpong", 1),
)
"""Rows of a warpgroup's share of a tile, and how many share it."""
COLUMNS = (8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256)
K_BYTES = (128, 64)
"""Bytes of k that a stage holds: a row of shared memory, or half a one."""
CLUSTERS = ((1, 1), (2, 1), (1, 2))
DEEPEST = 12
"""More stages than these hide no more."""
Overflow = tuple[str, str]


@lru_cache(maxsize=256)
def role_ladder(
    problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> tuple[RoleShape, ...]:
    """The fastest shape, then the fastest of those with ever fewer registers for sums."""
    out: list[RoleShape] = []
    for shape in ranked(problem, machine, stages, split):
        if not out or sums(shape, problem) < sums(out[-1], problem):
            out.append(shape)
    return tuple(out)


def ranked(problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None) -> list[RoleShape]:
    """All that fit, the fastest first; of equals the one with fewer registers, and then the first that was thought of."""
    fitting = [shape for shape, over in candidates(problem, machine, stages, split) if over is None]
    return sorted(fitting, key=lambda shape: (role_clocks(shape, problem, machine), sums(shape, problem)))


def candidates(
    p: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> Iterator[tuple[RoleShape, Overflow | None]]:
    """Every shape that the rules allow, with what of the machine overflows."""
    natural = p.n if p.along_m else p.m
    for transposed in (p.along_m, not p.along_m) if natural <= 64 else (p.along_m,):
        for tile, warp, roles in _tiles(p, transposed):
            for cluster in CLUSTERS:
                base = RoleShape(tile, warp, 2, roles, cluster, transposed=transposed)
                if not _shares(base, p):
                    continue
                base = replace(base, order=best_order(base, p, machine))
                for work in _works(base, p, machine, split):
                    shape = replace(work, stages=stages or _depth(work, p, machine))
                    yield shape, role_overflow(shape, p, machine.limits, OTHER_REGISTERS)


def _tiles(p: Problem, transposed: bool) -> Iterator[tuple[tuple[int, int, int], tuple[int, int], Roles]]:
    """Tiles, warpgroup tiles and roles, no larger than the problem needs and with rows of shared memory that can be swizzled."""
    down, along = (p.n, p.m) if transposed else (p.m, p.n)
    most = 1 << (p.k - 1).bit_length()
    for high, roles, count in WARPGROUPS:
        if high * count > 64 and high * count >= down + 64:
            continue
        enough = False
        for wide in COLUMNS:
            if enough:
                break
            (bm, bn), warp = (high * count, wide), (high, wide)
            if transposed:
                (bm, bn), warp = (wide, high * count), (wide, high)
            if wgmma_columns(p.mma, wide) and all(swizzles(side * p.bytes) for side in _rows_along((bm, bn), p)):
                for bk in sorted({max(p.mma.k, min(size // p.bytes, most)) for size in K_BYTES}, reverse=True):
                    yield (bm, bn, bk), warp, roles
                enough = wide >= along


def _rows_along(tile: Sequence[int], p: Problem) -> list[int]:
    """The sides of A's and B's tiles that are rows of shared memory, beside BK."""
    (a, b), (turned_a, turned_b) = p.layouts, transposed_copies(p)
    return [tile[0]] * (a == "DN" and not turned_a) + [tile[1]] * (b == "ND" and not turned_b)


def _shares(shape: RoleShape, p: Problem) -> bool:
    """Whether there are tiles for all blocks of the cluster, and each can load its part of what they share, in rows of 8."""
    (bm, bn, bk), (cm, cn) = shape.tile, shape.cluster
    if cm > -(-p.m // bm) or cn > -(-p.n // bn):
        return False
    a, b = p.layouts
    (turned_a, turned_b) = transposed_copies(p)
    rows_a, rows_b = (bk if a == "DN" and not turned_a else bm), (bk if b == "ND" and not turned_b else bn)
    return rows_a % (8 * cn) == 0 and rows_b % (8 * cm) == 0


def _works(shape: RoleShape, p: Problem, machine: Machine, split: int | None) -> Iterator[RoleShape]:
    """The shape with k whole, and in parts or streamed where tiles leave blocks idle."""
    steps = shape.steps(p.k)
    (bm, bn, _), (cm, cn) = shape.tile, shape.cluster
    whole = -(-p.m // bm) % cm == 0 == -(-p.n // bn) % cn
    if split is not None:
        if _parts(steps, split) == split and (split == 1 or whole):
            yield replace(shape, split=split)
        return
    yield shape
    if not whole:  # a block without a tile would have no part of its sum
        return
    slots = machine.multiprocessors // (cm * cn)
    tiles = p.outer * -(-p.m // (bm * cm)) * -(-p.n // (bn * cn))
    if (parts := _parts(steps, max(1, min(slots // tiles, steps // 4, MOST_PARTS)))) > 1:
        yield replace(shape, split=parts)
    if shape.roles == "cooperative" and tiles % slots and tiles * steps >= 4 * slots:
        yield replace(shape, stream_k=True)


def _parts(steps: int, parts: int) -> int:
    """How many of `parts` equal parts of so many steps are not empty."""
    return -(-steps // -(-steps // parts))


def _depth(shape: RoleShape, p: Problem, machine: Machine) -> int:
    """As deep as shared memory allows, and no deeper than a block has steps."""
    (bm, bn, _), (cm, cn) = shape.tile, shape.cluster
    tiles = p.outer * -(-p.m // (bm * cm)) * -(-p.n // (bn * cn)) * shape.split
    waves = -(-tiles // max(1, machine.multiprocessors // (cm * cn)))
    return max(2, min(most_stages(shape, p, machine.limits.shared_per_block), shape.steps(p.k) * waves, DEEPEST))
