"""Chooses the interval of a loop's iterations, so that its stages and buffers are few enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Block, Operation

from ...analysis.pto.costs import cycles
from ...analysis.pto.effects import pipe_of
from ...analysis.pto.modulo import Dependence, ModuloSchedule, least_interval, schedule
from ...dialects import pto
from .dependences import body_instructions, carried


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
    ops = body_instructions(loop)
    pipes, times = [pipe_of(op) for op in ops], [cycles(op) for op in ops]
    total = sum(times)
    interval = least_interval(pipes, times)
    while interval < total:
        found = schedule(pipes, times, dependences, interval)
        if found is not None and found.stages <= stages:
            copies = buffers(loop, ops, times, found)
            if copies <= stages:
                return LoopSchedule(found, copies)
        interval = max(interval + 1, interval * 17 // 16)
    return None


def buffers(loop: scf.ForOp, ops: list[pto.InstructionOp], times: list[int], found: ModuloSchedule) -> int:
    """Returns how many results of one instruction are used at one time, at most."""
    numbers: dict[Operation | Block, int] = {op: k for k, op in enumerate(ops)}
    yielded = carried(loop)
    position = {k: p for p, k in enumerate(found.order)}
    most = 1
    for k, op in enumerate(ops):
        for value in op.operands:
            source, distance = (yielded[value], 1) if value in yielded else (value, 0)
            if not isinstance(source.type, pto.TileType) or source.owner not in numbers:
                continue
            producer = numbers[source.owner]
            if producer == k:
                continue  # an accumulator, which is updated in place
            end = found.starts[k] + times[k] + distance * found.interval
            steps = found.stage(k) + distance - found.stage(producer)
            most = max(
                most, -(-(end - found.starts[producer]) // found.interval), steps + (position[producer] < position[k])
            )
    return most
