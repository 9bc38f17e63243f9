"""
What has certainly completed at a place in the program.

Each pipe has a vector clock: for each pipe, the number of its latest execution that has completed before the next one of the first pipe starts.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation

from ...targets.pto import PIPES
from .accesses import Clock


@dataclass(frozen=True)
class Record:
    """An event that is recorded after `loop` on the pipe of `op`, which the loop contains."""

    loop: scf.ForOp
    op: Operation


Source = Operation | Record
"""What returns an event."""


class Timeline:
    """The executions up to a place in the program."""

    def __init__(self) -> None:
        self.known = [[-1] * len(PIPES) for _ in PIPES]
        """For each pipe, its clock."""
        self.last = [-1] * len(PIPES)
        """For each pipe, the number of its last execution."""
        self.sources: list[Source] = []
        self.pipes: list[int] = []
        self.starts: list[Clock] = []
        self.completions: list[Clock] = []
        self.latest: dict[Source, int] = {}
        """The number of the last execution of each op."""
        self.entries: list[tuple[list[list[int]], int]] = []
        """For each loop around this place, the outermost first: the clocks and the number of executions at its start."""
        self.entry: list[Clock] = []
        """The clocks at the start of the last outermost loop."""

    def append(self, source: Source, pipe: int, clock: list[int]) -> None:
        """Appends an execution that starts at `clock`, which becomes the clock of its pipe."""
        number = len(self.sources)
        self.starts.append(tuple(clock))
        clock[pipe] = number
        self.known[pipe], self.last[pipe] = clock, number
        self.completions.append(tuple(clock))
        self.sources.append(source)
        self.pipes.append(pipe)
        self.latest[source] = number

    def join(self, clock: list[int], source: Source) -> None:
        """Lets a clock know that the last execution of `source` has completed."""
        clock[:] = map(max, clock, self.completions[self.latest[source]])

    def order(self, source: Source, before: Source) -> None:
        """Lets the last execution of `source`, outside of loops, start after the last one of `before`."""
        number, done = self.latest[source], self.completions[self.latest[before]]
        for clocks in (self.starts, self.completions):
            clocks[number] = tuple(map(max, clocks[number], done))
        self.join(self.known[self.pipes[number]], before)

    def pipe(self, source: Source) -> int:
        return self.pipes[self.latest[source]]

    def barrier(self) -> None:
        self.known = [list(self.last) for _ in PIPES]

    def enter(self) -> None:
        if not self.entries:
            self.entry = [tuple(clock) for clock in self.known]
        self.entries.append(([list(clock) for clock in self.known], len(self.sources)))

    def leave(self, certain: bool) -> None:
        """Ends a loop. One that may have no iteration orders nothing for what follows."""
        known, first = self.entries.pop()
        if certain:
            return
        self.known = known
        for number in range(first, len(self.sources)):
            pipe = self.pipes[number]
            clock = list(known[pipe])
            clock[pipe] = number
            self.completions[number] = tuple(clock)
