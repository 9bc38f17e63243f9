"""
The tile program of the rows template: tiles hold whole rows, and a reduction gives one element per row, which is broadcast
along the row where later ops need it.

```
softmax:   %x = load;  %m = rowmax %x;  %e = exp(%x - rowexpand %m);  %s = rowsum %e;  store %e / rowexpand %s
```

Values that do not depend on the column are computed once per row, on tiles of one column, as are one-hot sums. With `C_stride = "col"`, tiles are
transposed: a row of the region is a column of a tile, and `colmax`, `colsum` and `colexpand` take the place of `rowmax` and so on.
Spec: `pto-ir.md §4`.
"""

from __future__ import annotations

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import extended
from ...analysis.regions.axis_groups import row_major
from ...dialects import pto, region, tiny
from ...dialects.common.shapes import widens_exactly
from ...dialects.plan.schedule import Schedule
from ..neutral import neutral
from .program import TileProgram
from .scope import Read, Scope


class RowProgram(TileProgram):
    """Writes loads of whole rows, the vector ops and reductions on them, and stores."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.masks = self.space.n % self.plan.row_columns > 0
        """Whether the tiles that reductions read extend beyond the ends of rows."""
        n = self.space.outer + 1
        rows = self.sizes[self.dims.index(n - 1)]
        single = (1, rows) if self.plan.transposed else (rows, 1)
        once = Scope(self.space.points, tuple(self.offsets), self.builder, single, self.dims)
        self.scope = Scope(self.space.points, tuple(self.offsets), self.builder, self.sizes, self.dims, once, n)

    def output(self, root: SSAValue, at: isl.MultiAff) -> SSAValue:
        return self.value(self.output_read(root, at))

    def output_read(self, root: SSAValue, at: isl.MultiAff) -> Read:
        return self.read(Access(root, affine.identity(at.dim(isl.dim_type.out))), Access(root, at), self.scope)

    @property
    def steps(self) -> tuple[int, int]:
        """
        The extents along m and n of the points that a block or a cluster computes: whole rows, in tiles of the plan's columns.
        """
        columns = self.plan.row_columns
        return self.plan.tile[0], -(-self.space.n // columns) * columns

    @property
    def sizes(self) -> tuple[int, int]:
        return self.plan.row_tile

    def varies_along_row(self, read: Read) -> bool:
        """Transposed tiles, of which a column is a row of the region, have no tiles of one column."""
        return self.plan.transposed or super().varies_along_row(read)

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        """Writes the reduction of the rows of the operand of `op`."""
        reduction = (pto.COL_REDUCTIONS if self.plan.transposed else pto.ROW_REDUCTIONS)[op.fn.data]
        return self.convert(self.add(reduction(self.reduced(op, read.at))), op.accum)

    def summand(self, op: tiny.ReduceOp, at: Access) -> Read:
        """Returns the read of the rows that the reduction `op`, which is read through `at`, reduces."""
        info, scope = self.space.book[op.result], self.scope
        reduced = info.static_sizes[info.rank :]
        _, inner = extended(info, at.map, self.space.points)
        columns = row_major(len(self.space.points), scope.axis, reduced)
        whole = affine.identity(len(self.space.points)).flat_range_product(columns)
        inner = affine.compose(inner, whole, self.space.points)
        guard = None if at.guard is None else at.guard.eliminate(isl.dim_type.set, scope.axis, 1)
        return self.read(info.accesses[0], Access(op.result, inner, guard), scope)

    def reduced(self, op: tiny.ReduceOp, at: Access) -> SSAValue:
        """
        Writes the tile of rows that a reduction reduces. Elements beyond the end of a row are the neutral element. A maximum of bf16
        is not computed in a wider type, as lanes compare two elements at a time.
        """
        scope, fn = self.scope, op.fn.data
        tile = self.value(self.summand(op, at))
        self.at = op
        with self.inside(scope):
            narrow = unwidened(tile) if fn in ("max", "min") else None
            tile = (
                self.term(fn, self.expanded(tile, scope), op.accum) if narrow is None else self.expanded(narrow, scope)
            )
            if self.masks:
                mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
                start = self.filled(neutral(fn, pto.tile_type(tile).element_type), scope)
                tile = self.add(pto.SelOp(mask, tile, start))
            return tile


def unwidened(tile: SSAValue) -> SSAValue | None:
    """Returns a tile of bf16 whose elements are those of `tile`, of any type of floats, or None if there is none."""
    while isinstance(by := tile.owner, pto.CvtOp) and widens_exactly(
        *(pto.tile_type(v).element_type for v in (by.input, tile))
    ):
        tile = by.input
    return tile if isinstance(pto.tile_type(tile).element_type, BFloat16Type) else None
