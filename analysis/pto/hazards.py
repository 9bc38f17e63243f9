"""
The hazards of a function, execution by execution.

A hazard is a pair of accesses on different pipes to the same tile or elements, one of which is a write: read after write, write after read,
or write after write. A pipe starts its instructions in order, so of each other pipe only the latest one counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, scf

from ...dialects import pto
from .accesses import Accesses
from .effects import Instruction, Walk


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution of `op` on `pipe`. `hazards` has the latest execution that it must not overtake, by its pipe; executions are counted from 0."""

    op: pto.InstructionOp
    pipe: int
    hazards: dict[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """The start of a loop. What follows, up to its `Exit`, are the visits of `Walk`."""

    loop: scf.ForOp


@dataclass(frozen=True, slots=True)
class Exit:
    """The end of a loop. `certain` says whether it has at least one iteration."""

    loop: scf.ForOp
    certain: bool


Step = Execution | Entry | Exit


def trace_hazards(function: func.FuncOp) -> list[Step]:
    """Returns the executions of a function and their hazards, in program order. Raises `NoAsynchronousForm`."""
    trace = _Trace(function)
    trace.run()
    return trace.steps


class _Trace(Walk):
    def __init__(self, function: func.FuncOp) -> None:
        super().__init__(function)
        self.steps: list[Step] = []
        self.pipes: list[int] = []
        self.accesses = Accesses()

    def instruction(self, instruction: Instruction) -> None:
        own, hazards = instruction.pipe, dict[int, int]()
        found = [(self.pipes[n], n) for n in instruction.producers]
        found += self.accesses.conflicts(instruction.reads, write=False)
        found += self.accesses.conflicts(instruction.writes, write=True)
        for pipe, number in found:
            if pipe != own and number > hazards.get(pipe, -1):
                hazards[pipe] = number
        self.steps.append(Execution(instruction.op, own, hazards))
        self.pipes.append(own)
        self.accesses.add(instruction.reads, instruction.writes, own, instruction.number)

    def enter(self, loop: scf.ForOp) -> None:
        self.steps.append(Entry(loop))

    def leave(self, loop: scf.ForOp, certain: bool) -> None:
        self.steps.append(Exit(loop, certain))
