"""
Correct candidates that round differently: sums in another order or in tiles, and products that are fused with the sum.

An order of summation adds f32 numbers one after another in each of several *lanes* (elements k, k + lanes, k + 2·lanes, …) or *blocks*
(consecutive elements), and then the partial sums as a balanced tree. With `fused`, a product is not rounded before it is added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from ptir.dialects import intent
from ptir.dialects.intent.types import type_of
from ptir.semantics.arrays.scalars import Array, cast, is_float, numpy_dtype
from ptir.semantics.intent import bind
from ptir.semantics.intent.evaluation import Evaluation
from ptir.semantics.intent.images import weights_at

F32 = np.dtype(np.float32)


@dataclass(frozen=True)
class Order:
    """How sums are computed."""

    parts: int = 1
    """The number of lanes, or of elements in a block; 0 is a tree of all elements."""
    blocks: bool = False
    backward: bool = False
    fused: bool = False

    @property
    def name(self) -> str:
        how = "a tree" if not self.parts else f"{'blocks' if self.blocks else 'lanes'} of {self.parts}"
        return f"{how}{', backward' * self.backward}{', fused' * self.fused}"

    def total(self, x: Array, y: Array | None = None) -> Array:
        """Returns the sum along the last axis of `x`, or of `x · y`, in f32."""
        if y is not None and not self.fused:
            x, y = (x * y).astype(np.float32), None
        terms = (np.asarray(x, np.float64), np.ones(()) if y is None else np.asarray(y, np.float64))
        wide = np.broadcast_to(terms[0], np.broadcast_shapes(terms[0].shape, terms[1].shape)) * terms[1]
        if self.backward:
            wide = wide[..., ::-1]
        n = wide.shape[-1]
        parts = self.parts or n
        padded = np.concatenate([wide, np.zeros((*wide.shape[:-1], -n % parts))], -1)
        steps = padded.reshape(*wide.shape[:-1], *((-1, parts) if self.blocks else (parts, -1)))
        if not self.blocks:
            steps = np.swapaxes(padded.reshape(*wide.shape[:-1], -1, parts), -1, -2)
        partial = steps[..., 0].astype(np.float32)
        for k in range(1, steps.shape[-1]):
            partial = (partial.astype(np.float64) + steps[..., k]).astype(np.float32)
        while partial.shape[-1] > 1:
            even = partial[..., 0::2].copy()
            odd = partial[..., 1::2]
            even[..., : odd.shape[-1]] += odd
            partial = even
        return partial[..., 0]


ORDERS = tuple(
    Order(parts, blocks, backward, fused)
    for fused in (False, True)
    for parts, blocks, backward in (
        (1, False, False),
        (1, False, True),
        (0, False, False),
        (4, False, False),
        (32, False, True),
        (4, True, False),
        (16, True, True),
        (7, True, False),
    )
)


class Ordered(Evaluation):
    """Evaluates a function with f32 accumulators; other ops are those of the reference."""

    def __init__(self, function: intent.FuncOp, binding: Mapping[str, int], order: Order):
        super().__init__(function, binding)
        self.order = order
        self.exact: dict[SSAValue, Array] = {}
        """Products that are not rounded yet, since all their uses are sums."""

    def apply(self, op: Operation, *args: Array) -> Array:  # pyright: ignore[reportIncompatibleMethodOverride]
        floats = op.results and is_float(numpy_dtype(type_of(op.results[0]).element_type))
        match op:
            case intent.ReduceOp() if floats and op.fn.data == "sum" and op.scale is None:
                axes = op.axes()
                kept = [k for k in range(args[0].ndim) if k not in axes]
                flat = args[0].transpose(*kept, *axes).reshape(*(args[0].shape[k] for k in kept), -1)
                out = cast(self.order.total(flat), args[0].dtype)
                return np.expand_dims(out, axes) if op.keepdims is not None else out
            case intent.SoftmaxOp():
                return self._softmax(op, args[0])
            case intent.MatmulOp() if is_float(args[0].dtype) and op.epilogue is None:
                flags = op.transpose_lhs, op.transpose_rhs
                x, y = (a if flag is None else np.swapaxes(a, -1, -2) for a, flag in zip(args, flags, strict=True))
                return cast(self.order.total(x[..., :, None, :], np.swapaxes(y, -1, -2)[..., None, :, :]), x.dtype)
            case intent.Conv2dOp():
                return self._conv(op, *args)
            case intent.UpsampleBicubic2dAaOp():
                *_, height, width = self.shape(op)
                return self._resampled(self._resampled(args[0], 3, width), 2, height)
            case intent.BinaryOp() if floats and self.order.fused and op.fn.data in ("add", "sub", "mul"):
                return self._fused(op, args)
            case _:
                return super().apply(op, *args)

    def _softmax(self, op: intent.SoftmaxOp, x: Array) -> Array:
        """Computes powers of two, and multiplies by the reciprocal of the sum."""
        moved = np.moveaxis(x, op.axis(), -1).astype(np.float32)
        difference = moved - moved.max(-1, keepdims=True)
        if self.order.fused:
            e = np.exp2((difference * np.float32(1.4426950408889634)).astype(np.float32))
        else:
            e = np.exp(difference)
        reciprocal = (np.float32(1) / self.order.total(e)).astype(np.float32)
        return cast(np.moveaxis(e * reciprocal[..., None], -1, op.axis()), x.dtype)

    def _conv(self, op: intent.Conv2dOp, x: Array, weight: Array, bias: Array | None = None) -> Array:
        (sy, sx), (py, px), (dy, dx) = (tuple(a.get_values()) for a in (op.stride, op.padding, op.dilation))
        groups = op.groups.value.data
        padded = np.pad(x, ((0, 0), (0, 0), (py, py), (px, px)))
        filters, depth, height, width = weight.shape
        out = np.zeros(self.shape(op), np.float32)
        for o in range(filters):
            first = o // (filters // groups) * depth
            for i, j in np.ndindex(out.shape[2:]):
                window = padded[:, first : first + depth, i * sy :: dy, j * sx :: dx][:, :, :height, :width]
                sums = self.order.total(window.reshape(len(x), -1), weight[o].reshape(-1))
                out[:, o, i, j] = sums if bias is None else sums + bias[o]
        return out

    def _resampled(self, x: Array, axis: int, size: int) -> Array:
        moved = np.moveaxis(x, axis, -1)
        columns: list[Array] = []
        for o in range(size):
            start, weights = weights_at(o, moved.shape[-1], size)
            columns.append(self.order.total(moved[..., start : start + len(weights)], weights))
        return np.moveaxis(np.stack(columns, -1), -1, axis)

    def _fused(self, op: intent.BinaryOp, args: Sequence[Array]) -> Array:
        exact = [self.exact.get(v, a) for v, a in zip(op.operands, args, strict=True)]
        x, y = np.broadcast_arrays(*self.aligned(op, op.operands, [np.asarray(e, np.float64) for e in exact]))
        out = x * y if op.fn.data == "mul" else x + y if op.fn.data == "add" else x - y
        users = [use.operation for use in op.results[0].uses]
        if op.fn.data == "mul" and users and all(_adds(user) for user in users):
            self.exact[op.results[0]] = out
        return cast(out, args[0].dtype)


def _adds(op: Any) -> bool:
    return isinstance(op, intent.BinaryOp) and op.fn.data in ("add", "sub")


@dataclass(frozen=True)
class OrderedCandidate:
    """A correct candidate, which adds in another order."""

    function: intent.FuncOp
    order: Order

    @property
    def name(self) -> str:
        return self.order.name

    def fixed_shapes(self) -> None:
        return None

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> list[Array]:
        bound = bind(self.function, [a.shape for a in arrays], binding)
        return Ordered(self.function, bound, self.order).block(self.function.body.block, arrays)


def adds(function: intent.FuncOp) -> bool:
    """Whether a function has sums of floats, whose order is free."""
    return any(_sums(op) for op in function.body.walk())


def _sums(op: Operation) -> bool:
    if isinstance(op, intent.ReduceOp):
        return op.fn.data == "sum" and is_float(numpy_dtype(type_of(op.result).element_type))
    return isinstance(op, intent.SoftmaxOp | intent.MatmulOp | intent.Conv2dOp | intent.UpsampleBicubic2dAaOp)


def variants(function: intent.FuncOp) -> Iterator[OrderedCandidate]:
    """Yields the correct candidates of a function that has sums of floats."""
    if adds(function):
        yield from (OrderedCandidate(function, order) for order in ORDERS)
