"""
The vector ops of chained products on fragments: accumulators, rows of them, and sums of rows that are deferred.

```
!pto.tile<128x64xf32>    !nv.frag<64x64xf32, C of m64k16>                              of each of two warpgroups
!pto.tile<128x1xf32>     !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>       each lane of a row has a copy
a deferred sum           !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>       each lane of a row has a part
```

A carried row is a deferred sum if it starts at 0 and each iteration scales it by rows and adds a sum of rows: parts can be scaled
and added as well, so that lanes exchange them only after the loop.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from math import prod
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from ....dialects import nv, pto
from ....dialects.common.shapes import signless
from ....errors import Unsupported
from ....targets.mma import Mma
from ..kernel.rows import RowLowering
from ..tile_scalars import combined
from .program import Chain, KeyLoop


def deferred_sum(loop: KeyLoop, index: int) -> tuple[SSAValue, ...]:
    """Returns the tiles of one iteration that are parts of the deferred sum number `index`, or () if it is none."""
    carried, update = loop.carried[index], loop.next[index]
    add = update.owner
    if isinstance(add, pto.FmaOp) and only_use(carried) and carried in (add.a, add.b):
        row_sum = add.c
        summed = isinstance(row_sum.owner, pto.RowSumOp) and row_sum.owner.run is None and only_use(row_sum)
        return (carried, row_sum, update) if summed else ()
    if not isinstance(add, pto.BINARY["add"]) or not only_use(carried):
        return ()
    for scaled, row_sum in (add.operands, reversed(add.operands)):
        mul, reduce = scaled.owner, row_sum.owner
        if not (isinstance(reduce, pto.RowSumOp) and reduce.run is None and only_use(row_sum)):
            continue
        if scaled is carried:
            return carried, row_sum, update
        if isinstance(mul, pto.BINARY["mul"]) and carried in mul.operands and only_use(scaled):
            return carried, scaled, row_sum, update
    return ()


def only_use(value: SSAValue) -> bool:
    return value.has_one_use()


def starts_at(value: SSAValue, number: float) -> bool:
    """Returns whether a tile is filled with this number."""
    filled = value.owner.value if isinstance(value.owner, pto.ExpandsOp) else None
    return filled is not None and not isinstance(filled, ArrayAttr) and filled.value.data == number


class ChainedRows(RowLowering):
    """Adds the vector ops of chained products to a kernel."""

    family = "chained products"
    mma: Mma
    """The instruction of both products."""
    parts: Set[SSAValue] = frozenset()
    """The tiles of which each lane has a part: deferred sums."""

    def find_deferred_sums(self, chain: Chain) -> None:
        """Sets `parts`."""
        parts = set[SSAValue]()
        for index in chain.rows:
            start, found = chain.loops[0].op.iter_args[index], [deferred_sum(loop, index) for loop in chain.loops]
            if all(found) and starts_at(start, 0) and only_use(start):
                parts |= {
                    start,
                    *(loop.op.results[index] for loop in chain.loops[:-1]),
                    *(v for tiles in found for v in tiles),
                }
        self.parts = parts

    # --- fragments --------------------------------------------------------------------------------

    @property
    def accumulator_layout(self) -> str:
        """The name of the layout of accumulators."""
        return f"C of {self.mma.name}"

    def size_of(self, value: SSAValue) -> tuple[int, int]:
        """Returns the rows and columns of a tile that a warpgroup holds."""
        columns = pto.tile_type(value).sizes[1]
        return self.plan.warp[0], self.row_lanes if value in self.parts else columns

    @property
    def row_lanes(self) -> int:
        return prod(mode.radix for mode in self.layout.lanes if mode.columns)

    def fragment(self, value: SSAValue) -> nv.FragType:
        (rows, columns), dtype = self.size_of(value), signless(pto.tile_type(value).element_type)
        like = nv.FragType((rows, self.layout.columns), self.mma.accum, self.accumulator_layout)
        if value in self.parts or columns == 1:
            t = nv.lane_fragment(like) if value in self.parts else nv.row_fragment(like)
            return nv.FragType(t.sizes, dtype, t.lanes)
        return nv.FragType((rows, columns), dtype, self.accumulator_layout)

    @property
    def tile_sizes(self) -> Sequence[tuple[int, int]]:
        rows, (_, columns, keys) = self.plan.warp[0], self.plan.tile
        return [(rows, n) for n in dict.fromkeys((1, self.row_lanes, keys, columns))]

    def block_tile(self, tile: tuple[int, int]) -> tuple[int, int]:
        return self.plan.tile[0], tile[1]

    @property
    def tile_origin(self) -> tuple[SSAValue, SSAValue]:
        return self.warp if self.warp is not None else (self.index(0), self.index(0))

    # --- ops --------------------------------------------------------------------------------------

    def check_tiles(self, op: Operation) -> None:
        tiles = [v for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
        vectors = all(pto.tile_type(v).loc == "Vec" and self.size_of(v) in self.tile_sizes for v in tiles)
        reduces = isinstance(op, pto.RowReduceOp | pto.RowExpandOp) and op.run is not None
        if not tiles or not vectors or reduces or isinstance(op, pto.ColReduceOp | pto.ColExpandOp) or op.regions:
            bm, bn, bk = self.plan.tile
            need = f"use vector ops on Vec tiles of {bm} x {bk}, {bm} x {bn} or {bm} x 1, and whole reductions of rows"
            raise Unsupported(op, what=f"'{op.name}' between chained products", need=need)

    def divides_rows(self, op: Operation) -> bool:
        return False

    def is_partial(self, op: pto.RowReduceOp) -> bool:
        return op.result in self.parts

    def realigned_width(self, access: pto.LoadMapOp | pto.StoreMapOp, address: isl.Aff, tile: tuple[int, int]) -> int:
        return 1

    def whole_sum(self, loop: KeyLoop, index: int, part: SSAValue) -> SSAValue:
        """Writes the sum of the parts `part` of a deferred sum over the lanes of each row, and returns it."""
        row_sum = cast(pto.RowSumOp, deferred_sum(loop, index)[-2].owner)
        t = nv.frag(part)
        body = Block(arg_types=[t.element_type, t.element_type])
        with self.within(body):
            self.add(nv.YieldOp([combined(row_sum, body.args, self.add)]))
        return self.add(nv.RowReduceOp(part, nv.row_fragment(t), Region(body)), "sum")
