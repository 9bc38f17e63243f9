"""
Writes instructions on tiles as loops over the elements of their valid regions.

A reduction computes a row or a column in one thread, a product an element of the result; sums of floats that are narrower than f32 are in f32.
A sort stores each element at its rank: the number of those that come before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, singledispatchmethod
from typing import cast

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType, IntegerType, f32, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ....analysis.index.linearize import row_major_strides
from ....dialects import nv, pto
from ....dialects.common.shapes import is_float, signless
from ....dialects.ptir.functions import bit_width
from ....dialects.pto.indices import Index, joined
from ....dialects.pto.matmul import ProductOp
from ....dialects.pto.sequences import SORTED_BLOCK
from ....dialects.pto.transfers import TransferOp
from ....dialects.pto.vector import VectorBinaryOp
from ....errors import Unsupported
from ....targets.pto.machine import PtoMachine
from ...scalar_casts import convert
from ..tile_scalars import apply, combined, compare, round_to_tf32, scalar_type
from .elements import ELEMENTWISE, element, number, scaled
from .writer import TileWriter, View

PARTIAL = tuple(pto.PARTIAL.values())
WITHOUT_EFFECT = (pto.PrefetchOp, pto.SyncOp, pto.SyncOpcodeOp, pto.RecordOp)
"""Ops that order others, or are hints: there is a barrier after every op."""


class Instructions(TileWriter):
    """Writes one instruction at a time."""

    machine: PtoMachine

    @singledispatchmethod
    def instruction(self, op: Operation) -> None:
        """Writes an instruction."""
        if isinstance(op, VectorBinaryOp) and isinstance(op, PARTIAL):
            self.partial(op)
        elif isinstance(op, ELEMENTWISE):
            self.elementwise(op)
        elif not isinstance(op, WITHOUT_EFFECT):
            need = self.machine.lacks.get(op.name, "it belongs in a pto.kernel")
            raise Unsupported(op, what=f"'{op.name}' in a function of tile ops for a GPU", need=need)

    def valid(self, op: pto.InstructionOp) -> list[Index] | None:
        """Returns the valid region that the op says."""
        return None if op.static_valid is None else [self.index(i) for i in joined(op.static_valid, op.valid)]

    def region(self, op: Operation) -> list[Index]:
        """Returns the valid region of a result: that which the op says, or else follows from those of the operands."""
        sizes = pto.tile_type(op.results[0]).sizes
        if not isinstance(op, pto.InstructionOp):
            axes = [(v, range(len(sizes))) for v in op.operands]
        elif (valid := self.valid(op)) is not None:
            return valid
        else:
            axes = op.valid_axes
        found: list[list[Index]] = [[] for _ in sizes]
        for tile, own in axes:
            for extents, axis in zip(found, own, strict=True):
                extents += () if axis is None else [self.tiles[tile].valid[axis]]
        return [reduce(self.least, extents) if extents else n for extents, n in zip(found, sizes, strict=True)]

    def elementwise(self, op: Operation) -> None:
        region = self.region(op)
        inputs = op.inputs if isinstance(op, pto.InstructionOp) else op.operands
        with self.over(region) as point:
            values = [self.load(v, point) if v in self.tiles else self.map[v] for v in inputs]
            self.store(op.results[0], point, element(op, values, self.add))
        self.define(op.results[0], region)

    # --- memory -----------------------------------------------------------------------------------

    def window(self, op: TransferOp) -> View:
        """Returns the part of an array that a transfer accesses."""
        view = self.views[op.memref]
        offsets = [self.index(i) for i in joined(op.static_offsets, op.offsets)]
        return View(view.array, self.place(offsets, view.strides, view.start), view.strides)

    @instruction.register
    def _(self, op: pto.LoadOp) -> None:
        region, window = self.region(op), self.window(op)
        with self.over(region) as point:
            place = self.value(self.place(point, window.strides, window.start))
            self.store(op.result, point, self.add(nv.LoadElementOp(window.array, place), "x"))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.StoreOp | pto.StoreScaledOp) -> None:
        region, window = self.valid(op) or self.tiles[op.tile].valid, self.window(op)
        dtype = pto.memref_type(op.memref).element_type
        with self.over(region) as point:
            value = self.load(op.tile, point)
            if isinstance(op, pto.StoreScaledOp):
                value = scaled(op, [value, self.load(op.scale, point)], dtype, self.add)
            place = self.value(self.place(point, window.strides, window.start))
            self.add(nv.StoreElementOp(value, window.array, place))

    # --- reductions and products --------------------------------------------------------------------

    @instruction.register
    def _(self, op: pto.RowReduceOp | pto.ColReduceOp) -> None:
        self.require_whole_rows(op)
        axis = len(pto.tile_type(op.input).sizes) - 1 if isinstance(op, pto.RowReduceOp) else 0
        region, count = self.region(op), self.tiles[op.input].valid[axis]
        dtype = scalar_type(op, op.result)
        wide: Attribute = f32 if is_float(dtype) and bit_width(dtype) < 32 else dtype

        with self.over(region) as point:

            def at(k: Index) -> SSAValue:
                return convert(self.load(op.input, [*point[:axis], k, *point[axis + 1 :]]), dtype, wide, self.add)

            def step(acc: SSAValue, k: SSAValue) -> SSAValue:
                return combined(op, [acc, at(k)], self.add, wide)

            total = self.folded(1, count, at(0), step)
            self.store(op.result, point, convert(total, wide, dtype, self.add))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.RowExpandOp) -> None:
        self.require_whole_rows(op)
        region = self.region(op)
        with self.over(region) as point:
            self.store(op.result, point, self.load(op.input, point))
        self.define(op.result, region)

    def require_whole_rows(self, op: Operation) -> None:
        if isinstance(op, pto.RowReduceOp | pto.RowExpandOp) and op.run is not None:
            need = "reduce to one column: partial results of rows are of kernels"
            raise Unsupported(op, what="'run' in a function of tile ops for a GPU", need=need)

    @instruction.register
    def _(self, op: ProductOp) -> None:
        result, region = op.results[0], self.region(op)
        target, count = scalar_type(op, result), self.tiles[op.a].valid[1]
        with self.over(region) as (row, column):

            def operand(value: SSAValue, *point: Index) -> SSAValue:
                x = self.load(value, point)
                x = x if op.precision is None else round_to_tf32(x, self.add)
                return convert(x, scalar_type(op, value), target, self.add)

            def step(acc: SSAValue, k: SSAValue) -> SSAValue:
                a, b = operand(op.a, row, k), operand(op.b, k, column)
                if is_float(target):
                    return self.add(math.FmaOp(a, b, acc))
                return self.add(arith.AddiOp(acc, self.add(arith.MuliOp(a, b))))

            match op:
                case pto.MatmulAccOp():
                    start = self.load(op.acc, (row, column))
                case pto.MatmulBiasOp():
                    start = convert(self.load(op.bias, (row, column)), scalar_type(op, op.bias), target, self.add)
                case _:
                    start = number(0, target, self.add)
            self.store(result, (row, column), self.folded(0, count, start, step))
        self.define(result, region)

    # --- rearrangements -----------------------------------------------------------------------------

    @instruction.register
    def _(self, op: pto.TransOp) -> None:
        region = self.region(op)
        with self.over(region) as (row, column):
            self.store(op.result, (row, column), self.load(op.input, (column, row)))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.ReshapeOp) -> None:
        region, strides = self.region(op), row_major_strides(pto.tile_type(op.result).sizes)
        with self.over(region) as point:
            self.store(op.result, point, self.load_at(op.input, self.place(point, strides)))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.RowXorOp) -> None:
        region = self.region(op)
        with self.over(region) as (row, *rest):
            other = self.add(arith.XOrIOp(self.value(row), self.value(op.by.value.data)))
            self.store(op.result, (row, *rest), self.load(op.input, (other, *rest)))
        self.define(op.result, region)

    def offsets(self, op: pto.ExtractOp | pto.InsertOp) -> list[Index]:
        return [self.index(i) for i in joined(op.static_offsets, op.offsets)]

    @instruction.register
    def _(self, op: pto.ExtractOp) -> None:
        tile, offsets, sizes = self.tiles[op.input], self.offsets(op), pto.tile_type(op.result).sizes
        left = [
            n if v == size else self.greatest(self.least(n, self.minus(v, o)), 0)
            for n, v, size, o in zip(sizes, tile.valid, tile.sizes, offsets, strict=True)
        ]
        region = self.valid(op) or left
        with self.over(region) as point:
            there = [self.plus(p, o) for p, o in zip(point, offsets, strict=True)]
            self.store(op.result, point, self.load_at(op.input, self.place(there, row_major_strides(tile.sizes))))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.InsertOp) -> None:
        region, offsets = self.region(op), self.offsets(op)
        with self.over(region) as point:
            self.store(op.result, point, self.load(op.into, point))
        with self.over(self.tiles[op.input].valid) as point:
            there = [self.plus(p, o) for p, o in zip(point, offsets, strict=True)]
            self.store(op.result, there, self.load(op.input, point))
        self.define(op.result, region)

    def partial(self, op: VectorBinaryOp) -> None:
        """Writes a function of two tiles where both are valid; elsewhere, the result is the tile that is valid."""
        sizes, left, right = pto.tile_type(op.result).sizes, self.tiles[op.lhs].valid, self.tiles[op.rhs].valid
        union = [n if n in pair else self.greatest(*pair) for n, *pair in zip(sizes, left, right, strict=True)]
        region = self.valid(op) or union

        with self.over(region) as point:
            conditions = [self.inside(point, extents, sizes) for extents in (left, right)]

            def operand(value: SSAValue) -> Callable[[], SSAValue]:
                return lambda: self.load(value, point)

            def both() -> SSAValue:
                a, b = self.load(op.lhs, point), self.load(op.rhs, point)
                return apply(op, op.FN, scalar_type(op, op.result), [a, b], self.add)

            def of_left() -> SSAValue:
                return self.chosen(conditions[1], both, operand(op.lhs))

            self.store(op.result, point, self.chosen(conditions[0], of_left, operand(op.rhs)))
        self.define(op.result, region)

    def inside(self, point: Sequence[Index], extents: Sequence[Index], sizes: Sequence[int]) -> SSAValue | None:
        """Returns whether a point lies in the valid region of a tile; None if all of it is valid."""
        tests = [self.below(p, n) for p, n, size in zip(point, extents, sizes, strict=True) if n != size]
        return reduce(lambda a, b: self.add(arith.AndIOp(a, b)), tests) if tests else None

    def chosen(
        self, condition: SSAValue | None, first: Callable[[], SSAValue], second: Callable[[], SSAValue]
    ) -> SSAValue:
        """Returns what `first` computes if a condition is true or there is none, and otherwise what `second` does."""
        if condition is None:
            return first()
        blocks, found = [Block(), Block()], list[SSAValue]()
        for block, compute in zip(blocks, (first, second), strict=True):
            with self.within(block):
                found.append(compute())
                self.add(scf.YieldOp(found[-1]))
        return self.add(scf.IfOp(condition, [found[0].type], [blocks[0]], [blocks[1]]), "x")

    def position(self, tile: SSAValue, point: Sequence[Index]) -> SSAValue:
        """Loads an element of a tile of indices as an index."""
        word = self.load(tile, point)
        if word.type != i32:
            word = self.add(arith.ExtUIOp(word, i32))
        return self.add(arith.IndexCastOp(word, IndexType()), "at")

    @instruction.register
    def _(self, op: pto.GatherOp) -> None:
        region = self.region(op)
        with self.over(region) as point:
            self.store(op.result, point, self.load_at(op.input, self.position(op.indices, point)))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.GatherBytesOp) -> None:
        *rows, blocks = self.tiles[op.indices].valid
        region = self.valid(op) or [*rows, self.times(blocks, op.block)]
        with self.over(region) as (*row, column):
            block, rest = self.quotient(column, op.block), self.remainder(column, op.block)
            first = self.quotient(self.position(op.indices, (*row, block)), pto.BLOCK_BYTES // op.block)
            self.store(op.result, (*row, column), self.load_at(op.input, self.plus(first, rest)))
        self.define(op.result, region)

    @instruction.register
    def _(self, op: pto.ScatterOp) -> None:
        region = self.region(op)
        with self.over(self.tiles[op.input].valid) as (row, column):
            to = self.position(op.indices, (row, column))
            self.store(op.result, (to, column), self.load(op.input, (row, column)))
        self.define(op.result, region)

    # --- sequences ----------------------------------------------------------------------------------

    @instruction.register
    def _(self, op: pto.CiOp) -> None:
        region, dtype = self.region(op), cast(IntegerType, signless(pto.tile_type(op.result).element_type))
        with self.over(region) as (row, column):
            steps = self.add(arith.IndexCastOp(self.value(column), dtype), "steps")
            kind = arith.AddiOp if op.descending is None else arith.SubiOp
            self.store(op.result, (row, column), self.add(kind(self.map[op.start], steps)))
        self.define(op.result, region)

    def before(self, y: SSAValue, x: SSAValue, dtype: Attribute) -> SSAValue:
        """Returns whether `y` sorts before `x`: it is less, or `x` is NaN and `y` is a number."""
        number_ = self.add(compare(dtype, "EQ", y, y))
        nan = self.add(compare(dtype, "NE", x, x))
        return self.add(arith.OrIOp(self.add(compare(dtype, "LT", y, x)), self.add(arith.AndIOp(number_, nan))))

    def rank(
        self, x: SSAValue, tile: SSAValue, row: Index, first: Index, count: Index, ties: Index, start: Index = 0
    ) -> SSAValue:
        """
        Returns `start` and the number of the `count` elements of a row from `first` on that sort before `x`, or equal it and are among the first
        `ties`.
        """
        dtype = scalar_type(self.at, tile)

        def step(acc: SSAValue, k: SSAValue) -> SSAValue:
            y = self.load(tile, (row, self.plus(first, k)))
            later = self.add(
                arith.XOrIOp(self.before(x, y, dtype), self.add(arith.ConstantOp.from_int_and_width(1, 1)))
            )
            tie = self.add(arith.AndIOp(later, self.below(k, ties)))
            counts = self.add(arith.OrIOp(self.before(y, x, dtype), tie))
            return self.add(arith.SelectOp(counts, self.value(self.plus(acc, 1)), acc), "rank")

        return self.folded(0, count, self.value(start), step)

    def sort_groups(self, op: pto.Sort32Op | pto.MrgSortOp, tile: SSAValue, group: int) -> None:
        """Sorts each `group` of contiguous elements of a row."""
        *rows, columns = self.tiles[tile].valid
        whole = [*rows, self.times(self.quotient(columns, group), group)]
        region = self.valid(op) or whole
        with self.over(whole) as (row, column):
            x, own = self.load(tile, (row, column)), self.remainder(column, group)
            first = self.minus(column, own)
            place = self.plus(first, self.rank(x, tile, row, first, group, own))
            self.store(op.result, (row, place), x)
            if isinstance(op, pto.Sort32Op):
                self.store(op.columns, (row, place), self.add(arith.IndexCastOp(self.value(column), i32), "column"))
        for result in op.results:
            if isinstance(result.type, pto.TileType):
                self.define(result, region)

    @instruction.register
    def _(self, op: pto.Sort32Op) -> None:
        self.sort_groups(op, op.input, SORTED_BLOCK)

    @instruction.register
    def _(self, op: pto.MrgSortOp) -> None:
        if op.block is not None:
            self.sort_groups(op, op.lists[0], 4 * op.block.value.data)
            return
        total: Index = 0
        for number_, tile in enumerate(op.lists):
            columns = self.tiles[tile].valid[1]
            total = self.plus(total, columns)
            with self.over([1, columns]) as (row, column):
                x = self.load(tile, (row, column))
                place: Index = column
                for other_number, other in enumerate(op.lists):
                    if other is not tile or other_number != number_:
                        count = self.tiles[other].valid[1]
                        place = self.rank(x, other, row, 0, count, count if other_number < number_ else 0, place)
                self.store(op.result, (row, place), x)
        self.define(op.result, self.valid(op) or [1, total])
