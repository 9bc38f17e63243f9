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
- Vector ops are functions in the table of `scalars.py`. Elements outside the box are computed from zeros and never stored;
  a zero divisor of integers counts as 1, because it may occur there.

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
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, MemRefType
from xdsl.interpreter import Interpreter, PythonValues, impl
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.common.shapes import is_predicate, is_unsigned
from ...dialects.common.syntax import ints
from ..arrays.contraction import summands
from ..arrays.scalars import FUNCTIONS, Array, narrow, numpy_dtype
from ..arrays.scatter import scatter
from ..errors import IndexOutsideMemref, NotInterpreted, StoreConflict
from ..values import ArrayFunctions, Value, register_rows
from .access import index_function, mask_function
from .channels import Channel, Staged, Step, check


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


def read(op: Operation, value: Any) -> Any:
    """Returns the array of a tile, which may be staged in a slot of a channel."""
    return value.read(op) if isinstance(value, Staged) else value


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
    if isinstance(op, pto.LoadMapOp) and op.where is not None:
        inside = inside & mask_function(op.where.source.data)(*axes)
    memref = op.memref.type
    shape = memref.get_shape() if isinstance(memref, MemRefType) else ()
    linear: Array = np.zeros(sizes, np.int64)
    index = index_function(op.map.source.data)(*axes)
    if len(index) != len(shape):
        raise IndexOutsideMemref(op, index=f"{len(index)} axes", memref=memref)
    for at, size in zip(index, shape, strict=True):
        outside = (at < 0) | (at >= size)
        if np.any(outside) and np.any(wrong := inside & outside):
            first = tuple(np.argwhere(wrong)[0])
            place = [int(np.broadcast_to(a, sizes)[first]) for a in index]
            raise IndexOutsideMemref(op, index=f"element {place}", memref=memref)
        linear = linear * size + at
    return linear, inside


def splat(op: pto.ExpandsOp) -> Array:
    """Returns a tile filled with one number, which is rounded to the element type."""
    t = pto.tile_type(op.result)
    match op.value:
        case IntegerAttr():
            wide = np.asarray(op.value.value.data % 2**64, np.uint64)
        case ArrayAttr():
            wide = np.array([part.value.data for part in op.value]).view(np.complex128)[0]
        case _:
            wide = np.asarray(op.value.value.data)
    return np.full(t.sizes, narrow(wide, numpy_dtype(t.element_type)))


def divide(name: str, a: Array, b: Array) -> Array:
    """Returns the quotients or remainders of integers. A divisor of 0, as it may be outside of the box, counts as 1."""
    return FUNCTIONS[name](a, np.where(b == 0, np.ones_like(b), b))


ROWS: Mapping[type[Operation], str] = {
    **{op: name for name, op in {**pto.UNARY, **pto.BINARY}.items()},
    pto.SHIFT_RIGHT: "shift_right_arithmetic",
    **dict.fromkeys(pto.MOVES, "move"),
    pto.SelOp: "where",
    pto.FmaOp: "fma",
    **{op: fn for fn, op in (*pto.ROW_REDUCTIONS.items(), *pto.COL_REDUCTIONS.items())},
}
"""Ops on tiles and the names that `PtoFunctions.row` implements: functions in `scalars.py`, `move`, and reductions."""


@register_rows(ROWS)
class PtoFunctions(ArrayFunctions):
    """Tiles are arrays, or `Staged` arrays while they are in a slot of a channel."""

    def __init__(self) -> None:
        super().__init__()
        self.run = Run(0)
        self.owners: dict[int, Array] = {}
        """The number of the tile that stored each element of each output array, or -1."""
        self.parts: list[Any] = []
        """The accumulators of this tile's parts (of a split along k) that have run."""

    def divide(self, op: Operation, name: str, a: Value, b: Value) -> Value:
        """Divides integers; `name` is `div` or `remainder`."""
        return divide(name, a, b)

    def multiply(self, acc: Value, a: Value, b: Value) -> Value:
        """Returns `acc + a · b`, rounded once to the accumulator type; integers wrap."""
        first, left, right = (summands(x, acc.dtype) for x in (acc, a, b))
        with np.errstate(all="ignore"):
            return narrow(first + left @ right, acc.dtype)

    def row(self, op: Operation, name: str, *tiles: Any) -> Value:
        values = [read(op, tile) for tile in tiles]
        if name == "move":
            return values[0]
        if isinstance(op, pto.RowReduceOp):
            return self.reduce_rows(op, name, values[0])
        if isinstance(op, pto.ColReduceOp):
            return self.reduce_columns(op, name, values[0])
        if name == "shift_right_arithmetic" and is_unsigned(pto.tile_type(op.results[0]).element_type):
            name = "shift_right_logical"
        if name in ("div", "remainder") and values[0].dtype.kind in "iu":
            return self.divide(op, name, *values)
        return self.apply(op, name, *values)

    def reduce_rows(self, op: pto.RowReduceOp, kind: str, tile: Value) -> Value:
        """Reduces each row of a tile to one element, or to partial results."""
        t, sizes = pto.tile_type(op.input), pto.tile_type(op.result).sizes
        kind = {"max": "any", "min": "all"}[kind] if is_predicate(t.element_type) else kind
        rounds = (*sizes[:-1], *op.dealt(t.sizes[-1], sizes[-1]))
        dealt, rank = self.move(lambda v: v.reshape(rounds), tile), len(sizes)
        total = self.reduce(kind, dealt, (rank, rank + 2), t.element_type, t.element_type)
        return self.move(lambda v: v.reshape(sizes), total)

    def reduce_columns(self, op: pto.ColReduceOp, kind: str, tile: Value) -> Value:
        """Reduces each column of a tile to one element."""
        t = pto.tile_type(op.input)
        kind = {"max": "any", "min": "all"}[kind] if is_predicate(t.element_type) else kind
        total = self.reduce(kind, tile, (0,), t.element_type, t.element_type)
        return self.move(lambda v: v.reshape(pto.tile_type(op.result).sizes), total)

    # --- the grid ---------------------------------------------------------------------------------

    @impl(pto.TilesOp)
    def run_tiles(self, interpreter: Interpreter, op: pto.TilesOp, args: PythonValues) -> PythonValues:
        ranges = [range(0, size, step) for size, step in zip(ints(op.sizes), ints(op.steps), strict=True)]
        self.owners = {}
        for inner in op.walk():
            if isinstance(inner, pto.InstructionOp) and inner.static_valid is not None:
                raise NotInterpreted(inner, reason="valid regions are not interpreted yet")
        for number, offsets in enumerate(product(*ranges)):
            self.parts = []
            for part in range(op.parts):
                self.run = Run(number)
                interpreter.run_ssacfg_region(op.body, offsets if op.part is None else (*offsets, part), "tile")
                self.run.finish()
        return ()

    @impl(pto.CombineOp)
    def run_combine(self, interpreter: Interpreter, op: pto.CombineOp, args: PythonValues) -> PythonValues:
        self.parts.append(args[0])
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
        tile, memref = read(op, values[op.tile]), values[op.memref]
        linear, inside = elements(op, values, tile.shape)
        at = linear[inside]
        self.claim(op, memref, at)
        self.store(memref, self.move(lambda v: v[inside], tile), at)
        return ()

    @impl(pto.ScatterMapOp)
    def run_scatter(self, interpreter: Interpreter, op: pto.ScatterMapOp, args: PythonValues) -> PythonValues:
        values = self.operand_values(op, args)
        tile, memref = read(op, values[op.tile]), values[op.memref]
        linear, inside = elements(op, values, pto.tile_type(op.tile).sizes)
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
        if self.holds_anywhere(read(op, values[op.failed]), inside):
            status = values[op.status]
            self.store(status, self.apply(op, "max", status, self.literal(np.full(1, op.number.value.data, np.int32))))
        return (read(op, values[op.tile]),)

    def operand_values(self, op: pto.PointsOp, args: PythonValues) -> dict[SSAValue, Any]:
        """Returns the values of the op's operands. Positions are arrays of integers."""
        values = dict(zip(op.operands, args, strict=True))
        return values | {p: self.positions(op, read(op, values[p])) for p in op.position_tiles}

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

    # --- tiles ------------------------------------------------------------------------------------

    @impl(pto.MatmulAccOp)
    def run_matmul(self, interpreter: Interpreter, op: pto.MatmulAccOp, args: PythonValues) -> PythonValues:
        acc, a, b = (read(op, v) for v in args)
        if op.precision is not None:
            a, b = (self.apply(op, op.precision.data, x) for x in (a, b))
        return (self.multiply(acc, a, b),)

    @impl(pto.RowExpandOp)
    def run_rowexpand(self, interpreter: Interpreter, op: pto.RowExpandOp, args: PythonValues) -> PythonValues:
        columns, parts = (pto.tile_type(value).sizes[-1] for value in (op.result, op.input))
        groups, rounds, of_group, run = op.dealt(columns, parts)
        dealt = np.arange(parts).reshape(groups, 1, of_group, 1)
        dealt = np.broadcast_to(dealt, (groups, rounds, of_group, run)).reshape(columns)
        return (self.move(lambda v: v[..., dealt], read(op, args[0])),)

    @impl(pto.ColExpandOp)
    def run_colexpand(self, interpreter: Interpreter, op: pto.ColExpandOp, args: PythonValues) -> PythonValues:
        sizes = pto.tile_type(op.result).sizes
        return (self.move(lambda v: np.broadcast_to(v, sizes), read(op, args[0])),)

    @impl(pto.ExpandsOp)
    def run_expands(self, interpreter: Interpreter, op: pto.ExpandsOp, args: PythonValues) -> PythonValues:
        return (self.literal(splat(op)),)

    @impl(pto.CvtOp)
    def run_cvt(self, interpreter: Interpreter, op: pto.CvtOp, args: PythonValues) -> PythonValues:
        src, dst = (pto.tile_type(value).element_type for value in (*op.operands, op.result))
        return (self.cast(read(op, args[0]), src, dst),)

    @impl(pto.BitcastOp)
    def run_bitcast(self, interpreter: Interpreter, op: pto.BitcastOp, args: PythonValues) -> PythonValues:
        return (self.bits(op, read(op, args[0]), pto.tile_type(op.result).element_type),)

    @impl(pto.CmpOp)
    def run_cmp(self, interpreter: Interpreter, op: pto.CmpOp, args: PythonValues) -> PythonValues:
        return (self.row(op, op.mode.word.lower(), *args),)
