"""
Windowed ops. All windows form one array: its first axes are the positions of a window, its last axes the elements inside a
window. Each op applies a reduction, a reshape or a contraction to that array. Contract: *Windowed ops*, *Patch extraction*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.windows import Window
from ..arrays import strict
from ..arrays.reductions import identity, reduce
from ..arrays.scalars import Array, cast, dense_array, narrow, numpy_dtype, widen
from ..errors import SizeMismatch, TooLarge
from ..sizes import MAX_RANK
from ..values import ArrayFunctions, Value
from .contraction import LETTERS, product_dtype


def slide(x: Array, windows: Sequence[Window], fill: Any) -> Array:
    """Returns the array `[positions…, window…]` of windows over all axes of `x`: a view of `x` padded with `fill`."""
    out = np.full([w.padded(n) for w, n in zip(windows, x.shape, strict=True)], fill, x.dtype)
    pairs = [_copied_slices(w, n) for w, n in zip(windows, x.shape, strict=True)]
    out[tuple(target for target, _ in pairs)] = x[tuple(source for _, source in pairs)]
    sizes = [w.positions(n) for w, n in zip(windows, x.shape, strict=True)] + [w.size for w in windows]
    steps = [w.stride for w in windows] + [w.dilation for w in windows]
    strides = [step * stride for step, stride in zip(steps, out.strides * 2, strict=True)]
    return np.ndarray(
        sizes, out.dtype, out.reshape(-1).view(np.uint8), strides=strides
    )  # ml_dtypes do not export buffers


def _copied_slices(window: Window, size: int) -> tuple[slice, slice]:
    """
    Returns the slice of a padded axis that holds elements of the operand, and the slice of the operand with these elements:
    negative padding drops some.
    """
    step = window.base_dilation
    first = max(0, -(window.low // step))
    count = max(0, min(size, (window.padded(size) - 1 - window.low) // step + 1) - first)
    start = window.low + first * step
    return slice(start, start + max(0, (count - 1) * step + 1) if count else start, step), slice(first, first + count)


def sliding_windows(op: ptir.WindowOp, rank: int) -> list[Window]:
    """Returns the windows of `op`. Raises `TooLarge` if their view exceeds the maximum rank of an array."""
    if 2 * rank > MAX_RANK:
        raise TooLarge(op, what=op.name, why=f"windows have {2 * rank} axes, but arrays have at most {MAX_RANK}")
    return op.windows()


def channel_windows(op: ptir.WindowOp, x: Array, fill: Any) -> Array:
    """Returns the windows `[N, positions…, window…, C]` of an array `[N, spatial…, C]`, padded with `fill`."""
    windows = [Window(1), *sliding_windows(op, x.ndim), Window(1)]
    view = slide(x, windows, fill)  # [N, positions…, C, 1, window…, 1]
    rank = x.ndim
    return np.moveaxis(view[..., 0].squeeze(rank), rank - 1, -1)


def conv_axes(op: ptir.ConvolutionOp) -> tuple[str, str, str]:
    """Returns the letters of the axes of windows `[N, positions…, window…, G, C]`, filter and result."""
    rank = len(op.window_sizes)
    batch, group, feature, *rest = LETTERS
    places, window, channel = "".join(rest[:rank]), "".join(rest[rank : 2 * rank]), rest[2 * rank]
    return (
        batch + places + window + group + channel,
        window + channel + group + feature,
        batch + places + group + feature,
    )


def split_last(op: ptir.ConvolutionOp, x: Array) -> Array:
    """Splits the last axis, the channels of windows or the features of a filter, into groups: `[…, G, C / G]`."""
    return x.reshape(*x.shape[:-1], op.group_count, x.shape[-1] // op.group_count)


def require_groups(op: ptir.ConvolutionOp, channels: int, filter: Sequence[int]) -> None:
    """Raises `SizeMismatch` unless the channels and features of a filter fit the groups: verifiers check static sizes only."""
    groups = op.group_count
    if channels % groups or filter[-2] != channels // groups:
        raise SizeMismatch(op, what="the channel axis of the filter", got=filter[-2], want=f"{channels} / {groups}")
    if filter[-1] % groups:
        raise SizeMismatch(op, what="the feature axis of the filter", got=filter[-1], want=f"a multiple of {groups}")


def merge_last(x: Array) -> Array:
    """Merges the last two axes."""
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


@register_impls
class WindowFunctions(ArrayFunctions):
    def filled(self, view: Callable[[Array, Any], Array], x: Value, fill: Any) -> Value:
        """Returns `view(x, fill)`. In `bounds/`, `x` is an interval, to whose arrays `view` is applied."""
        return view(x, fill)

    @impl(ptir.ReduceWindowOp)
    def run_reduce_window(self, interpreter: Interpreter, op: ptir.ReduceWindowOp, args: PythonValues) -> PythonValues:
        (x,) = args
        kind, accum, rank = op.kind.data, numpy_dtype(op.accum), x.ndim
        windows, x = sliding_windows(op, x.ndim), cast(x, accum)
        if self.strict and strict.is_strict(kind, accum):
            padded = slide(x, windows, identity(kind, accum))
            folded = strict.reduce(kind, padded, range(rank, 2 * rank), accum)
        elif kind == "sum":
            folded = reduce(kind, slide(x, windows, 0), range(rank, 2 * rank), accum)
        else:  # computed in the wide type: f8E4M3FN has no infinity to pad with
            wide = widen(x)
            padded = slide(wide, windows, identity(kind, accum))
            folded = narrow(reduce(kind, padded, range(rank, 2 * rank), wide.dtype), accum)
        return (cast(folded, numpy_dtype(element(op.result))),)

    @impl(ptir.ExtractPatchesOp)
    def run_extract_patches(
        self, interpreter: Interpreter, op: ptir.ExtractPatchesOp, args: PythonValues
    ) -> PythonValues:
        fill = 0 if op.pad_value is None else dense_array(op.pad_value.dense)
        return (self.filled(partial(patches, op), args[0], fill),)

    @impl(ptir.ConvolutionOp)
    def run_convolution(self, interpreter: Interpreter, op: ptir.ConvolutionOp, args: PythonValues) -> PythonValues:
        x, filter = args
        require_groups(op, x.shape[-1], filter.shape)
        if op.precision is not None:
            x, filter = (self.apply(op, op.precision.data, value) for value in args)
        inputs = self.filled(lambda v, fill: split_last(op, channel_windows(op, v, fill)), x, 0)
        filters = self.move(lambda v: split_last(op, v), filter)
        total = self.contract(op, inputs, filters, conv_axes(op), product=product_dtype(op))
        return (self.move(merge_last, self.cast(total, op.accum, element(op.result))),)


def patches(op: ptir.ExtractPatchesOp, x: Array, fill: Any) -> Array:
    """Returns the patches `[N, positions…, prod(window) * C]` of an array `[N, spatial…, C]`, padded with `fill`."""
    windows = channel_windows(op, x, fill)
    spatial = len(op.window)
    return windows.reshape(*windows.shape[: 1 + spatial], prod(windows.shape[1 + spatial :]))
