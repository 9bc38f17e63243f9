"""
Interpreter of the `pto` dialect: runs a tile program tile by tile on NumPy arrays.

- `pto.tiles` runs its body once per tile, in the order of offsets. It is an error if two tiles store to the same element, so
  the result does not depend on the order.
- With a split, the parts of a tile run one after the other, each with its own channels. `pto.combine` collects the parts'
  accumulators and runs its body for the last part, on their sum in ascending order; the workspace is not written.
- A `pto.process` runs to completion at its place in the program, and its commits are queued. Processes and channels are a Kahn
  network: the values do not depend on the schedule. `channels.py` checks the protocol and the depth of channels.
- A load evaluates its access map at every point of the tile inside the box and the set `where`, and is zero elsewhere.
  The map must stay inside the memref; it is not clamped.
- `matmul.acc` multiplies exactly, sums over the K of the tile one type wider (`contraction.py`) and rounds to the accumulator
  type once per tile. That is more often than `ptir`, which rounds once, and less often than a tensor core. Integers wrap.
- Instructions on tiles are rows of a table (`instructions.py`), with the valid region of each. What lies outside is poison, which
  must not be stored (`partial.py`). In `pto.tiles`, elements outside the box are computed from zeros and never stored; a zero divisor
  of integers counts as 1 there, because it may occur outside of the box.
- Loads and stores of `pto.memref` and its views, scalars and synchronization are in `transfers.py`: every instruction has finished
  before the next one begins.

Spec: `pto-ir.md §2`-`§6`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from math import prod
from typing import Any

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ..arrays.scalars import Array, numpy_dtype
from ..arrays.scatter import scatter
from ..errors import IndexOutsideMemref, StoreConflict
from ..values import Value
from .access import index_function, mask_function
from .channels import Channel, Step, check, read
from .execution import register_instructions
from .transfers import TransferFunctions


@dataclass
class Run:
    """The state of one tile's execution."""

    number: int
    channels: list[Channel] = field(default_factory=list[Channel])
    traces: list[list[Step]] = field(default_factory=lambda: [[]])
    process: int = 0
    """The index of the trace that is being recorded. Trace 0 has the steps outside of processes."""

    def step(self, op: pto.ChannelUserOp, channel: Channel) -> Channel:
        """Records a step of the current process, and returns `channel`."""
        channel.require_side(op, self.process)
        self.traces[self.process].append((op, channel))
        return channel

    def finish(self) -> None:
        """Checks at the end of the tile that channels are empty and cannot deadlock."""
        for channel in self.channels:
            channel.close()
        check(self.traces)


def points(op: pto.PointsOp, values: Mapping[SSAValue, Any], sizes: tuple[int, ...]) -> tuple[list[Array], Array]:
    """
    Returns the coordinates of the tile's elements, clamped to the box, and the mask of the elements inside the box. `values` has
    those of the op's operands.
    """
    axes = [np.asarray(values[o], np.int64) for o in op.offsets]
    for position, (dim, size) in enumerate(zip(ints(op.dims), sizes, strict=True)):
        spread = [1] * len(sizes)
        spread[position] = size
        axes[dim] = axes[dim] + np.arange(size).reshape(spread)
    axes += [np.asarray(values[p]).astype(np.int64) for p in op.position_tiles]
    inside: Array = np.ones(sizes, np.bool_)
    for axis, bound in zip(axes, ints(op.bounds), strict=True):
        inside &= (axis >= 0) & (axis < bound)  # broadcasts: an axis may extend along one dimension
    clamped = [np.clip(axis, 0, bound - 1) for axis, bound in zip(axes, ints(op.bounds), strict=True)]
    return clamped, inside


def elements(op: pto.AccessOp, values: Mapping[SSAValue, Any], sizes: tuple[int, ...]) -> tuple[Array, Array]:
    """
    Returns the linear index in the memref of each point of the tile, and the mask of the points that are accessed. Raises
    `IndexOutsideMemref`.
    """
    axes, inside = points(op, values, sizes)
    if isinstance(op, pto.LoadMapOp | pto.StoreMapOp) and op.where is not None:
        inside = inside & mask_function(op.where.source.data)(*axes)
    memref = memref_of(op.memref)
    linear: Array = np.zeros(sizes, np.int64)
    index = index_function(op.map.source.data)(*axes)
    if len(index) != len(memref.get_shape()):
        raise IndexOutsideMemref(op, index=f"{len(index)} axes", memref=memref)
    for at, size in zip(index, memref.get_shape(), strict=True):
        outside = (at < 0) | (at >= size)
        if np.any(outside) and np.any(wrong := inside & outside):
            first = tuple(np.argwhere(wrong)[0])
            place = [int(np.broadcast_to(a, sizes)[first]) for a in index]
            raise IndexOutsideMemref(op, index=f"element {place}", memref=memref)
        linear = linear * size + at
    return linear, inside


@register_impls
@register_instructions
class PtoFunctions(TransferFunctions):
    """Tiles are arrays, `Partial` if they have poison, or `Staged` while they are in a slot of a channel."""

    def __init__(self) -> None:
        super().__init__()
        self.run = Run(0)
        self.owners: dict[int, Array] = {}
        """The number of the tile that stored each element of each output array, or -1."""
        self.parts: list[Any] = []
        """The accumulators of this tile's parts (of a split along k) that have run."""

    # --- the grid ---------------------------------------------------------------------------------

    @impl(pto.TilesOp)
    def run_tiles(self, interpreter: Interpreter, op: pto.TilesOp, args: PythonValues) -> PythonValues:
        ranges = [range(0, size, step) for size, step in zip(ints(op.sizes), ints(op.steps), strict=True)]
        self.owners, self.in_grid = {}, True
        for number, offsets in enumerate(product(*ranges)):
            self.parts = []
            for part in range(op.parts):
                self.run = Run(number)
                interpreter.run_ssacfg_region(op.body, offsets if op.part is None else (*offsets, part), "tile")
                self.run.finish()
        self.in_grid = False
        return ()

    @impl(pto.CombineOp)
    def run_combine(self, interpreter: Interpreter, op: pto.CombineOp, args: PythonValues) -> PythonValues:
        self.parts.append(self.specified(op, read(op, args[0])))
        if isinstance(tiles := op.parent_op(), pto.TilesOp) and len(self.parts) == tiles.parts:
            total = reduce(lambda total, part: self.apply(op, "add", total, part), self.parts)
            interpreter.run_ssacfg_region(op.body, (total,), "combine")
        return ()

    # --- channels ---------------------------------------------------------------------------------

    @impl(pto.ChannelOp)
    def run_channel(self, interpreter: Interpreter, op: pto.ChannelOp, args: PythonValues) -> PythonValues:
        self.run.channels.append(Channel(op))
        return (self.run.channels[-1],)

    @impl(pto.ProcessOp)
    def run_process(self, interpreter: Interpreter, op: pto.ProcessOp, args: PythonValues) -> PythonValues:
        outside = self.run.process
        self.run.process = len(self.run.traces)
        self.run.traces.append([])
        interpreter.run_ssacfg_region(op.body, (), "process")
        self.run.process = outside
        return ()

    @impl(pto.AcquireOp)
    def run_acquire(self, interpreter: Interpreter, op: pto.AcquireOp, args: PythonValues) -> PythonValues:
        self.run.step(op, args[0]).acquire(op)
        return ()

    @impl(pto.CommitOp)
    def run_commit(self, interpreter: Interpreter, op: pto.CommitOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        tiles = tuple(read(op, values[tile]) for tile in op.tiles)
        self.run.step(op, values[op.channel]).commit(op, tiles)
        return ()

    @impl(pto.WaitOp)
    def run_wait(self, interpreter: Interpreter, op: pto.WaitOp, args: PythonValues) -> PythonValues:
        return self.run.step(op, args[0]).wait(op)

    @impl(pto.ReleaseOp)
    def run_release(self, interpreter: Interpreter, op: pto.ReleaseOp, args: PythonValues) -> PythonValues:
        self.run.step(op, args[0]).release(op)
        return ()

    # --- memory -----------------------------------------------------------------------------------

    @impl(pto.LoadMapOp)
    def run_load(self, interpreter: Interpreter, op: pto.LoadMapOp, args: PythonValues) -> PythonValues:
        values = self.operand_values(op, args)
        linear, inside = elements(op, values, pto.tile_type(op.result).sizes)
        at = np.where(inside, linear, 0)
        return (self.move(lambda v: np.where(inside, v.reshape(-1)[at], np.zeros((), v.dtype)), values[op.memref]),)

    @impl(pto.StoreMapOp)
    def run_store(self, interpreter: Interpreter, op: pto.StoreMapOp, args: PythonValues) -> PythonValues:
        values = dict(zip(op.operands, args, strict=True))
        linear, inside = elements(op, values, pto.tile_type(op.tile).sizes)
        tile, memref = self.specified(op, read(op, values[op.tile]), inside), values[op.memref]
        at = linear[inside]
        self.claim(op, memref, at)
        self.store(memref, self.move(lambda v: v[inside], tile), at)
        return ()

    @impl(pto.ScatterMapOp)
    def run_scatter(self, interpreter: Interpreter, op: pto.ScatterMapOp, args: PythonValues) -> PythonValues:
        values = self.operand_values(op, args)
        linear, inside = elements(op, values, pto.tile_type(op.tile).sizes)
        tile, memref = self.specified(op, read(op, values[op.tile]), inside), values[op.memref]
        self.store(memref, self.updated(op, memref, linear[inside], self.move(lambda v: v[inside], tile)))
        return ()

    def updated(self, op: pto.ScatterMapOp, memref: Value, at: Array, updates: Value) -> Value:
        """Returns the elements of a memref after updates of those with linear indices `at`."""
        return scatter(op.kind.data, memref, at, updates, memref.dtype)

    def claim(self, op: pto.StoreMapOp, memref: Value, at: Array) -> None:
        """
        Records the current tile as the one that stores the elements `at`. Raises `StoreConflict` if another tile has stored one,
        or two points of this tile store the same.
        """
        owner = self.owners.setdefault(id(memref), np.full(prod(memref.shape), -1))
        values, counts = np.unique(at, return_counts=True)
        for wrong, problem in (
            (values[counts > 1], "the map sends two points of the tile to it"),
            (at[(owner[at] >= 0) & (owner[at] != self.run.number)], "another tile has stored it"),
        ):
            if wrong.size:
                index = [int(i) for i in np.unravel_index(int(wrong[0]), memref.shape)]
                raise StoreConflict(op, index=index, problem=problem)
        owner[at] = self.run.number

    def holds_anywhere(self, failed: Value, inside: Array) -> bool:
        """Returns whether a predicate holds at a point that is inside."""
        return bool(np.any(failed & inside))

    @impl(pto.ReportOp)
    def run_report(self, interpreter: Interpreter, op: pto.ReportOp, args: PythonValues) -> PythonValues:
        values = self.operand_values(op, args)
        inside = self.inside(op, values)
        if self.holds_anywhere(self.specified(op, read(op, values[op.failed]), inside), inside):
            status = values[op.status]
            self.store(status, self.apply(op, "max", status, self.literal(np.full(1, op.number.value.data, np.int32))))
        return (read(op, values[op.tile]),)

    def operand_values(self, op: pto.PointsOp, args: PythonValues) -> dict[SSAValue, Any]:
        """Returns the values of the op's operands. Positions are arrays of integers."""
        values = dict(zip(op.operands, args, strict=True))
        return values | {p: self.positions(op, self.specified(op, read(op, values[p]))) for p in op.position_tiles}

    def positions(self, op: Operation, tile: Value) -> Array:
        """Returns a tile of positions as an array."""
        return tile

    def inside(self, op: pto.MaskOp | pto.ReportOp, values: Mapping[SSAValue, Any]) -> Array:
        """Returns whether each point of the tile lies in the box and in the set `where`."""
        axes, inside = points(op, values, pto.tile_type(op.result).sizes)
        return inside if op.where is None else inside & mask_function(op.where.source.data)(*axes)

    @impl(pto.MaskOp)
    def run_mask(self, interpreter: Interpreter, op: pto.MaskOp, args: PythonValues) -> PythonValues:
        return (self.literal(self.inside(op, self.operand_values(op, args))),)

    @impl(pto.IotaOp)
    def run_iota(self, interpreter: Interpreter, op: pto.IotaOp, args: PythonValues) -> PythonValues:
        t = pto.tile_type(op.result)
        axes, _ = points(op, self.operand_values(op, args), t.sizes)
        (index,) = index_function(op.map.source.data)(*axes)
        return (self.literal(np.broadcast_to(index, t.sizes).astype(numpy_dtype(t.element_type))),)
