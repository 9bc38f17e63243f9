"""The kernel of a tile function under construction: arrays, loops over elements by all threads, and arithmetic on indices."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ....analysis.index.linearize import row_major_strides
from ....dialects import nv, pto
from ....dialects.pto.indices import Index, constant
from ...kernel_writer import KernelWriter

THREADS = 256
"""The number of threads of a block."""
AXES = {(2, 0): "rows", (2, 1): "columns"}
"""The name of the extent along an axis of a tile of a rank."""


@dataclass(frozen=True)
class Tile:
    """A tile in shared memory: its array, in row-major order, its sizes and the number of valid elements along each axis."""

    array: SSAValue
    sizes: Sequence[int]
    valid: Sequence[Index]


@dataclass(frozen=True)
class View:
    """A part of an argument: the place of its first element, and the distance of adjacent ones along each axis."""

    array: SSAValue
    start: Index
    strides: Sequence[Index]


class TileWriter(KernelWriter):
    """Writes loops over the elements of tiles."""

    thread: SSAValue

    def __init__(self, function: FuncOp, types: Sequence[Attribute]):
        super().__init__(function, types)
        self.map: dict[SSAValue, SSAValue] = {}
        """The numbers of the old function."""
        self.arrays: dict[SSAValue, SSAValue] = {}
        """The array of each tile."""
        self.tiles: dict[SSAValue, Tile] = {}
        self.views: dict[SSAValue, View] = {}
        self.constants: dict[int, SSAValue] = {}
        self.box: tuple[Sequence[Index], list[Index], SSAValue] | None = None
        """The sizes of the box that is being looped over, the point, and its number in row-major order."""

    # --- indices ----------------------------------------------------------------------------------

    def value(self, index: Index) -> SSAValue:
        """Returns an index as a value; a constant is created once at the head of the kernel."""
        if not isinstance(index, int):
            return index
        if index not in self.constants:
            op = arith.ConstantOp(IntegerAttr(index, IndexType()))
            Rewriter.insert_op(op, InsertPoint.at_start(self.block))
            self.constants[index] = op.result
        return self.constants[index]

    def index(self, old: Index) -> Index:
        """Returns an index of the old function in the new one."""
        if isinstance(old, int):
            return old
        number = constant(old)
        return self.map[old] if number is None else number

    def plus(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        return b if a == 0 else a if b == 0 else self.add(arith.AddiOp(self.value(a), self.value(b)))

    def minus(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a - b
        return a if b == 0 else self.add(arith.SubiOp(self.value(a), self.value(b)))

    def times(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if 0 in (a, b):
            return 0
        return b if a == 1 else a if b == 1 else self.add(arith.MuliOp(self.value(a), self.value(b)))

    def quotient(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a // b
        return a if b == 1 else self.add(arith.DivUIOp(self.value(a), self.value(b)))

    def remainder(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return a % b
        return 0 if b == 1 else self.add(arith.RemUIOp(self.value(a), self.value(b)))

    def least(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        return a if a is b else self.add(arith.MinSIOp(self.value(a), self.value(b)))

    def greatest(self, a: Index, b: Index) -> Index:
        if isinstance(a, int) and isinstance(b, int):
            return max(a, b)
        return a if a is b else self.add(arith.MaxSIOp(self.value(a), self.value(b)))

    def below(self, a: Index, b: Index) -> SSAValue:
        """Returns whether one index, which is not negative, is less than another."""
        return self.add(arith.CmpiOp(self.value(a), self.value(b), "slt"))

    def place(self, point: Sequence[Index], strides: Sequence[Index], start: Index = 0) -> Index:
        """Returns the place of the element at a point."""
        for p, stride in zip(point, strides, strict=True):
            start = self.plus(start, self.times(p, stride))
        return start

    # --- elements ---------------------------------------------------------------------------------

    @contextmanager
    def over(self, sizes: Sequence[Index]) -> Generator[list[Index]]:
        """
        A context manager that writes a loop over the points of a box, which are divided among the threads, and a barrier after it. The `with`
        statement gets the point.
        """
        count: Index = 1
        for n in sizes:
            count = self.times(count, n)
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = "e"
        loop = scf.ForOp(self.thread, self.value(count), self.value(THREADS), [], body)
        loop.attributes["nv.comment"] = StringAttr(self.at.name.removeprefix("pto.tile."))
        self.add(loop)
        outside = self.box
        with self.within(body):
            self.box = sizes, self.point(body.args[0], sizes), body.args[0]
            yield self.box[1]
            self.add(scf.YieldOp())
        self.box = outside
        for op in reversed(list(body.ops)):
            if is_trivially_dead(op) or (isinstance(op, arith.DivUIOp | arith.RemUIOp) and not op.result.uses):
                Rewriter.erase_op(op)
        self.add(gpu.BarrierOp())

    def point(self, number: SSAValue, sizes: Sequence[Index]) -> list[Index]:
        """Returns the point of a box that has a number in row-major order."""
        rest: Index = number
        found: list[Index] = []
        for axis in reversed(range(len(sizes))):
            last = all(n == 1 for n in sizes[:axis])
            index = rest if last else self.remainder(rest, sizes[axis])
            rest = 0 if last else self.quotient(rest, sizes[axis])
            if not isinstance(index, int) and index is not number:
                index.name_hint = "rc"[axis] if len(sizes) == 2 else f"i{axis}"
            found.append(index)
        return found[::-1]

    def load(self, value: SSAValue, point: Sequence[Index]) -> SSAValue:
        """Loads the element of a tile at a point. Along an axis with one element, it is that element."""
        return self.load_at(value, self.place_in(self.tiles[value].sizes, point))

    def place_in(self, sizes: Sequence[int], point: Sequence[Index]) -> Index:
        """Returns the number of the element of a tile at a point: that of the loop, if it is over all of a tile of this size."""
        if self.box is not None and (tuple(sizes), point) == (tuple(self.box[0]), self.box[1]):
            return self.box[2]
        inside = [0 if n == 1 else p for n, p in zip(sizes, point, strict=True)]
        return self.place(inside, row_major_strides(sizes))

    def load_at(self, value: SSAValue, place: Index) -> SSAValue:
        """Loads the element of a tile that has a number in row-major order."""
        return self.add(nv.LoadElementOp(self.tiles[value].array, self.value(place)), "x")

    def store(self, value: SSAValue, point: Sequence[Index], element: SSAValue) -> None:
        """Stores the element of a result at a point."""
        place = self.place_in(pto.tile_type(value).sizes, point)
        self.add(nv.StoreElementOp(element, self.arrays[value], self.value(place)))

    def define(self, value: SSAValue, valid: Sequence[Index]) -> None:
        """Says which elements of a tile are valid."""
        for axis, extent in enumerate(valid):
            if not isinstance(extent, int):
                extent.name_hint = extent.name_hint or AXES.get((len(valid), axis), f"extent{axis}")
        self.tiles[value] = Tile(self.arrays[value], pto.tile_type(value).sizes, valid)

    def folded(
        self, first: Index, last: Index, start: SSAValue, step: Callable[[SSAValue, SSAValue], SSAValue]
    ) -> SSAValue:
        """Writes a loop from `first` to `last`, in which `step(carried, k)` computes the carried value, and returns that after the loop."""
        body = Block(arg_types=[IndexType(), start.type])
        counter, carried = body.args
        counter.name_hint, carried.name_hint = "k", "acc"
        loop = scf.ForOp(self.value(first), self.value(last), self.value(1), [start], body)
        result = self.add(loop, "acc")
        with self.within(body):
            self.add(scf.YieldOp(step(carried, counter)))
        return result
