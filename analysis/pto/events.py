"""
The events that order the hazards between pipes, with the ids of their flags.

`plan_events` follows the executions of a function (`hazards.py`) with a vector clock for each pipe (`timeline.py`). An event is planned where a
hazard is not ordered by the clock, so no event is implied by others (a transitive reduction).

An event (a, b) means that b waits for the latest execution of a, or of a record after a loop or a condition (`sources.py`). Where b precedes a in
a loop, it is carried by the loop. As flags of the hardware (`flags.py`), it is set after a, and waited for before the outermost op that contains b
and not a; a carried flag is set before the loop as well, and waited for after it. Where nothing orders b before the next execution of a, a waits
for b. Where no id is left, a waits for the op that waited for the oldest one; if that op comes later, a barrier stands before b.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import count

from xdsl.dialects import func, scf
from xdsl.ir import Operation

from .accesses import Clock
from .flags import FlagIds
from .hazards import End, Execution, Mark, Start, Trace, trace_hazards
from .sources import Anchors, Record, SecondRecord, Source, carrying_loops, starts_anew
from .timeline import Timeline


@dataclass
class Plan:
    """The events of a function."""

    waits: dict[Operation, list[Source]] = field(default_factory=dict[Operation, list[Source]])
    """The events that each op waits for."""
    ids: dict[Source, int] = field(default_factory=dict[Source, int])
    """The id of each event that ops wait for."""
    barriers: set[Operation] = field(default_factory=set[Operation])
    """The ops before which all pipes are ordered."""
    carried: dict[Operation, dict[Source, None]] = field(default_factory=dict[Operation, dict[Source, None]])
    """The events that each loop carries."""


MAX_ROUNDS = 16
"""Maximum number of times that a function is planned, before barriers take the place of events whose flags would need further ones."""


def plan_events(function: func.FuncOp) -> Plan:
    """Returns the events of `function`, in which existing events are ignored. Raises `NoAsynchronousForm`."""
    trace, anchors = trace_hazards(function), Anchors(function)

    @cache
    def event(producer: int, consumer: int) -> tuple[int, bool] | None:
        source, op = trace.sources[producer], trace.sources[consumer]
        assert isinstance(op, Operation)
        own = source.anchor if isinstance(source, Record) else source
        if (found := anchors.anchor(own, op)) is None:
            return None
        anchor, is_carried = found
        return producer if anchor is own else trace.records[anchor, trace.pipes[producer]], is_carried

    @cache
    def instruction(source: int) -> int:
        found = trace.sources[source]
        return trace.sources.index(found.op) if isinstance(found, Record) else source

    @cache
    def carriers(source: int) -> list[scf.ForOp]:
        found = trace.sources[source]
        return carrying_loops(found.anchor if isinstance(found, Record) else found)

    has_loops = any(isinstance(step, Start) for step in trace.steps)

    def planned(
        before: Waits, returns: Returns, barriers: set[int], rounds: int, may_ask: bool
    ) -> tuple[Planner, bool]:
        """Returns the plan after at most this number of rounds, and whether one more would not change it."""
        for round in count(1):
            is_late = round > MAX_ROUNDS - 4
            planner = Planner(before, returns, set(barriers), may_ask and not is_late, trace.pipes, event, instruction)
            if not is_late:
                planner.carried = _carried(before, carriers)
            planner.run(trace)
            settled = planner.settled and planner.barriers == barriers and planner.waits == before
            before, barriers = planner.waits, planner.barriers if planner.settled else barriers
            if settled or (planner.settled and not has_loops) or round == rounds:
                return planner, settled
        raise AssertionError

    planner, settled = planned({}, {}, set(), MAX_ROUNDS, True)
    needed = {
        op: kept
        for op, waiters in planner.returns.items()
        if (kept := {waiter: events for waiter, events in waiters.items() if planner.is_needed(op, waiter, events)})
    }
    if settled and needed != planner.returns:  # an event of an earlier round needed the others
        better, settled = planned(planner.waits, needed, planner.barriers, 4, False)
        if settled and better.barriers == planner.barriers:
            planner = better
    return planner.plan(trace)


def _carried(waits: Waits, carriers: Callable[[int], list[scf.ForOp]]) -> dict[scf.ForOp, dict[int, None]]:
    """Returns the events that each loop carries which starts with records of its own."""
    found: dict[scf.ForOp, dict[int, None]] = {}
    for events in waits.values():
        for event, is_carried in events.items():
            for loop in carriers(max(event, ~event)) if is_carried else ():
                if starts_anew(loop):
                    found.setdefault(loop, {})[max(event, ~event)] = None
    return found


Returns = dict[int, dict[int, set[int] | None]]
"""
The instructions that each one waits for besides those of its hazards, so that its flag is not set before it was waited for, with the events whose
flags these are; None where it is an id that is used again.
"""
Waits = dict[int, dict[int, bool]]
"""The events that each instruction waits for, and whether a loop carries them. Where a source has two flags, ~source stands for the second one."""


class Planner:
    """Computes the events in one round. `before` are those of the round before, which are preferred."""

    def __init__(
        self,
        before: Waits,
        returns: Returns,
        barriers: set[int],
        may_ask: bool,
        pipes: list[int],
        event: Callable[[int, int], tuple[int, bool] | None],
        instruction: Callable[[int], int],
    ) -> None:
        self.waits: Waits = {}
        self.barriers = barriers
        self.before = before
        self.returns = returns
        self.may_ask = may_ask
        """Whether `returns` may grow."""
        self.settled = True
        """Whether nothing was added to `returns`."""
        self.event = event
        """Returns the event that orders two instructions, and whether a loop carries it; None if the first one never comes first."""
        self.instruction = instruction
        """Returns the instruction that a source is, or one of its pipe in the loop or condition that it is a record of."""
        self.time = Timeline()
        self.flags = FlagIds(self.time, pipes)
        self.carried: dict[scf.ForOp, dict[int, None]] = {}
        """The sources of the round before whose events are recorded before each loop, which carries them."""
        self.initial: dict[int, tuple[Clock, int, int]] = {}
        """Maps the source of each such event to its clock, the number of executions before it, and the number of scopes around it."""
        self.branches: dict[int, list[list[int]]] = {}
        """The clocks at the end of each branch (`effects.Tile`)."""
        self.waiting: Counter[int] = Counter()
        """The number of instructions that wait for each event."""

    def run(self, trace: Trace) -> None:
        time, conditions, open_conditions = self.time, count(), list[int]()
        for step in trace.steps:
            match step:
                case Execution():
                    self._execution(step)
                case End():
                    if not step.is_loop:
                        self.branches[2 * open_conditions.pop() + 1] = time.known
                    self._end(step)
                case Start():
                    time.enter()
                    for source in self.carried.get(step.loop, ()):
                        pipe = self.flags.pipes[source]
                        self.initial[source] = tuple(time.known[pipe]), len(time.sources), len(time.scopes)
                case Mark.EXIT:
                    time.exit()
                case Mark.FORK:
                    open_conditions.append(next(conditions))
                    time.fork()
                case Mark.SWITCH:
                    self.branches[2 * open_conditions[-1]] = time.known
                    time.switch()

    def plan(self, trace: Trace) -> Plan:
        """Returns the events by op."""
        sources, plan = trace.sources, Plan()

        def source(event: int) -> Source:
            found = sources[max(event, ~event)]
            if event >= 0:
                return found
            return SecondRecord(found.anchor, found.op) if isinstance(found, Record) else SecondRecord(found, found)

        for consumer, events in self.waits.items():
            op = sources[consumer]
            assert isinstance(op, Operation)
            plan.waits[op] = [source(event) for event in events]
            for producer, is_carried in zip(plan.waits[op], events.values(), strict=True):
                for loop in (
                    carrying_loops(producer.anchor if isinstance(producer, Record) else producer) if is_carried else ()
                ):
                    plan.carried.setdefault(loop, {})[producer] = None
        plan.ids = {source(event): number for event, number in self.flags.ids.items()}
        plan.barriers = {op for n in self.barriers if isinstance(op := sources[n], Operation)}
        return plan

    def is_needed(self, op: int, waiter: int, events: set[int] | None) -> bool:
        """Whether `op` does not wait for an instruction, or that instruction waits for one of the events that this is for (`Returns`)."""
        if events is None or not events.isdisjoint(self.waits.get(waiter, ())):
            return True
        return all(self.instruction(max(event, ~event)) != waiter for event in self.waits.get(op, ()))

    def _execution(self, execution: Execution) -> None:
        op, pipe, time = execution.source, execution.pipe, self.time
        if op in self.barriers:
            time.barrier()
        clock, number, latest = list(time.known[pipe]), len(time.sources), time.latest
        if self.initial and op in self.before:
            self._start(op, pipe, clock)
        for event in self.waits.get(op, ()):
            source = event if event >= 0 else ~event
            if (last := latest.get(source, -1)) >= 0:
                is_waited = self.flags.flags(event, pipe).seen.get(event) == last
                if not is_waited and not self._may_wait(event, op, pipe):
                    clock = self._spill(op, pipe)
                    break
                time.join(clock, source, pipe)
        if execution.hazards or execution.guarded or op in self.returns:
            for hazard in self._uncovered(execution, clock):
                if hazard <= clock[time.pipes[hazard]]:
                    continue  # the record of a loop or condition implies it
                event, is_carried = self._preferred(op, pipe, hazard)
                if not self._allocate(event, is_carried, op, pipe):
                    clock = self._spill(op, pipe)
                    break
                self._wait(op, event, is_carried)
                time.join(clock, max(event, ~event), pipe)
        for event in self.waits.get(op, ()):
            if (last := self._number(event)) >= 0:
                self.flags.wait(event, pipe, number, last)
        time.append(op, pipe, clock)

    def _start(self, op: int, pipe: int, clock: list[int]) -> None:
        """Lets the first iteration of a loop know what the events say with which it starts."""
        for event, is_carried in self.before[op].items():
            source = max(event, ~event)
            if is_carried and source in self.initial:
                done, before, depth = self.initial[source]
                if self.time.latest.get(source, -1) < before:
                    self.time.learn(clock, done, depth, pipe)

    def _end(self, step: End) -> None:
        time, scope = self.time, self.time.leave()
        for source, pipe in step.records:
            time.record(source, pipe, scope.inward.get(pipe))
        if step.is_loop:
            time.loops -= 1
            if not time.loops:
                self.flags.leave()

    def _number(self, event: int) -> int:
        """Returns the number of the last execution of an event's source, or -1."""
        return self.time.latest.get(event if event >= 0 else ~event, -1)

    def _wait(self, op: int, event: int, is_carried: bool) -> None:
        self.waits.setdefault(op, {})[event] = is_carried
        self.waiting[event] += 1

    def _uncovered(self, execution: Execution, clock: list[int]) -> list[int]:
        """Returns the executions that must be waited for, at most one of each pipe, none of which another implies."""
        need: dict[int, int] = {}
        for pipe, number in execution.hazards.items():
            if number > clock[pipe]:
                need[pipe] = number
        for pipe, number, branches in execution.guarded:
            done = (self.branches[branch][execution.pipe][pipe] for branch in branches)
            if number > max(need.get(pipe, -1), clock[pipe], *done):
                need[pipe] = number
        for op in self.returns.get(execution.source, ()):
            found = self.event(op, execution.source)
            number = -1 if found is None else min(self._number(op), self._number(found[0]))
            if number >= 0:
                pipe = self.time.pipes[number]
                if pipe != execution.pipe and number > clock[pipe]:
                    need[pipe] = max(need.get(pipe, -1), number)
        if len(need) < 2:
            return list(need.values())
        return [
            number
            for pipe, number in sorted(need.items(), key=lambda item: -item[1])
            if not any(self.time.completions[other][pipe] >= number for p, other in need.items() if p != pipe)
        ]

    def _preferred(self, op: int, pipe: int, hazard: int) -> tuple[int, bool]:
        """Returns the event to wait for: one of the round before that implies the hazard, if there is one."""
        source, own = self.time.pipes[hazard], self.waits.get(op, {})
        for event, is_carried in reversed(self.before.get(op, {}).items()):
            number = self._number(event)
            covers = number >= 0 and self.time.completions[number][source] >= hazard
            if covers and event not in own and self.flags.fits(event, is_carried, pipe):
                return event, is_carried
        event = self.event(self.time.sources[hazard], op)
        assert event is not None
        found, is_carried = event
        return found if self.flags.fits(found, is_carried, pipe) else ~found, is_carried

    # --- ids --------------------------------------------------------------------------------------

    def _may_wait(self, event: int, op: int, pipe: int) -> bool:
        """Whether the flag of an event that is planned, and not waited for yet, has certainly been consumed before it was set again."""
        fits = self._alternates(event, op, pipe) and self.flags.is_consumed(event, pipe)
        return fits or self._return(event, op)

    def _alternates(self, event: int, op: int, pipe: int) -> bool:
        """Whether the flag of `event` is not set again before the last execution of `op` has waited for it."""
        number, waiter = self._number(event), self.time.latest.get(op, -1)
        return waiter > number or self.time.starts[number][pipe] >= waiter

    def _allocate(self, event: int, is_carried: bool, op: int, pipe: int) -> bool:
        """Chooses the id of a new event. Returns whether there is one."""
        flags = self.flags.flags(event, pipe)
        if self.flags.is_waited(event, pipe) and event in self.flags.ids:
            return True
        if not self.flags.fits(event, is_carried, pipe):
            return False
        if not self._alternates(event, op, pipe) and not self._return(event, op):
            return False
        private = bool(self.time.loops) and (op in self.time.latest or is_carried)
        if free := self.flags.free(event, pipe, private):
            chosen = self.flags.choose(event, pipe, free)
        else:
            chosen = flags.oldest
            if private or chosen is None or not self._free(event, flags.waited[chosen]):
                return False
        self.flags.assign(chosen, event, is_carried, op, pipe, private)
        return True

    def _return(self, event: int, op: int) -> bool:
        """Lets the producer of an event wait for `op` from the next round on, if a loop contains both. Returns whether that is new."""
        return bool(self.time.loops) and self._ask(event, op, is_own=True)

    def _ask(self, event: int, op: int, *, is_own: bool) -> bool:
        """
        Lets the producer of an event wait for `op` from the next round on, because of the flag of that event (`is_own`) or of another one. Returns
        whether that is new.
        """
        source = self.instruction(max(event, ~event))
        known = self.returns.get(source, {})
        if op in known:
            events = known[op]
            known[op] = events | {event} if is_own and events is not None else None
            return False
        if not self.may_ask:
            return False
        self.returns.setdefault(source, {})[op] = {event} if is_own else None
        self.settled = False
        return True

    def _free(self, event: int, waiter: int) -> bool:
        """Lets the producer of an event wait for the op that waited for the flag of an id, which is free then."""
        if not 0 <= waiter < self._number(event):
            return False
        op = self.time.sources[waiter]
        if not self.time.loops and self.time.latest[op] == waiter:
            return self._wait_now(max(event, ~event), op)
        return self._ask(event, op, is_own=False)

    def _wait_now(self, producer: int, op: int) -> bool:
        """Lets the last execution of `producer` wait for the last one of `op`, outside of loops. Returns whether an id is free for that."""
        found = self.event(op, producer) if self.instruction(producer) == producer else None
        if found is None:
            return False
        number = self.time.latest[producer]
        pipe, (event, is_carried) = self.time.pipes[number], found
        if producer in self.flags.flags(event, pipe).waiters or not self._allocate(event, is_carried, producer, pipe):
            return False
        self._wait(producer, event, is_carried)
        self.time.order(number, self.time.latest[event])
        self.flags.wait(event, pipe, number, self.time.latest[event])
        return True

    def _spill(self, op: int, pipe: int) -> list[int]:
        """Replaces the events that `op` waits for by a barrier before it. Returns the clock of its pipe."""
        self.barriers.add(op)
        for event in self.waits.pop(op, ()):
            self.waiting[event] -= 1
            if not self.waiting[event]:
                del self.flags.ids[event]
        self.time.barrier()
        return list(self.time.known[pipe])
