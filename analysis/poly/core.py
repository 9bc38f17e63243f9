"""
The queries: legality, halo and buffers of the edges of a program, each computed on demand.

>>> core = PolyCore(function, arch="sm90")                                           # doctest: +SKIP
>>> core.can_compute_at("arg0", "v4", {"i2": 4, "i3": 8}).halo.per_axis               # doctest: +SKIP
{'i0': 0, 'i1': 0, 'i2': 2, 'i3': 2}
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import TensorType

from ..program.buffers import BufferPlan
from .accesses import ValueRef
from .edges import EdgeQueries
from .groups import fusable_groups
from .region import RegionFacts, region_facts, tile_for
from .tiling import Tile


class PolyCore(EdgeQueries):
    """Queries about edges, regions and groups of the ops of one block, a function's or those given."""

    def analyze(
        self, region_candidate: Iterable[ValueRef] | None = None, tile: Tile = None, plan: BufferPlan | None = None
    ) -> RegionFacts:
        """
        Returns all facts of a region of ops or values (default: the whole program) for a tile of each consumer. With a plan
        of buffers (`plan_buffers`) they include which values overwrite which.
        """
        chosen = [value for op in self.ops for value in op.results if isinstance(value.type, TensorType)]
        if region_candidate is not None:
            wanted = {self.value(ref) for ref in _as_sequence(region_candidate)}
            chosen = [value for value in chosen if value in wanted]
        return region_facts(self, chosen, tile, plan)

    def make_fusable_groups(self, scop: Iterable[ValueRef] | None = None, tile: Tile = None) -> list[list[str]]:
        """
        Returns the names of values that may be computed together, chains of single consumers in program order. `scop` is
        what to group (default: the whole program); `tile` cuts the last value of each group.
        """
        values = [value for op in self.ops for value in op.results]
        if scop is not None:
            wanted = {self.value(ref) for ref in _as_sequence(scop)}
            values = [value for value in values if value in wanted]
        groups = fusable_groups(
            values,
            lambda value: value in self.book and self.book[value].non_scop is None,
            lambda producer, last: self.is_legal(producer, last, tile_for(self, last, tile)),
        )
        return [[self.names[value] for value in group] for group in groups]


def _as_sequence(refs: Iterable[ValueRef]) -> Iterable[ValueRef]:
    """Treats a single name as one reference, not as a sequence of letters."""
    return [refs] if isinstance(refs, str) else refs
