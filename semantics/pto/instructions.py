"""
The meaning of instructions on tiles, one row of a table for each op.

An op computes the elements of its valid region, from a part of each operand:

```
             valid region of the result                        reads of an operand
add …        where all operands are valid                      the region
rowsum       the operand's valid rows                          their valid columns
matmul       valid rows of a, valid columns of b               the valid columns of a, as many rows of b
load, ci     the whole tile                                    –
```

The region is that of the op's `valid`, or else follows from its `valid_axes`, unless the table says otherwise.

What lies outside of the region is poison, and so is what is computed from poison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.common.shapes import is_unsigned
from ..arrays.rounding import convert
from ..arrays.scalars import Array, narrow, numpy_dtype, widen
from ..errors import DivisionByZero
from ..values import Value
from . import rearrangements
from .partial import Call, Sizes, largest, least, replaced

Compute = Callable[..., Any]


def by_axes(call: Call) -> Sizes:
    """Returns the valid region that the op's `valid_axes` gives; of an op that is no instruction, where all operands are valid."""
    op = call.op
    if not isinstance(op, pto.InstructionOp):
        return least(*call.valids)
    tiles = [v for v in op.operands if isinstance(v.type, pto.TileType)]
    valids, found = dict(zip(tiles, call.valids, strict=True)), list(call.sizes)
    for tile, axes in op.valid_axes:
        found = [n if axis is None else min(n, valids[tile][axis]) for n, axis in zip(found, axes, strict=True)]
    return tuple(found)


@dataclass(frozen=True)
class Meaning:
    """
    `compute(call, *parts)` returns the elements of the region; `reads(call)` has the sizes of the part of each operand that is read, None
    for all of it. `causes(call)` returns the causes of poison in the region, if an operand has poison. `region(call)` is the valid region of
    an op without `valid`.
    """

    compute: Compute
    reads: Callable[[Call], Sequence[Sizes | None]]
    causes: Callable[[Call], Array]
    region: Callable[[Call], Sizes] = by_axes


# --- families of operands ---------------------------------------------------------------------------


def joined(call: Call) -> Array:
    """Returns the causes of an element that depends on one element of each operand, which may be broadcast."""
    found = [c for c in call.causes if c is not None]
    return np.broadcast_to(reduce(np.maximum, found), call.region)


def moved(call: Call) -> Array:
    """Returns the causes of elements that are moved."""
    causes = call.causes[0]
    assert causes is not None
    return np.asarray(MEANINGS[type(call.op)].compute(call, causes))


def elementwise(compute: Compute) -> Meaning:
    return Meaning(compute, lambda c: [c.region] * len(c.valids), joined)


def along(compute: Compute, axis: int, *, reduces: bool) -> Meaning:
    """An op between a tile and one with one element, or partial results, along `axis`, which is 0 or -1."""

    def place(call: Call) -> int:
        return axis % len(call.sizes)

    def reads(call: Call) -> Sequence[Sizes]:
        return [replaced(call.region, place(call), call.valids[0][axis])]

    def causes(call: Call) -> Array:
        found = call.causes[0]
        assert found is not None
        return found.max(axis, keepdims=True) if reduces else np.broadcast_to(found, call.region)

    return Meaning(compute, reads, causes)


def expanded(compute: Compute) -> Meaning:
    """A function of a tile and one column or, of an op without an axis, one row."""

    def axis(call: Call) -> int:
        return call.op.axis if isinstance(call.op, pto.ExpandedBinaryOp) else 0

    return Meaning(compute, lambda c: [c.region, replaced(c.region, axis(c), 1)], joined)


def product(compute: Compute, roles: str) -> Meaning:
    """A product of matrices; `roles` are those of the operands, in their order."""
    names = roles.split()

    def reads(call: Call) -> Sequence[Sizes]:
        (m, n), k = call.region, call.valids[names.index("a")][1]
        blocks = -(-k // pto.MX_BLOCK)
        sizes = {
            "a": (m, k),
            "b": (k, n),
            "acc": (m, n),
            "bias": (1, n),
            "a_scale": (m, blocks),
            "b_scale": (blocks, n),
        }
        return [sizes[name] for name in names]

    def causes(call: Call) -> Array:
        found: Array = np.zeros(call.region, np.int32)
        for name, part in zip(names, call.causes, strict=True):
            if part is not None:
                axis = {"a": 1, "b": 0}.get(name[0]) if name not in ("acc", "bias") else None
                found = np.maximum(found, part if axis is None else part.max(axis, keepdims=True, initial=0))
        return found

    return Meaning(compute, reads, causes)


def source(compute: Compute) -> Meaning:
    """An op without tile operands."""
    return Meaning(compute, lambda c: [], lambda c: np.zeros(c.region, np.int32))


# --- computations -----------------------------------------------------------------------------------


def function(name: str) -> Compute:
    """Applies a function of `scalars.py`."""

    def compute(call: Call, *parts: Value) -> Value:
        return call.functions.apply(call.op, name, *parts)

    return compute


def divide(name: str) -> Compute:
    """
    Divides. An integer divisor of 0 is an error, but counts as 1 in `pto.tiles`, where it may be outside of the box of the index space.
    """

    def compute(call: Call, a: Value, b: Value, known: Array | bool | None = None) -> Value:
        if a.dtype.kind not in "iu":
            return call.functions.apply(call.op, name, a, b)
        known = call.specified(-1) if known is None else known
        if not call.functions.in_grid and np.any((b == 0) & known):
            raise DivisionByZero(call.op)
        return call.functions.divide(call.op, name, a, b)

    return compute


def shift_right(call: Call, a: Value, by: Value) -> Value:
    logical = is_unsigned(pto.tile_type(call.op.results[0]).element_type)
    return call.functions.apply(call.op, "shift_right_logical" if logical else "shift_right_arithmetic", a, by)


def with_vector(fn: str) -> Compute:
    """Applies a function to a tile and one row or column."""

    def compute(call: Call, tile: Value, vector: Value) -> Value:
        return BINARY[fn](call, tile, call.functions.move(lambda v: np.broadcast_to(v, tile.shape), vector))

    return compute


BINARY: Mapping[str, Compute] = {
    **{fn: function(fn) for fn in pto.BINARY},
    **{fn: divide(fn) for fn in ("div", "remainder")},
}


def number(call: Call, scalar: SSAValue, like: Value) -> Value:
    """Returns a scalar operand as a tile of the shape of `like`."""
    dtype, value = like.dtype, call.values[scalar]
    sizes: Sizes = like.shape
    wide = np.asarray(int(value) % 2**64, np.uint64) if dtype.kind in "iu" else np.asarray(value, np.float64)
    return call.functions.literal(np.full(sizes, narrow(np.asarray(wide), dtype)))


def with_scalar(fn: str) -> Compute:
    def compute(call: Call, tile: Value) -> Value:
        op = call.op
        assert isinstance(op, pto.ScalarBinaryOp)
        scalar = number(call, op.lhs if op.scalar_first else op.rhs, tile)
        if op.scalar_first:
            return BINARY[fn](call, scalar, tile)
        return divide(fn)(call, tile, scalar, known=True) if fn == "div" else BINARY[fn](call, tile, scalar)

    return compute


def compare(call: Call, a: Value, b: Value | None = None) -> Value:
    op = call.op
    assert isinstance(op, pto.CmpOp | pto.CmpsOp)
    return call.functions.apply(op, op.mode.word.lower(), a, number(call, op.rhs, a) if b is None else b)


def select_scalar(call: Call, mask: Value, tile: Value) -> Value:
    op = call.op
    assert isinstance(op, pto.SelsOp)
    return call.functions.apply(op, "where", mask, tile, number(call, op.on_false, tile))


def splat(call: Call) -> Value:
    """Returns a tile filled with one number, which is rounded to the element type."""
    op = call.op
    assert isinstance(op, pto.ExpandsOp)
    dtype = numpy_dtype(pto.tile_type(op.result).element_type)
    match op.value:
        case None:
            assert op.scalar is not None
            return number(call, op.scalar, np.empty(call.region, dtype))
        case IntegerAttr():
            wide = np.asarray(op.value.value.data % 2**64, np.uint64)
        case ArrayAttr():
            wide = np.array([part.value.data for part in op.value]).view(np.complex128)[0]
        case _:
            wide = np.asarray(op.value.value.data)
    return call.functions.literal(np.full(call.region, narrow(wide, dtype)))


def sequence(call: Call) -> Value:
    op = call.op
    assert isinstance(op, pto.CiOp)
    steps = np.arange(call.region[1], dtype=np.int64) * (1 if op.descending is None else -1)
    wide = (np.asarray(int(call.values[op.start]) % 2**64, np.uint64).view(np.int64) + steps).view(np.uint64)
    return narrow(wide, numpy_dtype(pto.tile_type(op.result).element_type)).reshape(call.region)


def converted(call: Call, x: Value) -> Value:
    op = call.op
    assert isinstance(op, pto.CvtOp)
    src, dst = (pto.tile_type(value).element_type for value in (op.input, op.result))
    if op.mode is None:
        return call.functions.cast(x, src, dst)
    call.functions.require_arrays(op)
    return convert(x, numpy_dtype(dst), op.mode.word)


def bits(call: Call, x: Value) -> Value:
    return call.functions.bits(call.op, x, pto.tile_type(call.op.results[0]).element_type)


def reduced(kind: str, axis: int) -> Compute:
    """Reduces each row (axis -1) or column (axis 0) to one element or, with `run`, to partial results."""

    def compute(call: Call, tile: Value) -> Value:
        op, t = call.op, pto.tile_type(call.op.operands[0]).element_type
        rank, parts = len(tile.shape), call.region[-1]
        if isinstance(op, pto.RowReduceOp):
            rounds = (*tile.shape[:-1], *op.dealt(tile.shape[-1], parts))
            tile, axes = call.functions.move(lambda v: v.reshape(rounds), tile), (rank, rank + 2)
        else:
            axes = (0,)
        total = call.functions.reduce(kind, tile, axes, t, t)
        return call.functions.move(lambda v: v.reshape(call.region), total)

    return compute


def row_expanded(call: Call, tile: Value) -> Value:
    op = call.op
    assert isinstance(op, pto.RowExpandOp)
    columns, parts = call.region[-1], int(tile.shape[-1])
    groups, rounds, of_group, run = op.dealt(columns, parts)
    dealt = np.arange(parts).reshape(groups, 1, of_group, 1)
    dealt = np.broadcast_to(dealt, (groups, rounds, of_group, run)).reshape(columns)
    return call.functions.move(lambda v: v[..., dealt], tile)


def broadcast(call: Call, tile: Value) -> Value:
    return call.functions.move(lambda v: np.broadcast_to(v, call.region), tile)


def multiply(roles: str) -> Compute:
    names = roles.split()

    def compute(call: Call, *parts: Value) -> Value:
        op, f, part = call.op, call.functions, dict(zip(names, parts, strict=True))
        assert isinstance(op, pto.MatmulOp | pto.MatmulAccOp | pto.MatmulBiasOp)
        a, b = part["a"], part["b"]
        if op.precision is not None:
            a, b = (f.apply(op, op.precision.data, x) for x in (a, b))
        acc = part.get("acc")
        if acc is None:
            dtype = pto.tile_type(op.result).element_type
            acc = f.literal(np.zeros(call.region, numpy_dtype(dtype)))
            if "bias" in part:
                row = f.cast(part["bias"], pto.tile_type(cast(pto.MatmulBiasOp, op).bias).element_type, dtype)
                acc = f.move(lambda v: np.broadcast_to(v, call.region), row)
        return f.multiply(acc, a, b)

    return compute


def multiply_blocks(call: Call, a: Value, a_scale: Value, b: Value, b_scale: Value) -> Value:
    k = a.shape[1]
    left = widen(a) * np.repeat(a_scale.astype(np.float64), pto.MX_BLOCK, 1)[:, :k]
    right = widen(b) * np.repeat(b_scale.astype(np.float64), pto.MX_BLOCK, 0)[:k]
    with np.errstate(all="ignore"):
        return narrow(left @ right, np.dtype(np.float32))


def scaled(tile: Value, scale: Value, dtype: Any) -> Array:
    """Returns accumulators times the scale of each column: the product is rounded to f32, then to nearest even."""
    with np.errstate(all="ignore"):
        return convert((tile.astype(np.float32) * scale).astype(np.float32), dtype, "CAST_RINT")


def move_scaled(call: Call, tile: Value, scale: Value) -> Value:
    return scaled(tile, scale, numpy_dtype(pto.tile_type(call.op.results[0]).element_type))


def identity(call: Call, x: Value) -> Value:
    return x


def transposed(call: Call, x: Value) -> Value:
    return call.functions.move(np.transpose, x)


def reshaped(call: Call, x: Value) -> Value:
    return call.functions.move(lambda v: v.reshape(call.sizes), x)


def exchanged(call: Call, x: Value) -> Value:
    assert isinstance(call.op, pto.RowXorOp)
    rows = [row ^ call.op.by.value.data for row in range(call.sizes[0])]
    return call.functions.move(lambda v: v[rows], x)


PRODUCTS = {pto.MatmulOp: "a b", pto.MatmulAccOp: "acc a b", pto.MatmulBiasOp: "bias a b"}

MEANINGS: Mapping[type[Operation], Meaning] = {
    **{op: elementwise(function(fn)) for fn, op in pto.UNARY.items()},
    **{op: elementwise(BINARY[fn]) for fn, op in pto.BINARY.items()},
    pto.SHIFT_RIGHT: elementwise(shift_right),
    **{op: elementwise(with_scalar(op.FN)) for op in pto.SCALAR_BINARY.values()},
    **{op: expanded(with_vector(op.FN)) for op in pto.EXPANDED.values()},
    pto.FmaOp: elementwise(function("fma")),
    pto.CmpOp: elementwise(compare),
    pto.CmpsOp: elementwise(compare),
    pto.SelOp: elementwise(function("where")),
    pto.SelsOp: elementwise(select_scalar),
    pto.CvtOp: elementwise(converted),
    pto.BitcastOp: elementwise(bits),
    **dict.fromkeys(pto.MOVES, elementwise(identity)),
    **{op: along(reduced(fn, -1), -1, reduces=True) for fn, op in pto.ROW_REDUCTIONS.items()},
    **{op: along(reduced(fn, 0), 0, reduces=True) for fn, op in pto.COL_REDUCTIONS.items()},
    pto.RowExpandOp: along(row_expanded, -1, reduces=False),
    pto.ColExpandOp: along(broadcast, 0, reduces=False),
    **{op: product(multiply(roles), roles) for op, roles in PRODUCTS.items()},
    pto.MatmulMxOp: product(multiply_blocks, "a a_scale b b_scale"),
    pto.MoveScaledOp: expanded(move_scaled),
    pto.ExpandsOp: source(splat),
    pto.CiOp: source(sequence),
    pto.TransOp: Meaning(transposed, lambda c: [None], moved),
    pto.ReshapeOp: Meaning(reshaped, lambda c: [None], moved),
    pto.RowXorOp: Meaning(exchanged, lambda c: [None], moved),
    pto.ExtractOp: Meaning(rearrangements.extract, lambda c: [None], moved, rearrangements.extracted),
    pto.InsertOp: Meaning(rearrangements.insert, lambda c: [c.valids[0], None], rearrangements.inserted),
    **{
        op: Meaning(rearrangements.partial(fn), lambda c: [None, None], rearrangements.either, lambda c: largest(*c.valids))
        for fn, op in pto.PARTIAL.items()
    },
    pto.GatherOp: Meaning(rearrangements.gather, lambda c: [None, c.region], rearrangements.gathered),
    pto.GatherBytesOp: Meaning(
        rearrangements.gather, rearrangements.reads_of_blocks, rearrangements.gathered, rearrangements.gathered_blocks
    ),
    pto.ScatterOp: Meaning(rearrangements.scatter, lambda c: [c.valids[0]] * 2, rearrangements.scattered),
    pto.Sort32Op: Meaning(
        rearrangements.sort, lambda c: [c.region], rearrangements.sorted_causes, rearrangements.whole_blocks
    ),
    pto.MrgSortOp: Meaning(
        rearrangements.merge, rearrangements.reads_of_lists, rearrangements.merged_causes, rearrangements.merged
    ),
}  # fmt: skip
"""The meaning of each op."""

ON_ARRAYS = frozenset(
    (
        pto.MatmulMxOp, pto.MoveScaledOp, pto.CiOp, pto.ExtractOp, pto.InsertOp, pto.GatherOp, pto.GatherBytesOp, pto.ScatterOp,
        pto.Sort32Op, pto.MrgSortOp, *pto.PARTIAL.values(),
    )
)  # fmt: skip
"""The ops whose meaning is on arrays only, not on intervals."""
