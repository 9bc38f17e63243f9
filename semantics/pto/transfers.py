"""
Arrays and their views, loads and stores of tiles, scalars, and synchronization.

A view is a NumPy view of the array, so that a store through it is seen in the array. Events have no value: in the synchronous meaning,
every instruction has finished before the next one begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerType, UnrealizedConversionCastOp
from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import pto
from ..arrays.scalars import Array, numpy_dtype
from ..errors import NotInterpreted, WindowOutside
from ..values import Value
from .channels import read
from .execution import InstructionFunctions
from .instructions import scaled
from .partial import Call, Sizes, box, valid_of


class TransferFunctions(InstructionFunctions):
    """Ops on arrays (`pto.memref`), on scalars and on events."""

    def window(
        self, op: Operation, array: Value, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int] = ()
    ) -> Array:
        """Returns a part of an array. Raises `WindowOutside` unless it lies in the array."""
        self.require_arrays(op)
        steps = strides or [1] * len(sizes)
        for axis, (offset, size, step, extent) in enumerate(zip(offsets, sizes, steps, array.shape, strict=True)):
            span = (size - 1) * step + 1
            if size < 1 or step < 1 or not 0 <= offset <= extent - span:
                raise WindowOutside(op, size=size if size < 1 else span, start=offset, axis=axis, extent=extent)
        return array[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offsets, sizes, steps, strict=True))]

    @impl(pto.SubviewOp)
    def run_subview(self, interpreter: Interpreter, op: pto.SubviewOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        offsets = self.indices(values, op.static_offsets, op.offsets)
        sizes = self.indices(values, op.static_sizes, op.sizes)
        strides = self.indices(values, op.static_strides, op.strides)
        return (self.window(op, values[op.source], offsets, sizes, strides),)

    @impl(UnrealizedConversionCastOp)
    def run_cast(self, interpreter: Interpreter, op: UnrealizedConversionCastOp, args: PythonValues) -> PythonValues:
        """Views the bits of an array in another shape, as a call of a kernel does, whose elements may be of another type."""
        (value,), t = args, op.outputs[0].type
        if not isinstance(t, pto.MemRefType):
            raise NotInterpreted(op, reason=f"a cast to {t} has no meaning here")
        if value.dtype != (dtype := numpy_dtype(t.element_type)):
            value = value.reshape(-1).view(dtype)
        return (value.reshape(t.sizes[::-1]).T if t.column_major else value.reshape(t.sizes),)

    @impl(pto.LoadOp)
    def run_tile_load(self, interpreter: Interpreter, op: pto.LoadOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        sizes = self.sizes_of(op, values)
        region = self.valid_region(op, values, sizes) or sizes
        offsets = self.indices(values, op.static_offsets, op.offsets)
        part = self.window(op, values[op.memref], offsets, region).copy()
        return (*self.finished(Call(self, op, values, sizes, [], region), part, None), *self.event(op))

    @impl(pto.StoreOp)
    def run_tile_store(self, interpreter: Interpreter, op: pto.StoreOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        region, tile = self.stored(op, values, op.tile)
        self.window_of(op, values, region)[...] = tile[box(region)]
        return self.event(op)

    @impl(pto.StoreScaledOp)
    def run_store_scaled(self, interpreter: Interpreter, op: pto.StoreScaledOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        region, tile = self.stored(op, values, op.tile)
        columns = box((1, region[1]))
        scale = self.specified(op, read(op, values[op.scale]), columns)
        dtype = numpy_dtype(pto.memref_type(op.memref).element_type)
        self.window_of(op, values, region)[...] = scaled(tile[box(region)], scale[columns], dtype)
        return self.event(op)

    def stored(self, op: pto.StoreOp | pto.StoreScaledOp, values: Any, source: SSAValue) -> tuple[Sizes, Array]:
        """Returns the region of a tile that is stored, and the tile's elements. Raises `UnspecifiedElement`."""
        tile = read(op, values[source])
        region = self.valid_region(op, values, tile.shape) or valid_of(tile)
        return region, self.specified(op, tile, box(region))

    def window_of(self, op: pto.StoreOp | pto.StoreScaledOp, values: Any, region: Sizes) -> Array:
        """Returns the part of the array that a store writes."""
        return self.window(op, values[op.memref], self.indices(values, op.static_offsets, op.offsets), region)

    @impl(pto.PrefetchOp)
    def run_prefetch(self, interpreter: Interpreter, op: pto.PrefetchOp, args: PythonValues) -> PythonValues:
        return self.event(op)

    @impl(pto.AssignOp)
    def run_assign(self, interpreter: Interpreter, op: pto.AssignOp, args: PythonValues) -> PythonValues:
        return args[:1]

    @impl(pto.SyncOp)
    def run_sync(self, interpreter: Interpreter, op: pto.SyncOp, args: PythonValues) -> PythonValues:
        return ()

    @impl(pto.RecordOp)
    def run_record(self, interpreter: Interpreter, op: pto.RecordOp, args: PythonValues) -> PythonValues:
        return (None,)

    @impl(pto.SyncOpcodeOp)
    def run_sync_opcode(self, interpreter: Interpreter, op: pto.SyncOpcodeOp, args: PythonValues) -> PythonValues:
        return ()

    # --- scalars ------------------------------------------------------------------------------------

    @impl(pto.ConstantOp)
    def run_number(self, interpreter: Interpreter, op: pto.ConstantOp, args: PythonValues) -> PythonValues:
        value = op.value
        if isinstance(value, FloatAttr):
            return (np.float64(value.value.data).astype(numpy_dtype(value.type)),)
        return (value.value.data,)

    @impl(pto.AddIOp)
    def run_addi(self, interpreter: Interpreter, op: pto.AddIOp, args: PythonValues) -> PythonValues:
        return (wrapped(op, args[0] + args[1]),)

    @impl(pto.SubIOp)
    def run_subi(self, interpreter: Interpreter, op: pto.SubIOp, args: PythonValues) -> PythonValues:
        return (wrapped(op, args[0] - args[1]),)

    @impl(pto.MulIOp)
    def run_muli(self, interpreter: Interpreter, op: pto.MulIOp, args: PythonValues) -> PythonValues:
        return (wrapped(op, args[0] * args[1]),)


INDEX_BITS = 64


def wrapped(op: Operation, value: int) -> int:
    """Returns an integer modulo 2^w, as a signed number."""
    t = op.results[0].type
    bits = t.width.data if isa(t, IntegerType) else INDEX_BITS
    half = 1 << (bits - 1)
    return (int(value) + half) % (2 * half) - half
