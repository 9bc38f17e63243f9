"""
The greedy strategy: from each result backwards, a kernel takes the producer that gains most, as long as one gains.

A producer that others read as well is stored by the kernel that takes it, or computed again. After the last step, one step is taken back: if
other producers without that step gain more, they are taken instead. Spec: `tensor-compiler.ja §4.1` (5).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from ...analysis.regions.fusion_graph import bits
from ...analysis.regions.kernel import MAX_OUTPUTS
from .columns import Column, FusionModel, fixed_columns, in_order, lone_column, stored_by

LEAST = 1e-9
"""Microseconds that a step must gain."""


@dataclass(frozen=True)
class Step:
    """A kernel after a step: its nodes, those that others compute again, the nodes that the step took, and its gain in microseconds."""

    nodes: int
    again: int
    taken: int
    gain: float


@dataclass
class Growth:
    """Grows the kernel of one result beside the kernels of others, which do not wait for it while it waits for them."""

    model: FusionModel
    root: int
    others: list[Column]

    def __post_init__(self) -> None:
        self.stored = stored_by(self.others)

    def waits(self, nodes: int, stored: int) -> bool:
        """Returns whether a kernel would wait, directly or not, for another one that waits for it."""
        graph = self.model.graph
        first, todo = graph.read_by(nodes), list(self.others)
        while True:
            for node in bits(first):
                first |= graph.before[node]
            found = [c for c in todo if c.stored & first]
            if first & stored or not found:
                return bool(first & stored)
            todo = [c for c in todo if not c.stored & first]
            for c in found:
                first |= c.read

    def results(self, nodes: int, again: int) -> int:
        """Returns what the kernel stores: its root, and what others read."""
        graph = self.model.graph
        read = (n for n in bits(nodes & ~again) if graph.users[n] & ~nodes or graph.required >> n & 1)
        return 1 << self.root | sum(1 << n for n in read if n != self.root)

    def time(self, nodes: int, again: int) -> float:
        stored = self.results(nodes, again)
        if stored.bit_count() > MAX_OUTPUTS or self.waits(nodes, stored):
            return inf
        column = self.model.column(nodes, stored)
        return inf if column is None else column.time

    def alone(self, nodes: int) -> float:
        found = [self.model.column(1 << n, 1 << n) for n in bits(nodes)]
        return sum(c.time for c in found if c is not None)

    def best(self, nodes: int, again: int, but: int = 0) -> Step | None:
        """Returns the step that gains most, if one gains."""
        graph, now = self.model.graph, self.time(nodes, again)
        steps: list[Step] = []
        for node in bits(graph.read_by(nodes) & ~self.stored & ~but):
            larger = nodes | 1 << node
            if node in graph.fixed or larger & self.stored or graph.hull(larger) != larger:
                continue
            shared = bool(graph.users[node] & ~larger) or graph.required >> node & 1
            saved = now + self.alone(1 << node)
            steps.append(Step(larger, again, 1 << node, saved - self.time(larger, again)))
            if shared and not graph.required >> node & 1:
                steps.append(Step(larger, again | 1 << node, 1 << node, now - self.time(larger, again | 1 << node)))
        found = max(steps, key=lambda s: (s.gain, s.taken), default=None)
        return found if found is not None and found.gain > LEAST else None

    def column(self) -> Column:
        """Returns the kernel after all steps."""
        here = Step(1 << self.root, 0, 0, 0.0)
        before, last = here, None
        while (step := self.best(here.nodes, here.again)) is not None:
            before, here, last = here, step, step
        if last is not None:
            other, total = before, 0.0
            while (step := self.best(other.nodes, other.again, last.taken)) is not None:
                other, total = step, total + step.gain
            here = other if total > last.gain + LEAST else here
        found = self.model.column(here.nodes, self.results(here.nodes, here.again))
        return lone_column(self.model, self.root) if found is None else found


def greedy(model: FusionModel) -> list[Column]:
    """Returns the kernels of a block, in an executable order."""
    found = fixed_columns(model)
    todo = model.graph.required
    for c in found:
        todo |= c.read
    while waiting := todo & ~stored_by(found):
        found.append(Growth(model, waiting.bit_length() - 1, list(found)).column())
        todo |= found[-1].read
    ordered, waiting = in_order(found)
    return ordered + waiting  # `Fusion` refuses what waits
