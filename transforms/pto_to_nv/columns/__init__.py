"""
The columns template: lowers a `pto.kernel` to a `gpu.func` whose blocks accumulate rows in registers, and then reduce columns.

```
%a = scf.for %r iter_args(%t) { %x = load;  yield %t + %x }          scf.for: nv.map(%t) ins(x) → %a
%s = colsum %a                                                       nv.col_reduce sum %a → %s
store exp(%s)                                                        nv.map(%s) outs(y)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import gpu, scf
from xdsl.ir import Operation, SSAValue

from ....dialects import nv, pto
from ....dialects.common.shapes import signless
from ....dialects.plan.schedule import Schedule
from ....errors import Unsupported
from ....targets.architectures import WARP
from ....targets.layouts import Layout, Mode, layout_of
from ..kernel.access import IndexSpace, index_space
from ..kernel.maps import MapLowering
from ..multistage.grid import Grid
from ..tile_loops import only_one

NEED = (
    "a kernel of columns has tiles that a loop accumulates, reductions of their columns, and vector ops on the results"
)


def layout_of_plan(plan: Schedule) -> Layout:
    """
    Returns the layout of a tile as computed: a lane has a vector of each of its rows; rows are dealt to lanes, then to warps, and
    again.
    """
    ((bk, bn), (rows, columns)), vector = plan.oriented, plan.vectorize.width
    across, warps = columns // vector, bk // rows
    down = WARP // across
    return layout_of(
        (Mode(across, 0, vector), Mode(down, 1, 0)),
        (Mode(bn // columns, 0, columns), Mode(warps, down, 0)),
        (Mode(vector, 0, 1), Mode(rows // down, down * warps, 0)),
    )


class ColumnKernel(MapLowering, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    family = "columns"

    def build(self) -> gpu.FuncOp:
        self.bind_tiles()
        self.layout = layout_of_plan(self.plan)
        self.held: dict[SSAValue, SSAValue] = {}
        ops = list(self.tiles.body.block.ops)
        loop = only_one(ops, scf.ForOp, self.tiles, "a kernel of columns is one loop over rows")
        reductions = [o for o in ops if isinstance(o, pto.ColReduceOp)]
        for op in reductions:
            if op.input not in loop.results:
                raise Unsupported(op, what=f"'{op.name}' of a tile that no loop accumulates", need=NEED)
        first = next((o for o in ops if isinstance(o, pto.StoreMapOp)), None)
        if first is None:
            what = "a tile program that stores nothing"
            raise Unsupported(self.kernel, what=what, need="write at least one pto.tile.store.map")
        self.accumulate(loop, ops)
        for op in reductions:
            self.reduce_columns(op)
        after = [o for o in ops if o is not loop and not isinstance(o, pto.ColReduceOp)]
        needed = [o for o in after if not self.starts(o, loop)]
        self.map_tiles(needed, index_space(first), (1, self.plan.tile[1]), [op.result for op in reductions], [])
        return self.function()

    def starts(self, op: Operation, loop: scf.ForOp) -> bool:
        """Returns whether only the loop uses an op."""
        users = [use.operation for result in op.results for use in result.uses]
        return bool(users) and all(user is loop for user in users)

    def accumulate(self, loop: scf.ForOp, ops: Sequence[Operation]) -> None:
        """Lowers the loop over rows, which carries the accumulated tiles as fragments."""
        self.at = loop
        counter, *carried = loop.body.block.args
        values, last = self.counted(loop), cast(scf.YieldOp, loop.body.block.last_op)
        inside = [o for o in loop.body.block.ops if o is not last]
        space = next((index_space(o) for o in inside if isinstance(o, pto.LoadMapOp | pto.MaskOp)), None)
        if space is None or not values:
            raise Unsupported(loop, what="a loop that loads no rows", need=NEED)
        tile = self.plan.tile[0], self.plan.tile[1]
        first = IndexSpace(space.dims, space.bounds, (*space.offsets[:-1], loop.lb))
        self.ranges[loop.lb], self.map[loop.lb] = (0, values.start), self.index(values.start)
        initial = [o for o in ops if self.starts(o, loop)]
        if any(value.owner not in initial for value in loop.iter_args):
            need = "give the loop a pto.tile.expands that nothing else uses"
            raise Unsupported(loop, what="a loop that begins with a tile that is used elsewhere", need=need)
        self.map_tiles(initial, first, tile, [], list(loop.iter_args))
        stop, start, step = (self.index(n) for n in (values.stop, values.start, values.step))
        starts = [
            (arg.name_hint or "total", self.held[start]) for arg, start in zip(carried, loop.iter_args, strict=True)
        ]
        with self.loop(stop, counter.name_hint or "r", "", starts, start, step) as body:
            self.map[counter] = body.step
            self.held |= zip(carried, body.carried, strict=True)
            self.map_tiles(inside, space, tile, carried, list(last.operands))
            body.next = [self.held[value] for value in last.operands]
        self.held |= zip(loop.results, body.results, strict=True)

    def fragment(self, value: SSAValue) -> nv.FragType:
        """Returns the type of the fragment that holds a tile."""
        t = pto.tile_type(value)
        whole = nv.FragType(self.plan.tile[:2], signless(t.element_type), self.layout)
        return whole if t.sizes == whole.sizes else nv.col_fragment(whole)

    def map_tiles(
        self,
        ops: Sequence[Operation],
        space: IndexSpace,
        tile: tuple[int, int],
        held: Sequence[SSAValue],
        results: Sequence[SSAValue],
    ) -> None:
        """Writes the map of ops on tiles of one size, which reads the fragments `held` and returns the fragments of `results`."""
        for op in ops:
            sizes = {v.type.sizes for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)}
            if op.regions or not sizes <= {tile, (tile[0], 1)}:
                need = f"use vector ops on tiles of {tile[0]} x {tile[1]}, or of one column, here: {NEED}"
                raise Unsupported(op, what=f"'{op.name}' in a kernel of columns", need=need)
        stores = [o for o in ops if isinstance(o, pto.StoreMapOp)]
        self.write_map(ops, stores, space, tile, held, results)
