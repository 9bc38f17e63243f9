"""
Lowers scatters and segment reductions to reductions of the updates of each element, or to atomic updates (`segments.py`).

```
scatter_reduce add %x, %i, %u axis 0                    x 8, indices and updates 5

  %k = binary require_index (%i < 8), %i                an index out of range is an error
  %t = the sums of the updates with equal %k            8
  %r = binary where (%t == 0), %x, %x + %t              an element without updates keeps its bits
```

If updates `replace` elements, the last one of each is read.
"""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_complex, is_float
from ...dialects.ptir.base import default_accum
from ..op_writer import static_sizes
from .movement import INDEX
from .segments import Compared, Scattered, Segments, before, in_fixed_order, segments
from .writer import POSITION, POSITIONS, U32, Writer, zero


def scatter_reduce(op: ptir.ScatterReduceOp, write: Writer) -> SSAValue:
    x, axis, of, kind = op.x, op.axis(), static_sizes(op.updates), op.kind.data
    if 0 in of:
        return x
    extent = static_sizes(x)[axis]
    ids = Compared(write, write.checked(_varying(op.indices, axis, write), extent), axis, extent)
    if kind != "replace":
        return _combined(kind, x, segments(ids, of, kind, default_accum(element(x))), op.updates, write)
    last = in_fixed_order(ids, of, reduces=False).last()
    present = write.binary("lt", last, write.literal(of[axis], U32))
    return write.binary("where", present, write.at(op.updates, last, axis), x)


def scatter_add(op: ptir.ScatterAddOp, write: Writer) -> SSAValue:
    """
    Writes sums of rows of `x`, which have the axes without an index. The other axes are merged: an update has its index in row-major order.
    The axes of rows start at 0, so that updates are padded to whole rows.
    """
    of, extents = static_sizes(op.updates), static_sizes(op.x)
    scattered, vector = op.scatter_dims_to_operand_dims(), op.index_vector_dim()
    window = dict(zip(op.window_axes(), op.update_window_dims(), strict=True))
    """The axis of the updates for each axis of x that the window covers."""
    size = [of[window[a]] if a in window else 1 for a in range(len(extents))]
    through = [a for a in range(len(of)) if a not in window.values()]
    moving, still = sorted(scattered), [a for a in range(len(extents)) if a not in scattered]
    count = prod(of[a] for a in through)
    places = [count, *(size[a] for a in moving)]
    total = prod(extents[a] for a in moving)
    dtype = POSITION if total <= POSITIONS else INDEX

    sizes = static_sizes(op.indices)
    vectors = op.indices
    if vector < len(sizes):
        vectors = write.permute(vectors, [*(a for a in range(len(sizes)) if a != vector), vector])
    vectors = write.reshape(vectors, [count, len(scattered)])
    ids: SSAValue | None = None
    for k, a in enumerate(moving):
        start = write.shrink(vectors, [0, scattered.index(a)], [count, 1])
        start = write.cast(write.checked(start, extents[a] - size[a] + 1), dtype)
        start = write.reshape(start, [count, *(1 for _ in moving)])
        at = start if size[a] == 1 else write.binary("add", start, write.count(dtype, len(places), k + 1, size[a]))
        ids = at if ids is None else write.binary("add", write.binary("mul", ids, write.literal(extents[a], dtype)), at)
    ids = write.expand(write.literal(0, dtype), places) if ids is None else ids

    order = [*through, *(window[a] for a in moving if a in window), *(window[a] for a in still if a in window)]
    updates = write.reshape(write.permute(op.updates, order), [prod(places), *(size[a] for a in still)])
    missing = [0, *(extents[a] - size[a] for a in still)]
    updates = write.pad(updates, [0] * len(missing), missing, zero(element(op.x)))
    ids = write.reshape(ids, [prod(places), *(1 for _ in still)])
    found = segments(Compared(write, ids, 0, total), static_sizes(updates), "add", default_accum(element(op.x)))
    back = [*moving, *still]
    rows = write.reshape(write.permute(op.x, back), [total, *(extents[a] for a in still)])
    rows = _combined("add", rows, found, updates, write)
    return write.permute(write.reshape(rows, [extents[a] for a in back]), [back.index(a) for a in range(len(back))])


def segment_reduce(op: ptir.SegmentReduceOp, write: Writer) -> SSAValue:
    """Writes a reduction of the rows of each segment; a segment without rows is the neutral element."""
    count, *row = of = static_sizes(op.x)
    number, ordered = static_sizes(op.result)[0], op.indices_are_sorted is not None
    ids = write.checked(op.segment_ids, number)
    if ordered and count > 1:
        earlier = before(ids, 0, write)
        ids = write.binary("require_sorted", write.binary("le", earlier, ids), ids)
        if op.unique is not None:
            ids = write.binary("require_unique", write.binary("lt", earlier, ids), ids)
    ids = write.reshape(ids, [count, *(1 for _ in row)])
    unique = op.unique is not None and not ordered
    found = segments(Compared(write, ids, 0, number, unique), of, op.kind.data, op.accum, ordered=ordered)
    return write.cast(found.total(op.kind.data, op.x, op.accum), element(op.result))


def _varying(indices: SSAValue, axis: int, write: Writer) -> SSAValue:
    """Returns indices with size 1 along the axes along which they are only repeated, except for `axis`."""
    of = static_sizes(indices)
    if isinstance(op := indices.owner, tiny.MovementOp) and op.kind.data == "expand":
        narrow = [1] * (len(of) - len(static_sizes(op.input))) + list(static_sizes(op.input))
        if narrow[axis] == of[axis]:
            return write.reshape(op.input, narrow)
    return indices


def _combined(kind: str, x: SSAValue, found: Segments, updates: SSAValue, write: Writer) -> SSAValue:
    """
    Writes `x` combined with the updates of each segment. An element whose updates sum to 0, as those of an element without updates, keeps
    its bits: -0 + 0 would be +0.
    """
    if isinstance(found, Scattered):
        return found.added_to(x, kind, updates)
    dtype, accum = element(x), default_accum(element(x))
    total = found.total("sum" if kind == "add" else kind, updates, accum)
    changed = write.cast(write.binary(kind, write.cast(x, accum), total), dtype)
    if is_complex(dtype) or (is_float(dtype) and kind == "add"):
        neutral = write.literal(int(kind == "mul"), accum)
        return write.binary("where", write.binary("eq", total, neutral), x, changed)
    return changed
