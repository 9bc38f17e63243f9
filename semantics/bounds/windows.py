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
from ..arrays.scalars import Array, is_float, numpy_dtype
from ..ptir.windows import WindowFunctions, slide, sliding_windows
from .intervals import Interval
from .operations import IntervalFunctions, reduction


@register_impls
class WindowBounds(IntervalFunctions, WindowFunctions):
    """Windows of intervals."""

    def filled(self, view: Callable[[Array, Any], Array], x: Interval, fill: Any) -> Interval:
        """
        Applies `view(v, f)` to each array of `x`, where `f` is the corresponding array of the interval of `fill`. The fill may
        be infinite, which f8E4M3FN cannot represent, so that it is given in float64.
        """
        known = np.asarray(fill).astype(x.dtype)
        pad = Interval.of(np.asarray(fill, np.float64) if is_float(x.dtype) else known)
        out = replace(x, lo=view(x.lo, pad.lo), hi=view(x.hi, pad.hi), nan=view(x.nan, pad.nan))
        return out.keeping(known=None if x.known is None else view(x.known, known), source=x.source)

    @impl(ptir.ReduceWindowOp)
    def run_reduce_window(self, interpreter: Interpreter, op: ptir.ReduceWindowOp, args: PythonValues) -> PythonValues:
        kind, rank = op.kind.data, len(args[0].shape)
        windows, x = sliding_windows(op, rank), self.cast(args[0], element(op.input), op.accum)
        view = self.filled(lambda v, fill: slide(v, windows, fill), x, identity(kind, x.dtype))
        folded = reduction(kind, view, tuple(range(rank, 2 * rank)), numpy_dtype(op.accum), tight=self.tight)
        return (self.cast(folded, op.accum, element(op.result)),)
