"""
The tiles of values: each is written once, in the outermost scope that can compute it, after the tiles of its operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.index import affine
from ...analysis.index.info import Access, compose_access
from ...analysis.index.positions import Positions
from ...analysis.regions.kernel_space import kernel_space
from ...analysis.regions.one_hot import one_hot_sums
from ...analysis.regions.space import KernelSpace
from ...dialects import ptir, pto, region, tiny
from ...dialects.common.kernel import STATUS
from ...dialects.common.numbers import first_number
from ...dialects.common.report import STATUS_TYPE
from ...dialects.common.shapes import shape
from ...dialects.common.strict import is_strict
from ...dialects.plan.schedule import Schedule
from ...dialects.ptir import ScalarAttr
from ...planning.templates import check_plan
from ..kernel_writer import KernelWriter
from .scope import Read, Scope


class TileValues(KernelWriter, ABC):
    """Writes the tiles of values. Subclasses say what the operands of a value are, and which op computes it."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel)
        self.kernel, self.plan = kernel, plan
        self.space: KernelSpace = kernel_space(kernel)
        check_plan(kernel, plan, self.space)
        self.positions = Positions(self.space.book)
        self.one_hot = one_hot_sums(kernel.body.block.ops, self.space.book)
        self.strict = is_strict(kernel)
        self.products: list[Operation] = []
        """The products that sums add by FMAs; most have no other use."""
        self.scratch: dict[str, BlockArgument] = {}
        """The arguments that the kernel gets in addition, by their purpose: workspace, counters, status."""
        outer = self.space.outer
        names = [*(f"b{k}" for k in range(outer)), "m", "n", *("s" for _ in range(self.plan.split > 1))]
        self.tile = Block(arg_types=[IndexType()] * len(names))
        for name, arg in zip(names, self.tile.args, strict=True):
            arg.name_hint = name
        self.offsets = self.tile.args[: outer + 2]
        self.builder = Builder(InsertPoint.at_end(self.tile))
        self.scope: Scope = Scope(self.space.points, tuple(self.offsets), self.builder, self.sizes, self.dims)

    @property
    def dims(self) -> tuple[int, int]:
        """The axes of the space along the rows and the columns of a result's tile."""
        m, n = self.space.outer, self.space.outer + 1
        return (n, m) if self.plan.transposed else (m, n)

    @property
    def steps(self) -> tuple[int, int]:
        """The extents along m and n of the points that a block computes: those of a tile."""
        return self.plan.block_tile

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of rows and columns of a result's tile."""
        bm, bn = self.plan.block_tile
        return (bn, bm) if self.plan.transposed else (bm, bn)

    def index(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, IndexType())))

    @abstractmethod
    def operands(self, read: Read) -> list[Read]:
        """Returns the reads of operands from which the tile of a read is computed. The loop of a reduction has its own reads."""

    @abstractmethod
    def write(self, read: Read, operands: Sequence[Read]) -> SSAValue:
        """Writes the ops that compute a read from its operands, whose tiles are written, and returns its tile."""

    def value(self, read: Read) -> SSAValue:
        """Returns the tile of a read. Writes the tiles that it needs, operands first, unless they are already written."""
        todo: list[tuple[Read, list[Read] | None]] = [(read, None)]
        while todo:
            here, operands = todo.pop()
            if here.tile is not None:
                continue
            if operands is None:
                operands = self.operands(here)
                todo.append((here, operands))
                todo += [(operand, None) for operand in reversed(operands)]
                continue
            with self.inside(here.scope):
                here.scope.tiles[here.key] = self.write(here, operands)
        return read.scope.tiles[read.key]

    def expanded(self, tile: SSAValue, scope: Scope) -> SSAValue:
        """Returns `tile` with the scope's sizes. If it has one row, or fewer columns, they are repeated."""
        (rows, columns), (lines, held) = scope.sizes, pto.tile_type(tile).sizes
        if lines != rows:
            return self.add(pto.ColExpandOp(tile, rows))
        if held == columns:
            return tile
        return self.add(pto.RowExpandOp(tile, columns, *(self.plan.lane_parts if held > 1 else ())))

    @contextmanager
    def inside(self, scope: Scope) -> Generator[None]:
        """A context manager that inserts at the end of a scope inside of the `with`."""
        outside, self.builder = self.builder, scope.builder
        yield
        self.builder = outside

    def where(self, read: Read) -> isl.Set | None:
        """Returns the points of the scope at which a predicate holds, or None if it depends on more than the position."""
        where = self.positions.condition(read.at.value)
        return None if where is None else where.preimage_multi_aff(read.at.map)

    def asked(self, read: Read) -> isl.Set:
        """Returns the points of the scope at which a read is needed."""
        box = affine.box(read.scope.points)
        return box if read.at.guard is None else box.intersect(read.at.guard)

    def read(self, access: Access, at: Access, scope: Scope) -> Read:
        """Returns the read of an operand of a value that `scope` reads at `at`, in the outermost scope that can compute it."""
        guarded = Access(at.value, at.map, at.guard, access.fill if access.guard is not None else None)
        found = compose_access(access, guarded, scope.points)
        if self.is_contracted(access.value):
            starts = (space.start_map for space in self.space.of_members)
            same = (at for at in starts if affine.equal_on(scope.points, found.map, at))
            found = next((Access(access.value, at) for at in same), found)
        if isinstance(found.value.owner, region.LoadOp) and found.guard is not None:
            inside = affine.box(shape(found.value)).preimage_multi_aff(found.map)
            found = Access(found.value, found.map) if affine.box(scope.points).is_subset(inside) else found
        while scope.around is not None and found.guard is None and not _is_splat(found.value):
            if self.varies(found, scope):
                break
            rank, scope = len(scope.points), scope.around
            kept = [f"i{k}" if k < len(scope.points) else "0" for k in range(rank)]
            first = affine.make_map(len(scope.points), kept)
            found = Access(found.value, affine.compose(found.map, first, scope.points))
        for known in scope.staged:  # a source has the elements of all points at which it is needed
            if known.value is found.value and affine.equal_on(scope.points, known.map, found.map):
                return Read(known, scope)
        return Read(found, scope)

    def varies(self, at: Access, scope: Scope) -> bool:
        """Returns whether the value that is read through `at` depends on the axis of `scope`."""
        return affine.uses_axis(at.map, scope.axis)

    def is_contracted(self, value: SSAValue) -> bool:
        """Returns whether a value is the accumulator of the matrix units."""
        return len(self.plan.tile) == 3 and value in self.space.starts

    def convert(self, tile: SSAValue, dtype: Attribute) -> SSAValue:
        return tile if pto.tile_type(tile).element_type == dtype else self.add(pto.CvtOp(tile, dtype))

    def filled(self, number: ScalarAttr, scope: Scope) -> SSAValue:
        """Writes a tile whose elements are all `number`."""
        return self.add(pto.ExpandsOp(first_number(number.dense), pto.TileType(scope.sizes, number.dtype)))

    def mask(self, read: Read, where: isl.Set) -> SSAValue:
        """Writes the tile of predicates that are true at the points in `where`."""
        scope = read.scope
        simple = affine.simplify_guard([where], scope.points, self.asked(read))
        text = None if simple is None else str(simple)
        return self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes, text, scope.positions))

    def reported(
        self, op: tiny.BinaryOp | ptir.GatherOp | ptir.ScatterReduceOp, tile: SSAValue, failed: SSAValue, read: Read
    ) -> SSAValue:
        """Writes the report of failures of `op` at the points at which a read is needed, and returns `tile`."""
        if op.failure is None or op.report is None:
            return tile
        scope, guard = read.scope, read.at.guard
        if guard is not None:
            guard = affine.simplify_guard([guard], scope.points, affine.box(scope.points))
        if STATUS not in self.scratch:
            self.scratch[STATUS] = self.add_argument(STATUS_TYPE, STATUS)
        where = None if guard is None else str(guard)
        points = scope.offsets, scope.points, scope.dims
        status, number = self.scratch[STATUS], op.report.value.data
        return self.add(pto.ReportOp(op.failure, tile, failed, status, number, *points, where, scope.positions))


def _is_splat(value: SSAValue) -> bool:
    return isinstance(value.owner, tiny.ConstOp)
