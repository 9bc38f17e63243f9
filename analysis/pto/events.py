"""
The events that order the hazards between pipes, with the ids of their flags.

`plan_events` follows the executions of a function (`hazards.py`) with a vector clock for each pipe (`timeline.py`). An event is planned where a
hazard is not ordered by the clock, so no event is implied by others (a transitive reduction).

An event (a, b) means that b waits for the latest execution of a. Where b precedes a in a loop, it is carried by the loop. As flags of the
hardware (`flags.py`), it is set after the outermost op that contains a and not b, and waited for before the one that contains b and not a; a
carried flag is set before the loop as well, and waited for after it. Where nothing orders b before the next execution of a, a waits for b.
Where no id is left, a waits for the op that waited for the oldest one; if that op comes later, a barrier stands before b.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from ...dialects import pto
from .flags import FlagIds
from .hazards import Entry, Execution, Exit, Step, trace_hazards
from .timeline import Record, Source, Timeline


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
    steps = trace_hazards(function)
    has_loops = any(isinstance(step, Entry) for step in steps)
    plan, more, barriers = Plan(), More(), set[Operation]()
    for round in range(MAX_ROUNDS):
        planner = Planner(Plan(barriers=set(barriers), positions=positions), plan, more, round < MAX_ROUNDS - 4)
        planner.run(steps)
        settled = planner.settled and planner.plan.barriers == barriers and planner.plan.waits == plan.waits
        plan, barriers = planner.plan, planner.plan.barriers if planner.settled else barriers
        if settled or (planner.settled and not has_loops):
            break
    return plan


@dataclass
class More:
    """Events that a round of planning asks the next one for, because a flag would be set or waited for twice."""

    returns: dict[Operation, list[Operation]] = field(default_factory=dict[Operation, list[Operation]])
    """The ops that each op waits for besides those of its hazards, so that its flag is not set before it was waited for."""
    records: dict[Operation, list[Record]] = field(default_factory=dict[Operation, list[Record]])
    """The events to record after each loop, because an op of the loop waits for the one that the loop carries."""


class Planner:
    """Computes a `Plan` in one round. `before` is the plan of the round before, whose events are preferred."""

    def __init__(self, plan: Plan, before: Plan, more: More, may_ask: bool) -> None:
        self.plan = plan
        self.before = before
        self.more = more
        self.may_ask = may_ask
        """Whether `more` may grow."""
        self.settled = True
        """Whether nothing was added to `more`."""
        self.time = Timeline()
        self.flags = FlagIds(self.time)
        self.flags.ids = plan.ids
        self.numbers: list[int] = []
        """The number on the timeline of each execution: records are on it as well."""
        self.waiting: Counter[Source] = Counter()
        """How many ops wait for each event."""

    def run(self, steps: Iterable[Step]) -> None:
        for step in steps:
            match step:
                case Execution():
                    self._execution(step)
                case Entry():
                    self.time.enter()
                case Exit():
                    self._leave(step)

    def _execution(self, execution: Execution) -> None:
        op, pipe, time = execution.op, execution.pipe, self.time
        if op in self.plan.barriers:
            time.barrier()
        clock, number = list(time.known[pipe]), len(time.sources)
        for producer in self.plan.waits.get(op, ()):
            if producer in time.latest:
                if not self._may_wait(producer, op, pipe):
                    clock = self._spill(op, pipe)
                    break
                time.join(clock, producer)
        for hazard in self._uncovered(execution, clock):
            producer = self._preferred(op, pipe, hazard)
            if not self._allocate(producer, op, pipe):
                clock = self._spill(op, pipe)
                break
            self._wait(op, producer)
            time.join(clock, producer)
        for producer in self.plan.waits.get(op, ()):
            if producer in time.latest:
                self.flags.wait(producer, pipe, number)
        time.append(op, pipe, clock)
        self.numbers.append(number)

    def _leave(self, step: Exit) -> None:
        self.time.leave(step.certain)
        for record in self.more.records.get(step.loop, ()):
            if record.op in self.time.latest:
                pipe = self.time.pipe(record.op)
                self.time.append(record, pipe, list(self.time.known[pipe]))
        if not self.time.entries:
            self.flags.leave()

    def _wait(self, op: Operation, producer: Source) -> None:
        self.plan.waits.setdefault(op, []).append(producer)
        self.waiting[producer] += 1

    def _uncovered(self, execution: Execution, clock: list[int]) -> list[int]:
        """Returns the instructions that must be waited for, at most one of each pipe, none of which another implies."""
        need: dict[int, int] = {}
        for pipe, index in execution.hazards.items():
            if (number := self.numbers[index]) > clock[pipe]:
                need[pipe] = number
        for op in self.more.returns.get(execution.op, ()):
            if (number := self.time.latest.get(op, -1)) >= 0:
                pipe = self.time.pipes[number]
                if pipe != execution.pipe and number > clock[pipe]:
                    need[pipe] = max(need.get(pipe, -1), number)
        if len(need) < 2:
            return list(need.values())
        return [
            number
            for pipe, number in need.items()
            if not any(self.time.completions[other][pipe] >= number for p, other in need.items() if p != pipe)
        ]

    def _preferred(self, op: pto.InstructionOp, pipe: int, hazard: int) -> Source:
        """Returns the op to wait for: one of the round before that implies the hazard, if there is one."""
        source = self.time.pipes[hazard]
        for producer in reversed(self.before.waits.get(op, ())):
            number = self.time.latest.get(producer, -1)
            covers = number >= 0 and self.time.completions[number][source] >= hazard
            planned = producer in self.plan.waits.get(op, ())
            if covers and not planned and self.flags.waiter(producer, pipe) in (None, op):
                return producer
        found = self.time.sources[hazard]
        taken = not isinstance(found, Record) and self.flags.waiter(found, pipe) not in (None, op)
        return self._record(found, op) if taken else found

    def _record(self, producer: Source, op: Operation) -> Source:
        """Returns an event that is recorded after the outermost loop which contains `producer` and not `op`, if there is one."""
        assert isinstance(producer, Operation)
        outside, loop, parent = set(_ancestors(op)), None, producer.parent_op()
        while isinstance(parent, scf.ForOp) and parent not in outside:
            loop, parent = parent, parent.parent_op()
        if loop is None or self.plan.is_carried(producer, op):
            return producer
        pipe = self.time.pipe(producer)
        for record in self.more.records.setdefault(loop, []):
            if record in self.time.latest and self.time.pipe(record) == pipe:
                return record
        if self.may_ask:
            self.more.records[loop].append(Record(loop, producer))
            self.settled = False
        return producer

    # --- ids --------------------------------------------------------------------------------------

    def _may_wait(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Whether the flag of an event that is planned has certainly been consumed before it was set again."""
        if self.flags.flags(producer, pipe).seen.get(producer) == self.time.latest[producer]:
            return True
        fits = self._alternates(producer, op, pipe) and self.flags.is_consumed(producer, pipe)
        return fits or self._return(producer, op)

    def _alternates(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Whether the flag of `producer` is not set again before the last execution of `op` has waited for it."""
        number, waiter = self.time.latest[producer], self.time.latest.get(op, -1)
        return waiter > number or self.time.starts[number][pipe] >= waiter

    def _allocate(self, producer: Source, op: Operation, pipe: int) -> bool:
        """Chooses the id of a new event. Returns whether there is one."""
        flags = self.flags.flags(producer, pipe)
        if flags.waiter.get(producer, op) is not op:
            self.plan.ids.setdefault(producer, 0)  # in a round that another one follows
            return not self.settled
        if not self._alternates(producer, op, pipe) and not self._return(producer, op):
            return False
        private = bool(self.time.entries) and (op in self.time.latest or self.plan.is_carried(producer, op))
        if free := self.flags.free(producer, pipe, private):
            chosen = self.flags.choose(producer, pipe, free)
        else:
            chosen = flags.oldest
            if private or chosen is None or not self._free(producer, flags.waited[chosen]):
                return False
        self.flags.assign(chosen, producer, op, pipe, private)
        return True

    def _return(self, producer: Source, op: Operation) -> bool:
        """Lets `producer` wait for `op` from the next round on, if a loop contains both. Returns whether that is new."""
        return bool(self.time.entries) and self._ask(producer.op if isinstance(producer, Record) else producer, op)

    def _ask(self, producer: Operation, op: Operation) -> bool:
        """Lets `producer` wait for `op` from the next round on. Returns whether that is new."""
        known = self.more.returns.setdefault(producer, [])
        if not self.may_ask or op in known:
            return False
        known.append(op)
        self.settled = False
        return True

    def _free(self, producer: Source, waiter: int) -> bool:
        """Lets `producer` wait from the next round on for the op that waited for the flag of an id, which is free then."""
        op = self.time.sources[waiter] if 0 <= waiter < self.time.latest[producer] else None
        if isinstance(producer, Record) or op is None or isinstance(op, Record):
            return False
        if not self.time.entries and self.time.latest[op] == waiter:
            return self._wait_now(producer, op)
        return self._ask(producer, op)

    def _wait_now(self, producer: Operation, op: Operation) -> bool:
        """Lets the last execution of `producer` wait for the last one of `op`, outside of loops. Returns whether an id is free for that."""
        pipe = self.time.pipe(producer)
        if producer in self.flags.flags(op, pipe).waiters or not self._allocate(op, producer, pipe):
            return False
        self._wait(producer, op)
        self.time.order(producer, op)
        self.flags.flags(op, pipe).waited[self.plan.ids[op]] = self.time.latest[producer]
        return True

    def _spill(self, op: Operation, pipe: int) -> list[int]:
        """Replaces the events that `op` waits for by a barrier before it. Returns the clock of its pipe."""
        self.plan.barriers.add(op)
        for producer in self.plan.waits.pop(op, ()):
            self.waiting[producer] -= 1
            if not self.waiting[producer]:
                del self.plan.ids[producer]
        self.time.barrier()
        return list(self.time.known[pipe])


def _ancestors(op: Operation) -> Iterator[Operation]:
    parent = op.parent_op()
    while parent is not None:
        yield parent
        parent = parent.parent_op()
