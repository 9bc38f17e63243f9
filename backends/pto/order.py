"""
The flags that order the pipes of a core.

An event has a flag for each other pipe that waits for it: its producer's pipe sets the flag, and the first op of the other pipe that waits
for the event waits for the flag. The event that a loop carries is set before the loop, and where it is yielded; after the loop,
its flag is waited for, and that of the loop's result is set. An event from outside of a loop or of a condition is waited for before it. The
event that a condition yields is set in both ways.

A program without events runs in its order: before an op on another pipe than the last one, the last op's pipe sets a flag, for which the
pipe of the new op waits. In a program with events, an op without them has a barrier on both sides. Spec: `pto-ir.md §5`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import NoneAttr
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import pto
from ...targets.pto import PIPE_OF
from .errors import EventIdsExhausted, FlagPending

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
    The flags of an event. `waiting` maps each pipe that waits to the flag's id. `first` and `last` are the numbers of the ops between which
    they may be set, and `waited` maps each pipe to the op that waits first.
    """

    producer: str
    id: int | None
    waiting: dict[str, int] = field(default_factory=dict[str, int])
    waited: dict[str, int] = field(default_factory=dict[str, int])
    first: int = 1 << 60
    last: int = -1


class Order:
    """
    `flags` maps each event to its flags. `fed` maps an event to those that a loop carries or that a condition returns, and that are set where
    it is computed.
    """

    def __init__(self, kernel: Operation):
        self.kernel = kernel
        self.flags: dict[SSAValue, Flag] = {}
        self.fed: dict[SSAValue, list[SSAValue]] = {}
        self.numbers: dict[Operation, int] = {op: n for n, op in enumerate(kernel.walk())}
        self.ends = dict(self.numbers)
        """The number of the last op in each op's regions, or its own."""
        for op in reversed(self.numbers):
            if (outer := op.parent_op()) is not None and outer in self.ends:
                self.ends[outer] = max(self.ends[outer], self.ends[op])
        self.is_asynchronous = False
        for op in self.numbers:
            arguments = op.body.block.args if isinstance(op, scf.ForOp) else ()
            for value in (*op.results, *arguments):
                if isinstance(value.type, pto.EventType):
                    self._event(value, value.type)
            self.is_asynchronous |= isinstance(op, pto.SyncOp | pto.SyncOpcodeOp)
        self.is_asynchronous |= bool(self.flags)
        for op in self.numbers:
            if isinstance(op, scf.ForOp):
                for carried, yielded in carries(op):
                    if isinstance(carried.type, pto.EventType) and self._follows(yielded, carried):
                        self.fed.setdefault(yielded, []).append(carried)
            elif isinstance(op, scf.IfOp):
                for block in ways_of(op):
                    for result, yielded in yields(op, block):
                        if isinstance(result.type, pto.EventType) and is_computed(yielded, block):
                            self.fed.setdefault(yielded, []).append(result)
        self._number()

    def is_synchronous(self, op: Operation | None) -> bool:
        """Returns whether an instruction without events, in a program with events, is ordered after all earlier ones, and before later ones."""
        return self.is_asynchronous and isinstance(op, pto.InstructionOp) and not op.is_asynchronous

    def _event(self, value: SSAValue, event: pto.EventType) -> None:
        """Notes the pipes that wait for an event, and the ops between which its flags may be set."""
        flag = Flag(PIPE_OF[event.producer.word], None if isinstance(event.eid, NoneAttr) else event.eid.data)
        self.flags[value] = flag
        home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
        start = value.owner if isinstance(value.owner, Operation) else cast(Operation, value.owner.parent_op())
        is_carried = start.parent is not home
        # The flag of a loop's result is set after the loop.
        flag.first = flag.last = (self.ends if isinstance(start, scf.ForOp) and not is_carried else self.numbers)[start]
        if is_carried:
            flag.last = self.ends[start]
        for use in value.uses:
            op, pipe = use.operation, pipe_of(use.operation) or SCALAR
            if use.operation in self.numbers and value in waits_of(op) and pipe != flag.producer:
                flag.waiting[pipe] = -1
                while op.parent is not home and (outer := op.parent_op()) is not None:
                    op = outer
                number = flag.last if is_carried else self.numbers[op]
                flag.waited[pipe] = min(flag.waited.get(pipe, number), number)
                flag.last = max(flag.last, self.ends[op])

    def _follows(self, yielded: SSAValue, carried: SSAValue) -> bool:
        """Returns whether an op of a loop computes what it yields after all ops that wait for what it carries."""
        op, block = cast(Operation, yielded.owner), cast(Block, carried.owner)
        if not is_computed(yielded, block):
            return False
        waits = [use.operation for use in carried.uses if carried in waits_of(use.operation)]
        return all(self.numbers[wait] <= self.numbers[op] for wait in waits)

    def _number(self) -> None:
        """Gives an id to each flag of a pair of pipes, such that flags that may be set at the same time differ."""
        taken: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
        latest: dict[tuple[str, str, int], SSAValue] = {}
        """The last event that has each flag by an id that the program gives."""
        for value, flag in sorted(self.flags.items(), key=lambda item: (item[1].id is None, item[1].first)):
            for pipe in flag.waiting:
                others = taken.setdefault((flag.producer, pipe), [])
                id = flag.id
                if id is not None:
                    old = latest.get((flag.producer, pipe, id))
                    if old is not None and self.flags[old].waited[pipe] > flag.first:
                        notes = [(_place(old), "this op sets it before")]
                        raise FlagPending(_place(value), notes=notes, id=id, source=flag.producer, target=pipe)
                    latest[flag.producer, pipe, id] = value
                else:
                    others[:] = [other for other in others if other[1] >= flag.first]
                    used = {id for first, _, id in others if first <= flag.last}
                    id = next((n for n in range(EVENT_IDS) if n not in used), None)
                if id is None:
                    raise EventIdsExhausted(self.kernel, source=flag.producer, target=pipe, count=EVENT_IDS)
                flag.waiting[pipe] = id
                others.append((flag.first, flag.last, id))


def _place(event: SSAValue) -> Operation | None:
    """Returns the op that computes an event, or the loop that carries it."""
    return event.owner if isinstance(event.owner, Operation) else event.owner.parent_op()


def carries(loop: scf.ForOp) -> list[tuple[SSAValue, SSAValue]]:
    """Returns the values that a loop carries, each with what it yields for it."""
    block = loop.body.block
    return list(zip(block.args[1:], cast(Operation, block.last_op).operands, strict=True))


def ways_of(op: scf.IfOp) -> list[Block]:
    """Returns the blocks of a condition."""
    return [block for region in op.regions for block in region.blocks]


def yields(op: scf.IfOp, block: Block) -> list[tuple[SSAValue, SSAValue]]:
    """Returns the results of a condition, each with what one of its blocks yields for it."""
    return list(zip(op.results, cast(Operation, block.last_op).operands, strict=True)) if op.results else []


def is_computed(value: SSAValue, block: Block) -> bool:
    """Returns whether an instruction of a block computes a value."""
    return isinstance(value.owner, pto.InstructionOp) and value.owner.parent is block


def flag_call(word: str, source: str, target: str, id: int) -> str:
    """Returns the statement that sets a flag or waits for one."""
    return f"{word}_flag(PIPE_{source}, PIPE_{target}, EVENT_ID{id});"
