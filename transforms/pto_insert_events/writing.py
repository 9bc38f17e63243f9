"""Writes planned events as SSA values, and removes events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue, SSAValues
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.pto.effects import instructions
from ...analysis.pto.events import Plan
from ...analysis.pto.sources import Record, Source, starts_anew
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


def _with_results(condition: scf.IfOp, keep: Sequence[bool]) -> None:
    """Replaces a condition by one that returns those results that `keep` says. The others must be unused."""
    then, otherwise = Region(), Region()
    for old, region in zip(condition.regions, (then, otherwise), strict=True):
        for block in old.blocks:
            assert block.last_op is not None
            block.last_op.operands = [v for v, k in zip(block.last_op.operands, keep, strict=True) if k]
        old.move_blocks(region)
    kept = [r for r, k in zip(condition.results, keep, strict=True) if k]
    new = scf.IfOp(condition.cond, [r.type for r in kept], then, otherwise)
    new.attributes.update(condition.attributes)
    new.location = condition.location
    for a, b in zip(kept, new.results, strict=True):
        b.name_hint = a.name_hint
    results = iter(new.results)
    Rewriter.replace_op(condition, new, [next(results) if k else None for k in keep], safe_erase=False)


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
    for op in reversed([o for o in function.walk() if o.regions]):  # inner loops use what outer ones carry
        keep = [not isinstance(v.type, pto.EventType) for v in op.results]
        if isinstance(op, scf.ForOp) and not all(keep):
            with_arguments(op, (), keep)
        elif isinstance(op, scf.IfOp) and not all(keep):
            _with_results(op, keep)
    for op in instructions(function.body.block):
        if op.event is not None:
            set_event(op, None)
    for op in [o for o in function.walk() if isinstance(o, pto.RecordOp)]:
        op.detach()
        op.erase()
    return True


def write_events(function: func.FuncOp, plan: Plan) -> None:
    """Adds planned events to a function without events."""
    Writer(function, plan).block(function.body.block)


class Writer:
    """Rewrites the ops of a function with their events. Producers are identified by the ops that the plan names."""

    def __init__(self, function: func.FuncOp, plan: Plan) -> None:
        self.plan = plan
        self.entry = function.body.block
        self.events: dict[Source, SSAValue] = {}
        """The event of the latest execution of each producer, at a place in the program."""
        self.initial: dict[Source, SSAValue] = {}
        self.records: dict[Operation, dict[Record, None]] = {}
        """The events that are recorded after each op."""
        for producer in (p for producers in plan.waits.values() for p in producers if isinstance(p, Record)):
            self.records.setdefault(producer.anchor, {})[producer] = None

    def block(self, block: Block) -> None:
        for op in list(block.ops):
            after: Operation = op
            match op:
                case scf.ForOp():
                    after = self._loop(op)
                case scf.IfOp():
                    for region in op.regions:
                        for branch in region.blocks:
                            self.block(branch)
                case pto.InstructionOp():
                    if op in self.plan.barriers:
                        Rewriter.insert_op(pto.SyncOp(), InsertPoint.before(op))
                    if (waits := self.plan.waits.get(op)) is not None:
                        set_operands(op, "waits", [*op.waits, *(self.events[producer] for producer in waits)])
                    set_event(op, self._type(op))
                    self.events[op] = op.results[-1]
                case _:
                    continue
            for record in reversed(self.records.get(op, {})):
                new = pto.RecordOp(self._type(record))
                Rewriter.insert_op(new, InsertPoint.after(after))
                self.events[record] = new.event

    def _type(self, source: Source) -> pto.EventType:
        op = source.op if isinstance(source, Record) else source
        assert isinstance(op, pto.InstructionOp)
        return _event_type(op.opcode, self.plan.ids.get(source))

    def _loop(self, loop: scf.ForOp) -> scf.ForOp:
        producers = list(self.plan.carried.get(loop, ()))
        if not producers:
            self.block(loop.body.block)
            return loop
        new = with_arguments(loop, [self._init(p, loop) for p in producers])
        body, terminator = new.body.block, new.body.block.last_op
        assert isinstance(terminator, scf.YieldOp)
        self.events.update(zip(producers, body.args[-len(producers) :], strict=True))
        self.block(body)
        terminator.operands = [*terminator.operands, *(self.events[p] for p in producers)]
        self.events.update(zip(producers, new.results[-len(producers) :], strict=True))
        return new

    def _init(self, producer: Source, loop: scf.ForOp) -> SSAValue:
        """
        Returns the event at the start of a loop: that of the loop around it, or none if there is no such loop, or one that stands for all earlier
        instructions of the pipe.
        """
        is_new = starts_anew(loop)
        if not is_new and isinstance(loop.parent_op(), scf.ForOp):
            return self.events[producer]
        if not is_new and producer in self.initial:
            return self.initial[producer]
        record = pto.RecordOp(self._type(producer))
        first = self.entry.first_op
        assert first is not None
        Rewriter.insert_op(record, InsertPoint.before(loop if is_new else first))
        if not is_new:
            self.initial[producer] = record.event
        return record.event


@cache
def _event_type(producer: pto.OpcodeAttr, eid: int | None) -> pto.EventType:
    return pto.EventType(producer, None, eid)
