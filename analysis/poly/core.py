"""
The queries: legality, halo and buffers of the edges of a program, each computed on demand.

>>> core = PolyCore(function, arch="sm90")                                           # doctest: +SKIP
>>> core.can_compute_at("arg0", "v4", {"i2": 4, "i3": 8}).halo.per_axis               # doctest: +SKIP
{'i0': 0, 'i1': 0, 'i2': 2, 'i3': 2}
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ..program.buffers import BufferPlan
from .accesses import ValueRef
from .dependences import is_statement
from .edges import EdgeQueries
from .reads import is_computed
from .region import RegionFacts, region_facts, tile_for
from .tiling import Tile


class PolyCore(EdgeQueries):
    """Queries about edges, regions and groups of ops. All ops are in one block."""

    def analyze(
        self, region_candidate: Iterable[ValueRef] | None = None, tile: Tile = None, plan: BufferPlan | None = None
    ) -> RegionFacts:
        """
        Returns all facts of a region of ops or values (default: the whole program) for a tile of each consumer. With a plan
        of buffers (`plan_buffers`) they include which values overwrite which.
        """
        return region_facts(self, self._results(region_candidate), tile, plan)

    def make_fusable_groups(self, scop: Iterable[ValueRef] | None = None, tile: Tile = None) -> list[list[str]]:
        """
        Returns the names of values that may be computed together: single-consumer chains in program order.
        `scop` are the values to group (default: the whole program); `tile` cuts the last value of each group.

        A value joins the group of its only consumer if it is computed and can be computed in the tiles of the group's last
        value. Groups end at stored values (results of the program and values with several consumers) and at indices that
        are not affine. Spec: `tensor-compiler.ja §0.1` (UCC).

        ```
           x ──exp──▶ v0 ──mul──▶ v1 ──take──▶ v2 ──neg──▶ v3 ──┬──▶ v4      [v0, v1] [v3] [v4] [v5]
                                                                └──▶ v5
        ```
        """
        values = [value for value in self._results(scop) if is_computed(value) and is_statement(self.book, value)]
        groups: dict[SSAValue, list[SSAValue]] = {}  # each group lists its last value first
        for value in reversed(values):
            consumer = _only_consumer(value)
            group = groups.get(consumer, []) if consumer is not None else []
            if group and self.refusal(value, group[0], tile_for(self, group[0], tile)) is not None:
                group = []
            group.append(value)
            groups[value] = group
        firsts = (groups[value] for value in values if groups[value][-1] is value)
        return [[self.names[value] for value in reversed(group)] for group in firsts]

    def _results(self, refs: Iterable[ValueRef] | None) -> list[SSAValue]:
        """Returns the tensors among `refs`, by default all, in program order. A single name is one reference."""
        results: list[SSAValue] = [v for op in self.ops for v in op.results if isinstance(v.type, TensorType)]
        if refs is None:
            return results
        wanted = {self.value(ref) for ref in ([refs] if isinstance(refs, str) else refs)}
        return [value for value in results if value in wanted]


def _only_consumer(value: SSAValue) -> SSAValue | None:
    """Returns the result of the only op that uses a value, if it is in the same block."""
    users = {use.operation for use in value.uses}
    if len(users) != 1:
        return None
    (user,) = users
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    return user.results[0] if user.parent is home and len(user.results) == 1 else None
