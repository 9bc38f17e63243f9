"""
Ops that move elements without changing them. Contract: *Shape and layout ops*.

A movement does not depend on the values of the elements. Each op is therefore a function of arrays that the method `move`
applies: to the values or, in `semantics/bounds/`, to each array of an interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, shape_text
from ...dialects.common.syntax import ints
from ...dialects.ptir.dims import sizes, sizes_text
from ...dialects.ptir.movement import CountOp
from ...errors import counted
from ..arrays.scalars import Array, dense_array, narrow, numpy_dtype
from ..errors import CannotBroadcast, CannotReshape, SizeMismatch, WindowOutside
from ..sizes import known_shape, result_shape
from ..values import ArrayFunctions, Value

OneResultOp = ptir.MovementOp | tiny.MovementOp


class MovingFunctions(ArrayFunctions):
    """Movements that `ptir` and `tiny` share. The type of the op's result gives the sizes."""

    def reshape(self, interpreter: Interpreter, op: OneResultOp, x: Value) -> Value:
        want = _inferred_sizes(interpreter, op, prod(x.shape))
        return self.move(lambda v: v.reshape(want), x)

    def expand(self, interpreter: Interpreter, op: OneResultOp, x: Value) -> Value:
        want = _broadcast_sizes(interpreter, op, x.shape)
        return self.move(lambda v: np.broadcast_to(v, want), x)

    def window(self, interpreter: Interpreter, op: OneResultOp, x: Value, starts: Sequence[int]) -> Value:
        """Returns the window that begins at `starts` and has the sizes of the op's result. Raises `WindowOutside`."""
        window: list[slice] = []
        rest = [extent - start for start, extent in zip(starts, x.shape, strict=True)]
        sizes_ = result_shape(interpreter, op.result, rest)
        for axis, (start, size, extent) in enumerate(zip(starts, sizes_, x.shape, strict=True)):
            require_window(op, axis, start, size, extent)
            window.append(slice(start, start + size))
        return self.move(lambda v: v[tuple(window)], x)

    def pad(
        self, x: Value, fill: ptir.ScalarAttr, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
    ) -> Value:
        amounts = list(zip(low, x.shape, high, interior, strict=True))
        ends = [before + n + max(n - 1, 0) * between for before, n, _, between in amounts]
        inside = tuple(
            slice(start, end, between + 1) for (start, _, _, between), end in zip(amounts, ends, strict=True)
        )

        def pad(v: Array, value: Array) -> Array:
            out = np.full([end + after for end, (_, _, after, _) in zip(ends, amounts, strict=True)], value)
            out[inside] = v
            return out

        return self.join(pad, x, self.literal(dense_array(fill.dense)))

    def count(self, interpreter: Interpreter, op: CountOp) -> Value:
        dtype, want, axis = numpy_dtype(element(op.result)), result_shape(interpreter, op.result), op.axis()
        count = narrow(np.arange(want[axis]), dtype)
        return self.literal(np.broadcast_to(count.reshape([-1 if a == axis else 1 for a in range(len(want))]), want))


@register_impls
class MovementFunctions(MovingFunctions):
    @impl(ptir.ReshapeOp)
    def run_reshape(self, interpreter: Interpreter, op: ptir.ReshapeOp, args: PythonValues) -> PythonValues:
        return (self.reshape(interpreter, op, args[0]),)

    @impl(ptir.TransposeOp)
    def run_transpose(self, interpreter: Interpreter, op: ptir.TransposeOp, args: PythonValues) -> PythonValues:
        return (self.move(lambda x: x.transpose(op.permutation()), args[0]),)

    @impl(ptir.BroadcastToOp)
    def run_broadcast_to(self, interpreter: Interpreter, op: ptir.BroadcastToOp, args: PythonValues) -> PythonValues:
        return (self.expand(interpreter, op, args[0]),)

    @impl(ptir.SliceOp)
    def run_slice(self, interpreter: Interpreter, op: ptir.SliceOp, args: PythonValues) -> PythonValues:
        return (self.window(interpreter, op, args[0], ints(op.starts)),)

    @impl(ptir.ConcatOp)
    def run_concat(self, interpreter: Interpreter, op: ptir.ConcatOp, args: PythonValues) -> PythonValues:
        axis = op.axis()
        for number, x in enumerate(args):
            want = (*args[0].shape[:axis], x.shape[axis], *args[0].shape[axis + 1 :])
            require_sizes(op, f"operand {number}", x.shape, want)

        def concatenate(*xs: Array) -> Array:
            return np.concatenate(xs, axis)

        return (self.join(concatenate, *args),)

    @impl(ptir.PadOp)
    def run_pad(self, interpreter: Interpreter, op: ptir.PadOp, args: PythonValues) -> PythonValues:
        return (self.pad(args[0], op.value, ints(op.low), ints(op.high), ints(op.interior)),)

    @impl(ptir.TileOp)
    def run_tile(self, interpreter: Interpreter, op: ptir.TileOp, args: PythonValues) -> PythonValues:
        return (self.move(lambda x: np.tile(x, ints(op.repeats)), args[0]),)

    @impl(ptir.IotaOp)
    def run_iota(self, interpreter: Interpreter, op: ptir.IotaOp, args: PythonValues) -> PythonValues:
        return (self.count(interpreter, op),)


def _inferred_sizes(interpreter: Interpreter, op: OneResultOp, count: int) -> Sequence[int]:
    """Returns the sizes of a reshape's result. One size may be inferred from `count`, the number of elements."""
    known = known_shape(interpreter, op.result)
    others = prod(s for s in known if s is not None)
    open_axes = known.count(None)
    if open_axes > 1:
        return result_shape(interpreter, op.result)  # raises UnknownSize
    if count % others if open_axes and others else count != others or open_axes:
        raise CannotReshape(op, count=counted(count, "element"), want=sizes_text(known))
    return [count // others if s is None else s for s in known]


def _broadcast_sizes(interpreter: Interpreter, op: OneResultOp, got: Sequence[int]) -> Sequence[int]:
    """
    Returns the sizes of a broadcast's result. Sizes that its type does not determine are the operand's. But a name without a
    size cannot take it from an operand of size 1, because that axis may be repeated.
    """
    of = sizes(op.result)
    aligned: list[int | None] = [*[None] * (len(of) - len(got)), *got]
    want = zip(known_shape(interpreter, op.result), aligned, of, strict=True)
    sizes_or_none = [a if k is None and (a != 1 or size is None) else k for k, a, size in want]
    out = [s for s in sizes_or_none if s is not None]
    if len(out) != len(of):
        return result_shape(interpreter, op.result)  # raises UnknownSize
    for axis, (a, w) in enumerate(zip(aligned, out, strict=True)):
        if a not in (None, 1, w):
            raise CannotBroadcast(op, got=shape_text(got), want=shape_text(out), axis=axis, size=counted(a, "element"))
    return out


def require_sizes(op: Operation, what: str, got: Sequence[int], want: Sequence[int]) -> None:
    """Raises `SizeMismatch` unless the sizes are equal: verifiers check static sizes only."""
    if tuple(got) != tuple(want):
        raise SizeMismatch(op, what=what, got=shape_text(got), want=shape_text(want))


def require_window(op: Operation, axis: int, start: int, size: int, extent: int) -> None:
    """Raises `WindowOutside` unless a window along `axis` is inside its `extent`."""
    if start + size > extent or size < 0:
        raise WindowOutside(op, axis=axis, start=start, size=max(size, 0), extent=counted(extent, "element"))
