"""
The flags that order the pipes of a core.

An op that returns an event sets a flag for each other pipe that waits for it, and the first op of that pipe that waits for the event
waits for the flag. Events that a loop carries have one flag: it is set before the loop and in each iteration, and waited for in each
iteration and after the loop.

A program without events runs in its order: before an op on another pipe than the last one, the last op's pipe sets a flag, for which the
pipe of the new op waits. Spec: `pto-ir.md §5`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import scf
from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import pto
from ...targets.pto import PIPE_OF
from .errors import EventIdsExhausted

EVENT_IDS = 8
SCALAR = "S"
"""The pipe that issues instructions, which waits at a `pto.sync`."""


def pipe_of(op: Operation) -> str | None:
    """Returns the pipe that executes an op, or None."""
    return PIPE_OF.get(op.opcode) if isinstance(op, pto.InstructionOp) else None


def waits_of(op: Operation) -> list[SSAValue]:
    """Returns the events for which an op waits."""
    return list(op.waits) if isinstance(op, pto.InstructionOp | pto.SyncOp) else []


def instructions(block: Block) -> Iterator[Operation]:
    """Yields the instructions of a block in order, also those in loops."""
    return (op for each in block.ops for op in each.walk() if pipe_of(op) is not None)


@dataclass(eq=False)
class Flag:
    """
    The events that have one flag for each pipe in `waiting`: an event, and those that loops carry it to. `first` and `last` are the numbers
    of the ops between which a flag may be set.
    """

    producer: str
    waiting: dict[str, int] = field(default_factory=dict[str, int])
    """Maps each pipe that waits to the id of the flag."""
    first: int = 1 << 60
    last: int = -1
    id: int | None = None


class Order:
    """`flags` maps each event to its flag."""

    def __init__(self, kernel: Operation):
        self.kernel = kernel
        self.flags: dict[SSAValue, Flag] = {}
        self.is_asynchronous = False
        numbers: dict[Operation, int] = {op: n for n, op in enumerate(kernel.walk())}
        ends = {op: max(numbers[o] for o in op.walk()) for op in numbers if isinstance(op, scf.ForOp)}
        for op in numbers:
            if isinstance(op, scf.ForOp):
                self._carry(op)
            for value in op.results:
                if isinstance(value.type, pto.EventType):
                    self.flags.setdefault(value, Flag(PIPE_OF[value.type.producer.word]))
            self.is_asynchronous |= isinstance(op, pto.SyncOp | pto.SyncOpcodeOp) or any(
                isinstance(v.type, pto.EventType) for v in (*op.results, *waits_of(op))
            )
        for value, flag in self.flags.items():
            self._measure(value, flag, numbers, ends)
        for op in numbers:
            for event in waits_of(op):
                pipe = pipe_of(op) or SCALAR
                if event in self.flags and pipe != self.flags[event].producer:
                    self.flags[event].waiting[pipe] = -1
        self._number()

    def _carry(self, loop: scf.ForOp) -> None:
        """Gives one flag to an event before a loop, the one that the loop carries, and the one that it returns."""
        block = loop.body.block
        for start, carried, yielded, result in zip(
            loop.iter_args,
            block.args[1:],
            block.last_op.operands,
            loop.results,
            strict=True,  # pyright: ignore[reportOptionalMemberAccess]
        ):
            if not isinstance(carried.type, pto.EventType):
                continue
            flag = self.flags.setdefault(start, Flag(PIPE_OF[carried.type.producer.word]))
            for value in (carried, yielded, result):
                self.flags[value] = flag

    def _measure(self, value: SSAValue, flag: Flag, numbers: dict[Operation, int], ends: dict[Operation, int]) -> None:
        """Extends the range of a flag by the ops that set it and wait for it; the range of an event that enters a loop has all of the loop."""
        if isinstance(value.type, pto.EventType) and not isinstance(value.type.eid, NoneAttr):
            flag.id = value.type.eid.data
        owner = value.owner
        here = owner if isinstance(owner, Operation) else owner.parent_op()
        places = [here, *(use.operation for use in value.uses)]
        home = owner.parent if isinstance(owner, Operation) else owner
        for op in places:
            while op is not None:
                flag.first = min(flag.first, numbers[op])
                flag.last = max(flag.last, ends.get(op, numbers[op]))
                if op.parent is home or op.parent_op() is self.kernel:
                    break
                op = op.parent_op()

    def _number(self) -> None:
        """Gives an id to each flag of a pair of pipes, such that flags that may be set at the same time differ."""
        taken: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        for flag in sorted(dict.fromkeys(self.flags.values()), key=lambda flag: (flag.id is None, flag.first)):
            for pipe in flag.waiting:
                others = taken.setdefault((flag.producer, pipe), [])
                used = {id for first, last, id in others if first <= flag.last and flag.first <= last}
                id = flag.id if flag.id is not None else next((n for n in range(EVENT_IDS) if n not in used), None)
                if id is None:
                    raise EventIdsExhausted(self.kernel, source=flag.producer, target=pipe, count=EVENT_IDS)
                flag.waiting[pipe] = id
                others.append((flag.first, flag.last, id))


def flag_call(word: str, source: str, target: str, id: int) -> str:
    """Returns the statement that sets a flag or waits for one."""
    return f"{word}_flag(PIPE_{source}, PIPE_{target}, EVENT_ID{id});"
