"""
The service: legality, halo and buffers of the edges of a program, each computed when asked for.

>>> core = PolyCore(function, arch="sm90")                                           # doctest: +SKIP
>>> core.can_compute_at("arg0", "v4", {"i2": 4, "i3": 8}).halo.per_axis               # doctest: +SKIP
{'i0': 0, 'i1': 0, 'i2': 2, 'i3': 2}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from math import prod

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects.common.shapes import element
from ...targets.architectures import arch_named
from ..errors import FoldsAcrossTiles, NeedsSize, NoDependence, NotAffineBetween, TooComplex, UnknownValue
from ..index import affine
from ..index.book import IndexBook
from ..index.describe import value_names
from ..index.isl_text import spell_map
from ..program.buffers import BufferPlan, element_bytes
from . import banks, buffers
from .answers import BankHint, Barrier, ComputeAt, Extent, Halo, MinBuffer
from .footprint import Amount, Footprint, footprint, visited
from .groups import fusable_groups
from .legality import folded_across
from .ranges import Read
from .reads import NotAffine, Ways, is_computed, is_made_anywhere, require_affine
from .region import RegionFacts, region_facts, tile_for
from .tiling import Tile, Tiling, tiling

Place = SSAValue | Operation | str
"""A value: itself, the op that computes it, or its name (`arg0, arg1, …`, `v0, v1, …` in program order)."""

MOST_OPERATIONS = 400_000
"""Of isl for one answer: a second or two."""

FEW_POINTS = 1 << 10
"""Of the tiles of a consumer, which are visited one by one before isl is asked."""

MOST_TOLD = 4
"""Of the ways from a consumer to a producer, which `why` spells."""


class PolyCore:
    """
    Answers about the ops of one block, a function's or those given. isl stops after `most_operations`; what would need
    more is refused, and the answer says so.
    """

    def __init__(
        self,
        program: FuncOp | Iterable[Operation],
        arch: str = "sm80",
        *,
        most_operations: int = MOST_OPERATIONS,
    ):
        self.ops = tuple(program.body.block.ops if isinstance(program, FuncOp) else program)
        self.arch = arch_named(arch)
        self.book = IndexBook(self.ops)
        self.ways = Ways(self.book, {op: k for k, op in enumerate(self.ops)})
        self.names = _names(self.ops)
        self.most_operations = most_operations
        self._values = {name: value for value, name in self.names.items()}
        self._reads: dict[tuple[SSAValue, SSAValue], tuple[Read, ...]] = {}
        self._footprints: dict[tuple[tuple[str, ...], Tiling], Footprint] = {}  # of a network, most layers are alike
        self._answers: dict[tuple[SSAValue, SSAValue, Tiling], ComputeAt] = {}

    # --- questions --------------------------------------------------------------------------------

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
            return MinBuffer("reg", "every thread makes it itself", None, self._size(p))
        whole = self._bytes(p)
        answer = self.can_compute_at(p, c, tile)
        if not answer.ok:
            return MinBuffer("gmem", answer.why, None, whole)
        tiles = self.tiling(c, tile)
        try:
            read = self.footprint(p, c, tiles)
            with self._quota(p, c):
                found = buffers.min_buffer(self.reads(p, c), tiles, read, self._size(p), self.arch)
        except TooComplex as e:
            return MinBuffer("gmem", e.message, None, whole)
        return MinBuffer("gmem", found.why, None, whole) if found.buffer == "gmem" else found

    def analyze(
        self, region_candidate: Iterable[Place] | None = None, tile: Tile = None, plan: BufferPlan | None = None
    ) -> RegionFacts:
        """
        All of what is known of a region of these ops or values, or of the whole program, for such a tile of each
        consumer. With a plan of buffers (`analysis.buffers.plan_buffers`) that is also which values overwrite which.
        """
        chosen = [value for op in self.ops for value in op.results if isinstance(value.type, TensorType)]
        if region_candidate is not None:
            wanted = {self.value(place) for place in _several(region_candidate)}
            chosen = [value for value in chosen if value in wanted]
        return region_facts(self, chosen, tile, plan)

    def make_fusable_groups(self, scop: Iterable[Place] | None = None, tile: Tile = None) -> list[list[str]]:
        """
        Names of values that may be computed together, chains of single consumers, each group and all of them in program
        order. `scop` is what to group, the whole program if it is left out; `tile` cuts the last value of each group.
        """
        values = [value for op in self.ops for value in op.results]
        if scop is not None:
            wanted = {self.value(place) for place in _several(scop)}
            values = [value for value in values if value in wanted]
        groups = fusable_groups(
            values,
            lambda value: value in self.book and self.book[value].non_scop is None,
            lambda producer, last: self.is_legal(producer, last, tile_for(self, last, tile)),
        )
        return [[self.names[value] for value in group] for group in groups]

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
        with self._quota(p, c):
            found: dict[BankHint, None] = {}
            for read in self.reads(p, c):
                box = [a.read for a in footprint([read], tiles).axes]
                if all(isinstance(n, int) and n > 0 for n in box):
                    found |= dict.fromkeys(
                        banks.hints(read, tiles, [n for n in box if isinstance(n, int)], self._size(p))
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

    # --- facts ------------------------------------------------------------------------------------

    def value(self, place: Place) -> SSAValue:
        """Raises `UnknownValue` if it is none of the program, or has no axes."""
        value = self._values.get(place) if isinstance(place, str) else place
        if isinstance(value, Operation):
            value = value.results[0] if len(value.results) == 1 else None
        if value is not None and value in self.names and isinstance(value.type, TensorType):
            return value
        what = place.name if isinstance(place, Operation) else str(place)
        where = place if isinstance(place, Operation) else None
        raise UnknownValue(where, name=what, names=", ".join(self._values))

    def tiling(self, consumer: SSAValue, tile: Tile) -> Tiling:
        info = self.book[consumer]
        return tiling(info.iteration, info.rank, tile)

    def reads(self, producer: SSAValue, consumer: SSAValue) -> tuple[Read, ...]:
        """Every way from the consumer back to the producer. Raises `NotAffine` and `TooComplex`."""
        key = (producer, consumer)
        if key not in self._reads:
            self._reads[key] = self.ways.reads(producer, consumer)
        return self._reads[key]

    def footprint(self, producer: SSAValue, consumer: SSAValue, tiles: Tiling) -> Footprint:
        """What tiles read of the producer by all ways. Raises `NotAffine` and `TooComplex`."""
        with self._quota(producer, consumer):
            reads = self.reads(producer, consumer)
        key = (tuple(read.text for read in reads), tiles)
        if key not in self._footprints:
            try:
                self._footprints[key] = visited(reads, tiles, FEW_POINTS)
            except TooComplex:
                self._footprints[key] = self._by_isl(producer, consumer, tiles, reads)
        return self._footprints[key]

    def _by_isl(self, producer: SSAValue, consumer: SSAValue, tiles: Tiling, reads: Sequence[Read]) -> Footprint:
        """Of more points than one visits at first; of all that one can visit where isl's answer would be long."""
        try:
            with self._quota(producer, consumer):
                return footprint(reads, tiles)
        except TooComplex as isl_s:
            try:
                return visited(reads, tiles)
            except TooComplex:
                raise isl_s from None

    def _quota(self, producer: SSAValue, consumer: SSAValue) -> AbstractContextManager[None]:
        return affine.quota(
            self.most_operations, f"what a tile of {self.names[consumer]} reads of {self.names[producer]}"
        )

    def depends(self, producer: SSAValue, consumer: SSAValue) -> bool:
        """Whether the consumer is computed, by whatever ops, from the producer."""
        return consumer in self.ways.users(producer, consumer)

    def is_legal(self, producer: SSAValue, consumer: SSAValue, tile: Tile = None) -> bool:
        """`can_compute_at(…).ok`, of which the halo in bytes need not be a number."""
        return self.can_compute_at(producer, consumer, tile).legal

    def edges(self) -> Iterator[tuple[SSAValue, SSAValue]]:
        """Each tensor operand of each op, once, with each tensor result."""
        for op in self.ops:
            for result in op.results:
                if isinstance(result.type, TensorType):
                    for operand in dict.fromkeys(op.operands):
                        if isinstance(operand.type, TensorType):
                            yield operand, result

    # --- answers ----------------------------------------------------------------------------------

    def _answer(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> ComputeAt:
        try:
            return self._compute_at(p, c, tiles)
        except NotAffine as e:
            return ComputeAt.refused(NotAffineBetween(self._owner(e.value), name=self.names[e.value], why=e))
        except TooComplex as e:
            return ComputeAt.refused(e)

    def _compute_at(self, p: SSAValue, c: SSAValue, tiles: Tiling) -> ComputeAt:
        if is_computed(p):
            require_affine(self.book, p)
        require_affine(self.book, c)
        with self._quota(p, c):
            reads = self.reads(p, c)
        if not reads:
            return ComputeAt.refused(NoDependence(self._owner(c), consumer=self.names[c], producer=self.names[p]))
        found = self.footprint(p, c, tiles)
        extents, told = self._extents(found), self._told(p, c, reads, tiles, found)
        with self._quota(p, c):
            across = folded_across(self.ways, p, c, reads, tiles) if is_computed(p) else None
        if across is not None:
            row = f"i{across.axis} of {self.names[across.value]}"
            error = FoldsAcrossTiles(self._owner(p), producer=self.names[p], row=row, cut=f"i{across.cut}")
            return ComputeAt.refused(error, told, extents)
        if found.beyond is None:
            return ComputeAt.refused(self._unknown(p, tiles), told, extents, self._halo(found, self._size(p)))
        return ComputeAt(True, told, self._halo(found, self._size(p)), extents, _repeats(reads, tiles))

    def _unknown(self, p: SSAValue, tiles: Tiling) -> NeedsSize:
        sizes = [*(axis.size for axis in self.book[p].axes), *tiles.sizes]
        names = ", ".join(dict.fromkeys(size for size in sizes if isinstance(size, str)))
        need = f"give {names} a number, or a tile a size along every axis"
        return NeedsSize(self._owner(p), what=f"the halo of {self.names[p]} in bytes", sizes=names, help=need)

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
        ways = list(dict.fromkeys(spell_map(read.map) + _where(read) for read in reads))
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

    def _size(self, value: SSAValue) -> int:
        return element_bytes(element(value))

    def _bytes(self, value: SSAValue) -> int | None:
        sizes = [axis.size for axis in self.book[value].axes]
        numbers = [size for size in sizes if isinstance(size, int)]
        return prod(numbers) * self._size(value) if len(numbers) == len(sizes) else None

    @staticmethod
    def _owner(value: SSAValue) -> Operation | None:
        return value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()


def _several(places: Iterable[Place]) -> Iterable[Place]:
    """One name is one place, and not its letters."""
    return [places] if isinstance(places, str) else places


def _names(ops: Sequence[Operation]) -> dict[SSAValue, str]:
    """As in the function around the ops; otherwise of the operands from outside and the results, in order."""
    around = ops[0].parent_op() if ops else None
    if isinstance(around, FuncOp):
        return value_names(around)
    results = [result for op in ops for result in op.results]
    outside = dict.fromkeys(operand for op in ops for operand in op.operands if operand not in results)
    return {v: f"arg{k}" for k, v in enumerate(outside)} | {v: f"v{k}" for k, v in enumerate(results)}


def _repeats(reads: Sequence[Read], tiles: Tiling) -> Amount:
    """How many tiles differ only along output axes that do not move what is read."""
    still = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(read.map, k) for read in reads)]
    counts = [(tiles.sizes[k], tiles.lengths[k] or 1) for k in still]
    numbers = prod(-(-size // length) for size, length in counts if isinstance(size, int))
    names = [f"ceil({size}/{length})" for size, length in counts if isinstance(size, str)]
    return numbers if not names else "*".join([*names, *([str(numbers)] if numbers > 1 else [])])


def _where(read: Read) -> str:
    return "" if read.guard is None else f" where {affine.condition(read.guard)}"
