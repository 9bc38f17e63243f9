"""
The strategies of `form-regions`: which kernels compute a block.

| strategy | kernels |
| --- | --- |
| `exact` (default) | the fastest by the cost model, among all candidates (`exact.py`) |
| `greedy` | grown backwards from the results, the largest gain first, with one step of rollback (`greedy.py`) |
| `maximal` | whatever is legal is fused (`analysis/regions/fusion.py`) |
| `none` | each op is a kernel of its own; only movements are fused |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from ...analysis.regions.candidates import Candidates
from ...analysis.regions.fusion import Choice, Fusion
from ...analysis.regions.fusion_graph import bits
from ...analysis.regions.kernel import Kernel
from ...errors import InvalidAttributeValue
from ...targets.machines import Machine
from ..explain import is_explaining, report
from .columns import Column, FusionModel, fixed_columns, in_order, lone_column, stored_by
from .cost import KernelTimes
from .exact import exact
from .explain import fusion_explanation
from .greedy import greedy

Strategy = Literal["exact", "greedy", "maximal", "none"]


def strategy_named(name: str) -> Strategy:
    """Returns the strategy of a name, or raises `InvalidAttributeValue`."""
    for known in STRATEGIES:
        if known == name:
            return known
    raise InvalidAttributeValue(name="strategy", problem=f"is '{name}'", help=f"one of {', '.join(STRATEGIES)}")


def choice(strategy: Strategy, machine: Machine) -> Choice | None:
    """Returns what chooses the kernels of a block by a strategy, or None if nothing but `Fusion` is needed."""
    chosen = STRATEGIES[strategy]

    def choose(fusion: Fusion) -> list[Kernel] | None:
        if strategy == "exact" and not is_explaining("fusion") and _is_fastest(fusion.kernels, machine):
            return None
        model = FusionModel(Candidates(fusion, whole=strategy == "none"), machine)
        columns = chosen(model)
        if is_explaining("fusion"):
            report(fusion_explanation(model, columns, strategy), "fusion")
        return None if strategy == "maximal" else [model.kernel(c) for c in columns]

    return None if strategy == "maximal" and not is_explaining("fusion") else choose


def _is_fastest(kernels: Sequence[Kernel], machine: Machine) -> bool:
    """
    Whether no other kernels compute a block faster, so that none need be searched: there is one, and it takes less time than two that
    move no more bytes together.
    """
    if len(kernels) > 1:
        return False
    times = KernelTimes(machine)
    return all(t.total <= 2 * t.launch + t.bytes / times.bandwidth for t in map(times, kernels))


def optimal(model: FusionModel) -> list[Column]:
    """
    Returns the fastest kernels, no slower than those of `maximal`, nor, where all candidates are tried, than those of any other strategy; those of
    `greedy` if the search ends without any.
    """
    known = maximal(model)
    return list(exact(model, [*known, *without_epilogues(model, known)]).columns) or greedy(model)


def without_epilogues(model: FusionModel, columns: Iterable[Column]) -> Iterator[Column]:
    """Yields, for each column with a contraction and an epilogue, one that stores the contraction and one that computes the rest."""
    graph = model.graph
    for c in columns:
        anchors = sum(1 << node for node in graph.anchors if c.nodes >> node & 1)
        if not anchors or c.stored & anchors or c.stored & sum(1 << node for node in graph.fixed):
            continue
        product = anchors | sum(1 << n for n in bits(c.nodes) if any(graph.above[a] >> n & 1 for a in bits(anchors)))
        halves = model.column(product, anchors), model.column(c.nodes & ~product, c.stored)
        yield from (half for half in halves if half is not None)


def maximal(model: FusionModel) -> list[Column]:
    """Returns the kernels of `Fusion`."""
    found = [model.column_of(k) for k in model.candidates.fusion.kernels]
    return [c for c in found if c is not None]


def apart(model: FusionModel) -> list[Column]:
    """Returns a kernel for each node that the results need."""
    graph, needed = model.graph, 0
    fixed = fixed_columns(model)
    stored = stored_by(fixed)
    for c in fixed:
        needed |= c.read
    todo = list(bits((graph.required | needed) & ~stored))
    found: dict[int, Column] = {}
    while todo:
        node = todo.pop()
        if node in found or stored >> node & 1:
            continue
        found[node] = lone_column(model, node)
        todo += bits(found[node].read)
    ordered, waiting = in_order([*found.values(), *fixed])
    return ordered + waiting


STRATEGIES: Mapping[Strategy, Callable[[FusionModel], list[Column]]] = {
    "exact": optimal,
    "greedy": greedy,
    "maximal": maximal,
    "none": apart,
}
"""The function of each strategy, which returns the chosen columns in an executable order."""
