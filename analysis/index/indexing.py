"""
The index rules of ops that read at indices given by data: affine maps from the iteration axes and *positions*.

```
gather x[5, 8], i[3, 8] axis 0       iteration (i0, i1, i2), where i2 = i[i0, i1] < 5      x[i2, i1]
dynamic_slice x[9, 4], s of 2x4      iteration (i0, i1, i2), where i2 = s[0] <= 7          x[i0 + i2, i1]
```

The values have `non_scop`: no SCoP contains them. Kernels compute them, because all else about their indices is affine.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import index_names
from . import affine
from .axes import AxisTable
from .info import Access, AxisMap, AxisVar, IndexInfo
from .isl_text import Symbol


def gather(op: ptir.GatherOp, table: AxisTable) -> IndexInfo:
    """Along the gathered axis, the position is an element of the indices."""
    axis, rank = op.axis(), len(table.axes(op.x))
    exprs = [f"i{rank if a == axis else a}" for a in range(rank)]
    indices = Access(op.indices, affine.make_map(rank + 1, index_names(rank)))
    return _at_positions(op, op.x, table, [table.axes(op.x)[axis].size], exprs, [indices])


def dynamic_slice(op: ptir.DynamicSliceOp, table: AxisTable) -> IndexInfo:
    """Along each axis, the position is an element of the start. Axes along which the window is whole need none."""
    axes, source = table.new_axes(op.result), table.axes(op.x)
    moved = {k: (a.size, s.size) for k, (a, s) in enumerate(zip(axes, source, strict=True)) if a.size != s.size}
    moved = moved or {k: (axes[k].size, source[k].size) for k in range(len(axes))[:1]}
    sizes = [s - a + 1 for a, s in moved.values() if isinstance(a, int) and isinstance(s, int)]
    if len(sizes) < len(moved) or not moved:
        return IndexInfo(axes, non_scop=f"'{op.name}' of an axis whose size is not a number")
    rank, place = len(axes), {k: len(axes) + number for number, k in enumerate(moved)}
    exprs = [f"i{k} + i{place[k]}" if k in place else f"i{k}" for k in range(rank)]
    starts = [Access(op.start, affine.make_map(rank + len(moved), [str(k)])) for k in moved]
    return _at_positions(op, op.x, table, sizes, exprs, starts)


def _at_positions(
    op: Operation,
    x: SSAValue,
    table: AxisTable,
    sizes: Sequence[Symbol],
    exprs: Sequence[str],
    indices: Sequence[Access],
) -> IndexInfo:
    """Returns the information of an op that reads `x` at `exprs`; `sizes` are those of the positions, which `indices` read."""
    axes = table.new_axes(op.results[0])
    positions = tuple(AxisVar(table.new_id(), f"i{len(axes) + k}", size, "position") for k, size in enumerate(sizes))
    at: AxisMap = affine.make_map(len(axes) + len(positions), exprs)
    why = f"'{op.name}' reads at indices given by data"
    return IndexInfo(axes, accesses=(Access(x, at), *indices), non_scop=why, positions=positions)
