"""
What has certainly completed at a place in the program.

Each pipe has a vector clock: for each pipe, a number up to which its executions have completed before the next one of the first pipe starts.
An execution that does not happen, in a branch that is not taken, counts as completed.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from ...targets.pto import PIPES
from .accesses import Clock


@dataclass
class Fork:
    """A condition around a place in the program: the clocks and the number of executions before it, then those after its first branch."""

    known: list[list[int]]
    start: int
    middle: int = 0
    inward: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """
    By pipe that waits for events from before the condition, what these say. As flags, they are waited for before the condition, whichever
    branch is taken.
    """


class Timeline:
    """The executions up to a place in the program. Sources have the numbers of `hazards.Trace`."""

    def __init__(self) -> None:
        self.known = [[-1] * len(PIPES) for _ in PIPES]
        """For each pipe, its clock."""
        self.sources: list[int] = []
        self.pipes: list[int] = []
        self.starts: list[Clock] = []
        self.completions: list[Clock] = []
        self.latest: dict[int, int] = {}
        """The number of the last execution of each source."""
        self.executions: list[list[int]] = [[] for _ in PIPES]
        """The numbers of the executions of each pipe, without records."""
        self.entries: list[tuple[list[list[int]], int]] = []
        """For each loop around this place, the outermost first: the clocks and the number of executions at its start."""
        self.entry: list[Clock] = []
        """The clocks at the start of the last outermost loop."""
        self.forks: list[Fork] = []
        """The conditions around this place, the outermost first."""
        self.depths: dict[int, int] = {}
        """The number of conditions around each source."""

    def append(self, source: int, pipe: int, clock: list[int]) -> None:
        """Appends an execution that starts at `clock`, which becomes the clock of its pipe."""
        number = len(self.sources)
        self.starts.append(tuple(clock))
        clock[pipe] = number
        self.known[pipe] = clock
        self.completions.append(tuple(clock))
        self.sources.append(source)
        self.pipes.append(pipe)
        self.latest[source] = number
        self.depths[source] = len(self.forks)
        self.executions[pipe].append(number)

    def record(self, source: int, pipe: int, inward: list[int] | None) -> None:
        """Appends an event that is recorded on a pipe, whose flag is set after the flags of `inward` have been waited for."""
        self.append(source, pipe, list(self.known[pipe]))
        self.executions[pipe].pop()
        if inward is not None:
            self.starts[-1] = tuple(map(max, self.starts[-1], inward))

    def join(self, clock: list[int], source: int, pipe: int) -> None:
        """Lets a clock of `pipe` know that the last execution of `source` has completed."""
        done = self.completions[self.latest[source]]
        clock[:] = map(max, clock, done)
        for fork in self.forks[self.depths[source] :] if self.forks else ():
            fork.inward[pipe] = list(map(max, fork.inward.get(pipe, done), done))

    def order(self, number: int, before: int) -> None:
        """Lets an execution, outside of loops and conditions, start after an earlier one has completed."""
        done = self.completions[before]
        for clocks in (self.starts, self.completions):
            clocks[number] = tuple(map(max, clocks[number], done))
        self.known[self.pipes[number]][:] = map(max, self.known[self.pipes[number]], done)

    def barrier(self) -> None:
        self.known = [[len(self.sources) - 1] * len(PIPES) for _ in PIPES]

    def enter(self) -> None:
        if not self.entries:
            self.entry = [tuple(clock) for clock in self.known]
        self.entries.append(([list(clock) for clock in self.known], len(self.sources)))

    def leave(self, certain: bool) -> None:
        """Ends a loop. One that may have no iteration orders nothing for what follows."""
        known, first = self.entries.pop()
        if not certain:
            self.known = known
            self._forget(first)

    def fork(self) -> None:
        self.forks.append(Fork(self._copy(), len(self.sources)))

    def switch(self) -> None:
        fork = self.forks[-1]
        fork.middle = len(self.sources)
        before, fork.known = fork.known, self.known
        self.known = [[self._without(k, p, fork.start, fork) for p, k in enumerate(clock)] for clock in before]

    def merge(self) -> Fork:
        """Ends a condition: what is known then is known after either branch."""
        fork = self.forks.pop()
        first = ([self._without(k, p, fork.middle, fork) for p, k in enumerate(clock)] for clock in fork.known)
        self.known = [list(map(min, a, b)) for a, b in zip(first, self.known, strict=True)]
        self._forget(fork.start)
        return fork

    def _without(self, known: int, pipe: int, first: int, fork: Fork) -> int:
        """Returns what is known of a pipe if its executions from `first` on do not happen."""
        later = self.executions[pipe]
        place = bisect_right(later, known)
        is_all = place == len(later) or later[place] >= first
        if not is_all or (pipe in fork.inward and known < fork.start):
            return known
        return max(known, len(self.sources) - 1)

    def _forget(self, first: int) -> None:
        """Lets the executions from `first` on, which may not have happened, say nothing but that earlier ones of their pipe have completed."""
        for number in range(first, len(self.sources)):
            pipe = self.pipes[number]
            clock = list(self.known[pipe])
            clock[pipe] = number
            self.completions[number] = tuple(clock)

    def _copy(self) -> list[list[int]]:
        return [list(clock) for clock in self.known]
