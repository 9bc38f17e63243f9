"""
Slice rules: merge slices, and move them above other movements.

```
slice (slice x)          →  slice x
slice (broadcast x)      →  broadcast (slice x)
slice (transpose x)      →  transpose (slice x)
slice (concat x, y, z)   →  slice y, or concat (slice x), y      without pieces outside the window
slice (pad x)            →  slice x, or the padding
slice (iota)             →  iota                                 if the window begins at 0 along iota's axis
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import Size, known_sizes, sizes
from ...semantics.arrays.scalars import dense_array
from .checks import is_in_bounds, is_static_broadcast, permutes_sizes, pieces_agree
from .write import Result, Writer, operand_is


def drop_slice(op: ptir.SliceOp, write: Writer) -> Result:
    if any(op.starts.get_values()) or op.input.type != op.result.type:
        return "it takes a part of its operand"
    return "it has a size without a name" if None in sizes(op.result) else op.input


@operand_is(ptir.SliceOp)
def merge_slices(op: ptir.SliceOp, inner: ptir.SliceOp, write: Writer) -> Result:
    if not is_in_bounds(inner) or not is_in_bounds(op):
        return "whether the window is in bounds is not known statically"
    starts = [a + b for a, b in zip(inner.starts.get_values(), op.starts.get_values(), strict=True)]
    return window(inner.input, starts, sizes(op.result), write)


@operand_is(ptir.BroadcastToOp)
def slice_of_broadcast(op: ptir.SliceOp, inner: ptir.BroadcastToOp, write: Writer) -> Result:
    small, out = sizes(inner.input), sizes(op.result)
    new = len(out) - len(small)
    if not is_in_bounds(op) or not is_static_broadcast(inner):
        return "whether the window is in bounds is not known statically"
    starts, want = op.starts.get_values()[new:], out[new:]
    part = window(
        inner.input,
        [0 if s == 1 else start for s, start in zip(small, starts, strict=True)],
        [1 if s == 1 else size for s, size in zip(small, want, strict=True)],
        write,
    )
    return part if sizes(part) == out else write.add(ptir.BroadcastToOp(part, out))


@operand_is(ptir.TransposeOp)
def slice_of_transpose(op: ptir.SliceOp, inner: ptir.TransposeOp, write: Writer) -> Result:
    if not permutes_sizes(inner) or None in sizes(op.result):
        return "the transpose's sizes are not known to be its operand's, or a size of the slice has no name"
    perm, starts, out = inner.permutation(), op.starts.get_values(), sizes(op.result)
    back = [perm.index(axis) for axis in range(len(perm))]
    part = window(inner.input, [starts[b] for b in back], [out[b] for b in back], write)
    return write.transpose(part, perm)


@operand_is(ptir.ConcatOp)
def slice_of_concat(op: ptir.SliceOp, inner: ptir.ConcatOp, write: Writer) -> Result:
    axis = inner.axis()
    lengths = known_sizes([sizes(x)[axis] for x in inner.inputs])
    starts, out = list(op.starts.get_values()), list(sizes(op.result))
    start, size = starts[axis], out[axis]
    if lengths is None or not isinstance(size, int) or not is_in_bounds(op) or not pieces_agree(inner):
        return "whether the window is in bounds is not known statically"
    begins = [sum(lengths[:i]) for i in range(len(lengths))]
    reached = [
        (x, max(start - at, 0), min(start + size, at + length) - max(start, at))
        for x, at, length in zip(inner.inputs, begins, lengths, strict=True)
        if max(start, at) < min(start + size, at + length)
    ]
    if not reached or len(reached) == len(inner.inputs):
        return "it reaches every piece, or is empty"
    parts: list[SSAValue] = []
    for x, begin, length in reached:
        starts[axis], out[axis] = begin, length
        parts.append(window(x, starts, out, write))
    return parts[0] if len(parts) == 1 else write.add(ptir.ConcatOp(parts, axis))


@operand_is(ptir.PadOp)
def slice_of_pad(op: ptir.SliceOp, inner: ptir.PadOp, write: Writer) -> Result:
    if any(inner.interior.get_values()):
        return "the pad has interior padding"
    extents, out = known_sizes(sizes(inner.input)), known_sizes(sizes(op.result))
    if extents is None or out is None or not is_in_bounds(op):
        return "a size is not known"
    starts = [start - low for start, low in zip(op.starts.get_values(), inner.low.get_values(), strict=True)]
    rows = list(zip(starts, out, extents, strict=True))
    if all(start >= 0 and start + size <= extent for start, size, extent in rows):
        return window(inner.input, starts, out, write)
    if any(start + size <= 0 or start >= extent for start, size, extent in rows):
        return write.splat(dense_array(inner.value.dense).reshape(()), op.result.type)
    return "it takes a part of the operand and a part of the padding"


@operand_is(ptir.IotaOp)
def slice_of_iota(op: ptir.SliceOp, inner: ptir.IotaOp, write: Writer) -> Result:
    if op.starts.get_values()[inner.axis()] or None in sizes(op.result) or not is_in_bounds(op):
        return "it does not begin at 0, or a size is not known"
    return write.add(ptir.IotaOp(element(op.result), sizes(op.result), inner.axis()))


# --- what they share ----------------------------------------------------------------------------


def window(x: SSAValue, starts: Sequence[int], of: Sequence[Size], write: Writer) -> SSAValue:
    """Returns the slice of `x` with these `starts` and sizes `of`, or `x` if that is all of it."""
    whole = not any(starts) and sizes(x) == tuple(of)
    return x if whole else write.add(ptir.SliceOp(x, starts, of))
