"""
The tile program of one kernel: its loads, its vector ops, and its stores.

Every load and store carries its access map from the IndexBook, composed with the maps of the movements around it to a map from
the space of tiles. The points at which a pad reads its operand become the set of a load. A reduction that no matrix unit
computes becomes a loop:

```
tiny.reduce max %x axes [1]    →    scf.for %r = 0 to K step 1 iter_args(%a = -inf) {
                                      %t = load %x[…, %r];  yield max(%a, %t) }
```

Values that do not depend on the loop's counter are computed before the loop. A sum with one term that is not zero
(`analysis/regions/one_hot.py`) is no loop, but a load at the position of this term. Spec: `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from typing import cast

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, Signedness, f32, f64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ...analysis.index import affine
from ...analysis.index.info import Access, compose_access
from ...analysis.index.positions import Positions
from ...analysis.regions.addresses import extended, operand_reads
from ...analysis.regions.kernel_ops import is_atomic_scatter
from ...analysis.regions.kernel_space import kernel_space, output_maps, stored_values
from ...analysis.regions.leaf_accesses import leaf_accesses
from ...analysis.regions.one_hot import one_hot_sums
from ...analysis.regions.space import KernelSpace
from ...analysis.regions.windows import Window
from ...dialects import ptir, pto, region, tiny
from ...dialects.common.kernel import STATUS
from ...dialects.common.numbers import first_number
from ...dialects.common.report import STATUS_TYPE
from ...dialects.common.shapes import element, is_as_wide, is_predicate, multiplies_exactly, shape
from ...dialects.common.strict import is_strict
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...dialects.ptir import ScalarAttr
from ...dialects.pto.vector import COMPARES
from ...errors import Unsupported
from ...planning.elementwise import unrolls
from ...planning.templates import check_plan
from ..kernel_writer import KernelWriter
from ..neutral import neutral
from .formulas import FORMULAS, Formula

FUNCTIONS = {**pto.UNARY, **pto.BINARY}
"""Maps functions of tiny to the vector ops of the same name."""
SHIFTS_RIGHT = ("shift_right_arithmetic", "shift_right_logical")
COMBINERS = {"sum": "add", "mul": "mul", "max": "max", "min": "min"}
"""Maps each reduction to the vector op that combines two elements."""
PREDICATE_COMBINERS = {"max": "or", "min": "and"}
"""Maps each reduction of i1 to the vector op that combines two elements."""
INDEX = IntegerType(32, Signedness.SIGNED)
UNMAPPED = {
    True: (
        "an output that does not read the contraction one-to-one",
        "form-regions stores the contraction first: split the region",
    ),
    False: ("an output of another shape than the first", "give it a region of its own"),
}
"""The reason why an output cannot be stored by tiles, and the help; the key is whether the kernel has a contraction."""
ALIGNMENT = 16
"""Alignment of a workspace in bytes, which is the width of the widest access."""


@dataclass(eq=False)
class Scope:
    """
    A place at which tiles are computed: the tile program, or the body of a loop in it. `points` are the sizes of its space; in a
    loop, the last axis is the loop's counter. A tile lies along the axes `dims` of the space, has the sizes `sizes`, and begins at
    `offsets`. Values that do not depend on `axis` are computed in the scope `around`. `tiles` maps the value, map and guard of a
    read to its tile, if it has been written.

    The space of a value that is read at indices given by data has a last axis for each of them, whose coordinates are the elements
    of a tile: the scope has `positions` after `offsets`.
    """

    points: tuple[int, ...]
    offsets: tuple[SSAValue, ...]
    builder: Builder
    sizes: tuple[int, int]
    dims: tuple[int, int]
    around: Scope | None = None
    axis: int = -1
    tiles: dict[tuple[SSAValue, str, str], SSAValue] = field(default_factory=dict[tuple[SSAValue, str, str], SSAValue])
    staged: tuple[Access, ...] = ()
    """The accesses whose tiles are in `tiles` from the start."""
    positions: tuple[SSAValue, ...] = ()
    further: dict[SSAValue | None, Scope] = field(default_factory=dict[SSAValue | None, "Scope"])
    """The scopes with one more position, by its tile, and, under None, the scope of tiles of one column."""

    def at(self, position: SSAValue, size: int) -> Scope:
        """Returns the scope whose space has one more axis, of `size`, along which the coordinates are the elements of a tile."""
        if position not in self.further:
            points, positions = (*self.points, size), (*self.positions, position)
            self.further[position] = Scope(
                points, self.offsets, self.builder, self.sizes, self.dims, self, len(self.points), positions=positions
            )
        return self.further[position]

    @property
    def narrow(self) -> Scope:
        """The scope of the same space in which tiles have one column."""
        if self.sizes[1] == 1:
            return self
        if None not in self.further:
            rows, around = (self.sizes[0], 1), self.around and self.around.narrow
            self.further[None] = replace(self, sizes=rows, around=around, tiles={}, staged=(), further={})
        return self.further[None]


@dataclass(frozen=True, eq=False)
class Read:
    """
    A read of a value in a scope: element `at.map(p)` at each point p where `at.guard` holds. At other points, any value will do.
    """

    at: Access
    scope: Scope

    @property
    def key(self) -> tuple[SSAValue, str, str]:
        guard = "" if self.at.guard is None else str(self.at.guard)
        return self.at.value, affine.canonical_text(self.at.map), guard

    @property
    def tile(self) -> SSAValue | None:
        return self.scope.tiles.get(self.key)


class TileProgram(KernelWriter):
    """Writes the tile program of an elementwise kernel: loads that vector ops need, the vector ops, and stores."""

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

    def argument(self, value: SSAValue) -> SSAValue:
        """Returns the kernel argument from which a value is loaded. Raises `Unsupported` if it is computed."""
        op = value.owner
        if isinstance(op, region.LoadOp) and isinstance(op.memref, BlockArgument):
            return self.block.args[op.memref.index]
        raise Unsupported(
            op if isinstance(op, Operation) else self.kernel,
            what="an operand of a contraction that is computed in the same region",
            need="give it its own region, as form-regions does by storing it first",
        )

    def begin(self) -> None:
        """Writes the ops that precede the vector ops. Only contractions have such ops."""

    def build(self) -> pto.PtoKernelOp:
        space = self.space
        self.begin()
        self.scope.builder = self.builder
        self.store_outputs()
        for multiply in self.products:
            erase_unused(multiply)
        steps = [1] * space.outer + list(self.steps)
        split = self.plan.split if self.plan.split > 1 else None
        tiles = pto.TilesOp(space.points, steps, Region(self.tile), split)
        tiles.location = self.kernel.location
        self.block.add_op(tiles)
        k = self.kernel
        out = pto.PtoKernelOp(
            k.sym_name.data,
            len(k.inputs),
            [*ints(k.alignments), *(ALIGNMENT for _ in self.scratch)],
            [*(m.data for m in k.materialize), *self.scratch],
            Region(self.block),
            k.plan,
        )
        out.location = k.location
        return out

    def store_outputs(self) -> None:
        """Writes the stores of all outputs, and the ops that compute them."""
        for root, out in zip(stored_values(self.kernel), self.kernel.outputs, strict=True):
            self.store(root, self.block.args[out.index])

    def store(self, root: SSAValue, to: SSAValue) -> None:
        """Writes the store of an output, and the ops that compute it."""
        self.at = _op(root, self.kernel)
        if is_atomic_scatter(op := root.owner):
            self.scatter(op, to)
            return
        if not (maps := output_maps(self.space, root)):
            what, need = UNMAPPED[self.space.contraction is not None]
            raise Unsupported(self.at, what=what, need=need)
        for at in maps:
            tile, offsets = self.output(root, at), self.scope.offsets
            points, text = self.space.points, affine.canonical_text(at)
            self.add(pto.StoreMapOp(tile, to, offsets, text, points, self.dims, self.stored_at))

    @property
    def stored_at(self) -> str | None:
        """The set of points that are stored: of each window, which is adjacent rows with equal elements, the first. None for all points."""
        if (window := self.space.window) is None:
            return None
        axes = ", ".join(f"i{k}" for k in range(len(self.space.points)))
        return str(isl.Set(f"{{ [{axes}] : i{self.space.outer} mod {window.rows} = 0 }}"))

    def scatter(self, op: ptir.ScatterReduceOp, to: SSAValue) -> None:
        """Writes the updates of elements of an output at indices given by data, and the ops that compute both."""
        scope, axis, size = self.scope, op.axis(), shape(op.result)[op.axis()]
        (at,) = self.space.outputs[op.indices]
        tile = self.output(op.updates, at)
        index = self.as_position(
            self.read(Access(op.indices, affine.identity(len(shape(op.indices)))), Access(op.indices, at), scope)
        )
        indices = self.value(index)
        self.at = op
        with self.inside(index.scope):
            position = self.bounded(op, indices, size, index)
        points, rank = (*self.space.points, size), len(self.space.points)
        outer = affine.make_map(rank + 1, [f"i{k}" for k in range(rank)])
        element_at = affine.compose(at, outer, points).set_at(axis, affine.make_map(rank + 1, [f"i{rank}"]).get_at(0))
        positions, text = [self.with_rows(position, scope)], affine.canonical_text(element_at)
        self.add(pto.ScatterMapOp(op.kind.data, tile, to, scope.offsets, text, points, self.dims, positions))

    def output(self, root: SSAValue, at: isl.MultiAff) -> SSAValue:
        """Returns the tile to store for the output `root`, which is read through `at`."""
        return self.value(Read(Access(root, at), self.scope))

    # --- tiles ------------------------------------------------------------------------------------

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
                if isinstance(op := here.at.value.owner, ptir.GatherOp | ptir.DynamicSliceOp):
                    here.scope.tiles[here.key] = self.read_at_positions(op, here, operands)
                    continue
                if isinstance(op, tiny.ReduceOp) and op in self.one_hot:
                    here.scope.tiles[here.key] = self.only_term(op, here, operands[0])
                    continue
                tiles = [self.expanded(tile, here.scope) for o in operands if (tile := o.tile)]
                here.scope.tiles[here.key] = self.compute(here, tiles)
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

    def operands(self, read: Read) -> list[Read]:
        """Returns the reads of operands from which the tile of a read is computed. The loop of a reduction has its own reads."""
        value, at = read.at.value, read.at
        info = self.space.book[value]
        if info.positions or value.owner in self.one_hot:
            return self.position_reads(read)
        if self.is_contracted(value) or isinstance(value.owner, tiny.ReduceOp) or self.where(read) is not None:
            return []
        accesses = info.accesses
        if isinstance(value.owner, tiny.BinaryOp) and value.owner.fn.data == "where":
            choice = self.read(accesses[0], at, read.scope)  # may be in an enclosing scope
            placed = compose_access(accesses[0], Access(value, at.map), read.scope.points)
            if (where := self.where(Read(placed, read.scope))) is not None:
                asked = self.asked(read)
                sides = [(accesses[1], where), (accesses[2], where.complement())]
                found = [
                    self.read(access, Access(value, at.map, here), read.scope)
                    for access, side in sides
                    if not (here := asked.intersect(side)).is_empty()
                ] or [self.read(accesses[2], at, read.scope)]  # if neither is needed at any point
                return found if len(found) == 1 else [choice, *found]
        return [self.read(access, at, read.scope) for access in accesses]

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
        if self.is_contracted(access.value) and affine.equal_on(scope.points, found.map, self.space.start_map):
            found = Access(access.value, self.space.start_map)
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
        return Read(found, scope)

    def varies(self, at: Access, scope: Scope) -> bool:
        """Returns whether the value that is read through `at` depends on the axis of `scope`."""
        return affine.uses_axis(at.map, scope.axis)

    def is_contracted(self, value: SSAValue) -> bool:
        """Returns whether a value is the accumulator of the matrix units."""
        return len(self.plan.tile) == 3 and value in self.space.starts

    def compute(self, read: Read, operands: Sequence[SSAValue]) -> SSAValue:
        """Writes the tile op that computes a read from the tiles of its operands, and returns its tile. Raises `Unsupported`."""
        value, at, scope = read.at.value, read.at, read.scope
        op = value.owner
        if self.is_contracted(value):
            raise Unsupported(
                _op(value, self.kernel),
                what="an epilogue that reads the contraction at two indices",
                need="form-regions stores the contraction first: split the region",
            )
        tile = pto.TileType(scope.sizes, element(value))
        self.at = op if isinstance(op, Operation) else self.kernel
        if (where := self.where(read)) is not None:
            return self.mask(read, where)
        match op:
            case tiny.MovementOp() if op.kind.data == "pad":
                return self.pad(op, read, operands[0])
            case tiny.MovementOp():
                return operands[0]
            case tiny.ConstOp():
                new = pto.ExpandsOp(first_number(op.value), tile)
            case tiny.IotaOp():
                index = affine.make_map(len(shape(value)), [f"i{op.axis()}"])
                text = affine.canonical_text(affine.compose(index, at.map, scope.points))
                counts = pto.TileType(scope.sizes, INDEX)
                new = pto.IotaOp(scope.offsets, text, scope.points, scope.dims, counts, scope.positions)
                return self.convert(self.add(new), element(value))
            case tiny.ReduceOp():
                return self.reduce(op, read)
            case region.LoadOp():
                source, text = self.argument(value), affine.canonical_text(at.map)
                where = None if at.guard is None else str(at.guard)
                new = pto.LoadMapOp(source, scope.offsets, text, scope.points, scope.dims, tile, where, scope.positions)
            case tiny.UnaryOp() if op.fn.data == "cast":
                new = pto.CvtOp(operands[0], element(value))
            case tiny.UnaryOp() if op.fn.data == "bitcast":
                new = pto.BitcastOp(operands[0], element(value))
            case tiny.BinaryOp() if op.fn.data == "where":
                if len(operands) == 1:
                    return operands[0]
                new = pto.SelOp(operands[0], operands[1], operands[2])
            case tiny.BinaryOp() if op.fn.data in COMPARES:
                new = pto.CmpOp(COMPARES[op.fn.data], operands[0], operands[1])
            case tiny.UnaryOp() if op.fn.data in FORMULAS:
                return FORMULAS[op.fn.data](Formula(self.add), operands[0])
            case tiny.BinaryOp() if op.fn.data in tiny.CHECKS:
                return self.reported(op, operands[1], Formula(self.add).bitwise_not(operands[0]), read)
            case tiny.BinaryOp() if op.fn.data in SHIFTS_RIGHT:
                return Formula(self.add).shift_right(op.fn.data, operands[0], operands[1])
            case tiny.UnaryOp() | tiny.BinaryOp() if op.fn.data in FUNCTIONS:
                if isinstance(op, tiny.BinaryOp) and op.report is not None:
                    zero = Formula(self.add).compare("EQ", operands[1], 0)
                    operands = [operands[0], self.reported(op, operands[1], zero, read)]
                new = FUNCTIONS[op.fn.data](*operands)
            case _:
                at_fault = _op(value, self.kernel)
                raise Unsupported(
                    at_fault, what=f"'{at_fault.name}' in a region", need="write it with ops that have a tile operation"
                )
        return self.add(new)

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

    # --- indices given by data ----------------------------------------------------------------------

    def position_reads(self, read: Read) -> list[Read]:
        """Returns the reads of the positions of a value. Positions that do not vary along a row are read as one column."""
        value, scope, found = read.at.value, read.scope, list[Read]()
        info, sum = self.space.book[value], self.one_hot.get(cast(Operation, value.owner))
        reads = [(access, at) for access, _, at in operand_reads(info, read.at.map, scope.points)[1:]]
        if sum is not None:
            first = affine.make_map(info.rank, [f"i{k}" if k < info.rank else "0" for k in range(len(info.iteration))])
            reads = [(sum.position, affine.compose(first, read.at.map, scope.points))]
        for access, at in reads:
            found.append(self.as_position(self.read(access, Access(value, at, read.at.guard), scope)))
        return found

    def as_position(self, read: Read) -> Read:
        """Returns the read of a position, as one column if it does not vary along a row."""
        return read if self.varies_along_row(read) else Read(read.at, read.scope.narrow)

    def varies_along_row(self, read: Read) -> bool:
        """Returns whether elements of a row of a tile differ, or only some of them are needed."""
        scope, column, guard = read.scope, read.scope.dims[1], read.at.guard
        leaves = leaf_accesses(Access(read.at.value, read.at.map), scope.points, self.space.book, lambda _: False)
        only_some = guard is not None and guard.involves_dims(isl.dim_type.set, column, 1)
        moved = any(pto.tile_type(position).sizes[1] > 1 for position in scope.positions)
        return moved or only_some or any(affine.uses_axis(leaf.map, column) for leaf, _ in leaves)

    def read_at_positions(
        self, op: ptir.GatherOp | ptir.DynamicSliceOp, read: Read, positions: Sequence[Read]
    ) -> SSAValue:
        """Writes the tile of a value that is read at `positions`, in a scope with an axis for each of them."""
        info, scope, guard = self.space.book[op.result], read.scope, read.at.guard
        for index, axis in zip(positions, info.positions, strict=True):
            size, tiles = int(axis.size), index.scope.tiles
            key = op.result, f"position in {size} by {index.key[1]}", index.key[2]
            if key not in tiles:
                self.at = op
                with self.inside(index.scope):
                    tiles[key] = self.bounded(op, tiles[index.key], size, index)
            scope = scope.at(self.with_rows(tiles[key], scope), size)
        (access, points, at), *_ = operand_reads(info, read.at.map, read.scope.points)
        if guard is not None:
            kept = affine.make_map(len(points), [f"i{k}" for k in range(len(read.scope.points))])
            guard = guard.preimage_multi_aff(kept)
        return self.expanded(self.value(self.read(access, Access(op.result, at, guard), scope)), read.scope)

    def term_read(self, op: tiny.ReduceOp, read: Read, scope: Scope) -> Read:
        """Returns the read of the only term of a sum in `scope`, which has the term's position as an axis after those of the sum's read."""
        info, axis, rank = self.space.book[op.result], self.one_hot[op].axis, len(read.scope.points)
        outer = affine.make_map(rank + 1, [f"i{k}" for k in range(rank)])
        at = affine.compose(read.at.map, outer, scope.points)
        reduced = range(info.rank, len(info.iteration))
        at = at.flat_range_product(affine.make_map(rank + 1, [f"i{rank}" if k == axis else "0" for k in reduced]))
        guard = None if read.at.guard is None else read.at.guard.preimage_multi_aff(outer)
        return self.read(info.accesses[0], Access(op.result, at, guard), scope)

    def only_term(self, op: tiny.ReduceOp, read: Read, position: Read) -> SSAValue:
        """
        Writes a sum of which one term may not be zero, and returns its tile. A position outside of the row stands for the last column,
        at which the term is zero as well. A term of -0 makes a sum of 0.
        """
        write, size = Formula(self.add), self.space.book[op.result].static_sizes[self.one_hot[op].axis]
        self.at = op
        with self.inside(position.scope):
            tile = position.scope.tiles[position.key]
            dtype = cast(IntegerType, pto.tile_type(tile).element_type)
            if dtype.width.data < INDEX.width.data:
                tile, dtype = self.add(pto.CvtOp(tile, INDEX)), INDEX
            bits = self.add(pto.BitcastOp(tile, IntegerType(dtype.width.data, Signedness.UNSIGNED)))
            nearest = write.binary("min", bits, size - 1)
        term = self.value(self.term_read(op, read, read.scope.at(self.with_rows(nearest, read.scope), size)))
        self.at = op
        tile = self.expanded(term, read.scope)
        return self.combined("sum", self.filled(neutral("sum", op.accum), read.scope), tile, op.accum)

    def bounded(
        self, op: ptir.GatherOp | ptir.DynamicSliceOp | ptir.ScatterReduceOp, tile: SSAValue, size: int, read: Read
    ) -> SSAValue:
        """Writes the clamp of the start of a slice, or the report of indices out of range, and returns the positions."""
        write = Formula(self.add)
        if isinstance(op, ptir.DynamicSliceOp):
            return write.binary("min", write.binary("max", tile, 0), size - 1)
        if op.report is None:
            return tile
        dtype = cast(IntegerType, pto.tile_type(tile).element_type)
        bits = self.add(pto.BitcastOp(tile, IntegerType(dtype.width.data, Signedness.UNSIGNED)))
        return self.reported(op, tile, write.compare("GE", bits, size), read)

    def with_rows(self, position: SSAValue, scope: Scope) -> SSAValue:
        """Returns a tile of positions with the scope's rows. If it has one row, it is repeated, once for all reads in the scope."""
        rows = scope.sizes[0]
        if pto.tile_type(position).sizes[0] == rows:
            return position
        key = position, "rows", ""
        if key not in scope.tiles:
            with self.inside(scope):
                scope.tiles[key] = self.add(pto.ColExpandOp(position, rows))
        return scope.tiles[key]

    def convert(self, tile: SSAValue, dtype: Attribute) -> SSAValue:
        return tile if pto.tile_type(tile).element_type == dtype else self.add(pto.CvtOp(tile, dtype))

    def filled(self, number: ScalarAttr, scope: Scope) -> SSAValue:
        """Writes a tile whose elements are all `number`."""
        return self.add(pto.ExpandsOp(first_number(number.dense), pto.TileType(scope.sizes, number.dtype)))

    def pad(self, op: tiny.MovementOp, read: Read, inner: SSAValue) -> SSAValue:
        """Writes the select between the operand's tile `inner` and the padding value, unless only the operand is read."""
        (access,), scope = self.space.book[op.result].accesses, read.scope
        if access.guard is None or not isinstance(access.fill, ScalarAttr):
            return inner
        where = access.guard.preimage_multi_aff(read.at.map)
        if self.asked(read).is_subset(where):
            return inner
        if (
            isinstance(inner.owner, pto.LoadMapOp)
            and inner.owner.where is not None
            and not any(access.fill.dense.data.data)
        ):
            return inner  # the load gives zero at all other points
        return self.add(pto.SelOp(self.mask(read, where), inner, self.filled(access.fill, scope)))

    def mask(self, read: Read, where: isl.Set) -> SSAValue:
        """Writes the tile of predicates that are true at the points in `where`."""
        scope = read.scope
        simple = affine.simplify_guard([where], scope.points, self.asked(read))
        text = None if simple is None else str(simple)
        return self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes, text, scope.positions))

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        """
        Writes a nest of loops over the reduced axes that combines the elements, and returns the result's tile. A plan of vectors has
        no loops: the few elements of each window are vectors that are loaded together.
        """
        value, fn, scope = op.result, op.fn.data, read.scope
        info = self.space.book[value]
        if (window := self.space.window) is not None and op is window.op:
            return self.reduce_windows(window, scope)
        if scope.positions:
            need = "store the reduction first, as form-regions does"
            raise Unsupported(op, what="a reduction that is read at indices given by data in its kernel", need=need)
        points, at = extended(info, read.at.map, scope.points)
        rank = len(scope.points)
        looped = [k for k, size in enumerate(points) if k < rank or size > 1]
        sizes = [points[k] for k in looped]
        every = [f"i{looped.index(k)}" if k in looped else "0" for k in range(len(points))]
        at = affine.compose(at, affine.make_map(len(looped), every), sizes)
        total = self.filled(neutral(fn, op.accum), scope)
        if unrolls(self.plan, prod(sizes[rank:])):
            for taps in product(*map(range, sizes[rank:])):
                one = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), *map(str, taps)])
                there = Access(value, affine.compose(at, one, scope.points), read.at.guard)
                tile = self.value(self.read(info.accesses[0], there, scope))
                self.at = op
                total = self.combined(fn, total, tile, op.accum)
            return total
        inner, loops = scope, list[tuple[Block, int, SSAValue, Scope]]()
        for size in sizes[rank:]:
            loops.append((loop := Block(arg_types=[IndexType(), total.type]), size, total, inner))
            counter, total = loop.args
            counter.name_hint = "r"
            body = Builder(InsertPoint.at_end(loop))
            offsets = (*inner.offsets, counter)
            inner = Scope((*inner.points, size), offsets, body, inner.sizes, inner.dims, inner, len(inner.points))
        guard = None
        if read.at.guard is not None:
            kept = affine.make_map(len(sizes), [f"i{k}" for k in range(rank)])
            guard = read.at.guard.preimage_multi_aff(kept)
        tile = self.value(self.read(info.accesses[0], Access(value, at, guard), inner))
        self.at = op
        with self.inside(inner):
            total = self.combined(fn, total, tile, op.accum)
        for loop, size, start, around in reversed(loops):
            loop.add_op(scf.YieldOp(total))
            with self.inside(around):
                total = self.add(scf.ForOp(self.index(0), self.index(size), self.index(1), [start], Region(loop)))
        return total

    def reduce_windows(self, window: Window, scope: Scope) -> SSAValue:
        """Writes the reduction of adjacent rows, which are windows, and returns the tile in which all rows of a window have its result."""
        op, fn = window.op, window.op.fn.data
        at = cast(isl.MultiAff, self.space.window_points)
        tile = self.value(self.read(self.space.book[op.result].accesses[0], Access(op.result, at), scope))
        self.at = op
        total = self.convert(self.term(fn, self.expanded(tile, scope), op.accum), op.accum)
        step = 1
        while step < window.rows:
            total = self.combined(fn, total, self.add(pto.RowXorOp(total, step)), op.accum)
            step *= 2
        return total

    def term(self, fn: str, tile: SSAValue, accum: Attribute) -> SSAValue:
        """
        Returns the tile that a reduction adds or compares: `tile` converted to `accum`, except that a sum keeps floats that are
        at least as wide as `accum`.
        """
        wide = pto.tile_type(tile).element_type
        if fn == "sum" and isa(accum, IntegerType):
            return Formula(self.add).wrapped(tile, accum)
        return tile if fn == "sum" and is_as_wide(wide, accum) else self.convert(tile, accum)

    def combined(self, fn: str, total: SSAValue, tile: SSAValue, accum: Attribute) -> SSAValue:
        """Writes one step of a reduction, `total` combined with `tile` and rounded once, and returns the new total."""
        term = self.term(fn, tile, accum)
        if fn == "sum" and (factors := self.factors(term, accum)) is not None:
            left, right = factors
            self.products.append(cast(Operation, term.owner))
            return self.add(pto.FmaOp(left, right, total))
        operands = [self.convert(total, pto.tile_type(term).element_type), term]
        combiner = (PREDICATE_COMBINERS if is_predicate(accum) else COMBINERS)[fn]
        return self.convert(self.add(pto.BINARY[combiner](*operands)), accum)

    def factors(self, term: SSAValue, accum: Attribute) -> Sequence[SSAValue] | None:
        """
        Returns the factors in f32 of a product that an FMA may add to f32: one of f32 that is not rounded or, if floats are strict, one of
        f64 that is exact. None for other terms.
        """
        mul, product = term.owner, f64 if self.strict else f32
        if not isinstance(mul, pto.BINARY["mul"]) or pto.tile_type(term).element_type != product or accum != f32:
            return None
        casts = [v.owner for v in mul.operands if isinstance(v.owner, pto.CvtOp)]
        sources = [pto.tile_type(cast.operands[0]).element_type for cast in casts]
        if len(sources) < 2 or not multiplies_exactly(sources[0], sources[1], product):
            return None
        return [self.convert(cast.operands[0], f32) for cast in casts] if self.strict else mul.operands


def erase_unused(op: Operation) -> None:
    """Erases a product without uses, and the casts that only it used."""
    if any(result.uses for result in op.results):
        return
    before = [v.owner for v in dict.fromkeys(op.operands) if isinstance(v.owner, pto.CvtOp)]
    Rewriter.erase_op(op)
    for convert in before:
        erase_unused(convert)


def _is_splat(value: SSAValue) -> bool:
    return isinstance(value.owner, tiny.ConstOp)


def _op(value: SSAValue, default: Operation) -> Operation:
    return value.owner if isinstance(value.owner, Operation) else default
