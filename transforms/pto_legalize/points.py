"""Writes arithmetic on indices, and the sizes and valid extents of tiles, for a kernel that is rewritten."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import pto
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ...dialects.pto.storage import element_bytes
from ...errors import Unsupported
from ...targets.pto.machine import FRACTAL_SIDE, ROWS_ALIGNMENT, PtoMachine
from .channels import constant_of
from .elementwise import Elementwise
from .gathers import select_gathers
from .lanes import column_totals, lane_tiles
from .places import Place, Term
from .values import Full, Size, Value
from .wide_integers import replace_wide_integers


class Points(Elementwise):
    """The place of insertion in the function of a kernel, and the points of the index space that tiles have."""

    def __init__(self, kernel: pto.PtoKernelOp, machine: PtoMachine):
        super().__init__()
        replace_wide_integers(kernel)
        select_gathers(kernel)
        self.kernel, self.machine = kernel, machine
        self.grid = cast(pto.TilesOp, kernel.body.block.first_op)
        self.at: Operation = self.grid
        self.block = Block()
        self.builder = Builder(InsertPoint.at_end(self.block))
        self.nest = [self.block]
        """The blocks around the place of insertion."""
        self.indices: dict[SSAValue, SSAValue] = {}
        """Maps indices of the kernel to those of the function."""
        self.greatest: dict[SSAValue, int] = {}
        """The greatest number of indices of which that is known."""
        self.values: dict[SSAValue, Value] = {}
        self.extents: dict[tuple[Size, int, int], list[SSAValue]] = {}
        self.unit = self._unit()
        """Tiles have a multiple of so many rows and columns, so that blocks and lines of 32 bytes are whole."""
        self.lanes, self.totals = lane_tiles(self.grid), column_totals(self.grid)
        self.reduces_rows = any(isinstance(op, pto.RowReduceOp) for op in self.grid.walk())

    def _unit(self) -> int:
        tiles = [v for op in self.grid.walk() for v in op.results if isinstance(v.type, pto.TileType)]
        for v in tiles:
            if len(sizes := pto.tile_type(v).sizes) != 2:
                need = "write it as a matrix, of one row or more"
                raise Unsupported(v.owner, what=f"a tile of rank {len(sizes)} on PTO", need=need)
        found = [t for t in map(pto.tile_type, tiles) if t.element_type != i1]
        widths = [element_bytes(t.element_type) for t in found]
        widths += [
            1 for op in self.grid.walk() if isinstance(op, pto.AccessOp) and memref_of(op.memref).element_type == i1
        ]
        line = ROWS_ALIGNMENT // min(widths, default=ROWS_ALIGNMENT)
        return max(line, FRACTAL_SIDE) if any(t.loc != "Vec" for t in found) else line

    def rounded(self, value: SSAValue) -> tuple[int, int]:
        """Returns the sizes that a tile of the program gets. A row of which there are reductions is one of several in a tile."""
        rows, columns = (-(-n // self.unit) * self.unit for n in pto.tile_type(value).sizes)
        single = value in self.totals or (pto.tile_type(value).sizes[0] == 1 and not self.reduces_rows)
        if single and self.is_column(value):
            return 1, self.unit
        return (1 if single else rows), (1 if self.is_column(value) else columns)

    def is_column(self, value: SSAValue) -> bool:
        return value in self.lanes or pto.tile_type(value).sizes[1] == 1

    @contextmanager
    def within(self, block: Block) -> Generator[None]:
        """Inserts into the block of a loop or condition. It ends with a `scf.yield`, which is written if there are no results."""
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(block))
        self.nest.append(block)
        yield
        if not isinstance(block.last_op, scf.YieldOp):
            self.add(scf.YieldOp())
        self.nest.pop()
        self.builder = outside

    @contextmanager
    def counted(self, count: Size) -> Generator[SSAValue]:
        """Writes a loop, and inserts into its body; returns its index."""
        body = Block(arg_types=[IndexType()])
        high = self.index(count) if isinstance(count, int) else count
        self.add(scf.ForOp(self.index(0), high, self.index(1), [], Region(body)))
        with self.within(body):
            yield body.args[0]

    # --- insertion --------------------------------------------------------------------------------

    def add(self, op: Operation, hint: str | None = None) -> SSAValue:
        op.location = self.at.location
        self.builder.insert(op)
        if op.results and hint is not None:
            op.results[0].name_hint = hint
        return op.results[0] if op.results else cast(SSAValue, None)

    def index(self, number: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(number, IndexType())))

    def product(self, a: Size, b: int) -> Size:
        """Writes the product of an index and a number."""
        if isinstance(a, int):
            return a * b
        return a if b == 1 else self.add(arith.MuliOp(a, self.index(b)))

    def sum(self, terms: Sequence[Size]) -> Size:
        """Writes the sum of indices."""
        number = sum(t for t in terms if isinstance(t, int))
        values = [t for t in terms if isinstance(t, SSAValue)]
        if not values:
            return number
        total = values[0]
        for term in [*values[1:], *([self.index(number)] if number else [])]:
            total = self.add(arith.AddiOp(total, term))
        return total

    def quotient(self, a: Size, term: Term) -> Size:
        """Writes the quotient, or the remainder, of an index and a number."""
        if isinstance(a, int):
            return a % term.divisor if term.is_remainder else a // term.divisor
        if term.divisor == 1:
            return a
        return self.add((arith.RemUIOp if term.is_remainder else arith.DivUIOp)(a, self.index(term.divisor)))

    def place(self, offsets: Sequence[Size], place: Place) -> Size:
        """Writes the place of a tile along an axis of a view."""
        terms = list[Size]()
        for term in place.terms:
            index = offsets[term.index] if isinstance(term.index, int) else self.place(offsets, term.index)
            terms.append(self.product(self.quotient(index, term), term.factor))
        return self.sum([*terms, place.constant])

    def offset(self, value: SSAValue) -> Size:
        """Returns an index of the function, as a number if it is known."""
        new = self.indices[value]
        number = constant_of(new)
        return new if number is None else number

    def extent(self, op: pto.PointsOp, axis: int, size: int) -> Size:
        """Returns how many of the `size` rows or columns of a tile along an axis of the space are inside of it."""
        bound = ints(op.bounds)[axis]
        offset = self.offset(op.offsets[axis])
        if isinstance(offset, int):
            if not 0 <= offset < bound:
                need = f"begin below {bound}"
                raise Unsupported(op, what=f"a tile at {offset} of an axis of {bound} elements on PTO", need=need)
            return min(size, bound - offset)
        if self.greatest.get(offset, bound) + size <= bound:
            return size
        key = offset, size, bound
        for known in self.extents.get(key, ()):
            if cast(Operation, known.owner).parent in self.nest:
                return known
        rest = self.add(arith.SubiOp(self.index(bound), offset))
        valid = self.add(arith.MinUIOp(self.index(size), rest), "valid")
        self.extents.setdefault(key, []).append(valid)
        return valid

    def extents_of(self, op: pto.PointsOp, tile: SSAValue) -> tuple[Size, Size]:
        """Returns the valid extents of the tile of an access."""
        (d0, d1), (rows, columns) = ints(op.dims), pto.tile_type(tile).sizes
        return self.extent(op, d0, rows), self.extent(op, d1, columns)

    def transposed(self, value: Full) -> Full:
        op = pto.TransOp(value.tile)
        rows, columns = value.sizes
        layout = "DN" if rows == 1 < columns else None
        Rewriter.replace_value_with_new_type(
            op.result, pto.TileType((columns, rows), value.type.element_type, layout=layout)
        )
        return Full(self.add(op), (value.extents[1], value.extents[0]))
