"""The places at which tiles are computed, and the reads of values there."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access


@dataclass(eq=False)
class Scope:
    """
    A place at which tiles are computed: the tile program, or the body of a loop in it. `points` are the sizes of its space; in a
    loop, the last axis is the loop's counter. A tile lies along the axes `dims` of the space, has the sizes `sizes`, and begins at
    `offsets`. Values that do not depend on `axis` are computed in the scope `around`. `tiles` maps the value, map and guard of a
    read to its tile, if it has been written.

    The space of a value that is read at indices given by data has a last axis for each of them, whose coordinates are the elements
    of a tile: the scope has `positions` after `offsets`.
    """

    points: tuple[int, ...]
    offsets: tuple[SSAValue, ...]
    builder: Builder
    sizes: tuple[int, int]
    dims: tuple[int, int]
    around: Scope | None = None
    axis: int = -1
    tiles: dict[tuple[SSAValue, str, str], SSAValue] = field(default_factory=dict[tuple[SSAValue, str, str], SSAValue])
    staged: tuple[Access, ...] = ()
    """The accesses whose tiles are in `tiles` from the start."""
    positions: tuple[SSAValue, ...] = ()
    further: dict[SSAValue | None, Scope] = field(default_factory=dict[SSAValue | None, "Scope"])
    """The scopes with one more position, by its tile, and, under None, the scope of tiles of one column."""

    def at(self, position: SSAValue, size: int) -> Scope:
        """Returns the scope whose space has one more axis, of `size`, along which the coordinates are the elements of a tile."""
        if position not in self.further:
            points, positions = (*self.points, size), (*self.positions, position)
            self.further[position] = Scope(
                points, self.offsets, self.builder, self.sizes, self.dims, self, len(self.points), positions=positions
            )
        return self.further[position]

    @property
    def narrow(self) -> Scope:
        """The scope of the same space in which tiles have one column."""
        if self.sizes[1] == 1:
            return self
        if None not in self.further:
            rows, around = (self.sizes[0], 1), self.around and self.around.narrow
            self.further[None] = replace(self, sizes=rows, around=around, tiles={}, staged=(), further={})
        return self.further[None]


@dataclass(frozen=True, eq=False)
class Read:
    """
    A read of a value in a scope: element `at.map(p)` at each point p where `at.guard` holds. At other points, any value will do.
    """

    at: Access
    scope: Scope

    @property
    def key(self) -> tuple[SSAValue, str, str]:
        guard = "" if self.at.guard is None else str(self.at.guard)
        return self.at.value, affine.canonical_text(self.at.map), guard

    @property
    def tile(self) -> SSAValue | None:
        return self.scope.tiles.get(self.key)
