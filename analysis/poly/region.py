"""
The facts of a region candidate: its values, the axes of its results, and its edges.

Spec: `tensor-compiler.ja §1.6`, the list of analyses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ..errors import TooComplex
from ..index import affine
from ..program.buffers import BufferPlan
from .answers import BankHint, Barrier, ComputeAt, MinBuffer
from .dependences import Kind, dependences, relation
from .edges import EdgeQueries
from .ranges import OUT
from .reads import NotAffine, is_computed
from .tiling import Tile

AxisKind = Literal["parallel", "halo", "whole"]
"""
The effect of cutting an axis of a result into tiles. `parallel`: tiles share nothing that is computed in the region. `halo`:
several tiles compute the same elements. `whole`: the axis cannot be cut, because an op in the region reduces all of it.
"""


@dataclass(frozen=True)
class Edge:
    """A producer in or before the region and an op of the region that reads it."""

    producer: str
    consumer: str
    dependence: str
    """isl's map from the consumer's iterations to the elements that they read: the true dependences."""
    compute_at: ComputeAt
    buffer: MinBuffer
    barrier: Barrier
    banks: tuple[BankHint, ...]


@dataclass(frozen=True)
class Reuse:
    """An anti or output dependence: `after` overwrites memory that `before` has read or written."""

    kind: Kind
    before: str
    after: str
    dependence: str
    """isl's map from points of `after` to points of `before`."""


@dataclass(frozen=True)
class RegionFacts:
    """The facts of a region. Values and axes are given by their names."""

    values: tuple[str, ...]
    results: tuple[str, ...]
    inputs: tuple[str, ...]
    parallel: Mapping[str, tuple[str, ...]]
    reduction: Mapping[str, tuple[str, ...]]
    axis_kinds: Mapping[str, Mapping[str, AxisKind]]
    """The kinds of each result's axes."""
    tails: Mapping[str, tuple[str, ...]]
    """The axes of each result whose last tile is shorter."""
    non_affine: str | None
    """The reason why a map from the results to the inputs is not affine, or None if all are."""
    edges: tuple[Edge, ...]
    reuse: tuple[Reuse, ...] = ()
    """The dependences through memory within the region, under a plan of buffers."""


def region_facts(
    core: EdgeQueries, values: Collection[SSAValue], tile: Tile, plan: BufferPlan | None = None
) -> RegionFacts:
    """Returns the facts of the region of these values. Names in `tile` that are not axes of a consumer are ignored for it."""
    inside = [value for value in values if is_computed(value)]
    results = [value for value in inside if _is_used_outside(value, inside)]
    inputs = dict.fromkeys(operand for value in inside for operand in _operands(value) if operand not in inside)
    name = core.names

    def cut(value: SSAValue) -> Tile:
        return tile_for(core, value, tile)

    edges = [
        Edge(
            name[producer],
            name[value],
            _dependence_text(core, producer, value),
            core.can_compute_at(producer, value, cut(value)),
            core.min_buffer_for_edge(producer, value, cut(value)),
            core.barrier(producer, value, cut(value)),
            tuple(core.bank_hints(producer, value, cut(value))),
        )
        for producer, value in core.edges()
        if value in inside
    ]
    return RegionFacts(
        tuple(name[v] for v in inside),
        tuple(name[v] for v in results),
        tuple(name[v] for v in inputs),
        {name[v]: core.parallel_axes(v) for v in inside},
        {name[v]: core.reduction_axes(v) for v in inside if core.book[v].reduced},
        {name[v]: axis_kinds(core, v, inside) for v in results},
        {name[v]: core.tail_axes(v, cut(v)) for v in results},
        non_affine_index(core, results, inside),
        tuple(edges),
        _memory_reuse(core, inside, plan),
    )


def tile_for(core: EdgeQueries, value: SSAValue, tile: Tile) -> Tile:
    """Returns the sizes that `tile` gives by name to axes of `value`. A tile that gives sizes by position is returned as it is."""
    if not isinstance(tile, Mapping):
        return tile
    axes = {axis.name for axis in core.book[value].iteration}
    return {axis: size for axis, size in tile.items() if axis in axes}


def axis_kinds(core: EdgeQueries, result: SSAValue, inside: Iterable[SSAValue]) -> dict[str, AxisKind]:
    """Returns the kind of each axis of `result`, judged by tiles of one point and the values `inside` that they need."""
    needed = [value for value in reversed(list(inside)) if value != result and core.depends(value, result)]
    return {axis.name: _axis_kind(core, result, k, needed) for k, axis in enumerate(core.book[result].axes)}


def _axis_kind(core: EdgeQueries, result: SSAValue, axis: int, needed: Iterable[SSAValue]) -> AxisKind:
    kind: AxisKind = "parallel"
    for value in needed:
        answer = core.can_compute_at(value, result, {f"i{axis}": 1})
        if not answer.legal:
            return "whole"
        if answer.repeats != 1 or _tiles_overlap(core, value, result, axis, answer):
            kind = "halo"
    return kind


def _tiles_overlap(core: EdgeQueries, value: SSAValue, result: SSAValue, axis: int, answer: ComputeAt) -> bool:
    """Whether tiles of `result` along `axis` read overlapping parts of `value`."""
    moved = {k for read in core.reads(value, result) for k in range(read.map.dim(OUT)) if read.moves(k, axis)}
    return any(answer.halo.per_axis[f"i{k}"] != 0 for k in moved)


def non_affine_index(core: EdgeQueries, results: Iterable[SSAValue], inside: Collection[SSAValue]) -> str | None:
    """Composes every index from the results back to the inputs; returns why one is not affine, or None."""
    try:
        with affine.quota(core.max_operations):
            for result in results:
                for _ in core.paths.walk_back(result, inside.__contains__):
                    pass
    except NotAffine as e:
        return f"{core.names[e.value]}: {e}"
    except TooComplex as e:
        return e.message
    return None


def _dependence_text(core: EdgeQueries, producer: SSAValue, consumer: SSAValue) -> str:
    info = core.book[consumer]
    if info.non_scop is not None:
        return f"unknown: {core.names[consumer]} is not affine: {info.non_scop}"
    reads = [relation(core.book, consumer, access) for access in info.accesses if access.value == producer]
    return str(reduce(isl.Map.union, reads).coalesce())


def _memory_reuse(core: EdgeQueries, values: Collection[SSAValue], plan: BufferPlan | None) -> tuple[Reuse, ...]:
    if plan is None:
        return ()
    return tuple(
        Reuse(found.kind, core.names[found.source], core.names[found.target], str(found.relation))
        for found in dependences(plan.function, plan)
        if found.kind != "true" and found.source in values and found.target in values
    )


def _operands(value: SSAValue) -> tuple[SSAValue, ...]:
    return tuple(value.owner.operands) if isinstance(value.owner, Operation) else ()


def _is_used_outside(value: SSAValue, inside: Collection[SSAValue]) -> bool:
    """Whether a value is used outside of the region, or not at all."""
    users = [use.operation for use in value.uses]
    return not users or any(not any(result in inside for result in user.results) for user in users)
