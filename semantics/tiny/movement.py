"""
Movements, constants and `iota` of the `tiny` dialect; the code shared with `ptir` is in `ptir/movement.py`.

Only axes of size 1 in the type are broadcast. A dynamic axis must have the result's size at run time; it is not broadcast if it
happens to be 1.

Spec: `tensor-compiler.ja §1.2, §1.3`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from numpy.lib.stride_tricks import as_strided
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape_text
from ...dialects.ptir.dims import sizes
from ...errors import counted
from ..arrays.scalars import Array, dense_array
from ..errors import SizeMismatch, ViewOutside
from ..ptir.movement import MovingFunctions
from ..sizes import result_shape
from ..values import Value


@register_impls
class TinyMovement(MovingFunctions):
    @impl(tiny.ConstOp)
    def run_const(self, interpreter: Interpreter, op: tiny.ConstOp, args: PythonValues) -> PythonValues:
        return (self.literal(dense_array(op.value)),)

    @impl(tiny.IotaOp)
    def run_iota(self, interpreter: Interpreter, op: tiny.IotaOp, args: PythonValues) -> PythonValues:
        return (self.count(interpreter, op),)

    @impl(tiny.MovementOp)
    def run_movement(self, interpreter: Interpreter, op: tiny.MovementOp, args: PythonValues) -> PythonValues:
        (x,) = args
        match op.kind.data:
            case "reshape":
                return (self.reshape(interpreter, op, x),)
            case "permute":
                return (self.move(lambda v: v.transpose(op.permutation()), x),)
            case "expand":
                out = self.expand(interpreter, op, x)
                require_broadcastable(op, [op.input, op.result], [x.shape, out.shape])
                return (out,)
            case "pad" if op.value is not None:
                low, high = op.pads()
                return (self.pad(x, op.value, low, high, [0] * len(low)),)
            case "shrink":
                return (self.window(interpreter, op, x, op.starts()),)
            case _:
                return (self.move(strided(interpreter, op, x), x),)


def strided(interpreter: Interpreter, op: tiny.MovementOp, x: Value) -> Callable[[Array], Array]:
    """Returns the function that applies a `view` to the operand's array. Raises `ViewOutside` if it exceeds the operand."""
    to, count, (offset, strides) = result_shape(interpreter, op.result), prod(x.shape), op.linear()
    if 0 in to:
        return lambda v: np.empty(to, v.dtype)
    last = offset + sum(stride * (size - 1) for stride, size in zip(strides, to, strict=True))
    if last >= count:
        raise ViewOutside(op, shape=shape_text(to), last=last, count=counted(count, "element"))

    def view(v: Array) -> Array:
        flat = v.ravel()[offset:]
        steps = [stride * v.itemsize * (size > 1) for stride, size in zip(strides, to, strict=True)]
        return as_strided(flat.view(f"V{v.itemsize}"), to, steps).view(v.dtype)  # as_strided does not support ml_dtypes

    return view


def require_broadcastable(op: Operation, values: Sequence[SSAValue], got: Sequence[Sequence[int]]) -> None:
    """Raises `SizeMismatch` unless right-aligned axes have equal sizes, except those of size 1 in their types."""
    known: dict[int, int] = {}
    for number, (value, shape) in enumerate(zip(values, got, strict=True)):
        for axis, (size, extent) in enumerate(zip(sizes(value), shape, strict=True)):
            if size != 1 and known.setdefault(axis - len(shape), extent) != extent:
                want = shape_text([known.get(a - len(shape), n) for a, n in enumerate(shape)])
                what = "the result" if value in op.results else f"operand {number}"
                raise SizeMismatch(op, what=what, got=shape_text(shape), want=want)
