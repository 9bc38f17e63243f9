"""
Ops that read and write at indices. Contract: *Indexing ops*, *Dynamic slice/update*, *SegmentReduce*.

The methods `scatter` and `segments` combine values; subclasses override them for values that are not arrays. Indices are
always arrays.
"""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element, shape_text
from ...dialects.ptir.base import default_accum
from ...errors import counted
from ..arrays import scatter as folds
from ..arrays.reductions import along
from ..arrays.scalars import Array, DType, numpy_dtype
from ..errors import BrokenPromise, IndexOutOfRange
from ..sizes import known_shape, result_shape
from ..values import ArrayFunctions, Value
from .movement import require_sizes, require_window


@register_impls
class IndexingFunctions(ArrayFunctions):
    def indices(self, op: Operation, x: Value) -> Array:
        """Returns an index operand as an array."""
        return x

    def scatter(self, op: Operation, kind: str, x: Value, targets: Array, updates: Value, accum: DType) -> Value:
        return folds.scatter(kind, x, targets, updates, accum)

    def segments(self, op: ptir.SegmentReduceOp, x: Value, ids: Array, count: int) -> Value:
        return folds.segments(op.kind.data, x, ids, count, numpy_dtype(op.accum))

    @impl(ptir.TakeOp)
    def run_take(self, interpreter: Interpreter, op: ptir.TakeOp, args: PythonValues) -> PythonValues:
        indices = self.indices(op, args[1])
        require_in_range(op, "the indices", indices, 0, args[0].shape[0])
        return (self.move(lambda x: x[indices], args[0]),)

    @impl(ptir.GatherOp)
    def run_gather(self, interpreter: Interpreter, op: ptir.GatherOp, args: PythonValues) -> PythonValues:
        indices = self.indices(op, args[1])
        require_along_axis(op, indices, args[0].shape)
        return (self.move(lambda x: along(x, indices, op.axis()), args[0]),)

    @impl(ptir.DynamicSliceOp)
    def run_dynamic_slice(self, interpreter: Interpreter, op: ptir.DynamicSliceOp, args: PythonValues) -> PythonValues:
        extents = args[0].shape
        want = result_shape(interpreter, op.result, extents)
        window = clamped(op, self.indices(op, args[1]), want, extents)
        return (self.move(lambda x: x[window], args[0]),)

    @impl(ptir.DynamicUpdateSliceOp)
    def run_dynamic_update_slice(
        self, interpreter: Interpreter, op: ptir.DynamicUpdateSliceOp, args: PythonValues
    ) -> PythonValues:
        window = clamped(op, self.indices(op, args[2]), args[1].shape, args[0].shape)

        def update(x: Array, values: Array) -> Array:
            out = np.array(x)
            out[window] = values
            return out

        return (self.join(update, args[0], args[1]),)

    @impl(ptir.ScatterReduceOp)
    def run_scatter_reduce(
        self, interpreter: Interpreter, op: ptir.ScatterReduceOp, args: PythonValues
    ) -> PythonValues:
        x, indices, updates = args[0], self.indices(op, args[1]), args[2]
        require_along_axis(op, indices, x.shape)
        require_sizes(op, "the tensor of updates", updates.shape, indices.shape)
        targets = along(linear_indices(x.shape), indices, op.axis())
        return (self.scatter(op, op.kind.data, x, targets, updates, numpy_dtype(default_accum(element(op.x)))),)

    @impl(ptir.ScatterAddOp)
    def run_scatter_add(self, interpreter: Interpreter, op: ptir.ScatterAddOp, args: PythonValues) -> PythonValues:
        x, updates = args[0], args[2]
        targets = scatter_targets(op, self.indices(op, args[1]), x.shape, updates.shape)
        return (self.scatter(op, "add", x, targets, updates, numpy_dtype(default_accum(element(op.x)))),)

    @impl(ptir.SegmentReduceOp)
    def run_segment_reduce(
        self, interpreter: Interpreter, op: ptir.SegmentReduceOp, args: PythonValues
    ) -> PythonValues:
        x, ids = args[0], self.indices(op, args[1])
        require_sizes(op, "the tensor of segment ids", ids.shape, x.shape[:1])
        count = known_shape(interpreter, op.result)[0]
        if count is None:
            count = result_shape(interpreter, op.result)[0]  # raises UnknownSize
        require_in_range(op, "the segment ids", ids, 0, count)
        require_promises(op, ids)
        return (self.segments(op, x, ids, count),)


def linear_indices(sizes: tuple[int, ...]) -> Array:
    """Returns the row-major linear index of each element."""
    return np.arange(int(np.prod(sizes, dtype=np.int64))).reshape(sizes)


def require_in_range(op: Operation, what: str, indices: Array, axis: int, extent: int) -> None:
    """Raises `IndexOutOfRange` unless all indices into `axis` are at least 0 and less than `extent`."""
    outside = (indices < 0) | (indices >= extent)
    if outside.any():
        at = tuple(int(i) for i in np.argwhere(outside)[0])
        index = f"the index {indices[at]} at {shape_text(at)} of {what}"
        raise IndexOutOfRange(op, index=index, axis=f"axis {axis}", extent=counted(extent, "element"))


def require_along_axis(op: ptir.GatherOp | ptir.ScatterReduceOp, indices: Array, extents: tuple[int, ...]) -> None:
    """
    Checks the indices of a gather or scatter along one axis: they are in range, and their sizes are the operand's along all
    other axes. Raises `SizeMismatch` and `IndexOutOfRange`.
    """
    axis = op.axis()
    require_sizes(
        op, "the tensor of indices", indices.shape, (*extents[:axis], indices.shape[axis], *extents[axis + 1 :])
    )
    require_in_range(op, "the indices", indices, axis, extents[axis])


def clamped(op: Operation, start: Array, want: tuple[int, ...], extents: tuple[int, ...]) -> tuple[slice, ...]:
    """Returns the window of sizes `want` at `start`, which is clamped so that the window is inside the operand."""
    require_sizes(op, "the start", start.shape, (len(extents),))
    for axis, (size, extent) in enumerate(zip(want, extents, strict=True)):
        require_window(op, axis, 0, size, extent)
    begins = [min(max(int(s), 0), extent - size) for s, size, extent in zip(start, want, extents, strict=True)]
    return tuple(slice(begin, begin + size) for begin, size in zip(begins, want, strict=True))


def scatter_targets(
    op: ptir.ScatterAddOp, indices: Array, extents: tuple[int, ...], update_sizes: tuple[int, ...]
) -> Array:
    """Returns, for each element of the updates, the linear index of the element of `x` to which it is added."""
    scattered, window, at = op.scatter_dims_to_operand_dims(), op.update_window_dims(), op.index_vector_dim()
    vectors = np.moveaxis(indices, at, -1) if at < indices.ndim else indices[..., None]
    require_sizes(op, "an index vector", vectors.shape[-1:], (len(scattered),))
    rest = iter(vectors.shape[:-1])
    want = tuple(size if a in window else next(rest) for a, size in enumerate(update_sizes))
    require_sizes(op, "the tensor of updates", update_sizes, want)
    index = [np.zeros(update_sizes, np.int64) for _ in extents]
    for axis, of in zip(op.window_axes(), window, strict=True):
        index[axis] += np.arange(update_sizes[of]).reshape([-1 if a == of else 1 for a in range(len(update_sizes))])
    for k, axis in enumerate(scattered):
        index[axis] += np.expand_dims(vectors[..., k], window)
    targets = np.zeros(update_sizes, np.int64)
    for axis, extent in enumerate(extents):
        require_in_range(op, "the positions of the updates", index[axis], axis, extent)
        targets = targets * extent + index[axis]
    return targets


def require_promises(op: ptir.SegmentReduceOp, ids: Array) -> None:
    """Raises `BrokenPromise` unless the segment ids are sorted and unique, where the op says so."""
    if op.indices_are_sorted is not None and (falls := np.flatnonzero(np.diff(ids) < 0)).size:
        raise _broken(op, "sorted", ids, int(falls[0]), int(falls[0]) + 1)
    if op.unique is not None:
        order = np.argsort(ids, kind="stable")
        if (twice := np.flatnonzero(np.diff(ids[order]) == 0)).size:
            first, second = (int(order[int(twice[0]) + k]) for k in (0, 1))
            raise _broken(op, "unique", ids, first, second)


def _broken(op: Operation, promise: str, ids: Array, first: int, second: int) -> BrokenPromise:
    before = f"{ids[first]} at {shape_text([first])}"
    return BrokenPromise(
        op, what="the segment ids", promise=promise, value=ids[second], position=shape_text([second]), before=before
    )
