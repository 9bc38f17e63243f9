"""Executes a trace in any order that its events allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, permutations
from random import Random
from typing import Any

import numpy as np

from ...dialects.pto.pipes import PIPES
from ..arrays.scalars import Array
from ..errors import Hazard
from ..interpreter import interpreter
from .hazards import set_clocks
from .trace import Step, TileRef, Trace, Value

Choice = Callable[[list[Step]], Step]
"""Chooses the next step among those that can start, of which there is one for each pipe at most."""


class Queues:
    """The queues of the pipes: which steps can start."""

    def __init__(self, trace: Trace) -> None:
        self.queues: list[list[Step]] = [[] for _ in PIPES]
        for step in trace.steps:
            self.queues[step.pipe].append(step)
        self.next = [0] * len(PIPES)
        self.done = [-1] * len(PIPES)

    def ready(self) -> list[Step]:
        heads = (q[n] for q, n in zip(self.queues, self.next, strict=True) if n < len(q))
        return [s for s in heads if all(d >= n for d, n in zip(self.done, s.start, strict=True))]

    def finish(self, step: Step) -> None:
        self.next[step.pipe] += 1
        self.done[step.pipe] = step.number

    def undo(self, step: Step) -> None:
        self.next[step.pipe] -= 1
        before = self.next[step.pipe] - 1
        self.done[step.pipe] = self.queues[step.pipe][before].number if before >= 0 else -1


def order(trace: Trace, choose: Choice) -> list[Step]:
    """Returns the steps in the order in which `choose` starts them."""
    set_clocks(trace)
    queues, found = Queues(trace), list[Step]()
    while ready := queues.ready():
        found.append(choose(ready))
        queues.finish(found[-1])
    return found


def random_order(trace: Trace, seed: int) -> list[Step]:
    """Returns the steps in a random order."""
    return order(trace, Random(seed).choice)


def adversarial_orders(trace: Trace, limit: int = 720) -> Iterator[list[Step]]:
    """Yields up to `limit` orders, in each of which some pipes run ahead of others as far as events allow: all priorities of pipes."""
    used = sorted({step.pipe for step in trace.steps})
    for priority in islice(permutations(used), limit):
        yield order(trace, lambda ready, rank=priority: min(ready, key=lambda s: rank.index(s.pipe)))


def all_orders(trace: Trace, limit: int = 10_000) -> Iterator[list[Step]]:
    """Yields all orders of the steps, at most `limit`."""
    set_clocks(trace)
    queues, chosen = Queues(trace), list[Step]()

    def orders() -> Iterator[list[Step]]:
        ready = queues.ready()
        if not ready:
            yield list(chosen)
        for step in ready:
            queues.finish(step)
            chosen.append(step)
            yield from orders()
            chosen.pop()
            queues.undo(step)

    return islice(orders(), limit)


def execute(trace: Trace, steps: Sequence[Step]) -> list[Array]:
    """
    Returns the arrays of global memory after the steps in this order. Raises `Hazard` at a step that reads a tile before it is computed,
    or after another tile has overwritten it.
    """
    run = interpreter(trace.module)
    arrays = [a.copy() for a in trace.arrays]
    tiles: dict[TileRef, Any] = {}
    memories: dict[str, dict[int, TileRef]] = {}
    for step in steps:
        values = [_value(step, v, trace, arrays, tiles, memories) for v in step.inputs]
        results = run.run_op(step.op, tuple(values))
        for tile in step.tiles:
            tiles[tile] = results[tile.result]
            if tile.place is not None:
                loc, blocks = tile.place
                memories.setdefault(loc, {}).update(dict.fromkeys(range(blocks.start, blocks.stop), tile))
    return arrays


def _value(
    step: Step,
    value: Value,
    trace: Trace,
    arrays: list[Array],
    tiles: dict[TileRef, Any],
    memories: dict[str, dict[int, TileRef]],
) -> Any:
    if isinstance(value, TileRef):
        producer = trace.steps[value.step].op
        if value not in tiles:
            raise Hazard(step.op, notes=[(producer, "which this op computes")], kind="RAW", what="reads a tile")
        if value.place is not None:
            loc, blocks = value.place
            memory = memories[loc]
            for other in (memory[block] for block in range(blocks.start, blocks.stop)):
                if other is not value:
                    writer = trace.steps[other.step].op
                    notes = [(producer, "which this op computes"), (writer, "and this op overwrites")]
                    raise Hazard(step.op, notes=notes, kind="WAR", what="reads a tile")
        return tiles[value]
    if isinstance(value, np.ndarray) and any(np.may_share_memory(value, a) for a in trace.arrays):
        number = next(k for k, a in enumerate(trace.arrays) if np.may_share_memory(a, value))
        old, new = trace.arrays[number], arrays[number]
        offset = value.__array_interface__["data"][0] - old.__array_interface__["data"][0]
        return np.ndarray(value.shape, value.dtype, new, offset, value.strides)
    return value
