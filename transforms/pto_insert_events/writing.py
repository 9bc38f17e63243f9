"""Writes planned events as SSA values, and removes events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue, SSAValues
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.pto.effects import instructions, trip_count
from ...analysis.pto.events import Plan
from ...analysis.pto.timeline import Record, Source
from ...dialects import pto
from ..operand_segments import set_operands


def set_event(op: pto.InstructionOp, event: pto.EventType | None) -> None:
    """Lets `op` return an event of this type as its last result, or none. The event that it returns must be unused."""
    results = op.results if op.event is None else op.results[:-1]
    added = [] if event is None else [OpResult(event, op, len(results))]
    for result in added[: len(results)]:
        result.name_hint = results[0].name_hint
    op.results = SSAValues([*results, *added])


def with_arguments(loop: scf.ForOp, inits: Sequence[SSAValue], keep: Sequence[bool] | None = None) -> scf.ForOp:
    """
    Replaces `loop` by one that carries the same values (those of `keep`), and then `inits`, whose arguments are not yielded yet. Values that
    are not kept must be unused.
    """
    keep = [True] * len(loop.iter_args) if keep is None else keep
    body, terminator = loop.body.block, loop.body.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    terminator.operands = [v for v, k in zip(terminator.arguments, keep, strict=True) if k]
    for argument, kept in zip(list(body.args)[1:], keep, strict=True):
        if not kept:
            body.erase_arg(argument)
    for init in inits:
        body.insert_arg(init.type, len(body.args))
    region = Region()
    loop.body.move_blocks(region)
    kept = [v for v, k in zip(loop.iter_args, keep, strict=True) if k]
    new = scf.ForOp(loop.lb, loop.ub, loop.step, [*kept, *inits], region)
    new.attributes.update(loop.attributes)
    new.location = loop.location
    results = iter(new.results)
    replaced = [next(results) if k else None for k in keep]
    for a, b in zip(loop.results, replaced, strict=True):
        if b is not None:
            b.name_hint = a.name_hint
    Rewriter.replace_op(loop, new, replaced, safe_erase=False)
    return new


def remove_events(function: func.FuncOp) -> bool:
    """
    Makes the instructions of a function synchronous, except for waits for events that are arguments of the function. Returns whether it
    changed anything.
    """
    events = (v for op in function.walk() for v in (*op.operands, *op.results) if isinstance(v.type, pto.EventType))
    if next(events, None) is None and not any(isinstance(op, pto.SyncOp) for op in function.walk()):
        return False

    def outside(event: SSAValue) -> bool:
        return isinstance(event, BlockArgument) and event.owner is function.body.block

    for op in instructions(function.body.block):
        set_operands(op, "waits", [e for e in op.waits if outside(e)])
    for op in [o for o in function.walk() if isinstance(o, pto.SyncOp)]:
        if kept := [e for e in op.waits if outside(e)]:
            op.operands = kept
        else:
            op.detach()
            op.erase()
    for loop in reversed(
        [o for o in function.walk() if isinstance(o, scf.ForOp)]
    ):  # inner loops use what outer ones carry
        keep = [not isinstance(v.type, pto.EventType) for v in loop.iter_args]
        if not all(keep):
            with_arguments(loop, (), keep)
    for op in instructions(function.body.block):
        if op.event is not None:
            set_event(op, None)
    for op in [o for o in function.walk() if isinstance(o, pto.RecordOp)]:
        op.detach()
        op.erase()
    return True


def write_events(function: func.FuncOp, plan: Plan) -> None:
    """Adds planned events to a function without events."""
    Writer(function, plan).block(function.body.block, {})


Events = dict[Source, SSAValue]
"""The event of the latest execution of each producer, at a place in the program."""


class Writer:
    """Rewrites the ops of a function with their events. Producers are identified by the ops that the plan names."""

    def __init__(self, function: func.FuncOp, plan: Plan) -> None:
        self.plan = plan
        self.entry = function.body.block
        self.initial: Events = {}
        self.carried: dict[Operation, dict[Source, None]] = {}
        """The producers whose events each loop carries or returns."""
        self.records: dict[Operation, list[Record]] = {}
        """The events that are recorded after each loop."""
        for consumer, producers in plan.waits.items():
            for producer in producers:
                if isinstance(producer, Record) and producer not in self.records.setdefault(producer.loop, []):
                    self.records[producer.loop].append(producer)
                outer, inner = _loops(producer.loop if isinstance(producer, Record) else producer), _loops(consumer)
                common = next((n for n, (a, b) in enumerate(zip(outer, inner, strict=False)) if a is not b), None)
                common = min(len(outer), len(inner)) if common is None else common
                for loop in outer[0 if plan.is_carried(producer, consumer) else common :]:
                    self.carried.setdefault(loop, {})[producer] = None

    def block(self, block: Block, events: Events) -> None:
        """Rewrites a block; `events` are those at its start, and is changed to those at its end."""
        for op in list(block.ops):
            if isinstance(op, scf.ForOp):
                self._loop(op, events)
            elif isinstance(op, pto.InstructionOp):
                if op in self.plan.barriers:
                    Rewriter.insert_op(pto.SyncOp(), InsertPoint.before(op))
                if (waits := self.plan.waits.get(op)) is not None:
                    set_operands(op, "waits", [*op.waits, *(events[producer] for producer in waits)])
                set_event(op, self._type(op))
                events[op] = op.results[-1]

    def _type(self, source: Source) -> pto.EventType:
        op = source.op if isinstance(source, Record) else source
        assert isinstance(op, pto.InstructionOp)
        return _event_type(op.opcode, self.plan.ids.get(source))

    def _loop(self, loop: scf.ForOp, events: Events) -> None:
        producers = list(self.carried.get(loop, ()))
        trips = trip_count(loop)
        inits = [self._init(p, loop, events, bool(trips)) for p in producers]
        new = with_arguments(loop, inits) if producers else loop
        body, terminator = new.body.block, new.body.block.last_op
        inside = dict(events)
        first = len(body.args) - len(producers)
        inside.update(zip(producers, body.args[first:], strict=True))
        self.block(body, inside)
        if producers:
            assert isinstance(terminator, scf.YieldOp)
            terminator.operands = [*terminator.operands, *(inside[p] for p in producers)]
        events.update(zip(producers, new.results[len(new.results) - len(producers) :], strict=True))
        for record in self.records.get(loop, ()):
            op = pto.RecordOp(self._type(record))
            Rewriter.insert_op(op, InsertPoint.after(new))
            events[record] = op.event

    def _init(self, producer: Source, loop: scf.ForOp, events: Events, certain: bool) -> SSAValue:
        """Returns the event at the start of a loop. If the loop has no iteration, it stands for all earlier instructions of that pipe."""
        if certain and producer in events:
            return events[producer]
        if certain and producer in self.initial:
            return self.initial[producer]
        record = pto.RecordOp(self._type(producer))
        first = self.entry.first_op
        assert first is not None
        Rewriter.insert_op(record, InsertPoint.before(first if certain else loop))
        if certain:
            self.initial[producer] = record.event
        return record.event


@cache
def _event_type(producer: pto.OpcodeAttr, eid: int | None) -> pto.EventType:
    return pto.EventType(producer, None, eid)


def _loops(op: Operation) -> list[Operation]:
    """Returns the loops that contain `op`, the outermost first."""
    found: list[Operation] = []
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        found.insert(0, parent)
        parent = parent.parent_op()
    return found
