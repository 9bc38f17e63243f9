"""
Ranges that tiles read along each axis of a producer, as piecewise quasi-affine functions of the tile, computed by isl.
`enumerated.py` enumerates the points of small programs instead.

An axis of the consumer *moves* the range of a read if the lower end of the range depends monotonically on that axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Generic, TypeVar

import islpy as isl
import numpy as np
from numpy.typing import NDArray

from ..index import affine
from ..index.isl_text import Symbol, bounds
from .tiling import Tiling

IN, OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True)
class Read:
    """
    One path from a consumer to a producer. `map` goes from iteration axes of `sizes` to the producer's axes. The iteration
    axes are those of the consumer, followed by those that reductions on the path sum. Nothing is read outside of `guard`;
    `assumed` constrains symbolic sizes.
    """

    map: isl.MultiAff
    sizes: tuple[Symbol, ...]
    guard: isl.Set | None = None
    assumed: isl.Set | None = None

    @cached_property
    def text(self) -> str:
        """The text of all fields. Reads with equal text are equal."""
        return f"{self.map} on {self.sizes} where {self.guard} and {self.assumed}"

    def moves(self, axis: int, by: int) -> bool:
        """Whether the index along the producer's axis `axis` contains the iteration axis `by`."""
        return self.map.get_at(axis).involves_dims(IN, by, 1)

    def elements(self, tiles: Tiling, *, clipped: bool = True) -> isl.Map:
        """Returns the map from tile numbers to the elements that a tile reads; unless `clipped`, ignores the guard."""
        points = tiles.over(self.sizes)
        if clipped and self.guard is not None:
            points = points.intersect_range(self.guard)
        if self.assumed is not None:
            points = points.intersect_params(self.assumed)
        return points.apply_range(self.map.as_map())


Number = TypeVar("Number", isl.PwAff, NDArray[np.int64])
"""A function of the tile: an isl expression, or an array over all tiles."""


@dataclass(frozen=True)
class Range(Generic[Number]):
    """
    The range that a tile reads along an axis of the producer: `low` to `high` without padding, `first` to `last` with it.
    `moves` say how its lower end moves with the tile, and `by_cut_axes` whether the axes that move it are cut into tiles. If
    `owned`, all of the range is the tile's own share. A range that is not owned and has no moves revisits elements of other
    tiles, so that no tile has a share of its own.
    """

    low: Number
    high: Number
    first: Number
    last: Number
    moves: tuple[Move[Number], ...] = ()
    by_cut_axes: bool = True
    owned: bool = False


@dataclass(frozen=True)
class Move(Generic[Number]):
    """
    The movement of a range along the consumer's axis `axis`: by `step` from this tile to the next, and by `offset` from the
    first tile to this one.
    """

    axis: int
    step: Number
    offset: Number


class Ranges(ABC, Generic[Number]):
    """The ranges that tiles read along each axis of a producer, as functions of the tile."""

    def __init__(self, reads: Sequence[Read], tiles: Tiling):
        self.reads, self.tiles = reads, tiles
        self.rank = reads[0].map.dim(OUT)
        self._disjoint: dict[frozenset[int], bool] = {}
        self._moves: dict[tuple[int, int, int], Move[Number] | None] = {}

    @abstractmethod
    def ends(self, axis: int) -> tuple[Number, Number]:
        """Returns the first and the last element that is read."""

    @abstractmethod
    def unclipped(self, axis: int) -> tuple[Number, Number]:
        """Returns the first and the last element that is read without guards."""

    @abstractmethod
    def move(self, read: Read, j: int, axis: int) -> Move[Number] | None:
        """
        Returns how the consumer's axis `axis` moves the range of `read` along the producer's axis `j`, or None if `axis` does
        not move the range, or moves it non-monotonically, as in a remainder.
        """

    @abstractmethod
    def depends(self, read: Read, j: int, axis: int) -> bool:
        """Whether the index along `j` changes with the consumer's axis `axis`, rather than only containing it."""

    @abstractmethod
    def boxes_are_disjoint(self, axes: Sequence[int]) -> bool:
        """Whether tiles that differ along a consumer's axis that moves `axes` of the producer have disjoint boxes along `axes`."""

    @abstractmethod
    def reads_are_disjoint(self, axes: Sequence[int]) -> bool:
        """Like `boxes_are_disjoint`, but for the elements that are read, rather than the boxes around them."""

    def axis(self, j: int) -> Range[Number]:
        """Returns the range along the producer's axis `j`."""
        ends = (*self.ends(j), *self.unclipped(j))
        together = self.moved_together(j)
        if len(together) > 1 and self.are_disjoint(together):
            return Range(*ends, owned=True)
        if self.moves_non_monotonically(j) and not self.reads_are_disjoint(sorted(together)):
            return Range(*ends)
        moves = self.moves(j)
        return Range(*ends, tuple(moves), moves[0].axis in self.tiles.cut) if moves else Range(*ends, owned=True)

    def moves(self, j: int) -> list[Move[Number]]:
        """
        Returns the moves of a range by the first of these kinds of axes that moves it: output axes that are cut, output axes
        that are not cut, summed axes that are cut.
        """
        outputs, cut = range(self.tiles.rank), self.tiles.cut
        for axes in ([k for k in cut if k in outputs], [k for k in outputs if k not in cut], cut):
            reads = [(k, r) for k in axes for r in self.reads if r.moves(j, k)]
            if found := [move for k, r in reads if (move := self.cached_move(r, j, k)) is not None]:
                return found
        return []

    def cached_move(self, read: Read, j: int, axis: int) -> Move[Number] | None:
        """Returns `move`, which is computed once for the same arguments."""
        key = (id(read), j, axis)
        if key not in self._moves:
            self._moves[key] = self.move(read, j, axis)
        return self._moves[key]

    def moves_non_monotonically(self, j: int) -> bool:
        """Whether an axis that is cut moves the range back, so that tiles may revisit elements of others."""
        reads = [(r, k) for k in self.tiles.cut for r in self.reads if r.moves(j, k)]
        return any(self.cached_move(r, j, k) is None and self.depends(r, j, k) for r, k in reads)

    def moved_together(self, j: int) -> frozenset[int]:
        """Returns the producer's axes that are connected to `j`, directly or not: one axis of the consumer moves both."""
        moved = [self.moved_by([a]) for a in range(self.rank)]
        group = {j}
        while more := {a for a in range(self.rank) if a not in group and any(moved[a] & moved[b] for b in group)}:
            group |= more
        return frozenset(group)

    def moved_by(self, axes: Iterable[int]) -> set[int]:
        """Returns the cut axes that move these axes of the producer."""
        return {k for j in axes for r in self.reads for k in self.tiles.cut if r.moves(j, k)}

    def are_disjoint(self, axes: frozenset[int]) -> bool:
        if axes not in self._disjoint:
            self._disjoint[axes] = self.boxes_are_disjoint(sorted(axes))
        return self._disjoint[axes]


class SymbolicRanges(Ranges[isl.PwAff]):
    """Ranges as isl's piecewise functions of the tile numbers, simplified by ignoring tiles that read nothing."""

    def __init__(self, reads: Sequence[Read], tiles: Tiling):
        super().__init__(reads, tiles)
        self.is_clipped = any(r.guard is not None for r in reads)
        self.read = _union(r.elements(tiles) for r in reads)
        self.free = _union(r.elements(tiles, clipped=False) for r in reads) if self.is_clipped else self.read
        self.all = self.free.domain().coalesce()
        found = self.read.domain().coalesce()
        self.reading = self.all if self.all.is_subset(found) else found
        self._ends: dict[int, tuple[isl.PwAff, isl.PwAff]] = {}

    def line_ends(self, axis: int, among: isl.Map, tiles: isl.Set) -> tuple[isl.PwAff, isl.PwAff]:
        """Returns the first and the last element along an axis among the elements to which `among` maps each of `tiles`."""
        line = among.project_out(OUT, axis + 1, self.rank - axis - 1).project_out(OUT, 0, axis).coalesce()
        return line.dim_min(0).gist(tiles).coalesce(), line.dim_max(0).gist(tiles).coalesce()

    def ends(self, axis: int) -> tuple[isl.PwAff, isl.PwAff]:
        if axis not in self._ends:
            self._ends[axis] = self.line_ends(axis, self.read, self.reading)
        return self._ends[axis]

    def unclipped(self, axis: int) -> tuple[isl.PwAff, isl.PwAff]:
        return self.line_ends(axis, self.free, self.all) if self.is_clipped else self.ends(axis)

    def move(self, read: Read, j: int, axis: int) -> Move[isl.PwAff] | None:
        axes = tuple(sorted({*self.tiles.cut, axis}))
        others = [bound for k, bound in enumerate(bounds(read.sizes)) if k not in axes]
        line = isl.Map.from_aff(read.map.get_at(j)).intersect_domain(affine.make_set(read.sizes, others))
        for k in reversed(range(len(read.sizes))):
            if k not in axes:
                line = line.project_out(IN, k, 1)
        base = line.dim_min(0).coalesce()
        if not _is_steady(base, [read.sizes[k] for k in axes], axes.index(axis)):
            return None
        here, beside = (base.pullback_pw_multi_aff(self.tiles.corner(axes, b)) for b in (None, axis))
        start = base.pullback_multi_aff(isl.MultiAff.zero(self.tiles.corner(axes).get_space()))
        return Move(axis, self._short(beside.sub(here)), self._short(here.sub(start)))

    def depends(self, read: Read, j: int, axis: int) -> bool:
        index = isl.Map.from_aff(read.map.get_at(j)).intersect_domain(affine.box(read.sizes))
        return not index.project_out(IN, axis, 1).is_single_valued()

    def _short(self, amount: isl.PwAff) -> isl.PwAff:
        return amount.gist(self.all).coalesce()

    def boxes_are_disjoint(self, axes: Sequence[int]) -> bool:
        return bool(self.boxes(axes).is_injective())

    def reads_are_disjoint(self, axes: Sequence[int]) -> bool:
        read = self.read
        for j in reversed(range(self.rank)):
            if j not in axes:
                read = read.project_out(OUT, j, 1)
        return bool(self._project_to_moving(axes, read).is_injective())

    def boxes(self, axes: Sequence[int]) -> isl.Map:
        """Returns the map from the numbers of tiles along axes that move `axes` of the producer to the boxes around their reads."""
        upwards, downwards = (
            isl.Map.read_from_str(affine.CONTEXT, f"{{ [a] -> [b] : b {r} a }}") for r in (">=", "<=")
        )

        def line(j: int) -> isl.Map:
            low, high = (isl.Map.from_pw_aff(end) for end in self.ends(j))
            return low.apply_range(upwards).intersect(high.apply_range(downwards))

        boxes = reduce(isl.Map.flat_range_product, map(line, axes))
        return self._project_to_moving(axes, boxes.intersect_domain(self.reading))

    def _project_to_moving(self, axes: Sequence[int], tiles: isl.Map) -> isl.Map:
        """Projects a map of tiles to the tile numbers that move these axes of the producer."""
        for t in reversed(range(len(self.tiles.cut))):
            if self.tiles.cut[t] not in self.moved_by(axes):
                tiles = tiles.project_out(IN, t, 1)
        return tiles


def _is_steady(base: isl.PwAff, sizes: Sequence[Symbol], at: int) -> bool:
    """Whether a function on the box of `sizes` is monotonic, and not constant, along axis `at`."""
    here = [f"i{k}" for k in range(len(sizes))]
    step = affine.make_map(len(here), [f"{name} + 1" if k == at else name for k, name in enumerate(here)])
    change = base.pullback_multi_aff(step).sub(base)
    inside = affine.box(sizes).intersect(affine.make_set(sizes, bounds(sizes)).preimage_multi_aff(step))
    inside = inside.intersect_params(change.domain().params())  # sizes for which the other axes are not empty
    never = [inside.is_subset(way.nonneg_set()) for way in (change, change.neg())]
    return any(never) and not (all(never) and not inside.is_empty())


def _union(maps: Iterable[isl.Map]) -> isl.Map:
    return reduce(isl.Map.union, maps).coalesce()
