"""
Error bounds of `region` and `pto` programs.

The ops of these levels use the same functions as `ptir`. Memrefs are intervals that are written in place. A tile program
sums in its own order, which only widens the interval: the bound grows with each `matmul.acc`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import memref
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ...dialects import pto, region
from ..arrays.scalars import is_float, numpy_dtype
from ..pto import PtoFunctions, elements, read, splat
from ..region import RegionFunctions, zeros
from ..region.memref import stored
from .casts import cast_interval
from .intervals import Interval
from .operations import IntervalFunctions, contraction, elementwise


@register_impls
class MemRefBounds(IntervalFunctions):
    """Buffers and globals of a host function."""

    @impl(memref.AllocOp)
    def run_alloc(self, interpreter: Interpreter, op: memref.AllocOp, args: PythonValues) -> PythonValues:
        t = op.memref.type
        return (Interval.anything(t.get_shape(), numpy_dtype(t.element_type)),)

    @impl(memref.DeallocOp)
    def run_dealloc(self, interpreter: Interpreter, op: memref.DeallocOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(memref.GetGlobalOp)
    def run_get_global(self, interpreter: Interpreter, op: memref.GetGlobalOp, args: PythonValues) -> PythonValues:
        return (Interval.of(stored(op)),)


@register_impls
class RegionBounds(IntervalFunctions, RegionFunctions):
    """Launches whose memrefs are intervals."""

    def fill(self, memref: Interval, value: Interval) -> None:
        memref.store(value)

    @impl(region.ZerosOp)
    def run_zeros(self, interpreter: Interpreter, op: region.ZerosOp, args: PythonValues) -> PythonValues:
        return (Interval.of(zeros(op)),)


@register_impls
class PtoBounds(IntervalFunctions, PtoFunctions):
    """Tiles and memrefs are intervals."""

    def vector(self, op: Operation, name: str, *tiles: Any) -> Interval:
        if name == "div" and (points := [t.known for t in tiles if t.known is not None and not is_float(t.dtype)]):
            return Interval.of(super().vector(op, name, *points))
        return elementwise(op, name, *tiles, tight=self.tight)

    @impl(pto.LoadOp)
    def run_load(self, interpreter: Interpreter, op: pto.LoadOp, args: PythonValues) -> PythonValues:
        memref: Interval = args[0]
        offsets = args[1:]
        linear, inside = elements(op, offsets, pto.tile_type(op.result).sizes)
        at = np.where(inside, linear, 0)
        return (memref.move(lambda v: np.where(inside, v.reshape(-1)[at], np.zeros((), v.dtype))),)

    @impl(pto.StoreOp)
    def run_store(self, interpreter: Interpreter, op: pto.StoreOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        tile: Interval = read(op, values[op.tile])
        memref: Interval = values[op.memref]
        linear, inside = elements(op, tuple(values[o] for o in op.offsets), tile.shape)
        at = linear[inside]
        self.claim(op, memref.lo, at)
        memref.store(tile.move(lambda v: v[inside]), at)
        return ()

    @impl(pto.MatmulAccOp)
    def run_matmul(self, interpreter: Interpreter, op: pto.MatmulAccOp, args: PythonValues) -> PythonValues:
        acc, a, b = (read(op, v) for v in args)
        if op.precision is not None:
            a, b = (elementwise(op, op.precision.data, x) for x in (a, b))
        return (contraction(a, b, ("mk", "kn", "mn"), acc.dtype, acc, tight=self.tight),)

    @impl(pto.ExpandsOp)
    def run_expands(self, interpreter: Interpreter, op: pto.ExpandsOp, args: PythonValues) -> PythonValues:
        return (Interval.of(splat(op)),)

    @impl(pto.CvtOp)
    def run_cvt(self, interpreter: Interpreter, op: pto.CvtOp, args: PythonValues) -> PythonValues:
        x, result = read(op, args[0]), pto.tile_type(op.result).element_type
        return (cast_interval(x, pto.tile_type(op.operands[0]).element_type, result),)
