"""
What tiles read along each axis of a producer, as functions of the tile: piecewise quasi-affine, by isl.

A read's range is *moved* by the consumer's axes along which its lower end rises or falls steadily.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from .. import affine
from ..isl_text import Symbol, bounds
from .tiling import Tiling

IN, OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True)
class Read:
    """
    One way from a consumer to a producer: `map` goes from the consumer's iteration axes, then those that ops between
    the two sum, to the producer's axes. Nothing is read outside of `guard`; `assumed` is what holds of sizes that are
    names.
    """

    map: isl.MultiAff
    sizes: tuple[Symbol, ...]
    guard: isl.Set | None = None
    assumed: isl.Set | None = None

    def moves(self, axis: int, by: int) -> bool:
        """Whether what is read along an axis of the producer depends on an iteration axis."""
        return self.map.get_at(axis).involves_dims(IN, by, 1)

    def of(self, tiles: Tiling, *, clipped: bool = True) -> isl.Map:
        """From tile numbers to the points that the tile reads; without clipping those outside of the guard as well."""
        points = tiles.over(self.sizes)
        if clipped and self.guard is not None:
            points = points.intersect_range(self.guard)
        if self.assumed is not None:
            points = points.intersect_params(self.assumed)
        return points.apply_range(self.map.as_map())


@dataclass(frozen=True)
class Range:
    """
    Of what a tile reads along an axis the ends, with and without padding; how far the lower end moves with the tile,
    by each axis that moves it, and how far it has moved since the first tile. `apart` says that these axes cut into
    tiles, `owned` that nothing is shared with other tiles.
    """

    low: isl.PwAff
    high: isl.PwAff
    first: isl.PwAff
    last: isl.PwAff
    steps: tuple[isl.PwAff, ...] = ()
    since: tuple[isl.PwAff, ...] = ()
    apart: bool = True
    owned: bool = False

    @property
    def parts(self) -> tuple[isl.PwAff, ...]:
        return (self.low, self.high, self.first, self.last, *self.steps, *self.since)


@dataclass(frozen=True)
class Move:
    """How a read's lower end along a producer's axis depends on `axes` of the consumer; `axis` is one that moves it."""

    axis: int
    axes: tuple[int, ...]
    base: isl.PwAff

    def by(self, tiles: Tiling) -> isl.PwAff:
        """How far it moves, as a function of the tile, when the tile moves by its outputs along `axis`."""
        beside, here = (self.base.pullback_pw_multi_aff(tiles.corner(self.axes, b)) for b in (self.axis, None))
        return beside.sub(here)

    def since_start(self, tiles: Tiling) -> isl.PwAff:
        """How far it has moved at a tile."""
        zero = isl.MultiAff.zero(tiles.corner(self.axes).get_space())
        origin = self.base.pullback_multi_aff(zero)
        return self.base.pullback_pw_multi_aff(tiles.corner(self.axes)).sub(origin)


class Ranges:
    """
    What tiles read along each axis of a producer, as functions of the tile. These say nothing of tiles that read
    nothing, so that their domains stay simple.
    """

    def __init__(self, reads: Sequence[Read], tiles: Tiling):
        self.reads, self.tiles = reads, tiles
        self.read = _union(r.of(tiles) for r in reads)
        self.unclipped = (
            _union(r.of(tiles, clipped=False) for r in reads) if any(r.guard is not None for r in reads) else self.read
        )
        self.rank = reads[0].map.dim(OUT)
        self.all = self.unclipped.domain().coalesce()
        found = self.read.domain().coalesce()
        self.reading = self.all if self.all.is_subset(found) else found
        self.is_clipped = any(r.guard is not None for r in reads)
        self._ends: dict[int, tuple[isl.PwAff, isl.PwAff]] = {}
        self._disjoint: dict[frozenset[int], bool] = {}

    def line(self, axis: int, among: isl.Map, tiles: isl.Set) -> tuple[isl.PwAff, isl.PwAff]:
        """The first and the last element."""
        line = among.project_out(OUT, axis + 1, self.rank - axis - 1).project_out(OUT, 0, axis).coalesce()
        return line.dim_min(0).gist(tiles).coalesce(), line.dim_max(0).gist(tiles).coalesce()

    def ends(self, axis: int) -> tuple[isl.PwAff, isl.PwAff]:
        """Of what is read."""
        if axis not in self._ends:
            self._ends[axis] = self.line(axis, self.read, self.reading)
        return self._ends[axis]

    def axis(self, j: int) -> Range:
        ends = (*self.ends(j), *(self.line(j, self.unclipped, self.all) if self.is_clipped else self.ends(j)))
        together = self.moved_together(j)
        if len(together) > 1 and self.are_disjoint(together):
            return Range(*ends, owned=True)
        moves = self.moves(j)
        if not moves:
            return Range(*ends, owned=True)
        steps = tuple(move.by(self.tiles).gist(self.all).coalesce() for move in moves)
        since = tuple(move.since_start(self.tiles).gist(self.all).coalesce() for move in moves)
        return Range(*ends, steps, since, moves[0].axis in self.tiles.cut)

    def moves(self, j: int) -> list[Move]:
        """
        By which axes the range is moved: output axes that are cut; if there are none those that are not, which make one
        tile; if there are none summed axes that are cut.
        """
        outputs, cut = range(self.tiles.rank), self.tiles.cut
        for axes in ([k for k in cut if k in outputs], [k for k in outputs if k not in cut], cut):
            found = [move for k in axes for r in self.reads if (move := self.move(r, j, k)) is not None]
            if found:
                return found
        return []

    def move(self, read: Read, j: int, axis: int) -> Move | None:
        """None if the axis does not move the range, or to and fro, as a remainder does."""
        if not read.moves(j, axis):
            return None
        axes = tuple(sorted({*self.tiles.cut, axis}))
        others = [bound for k, bound in enumerate(bounds(read.sizes)) if k not in axes]
        line = isl.Map.from_aff(read.map.get_at(j)).intersect_domain(affine.make_set(read.sizes, others))
        for k in reversed(range(len(read.sizes))):
            if k not in axes:
                line = line.project_out(IN, k, 1)
        move = Move(axis, axes, line.dim_min(0).coalesce())
        return move if self.is_steady(move, read) else None

    @staticmethod
    def is_steady(move: Move, read: Read) -> bool:
        here = [f"i{k}" for k in range(len(move.axes))]
        at = move.axes.index(move.axis)
        step = affine.make_map(len(here), [f"{name} + 1" if k == at else name for k, name in enumerate(here)])
        change = move.base.pullback_multi_aff(step).sub(move.base)
        sizes = [read.sizes[k] for k in move.axes]
        inside = affine.box(sizes).intersect(affine.make_set(sizes, bounds(sizes)).preimage_multi_aff(step))
        inside = inside.intersect_params(change.domain().params())  # where the other axes have points at all
        never = [inside.is_subset(way.nonneg_set()) for way in (change, change.neg())]
        return any(never) and not (all(never) and not inside.is_empty())

    def moved_together(self, j: int) -> frozenset[int]:
        """The producer's axes that are moved by axes of the consumer by which `j`, or one of these, is moved."""
        moved = [{k for r in self.reads for k in self.tiles.cut if r.moves(a, k)} for a in range(self.rank)]
        group = {j}
        while more := {a for a in range(self.rank) if a not in group and any(moved[a] & moved[b] for b in group)}:
            group |= more
        return frozenset(group)

    def are_disjoint(self, axes: frozenset[int]) -> bool:
        """Whether no element of the producer's axes is in the boxes of two tiles."""
        if axes not in self._disjoint:
            self._disjoint[axes] = bool(self.boxes(axes).is_injective())
        return self._disjoint[axes]

    def boxes(self, axes: frozenset[int]) -> isl.Map:
        """From the tiles that differ along these axes of the producer to the boxes of what they read."""
        boxes: isl.Map | None = None
        for j in sorted(axes):
            low, high = self.ends(j)
            line = _upwards(isl.Map.from_pw_aff(low)).intersect(_downwards(isl.Map.from_pw_aff(high)))
            boxes = line if boxes is None else boxes.flat_range_product(line)
        assert boxes is not None  # there is an axis
        boxes = boxes.intersect_domain(self.reading)
        for t in reversed(range(len(self.tiles.cut))):
            if not any(r.moves(j, self.tiles.cut[t]) for r in self.reads for j in axes):
                boxes = boxes.project_out(IN, t, 1)
        return boxes


def _union(maps: Iterable[isl.Map]) -> isl.Map:
    return reduce(isl.Map.union, maps).coalesce()


def _upwards(line: isl.Map) -> isl.Map:
    return line.apply_range(isl.Map.read_from_str(affine.CONTEXT, "{ [a] -> [b] : b >= a }"))


def _downwards(line: isl.Map) -> isl.Map:
    return line.apply_range(isl.Map.read_from_str(affine.CONTEXT, "{ [a] -> [b] : b <= a }"))
