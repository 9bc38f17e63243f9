"""
The tile program of one kernel: its tiles, its vector ops, and what it stores.

Every load and store carries the access map that the IndexBook gives it, composed down to the space of tiles. Movements
vanish into those maps. Spec: `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.index import affine
from ...analysis.regions.kernel_space import KernelSpace, kernel_space, output_map, stored_values
from ...dialects import pto, region, tiny
from ...dialects.common.kernel import SCRATCH
from ...dialects.common.shapes import element
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...dialects.pto.vector import COMPARES
from ...errors import Unsupported
from ...planning.templates import check_plan
from ..kernel_writer import KernelWriter
from .formulas import FORMULAS, Formula

FUNCTIONS = {**pto.UNARY, **pto.BINARY}
"""The vector ops that are named for a function of tiny."""
UNMAPPED = {
    True: (
        "an output that does not read the contraction one-to-one",
        "form-regions stores the contraction first: split the region",
    ),
    False: ("a second output of an elementwise region", "give it a region of its own"),
}
"""The reason why an output cannot be stored by tiles, and the help, by whether the kernel contracts."""
ALIGNMENT = 16
"""Bytes that one access of a workspace may move: its alignment."""


class TileProgram(KernelWriter):
    """Writes the tile program of an elementwise kernel: loads where vector ops ask for them, the vector ops, stores."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel)
        self.kernel, self.plan = kernel, plan
        self.space: KernelSpace = kernel_space(kernel)
        check_plan(kernel, plan, self.space)
        self.scratch: list[BlockArgument] = []
        """The workspace and the counters, where k is split."""
        outer = self.space.outer
        names = [*(f"b{k}" for k in range(outer)), "m", "n", *("s" for _ in range(self.plan.split > 1))]
        self.tile = Block(arg_types=[IndexType()] * len(names))
        for name, arg in zip(names, self.tile.args, strict=True):
            arg.name_hint = name
        self.offsets = self.tile.args[: outer + 2]
        self.builder = Builder(InsertPoint.at_end(self.tile))
        self.tiles: dict[tuple[SSAValue, str], SSAValue] = {}
        """The tiles made so far, by value and the map through which it is read."""

    @property
    def dims(self) -> tuple[int, int]:
        """The axes of the space along the rows and the columns of the result's tile."""
        m, n = self.space.outer, self.space.outer + 1
        return (n, m) if self.plan.transposed else (m, n)

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns of the result's tile."""
        bm, bn = self.plan.tile[:2]
        return (bn, bm) if self.plan.transposed else (bm, bn)

    def index(self, value: int) -> SSAValue:
        return self.add(arith.ConstantOp(IntegerAttr(value, IndexType())))

    def argument(self, value: SSAValue) -> SSAValue:
        """Returns the kernel argument from which a value is loaded."""
        op = value.owner
        if isinstance(op, region.LoadOp) and isinstance(op.memref, BlockArgument):
            return self.block.args[op.memref.index]
        raise Unsupported(
            op if isinstance(op, Operation) else self.kernel,
            what="an operand of a contraction that is computed in the same region",
            need="give it its own region, as form-regions does by storing it first",
        )

    def begin(self) -> None:
        """Writes the ops before the vector ops: none without a contraction."""

    def build(self) -> pto.PtoKernelOp:
        space = self.space
        self.begin()
        for root, out in zip(stored_values(self.kernel), self.kernel.outputs, strict=True):
            self.at = _op(root, self.kernel)
            if (at := output_map(space, root)) is None:
                what, need = UNMAPPED[space.contraction is not None]
                raise Unsupported(self.at, what=what, need=need)
            tile, to = self.value(root, at), self.block.args[out.index]
            self.add(pto.StoreOp(tile, to, self.offsets, affine.canonical_text(at), space.points, self.dims))
        steps = [1] * space.outer + list(self.plan.tile[:2])
        split = self.plan.split if self.plan.split > 1 else None
        tiles = pto.TilesOp(space.points, steps, Region(self.tile), split)
        tiles.location = self.kernel.location
        self.block.add_op(tiles)
        k = self.kernel
        out = pto.PtoKernelOp(
            k.sym_name.data,
            len(k.inputs),
            [*ints(k.alignments), *(ALIGNMENT for _ in self.scratch)],
            [*(m.data for m in k.materialize), *(SCRATCH if self.scratch else ())],
            Region(self.block),
            k.plan,
        )
        out.location = k.location
        return out

    # --- the epilogue -----------------------------------------------------------------------------

    def value(self, value: SSAValue, at: isl.MultiAff) -> SSAValue:
        """Returns the tile of `value` where the space of tiles reads it through `at`; each is made once, operands first."""
        todo = [(value, at)]
        while todo:
            here, there = todo[-1]
            key = (here, affine.canonical_text(there))
            steps = [] if here is self.space.start and self.space.contraction else self.operands(here, there)
            missing = [s for s in steps if (s[0], affine.canonical_text(s[1])) not in self.tiles]
            if key in self.tiles or not missing:
                todo.pop()
                if key not in self.tiles:
                    self.tiles[key] = self.compute(
                        here, there, [self.tiles[v, affine.canonical_text(m)] for v, m in steps]
                    )
            else:
                todo += reversed(missing)
        return self.tiles[value, affine.canonical_text(at)]

    def operands(self, value: SSAValue, at: isl.MultiAff) -> list[tuple[SSAValue, isl.MultiAff]]:
        """Returns the operands of `value` and the maps through which they are read where `value` is read through `at`."""
        space, out = self.space, list[tuple[SSAValue, isl.MultiAff]]()
        for access in space.book[value].accesses:
            there = affine.compose(access.map, at, space.points)
            is_start = access.value is space.start and affine.equal_on(space.points, there, space.start_map)
            out.append((access.value, space.start_map if is_start else there))
        return out

    def compute(self, value: SSAValue, at: isl.MultiAff, operands: Sequence[SSAValue]) -> SSAValue:
        """Writes the tile op that computes `value` from the tiles of its operands; returns its tile."""
        space, op = self.space, value.owner
        if value is space.start and space.contraction is not None:
            raise Unsupported(
                _op(value, self.kernel),
                what="an epilogue that reads the contraction at two indices",
                need="form-regions stores the contraction first: split the region",
            )
        tile = pto.TileType(self.sizes, element(value))
        self.at = op if isinstance(op, Operation) else self.kernel
        match op:
            case tiny.MovementOp():
                return operands[0]
            case tiny.ConstOp():
                new = pto.ExpandsOp(next(op.value.iter_attrs()), tile)
            case region.LoadOp():
                source, text = self.argument(value), affine.canonical_text(at)
                new = pto.LoadOp(source, self.offsets, text, space.points, self.dims, tile)
            case tiny.UnaryOp() if op.fn.data == "cast":
                new = pto.CvtOp(operands[0], element(value))
            case tiny.BinaryOp() if op.fn.data == "where":
                new = pto.SelOp(operands[0], operands[1], operands[2])
            case tiny.BinaryOp() if op.fn.data in COMPARES:
                new = pto.CmpOp(COMPARES[op.fn.data], operands[0], operands[1])
            case tiny.UnaryOp() if op.fn.data in FORMULAS:
                return FORMULAS[op.fn.data](Formula(self.add), operands[0])
            case tiny.UnaryOp() | tiny.BinaryOp() if op.fn.data in FUNCTIONS:
                new = FUNCTIONS[op.fn.data].create(operands=operands, result_types=[operands[0].type])
            case _:
                at_fault = _op(value, self.kernel)
                raise Unsupported(at_fault, what=f"'{at_fault.name}' in a region", need="a tile operation for it")
        return self.add(new)


def _op(value: SSAValue, default: Operation) -> Operation:
    return value.owner if isinstance(value.owner, Operation) else default
