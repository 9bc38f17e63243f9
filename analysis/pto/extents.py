"""
The valid extents of tiles: how many of the elements along each axis an op computes.

An extent is a set of numbers and of values of type index, of which it is the least; the size of the tile is left out. An op without
`valid` computes the elements that are valid in all of its operands. Spec: `pto-ir.md §3.2`.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.asynchronous import ValidAxes
from ...dialects.pto.indices import Index, joined
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
        if isinstance(op, PARTIAL) and op.static_valid is None:
            return self._union(op)
        if isinstance(op, pto.InstructionOp) and op.static_valid is not None:
            found: list[set[Index]] = [{n} for n in joined(op.static_valid, op.valid)]
        else:
            found = [set[Index]() for _ in tile.sizes]
            for source, axes in sources:
                for extent, axis in zip(found, axes, strict=True):
                    extent.update(() if axis is None else self._known[source][axis])
        return tuple(frozenset(each - {size}) for each, size in zip(found, tile.sizes, strict=True))

    def _union(self, op: pto.InstructionOp) -> tuple[Extent, ...]:
        """Returns the extents of an op whose result is valid where one of two operands is."""
        found: list[Extent] = []
        sizes = pto.tile_type(op.results[0]).sizes
        for size, *extents in zip(sizes, *(self._known[v] for v, _ in op.valid_axes), strict=True):
            numbers = [n for extent in extents if (n := static(size, extent)) is not None]
            if len(set(extents)) > 1 and len(numbers) < len(extents):
                need = "write its `valid`, with the greater one of the operands' extents"
                raise Unsupported(op, what=f"'{op.name}' of tiles whose valid regions are not known", need=need)
            found.append(extents[0] if len(set(extents)) == 1 else frozenset({max(numbers)} - {size}))
        return tuple(found)


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
    if op.name == "scf.for":
        return [(op.operands[3 + op.results.index(value)], range(rank))]  # pyright: ignore[reportArgumentType]
    if isinstance(op, pto.AssignOp):
        return [(op.tile, range(rank))]
    if not isinstance(op, pto.InstructionOp) or op.static_valid is not None:
        return []
    return op.valid_axes
