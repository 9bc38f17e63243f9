"""
The hazards of a function, execution by execution.

A hazard is a pair of accesses on different pipes to the same tile or elements, one of which is a write: read after write, write after read,
or write after write. A pipe starts its instructions in order, so of each other pipe only the latest one counts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from .accesses import Accesses, Range
from .affine import Box
from .effects import Instruction, Walk
from .sources import Record, Source


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution of an instruction. `hazards` has the number of the latest execution that it must not overtake, by its pipe."""

    source: int
    pipe: int
    hazards: dict[int, int]
    guarded: tuple[Guarded, ...]
    """Further hazards, of tiles that conditions return."""


Guarded = tuple[int, int, tuple[int, ...]]
"""The pipe and the number of an execution that must not be overtaken if these branches were taken (`effects.Tile`)."""


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a loop."""

    loop: scf.ForOp


class Mark(Enum):
    """A place where a loop may end; the start of a condition, and the place between its branches."""

    EXIT = auto()
    FORK = auto()
    SWITCH = auto()


@dataclass(frozen=True, slots=True)
class End:
    """
    The end of a loop (`is_loop`) or of a condition. `records` are the sources and the pipes of the events that are recorded after it, one for
    each pipe that it uses.
    """

    is_loop: bool
    records: tuple[tuple[int, int], ...]


Step = Execution | Start | Mark | End


@dataclass(frozen=True)
class Trace:
    """The visits of `Walk`. Executions and records are numbered from 0 in this order. `sources` has what the number of a source stands for."""

    steps: list[Step]
    sources: list[Source]
    pipes: list[int]
    """The pipe of each source."""
    records: dict[tuple[Operation, int], int]
    """The source of the record after each loop and condition, by pipe."""


def trace_hazards(function: func.FuncOp) -> Trace:
    """Returns the executions of a function and their hazards, in program order. Raises `NoAsynchronousForm`."""
    walk = _Hazards(function)
    walk.run()
    return Trace(walk.steps, walk.sources, walk.source_pipes, walk.records)


class _Hazards(Walk):
    def __init__(self, function: func.FuncOp) -> None:
        super().__init__(function)
        self.steps: list[Step] = []
        self.sources: list[Source] = []
        self.source_pipes: list[int] = []
        self.numbers: dict[Operation, int] = {}
        """The source of each instruction."""
        self.records: dict[tuple[Operation, int], int] = {}
        self.pipes: list[int] = []
        self.executions: list[list[int]] = []
        """The numbers of the executions of each source, if it is an instruction."""
        self.executed: list[int] = []
        """The source of each execution."""
        self.relative: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        """
        The conflicts of an instruction in a visit of a loop that is not the first one (`Walk.visit`), which are the same whenever there is such a
        visit: the pipe, the source, and the visit of the loop before which it was executed last; 0 for now.
        """
        self.accesses = Accesses()
        self.branches: list[Accesses] = []
        """The accesses of the first branch of each condition around this place."""
        self.used: list[dict[int, Operation]] = [{}]
        """For the function and each loop and condition around this place: an instruction of each pipe that it uses."""

    def instruction(self, instruction: Instruction) -> None:
        own, hazards, accesses = instruction.pipe, dict[int, int](), self.accesses
        if (source := self.numbers.get(instruction.op)) is None:
            source = self.numbers[instruction.op] = self._source(instruction.op, own)
        self.executions[source].append(instruction.number)
        found, guarded = list[tuple[int, int]](), list[Guarded]()
        for tile in instruction.tiles:
            if (n := tile.number) < 0 or (pipe := self.pipes[n]) == own:
                continue
            if tile.branches:
                guarded.append((pipe, n, tile.branches))
            else:
                found.append((pipe, n))
        if instruction.reads or instruction.writes:
            found += self._conflicts(source, instruction)
        for pipe, number in found:
            if number > hazards.get(pipe, -1):
                hazards[pipe] = number
        rest = tuple([each for each in guarded if each[1] > hazards.get(each[0], -1)]) if guarded else ()
        self.steps.append(Execution(source, own, hazards, rest))
        self.pipes.append(own)
        self.executed.append(source)
        self.used[-1][own] = instruction.op
        accesses.add((instruction.reads, instruction.writes, own, instruction.number))

    def _conflicts(self, source: int, instruction: Instruction) -> list[tuple[int, int]]:
        """Returns the pipes and the numbers of the latest accesses that an instruction must not overtake."""
        if self.visit < 0:
            return self._latest(instruction, (Range, Box))
        found = self._latest(instruction, Range)
        if not self.is_again:
            boxes = self._latest(instruction, Box)
            self.relative[source, self.visit] = [
                (pipe, self.executed[number], bisect_right(self.starts, number) % len(self.starts))
                for pipe, number in boxes
            ]
            return found + boxes
        for pipe, other, visit in self.relative[source, self.visit]:
            runs = self.executions[other]
            found.append((pipe, runs[bisect_left(runs, self.starts[visit]) - 1 if visit else -1]))
        return found

    def _latest(self, instruction: Instruction, kinds: type | tuple[type, ...]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        for places, write in ((instruction.reads, False), (instruction.writes, True)):
            if some := [place for place in places if isinstance(place, kinds)]:
                found += self.accesses.conflicts(some, write, instruction.pipe, self.after)
        return found

    def _source(self, source: Source, pipe: int) -> int:
        self.sources.append(source)
        self.executions.append([])
        self.source_pipes.append(pipe)
        return len(self.sources) - 1

    def enter(self, loop: scf.ForOp) -> None:
        self.steps.append(Start(loop))
        self.used.append({})

    def exit(self, loop: scf.ForOp) -> None:
        self.steps.append(Mark.EXIT)

    def leave(self, loop: scf.ForOp) -> None:
        self._end(loop)

    def fork(self, condition: scf.IfOp) -> None:
        self.steps.append(Mark.FORK)
        self.used.append({})
        self.accesses = Accesses(self.accesses)

    def switch(self, condition: scf.IfOp) -> None:
        self.steps.append(Mark.SWITCH)
        self.branches.append(self.accesses)
        self.accesses = Accesses(self.accesses.outer)

    def join(self, condition: scf.IfOp) -> None:
        first, second = self.branches.pop(), self.accesses
        assert second.outer is not None
        self.accesses = second.outer
        for access in (*first.log, *second.log):
            self.accesses.add(access)
        self._end(condition)

    def _end(self, op: scf.ForOp | scf.IfOp) -> None:
        records: list[tuple[int, int]] = []
        for pipe, instruction in sorted(self.used.pop().items(), key=lambda item: item[0]):
            self.used[-1][pipe] = instruction
            if (op, pipe) not in self.records:
                self.records[op, pipe] = self._source(Record(op, instruction), pipe)
            records.append((self.records[op, pipe], pipe))
            self.pipes.append(pipe)
            self.executed.append(self.records[op, pipe])
        self.count += len(records)
        self.steps.append(End(isinstance(op, scf.ForOp), tuple(records)))
