"""Legality, halo, buffer and barrier of each edge of a program, from a producer to a consumer that is cut into tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ..errors import FoldsAcrossTiles, NeedsSize, NoDependence, NotAffineBetween, TooComplex
from ..index import affine
from ..index.isl_text import map_text
from . import banks, buffers
from .accesses import MOST_OPERATIONS, Place, ProgramAccesses
from .answers import BankHint, Barrier, ComputeAt, Extent, Halo, MinBuffer
from .footprint import Amount, Footprint, footprint
from .legality import folded_across
from .ranges import Read
from .reads import NotAffine, is_computed, is_made_anywhere, require_affine
from .tiling import Tile, Tiling

MOST_TOLD = 4
"""Of the ways from a consumer to a producer, which `why` spells."""


class EdgeQueries(ProgramAccesses):
    """Answers about edges; what would need more of isl than `most_operations` is refused, and the answer says so."""

    def __init__(
        self,
        program: FuncOp | Iterable[Operation],
        arch: str = "sm80",
        *,
        most_operations: int = MOST_OPERATIONS,
    ):
        super().__init__(program, arch, most_operations=most_operations)
        self._answers: dict[tuple[SSAValue, SSAValue, Tiling], ComputeAt] = {}

    def can_compute_at(self, producer: Place, consumer: Place, tile: Tile = None) -> ComputeAt:
        """
        Whether what each `tile` of the consumer needs of the producer can be computed in it, and with what halo. A
        producer in memory is read, not computed. Raises `UnknownValue` and `InvalidTile`.
        """
        p, c = self.value(producer), self.value(consumer)
        key = (p, c, self.tiling(c, tile))
        if key not in self._answers:
            self._answers[key] = self._answer(*key)
        return self._answers[key]

    def min_buffer_for_edge(self, producer: Place, consumer: Place, tile: Tile = None) -> MinBuffer:
        """The smallest buffer in which the producer's elements can wait for a tile of the consumer."""
        p, c = self.value(producer), self.value(consumer)
        if is_made_anywhere(p):
            return MinBuffer("reg", "every thread makes it itself", None, self.element_size(p))
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

    def barrier(self, producer: Place, consumer: Place, tile: Tile = None) -> Barrier:
        """What must stand between the producer's writes and the consumer's reads of that buffer."""
        found = self.min_buffer_for_edge(producer, consumer, tile)
        return buffers.barrier(found, not is_computed(self.value(producer)), self.arch)

    def bank_hints(self, producer: Place, consumer: Place, tile: Tile = None) -> list[BankHint]:
        """Bank conflicts of reading a tile's box from shared memory, if it waits there, row by row."""
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

    def tail_axes(self, consumer: Place, tile: Tile) -> tuple[str, ...]:
        """The axes whose last tile is shorter than the others, or is for some sizes that are names."""
        tiles = self.tiling(self.value(consumer), tile)
        return tuple(f"i{k}" for k in tiles.tails)

    def parallel_axes(self, value: Place) -> tuple[str, ...]:
        """The axes along which a value's points are computed independently of each other."""
        return tuple(axis.name for axis in self.book[self.value(value)].axes)

    def reduction_axes(self, value: Place) -> tuple[str, ...]:
        """The iteration axes that fold into one point."""
        return tuple(axis.name for axis in self.book[self.value(value)].reduced)

    def is_legal(self, producer: SSAValue, consumer: SSAValue, tile: Tile = None) -> bool:
        """`can_compute_at(…).ok`, of which the halo in bytes need not be a number."""
        return self.can_compute_at(producer, consumer, tile).legal

    def _answer(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> ComputeAt:
        try:
            return self._compute_at(p, c, tiles)
        except NotAffine as e:
            return ComputeAt.refused(NotAffineBetween(self.owner(e.value), name=self.names[e.value], why=e))
        except TooComplex as e:
            return ComputeAt.refused(e)

    def _compute_at(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> ComputeAt:
        if is_computed(p):
            require_affine(self.book, p)
        require_affine(self.book, c)
        with self.quota(p, c):
            reads = self.reads(p, c)
        if not reads:
            return ComputeAt.refused(NoDependence(self.owner(c), consumer=self.names[c], producer=self.names[p]))
        found = self.footprint(p, c, tiles)
        extents, told = self._extents(found), self._told(p, c, reads, tiles, found)
        with self.quota(p, c):
            across = folded_across(self.ways, p, c, reads, tiles) if is_computed(p) else None
        if across is not None:
            row = f"i{across.axis} of {self.names[across.value]}"
            error = FoldsAcrossTiles(self.owner(p), producer=self.names[p], row=row, cut=f"i{across.cut}")
            return ComputeAt.refused(error, told, extents)
        if found.beyond is None:
            return ComputeAt.refused(self._unknown(p, tiles), told, extents, self._halo(found, self.element_size(p)))
        return ComputeAt(True, told, self._halo(found, self.element_size(p)), extents, _repeats(reads, tiles))

    def _unknown(self, p: SSAValue, tiles: Tiling) -> NeedsSize:
        sizes = [*(axis.size for axis in self.book[p].axes), *tiles.sizes]
        names = ", ".join(dict.fromkeys(size for size in sizes if isinstance(size, str)))
        need = f"give {names} a number, or a tile a size along every axis"
        return NeedsSize(self.owner(p), what=f"the halo of {self.names[p]} in bytes", sizes=names, help=need)

    @staticmethod
    def _halo(found: Footprint, size: int) -> Halo:
        parts = {f"i{k}": part for k, part in enumerate(found.axes)}
        return Halo(
            None if found.beyond is None else found.beyond * size,
            {name: part.halo for name, part in parts.items()},
            {name: part.low for name, part in parts.items()},
            {name: part.high for name, part in parts.items()},
        )

    @staticmethod
    def _extents(found: Footprint) -> dict[str, Extent]:
        return {f"i{k}": Extent(part.read, part.unclipped) for k, part in enumerate(found.axes)}

    def _told(self, p: SSAValue, c: SSAValue, reads: Sequence[Read], tiles: Tiling, found: Footprint) -> str:
        """What is read and how far, in words."""
        parts = [(f"i{k}", part) for k, part in enumerate(found.axes)]
        ways = list(dict.fromkeys(map_text(read.map) + _where(read) for read in reads))
        at = "; and ".join(ways[:MOST_TOLD])
        if len(ways) > MOST_TOLD:
            at += f"; and in {len(ways) - MOST_TOLD} more ways"
        lengths = ", ".join(f"i{k}={tiles.lengths[k]}" for k in tiles.cut)
        box = " x ".join(str(part.read) for _, part in parts) or "one element"
        padding = ", ".join(f"{part.unclipped} along {axis}" for axis, part in parts if part.unclipped != part.read)
        halo = ", ".join(
            f"{part.halo} along {axis} (up to {part.low} before, {part.high} after)"
            for axis, part in parts
            if part.halo != 0
        )
        told = [
            f"{self.names[c]} reads {self.names[p]} at {at}.",
            f"A tile{f' of {lengths}' if lengths else ', all of it,'} reads at most {box}"
            + (f" (without padding {padding})." if padding else "."),
            f"Beyond its own share: {halo}." if halo else "All of it is the tile's own.",
        ]
        if (repeats := _repeats(reads, tiles)) != 1:
            told.append(f"{repeats} tiles need the same: axes that are cut do not move what is read.")
        return " ".join(told)


def _repeats(reads: Sequence[Read], tiles: Tiling) -> Amount:
    """How many tiles differ only along output axes that do not move what is read."""
    still = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(read.map, k) for read in reads)]
    counts = [(tiles.sizes[k], tiles.lengths[k] or 1) for k in still]
    numbers = prod(-(-size // length) for size, length in counts if isinstance(size, int))
    names = [f"ceil({size}/{length})" for size, length in counts if isinstance(size, str)]
    return numbers if not names else "*".join([*names, *([str(numbers)] if numbers > 1 else [])])


def _where(read: Read) -> str:
    return "" if read.guard is None else f" where {affine.condition(read.guard)}"
