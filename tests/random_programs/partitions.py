"""Random legal partitions of programs into kernels, for tests that fusion never changes results."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from random import Random

from ptir.analysis.regions.fusion_graph import bits
from ptir.planning.fusion import strategies
from ptir.planning.fusion.columns import Column, FusionModel, fixed_columns, grown, in_order

SETS = 300
"""Maximum number of sets of nodes of which kernels are drawn."""
ATTEMPTS = 10


def random_partition(model: FusionModel, rng: Random) -> list[Column]:
    """Returns random candidate kernels that compute a block, in an executable order, or a kernel for each node if none are found."""
    graph, fixed = model.graph, fixed_columns(model)
    columns, _ = grown(model, graph.every, SETS)
    for _ in range(ATTEMPTS):
        found, stored, todo = list(fixed), 0, graph.required
        for c in fixed:
            stored |= c.stored
            todo |= c.read
        while rest := todo & ~stored:
            root = rng.choice(list(bits(rest)))
            choices = [c for c in columns if c.stored >> root & 1 and not c.stored & stored]
            found.append(c := rng.choice(choices))
            stored |= c.stored
            todo |= c.read
        ordered, waiting = in_order(found)
        if not waiting:
            return ordered
    return strategies.apart(model)


@contextmanager
def random_partitions(seed: int) -> Generator[None]:
    """Makes `strategy=greedy` choose random kernels, the same ones for a seed and a program, inside of the `with`."""
    names, known = strategies.STRATEGIES, strategies.STRATEGIES["greedy"]
    assert isinstance(names, dict)
    names["greedy"] = lambda model: random_partition(model, Random(f"{seed} {len(model.graph)}"))
    try:
        yield
    finally:
        names["greedy"] = known
