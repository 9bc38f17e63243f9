"""
The valid extents of tiles: how many of the elements along each axis an op computes.

An extent is a set of numbers and of values of type index, of which it is the least; the size of the tile is left out. An op without
`valid` computes the elements that are valid in all of its operands. Spec: `pto-ir.md §3.2`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.indices import joined

Extent = frozenset[int | SSAValue]


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

    def static(self, value: SSAValue) -> list[int | None]:
        """Returns the extent along each axis as a number, or None where it is not known statically."""
        sizes = pto.tile_type(value).sizes
        return [
            None if any(isinstance(n, SSAValue) for n in extent) else min((size, *extent))  # pyright: ignore[reportArgumentType]
            for size, extent in zip(sizes, self.of(value), strict=True)
        ]

    def _computed(
        self, value: SSAValue, sources: Sequence[tuple[SSAValue, Sequence[int | None]]]
    ) -> tuple[Extent, ...]:
        tile, op = pto.tile_type(value), value.owner
        if isinstance(op, pto.InstructionOp) and op.static_valid is not None:
            found = [frozenset({n}) for n in joined(op.static_valid, op.valid)]
        else:
            found = [
                frozenset(
                    n for source, axes in sources if axes[axis] is not None for n in self._known[source][axes[axis]]
                )  # pyright: ignore[reportArgumentType, reportCallIssue]
                for axis in range(len(tile.sizes))
            ]
        return tuple(each - {size} for each, size in zip(found, tile.sizes, strict=True))


def _sources(value: SSAValue) -> list[tuple[SSAValue, Sequence[int | None]]]:
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
    tiles = [v for v in op.operands if isinstance(v.type, pto.TileType)]
    if hasattr(op, "check_product"):
        return [
            (v, (0, None) if v.type.loc == "Left" else (None, 1))
            for v in tiles
            if v.type.loc in ("Left", "Right")  # pyright: ignore[reportAttributeAccessIssue]
        ]
    if op.name.endswith(".trans"):
        return [(tiles[0], (1, 0))]
    if op.name.endswith((".extract", ".insert", ".reshape")):
        return []
    sizes = pto.tile_type(value).sizes
    found: list[tuple[SSAValue, Sequence[int | None]]] = []
    for tile in tiles:
        own = pto.tile_type(tile).sizes
        if len(own) == rank and tile not in op.waits:
            found.append((tile, [k if own[k] == sizes[k] else None for k in range(rank)]))
    return found
