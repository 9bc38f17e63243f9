"""The time that a trace takes, if each pipe executes its instructions as early as the events allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...dialects import pto
from ...dialects.pto.pipes import PIPES, Pipe
from .hazards import set_clocks
from .trace import Trace


@dataclass(frozen=True)
class Timing:
    """The cycles from the first start to the last end, and those that each pipe is busy."""

    cycles: int
    busy: dict[Pipe, int]

    @property
    def overlap(self) -> float:
        """The cycles of the busiest pipe, which no schedule can undercut, divided by those that the trace takes."""
        return max(self.busy.values()) / self.cycles


def timing(trace: Trace, cycles: Callable[[pto.InstructionOp], int]) -> Timing:
    """Returns the time of a trace. `cycles` says how long an instruction occupies its pipe."""
    set_clocks(trace)
    ends: list[int] = []
    free, busy = [0] * len(PIPES), dict.fromkeys(PIPES, 0)
    for step in trace.steps:
        start = max([free[step.pipe], *(ends[n] for n in step.start if n >= 0)])
        length = cycles(step.op)
        busy[PIPES[step.pipe]] += length
        free[step.pipe] = start + length
        ends.append(start + length)
    return Timing(max(ends, default=0), busy)
