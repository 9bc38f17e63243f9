"""
Decides whether all schedules of a trace give the same results.

A vector clock says for each step which others have certainly completed. Two accesses of the same tile or element, one of which is a
write, must be ordered by it, as must the wait for a flag and the next use of its id. Accesses of global memory are compared element by
element, those of tiles by blocks of 32 bytes.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Operation

from ...dialects import pto
from ...dialects.pto.pipes import PIPE_OF, PIPES
from ..errors import Hazard
from .trace import Clock, Conflict, Entry, EventRef, Fence, Item, Record, Step, Trace, elements

Wait = tuple[Operation, int]
"""An op and the number of the operand that is the event."""


@dataclass(frozen=True)
class Race:
    """Two steps whose order is not determined, although it matters: RAW, WAR, WAW, or ID for a flag that is set before it is waited for."""

    kind: str
    first: Operation
    second: Operation

    def error(self) -> Hazard:
        what = {"RAW": "reads", "WAR": "overwrites", "WAW": "overwrites", "ID": "sets"}[self.kind]
        done = {"RAW": "writes", "WAR": "reads", "WAW": "writes", "ID": "waits for"}[self.kind]
        thing = "the flag" if self.kind == "ID" else "memory"
        note = f"this op {done} it before, on another pipe, and no event orders the two"
        return Hazard(self.second, notes=[(self.first, note)], kind=self.kind, what=f"{what} {thing}")


def set_clocks(trace: Trace, without: frozenset[Wait] = frozenset()) -> None:
    """Computes what each step starts after. The waits of `without` are ignored."""
    known = [[-1] * len(PIPES) for _ in PIPES]
    entered = [[-1] * len(PIPES) for _ in PIPES]
    """For each pipe, what it has waited for at the entries of loops and conditions."""
    last = [-1] * len(PIPES)
    clocks: list[Clock] = []

    def completed(waits: tuple[tuple[int, EventRef], ...], op: Operation) -> Iterator[Clock]:
        for operand, event in waits:
            if (op, operand) not in without:
                yield event.clock
                yield from (clocks[n] for n in event.clock if n >= 0)

    for item in trace.items:
        if isinstance(item, Fence):
            if (item.op, -1) in without:
                continue
            before = completed(item.waits, item.op) if item.waits else [tuple(last)]
            for clock in list(before):
                known = [list(map(max, k, clock)) for k in known]
            continue
        if isinstance(item, Entry):
            for op, operand, event in item.waits:
                pipe = PIPES.index(PIPE_OF[op.opcode])
                for clock in completed(((operand, event),), op):
                    entered[pipe] = list(map(max, entered[pipe], clock))
            continue
        if isinstance(item, Record):
            item.start = tuple(map(max, known[item.pipe], entered[item.pipe]))
            continue
        start = list(last) if item.synchronous else list(known[item.pipe])
        for clock in completed(item.waits, item.op):
            start[:] = map(max, start, clock)
        item.start = tuple(start)
        start[item.pipe] = last[item.pipe] = item.number
        item.clock = tuple(start)
        clocks.append(item.clock)
        known[item.pipe] = start
        if item.synchronous:
            known = [list(start) for _ in PIPES]


def races(trace: Trace, without: frozenset[Wait] = frozenset()) -> list[Race]:
    """Returns the pairs of ops whose order is not determined, each once. The waits of `without` are ignored."""
    set_clocks(trace, without)
    found: dict[Race, None] = {}
    for step, conflicts in zip(trace.steps, _conflicts(trace), strict=True):
        for kind, first in conflicts:
            if step.start[first.pipe] < first.number:
                found[Race(kind, first.op, step.op)] = None
    for race in _reused_ids(trace, without):
        found[race] = None
    return list(found)


def redundant_waits(*traces: Trace) -> list[Wait]:
    """
    Returns the waits each of which could be removed from a program without races, as far as these runs of it show. A `pto.sync` without events
    counts as a wait with the operand -1.
    """
    waits: dict[Wait, list[Trace]] = {}
    for trace in traces:
        for wait in dict.fromkeys(wait for item in trace.items for wait in _waits(item)):
            waits.setdefault(wait, []).append(trace)
    return [wait for wait, runs in waits.items() if not any(races(run, frozenset({wait})) for run in runs)]


def _waits(item: Item) -> list[Wait]:
    if isinstance(item, Record | Entry):
        return []
    if isinstance(item, Fence) and not item.waits:
        return [(item.op, -1)]
    return [(item.op, operand) for operand, _ in item.waits]


def _conflicts(trace: Trace) -> list[list[Conflict]]:
    """Returns what each step must not overtake, whatever it waits for."""
    if trace.conflicts is None:
        accesses = _Accesses(trace)
        trace.conflicts = [list(accesses.conflicts(step)) for step in trace.steps]
    return trace.conflicts


class _Accesses:
    """The last accesses of each pipe to each element of arrays and to each block of memories: axis 0 is write, read; axis 1 the pipe."""

    def __init__(self, trace: Trace) -> None:
        self.steps = trace.steps
        self.arrays = trace.arrays
        self.shadows = [np.full((2, len(PIPES), a.size), -1, np.int64) for a in trace.arrays]
        blocks: dict[str, int] = {}
        for place in (t.place for s in self.steps for t in s.tiles if t.place is not None):
            blocks[place[0]] = max(blocks.get(place[0], 0), place[1].stop)
        self.memories = {loc: np.full((2, len(PIPES), n), -1, np.int64) for loc, n in blocks.items()}

    def conflicts(self, step: Step) -> Iterator[Conflict]:
        """Yields the latest step of each other pipe that has an access in conflict with one of `step`, and records the accesses of `step`."""
        accesses: list[tuple[NDArray[np.int64], slice | NDArray[np.int64], bool, bool]] = []
        for tile in step.read_tiles:
            if tile.place is None:
                producer = self.steps[tile.step]
                if producer.pipe != step.pipe:
                    yield "RAW", producer
            else:
                accesses.append((self.memories[tile.place[0]], tile.place[1], True, False))
        for tile in step.tiles:
            if tile.place is not None:
                accesses.append((self.memories[tile.place[0]], tile.place[1], False, True))
        for number, index, reads, writes in elements(step, self.arrays):
            accesses.append((self.shadows[number], index, reads, writes))
        for shadow, where, reads, writes in accesses:
            latest = shadow[:, :, where].max(axis=2, initial=-1)
            for kind, row in (("RAW", 0), ("WAW", 0), ("WAR", 1)):
                if reads if kind == "RAW" else writes:
                    for pipe in np.flatnonzero(latest[row] >= 0):
                        if pipe != step.pipe:
                            yield kind, self.steps[latest[row, pipe]]
        for shadow, where, reads, writes in accesses:
            for row, happens in enumerate((writes, reads)):
                if happens:
                    shadow[row, step.pipe, where] = step.number


def _reused_ids(trace: Trace, without: frozenset[Wait]) -> Iterator[Race]:
    """
    Yields the pairs of a wait and a later set of the same flag, which may come before the wait. The wait comes before the next step of its pipe
    and before the next barrier.
    """
    places = {item: place for place, item in enumerate(trace.items)}
    barriers = [places[i] for i in trace.items if isinstance(i, Fence) and not i.waits and (i.op, -1) not in without]
    steps = [[s for s in trace.steps if s.pipe == pipe] for pipe in range(len(PIPES))]
    for (_, pipe, _), waiters in _flags(trace, places, without).items():
        order = sorted(waiters.items(), key=lambda use: places[use[0]])
        for (_, (place, waiter)), (setter, _) in pairwise(order):
            following = bisect_left(steps[pipe], place, key=places.__getitem__)
            waited = following < len(steps[pipe]) and steps[pipe][following].number <= setter.start[pipe]
            if not waited and bisect(barriers, place) == bisect(barriers, places[setter]):
                yield Race("ID", waiter.op, setter.op)


def _flags(
    trace: Trace, places: Mapping[Item, int], without: frozenset[Wait]
) -> dict[tuple[int, int, int], dict[Step | Record, tuple[int, Step]]]:
    """
    Returns the flags, each by its pipes and its id: for each step or record that sets it, where it is waited for first, and for which step. An
    event from before a loop or a condition is waited for at its entry.
    """
    entries: dict[tuple[object, Operation], int] = {}
    for item in trace.items:
        for op, _, event in item.waits if isinstance(item, Entry) else ():
            entries.setdefault((event.source, op), places[item])
    found: dict[tuple[int, int, int], dict[Step | Record, tuple[int, Step]]] = {}
    for step in trace.steps:
        for operand, event in step.waits:
            t = step.op.operands[operand].type
            if event.source is None or (step.op, operand) in without or not isinstance(t, pto.EventType):
                continue
            if isinstance(t.eid, IntAttr):
                flag = found.setdefault((event.source.pipe, step.pipe, t.eid.data), {})
                flag.setdefault(event.source, (entries.get((event.source, step.op), places[step]), step))
    return found
