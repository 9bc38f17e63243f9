"""Chooses the interval of a loop's iterations, so that its stages and buffers are few enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf

from ...analysis.pto.costs import cycles
from ...analysis.pto.effects import pipe_of
from ...analysis.pto.modulo import Dependence, ModuloSchedule, least_interval, schedule
from .dependences import TileUse, body_instructions, tile_uses, varying_tiles


@dataclass(frozen=True)
class LoopSchedule:
    """A schedule, and how often the body is repeated."""

    schedule: ModuloSchedule
    copies: int


def choose_schedule(
    loop: scf.ForOp, dependences: Sequence[Dependence], stages: int, trips: int | None
) -> LoopSchedule | None:
    """Returns the schedule with the least interval that has at most `stages` stages and buffers, or None if overlapping does not help."""
    if trips is None or trips <= stages or stages == 1:
        return None
    ops, uses, varying = body_instructions(loop), tile_uses(loop), varying_tiles(loop)
    pipes, times = [pipe_of(op) for op in ops], [cycles(op) for op in ops]
    total = sum(times)
    interval = least_interval(pipes, times)
    while interval < total:
        found = schedule(pipes, times, dependences, interval)
        if found is not None and found.stages <= stages:
            copies = buffers(uses, times, found)
            if copies <= stages and not any(u.tile in varying and steps(u, found) for u in uses):
                return LoopSchedule(found, copies)
        interval = max(interval + 1, interval * 17 // 16)
    return None


def steps(use: TileUse, found: ModuloSchedule) -> int:
    """Returns how many steps after a tile is computed it is used."""
    return found.stage(use.user) + use.distance - found.stage(use.producer)


def buffers(uses: Sequence[TileUse], times: list[int], found: ModuloSchedule) -> int:
    """Returns how many results of one instruction are used at one time, at most."""
    position = {k: p for p, k in enumerate(found.order)}
    most = 1
    for use in uses:
        start, user = use.producer, use.user
        if start == user:
            continue  # an accumulator, which is updated in place
        end = found.starts[user] + times[user] + use.distance * found.interval
        overlap = -(-(end - found.starts[start]) // found.interval)
        most = max(most, overlap, steps(use, found) + (position[start] < position[user]))
    return most
