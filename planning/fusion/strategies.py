"""
The strategies of `form-regions`: which kernels compute a block.

| strategy | kernels |
| --- | --- |
| `exact` | the fastest by the cost model, among all candidates (`exact.py`) |
| `greedy` | grown backwards from the results, the largest gain first, with one step of rollback (`greedy.py`) |
| `maximal` | whatever is legal is fused (`analysis/regions/fusion.py`) |
| `none` | each op is a kernel of its own; only movements are fused |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from ...analysis.regions.candidates import Candidates
from ...analysis.regions.fusion import Choice, Fusion, Kernel
from ...analysis.regions.fusion_graph import bits
from ...targets.machines import Machine
from .columns import Column, FusionModel
from .exact import exact, fixed_columns, in_order
from .greedy import greedy

Strategy = Literal["exact", "greedy", "maximal", "none"]


def choice(strategy: Strategy, machine: Machine) -> Choice | None:
    """Returns what chooses the kernels of a block by a strategy, or None if they are those of `Fusion`."""
    chosen: Callable[[FusionModel], list[Column]] | None = {
        "exact": optimal,
        "greedy": greedy,
        "maximal": None,
        "none": apart,
    }[strategy]
    if chosen is None:
        return None

    def choose(fusion: Fusion) -> list[Kernel]:
        model = FusionModel(Candidates(fusion, whole=strategy == "none"), machine)
        return [model.kernel(c) for c in chosen(model)]

    return choose


def optimal(model: FusionModel) -> list[Column]:
    """Returns the fastest kernels, no slower than those of the other strategies."""
    return list(exact(model, [*maximal(model), *greedy(model)]).columns)


def maximal(model: FusionModel) -> list[Column]:
    """Returns the kernels of `Fusion`."""
    found = [model.column_of(k) for k in model.candidates.fusion.kernels]
    return [c for c in found if c is not None]


def apart(model: FusionModel) -> list[Column]:
    """Returns a kernel for each node that the results need."""
    graph, needed = model.graph, 0
    fixed = fixed_columns(model)
    stored = 0
    for c in fixed:
        stored |= c.stored
        needed |= c.read
    todo = list(bits((graph.required | needed) & ~stored))
    found: dict[int, Column] = {}
    while todo:
        node = todo.pop()
        if node in found or stored >> node & 1:
            continue
        column = model.column(1 << node, 1 << node)
        if column is None:
            return []
        found[node] = column
        todo += bits(column.read)
    ordered, waiting = in_order([*found.values(), *fixed])
    return [] if waiting else ordered
