"""
The tile program of the rows template: tiles hold whole rows, and a reduction gives one element per row, which is broadcast
along the row where later ops need it.

```
softmax:   %x = load;  %m = rowmax %x;  %e = exp(%x - rowexpand %m);  %s = rowsum %e;  store %e / rowexpand %s
```

Values that do not depend on the column are computed once per row, on tiles of one column. Spec: `pto-ir.md §4`.
"""

from __future__ import annotations

import islpy as isl
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import extended
from ...analysis.regions.kernel_space import row_major
from ...dialects import pto, region, tiny
from ...dialects.plan.schedule import Schedule
from ..neutral import neutral
from .program import Read, Scope, TileProgram


class RowProgram(TileProgram):
    """Writes loads of whole rows, the vector ops and reductions on them, and stores."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        n = self.space.outer + 1
        once = Scope(self.space.points, tuple(self.offsets), self.builder, (self.sizes[0], 1), self.dims)
        self.scope = Scope(self.space.points, tuple(self.offsets), self.builder, self.sizes, self.dims, once, n)

    def output(self, root: SSAValue, at: isl.MultiAff) -> SSAValue:
        return self.value(
            self.read(Access(root, affine.identity(at.dim(isl.dim_type.out))), Access(root, at), self.scope)
        )

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        """Writes the reduction of the rows of what is reduced; elements beyond the row's end are neutral."""
        info, scope = self.space.book[op.result], self.scope
        reduced = info.static_sizes[info.rank :]
        _, at = extended(info, read.at.map, self.space.points)
        columns = row_major(len(self.space.points), scope.axis, reduced)
        whole = affine.identity(len(self.space.points)).flat_range_product(columns)
        at = affine.compose(at, whole, self.space.points)
        guard = None if read.at.guard is None else read.at.guard.eliminate(isl.dim_type.set, scope.axis, 1)
        tile = self.value(self.read(info.accesses[0], Access(op.result, at, guard), scope))
        self.at, fn = op, op.fn.data
        with self.inside(scope):
            tile = self.term(fn, self.expanded(tile, scope), op.accum)
            if scope.sizes[1] != self.space.n:
                mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
                start = self.filled(neutral(fn, pto.tile_type(tile).element_type), scope)
                tile = self.add(pto.SelOp(mask, tile, start))
            return self.convert(self.add(pto.ROW_REDUCTIONS[fn](tile)), op.accum)
