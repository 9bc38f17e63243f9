"""
The events that order the hazards between pipes, with the ids of their flags.

A hazard is a pair of accesses on different pipes to the same tile or elements, one of which is a write: read after write, write after read,
or write after write. `plan_events` follows the program with a vector clock for each pipe: for each other pipe, the latest of its instructions
that has certainly completed. An event is planned where a hazard is not ordered by the clock, so no event is implied by others
(a transitive reduction).

An event (a, b) means that b waits for the latest execution of a. Where b precedes a in a loop, it is carried by the loop. As flags of the
hardware, it is set after the outermost op that contains a and not b, and waited for before the one that contains b and not a; a carried
flag is set before the loop as well, and waited for after it. An id is used again when the earlier wait has certainly completed before the
next set; an id that is needed from a second iteration on is not shared in the outermost loop. Where nothing orders b before the next
execution of a, a waits for b. Where no id is left, a waits for the op that waited for the oldest one; if that op comes later, a barrier
stands before b.

A loop that may have no iteration orders nothing for the ops after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from ...dialects import pto
from ...dialects.pto.types import EVENT_IDS
from ...targets.pto import PIPES
from .accesses import Accesses, Clock
from .effects import Instruction, Walk, pipe_of

Pair = tuple[int, int]
"""The pipe that sets a flag and the pipe that waits for it."""


@dataclass(frozen=True)
class Record:
    """An event that is recorded after `loop` on the pipe of `op`, which the loop contains."""

    loop: scf.ForOp
    op: Operation


Source = Operation | Record
"""What returns an event."""


@dataclass
class Plan:
    """The events of a function."""

    waits: dict[Operation, list[Source]] = field(default_factory=dict[Operation, list[Source]])
    """What each op waits for."""
    ids: dict[Source, int] = field(default_factory=dict[Source, int])
    """The id of each event that ops wait for."""
    barriers: set[Operation] = field(default_factory=set[Operation])
    """The ops before which all pipes are ordered."""
    positions: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def is_carried(self, producer: Source, consumer: Operation) -> bool:
        """Whether `consumer` waits for `producer` of an earlier iteration."""
        last = producer.loop.body.block.last_op if isinstance(producer, Record) else producer
        assert last is not None
        return self.positions[last] >= self.positions[consumer]


MAX_ROUNDS = 16
"""Maximum number of times that a function is planned, before barriers take the place of events whose flags would need further ones."""


def plan_events(function: func.FuncOp) -> Plan:
    """Returns the events of `function`, in which existing events are ignored. Raises `NoAsynchronousForm`."""
    positions = {op: number for number, op in enumerate(function.walk())}
    plan, more, barriers = Plan(), More(), set[Operation]()
    for round in range(MAX_ROUNDS):
        planner = Planner(function, Plan(barriers=set(barriers), positions=positions), plan, more)
        planner.may_return = round < MAX_ROUNDS - 4
        planner.run()
        settled = planner.settled and planner.plan.barriers == barriers and planner.plan.waits == plan.waits
        plan, barriers = planner.plan, planner.plan.barriers if planner.settled else barriers
        if settled or (planner.settled and not planner.has_loops):
            break
    return plan


@dataclass
class More:
    """Events that a round of planning asks the next one for, because a flag would be set or waited for twice."""

    returns: dict[Operation, list[Operation]] = field(default_factory=dict[Operation, list[Operation]])
    """The ops that each op waits for besides those of its hazards, so that its flag is not set before it was waited for."""
    records: dict[Operation, list[Record]] = field(default_factory=dict[Operation, list[Record]])
    """The events to record after each loop, because an op of the loop waits for the one that the loop carries."""


@dataclass
class Flags:
    """The flags of one pair of pipes."""

    waited: list[int] = field(default_factory=lambda: [-1] * EVENT_IDS)
    """For each id, the number of the last instruction that waited for it."""
    used: set[int] = field(default_factory=set[int])
    """The ids that the current outermost loop uses."""
    reserved: set[int] = field(default_factory=set[int])
    """Those of `used` that belong to one event."""
    private: set[Source] = field(default_factory=set[Source])
    """The producers whose ids are not shared."""
    waiter: dict[Source, Operation] = field(default_factory=dict[Source, Operation])
    """The op that waits for each producer."""
    waiters: set[Operation] = field(default_factory=set[Operation])
    """The ops that wait."""
    seen: dict[Source, int] = field(default_factory=dict[Source, int])
    """The execution of each producer that was last waited for."""


class Planner(Walk):
    """Computes a `Plan`."""

    def __init__(self, function: func.FuncOp, plan: Plan, before: Plan, more: More) -> None:
        super().__init__(function)
        self.plan = plan
        self.before = before
        """The plan of the round before, whose events are preferred."""
        self.more = more
        self.may_return = True
        self.settled = True
        """Whether nothing was added to `more`."""
        self.has_loops = False
        self.known = [[-1] * len(PIPES) for _ in PIPES]
        """For each pipe, its clock."""
        self.last = [-1] * len(PIPES)
        self.entry = self.known
        """The clocks at the start of the current outermost loop."""
        self.starts: list[Clock] = []
        self.completions: list[Clock] = []
        self.executed: list[tuple[Source, int]] = []
        """The op and the pipe of each instruction."""
        self.latest: dict[Source, int] = {}
        self.accesses = Accesses()
        self.flags: dict[Pair, Flags] = {}

    def instruction(self, instruction: Instruction) -> None:
        op, pipe, number = instruction.op, instruction.pipe, instruction.number
        if op in self.plan.barriers:
            self._barrier()
        clock = list(self.known[pipe])
        for producer in self.plan.waits.get(op, ()):
            if producer in self.latest:
                if not self._may_wait(producer, op, pipe):
                    clock = self._spill(op, pipe)
                    break
                self._join(clock, self.completions[self.latest[producer]])
        for hazard in self._uncovered(instruction, clock):
            producer = self._preferred(op, hazard)
            if not self._allocate(producer, op, pipe):
                clock = self._spill(op, pipe)
                break
            self.plan.waits.setdefault(op, []).append(producer)
            self._join(clock, self.completions[self.latest[producer]])
        for producer in self.plan.waits.get(op, ()):
            if producer in self.latest:
                flags = self.flags[self.executed[self.latest[producer]][1], pipe]
                flags.waited[self.plan.ids[producer]] = number
                flags.seen[producer] = self.latest[producer]
        self._append(op, pipe, clock)
        self.accesses.add(instruction.reads, instruction.writes, pipe, number)

    def _append(self, source: Source, pipe: int, clock: list[int]) -> None:
        """Appends an execution that starts at `clock`."""
        number = len(self.executed)
        self.starts.append(tuple(clock))
        clock[pipe] = number
        self.known[pipe], self.last[pipe] = clock, number
        self.completions.append(tuple(clock))
        self.executed.append((source, pipe))
        self.latest[source] = number

    def _uncovered(self, instruction: Instruction, clock: list[int]) -> list[int]:
        """Returns the instructions that must be waited for, at most one of each pipe, none of which another implies."""
        need: dict[int, int] = {}
        produced = ((self.executed[n][1], n) for n in instruction.producers)
        reads = self.accesses.conflicts(instruction.reads, write=False)
        writes = self.accesses.conflicts(instruction.writes, write=True)
        again = (
            (self.executed[n][1], n)
            for o in self.more.returns.get(instruction.op, ())
            if (n := self.latest.get(o, -1)) >= 0
        )
        for pipe, number in chain(produced, reads, writes, again):
            if pipe != instruction.pipe and number > clock[pipe]:
                need[pipe] = max(need.get(pipe, -1), number)
        return [
            number
            for pipe, number in need.items()
            if not any(self.completions[other][pipe] >= number for p, other in need.items() if p != pipe)
        ]

    def _preferred(self, op: pto.InstructionOp, hazard: int) -> Source:
        """Returns the op to wait for: one of the round before that implies the hazard, if there is one."""
        source = self.executed[hazard][1]
        pipe = pipe_of(op)
        for producer in reversed(self.before.waits.get(op, ())):
            number = self.latest.get(producer, -1)
            covers = number >= 0 and self.completions[number][source] >= hazard
            if covers and producer not in self.plan.waits.get(op, ()) and self._waiter(producer, pipe) in (None, op):
                return producer
        found = self.executed[hazard][0]
        taken = not isinstance(found, Record) and self._waiter(found, pipe) not in (None, op)
        return self._record(found, op) if taken else found

    def _waiter(self, producer: Source, pipe: int) -> Operation | None:
        """Returns the op of a pipe that waits for `producer`, if there is one."""
        return self._pair(producer, pipe)[1].waiter.get(producer)

    def _record(self, producer: Source, op: Operation) -> Source:
        """Returns an event that is recorded after the outermost loop which contains `producer` and not `op`, if there is one."""
        assert isinstance(producer, Operation)
        outside, loop, parent = set(_ancestors(op)), None, producer.parent_op()
        while isinstance(parent, scf.ForOp) and parent not in outside:
            loop, parent = parent, parent.parent_op()
        if loop is None or self.plan.is_carried(producer, op):
            return producer
        pipe = self.executed[self.latest[producer]][1]
        for record in self.more.records.setdefault(loop, []):
            if record in self.latest and self.executed[self.latest[record]][1] == pipe:
                return record
        if self.may_return:
            self.more.records[loop].append(Record(loop, producer))
            self.settled = False
        return producer

    def _join(self, clock: list[int], other: Clock) -> None:
        clock[:] = map(max, clock, other)

    # --- barriers ---------------------------------------------------------------------------------

    def _spill(self, op: Operation, pipe: int) -> list[int]:
        """Replaces the events that `op` waits for by a barrier before it. Returns the clock of its pipe."""
        self.plan.barriers.add(op)
        for producer in self.plan.waits.pop(op, ()):
            if not any(producer in waits for waits in self.plan.waits.values()):
                del self.plan.ids[producer]
        self._barrier()
        return list(self.known[pipe])

    def _barrier(self) -> None:
        self.known = [list(self.last) for _ in PIPES]

    # --- ids --------------------------------------------------------------------------------------

    def _pair(self, producer: Source, pipe: int) -> tuple[Pair, Flags]:
        pair = (self.executed[self.latest[producer]][1], pipe)
        return pair, self.flags.setdefault(pair, Flags())

    def _may_wait(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Whether the flag of an event that is planned has certainly been consumed before it was set again."""
        _, flags = self._pair(producer, pipe)
        number = self.latest[producer]
        if flags.seen.get(producer) == number:
            return True
        fits = self._alternates(producer, op, pipe)
        if producer not in flags.private:
            fits = fits and self.starts[number][pipe] >= flags.waited[self.plan.ids[producer]]
        return fits or self._return(producer, op)

    def _return(self, producer: Source, op: Operation) -> bool:
        """Lets `producer` wait for `op` from the next round on, if a loop contains both. Returns whether that is new."""
        known = self.more.returns.setdefault(producer.op if isinstance(producer, Record) else producer, [])
        if not self.may_return or op in known or not self.depth:
            return False
        known.append(op)
        self.settled = False
        return True

    def _free(self, producer: Source, waiter: int) -> bool:
        """Lets `producer` wait from the next round on for the op that waited for the flag of an id, which is free then."""
        op = self.executed[waiter][0] if 0 <= waiter < self.latest[producer] else None
        if isinstance(producer, Record) or op is None or isinstance(op, Record):
            return False
        if not self.depth and self.latest[op] == waiter:
            return self._wait_now(producer, op)
        known = self.more.returns.setdefault(producer, [])
        if not self.may_return or op in known:
            return False
        known.append(op)
        self.settled = False
        return True

    def _wait_now(self, producer: Operation, op: Operation) -> bool:
        """Lets the last execution of `producer` wait for the last one of `op`, outside of loops. Returns whether an id is free for that."""
        number = self.latest[producer]
        pipe = self.executed[number][1]
        if producer in self._pair(op, pipe)[1].waiters or not self._allocate(op, producer, pipe):
            return False
        self.plan.waits.setdefault(producer, []).append(op)
        done = self.completions[self.latest[op]]
        for clocks in (self.starts, self.completions):
            clocks[number] = tuple(map(max, clocks[number], done))
        self._join(self.known[pipe], done)
        self.flags[self.executed[self.latest[op]][1], pipe].waited[self.plan.ids[op]] = number
        return True

    def _alternates(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Whether the flag of `producer` is not set again before the last execution of `op` has waited for it."""
        number, waiter = self.latest[producer], self.latest.get(op, -1)
        return waiter > number or self.starts[number][pipe] >= waiter

    def _allocate(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Chooses the id of a new event. Returns whether there is one."""
        (source, _), flags = self._pair(producer, pipe)
        if flags.waiter.get(producer, op) is not op:
            self.plan.ids.setdefault(producer, 0)  # in a round that another one follows
            return not self.settled
        if not self._alternates(producer, op, pipe) and not self._return(producer, op):
            return False
        private = bool(self.depth) and (op in self.latest or self.plan.is_carried(producer, op))
        others = [(p, f) for (s, p), f in self.flags.items() if s == source and p != pipe]
        shared = [(p, f) for p, f in others if producer in f.waiter]
        old = self.plan.ids.get(producer, -1)
        free = self._ids(producer, pipe, flags, private)
        for p, f in shared:  # one id for all pipes that wait
            free &= self._ids(producer, p, f, producer in f.private) | {old}
        if old in free:
            chosen = old
        elif free:
            chosen = min(free, key=lambda i: (sum(f.waited[i] >= 0 or i in f.used for _, f in others), i))
        else:
            oldest = min(set(range(EVENT_IDS)) - flags.reserved, key=lambda i: flags.waited[i], default=None)
            if private or oldest is None or not self._free(producer, flags.waited[oldest]):
                return False
            chosen = oldest
        self.plan.ids[producer] = chosen
        flags.waiter[producer] = op
        flags.waiters.add(op)
        if private:
            flags.private.add(producer)
        for _, f in (*shared, (pipe, flags)):
            if old >= 0 and f is not flags:
                f.waited[chosen] = max(f.waited[chosen], f.waited[old])
            if self.depth:
                f.used.add(chosen)
            if producer in f.private:
                f.reserved.add(chosen)
        return True

    def _ids(self, producer: Source, pipe: int, flags: Flags, private: bool) -> set[int]:
        """Returns the ids of one pair of pipes that `producer` may have."""
        source = self.executed[self.latest[producer]][1]
        clock = self.entry[source] if private else self.starts[self.latest[producer]]
        taken = flags.used if private else flags.reserved
        return {i for i in range(EVENT_IDS) if i not in taken and clock[pipe] >= flags.waited[i]}

    # --- loops ------------------------------------------------------------------------------------

    def enter(self, loop: scf.ForOp) -> tuple[list[list[int]], int]:
        known = [list(clock) for clock in self.known]
        self.has_loops = True
        if self.depth == 1:
            self.entry = known
        return known, self.count

    def leave(self, loop: scf.ForOp, certain: bool, state: tuple[list[list[int]], int]) -> None:
        known, first = state
        if not certain:
            self.known = known
            for number in range(first, self.count):
                pipe = self.executed[number][1]
                clock = list(known[pipe])
                clock[pipe] = number
                self.completions[number] = tuple(clock)
        for record in self.more.records.get(loop, ()):
            pipe = self.executed[self.latest[record.op]][1] if record.op in self.latest else None
            if pipe is not None:
                self._append(record, pipe, list(self.known[pipe]))
                self.count += 1
        if self.depth == 1:
            for flags in self.flags.values():
                for event in flags.reserved:
                    flags.waited[event] = self.count  # the wait after the loop comes after all of its instructions
                flags.used.clear()
                flags.reserved.clear()


def _ancestors(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
