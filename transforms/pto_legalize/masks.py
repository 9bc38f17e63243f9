"""
Computes masks and indices from positions.

A mask is a union of sets of affine conditions on the point of the index space. Terms `Σ c·i + k >= 0` becomes a tile of values, to which
the tile's rows and columns contribute a line each: TCI counts along it, and indices of loops are added to it as a scalar.

```
{ [m, n] : n <= m }   at (%m, %n)         rows     cvt(trans(ci 0 + (%m - %n)))
                                          columns  cvt(ci 0 descending)              cmps(rowexpand(rows) + colexpand(columns), GE 0)
```

Conditions that hold at the same time have the least of their values, and sets the greatest of theirs. Values are computed in f32,
which is exact up to 2^24; indices (`pto.tile.iota`) in i32. A quotient `floor(e / q)` is computed in f32 as `floor((e + 1/2) / q)`: as e is
below 2^22, a quotient whose last bit is wrong has the same floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, f32, i32
from xdsl.ir import Attribute, SSAValue

from ...analysis.index import affine
from ...analysis.index.isl_text import divisions
from ...analysis.regions.tile_access import index_map, point_set
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...dialects.ptir.functions import bit_width
from ...errors import Unsupported
from .places import coefficient
from .points import Points
from .values import Full, InBox, Line, Size, Splat, Value, held, valid

EXACT = 1 << 24
"""The integers below are numbers of f32."""
DIVIDED = 1 << 22
"""Quotients of the integers below are computed in f32."""


def mask(points: Points, op: pto.MaskOp) -> Value:
    """Writes a mask. Raises `Unsupported` for one with values that f32 does not have."""
    sets = _sets(op)
    if any(not conditions for conditions in sets):
        return InBox(points.rounded(op.result), points.extents_of(op, op.result))
    written: dict[tuple[int, bool], Full] = {}
    values = [
        reduce(lambda a, b: points.binary("min", a, b), [_value(points, op, c, written) for c in conditions])
        for conditions in sets
    ]
    value = reduce(lambda a, b: points.binary("max", a, b), values or [_number(-1.0)])
    whole = points.full(value, points.rounded(op.result), points.extents_of(op, op.result))
    return points.compare("GE", whole, _number(0.0))


def indices(points: Points, op: pto.IotaOp) -> Value:
    """Writes the indices of the points of a tile, of which positions are a part. Raises `Unsupported` for quotients of large numbers or positions."""
    index, rank = index_map(op).get_at(0), len(op.offsets)
    coefficients = {axis: coefficient(index, axis) for axis in range(len(op.bounds))}
    if any(
        numerator.involves_dims(isl.dim_type.in_, rank, len(op.positions))
        for numerator, _ in divisions(isl.MultiAff.from_aff(index))
    ):
        need = "compute the indices on the host, or compile the program for a GPU"
        raise Unsupported(op, what="an index with remainders or divisions of positions on PTO", need=need)
    value = _value(points, op, index, {}, i32)
    for axis, position in enumerate(op.positions, rank):
        if factor := coefficients[axis]:
            term = points.binary("mul", points.bitcast(points.values[position], i32), Splat.of(factor, i32))
            value = points.binary("add", value, term)
    dtype = held(pto.tile_type(op.result).element_type)
    return points.bitcast(value, dtype) if bit_width(dtype) == bit_width(i32) else points.convert(value, dtype)


def _number(value: float) -> Splat:
    return Splat(FloatAttr(value, Float32Type()))


def _sets(op: pto.MaskOp) -> list[list[isl.Aff]]:
    """Returns the sets of expressions whose union is the mask, in the index space; all of a set are not negative."""
    if op.where is None:
        return [[]]
    points = point_set(op, op.where.source.data, len(op.bounds)).gist(affine.box(ints(op.bounds))).coalesce()
    return [[c for each in part.get_constraints() for c in _conditions(op, each)] for part in points.get_basic_sets()]


def _conditions(op: pto.MaskOp, constraint: isl.Constraint) -> list[isl.Aff]:
    """Returns a constraint as one expression or, if it is an equality, as two."""
    value = constraint.get_aff()
    if _greatest(value, ints(op.bounds)) >= EXACT:
        need = f"use indices below {EXACT}"
        raise Unsupported(op, what="a mask of positions that f32 does not have on PTO", need=need)
    return [value, value.neg()][: 1 + constraint.is_equality()]


def _greatest(value: isl.Aff, bounds: Sequence[int]) -> int:
    """Returns an upper bound of the absolute value of an expression."""
    total = abs(int(value.get_constant_val().to_python()))
    total += sum(abs(coefficient(value, axis)) * bound for axis, bound in enumerate(bounds))
    for k in range(value.dim(isl.dim_type.div)):
        if factor := int(value.get_coefficient_val(isl.dim_type.div, k).to_python()):
            q = value.get_div(k).get_denominator_val()
            total += abs(factor) * (_greatest(value.get_div(k).scale_val(q), bounds) // int(q.to_python()) + 1)
    return total


def _value(
    points: Points,
    op: pto.MaskOp | pto.IotaOp,
    value: isl.Aff,
    written: dict[tuple[int, bool], Full],
    dtype: Attribute = f32,
) -> Value:
    """Writes an expression at each point of a tile. `written` has the counts along rows and columns that are written."""
    quotients = list[Value]()
    for k in range(value.dim(isl.dim_type.div)):
        if factor := int(value.get_coefficient_val(isl.dim_type.div, k).to_python()):
            quotient = _quotient(points, op, value.get_div(k), written)
            quotients.append(points.binary("mul", points.convert(quotient, dtype), Splat.of(factor, dtype)))
    sizes, dims, rank = pto.tile_type(op.result).sizes, ints(op.dims), len(op.offsets)
    coefficients = {axis: c for axis in range(rank) if (c := coefficient(value, axis))}
    along = [axis for axis in range(2) if sizes[axis] > 1 and coefficients.get(dims[axis], 0)]
    offsets = [points.product(points.offset(op.offsets[axis]), c) for axis, c in coefficients.items()]
    start = points.sum([*offsets, int(value.get_constant_val().to_python())])
    lines: list[Value] = []
    for axis in along or [0 if sizes[0] > sizes[1] else 1]:
        lines.append(_line(points, op, axis, coefficients.get(dims[axis], 0), start, written, dtype))
        start = 0
    return reduce(lambda a, b: points.binary("add", a, b), [*lines, *quotients])


def _quotient(
    points: Points, op: pto.MaskOp | pto.IotaOp, quotient: isl.Aff, written: dict[tuple[int, bool], Full]
) -> Value:
    """Writes the greatest integers that are at most a quotient, as i32."""
    q = quotient.get_denominator_val()
    numerator = quotient.scale_val(q)
    if _greatest(numerator, ints(op.bounds)) >= DIVIDED:
        need = f"divide indices below {DIVIDED}"
        raise Unsupported(op, what="a quotient of positions that f32 does not have on PTO", need=need)
    value = points.binary("add", _value(points, op, numerator, written), _number(0.5))
    (tile,), line = points.tiles([points.binary("div", value, _number(float(q.to_python())))])
    return points.result(pto.CvtOp(tile.tile, i32, "CAST_FLOOR"), tile, line)


def _line(
    points: Points,
    op: pto.MaskOp | pto.IotaOp,
    axis: int,
    coefficient: int,
    start: Size,
    written: dict[tuple[int, bool], Full],
    dtype: Attribute,
) -> Line:
    """Writes `start + coefficient · p` for each row p of a tile, or for each column."""
    size, extent = points.rounded(op.result)[axis], points.extents_of(op, op.result)[axis]
    key = axis, coefficient < 0
    if key not in written:
        zero = points.add(pto.ConstantOp(IntegerAttr(0, i32)))
        count = pto.CiOp(zero, pto.TileType((1, size), i32), descending=coefficient < 0)
        written[key] = Full(points.add(valid(count, (1, extent)), "position"), (1, extent))
    line = written[key]
    for fn, number in (("mul", abs(coefficient)), ("add", start)):
        if number != (fn == "mul"):
            line = Full(points.add(pto.SCALAR_BINARY[fn](line.tile, _scalar(points, number))), line.extents)
    if dtype != i32:
        line = Full(points.add(pto.CvtOp(line.tile, dtype)), line.extents)
    return Line(line, True) if axis == 1 else Line(points.transposed(line), False)


def _scalar(points: Points, number: Size) -> SSAValue:
    if isinstance(number, int):
        return points.add(pto.ConstantOp(IntegerAttr(number, i32)))
    return points.add(arith.IndexCastOp(number, i32))
