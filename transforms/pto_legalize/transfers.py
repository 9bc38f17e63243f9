"""Writes the loads and stores of a kernel that is rewritten: of a tile that is a matrix in an array, or of its parts."""

from __future__ import annotations

import abc
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import product

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, NoneAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.pto.storage import aligned, element_bytes
from ...errors import Unsupported
from ...targets.pto.machine import ROWS_ALIGNMENT, PtoMachine
from .padding import Constraint, sides
from .points import Points
from .values import Full, Line, Size, Splat, Value, held, valid
from .views import MAX_PARTS, View, guards, stored_type, units_of, view_of

Piece = tuple[AbstractContextManager[None], Callable[[], list[Size]], Sequence[Size], pto.TileType, tuple[Size, Size]]
"""The condition under which it is accessed, its place in the array and in the tile, and its type and valid extents as a tile of its own."""


class Transfers(Points):
    """The loads and stores of a kernel."""

    def __init__(self, kernel: pto.PtoKernelOp, machine: PtoMachine):
        super().__init__(kernel, machine)
        self.arrays: dict[tuple[SSAValue, pto.MemRefType], SSAValue] = {}
        """The arguments of the function that are an array of the kernel, one for each of its views."""

    def load(self, op: pto.LoadMapOp, loops: dict[SSAValue, SSAValue]) -> Value:
        """Writes a load. `loops` maps indices of a process to those of the consumer. What is loaded of predicates is bytes."""
        for inside, outside in loops.items():
            self.indices[inside] = self.indices[outside]
        return self.convert(self.loaded_tile(op), held(pto.tile_type(op.result).element_type))

    def loaded_tile(self, op: pto.LoadMapOp) -> Value:
        tile = pto.tile_type(op.result)
        view, sizes = view_of(op, location_of(op)), self.rounded(op.result)
        extents = self.extents_of(op, op.result)
        if view.in_pieces:
            return self.loaded_in_pieces(op, view, sizes, extents)
        if view.part != tile.sizes:
            return self.loaded_in_parts(op, view, sizes, extents)
        return self.loaded_view(op, view, sizes, extents)

    @abc.abstractmethod
    def workspace(self, sizes: tuple[int, int], dtype: Attribute) -> tuple[SSAValue, list[Size]]: ...

    def loaded_in_pieces(
        self, op: pto.LoadMapOp, view: View, sizes: tuple[int, int], extents: tuple[Size, Size]
    ) -> Full:
        """Writes the load of a tile in rows or elements, which are collected in a workspace; those outside of a padded array are zero."""
        dtype, location = view.type.element_type, location_of(op)
        array, (row, _) = self.workspace(sizes, dtype)
        if op.where is not None:
            self.stored(self.full(Splat.of(0, dtype), sizes, sizes), array, [row, 0])
        for inside, place, start, t, extent in self.pieces(op, view, extents):
            with inside:
                piece = self.loaded(self.arrays[op.memref, view.type], place(), t, extent)
                self.stored(piece, array, [self.sum([row, start[0]]), start[1]])
        layout = ("DN" if sizes[1] == 1 < sizes[0] else None) if location == "Vec" else self.machine.layout(location)
        tile = pto.TileType(sizes, dtype, None if location == "Vec" else location, layout)
        return self.loaded(array, [row, 0], tile, extents)

    def store_in_pieces(self, op: pto.StoreMapOp, view: View, tile: Full) -> None:
        """Writes the store of a tile in rows or elements, which come from a workspace."""
        array, (row, _) = self.workspace(tile.sizes, view.type.element_type)
        self.stored(tile, array, [row, 0])
        for inside, place, start, t, extent in self.pieces(op, view, tile.extents):
            with inside:
                piece = self.loaded(array, [self.sum([row, start[0]]), start[1]], t, extent)
                self.stored(piece, self.arrays[op.memref, view.type], place())

    def pieces(self, op: pto.LoadMapOp | pto.StoreMapOp, view: View, extents: tuple[Size, Size]) -> Iterator[Piece]:
        """Writes loops over the rows or elements of a tile. Yields each part of the set in which they are inside of the array."""
        dtype, (d0, d1), columns = view.type.element_type, ints(op.dims), view.part[1]
        tile = pto.tile_type(op.tile if isinstance(op, pto.StoreMapOp) else op.result)
        inside, is_row = {d0: 1, d1: columns}, columns == tile.sizes[1]
        units = units_of(op, inside)
        t = pto.TileType((1, aligned(columns, ROWS_ALIGNMENT // element_bytes(dtype))), dtype)
        with ExitStack() as loops:
            start: list[Size] = [loops.enter_context(self.counted(extents[0])), 0]
            if not is_row:
                start[1] = loops.enter_context(self.counted(extents[1]))
            offsets = [self.offset(v) for v in op.offsets]
            for axis, more in zip((d0, d1), start, strict=True):
                offsets[axis] = self.sum([offsets[axis], more])
            for part in guards(op, inside):
                yield (
                    self.where(op, part, offsets, units),
                    lambda: [self.place(offsets, each) for each in view.place],
                    start,
                    t,
                    (1, extents[1] if is_row else 1),
                )

    @contextmanager
    def where(
        self,
        op: pto.LoadMapOp | pto.StoreMapOp,
        part: Sequence[Constraint],
        offsets: Sequence[Size],
        units: Sequence[int],
    ) -> Generator[None]:
        """Inserts where all constraints hold: into a condition for each of them that is not known."""
        with ExitStack() as conditions:
            for limit, is_equality in part:
                sides_of = [self.place(offsets, side) for side in sides(op, limit, units)]
                a, b = (self.index(n) if isinstance(n, int) else n for n in sides_of)
                block = Block()
                self.add(scf.IfOp(self.add(arith.CmpiOp(a, b, "eq" if is_equality else "sge")), [], Region(block)))
                conditions.enter_context(self.within(block))
            yield

    def loaded_view(
        self,
        op: pto.LoadMapOp,
        view: View,
        sizes: tuple[int, int],
        extents: tuple[Size, Size],
        start: Sequence[int] = (0, 0),
    ) -> Value:
        """Writes the load of a tile, or of its part from `start` on, that is a matrix in the array."""
        if view.kind == "element":
            return self.repeated_element(op, view, sizes, extents, start)
        rows, columns = (1 if view.kind == "row" else sizes[0]), (1 if view.kind == "column" else sizes[1])
        inner = (1 if view.kind == "row" else extents[0]), (1 if view.kind == "column" else extents[1])
        place, location = self.place_of(op, view, start), location_of(op)
        array, dtype = self.arrays[op.memref, view.type], view.type.element_type
        if view.is_spread:
            starts = pto.TileType(self.row_starts(rows, dtype), dtype)
            column = self.first_column(self.loaded(array, place, starts, (inner[0], 1)))
            return Line(column, False) if view.kind == "column" else column
        if view.turned and rows == 1:
            starts = pto.TileType(self.row_starts(columns, dtype), dtype)
            lines = self.transposed(self.loaded(array, place, starts, (inner[1], 1)))
            loaded = self.part(lines, inner, (1, columns))
        elif view.turned:
            flat = self.loaded(array, place, pto.TileType((columns, rows), dtype), (inner[1], inner[0]))
            loaded = self.transposed(flat)
        else:
            layout = "DN" if columns == 1 and rows > 1 else None
            if location != "Vec":
                layout = self.machine.layout(location) if isinstance(view.type.layout, NoneAttr) else "Zn"
            t = pto.TileType((rows, columns), dtype, None if location == "Vec" else location, layout)
            loaded = self.loaded(array, place, t, inner)
        return Line(loaded, view.kind == "row") if view.kind != "full" else loaded

    def repeated_element(
        self, op: pto.LoadMapOp, view: View, sizes: tuple[int, int], extents: tuple[Size, Size], start: Sequence[int]
    ) -> Value:
        """Writes the load of an element as a row of copies, or as a column if that is what the tile is."""
        array, dtype, axis = self.arrays[op.memref, view.type], view.type.element_type, int(sizes[1] > 1)
        column = pto.TileType((ROWS_ALIGNMENT // element_bytes(dtype), 1), dtype, layout="DN")
        element = self.loaded(array, self.place_of(op, view, start), column, (1, 1))
        inside = 1, extents[axis]
        copies = self.full(Line(element, False), (column.sizes[0], sizes[axis]), inside)
        row = self.part(copies, inside, (1, sizes[axis]))
        return Line(row, True) if axis else self.transposed(row)

    def place_of(self, op: pto.AccessOp, view: View, start: Sequence[int] = (0, 0)) -> list[Size]:
        """Writes the place in a view of the part of a tile that begins at `start`."""
        offsets = [self.offset(v) for v in op.offsets]
        for axis, more in zip(ints(op.dims), start, strict=True):
            offsets[axis] = self.sum([offsets[axis], more])
        return [self.place(offsets, each) for each in view.place]

    def parts_of(
        self, op: pto.AccessOp, view: View, extents: tuple[Size, Size]
    ) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Returns where the parts of a tile that are inside of the index space begin, and their valid extents."""
        rows, columns = extents
        line = view.part[1] * element_bytes(view.type.element_type)
        if not (isinstance(rows, int) and isinstance(columns, int)) or view.turned or line % ROWS_ALIGNMENT:
            need = "use a tile that divides the index space, and rows that are whole lines of 32 bytes in the array"
            raise Unsupported(
                op, what="a tile in parts whose sizes are computed, or that are no whole lines,", need=need
            )
        starts = list(product(range(0, rows, view.part[0]), range(0, columns, view.part[1])))
        if len(starts) > MAX_PARTS:
            raise Unsupported(
                op, what=f"a tile in {len(starts)} parts on PTO", need=f"use a tile of at most {MAX_PARTS} parts"
            )
        return [((r, c), (min(view.part[0], rows - r), min(view.part[1], columns - c))) for r, c in starts]

    def loaded_in_parts(
        self, op: pto.LoadMapOp, view: View, sizes: tuple[int, int], extents: tuple[Size, Size]
    ) -> Full:
        """Writes loads of the parts of a tile, and their insertions."""
        if location_of(op) != "Vec":
            raise self.no_form(op, "an operand of a product that is in several parts of an array")
        tile = self.full(Splat.of(0, view.type.element_type), sizes, extents)
        rows = aligned(view.part[0], self.unit) if view.is_spread else view.part[0]
        for start, inside in self.parts_of(op, view, extents):
            size = rows, view.part[1]
            part = self.full(self.loaded_view(op, view, size, inside, start), size, inside)
            if start[0] + rows > sizes[0]:
                part = self.part(part, inside, view.part)
            tile = Full(self.add(pto.InsertOp(part.tile, tile.tile, start), op.result.name_hint), extents)
        return tile

    def row_starts(self, rows: int, dtype: Attribute) -> tuple[int, int]:
        """Returns the sizes of a tile whose rows have one line of memory each, of which the first element is used."""
        return rows, ROWS_ALIGNMENT // element_bytes(dtype)

    def first_column(self, value: Full) -> Full:
        """Writes a tile of the first column."""
        rows, extents = value.sizes[0], (1, value.extents[0])
        return self.transposed(self.part(self.transposed(value), extents, (1, rows)))

    def part(
        self, value: Full, extents: tuple[Size, Size], sizes: tuple[int, int], start: Sequence[Size] = (0, 0)
    ) -> Full:
        """Writes a part of a tile."""
        op = pto.ExtractOp(value.tile, start, pto.TileType(sizes, value.type.element_type))
        return Full(self.add(valid(op, extents)), extents)

    def column_products(self, tile: Full) -> Full:
        """Writes the products of the columns of a tile: a loop that multiplies its rows."""
        sizes, extents = (1, tile.sizes[1]), (1, tile.extents[1])
        first, high = self.part(tile, extents, sizes), tile.extents[0]
        body = Block(arg_types=[IndexType(), first.type])
        loop = scf.ForOp(
            self.index(1),
            self.index(high) if isinstance(high, int) else high,
            self.index(1),
            [first.tile],
            Region(body),
        )
        with self.within(body):
            row = self.part(tile, extents, sizes, (body.args[0], 0))
            last = self.add(pto.BINARY["mul"](body.args[1], row.tile))
            self.add(scf.YieldOp(last))
        return Full(self.add(loop, self.at.results[0].name_hint), extents)

    def loaded(self, array: SSAValue, place: Sequence[Size], t: pto.TileType, extents: tuple[Size, Size]) -> Full:
        whole = list(extents) == list(t.sizes)
        tile = self.add(pto.LoadOp(array, place, t, valid=() if whole else extents), array.name_hint)
        return Full(tile, extents)

    def store(self, op: pto.StoreMapOp) -> None:
        if op.where is not None:
            self.store_rows(op)
            return
        tile, view = self.tile_of(op), view_of(op, "Vec")
        if view.in_pieces:
            self.store_in_pieces(op, view, tile)
            return
        if view.part != pto.tile_type(op.tile).sizes:
            for start, inside in self.parts_of(op, view, tile.extents):
                part = self.part(tile, inside, view.part, start)
                self.stored(part, self.arrays[op.memref, view.type], self.place_of(op, view, start))
            return
        if view.is_spread:
            dtype = tile.type.element_type
            tile = self.full(Line(tile, False), self.row_starts(tile.sizes[0], dtype), (tile.extents[0], 1))
        place = self.place_of(op, view)
        self.stored(self.transposed(tile) if view.turned else tile, self.arrays[op.memref, view.type], place)

    def tile_of(self, op: pto.StoreMapOp) -> Full:
        """Returns the tile that is stored, as its elements are in the array."""
        value = self.convert(self.values[op.tile], stored_type(pto.tile_type(op.tile).element_type))
        return self.full(value, self.rounded(op.tile), self.extents_of(op, op.tile))

    def store_rows(self, op: pto.StoreMapOp) -> None:
        """Writes the store of the rows of a tile that are in a set."""
        tile, view, (d0, d1) = self.tile_of(op), view_of(op, "Vec"), ints(op.dims)
        if view.part[1] != pto.tile_type(op.tile).sizes[1]:
            need = "store whole rows, whose elements are contiguous in the array"
            raise Unsupported(op, what="a store of some elements of rows on PTO", need=need)
        inside = {d0: 1, d1: view.part[1]}
        units, offsets = units_of(op, inside), [self.offset(v) for v in op.offsets]
        with self.counted(tile.extents[0]) as row:
            offsets[d0] = self.sum([offsets[d0], row])
            for part in guards(op, inside):
                with self.where(op, part, offsets, units):
                    place = [self.place(offsets, each) for each in view.place]
                    piece = self.part(tile, (1, tile.extents[1]), (1, tile.sizes[1]), (row, 0))
                    self.stored(piece, self.arrays[op.memref, view.type], place)

    def stored(self, value: Full, array: SSAValue, place: Sequence[Size]) -> pto.StoreOp:
        whole = list(value.extents) == list(value.sizes)
        op = pto.StoreOp(value.tile, array, place, valid=() if whole else value.extents)
        self.add(op)
        return op


def location_of(op: pto.LoadMapOp) -> str:
    """Returns where a load puts its tile: in Vec if that is where all tiles that a process commits are moved to."""
    location, use = pto.tile_type(op.result).loc, op.result.first_use
    if use is None or not isinstance(commit := use.operation, pto.CommitOp):
        return location
    waits = [u.operation for u in commit.channel.uses if isinstance(u.operation, pto.WaitOp)]
    tiles = [w.results[list(commit.tiles).index(op.result)] for w in waits]
    moved = all(isinstance(u.operation, pto.MoveMatToVecOp) for tile in tiles for u in tile.uses)
    return "Vec" if moved and location == "Mat" else location
