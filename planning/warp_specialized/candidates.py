"""
Candidate shapes of a warp-specialized kernel, and the order in which the planner falls back on them.

One to three cooperative warpgroups share a tile, or two warpgroups compute tiles in turns (pingpong). A warpgroup computes
64 or 128 rows and as many columns as one wgmma has. BK is 64 or 128 bytes long. The ring is as deep as shared memory and
the steps of a block allow. A cluster is one block, or two along m or n. If the tiles do not fill the machine, split-K and
stream-K are candidates too. The rows of wgmma lie along the axis along which the result is not contiguous; if that axis has at
most 64 elements, the other orientation is a candidate too. If an operand is computed, they lie along its axis. `cost.py` ranks
the candidates that fit.
Spec: `tensor-compiler.ja §6` (search space), `§10` (fallback).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from ...dialects.plan.schedule import MAX_SPLITS, Roles
from ...targets.machines import Machine
from ...targets.mma import wgmma_columns
from ..problem import Overflow, Problem, filled_parts, swizzles, wgmma_rows
from .cost import best_order, estimate
from .resources import Shape, fragment_registers, most_stages, overflow

OTHER_REGISTERS = 64
"""Number of registers that the planner leaves a consumer thread besides accumulators: a round figure, twice `LEAST_OTHER`."""
WARPGROUPS: tuple[tuple[int, Roles, int], ...] = (
    (64, "cooperative", 1),
    (64, "cooperative", 2),
    (64, "cooperative", 3),
    (128, "cooperative", 1),
    (128, "cooperative", 2),
    (64, "pingpong", 1),
    (128, "pingpong", 1),
)
"""Candidates for the rows of a warpgroup tile, the kernel schedule, and the number of warpgroups that share a tile."""
COLUMNS = (8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 224, 256)
"""Candidates for the columns of a warpgroup tile: those of one wgmma."""
K_BYTES = (128, 64)
"""Candidate lengths of a stage along k, in bytes: the widest swizzled row of shared memory, or half of it."""
CLUSTERS = ((1, 1), (2, 1), (1, 2))
"""Candidate numbers of blocks in a cluster, along m and n."""
MAX_STAGES = 12
"""Maximum number of stages; a deeper ring hides no more latency."""


@lru_cache(maxsize=256)
def fallbacks(
    problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> tuple[Shape, ...]:
    """Returns the fastest shape, then the next fastest shapes, each with fewer accumulator registers than the one before."""
    out: list[Shape] = []
    for shape in ranked(problem, machine, stages, split):
        if not out or fragment_registers(shape, problem) < fragment_registers(out[-1], problem):
            out.append(shape)
    return tuple(out)


def ranked(problem: Problem, machine: Machine, stages: int | None = None, split: int | None = None) -> list[Shape]:
    """Returns the shapes that fit, sorted by predicted clocks; ties are broken by accumulator registers, then by their order."""
    fitting = [shape for shape, over in candidates(problem, machine, stages, split) if over is None]
    return sorted(
        fitting, key=lambda shape: (estimate(shape, problem, machine).total, fragment_registers(shape, problem))
    )


def candidates(
    p: Problem, machine: Machine, stages: int | None = None, split: int | None = None
) -> Iterator[tuple[Shape, Overflow | None]]:
    """Yields every legal shape together with the limit that it exceeds, or None."""
    for transposed in orientations(p):
        for tile, warp, roles in _tiles(p, transposed):
            for cluster in CLUSTERS:
                base = Shape(tile, warp, 2, roles=roles, cluster=cluster, transposed=transposed)
                if not multicast_is_legal(base, p):
                    continue
                base = replace(base, order=best_order(base, p, machine))
                for work in work_splits(base, p, machine, split):
                    shape = replace(work, stages=stages or _depth(work, p, machine))
                    yield shape, overflow(shape, p, machine.limits, OTHER_REGISTERS)


def orientations(p: Problem) -> tuple[bool, ...]:
    """Returns the candidates for whether blocks compute Cᵀ. A computed operand must be wgmma's A, which can be in registers."""
    if any(p.prologue):
        return (p.prologue[1] > 0,)
    if p.has_windows:
        return (False,)
    natural = p.n if p.along_m else p.m
    return (p.along_m, not p.along_m) if natural <= 64 else (p.along_m,)


def _tiles(p: Problem, transposed: bool) -> Iterator[tuple[tuple[int, int, int], tuple[int, int], Roles]]:
    """Yields tiles, warpgroup tiles and roles: no larger than needed, and with rows of shared memory that can be swizzled."""
    down, along = (p.n, p.m) if transposed else (p.m, p.n)
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
            if wgmma_columns(p.mma, wide):
                for bk in p.k_tiles(K_BYTES):
                    tiles = wgmma_rows(p.ring_tiles, p.prologue)
                    if all(swizzles((bk if along_k else (bm, bn)[at]) * size) for at, along_k, size in tiles):
                        yield (bm, bn, bk), warp, roles
                        enough = wide >= along


def multicast_is_legal(shape: Shape, p: Problem) -> bool:
    """Returns whether each block of the cluster has a tile, and the blocks can divide their shared rows in multiples of 8."""
    (bm, bn, bk), (cm, cn) = shape.tile, shape.cluster
    if cm > -(-p.m // bm) or cn > -(-p.n // bn):
        return False
    return all(
        ((bm, bn)[at] if along_k else bk) % (8 * (cn, cm)[at]) == 0
        for at, along_k, _ in wgmma_rows(p.ring_tiles, p.prologue)
    )


def work_splits(shape: Shape, p: Problem, machine: Machine, split: int | None) -> Iterator[Shape]:
    """
    Yields the shape unsplit, with split-K if there are fewer tiles than clusters, and with stream-K if the last wave is
    incomplete. Split-K and stream-K need a tile for each block of a cluster. They also exclude pingpong, whose warpgroups cannot
    wait for other blocks.
    """
    steps = shape.k_steps(p.k)
    (bm, bn, _), (cm, cn) = shape.tile, shape.cluster
    shares = shape.roles == "cooperative" and -(-p.m // bm) % cm == 0 == -(-p.n // bn) % cn
    if split is not None:
        if filled_parts(steps, split) == split and (split == 1 or shares):
            yield replace(shape, split=split)
        return
    yield shape
    if not shares:
        return
    slots = machine.multiprocessors // (cm * cn)
    tiles = p.outer * -(-p.m // (bm * cm)) * -(-p.n // (bn * cn))
    if (parts := filled_parts(steps, max(1, min(slots // tiles, steps // 4, MAX_SPLITS)))) > 1:
        yield replace(shape, split=parts)
    if tiles % slots and tiles * steps >= 4 * slots:
        yield replace(shape, stream_k=True)


def _depth(shape: Shape, p: Problem, machine: Machine) -> int:
    """Returns the largest number of stages that fits in shared memory and does not exceed the k-steps of a block."""
    (bm, bn, _), (cm, cn) = shape.tile, shape.cluster
    tiles = p.outer * -(-p.m // (bm * cm)) * -(-p.n // (bn * cn)) * shape.split
    waves = -(-tiles // max(1, machine.multiprocessors // (cm * cn)))
    return max(2, min(most_stages(shape, p, machine.limits.shared_per_block), shape.k_steps(p.k) * waves, MAX_STAGES))
