"""
Error bounds of `region` and `pto` programs.

The ops of these levels use the same functions as `ptir`. Memrefs are intervals that are written in place. A tile program sums
tile by tile, which only widens the interval: each `matmul.acc` adds to the bound.
"""

from __future__ import annotations

from xdsl.ir import Attribute, Operation

from ...dialects import pto
from ..arrays.scalars import Array, numpy_dtype
from ..errors import NoBounds
from ..pto import PtoFunctions
from ..pto.partial import divide
from ..region.memref import MemRefFunctions
from .intervals import Interval, points
from .operations import IntervalFunctions, contraction


class MemRefBounds(IntervalFunctions, MemRefFunctions):
    """Buffers and globals of a host function."""

    def uninitialized(self, sizes: tuple[int, ...], dtype: Attribute) -> Interval:
        return Interval.anything(sizes, numpy_dtype(dtype))


class PtoBounds(IntervalFunctions, PtoFunctions):
    """Tile programs on tiles and memrefs that are intervals."""

    def divide(self, op: Operation, name: str, a: Interval, b: Interval) -> Interval:
        if a.known is None or b.known is None:
            return self.apply(op, name, a, b)
        return Interval.of(divide(name, a.known, b.known))

    def require_arrays(self, op: Operation) -> None:
        raise NoBounds(op, what=op.name)

    def positions(self, op: Operation, tile: Interval) -> Array:
        if (known := points(tile)) is None:
            raise NoBounds(op, what=f"{op.name} at positions that are not exact")
        return known

    def updated(self, op: pto.ScatterMapOp, memref: Interval, at: Array, updates: Interval) -> Interval:
        if (x := points(memref)) is None or (values := points(updates)) is None:
            raise NoBounds(op, what=f"{op.name} of integers that are not exact")
        return Interval.of(super().updated(op, x, at, values))

    def holds_anywhere(self, failed: Interval, inside: Array) -> bool:
        return failed.known is not None and super().holds_anywhere(failed.known, inside)

    def multiply(self, acc: Interval, a: Interval, b: Interval) -> Interval:
        return contraction(a, b, ("mk", "kn", "mn"), acc.dtype, acc, tight=self.tight)
