"""Collects the instructions that a run of a function executes, with what each of them waits for, reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import OpImplResult, PythonValues
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.pto.indices import joined
from ...dialects.pto.pipes import PIPE_OF, PIPES
from ...dialects.pto.storage import BLOCK, tile_bytes
from ...dialects.pto.transfers import TransferOp
from ..arrays.scalars import Array
from ..errors import NotInterpreted, TooLarge
from ..interpreter import find_function, interpreter
from ..sizes import SizedInterpreter

MAX_STEPS = 1_000_000
MAX_ADDRESS = 1 << 24
"""No memory of a core is larger."""

Clock = tuple[int, ...]
"""For each pipe, the number of its last step that has completed, or -1."""


@dataclass(eq=False)
class TileRef:
    """The tile that a step computes. `place` is its memory and its blocks of 32 bytes, if it has an address."""

    step: int
    result: int
    place: tuple[str, slice] | None = None


@dataclass(frozen=True)
class EventRef:
    """An event. The steps of `clock` have completed when it has happened; `source` returns it, unless it is an argument."""

    clock: Clock
    source: Step | Record | None = None


Value = TileRef | EventRef | Array | int
"""An input of a step."""


@dataclass(eq=False)
class Step:
    """An execution of `op` on `inputs`. It starts when the steps of `start` have completed."""

    op: pto.InstructionOp
    pipe: int
    number: int
    inputs: tuple[Value, ...]
    waits: tuple[tuple[int, EventRef], ...]
    """The events that it waits for, with the number of the operand."""
    synchronous: bool
    start: Clock = ()
    clock: Clock = ()
    """These steps have completed when this one has."""
    tiles: list[TileRef] = field(default_factory=list[TileRef])

    @property
    def read_tiles(self) -> list[TileRef]:
        return [v for v in self.inputs if isinstance(v, TileRef)]


@dataclass(eq=False)
class Record:
    """A `pto.event.record` on a pipe, which sets its flag when the steps of `start` have completed."""

    op: Operation
    pipe: int
    start: Clock = ()


@dataclass(eq=False)
class Fence:
    """A `pto.sync`. Later steps start after the events that it waits for, or after all earlier steps if it waits for none."""

    op: Operation
    waits: tuple[tuple[int, EventRef], ...]


@dataclass(eq=False)
class Entry:
    """
    The entry of a loop or a condition. As flags, the events from before it for which its instructions wait are waited for here, even if it has no
    iteration, or if another branch is taken.
    """

    waits: tuple[tuple[pto.InstructionOp, int, EventRef], ...]
    """Each instruction that waits, the number of the operand, and the event."""


Item = Step | Record | Fence | Entry

Conflict = tuple[str, Step]
"""The kind of a hazard (RAW, WAR or WAW), and the earlier step."""


@dataclass
class Trace:
    """The steps of a run in program order, with records and fences between them, and the arrays that they access."""

    module: ModuleOp
    items: list[Item]
    arrays: list[Array]
    conflicts: list[list[Conflict]] | None = None
    """`hazards.races` sets these: the earlier steps that each step must not overtake."""

    @cached_property
    def steps(self) -> list[Step]:
        return [item for item in self.items if isinstance(item, Step)]


class Tracer(SizedInterpreter):
    """Interprets scalars and control flow, and records instructions."""

    def __init__(self, module: ModuleOp) -> None:
        super().__init__(module)
        self.items: list[Item] = []
        self.outside: dict[Operation, list[tuple[pto.InstructionOp, int, SSAValue]]] = {}
        """The waits in each loop and condition for events from before it."""
        self.count = 0
        self.last = [-1] * len(PIPES)

    def _run_op(self, op: Operation, inputs: PythonValues) -> OpImplResult:
        match op:
            case pto.InstructionOp():
                return OpImplResult(self._record(op, tuple(inputs)), None)
            case pto.SyncOp():
                self.items.append(Fence(op, tuple(enumerate(inputs))))
                return OpImplResult((), None)
            case pto.SyncOpcodeOp():
                return OpImplResult((), None)  # a pipe executes one instruction at a time
            case pto.RecordOp():
                pipe = PIPES.index(PIPE_OF[_event_type(op.event).producer.word])
                clock = tuple(n if p == pipe else -1 for p, n in enumerate(self.last))
                self.items.append(record := Record(op, pipe))
                return OpImplResult((EventRef(clock, record),), None)
            case scf.ForOp() | scf.IfOp():
                self._enter(op)
                # The flag of a record that a loop starts with is set before the loop, wherever the record is.
                self.items += [v.source for v in inputs if isinstance(v, EventRef) and isinstance(v.source, Record)]
                return super()._run_op(op, inputs)
            case pto.AssignOp():
                self._place(op, inputs)
                return OpImplResult((inputs[0],), None)
            case _:
                return super()._run_op(op, inputs)

    def _record(self, op: pto.InstructionOp, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        if op.opcode not in PIPE_OF:
            raise NotInterpreted(op, reason=f"{op.opcode} is no instruction of PTO, so it has no pipe")
        if self.count >= MAX_STEPS:
            raise TooLarge(op, what="the program", why=f"it executes more than {MAX_STEPS} instructions")
        pipe, number = PIPES.index(PIPE_OF[op.opcode]), self.count
        waits = tuple((k, v) for k, v in enumerate(inputs) if isinstance(v, EventRef))
        step = Step(op, pipe, number, inputs, waits, not op.is_asynchronous)
        self.items.append(step)
        self.count += 1
        self.last[pipe] = number
        results: list[Any] = []
        for k, result in enumerate(op.results):
            if isinstance(result.type, pto.TileType):
                step.tiles.append(TileRef(number, k))
                results.append(step.tiles[-1])
            else:
                results.append(EventRef(tuple(n if p == pipe else -1 for p, n in enumerate(self.last)), step))
        return tuple(results)

    def _enter(self, op: Operation) -> None:
        if (outside := self.outside.get(op)) is None:
            outside = self.outside[op] = [
                (inner, k, v)
                for inner in op.walk()
                if isinstance(inner, pto.InstructionOp)
                for k, v in enumerate(inner.operands)
                if isinstance(v.type, pto.EventType) and not op.is_ancestor(v.owner)
            ]
        if outside:
            events = self.get_values(v for _, _, v in outside)
            self.items.append(Entry(tuple((o, k, e) for (o, k, _), e in zip(outside, events, strict=True))))

    def _place(self, op: pto.AssignOp, inputs: PythonValues) -> None:
        tile = inputs[0]
        address: int = inputs[1] if len(inputs) > 1 else ints(op.static_address)[0]
        size = tile_bytes(pto.tile_type(op.tile), op)
        if not 0 <= address <= MAX_ADDRESS - size:
            raise TooLarge(op, what=f"address {address}", why="no memory of a core has it")
        if isinstance(tile, TileRef):
            loc = pto.tile_type(op.tile).loc
            tile.place = (loc, slice(address // BLOCK, -(-(address + size) // BLOCK)))


def _event_type(value: SSAValue) -> pto.EventType:
    assert isinstance(value.type, pto.EventType)
    return value.type


def trace(module: ModuleOp, name: str, *arrays: Array | int) -> Trace:
    """
    Returns the steps of function `name` on `arrays`, which are copied. An argument that is an event needs no array: it has happened.
    Raises `NotInterpreted` for ops that have no pipe.
    """
    function = find_function(module, name)
    run = interpreter(module, kind=Tracer)
    assert isinstance(run, Tracer)
    given = iter(arrays)
    happened = EventRef((-1,) * len(PIPES))
    values = [
        happened if isinstance(a.type, pto.EventType) else _contiguous(next(given)) for a in function.body.block.args
    ]
    run.call_op(name, tuple(values))
    return Trace(module, run.items, [v for v in values if isinstance(v, np.ndarray)])


def _contiguous(value: Array | int) -> Array | int:
    return value.copy(order="C") if isinstance(value, np.ndarray) else value


def elements(step: Step, arrays: Sequence[Array]) -> list[tuple[int, Array, bool, bool]]:
    """Returns the elements of global memory that a step accesses: the array's number, linear indices, whether it reads, whether it writes."""
    op, found = step.op, list[tuple[int, Array, bool, bool]]()
    values: dict[SSAValue, Any] = dict(zip(op.operands, step.inputs, strict=True))
    for value in (v for v in op.operands if isinstance(v.type, pto.MemRefType)):
        view: Array = values[value]
        if isinstance(op, TransferOp):
            view = view[_region(op, values)]
        number = next(k for k, a in enumerate(arrays) if np.may_share_memory(a, view))
        base = arrays[number]
        offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
        steps = np.array(view.strides, np.int64) // base.itemsize
        index: Array = np.tensordot(steps, np.indices(view.shape), 1) + offset
        found.append((number, index.ravel(), op.has_trait(MemoryReadEffect), op.has_trait(MemoryWriteEffect)))
    return found


def _region(op: TransferOp, values: dict[SSAValue, Any]) -> tuple[slice, ...]:
    tile = next(pto.tile_type(v) for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType))
    counts = tile.sizes if op.static_valid is None else joined(op.static_valid, op.valid)
    if -1 in counts:
        raise NotInterpreted(op, reason="a size of its tile is not known: say with 'valid' which part is transferred")
    starts = joined(op.static_offsets, op.offsets)
    known = ([int(i if isinstance(i, int) else values[i]) for i in indices] for indices in (starts, counts))
    return tuple(slice(start, start + count) for start, count in zip(*known, strict=True))
