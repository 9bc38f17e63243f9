"""
The rows template: lowers a `pto.kernel` to a `gpu.func` whose blocks hold whole rows in registers (`kernel/rows.py`).

Loops, which stream rows, carry fragments of one element a lane; their bodies, and what is between them, have phases of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import gpu, scf
from xdsl.ir import Block, Operation, SSAValue

from ....dialects import pto
from ....dialects.plan.schedule import Schedule
from ....errors import Unsupported
from ....targets.architectures import WARP
from ....targets.layouts import Layout, Mode, layout_of
from ..columns import layout_of_plan as layout_of_columns
from ..kernel.access import IndexSpace, index_space, is_counter
from ..kernel.rows import RowLowering
from ..multistage.grid import Grid


def layout_of_plan(plan: Schedule) -> Layout:
    """
    Returns the layout of a tile: each warp of a row holds contiguous elements, whose vectors are dealt to the lanes in turn. Thus
    only one vector of a warp continues in another one (`nv.map`, realigned vectors).
    """
    (bm, bn), (rows, columns), vector = plan.tile[:2], plan.warp, plan.vectorize.width
    lanes, warps, blocks = WARP // rows, bn // columns, plan.cluster[1]
    return layout_of(
        (Mode(lanes, 0, vector), Mode(rows, 1, 0)),
        (Mode(warps, 0, columns), Mode(bm // rows, rows, 0)),
        (Mode(vector, 0, 1), Mode(columns // (vector * lanes), 0, vector * lanes)),
        (Mode(blocks, 0, bn),),
    )


class RowKernel(RowLowering, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    def build(self) -> gpu.FuncOp:
        self.bind_tiles()
        self.begin_rows(layout_of_columns(self.plan) if self.plan.transposed else layout_of_plan(self.plan), {})
        if (blocks := self.plan.cluster[1]) > 1:
            axis = "xyz".index(self.plan.bind.get("n.o", "block.x")[-1])
            self.cluster = cast(tuple[int, int, int], tuple(blocks if k == axis else 1 for k in range(3)))
            self.grid = cast(tuple[int, int, int], tuple(g * c for g, c in zip(self.grid, self.cluster, strict=True)))
        self.lower(self.tiles.body.block, self.tiles.offsets)
        return self.function()

    def asks_for_guard(self, axis: int, space: IndexSpace) -> bool:
        """As in the base class, but not of the tiles that a loop counts: the last tile of a row, which has a tail, has its own loop."""
        return super().asks_for_guard(axis, space) and not is_counter(space.offsets[axis])

    def lower(self, block: Block, offsets: Sequence[SSAValue]) -> None:
        """Lowers the ops of a block, whose tiles begin at `offsets`: its loops, and the ops between them."""
        stores = (index_space(op) for op in block.ops if isinstance(op, pto.StoreMapOp))
        space = next(stores, IndexSpace(self.box.dims, self.box.bounds, tuple(offsets)))
        ops: list[Operation] = []
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self.straight(ops, space)
                self.stream(op, offsets)
                ops = []
            elif not isinstance(op, scf.YieldOp):
                ops.append(op)
        self.straight(ops, space)

    def stream(self, op: scf.ForOp, offsets: Sequence[SSAValue]) -> None:
        """Lowers a loop over the tiles of rows to a loop that carries fragments."""
        self.at, outside = op, dict(self.held)
        counter, *carried = op.body.block.args
        values = self.counted(op)
        for arg in carried:
            columns = pto.tile_type(arg).sizes[1] if isinstance(arg.type, pto.TileType) else 0
            if self.plan.transposed or columns not in (1, self.plan.row_lanes):
                need = f"loops must carry tiles of one column, or of {self.plan.row_lanes}, one for each lane of a row"
                raise Unsupported(op, what="'scf.for' in a kernel of rows", need=need)
        first, stop, step = (self.index(n) for n in (values.start, values.stop, values.step))
        starts = [(arg.name_hint or "part", self.held[start]) for arg, start in zip(carried, op.iter_args, strict=True)]
        with self.loop(stop, counter.name_hint or "c", "", starts, first, step) as loop:
            self.map[counter] = loop.step
            self.held |= zip(carried, loop.carried, strict=True)
            self.lower(op.body.block, (*offsets[:-1], counter))
            loop.next = [self.held[value] for value in cast(scf.YieldOp, op.body.block.last_op).operands]
        self.held = outside | dict(zip(op.results, loop.results, strict=True))
