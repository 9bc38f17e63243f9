"""
Windows that slide over axes: a padded input, and a view of it that has an axis for the positions of a window and another
for the elements in it.

```
reduce_window max %x window [2] strides [2] padding [(1, 0)]         7

  %p = movement pad %x low [1] high [0] value -inf                   8
  %v = movement view %p offset 0 strides [2, 1]                      4x2
  %r = reduce max %v axes [1]                                        4
```
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import Float8E4M3FNType, f16
from xdsl.ir import SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from ...semantics.arrays.reductions import identity
from ...semantics.arrays.scalars import numpy_dtype
from .movement import spread
from .writer import Writer, numbers, zero

Axes = list[tuple[int, int]]
"""Sizes, and how many elements a step goes."""


def padded(write: Writer, x: SSAValue, windows: Sequence[ptir.Window | None], value: ptir.ScalarAttr) -> SSAValue:
    """
    `x` with what its windows, one for each axis that has one, see of it: base dilation and positive padding first; what
    negative padding takes away comes last, as it may take more than there was.
    """
    slid = [w or ptir.Window(1) for w in windows]
    spaced = spread(write, x, [w.base_dilation - 1 for w in slid], value)
    wide = write.pad(spaced, [max(w.low, 0) for w in slid], [max(w.high, 0) for w in slid], value)
    to = [w.padded(size) for w, size in zip(slid, numbers(x), strict=True)]
    return write.shrink(wide, [min(max(-w.low, 0), size) for w, size in zip(slid, numbers(wide), strict=True)], to)


def steps(x: SSAValue) -> list[int]:
    """How many elements of `x` a step along each of its axes goes."""
    return row_major_strides(numbers(x))


def places(windows: Sequence[ptir.Window], strides: Sequence[int], extents: Sequence[int]) -> Axes:
    """The axes of the positions; `extents` are those before padding."""
    rows = zip(windows, strides, extents, strict=True)
    return [(w.positions(size), w.stride * stride) for w, stride, size in rows]


def reduce_window(op: ptir.ReduceWindowOp, write: Writer) -> SSAValue:
    """The padding is the identity, and a maximum of it alone is what the accumulator's type makes of the least value."""
    kind, accum, windows = op.kind.data, op.accum, op.windows()
    x = write.cast(op.input, accum)
    if kind != "sum" and isinstance(accum, Float8E4M3FNType):  # which has no infinity
        x, accum = write.cast(x, f16), f16
    dtype = numpy_dtype(element(x))
    fill = np.asarray(identity(kind, dtype)).astype(dtype)
    wide = padded(write, x, windows, ptir.ScalarAttr.of(fill.tobytes(), element(x)))
    strides = steps(wide)
    positions = places(windows, strides, numbers(x))
    inside = [(w.size, w.dilation * s) for w, s in zip(windows, strides, strict=True) if w.size > 1]
    view = write.view(wide, [*positions, *inside])
    folded = write.reduce(kind, view, range(len(positions), len(positions) + len(inside)), accum)
    return write.cast(write.cast(folded, op.accum), element(op.result))


def extract_patches(op: ptir.ExtractPatchesOp, write: Writer) -> SSAValue:
    x, windows = op.input, op.windows()
    value = op.pad_value or zero(element(x))
    wide = padded(write, x, [None, *windows, None], value)
    row, *strides, last = steps(wide)
    batch, *extents, channels = numbers(x)
    inside = [(w.size, w.dilation * s) for w, s in zip(windows, strides, strict=True)]
    view = write.view(wide, [(batch, row), *places(windows, strides, extents), *inside, (channels, last)])
    return write.reshape(view, sizes(op.result))
