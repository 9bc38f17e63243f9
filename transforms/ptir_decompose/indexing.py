"""
Formulas of indexing ops by other indexing ops, and pairs of them that express the same access.

```
dynamic_update_slice x, u, s   =   select(window of padded ones, window of padded u, x)     the windows begin at (extent - size) - s
take x[N, D], i[S]        =   gather x[N, D], (i broadcast to [S, D]) axis 0    gather has an index for each element
scatter_reduce add        =   scatter_add with an index along every axis for each update
scatter_add of whole rows =   scatter_reduce add with the index of the row for each element
```

An index out of range is the same violation on both sides. If another axis is empty, one side of the other pairs has no index to check,
so nothing is rewritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_predicate
from ...dialects.ptir.dims import sizes
from ..op_writer import Declined, Draft, static_sizes
from ..ptir_recognize.views import axes_of, walk_back


def _require_checked(indices: Sequence[int], others: Sequence[int]) -> None:
    """Raises `Declined` if an empty axis means that one side would check no index."""
    if 0 in others and 0 not in indices:
        raise Declined("another axis is empty, so that one side would check no index")


def take(op: ptir.TakeOp, draft: Draft) -> SSAValue:
    """
    Writes a gather along axis 0 with the indices broadcast along the other axes. Rows without elements are taken as a part of rows of
    zeros, so that the indices are checked.
    """
    of, indices = static_sizes(op.x), static_sizes(op.indices)
    rest, count, x = of[1:], prod(indices), op.x
    if 0 in rest:
        rest = tuple(max(1, size) for size in rest)
        x = draft.zeros([of[0], *rest], element(x))
    column = draft.reshape(op.indices, [count, *(1 for _ in rest)])
    rows = draft.add(ptir.GatherOp(x, draft.broadcast(column, [count, *rest]), 0))
    if rest != of[1:]:
        rows = draft.add(ptir.SliceOp(rows, [0] * len(of), [count, *of[1:]]))
    return draft.reshape(rows, sizes(op.result))


def gather(op: ptir.GatherOp, draft: Draft) -> SSAValue:
    """Writes a take, if the indices vary only along the gathered axis."""
    axis, rank = op.axis(), len(sizes(op.x))
    source, axes, _ = walk_back(op.indices, axes_of(rank))
    static_sizes(op.x)
    indices, of = static_sizes(op.indices), static_sizes(source)
    if any(a is not None and a != axis and s != 1 for a, s in zip(axes, of, strict=True)):
        raise Declined("the indices vary along other axes")
    if prod(of) != indices[axis]:
        raise Declined("one index is broadcast along the gathered axis")
    _require_checked(of, [s for a, s in enumerate(indices) if a != axis])
    to_front = [axis, *(a for a in range(rank) if a != axis)]
    rows = draft.add(ptir.TakeOp(draft.transpose(op.x, to_front), draft.reshape(source, [prod(of)])))
    return draft.transpose(rows, [to_front.index(a) for a in range(rank)])


def dynamic_update_slice(op: ptir.DynamicUpdateSliceOp, draft: Draft) -> SSAValue:
    """
    Writes a select between `x` and a window of the update, which is padded so that every window of the size of `x` contains it or a
    part of it. Element i of `x` is element i - start of the update.
    """
    extents, window = static_sizes(op.x), static_sizes(op.update)
    if window == extents or 0 in window:
        return op.update if window == extents else op.x
    free = [extent - size for extent, size in zip(extents, window, strict=True)]
    last = _vector(free, op.start, draft)
    clamped = draft.add(ptir.MinimumOp(draft.add(ptir.MaximumOp(op.start, draft.splat(0, op.start))), last))
    start = draft.add(ptir.SubOp(last, clamped))

    def shifted(value: SSAValue) -> SSAValue:
        zero = False if is_predicate(element(value)) else 0
        return draft.add(ptir.DynamicSliceOp(draft.add(ptir.PadOp(value, zero, free, free)), start, extents))

    return draft.select(shifted(draft.splat(True, op.update, i1)), shifted(op.update), op.x)


def _vector(numbers: Sequence[int], like: SSAValue, draft: Draft) -> SSAValue:
    """Returns a vector of these numbers with the type of `like`. Kernels that read it at a constant index need no memory for it."""
    out, places = draft.splat(numbers[0], like), draft.add(ptir.IotaOp(element(like), sizes(like), 0))
    for k, number in enumerate(numbers):
        if number != numbers[0]:
            here = draft.compare("eq", places, draft.splat(k, like))
            out = draft.select(here, draft.splat(number, like), out)
    return out


def scatter_reduce(op: ptir.ScatterReduceOp, draft: Draft) -> SSAValue:
    """
    Writes a scatter_add. The index vector of an update is its position, with the given index as the coordinate along the axis.
    """
    if op.kind.data != "add":
        raise Declined(f"{op.kind.data} is not add")
    axis, of, dtype = op.axis(), static_sizes(op.updates), element(op.indices)
    rank = len(of)
    places = [op.indices if a == axis else draft.add(ptir.IotaOp(dtype, of, a)) for a in range(rank)]
    columns = [draft.reshape(p, [*of, 1]) for p in places]
    vectors = draft.add(ptir.ConcatOp(columns, rank))
    return draft.add(ptir.ScatterAddOp(op.x, vectors, op.updates, [], range(rank), range(rank), rank))


def scatter_add(op: ptir.ScatterAddOp, draft: Draft) -> SSAValue:
    """Writes a scatter_reduce, if indices are along a single axis and each window is a whole row of the other axes."""
    extents, updates, indices = static_sizes(op.x), static_sizes(op.updates), static_sizes(op.indices)
    scattered, window, vector = op.scatter_dims_to_operand_dims(), op.update_window_dims(), op.index_vector_dim()
    if len(scattered) != 1 or op.inserted_window_dims() != scattered:
        raise Declined("indices of several axes")
    (axis,) = scattered
    others = [a for a in range(len(extents)) if a != axis]
    if [updates[w] for w in window] != [extents[a] for a in others]:
        raise Declined("the windows are only part of their rows")
    checked = [s for a, s in enumerate(indices) if a != vector]
    _require_checked(checked, [extents[a] for a in others])
    count = prod(checked)
    through = [a for a in range(len(updates)) if a not in window]
    before = sum(a < axis for a in others)
    moved = draft.transpose(op.updates, [*window[:before], *through, *window[before:]])
    of = [count if a == axis else s for a, s in enumerate(extents)]
    placed = draft.reshape(op.indices, [count if a == axis else 1 for a in range(len(extents))])
    return draft.add(ptir.ScatterReduceOp("add", op.x, draft.broadcast(placed, of), draft.reshape(moved, of), axis))
