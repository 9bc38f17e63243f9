"""
Reductions of windows, such as poolings, in the kernel of the contraction whose result they reduce.

```
%c = convolution …     : tensor<8x56x56x64xf32>      m = (n, p', q', r, s): four adjacent rows of a tile are a window
%v = view %c           : tensor<8x28x28x64x2x2xf32>
%y = reduce max %v     : tensor<8x28x28x64xf32>      lanes of a window exchange their elements; the first row is stored
```

The windows must not share elements: another tile would have to compute those again. Elements between windows are not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ...targets.matrices import WORD
from ...targets.mma import element_bytes, mma_for
from ..index import affine
from .axis_groups import INDEX_LIMIT
from .contraction import Contraction
from .rows import axes_used

ROWS = (2, 4, 8)
"""The sizes of windows: lanes of a warp hold eight adjacent rows of an accumulator."""
REDUCTIONS = ("max", "min", "sum")


@dataclass(frozen=True)
class Window:
    """
    The windows that `op` reduces. `sizes` are the axes of its result, of which m and n are the axes `m` and `n` and the others `batch`; then the
    axes of a window. `at` maps them to the axes of the contraction's result.
    """

    op: tiny.ReduceOp
    contraction: Contraction
    sizes: tuple[int, ...]
    at: isl.MultiAff
    batch: tuple[int, ...]
    m: tuple[int, ...]
    n: tuple[int, ...]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of a window."""
        return tuple(range(len(shape(self.op.result)), len(self.sizes)))

    @property
    def rows(self) -> int:
        """The number of elements of a window, which are adjacent rows of a tile."""
        return prod(self.sizes[a] for a in self.axes)


def window_in(op: tiny.ReduceOp, maps: Sequence[isl.MultiAff], sizes: tuple[int, ...], c: Contraction) -> Window | str:
    """Returns the windows of `sizes` that `op` reads through `maps` from the result of `c`, or why a tile of `c` does not hold them."""
    rank, count = len(shape(op.result)), prod(sizes[len(shape(op.result)) :])
    mma = mma_for(*c.dtypes, c.precision)
    if op.fn.data not in REDUCTIONS:
        return f"it is no maximum, minimum or sum, but {op.fn.data}"
    if tiny.keeps_order(op) or tiny.keeps_order(c.op):
        return "the sums of strict floats have an order"
    if mma is None or element_bytes(mma.accum) != WORD or element_bytes(op.accum) != WORD:
        return "lanes exchange elements of 4 bytes only"
    if len(maps) != 1:
        return "it reads elements of a window twice"
    (at,) = maps
    if not at.as_map().intersect_domain(affine.box(sizes)).is_injective():
        again = prod(sizes) / prod(shape(c.out))
        return f"its windows overlap: a kernel that holds each would compute {again:.3g} times as many elements"
    if count not in ROWS:
        return f"its windows have {count} elements, and lanes hold 2, 4 or 8 adjacent rows of a tile"
    if not affine.box(sizes).is_subset(affine.box(shape(c.out)).preimage_multi_aff(at)):
        return "its windows reach into padding"
    kinds = {axis: kind for kind, axes in (("batch", c.batch), ("m", c.m), ("n", c.n)) for axis in axes}
    moved = [axes_used(isl.MultiAff.from_aff(at.get_at(a))) for a in range(at.dim(isl.dim_type.out))]
    found = [{kinds[a] for a, used in enumerate(moved) if axis in used} for axis in range(len(sizes))]
    wide = [axis for axis, size in enumerate(sizes) if size > 1]
    if any(len(found[axis]) != 1 for axis in wide):
        return "an axis of it is part of several axes of the tile"
    if any(found[axis] != {"m"} for axis in wide if axis >= rank):
        return "its windows lie along the columns of a tile"
    batch, m, n = (
        tuple(axis for axis in wide if axis < rank and found[axis] == {kind}) for kind in ("batch", "m", "n")
    )
    if count * prod(sizes[axis] for axis in m) >= INDEX_LIMIT:
        return "a tile would number too many rows"
    return Window(op, c, sizes, at, batch, m, n)
