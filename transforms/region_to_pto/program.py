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

from collections.abc import Sequence
from typing import cast

import islpy as isl
from xdsl.ir import BlockArgument, Operation, Region, SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access, compose_access
from ...analysis.regions.kernel_ops import is_atomic_scatter
from ...analysis.regions.kernel_space import output_maps, stored_values
from ...dialects import ptir, pto, region, tiny
from ...dialects.common.numbers import first_number
from ...dialects.common.shapes import element, shape
from ...dialects.common.syntax import ints
from ...dialects.ptir import ScalarAttr
from ...dialects.pto.vector import COMPARES
from ...errors import Unsupported
from .formulas import FORMULAS, Formula
from .positions import INDEX, DataPositions
from .reductions import erase_unused
from .scope import Read

FUNCTIONS = {**pto.UNARY, **pto.BINARY}
"""Maps functions of tiny to the vector ops of the same name."""
SHIFTS_RIGHT = ("shift_right_arithmetic", "shift_right_logical")
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


class TileProgram(DataPositions):
    """Writes the tile program of an elementwise kernel: loads that vector ops need, the vector ops, and stores."""

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
            points, text, where = self.space.points, affine.canonical_text(at), self.stored_at(root, at)
            self.add(pto.StoreMapOp(tile, to, offsets, text, points, self.dims, None if where is None else str(where)))

    def stored_at(self, root: SSAValue, at: isl.MultiAff) -> isl.Set | None:
        """
        Returns the set of points that are stored through `at`: of each window, which is adjacent rows with equal elements, the first, and of a
        piece those that are inside of the output. None for all points.
        """
        if (window := self.space.window) is not None:
            axes = ", ".join(f"i{k}" for k in range(len(self.space.points)))
            return isl.Set(f"{{ [{axes}] : i{self.space.outer} mod {window.rows} = 0 }}")
        if self.space.members is None:
            return None
        elements = affine.box(shape(root)).preimage_multi_aff(at)
        return affine.simplify_guard([elements], self.space.points, affine.box(self.space.points))

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
        where = self.stored_at(root, at) if self.space.members is not None else None
        return self.value(Read(Access(root, at, where), self.scope))

    def operands(self, read: Read) -> list[Read]:
        """Returns the reads of operands from which the tile of a read is computed. The loop of a reduction has its own reads."""
        value, at = read.at.value, read.at
        info = self.space.book[value]
        if info.positions or value.owner in self.one_hot:
            return self.position_reads(read)
        if self.is_contracted(value) or isinstance(value.owner, tiny.ReduceOp) or self.where(read) is not None:
            return []
        accesses = info.accesses
        if isinstance(op := value.owner, tiny.MovementOp) and op.kind.data == "pad" and self.is_padding(op, read):
            return []
        if isinstance(value.owner, tiny.BinaryOp) and value.owner.fn.data == "where":
            choice = self.read(accesses[0], at, read.scope)  # may be in an enclosing scope
            placed = compose_access(accesses[0], Access(value, at.map), read.scope.points)
            if (where := self.where(Read(placed, read.scope))) is not None:
                asked = self.asked(read)
                sides = [(accesses[1], where), (accesses[2], where.complement())]
                found = [
                    self.read(access, at if asked.is_subset(side) else Access(value, at.map, here), read.scope)
                    for access, side in sides
                    if not (here := asked.intersect(side)).is_empty()
                ] or [self.read(accesses[2], at, read.scope)]  # if neither is needed at any point
                return found if len(found) == 1 else [choice, *found]
        return [self.read(access, at, read.scope) for access in accesses]

    def write(self, read: Read, operands: Sequence[Read]) -> SSAValue:
        op = read.at.value.owner
        if isinstance(op, ptir.GatherOp | ptir.DynamicSliceOp):
            return self.read_at_positions(op, read, operands)
        if isinstance(op, tiny.ReduceOp) and op in self.one_hot:
            return self.only_term(op, read, operands[0])
        return self.compute(read, [self.expanded(tile, read.scope) for o in operands if (tile := o.tile)])

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
                return self.pad(op, read, operands[0]) if operands else self.filled(cast(ScalarAttr, op.value), scope)
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

    def is_padding(self, op: tiny.MovementOp, read: Read) -> bool:
        """Whether a pad reads nothing but the padding value."""
        (access,) = self.space.book[op.result].accesses
        return access.guard is not None and self.asked(read).is_disjoint(access.guard.preimage_multi_aff(read.at.map))

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


def _op(value: SSAValue, default: Operation) -> Operation:
    return value.owner if isinstance(value.owner, Operation) else default
