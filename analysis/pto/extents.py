"""
The valid extents of tiles: how many of the elements along each axis an op computes.

An extent is a set of numbers and of values of type index, of which it is the least; the size of the tile is left out. An op without
`valid` computes the elements that are valid in all of its operands; parts, sorts and partial ops have rules of their own, which need numbers
unless all of a tile is valid. Spec: `pto-ir.md §3.2`.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.asynchronous import ValidAxes
from ...dialects.pto.indices import Index, joined, known
from ...dialects.pto.sequences import SORTED_BLOCK
from ...errors import Unsupported

Extent = frozenset[Index]
PARTIAL = tuple(pto.PARTIAL.values())
"""The ops whose result is valid where one of the operands is."""


class Extents:
    """Returns the extents of tiles, and keeps them."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, tuple[Extent, ...]] = {}

    def of(self, value: SSAValue) -> tuple[Extent, ...]:
        """Returns the extent of a tile along each axis, empty if it is the tile's size."""
        if (known := self._known.get(value)) is not None:
            return known
        todo = [value]
        while todo:
            here = todo[-1]
            if here in self._known:
                todo.pop()
                continue
            sources = _sources(here)
            if missing := [v for v, _ in sources if v not in self._known]:
                todo += missing
                continue
            self._known[here] = self._computed(here, sources)
            todo.pop()
        return self._known[value]

    def read(self, op: pto.InstructionOp, value: SSAValue) -> tuple[Extent, ...]:
        """Returns the extents of the part of an operand that a vector op reads: along the axes that determine those of its result, the result's."""
        axes = dict(op.valid_axes).get(value) if op.ON_VECTORS and op.results and not isinstance(op, PARTIAL) else None
        found = list(self.of(value))
        for axis, source in enumerate(axes or ()):
            if source is not None:
                found[source] = self.of(op.results[0])[axis]
        return tuple(found)

    def _computed(self, value: SSAValue, sources: ValidAxes) -> tuple[Extent, ...]:
        tile, op = pto.tile_type(value), value.owner
        if isinstance(op, pto.InstructionOp) and op.static_valid is None:
            if isinstance(op, PARTIAL):
                return self._union(op)
            if isinstance(op, pto.ExtractOp):
                return self._part(op)
            if isinstance(op, pto.Sort32Op | pto.MrgSortOp):
                return self._sorted(op)
        if isinstance(op, scf.IfOp):
            return self._of_ways(op, *(self._known[v] for v, _ in sources))
        if isinstance(op, pto.InstructionOp) and op.static_valid is not None:
            found: list[set[Index]] = [{n} for n in joined(op.static_valid, op.valid)]
        else:
            found = [set[Index]() for _ in tile.sizes]
            for source, axes in sources:
                for extent, axis in zip(found, axes, strict=True):
                    extent.update(() if axis is None else self._known[source][axis])
        return tuple(frozenset(each - {size}) for each, size in zip(found, tile.sizes, strict=True))

    def _of_ways(self, op: scf.IfOp, then: tuple[Extent, ...], otherwise: tuple[Extent, ...]) -> tuple[Extent, ...]:
        """Returns the extents of a tile that both ways of a condition yield."""
        if then != otherwise:
            need = "write the same `valid` for both"
            raise Unsupported(op, what="a condition that yields tiles with different valid regions", need=need)
        return then

    def _part(self, op: pto.ExtractOp) -> tuple[Extent, ...]:
        """Returns the extents of the part of a tile's valid region that lies in the part of the tile."""
        found: list[Extent] = []
        whole, offsets = pto.tile_type(op.input).sizes, joined(op.static_offsets, op.offsets)
        for size, all, extent, offset in zip(
            pto.tile_type(op.result).sizes, whole, self._known[op.input], offsets, strict=True
        ):
            valid, start = static(all, extent), known(offset)
            if extent and (valid is None or start is None):
                raise _unknown(op, "of a tile whose valid region is not known", "what it contains of the operand's")
            left = valid - start if extent and valid is not None and start is not None else size
            found.append(_some(op, left, size))
        return tuple(found)

    def _sorted(self, op: pto.Sort32Op | pto.MrgSortOp) -> tuple[Extent, ...]:
        """Returns the extents of sorted rows, of which whole blocks are valid."""
        lists = [v for v in op.operands if isinstance(v.type, pto.TileType)]
        columns = [static(pto.tile_type(v).sizes[-1], self._known[v][-1]) for v in lists]
        if None in columns:
            raise _unknown(op, "of tiles whose valid columns are not known", "the elements of whole blocks")
        block = SORTED_BLOCK
        if isinstance(op, pto.MrgSortOp):
            block = 1 if op.block is None else 4 * op.block.value.data
        valid = sum(n for n in columns if n is not None) // block * block
        return *self._known[lists[0]][:-1], _some(op, valid, pto.tile_type(op.result).sizes[-1])

    def _union(self, op: pto.InstructionOp) -> tuple[Extent, ...]:
        """Returns the extents of an op whose result is valid where one of two operands is."""
        found: list[Extent] = []
        sizes = pto.tile_type(op.results[0]).sizes
        for size, *extents in zip(sizes, *(self._known[v] for v, _ in op.valid_axes), strict=True):
            numbers = [n for extent in extents if (n := static(size, extent)) is not None]
            if len(set(extents)) > 1 and len(numbers) < len(extents) and size not in numbers:
                what = "of tiles whose valid regions are not known"
                raise _unknown(op, what, "the greater one of the operands' extents")
            found.append(extents[0] if len(set(extents)) == 1 else frozenset({max(numbers)} - {size}))
        return tuple(found)


def _unknown(op: pto.InstructionOp, what: str, valid: str) -> Unsupported:
    return Unsupported(op, what=f"'{op.name}' {what}", need=f"write its `valid`, with {valid}")


def _some(op: pto.InstructionOp, count: int, size: int) -> Extent:
    """Returns an extent of `count` elements, which must be positive."""
    if count <= 0:
        raise Unsupported(op, what=f"'{op.name}' without valid elements", need="leave it out")
    return frozenset({min(count, size)} - {size})


def static(size: int, extent: Extent) -> int | None:
    """Returns an extent along an axis of a size as a number, or None."""
    return min([size, *(n for n in extent if isinstance(n, int))]) if all(isinstance(n, int) for n in extent) else None


def _sources(value: SSAValue) -> ValidAxes:
    """
    Returns the tiles that determine the extents of a tile, each with the axis of it that determines each axis of the tile, or None. The
    tile that a loop carries has the extents of the first one.
    """
    op, rank = value.owner, len(pto.tile_type(value).sizes)
    if not isinstance(op, Operation):
        loop = op.parent_op()
        if loop is not None and loop.name == "scf.for" and value in op.args[1:]:
            return [(loop.operands[3 + op.args[1:].index(value)], range(rank))]
        return []
    if isinstance(op, scf.IfOp):
        number = op.results.index(value)  # pyright: ignore[reportArgumentType]
        return [(region.block.last_op.operands[number], range(rank)) for region in op.regions]  # pyright: ignore[reportOptionalMemberAccess]
    if op.name == "scf.for":
        return [(op.operands[3 + op.results.index(value)], range(rank))]  # pyright: ignore[reportArgumentType]
    if isinstance(op, pto.AssignOp):
        return [(op.tile, range(rank))]
    if not isinstance(op, pto.InstructionOp) or op.static_valid is not None:
        return []
    if isinstance(op, pto.ExtractOp):
        return [(op.input, ())]
    return op.valid_axes
