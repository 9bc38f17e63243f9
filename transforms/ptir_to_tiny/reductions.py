"""
Lowers reductions and sliding windows. Windows become a pad and a view, which has an axis for the positions of the window and an
axis for the elements inside it.

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
from xdsl.ir import Attribute, SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_float
from ...dialects.common.strict import is_strict
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.dims import sizes
from ...semantics.arrays.reductions import identity
from ...semantics.arrays.scalars import numpy_dtype
from ..op_writer import Declined, static_sizes
from .movement import spread
from .scans import fold_windows, long_axes
from .writer import Writer, zero

Axes = list[tuple[int, int]]
"""The axes of a view, each as (size, stride in elements)."""


PREDICATES = {"any": "max", "all": "min"}
"""Maps reductions of predicates to the equivalent reductions of tiny."""


def reduce(op: ptir.ReduceOp, write: Writer) -> SSAValue:
    kind = PREDICATES.get(op.kind.data, op.kind.data)
    total = write.reduce(kind, write.cast(op.input, op.accum), op.axes(), op.accum)
    return write.reshape(write.cast(total, element(op.result)), sizes(op.result))


def argmax(op: ptir.ArgMaxOp, write: Writer) -> SSAValue:
    """Writes the least index of the maximum; a NaN is greater than all numbers."""
    x, axis, of = op.input, op.axis(), sizes(op.input)
    if not isinstance(length := of[axis], int):
        raise Declined(f"the size of axis {axis} is not a number")
    dtype, index = element(x), element(op.result)
    most = write.reduce("max", x, [axis], dtype)
    aligned = write.reshape(most, [1 if a == axis else size for a, size in enumerate(of)])
    first = write.binary("eq", x, aligned)
    if is_float(dtype):
        first = write.binary("or", first, write.binary("ne", x, x))
    position = write.add(tiny.IotaOp(index, [length if a == axis else 1 for a in range(len(of))], axis))
    last = write.literal(length - 1, index)
    found = write.reduce("min", write.binary("where", first, position, last), [axis], index)
    return write.reshape(found, sizes(op.result))


def with_neutral(write: Writer, kind: str, x: SSAValue, accum: Attribute) -> tuple[SSAValue, ScalarAttr]:
    """Writes `x` cast to `accum`, in a type that has the neutral element of the reduction, and returns both."""
    x = write.cast(x, accum)
    if kind in ("max", "min") and isinstance(accum, Float8E4M3FNType):  # f8E4M3FN has no infinity
        x = write.cast(x, f16)
    dtype = numpy_dtype(element(x))
    fill = np.asarray(identity(kind, dtype)).astype(dtype)
    return x, ScalarAttr.of(fill.tobytes(), element(x))


def padded(write: Writer, x: SSAValue, windows: Sequence[ptir.Window | None], value: ScalarAttr) -> SSAValue:
    """
    Returns `x` dilated and padded for `windows`, which has a window or None for each axis. Positive padding is applied before
    negative padding, which may remove more elements than `x` has.
    """
    slid = [w or ptir.Window(1) for w in windows]
    spaced = spread(write, x, [w.base_dilation - 1 for w in slid], value)
    wide = write.pad(spaced, [max(w.low, 0) for w in slid], [max(w.high, 0) for w in slid], value)
    to = [w.padded(size) for w, size in zip(slid, static_sizes(x), strict=True)]
    return write.shrink(wide, [min(max(-w.low, 0), size) for w, size in zip(slid, static_sizes(wide), strict=True)], to)


def strides_of(x: SSAValue) -> list[int]:
    """Returns the row-major strides of `x` in elements."""
    return row_major_strides(static_sizes(x))


def position_axes(windows: Sequence[ptir.Window], strides: Sequence[int], extents: Sequence[int]) -> Axes:
    """Returns an axis for the positions of each window; `extents` are the sizes of the axes before padding."""
    rows = zip(windows, strides, extents, strict=True)
    return [(w.positions(size), w.stride * stride) for w, stride, size in rows]


def reduce_window(op: ptir.ReduceWindowOp, write: Writer) -> SSAValue:
    """
    Writes a reduction of a view of windows. The padding is the neutral element of the reduction: the maximum of a window that
    lies in the padding is the accumulator's least value. Long windows are folded one axis at a time (`scans.py`), except sums of
    strict floats.
    """
    kind, accum, windows = op.kind.data, op.accum, op.windows()
    x, fill = with_neutral(write, kind, op.input, accum)
    accum = element(x)
    in_order = is_strict(op) and tiny.adds_floats(kind, accum)
    long = [] if in_order else long_axes(windows, static_sizes(x))
    for axis in long:
        x = fold_windows(write, kind, x, axis, windows[axis], fill)
        windows[axis] = ptir.Window(1, windows[axis].stride)
    wide = padded(write, x, windows, fill)
    strides = strides_of(wide)
    positions = position_axes(windows, strides, static_sizes(x))
    inside = [(w.size, w.dilation * s) for w, s in zip(windows, strides, strict=True) if w.size > 1]
    view = write.view(wide, [*positions, *inside])
    folded = (
        write.reduce(kind, view, range(len(positions), len(positions) + len(inside)), accum)
        if inside or not long
        else view
    )
    return write.cast(write.cast(folded, op.accum), element(op.result))


def extract_patches(op: ptir.ExtractPatchesOp, write: Writer) -> SSAValue:
    x, windows = op.input, op.windows()
    value = op.pad_value or zero(element(x))
    wide = padded(write, x, [None, *windows, None], value)
    row, *strides, last = strides_of(wide)
    batch, *extents, channels = static_sizes(x)
    inside = [(w.size, w.dilation * s) for w, s in zip(windows, strides, strict=True)]
    view = write.view(wide, [(batch, row), *position_axes(windows, strides, extents), *inside, (channels, last)])
    return write.reshape(view, sizes(op.result))
