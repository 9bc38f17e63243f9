"""
Modulo scheduling of a loop's instructions over the pipes of a core.

Each iteration starts `interval` cycles after the one before. An instruction starts when those that it depends on have completed, at a time at
which its pipe is free in every iteration. The least interval is that of the busiest pipe, or of a cycle of dependences.

Source: B. R. Rau, *Iterative Modulo Scheduling*, 1994 (without its backtracking: a longer interval is tried instead).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Dependence:
    """Instruction `target` of iteration i + `distance` starts after instruction `source` of iteration i has completed."""

    source: int
    target: int
    distance: int


@dataclass(frozen=True)
class ModuloSchedule:
    """The start of each instruction in the first iteration, and the cycles between iterations."""

    interval: int
    starts: tuple[int, ...]

    def stage(self, instruction: int) -> int:
        return self.starts[instruction] // self.interval

    @cached_property
    def stages(self) -> int:
        return max(map(self.stage, range(len(self.starts))), default=0) + 1

    @cached_property
    def order(self) -> list[int]:
        """The instructions in the order in which a step of the pipelined loop executes them."""
        return sorted(range(len(self.starts)), key=lambda k: (self.starts[k] % self.interval, self.starts[k], k))


def schedule(
    pipes: Sequence[int], cycles: Sequence[int], dependences: Iterable[Dependence], interval: int
) -> ModuloSchedule | None:
    """Returns a schedule with that interval, or None if none is found. Dependences of distance 0 go from earlier to later instructions."""
    into: list[list[Dependence]] = [[] for _ in pipes]
    for dependence in dependences:
        into[dependence.target].append(dependence)
    starts: list[int] = []
    busy: dict[int, list[tuple[int, int]]] = {}
    for k, (pipe, length) in enumerate(zip(pipes, cycles, strict=True)):
        if length > interval:
            return None
        earliest = max((starts[d.source] + cycles[d.source] - d.distance * interval for d in into[k] if d.source < k), default=0)
        start = _free(busy.setdefault(pipe, []), max(earliest, 0), length, interval)
        if start is None:
            return None
        starts.append(start)
        busy[pipe].append((start % interval, length))
    for k in range(len(pipes)):
        if any(starts[d.source] + cycles[d.source] > starts[k] + d.distance * interval for d in into[k]):
            return None
    return ModuloSchedule(interval, tuple(starts))


def _free(busy: list[tuple[int, int]], earliest: int, length: int, interval: int) -> int | None:
    """Returns the first time from `earliest` on at which a pipe is free for `length` cycles in every iteration."""
    ends = ((begin + size - earliest) % interval + earliest for begin, size in busy)
    for start in sorted({earliest, *ends}):
        place = start % interval
        if all((place - begin) % interval >= size and (begin - place) % interval >= length for begin, size in busy):
            return start
    return None


def least_interval(pipes: Sequence[int], cycles: Sequence[int]) -> int:
    """Returns the cycles of the busiest pipe in an iteration."""
    totals: dict[int, int] = {}
    for pipe, length in zip(pipes, cycles, strict=True):
        totals[pipe] = totals.get(pipe, 0) + length
    return max(totals.values(), default=1)
