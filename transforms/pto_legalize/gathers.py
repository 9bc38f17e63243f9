"""
Writes gathers by tiles of positions as loads of all that may be read, of which the positions select.

```
load.map %x[%m] at(%p) by [i, p] -> [i, p]           for %c = 0 to 1000 step 256 {          one column of floats
                                                       %v = load.map %x[%m, %c] by [i, c] -> [i, c]
                                                       sum += rowsum(sel(cmp EQ(rowexpand %p, iota c), %v, 0))
load.map %x[%m, %n] at(%p) by [i, j, p] -> [p, j]    for %c = 0 to 1000 step 1 {            other tiles
                                                       t = sel(cmp EQ(%p, iota c), load.map %x[%m, %n, %c], t)
```

A position that no iteration has is outside of the box, and its element is zero. A sum has at most one term that is not zero, so it is exact, but
a negative zero becomes zero. The time grows with the size of the axis along which positions count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, i32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ...analysis.index import affine
from ...dialects import pto
from ...dialects.common.shapes import is_float
from ...dialects.common.syntax import ints
from .values import Splat

ELEMENTS = 4096
"""The most elements of a tile in which columns are searched for positions, unless it has one block of columns."""
COLUMNS = 16
"""Such a tile has a multiple of so many columns."""


def select_gathers(kernel: pto.PtoKernelOp) -> None:
    """Replaces the gathers of vector tiles. Others are left, and are refused later."""
    todo = list(kernel.walk())
    for op in todo:
        if isinstance(op, pto.LoadMapOp) and op.positions and op.where is None and not _in_process(op):
            made = _loop(op) if len(op.positions) == 1 else _joined(op)
            for each in (inner for top in made for inner in top.walk()):
                each.location = op.location
            Rewriter.replace_op(op, made, [made[-1].results[0]])
            todo += made  # a gather by fewer tiles


def _in_process(op: Operation) -> bool:
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, pto.ProcessOp) or _in_process(parent))


def _joined(op: pto.LoadMapOp) -> list[Operation]:
    """Returns a gather whose last two tiles of positions are one: the numbers of pairs in row-major order. No pair has one that is outside."""
    *others, a, b = op.positions
    *bounds, outer, inner = ints(op.bounds)
    block, tile = Block(), pto.tile_type(a).like(element_type=i32)

    def number(value: int) -> SSAValue:
        return pto.ExpandsOp(IntegerAttr(value, i32), tile).result

    with ImplicitBuilder(block):
        a, b = (v if v.type == tile else pto.BitcastOp(v, i32).result for v in (a, b))
        pair = pto.BINARY["add"](pto.BINARY["mul"](a, number(inner)).results[0], b).results[0]
        inside = [
            pto.CmpOp(mode, value, number(limit)).result
            for value, bound in ((a, outer), (b, inner))
            for mode, limit in (("GE", 0), ("LT", bound))
        ]
        known = reduce(lambda x, y: pto.BINARY["and"](x, y).results[0], inside)
        pair = pto.SelOp(known, pair, number(-1)).result
        axes, last = [f"i{k}" for k in range(len(bounds))], f"i{len(bounds)}"
        split = isl.MultiAff(
            f"{{ [{', '.join([*axes, last])}] -> [{', '.join([*axes, f'floor({last}/{inner})', f'{last} mod {inner}'])}] }}"
        )
        by = str(affine.read_map(op.map.source.data).pullback_multi_aff(split))
        pto.LoadMapOp(
            op.memref,
            op.offsets,
            by,
            [*bounds, outer * inner],
            ints(op.dims),
            pto.tile_type(op.result),
            positions=[*others, pair],
        )
    ops = list(block.ops)
    for each in ops:
        each.detach()
    return ops


def _loop(op: pto.LoadMapOp) -> list[Operation]:
    """Returns a loop over the positions that a gather may have, and what is before it."""
    tile, positions, bounds, dims = pto.tile_type(op.result), op.positions[0], ints(op.bounds), ints(op.dims)
    columns = tile.sizes[1]
    if searches := columns == 1 and is_float(tile.element_type):
        most = -(-bounds[-1] // COLUMNS) * COLUMNS
        columns = min(most, max(ELEMENTS // tile.sizes[0] // COLUMNS, 1) * COLUMNS)
        dims = dims[0], len(bounds) - 1
    wide = tile.like((tile.sizes[0], columns))
    before, body = Block(), Block(arg_types=[IndexType(), tile])
    index, carried = body.args
    index.name_hint = "c"
    with ImplicitBuilder(before):
        step = columns if searches else 1
        low, high, step = (arith.ConstantOp(IntegerAttr(n, IndexType())).result for n in (0, bounds[-1], step))
        zero = pto.ExpandsOp(Splat.of(0, tile.element_type).number, tile).result
        if pto.tile_type(positions).element_type != i32:
            positions = pto.BitcastOp(positions, i32).result
    with ImplicitBuilder(body):
        offsets = [*op.offsets, index]
        loaded = pto.LoadMapOp(op.memref, offsets, op.map.source.data, bounds, dims, wide).result
        hit = _equal(positions, offsets, bounds, dims, wide)
        if searches:
            found = pto.SelOp(hit, loaded, pto.ExpandsOp(Splat.of(0, tile.element_type).number, wide).result).result
            result = pto.BINARY["add"](carried, pto.RowSumOp(found).result).results[0]
        else:
            result = pto.SelOp(hit, loaded, carried).result
        scf.YieldOp(result)
    with ImplicitBuilder(before):
        scf.ForOp(low, high, step, [zero], Region(body))
    ops = list(before.ops)
    for each in ops:
        each.detach()
    return ops


def _equal(
    positions: SSAValue, offsets: Sequence[SSAValue], bounds: Sequence[int], dims: Sequence[int], wide: pto.TileType
) -> SSAValue:
    """Writes whether the position of each element of a tile is its coordinate along the last axis."""
    if pto.tile_type(positions).sizes != wide.sizes:
        expanded = pto.RowExpandOp(positions, wide.sizes[1])
        positions = expanded.result
    axes = ", ".join(f"i{axis}" for axis in range(len(bounds)))
    by = f"{{ [{axes}] -> [i{len(bounds) - 1}] }}"
    coordinate = pto.IotaOp(offsets, by, bounds, dims, wide.like(element_type=i32)).result
    return pto.CmpOp("EQ", positions, coordinate).result
