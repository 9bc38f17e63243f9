"""
Tracks the instructions that have certainly completed at a place in the program.

Each pipe has a vector clock: for each pipe, a number up to which its executions have completed before the next one of the first pipe starts.
An execution that does not happen, in a branch that is not taken, counts as completed.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from ...targets.pto import PIPES
from .accesses import Clock

Clocks = list[list[int]]
"""The clock of each pipe."""


@dataclass
class Scope:
    """A loop or a condition around a place in the program: the clocks and the number of executions before it."""

    known: Clocks
    start: int
    exits: list[tuple[Clocks, int]] = field(default_factory=list[tuple[Clocks, int]])
    """The clocks and the number of executions where it may have ended: after a number of iterations, or after the first branch."""
    inward: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """
    What the events from before the scope say, by the pipe that waits for them. As flags, they are waited for before the scope, whichever branch
    is taken, and whether or not a loop has iterations.
    """


class Timeline:
    """The executions up to a place in the program. Sources have the numbers of `hazards.Trace`."""

    def __init__(self) -> None:
        self.known: Clocks = [[-1] * len(PIPES) for _ in PIPES]
        self.sources: list[int] = []
        self.pipes: list[int] = []
        self.starts: list[Clock] = []
        self.completions: list[Clock] = []
        self.latest: dict[int, int] = {}
        """The number of the last execution of each source."""
        self.executions: list[list[int]] = [[] for _ in PIPES]
        """The numbers of the executions of each pipe, without records."""
        self.scopes: list[Scope] = []
        """The loops and conditions around this place, the outermost first."""
        self.loops = 0
        """The number of loops around this place."""
        self.entry: list[Clock] = []
        """The clocks at the start of the last outermost loop."""
        self.depths: dict[int, int] = {}
        """The number of scopes around each source."""

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
        self.depths[source] = len(self.scopes)
        self.executions[pipe].append(number)

    def record(self, source: int, pipe: int, inward: list[int] | None) -> None:
        """Appends an event that is recorded on a pipe, whose flag is set after the flags of `inward` have been waited for."""
        self.append(source, pipe, list(self.known[pipe]))
        self.executions[pipe].pop()
        if inward is not None:
            self.starts[-1] = tuple(map(max, self.starts[-1], inward))

    def join(self, clock: list[int], source: int, pipe: int) -> None:
        """Lets a clock of `pipe` know that the last execution of `source` has completed."""
        self.learn(clock, self.completions[self.latest[source]], self.depths[source], pipe)

    def learn(self, clock: list[int], done: Clock, depth: int, pipe: int) -> None:
        """Lets a clock of `pipe` know what an event says that has `depth` scopes around it."""
        clock[:] = map(max, clock, done)
        for scope in self.scopes[depth:] if self.scopes else ():
            scope.inward[pipe] = list(map(max, scope.inward.get(pipe, done), done))

    def order(self, number: int, before: int) -> None:
        """Lets an execution, outside of loops and conditions, start after an earlier one has completed."""
        done = self.completions[before]
        for clocks in (self.starts, self.completions):
            clocks[number] = tuple(map(max, clocks[number], done))
        self.known[self.pipes[number]][:] = map(max, self.known[self.pipes[number]], done)

    def barrier(self) -> None:
        self.known = [[len(self.sources) - 1] * len(PIPES) for _ in PIPES]

    def enter(self) -> None:
        """Starts a loop."""
        if not self.loops:
            self.entry = [tuple(clock) for clock in self.known]
        self.loops += 1
        self.fork()

    def fork(self) -> None:
        """Starts a condition."""
        self.scopes.append(Scope(self._copy(), len(self.sources)))

    def exit(self) -> None:
        """Notes that a loop may end here."""
        self.scopes[-1].exits.append((self._copy(), len(self.sources)))

    def switch(self) -> None:
        """Ends the first branch of a condition, without which the second one starts."""
        self.exit()
        scope = self.scopes[-1]
        self.known = self._without(scope.known, scope.start, scope)

    def leave(self) -> Scope:
        """Ends a loop or a condition: what is known at each of its exits is known then."""
        scope = self.scopes.pop()
        for known, first in scope.exits:
            known = self._without(known, first, scope)
            self.known = [list(map(min, a, b)) for a, b in zip(known, self.known, strict=True)]
        if scope.exits:
            self._forget(scope.start)
        return scope

    def _without(self, clocks: Clocks, first: int, scope: Scope) -> Clocks:
        """Returns what is known if the executions from `first` on do not happen."""
        return [[self._later(k, p, first, scope) for p, k in enumerate(clock)] for clock in clocks]

    def _later(self, known: int, pipe: int, first: int, scope: Scope) -> int:
        """Returns what is known of a pipe if its executions from `first` on do not happen."""
        later = self.executions[pipe]
        place = bisect_right(later, known)
        is_all = place == len(later) or later[place] >= first
        if not is_all or (pipe in scope.inward and known < scope.start):
            return known
        return max(known, len(self.sources) - 1)

    def _forget(self, first: int) -> None:
        """Lets the executions from `first` on, which may not have happened, say nothing but that earlier ones of their pipe have completed."""
        for number in range(first, len(self.sources)):
            pipe = self.pipes[number]
            clock = list(self.known[pipe])
            clock[pipe] = number
            self.completions[number] = tuple(clock)

    def _copy(self) -> Clocks:
        return [list(clock) for clock in self.known]
