"""Error bounds of pooling, patch extraction and convolution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays.reductions import identity
from ..arrays.scalars import Array, numpy_dtype
from ..ptir.windows import (
    channel_windows,
    conv_axes,
    grouped,
    grouped_filter,
    merge_last,
    pad_value,
    patches,
    require_groups,
    slide,
    sliding_windows,
)
from .casts import cast_interval
from .intervals import Interval
from .operations import IntervalFunctions, contraction, reduction


def filled(x: Interval, view: Callable[[Array, Any], Array], fill: Any) -> Interval:
    """Applies `view(v, f)` to each array of `x`, where `f` is the corresponding part of the interval of `fill`."""
    pad = Interval.of(np.asarray(fill).astype(x.dtype))
    out = replace(x, lo=view(x.lo, pad.lo), hi=view(x.hi, pad.hi), nan=view(x.nan, pad.nan))
    return out.keeping(known=None if x.known is None else view(x.known, pad.known), source=x.source)


@register_impls
class WindowBounds(IntervalFunctions):
    """Values are `Interval`s."""

    @impl(ptir.ReduceWindowOp)
    def run_reduce_window(self, interpreter: Interpreter, op: ptir.ReduceWindowOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        kind, accum, rank = op.kind.data, numpy_dtype(op.accum), len(x.shape)
        windows = sliding_windows(op, len(x.shape))
        x = cast_interval(x, element(op.input), op.accum)
        view = filled(x, lambda v, fill: slide(v, windows, fill), identity(kind, x.dtype))
        folded = reduction(kind, view, tuple(range(rank, 2 * rank)), accum, tight=self.tight)
        return (cast_interval(folded, op.accum, element(op.result)),)

    @impl(ptir.ExtractPatchesOp)
    def run_extract_patches(
        self, interpreter: Interpreter, op: ptir.ExtractPatchesOp, args: PythonValues
    ) -> PythonValues:
        return (filled(args[0], lambda v, fill: patches(op, v, fill), pad_value(op)),)

    @impl(ptir.ConvolutionOp)
    def run_convolution(self, interpreter: Interpreter, op: ptir.ConvolutionOp, args: PythonValues) -> PythonValues:
        x: Interval = args[0]
        filter: Interval = args[1]
        require_groups(op, x.shape[-1], filter.shape)
        windows = filled(x, lambda v, fill: grouped(op, channel_windows(op, v, fill)), 0)
        taps = filter.move(lambda v: grouped_filter(op, v))
        total = contraction(windows, taps, conv_axes(op), numpy_dtype(op.accum), tight=self.tight)
        return (cast_interval(total, op.accum, element(op.result)).move(merge_last),)
