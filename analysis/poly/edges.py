"""
Decides whether compute-at is legal on each edge from a producer to a tiled consumer, and the halo, buffer and barrier that it needs.

A tile cannot compute the elements of the producer that it reads if indices are not affine: the rows that a gather reads
depend on data. Nor can it if the tiles cut an axis that the producer reduces as a whole: tiles along that axis need the same
reduced elements, but each has only a part of the input:

```
   m[i] = max_j x[i, j]              a tile of y with j in 0..31 has part of row i, but m[i] reduces all of it
   y[i, j] = exp(x[i, j] - m[i])
```

Otherwise the tile can. Elements that several tiles need (the halo) are computed by each of them. Spec: `tensor-compiler.ja §1.6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import SSAValue

from ...errors import PtirError
from ..errors import NeedsSize, NoDependence, NotAffineBetween, ReducesAcrossTiles, TooComplex
from ..index import affine
from ..index.isl_text import map_text
from . import banks, buffers
from .accesses import ProgramAccesses, ValueRef
from .answers import BankHint, Barrier, ComputeAt, Extent, Halo, MinBuffer
from .footprint import Amount, Footprint, footprint
from .ranges import OUT, Read
from .reads import NotAffine, Paths, is_computed, is_splat_or_iota, require_affine
from .tiling import Tile, Tiling

MAX_PATHS_SHOWN = 4
"""Maximum number of paths from a consumer to a producer that `why` lists."""


class EdgeQueries(ProgramAccesses):
    """Queries about edges. A query that needs more isl operations than `max_operations` is refused with that reason."""

    @cached_property
    def _answers(self) -> dict[tuple[SSAValue, SSAValue, Tiling], ComputeAt]:
        return {}

    @cached_property
    def _refusals(self) -> dict[tuple[SSAValue, SSAValue, Tiling], PtirError | None]:
        return {}

    def can_compute_at(self, producer: ValueRef, consumer: ValueRef, tile: Tile = None) -> ComputeAt:
        """
        Returns whether a `tile` of the consumer can compute the producer's elements that it reads, and the halo. A producer in
        memory is only read, which is always legal if indices are affine. Raises `UnknownValue` and `InvalidTile`.
        """
        p, c = self.value(producer), self.value(consumer)
        key = (p, c, self.tiling(c, tile))
        if key not in self._answers:
            self._answers[key] = self._answer(*key)
        return self._answers[key]

    def refusal(self, producer: ValueRef, consumer: ValueRef, tile: Tile = None) -> PtirError | None:
        """
        Returns why a `tile` of the consumer cannot compute the producer's elements that it reads, or None if it can. `can_compute_at` also
        measures what the tile reads, and refuses what is `TooComplex` to measure. Raises `UnknownValue` and `InvalidTile`.
        """
        p, c = self.value(producer), self.value(consumer)
        key = (p, c, self.tiling(c, tile))
        if key not in self._refusals:
            self._refusals[key] = self._refusal(*key)
        return self._refusals[key]

    def min_buffer_for_edge(self, producer: ValueRef, consumer: ValueRef, tile: Tile = None) -> MinBuffer:
        """Returns the smallest buffer between the producer and a tile of the consumer."""
        p, c = self.value(producer), self.value(consumer)
        if is_splat_or_iota(p):
            return MinBuffer("reg", "every thread computes it itself", None, self.element_size(p))
        whole = self.bytes_of(p)
        answer = self.can_compute_at(p, c, tile)
        if not answer.ok:
            return MinBuffer("gmem", answer.why, None, whole)
        tiles = self.tiling(c, tile)
        try:
            read = self.footprint(p, c, tiles)
            with self.quota(p, c):
                found = buffers.min_buffer(self.reads(p, c), tiles, read, self.element_size(p), self.arch)
        except TooComplex as e:
            return MinBuffer("gmem", e.message, None, whole)
        return MinBuffer("gmem", found.why, None, whole) if found.buffer == "gmem" else found

    def barrier(self, producer: ValueRef, consumer: ValueRef, tile: Tile = None) -> Barrier:
        """Returns the synchronization between the producer's writes and the consumer's reads of the smallest buffer."""
        found = self.min_buffer_for_edge(producer, consumer, tile)
        return buffers.barrier(found, not is_computed(self.value(producer)), self.arch)

    def bank_hints(self, producer: ValueRef, consumer: ValueRef, tile: Tile = None) -> list[BankHint]:
        """Returns the bank conflicts of reading a tile's box from a row-major ring; empty if the smallest buffer is no ring."""
        p, c = self.value(producer), self.value(consumer)
        if self.min_buffer_for_edge(p, c, tile).buffer != "smem_ring":
            return []
        tiles = self.tiling(c, tile)
        with self.quota(p, c):
            found: dict[BankHint, None] = {}
            for read in self.reads(p, c):
                box = [a.read for a in footprint([read], tiles).axes]
                if all(isinstance(n, int) and n > 0 for n in box):
                    found |= dict.fromkeys(
                        banks.hints(read, tiles, [n for n in box if isinstance(n, int)], self.element_size(p))
                    )
        return list(found)

    def tail_axes(self, consumer: ValueRef, tile: Tile) -> tuple[str, ...]:
        """Returns the axes whose last tile is shorter than the others, at least for some symbolic sizes."""
        tiles = self.tiling(self.value(consumer), tile)
        return tuple(f"i{k}" for k in tiles.tails)

    def parallel_axes(self, value: ValueRef) -> tuple[str, ...]:
        """Returns the axes along which the points of a value are independent."""
        return tuple(axis.name for axis in self.book[self.value(value)].axes)

    def reduction_axes(self, value: ValueRef) -> tuple[str, ...]:
        """Returns the iteration axes that a value reduces."""
        return tuple(axis.name for axis in self.book[self.value(value)].reduced)

    def _answer(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> ComputeAt:
        refusal = self._refusal(p, c, tiles)
        if refusal is not None and not isinstance(refusal, ReducesAcrossTiles):
            return ComputeAt.refused(refusal)
        try:
            return self._measured(p, c, tiles, refusal)
        except TooComplex as e:
            return ComputeAt.refused(e)

    def _refusal(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> PtirError | None:
        try:
            if is_computed(p):
                require_affine(self.book, p)
            require_affine(self.book, c)
            with self.quota(p, c):
                reads = self.reads(p, c)
                reduced = _reduced_and_cut(self.paths, p, c, reads, tiles) if is_computed(p) and reads else None
        except NotAffine as e:
            return NotAffineBetween(self.owner(e.value), name=self.names[e.value], why=e)
        except TooComplex as e:
            return e
        if not reads:
            return NoDependence(self.owner(c), consumer=self.names[c], producer=self.names[p])
        if reduced is None:
            return None
        axis = f"i{reduced.axis} of {self.names[reduced.value]}"
        return ReducesAcrossTiles(self.owner(p), producer=self.names[p], axis=axis, cut=f"i{reduced.cut}")

    def _measured(self, p: SSAValue, c: SSAValue, tiles: Tiling, refusal: PtirError | None) -> ComputeAt:
        """Returns the answer with what the tiles read. Raises `TooComplex`."""
        reads, found = self.reads(p, c), self.footprint(p, c, tiles)
        parts = {f"i{k}": part for k, part in enumerate(found.axes)}
        extents = {name: Extent(part.read, part.unclipped) for name, part in parts.items()}
        explanation = self._explain(p, c, reads, tiles, found)
        if refusal is not None:
            return ComputeAt.refused(refusal, explanation, extents)
        halo = Halo(
            None if found.halo is None else found.halo * self.element_size(p),
            {name: part.halo for name, part in parts.items()},
            {name: part.low for name, part in parts.items()},
            {name: part.high for name, part in parts.items()},
        )
        if found.halo is None:
            return ComputeAt.refused(self._unknown(p, tiles), explanation, extents, halo)
        return ComputeAt(True, explanation, halo, extents, _repeats(reads, tiles))

    def _unknown(self, p: SSAValue, tiles: Tiling) -> NeedsSize:
        sizes = [*(axis.size for axis in self.book[p].axes), *tiles.sizes]
        names = ", ".join(dict.fromkeys(size for size in sizes if isinstance(size, str)))
        need = f"give {names} a number, or give the tile a size along every axis"
        return NeedsSize(self.owner(p), what=f"the halo of {self.names[p]} in bytes", sizes=names, help=need)

    def _explain(self, p: SSAValue, c: SSAValue, reads: Sequence[Read], tiles: Tiling, found: Footprint) -> str:
        """Describes the reads and the halo in sentences."""
        parts = [(f"i{k}", part) for k, part in enumerate(found.axes)]
        ways = list(dict.fromkeys(map_text(read.map) + _where(read) for read in reads))
        at = "; and ".join(ways[:MAX_PATHS_SHOWN])
        if len(ways) > MAX_PATHS_SHOWN:
            at += f"; and on {len(ways) - MAX_PATHS_SHOWN} more paths"
        lengths = ", ".join(f"i{k}={tiles.lengths[k]}" for k in tiles.cut)
        box = " x ".join(str(part.read) for _, part in parts) or "one element"
        padding = ", ".join(f"{part.unclipped} along {axis}" for axis, part in parts if part.unclipped != part.read)
        halo = ", ".join(
            f"{part.halo} along {axis} (up to {part.low} before, {part.high} after)"
            for axis, part in parts
            if part.halo != 0
        )
        sentences = [
            f"{self.names[c]} reads {self.names[p]} at {at}.",
            f"{f'A tile of {lengths}' if lengths else 'One tile, the whole consumer,'} reads at most {box}"
            + (f" ({padding} with the padding)." if padding else "."),
            f"The halo is {halo}." if halo else "There is no halo.",
        ]
        if (repeats := _repeats(reads, tiles)) != 1:
            sentences.append(
                f"{repeats} tiles need the same elements: they differ along axes that the read does not depend on."
            )
        return " ".join(sentences)


def _repeats(reads: Sequence[Read], tiles: Tiling) -> Amount:
    """Returns the number of tiles that read the same elements: they differ only along axes on which no read depends."""
    still = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(read.map, k) for read in reads)]
    counts = [(tiles.sizes[k], tiles.lengths[k] or 1) for k in still]
    numbers = prod(-(-size // length) for size, length in counts if isinstance(size, int))
    names = [f"ceil({size}/{length})" for size, length in counts if isinstance(size, str)]
    return numbers if not names else "*".join([*names, *([str(numbers)] if numbers > 1 else [])])


def _where(read: Read) -> str:
    return "" if read.guard is None else f" where {affine.condition(read.guard)}"


@dataclass(frozen=True)
class _ReducedAndCut:
    """
    A reduction across tiles: the producer reduces axis `axis` of `value` completely, while the consumer's axis `cut`, which the
    tiles cut, runs along the same axis of `value`.
    """

    value: SSAValue
    axis: int
    cut: int


def _reduced_and_cut(
    paths: Paths, producer: SSAValue, consumer: SSAValue, reads: Sequence[Read], tiles: Tiling
) -> _ReducedAndCut | None:
    """Returns an axis that the producer reduces as a whole although the consumer's tiles cut it, or None."""
    cut = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(r.map, k) for r in reads)]
    book, info = paths.book, paths.book[producer]
    if not cut or not info.reduced:
        return None
    reduced_axes: dict[SSAValue, set[int]] = {}
    for value, read in paths.walk_back(producer, lambda v: is_computed(v) and book[v].non_scop is None):
        for axis in range(read.map.dim(OUT)):
            by = [k for k in range(len(read.sizes)) if read.moves(axis, k)]
            if by and all(k >= info.rank for k in by):
                reduced_axes.setdefault(value, set()).add(axis)
    between = {user for value in reduced_axes for user in paths.dependents(value, consumer)} - {producer}
    for value, read in paths.walk_back(consumer, lambda v: v in between and book[v].non_scop is None):
        for axis in reduced_axes.get(value, ()):
            for k in cut:
                if read.moves(axis, k):
                    return _ReducedAndCut(value, axis, k)
    return None
