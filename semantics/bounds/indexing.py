"""
Error bounds of reads and writes at indices. The indices must be exact. Sums may be taken in any order (`sums.py`); max and min
are monotone, so that they are computed from the end points.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.common.shapes import element
from ..arrays import scatter as folds
from ..arrays.reductions import identity
from ..arrays.scalars import Array, DType, is_float, numpy_dtype
from ..errors import NoBounds
from ..ptir.indexing import IndexingFunctions
from . import sums
from .casts import cast_interval, overflow_to_nan
from .intervals import Interval, points, together
from .operations import IntervalFunctions
from .products import product


class IndexingBounds(IntervalFunctions, IndexingFunctions):
    """Reads and writes of intervals at exact indices."""

    def indices(self, op: Operation, x: Interval) -> Array:
        known = points(x)
        if known is None:
            raise NoBounds(op, what=f"{op.name} at indices that are not exact")
        return known

    def scatter(
        self, op: Operation, kind: str, x: Interval, targets: Array, updates: Interval, accum: DType
    ) -> Interval:

        def replaced(a: Array, b: Array) -> Array:
            return folds.scatter(kind, a, targets, b, accum)

        exact = [p for v in (x, updates) if not is_float(v.dtype) and (p := points(v)) is not None]
        if len(exact) == 2:
            return Interval.of(folds.scatter(kind, exact[0], targets, exact[1], accum))
        if kind == "mul":
            return self._multiplied(op, x, targets.reshape(-1), updates, accum)
        if kind == "replace":
            return together(replaced, x, updates)
        if kind == "add":
            return self._added(op, x, targets.reshape(-1), updates, accum)
        lo, hi, nan = (
            folds.scatter(k, a, targets, b, a.dtype)
            for k, a, b in ((kind, x.lo, updates.lo), (kind, x.hi, updates.hi), ("max", x.nan, updates.nan))
        )
        return Interval(lo, hi, nan, x.dtype)

    def _multiplied(self, op: Operation, x: Interval, targets: Array, updates: Interval, accum: DType) -> Interval:
        """Multiplies elements by their updates."""
        if not is_float(accum):
            raise NoBounds(op, what="a product of scattered integers that are not exact")

        def fold(a: Array, b: Array) -> Array:
            out = a.reshape(-1).copy()
            np.multiply.at(out, targets, b.reshape(-1))
            return out.reshape(a.shape)

        dtype = element(op.operands[0])
        return self._where_updated(
            x, targets, cast_interval(product(fold, accum, x, updates), ptir.default_accum(dtype), dtype)
        )

    def _where_updated(self, x: Interval, targets: Array, folded: Interval) -> Interval:
        """Returns `folded` at the elements that have updates, and `x` elsewhere."""
        changed = np.isin(np.arange(x.lo.size), targets).reshape(x.shape)
        parts = ((folded.lo, x.lo), (folded.hi, x.hi), (folded.nan, x.nan))
        lo, hi, nan = (np.where(changed, a.reshape(x.shape), b) for a, b in parts)
        return Interval(lo, hi, nan, x.dtype)

    def _added(self, op: Operation, x: Interval, targets: Array, updates: Interval, accum: DType) -> Interval:
        """Adds updates to their elements."""

        def flattened(a: Array, b: Array) -> Array:
            return np.concatenate([a.reshape(-1), b.reshape(-1)])

        terms = together(flattened, x, updates)
        groups = np.concatenate([np.arange(x.lo.size), targets])
        total = sums.grouped(terms, groups, (x.lo.size,), accum, tight=self.tight)
        dtype = element(op.operands[0])
        return self._where_updated(x, targets, cast_interval(total, ptir.default_accum(dtype), dtype))

    def segments(self, op: ptir.SegmentReduceOp, x: Interval, ids: Array, count: int) -> Interval:
        kind, accum, dtype = op.kind.data, numpy_dtype(op.accum), element(op.x)
        if not is_float(x.dtype) and (known := points(x)) is not None:
            return Interval.of(folds.segments(kind, known, ids, count, accum))
        x = cast_interval(x, dtype, op.accum)
        shape = (count, *x.shape[1:])
        if kind == "sum":
            return cast_interval(sums.grouped(x, ids, shape, accum, tight=self.tight), op.accum, dtype)

        def each(function: folds.Fold, part: Array, start: float | bool) -> Array:
            out = np.full(shape, start)
            at, folded = folds.fold(function, part, ids)
            out[at] = folded
            return out

        start = float(identity(kind, accum))
        lo, hi = (each(folds.FOLDS[kind], end, start) for end in (x.lo, x.hi))
        folded = overflow_to_nan(Interval(lo, hi, each(np.logical_or, x.nan, False), accum))
        return cast_interval(folded, op.accum, dtype)
