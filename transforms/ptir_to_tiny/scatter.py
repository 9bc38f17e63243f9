"""
Lowers scatters and segment reductions to reductions: each element of the result compares all indices with its own position.

```
scatter_reduce add %x, %i, %u axis 0                    x 8, indices and updates 5

  %k = binary require_index (%i < 8), %i                an index out of range is an error
  %h = binary eq %k, iota                               8x5: update j goes to element i
  %t = reduce sum (binary where %h, %u, 0) axes [1]     8
  %r = binary where (%t == 0), %x, %x + %t              an element without updates keeps its bits
```

So no two threads write the same element, and the order of accumulation is fixed. The number of comparisons is the number of elements
times that of the updates that may go to each. No tensor of that size is stored: the kernel that reduces the terms computes them.

If updates `replace` elements, the last one wins: the maximum of its position, which is 1 at least, followed by the bits of its value.
Wider values are read at the position.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_complex, is_float
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.base import default_accum
from ...dialects.ptir.functions import bit_width
from ...semantics.arrays.scalars import integer_range, numpy_dtype
from .reductions import with_neutral
from .selection import U64, from_bits, to_bits
from .writer import POSITION, Writer, static_sizes, zero


def scatter_reduce(op: ptir.ScatterReduceOp, write: Writer) -> SSAValue:
    axis, of = op.axis(), static_sizes(op.x)
    updates = static_sizes(op.updates)
    apart = [*updates[:axis], 1, *updates[axis:]]
    index = write.checked(write.reshape(op.indices, apart), of[axis])
    hit = write.binary("eq", index, write.count(element(index), len(apart), axis, of[axis]))
    terms = write.reshape(op.updates, apart)
    if op.kind.data == "replace":
        return _replaced(op, hit, terms, write)
    return _combined(op.kind.data, op.x, hit, terms, [axis + 1], write)


def scatter_add(op: ptir.ScatterAddOp, write: Writer) -> SSAValue:
    """
    Writes sums of terms with the axes of x, one axis for the updates, and one for each axis of a window that has a start. The other
    axes of the window start at 0, so that they are axes of x, and their terms are padded.
    """
    of, extents, rank = static_sizes(op.updates), static_sizes(op.x), len(static_sizes(op.x))
    scattered, vector = op.scatter_dims_to_operand_dims(), op.index_vector_dim()
    window = dict(zip(op.window_axes(), op.update_window_dims(), strict=True))
    """The axis of the updates for each axis of x that the window covers."""
    size = [of[window[a]] if a in window else 1 for a in range(rank)]
    moving = [a for a in scattered if size[a] > 1]
    through = [a for a in range(len(of)) if a not in window.values()]
    still = [a for a in window if a not in scattered]
    order = [*(window[a] for a in still), *through, *(window[a] for a in window if a in scattered)]
    count = prod(of[a] for a in through)
    inner = [size[a] for a in window if a in moving]
    tail = dict(zip((a for a in window if a in moving), range(rank + 1, rank + 1 + len(inner)), strict=True))
    whole = [*extents, count, *inner]

    placed = [*(1 if a in scattered else size[a] for a in range(rank)), count, *inner]
    terms = write.reshape(write.permute(op.updates, order), placed)
    missing = [0 if a in scattered else extents[a] - size[a] for a in range(rank)]
    terms = write.pad(terms, [0] * len(whole), [*missing, *([0] * (1 + len(inner)))], zero(element(op.x)))

    def along(axis: int, dtype: Attribute) -> SSAValue:
        return write.count(dtype, len(whole), axis, whole[axis])

    dtype = element(op.indices)
    conditions = [
        write.binary("lt", along(a, POSITION), write.literal(size[a], POSITION)) for a in range(rank) if missing[a]
    ]
    sizes = static_sizes(op.indices)
    if vector < len(sizes):
        vectors = write.permute(op.indices, [*(a for a in range(len(sizes)) if a != vector), vector])
    else:
        vectors = op.indices
    vectors = write.reshape(vectors, [count, len(scattered)])
    for k, a in enumerate(scattered):
        start = write.reshape(write.shrink(vectors, [0, k], [count, 1]), [count, *(1 for _ in inner)])
        start = write.checked(start, extents[a] - size[a] + 1)
        at = write.binary("add", start, along(tail[a], dtype)) if a in tail else start
        conditions.append(write.binary("eq", at, along(a, dtype)))
    hit = write.literal(True, i1)
    for condition in conditions:
        hit = write.binary("and", hit, condition)
    return _combined("add", op.x, write.expand(hit, whole), terms, range(rank, len(whole)), write)


def segment_reduce(op: ptir.SegmentReduceOp, write: Writer) -> SSAValue:
    """Writes a reduction of the rows whose ids are equal to the number of the segment; a segment without rows is the neutral element."""
    count, *row = static_sizes(op.x)
    segments, kind = static_sizes(op.result)[0], op.kind.data
    ids = _promised(op, write.checked(op.segment_ids, segments), write)
    apart = [1, count, *(1 for _ in row)]
    index = write.reshape(ids, apart)
    hit = write.binary("eq", index, write.count(element(ids), len(apart), 0, segments))
    rows = write.reshape(op.x, [1, count, *row])
    result = write.cast(_reduced(kind, hit, rows, [1], op.accum, write), element(op.result))
    if op.unique is None or op.indices_are_sorted is not None:
        return result
    one = write.literal(1, POSITION)
    found = write.reduce("sum", write.binary("where", hit, one, write.literal(0, POSITION)), [1], POSITION)
    found = write.reshape(found, [segments, *(1 for _ in row)])
    return write.binary("require_unique", write.binary("le", found, one), result)


def _promised(op: ptir.SegmentReduceOp, ids: SSAValue, write: Writer) -> SSAValue:
    """Writes the check that ids are sorted, and that sorted ids are unique, and returns the ids."""
    (count,) = static_sizes(ids)
    if op.indices_are_sorted is None or count < 2:
        return ids
    least, _ = integer_range(numpy_dtype(element(ids)))
    before = write.pad(write.shrink(ids, [0], [count - 1]), [1], [0], ScalarAttr.of(least, element(ids)))
    ids = write.binary("require_sorted", write.binary("le", before, ids), ids)
    return ids if op.unique is None else write.binary("require_unique", write.binary("lt", before, ids), ids)


def _reduced(kind: str, hit: SSAValue, x: SSAValue, axes: Sequence[int], accum: Attribute, write: Writer) -> SSAValue:
    """Writes a reduction, in type `accum`, of the elements along `axes` for which `hit` is true."""
    terms, fill = with_neutral(write, kind, x, accum)
    terms = write.binary("where", hit, terms, write.add(tiny.ConstOp(fill.dense)))
    return write.cast(write.reduce(kind, terms, axes, element(terms)), accum)


def _combined(kind: str, x: SSAValue, hit: SSAValue, updates: SSAValue, axes: Sequence[int], write: Writer) -> SSAValue:
    """
    Writes `x` combined with the updates for which `hit` is true, of those along `axes`. An element whose updates sum to 0, as those
    of an element without updates, keeps its bits: -0 + 0 would be +0.
    """
    dtype = element(x)
    accum = default_accum(dtype)
    total = _reduced("sum" if kind == "add" else kind, hit, updates, axes, accum, write)
    changed = write.cast(write.binary(kind, write.cast(x, accum), total), dtype)
    if is_complex(dtype) or (is_float(dtype) and kind == "add"):
        neutral = write.literal(int(kind == "mul"), accum)
        return write.binary("where", write.binary("eq", total, neutral), x, changed)
    return changed


def _replaced(op: ptir.ScatterReduceOp, hit: SSAValue, updates: SSAValue, write: Writer) -> SSAValue:
    """
    Writes `x` with each element replaced by the last update for which `hit` is true. Up to 32 bits, the position and the value of an
    update are one integer, whose maximum gives both.
    """
    x, axis, dtype, of = op.x, op.axis(), element(op.x), static_sizes(updates)
    if 0 in of:
        return x
    if is_complex(dtype) or bit_width(dtype) > 32:
        position, start = write.count(POSITION, len(of), axis + 1, of[axis + 1]), write.literal(0, POSITION)
        places = write.binary("where", hit, position, write.literal(-1, POSITION))
        last = write.reduce("max", places, [axis + 1], POSITION)
        found = write.binary("ge", last, start)
        value = write.add(ptir.GatherOp(op.updates, write.binary("where", found, last, start), axis))
        return write.binary("where", found, value, x)
    shift, none = write.literal(32, U64), write.literal(0, U64)
    position = write.binary("add", write.count(U64, len(of), axis + 1, of[axis + 1]), write.literal(1, U64))
    pair = write.binary("or", write.binary("shift_left", position, shift), write.cast(to_bits(write, updates), U64))
    last = write.reduce("max", write.binary("where", hit, pair, none), [axis + 1], U64)
    value = from_bits(write, write.binary("and", last, write.literal(2**32 - 1, U64)), dtype)
    return write.binary("where", write.binary("ne", last, none), value, x)
