"""
The exact strategy: the fastest set of candidate kernels, by an integer linear program.

```
minimize    Σ time(k) x(k)                                                         x(k) is 0 or 1
store:      Σ x(k) of the kernels that store v  = 1 if v is required, else ≤ 1
support:    Σ x(k) of those that store o and read v
            ≤  Σ x(k) of those that store v, and neither store nor read o              for each o, v
cover:      Σ x(k) of those that compute v  ≥ 1                                        if results need v
order:      t(o) ≥ t(v) + 1 - n (1 - Σ x(k) of those that store o and read v)                  for each o, v; 0 ≤ t < n
```

The rows of `cover` follow from the others, and make the relaxation tight. Those of `order`, with a time t for each of n values, exclude kernels
that wait for each other. Cycles of two values are excluded by `support`, and longer ones are rare: so the rows of `order`, which make a program
slow, are added when a solution has one. Of equally fast sets, the one with fewer
kernels is chosen, then with fewer stores, then with later ones.
*Exact* means among the candidates: convex sets, at most `MAX_SETS` of the whole block and, if it has more, of overlapping windows, and the
kernels of the other strategies. The search ends after `MAX_NODES`.
Spec: `tensor-compiler.ja §4.1` (5).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from ...analysis.regions.fusion_graph import FusionGraph, bits
from ...errors import Unsupported
from .columns import Column, FusionModel, fixed_columns, grown, in_order, pruned

if TYPE_CHECKING:
    import highspy

MAX_SETS = 2000
"""Maximum number of sets of nodes that are tried in a block."""
MAX_NODES = 200
"""Maximum number of nodes of the solver's search for a block: a number, not a time, so that results do not depend on the machine."""
WINDOW, PER_WINDOW = 48, 300
"""Number of nodes of a window, if the sets of the whole block are too many, and the maximum number of sets that are tried in each."""
PER_KERNEL, PER_STORE, PER_STEP = 1e-3, 1e-4, 1e-6
"""Microseconds by which ties are broken: fewer kernels, then fewer stores, then later ones: after the bias, not before."""

SCALE = 1000
"""Costs are nanoseconds, so that ties stand out of the solver's tolerances."""

OPTIONS: Mapping[str, bool | int | float | str] = {
    "output_flag": False,
    "threads": 1,
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-6,
    "random_seed": 0,
    # programs of some thousand columns, of which few are chosen: these take most of the time and hardly help
    "presolve": "off",
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_root_reduced_cost": False,
}
"""Options of HiGHS."""
Row = tuple[float, float, Mapping[int, float]]
"""A row of the program: its bounds, and the factors of its columns."""


@dataclass(frozen=True)
class Solution:
    """The chosen columns in an executable order, their time, and whether all candidates of the block were tried."""

    columns: tuple[Column, ...]
    time: float
    complete: bool = True


def exact(model: FusionModel, known: Iterable[Column] = ()) -> Solution:
    """Returns the fastest kernels of a block. `known` are further candidates, such as the kernels of another strategy."""
    graph = model.graph
    columns, complete = grown(model, graph.every, MAX_SETS)
    if not complete:
        for window in windows(len(graph), WINDOW):
            columns += grown(model, window, PER_WINDOW)[0]
    chosen = solve(graph, pruned([*columns, *fixed_columns(model), *known]))
    return Solution(chosen, sum(c.time for c in chosen), complete)


def windows(nodes: int, size: int) -> Iterable[int]:
    """Yields sets of `size` nodes in order, each of which overlaps with the next by half."""
    for first in range(0, max(1, nodes - size // 2), size // 2):
        yield (1 << min(first + size, nodes)) - (1 << first)


def solve(graph: FusionGraph, columns: Sequence[Column]) -> tuple[Column, ...]:
    """
    Returns the fastest columns that store the required nodes, in an executable order. After `MAX_NODES`, a remark says so; then these are the
    fastest that were found, or none.
    """
    if not columns:
        return ()
    import highspy

    h = _solver()
    for number, c in enumerate(columns):
        h.addVar(0.0, 1.0)
        before = sum(len(graph) - node for node in bits(c.stored))
        ties = PER_KERNEL + PER_STORE * c.stored.bit_count() + PER_STEP * before
        h.changeColCost(number, (c.time + ties) * SCALE)
        h.changeColIntegrality(number, highspy.HighsVarType.kInteger)
    for row in _rows(graph, columns):
        _add(h, row)
    scope, nodes = graph.fusion.block.parent_op(), MAX_NODES
    while nodes > 0:
        h.setOptionValue("mip_max_nodes", nodes)
        h.run()
        status, info = h.getModelStatus(), h.getInfo()
        if status not in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kSolutionLimit):
            raise Unsupported(scope, what=f"this fusion ({status})", need="use strategy=greedy")
        nodes -= max(1, info.mip_node_count)
        if info.primal_solution_status != highspy.kSolutionStatusFeasible:
            break
        values = h.getSolution().col_value
        chosen = [c for c, x in zip(columns, values[: len(columns)], strict=True) if x > 0.5]
        ordered, waiting = in_order(chosen)
        if not waiting:
            if status == highspy.HighsModelStatus.kSolutionLimit:
                _report_limit(scope, "the fastest that were found are taken")
            return tuple(ordered)
        for _ in range(len(graph)):
            h.addVar(0.0, len(graph) - 1.0)
        for row in _order(len(graph), columns):
            _add(h, row)
    _report_limit(scope, "those of strategy=greedy are taken")
    return ()


def _solver() -> highspy.Highs:
    """Returns HiGHS with options by which equal programs have equal solutions."""
    import highspy

    class Silent(highspy.Highs):
        def enableCallbacks(self) -> None:
            """Does nothing: HiGHS would print its name to stdout, and no callback is used."""

    h = Silent()
    for name, value in OPTIONS.items():
        h.setOptionValue(name, value)
    return h


def _add(h: highspy.Highs, row: Row) -> None:
    import numpy as np

    least, most, factors = row
    h.addRow(least, most, len(factors), np.array([*factors], np.int32), np.array([*factors.values()], np.float64))


def _report_limit(scope: Operation | None, taken: str) -> None:
    text = f"the search for the fastest kernels has ended after {MAX_NODES} nodes: {taken}"
    logging.getLogger(__name__).info(text, extra={"op": scope})


def _rows(graph: FusionGraph, columns: Sequence[Column]) -> Iterable[Row]:
    """Yields the rows of the program."""
    stores: dict[int, list[int]] = {}
    for number, c in enumerate(columns):
        for node in bits(c.stored):
            stores.setdefault(node, []).append(number)
    needed = 0
    for node in bits(graph.required):
        needed |= 1 << node | graph.above[node]
    for node, found in sorted(stores.items()):
        yield float(graph.required >> node & 1), 1.0, dict.fromkeys(found, 1.0)
    for (node, source), found in sorted(_reads(columns).items()):
        apart = [n for n in stores.get(source, ()) if not (columns[n].stored | columns[n].read) >> node & 1]
        yield 0.0, float("inf"), dict.fromkeys(apart, 1.0) | dict.fromkeys(found, -1.0)
    computes: dict[int, dict[int, float]] = {node: {} for node in bits(needed)}
    for number, c in enumerate(columns):
        for node in bits(c.nodes & needed):
            computes[node][number] = 1.0
    yield from ((1.0, float("inf"), row) for row in computes.values())


def _order(values: int, columns: Sequence[Column]) -> Iterable[Row]:
    """Yields the rows of `order`, in which the times of the values follow the columns."""
    times = range(len(columns), len(columns) + values)
    for (node, source), found in sorted(_reads(columns).items()):
        yield 1.0 - values, float("inf"), {times[node]: 1.0, times[source]: -1.0} | dict.fromkeys(found, -float(values))


def _reads(columns: Sequence[Column]) -> dict[tuple[int, int], list[int]]:
    """Returns the columns that store a node and read another one, by the two nodes."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, c in enumerate(columns):
        for pair in product(bits(c.stored), bits(c.read)):
            found.setdefault(pair, []).append(number)
    return found
