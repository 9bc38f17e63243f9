"""
The view of two dimensions through which a tile reads or writes an array.

An element of the tile is at `Σ L_i · p_i + K` in the array, where p is its point in the index space. If the tile's columns are contiguous
and its rows have distance S, the view has rows of S elements: a term whose coefficient is a multiple of S moves by rows, and others by
columns. If the rows are contiguous, the view is in layout DN.

An access map may divide indices, as `[i0, i1] -> [floor(i1/64), i0, i1 mod 64]` does. A point is the tile's offset, which is a multiple of
a known number, and a place in the tile. If no division depends on the place, the tile is a matrix in the array as well; its first element
is at indices that are computed from the offsets. Otherwise its parts are: rows and columns as many as what they are divided by.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Literal, cast

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1, i8
from xdsl.ir import Attribute, Block, SSAValue

from ...analysis.index import affine
from ...analysis.index.divisions import reduce_divisions
from ...analysis.index.isl_text import divisions
from ...analysis.index.linearize import row_major_strides
from ...analysis.regions.tile_access import element_address
from ...dialects import pto
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ...dialects.pto.storage import element_bytes
from ...errors import Unsupported
from ...targets.pto.machine import ROWS_ALIGNMENT
from .channels import constant_of
from .padding import Constraint, constraints
from .places import Place, coefficient, place_of
from .values import held

MAX_PARTS = 64
"""Maximum number of parts of a tile, or of a split, each of which is written out."""
Kind = Literal["full", "row", "column", "element"]


@dataclass(frozen=True)
class View:
    """
    The type of the view, the place of the tile's first element along its two axes, and which of the tile's rows and columns differ: a
    `row` is one row that is repeated, a `column` one column, an `element` one element.
    """

    type: pto.MemRefType
    place: tuple[Place, Place]
    kind: Kind
    part: tuple[int, int]
    """The rows and columns of the tile, or of the parts that it is accessed in."""
    turned: bool
    """Whether the view has the tile's columns as rows: a vector tile is transposed, as it is in row-major order."""
    is_spread: bool
    """Whether the tile is one column, repeated or not, whose elements have a distance in the array: each begins a row of the view."""
    in_pieces: bool
    """Whether the tile is accessed a row, or an element, at a time."""


def view_of(op: pto.AccessOp, location: str, *, is_scattered: bool = False) -> View:
    """
    Returns the view of an access from a location. A tile no axis of which is contiguous `is_scattered`: it is accessed element by element.
    Raises `Unsupported` if the tile has no parts that are matrices in the array.
    """
    array, tile = memref_of(op.memref), pto.tile_type(op.tile if isinstance(op, pto.StoreMapOp) else op.results[0])
    element_address(op)  # checks the map
    strides, count, bounds = row_major_strides(array.get_shape()), prod(array.get_shape()), ints(op.bounds)
    part = _part(op, tile, strides)
    if in_pieces := is_scattered or _is_in_pieces(op, tile, part, location):
        part = (1, 1) if is_scattered else _piece(cast("pto.LoadMapOp | pto.StoreMapOp", op), tile, strides)
    inside = dict(zip(ints(op.dims), part, strict=True))
    units = units_of(op, inside)
    at, rank = _in_tile(op, inside, units), len(units)
    total, parts = _weighted(at, strides), list[isl.Aff]()
    if affine.terms(total) is None:
        parts = [at.get_at(axis).scale_val(isl.Val(stride)) for axis, stride in enumerate(strides)]
        for numerator, _ in divisions(at):
            if numerator.involves_dims(isl.dim_type.in_, rank, rank):
                need = "use a tile that divides what the array is divided by, or reshape the array first"
                raise Unsupported(op, what="a tile whose rows or columns are in several parts of an array", need=need)
    alone = [size == 1 or bounds[axis] == 1 for axis, size in inside.items()]
    rows, columns = (
        0 if one else coefficient(total, rank + axis) for axis, one in zip(ints(op.dims), alone, strict=True)
    )
    kind: Kind = "full"
    if location == "Vec" and columns == 0 == rows and not all(alone):
        kind = "element"
    elif columns == 0 and not alone[1]:
        kind = "column"
    elif rows == 0 and not alone[0]:
        kind = "row"
    layout, turned = None, False
    is_spread = location == "Vec" and columns == 0 and rows > 1
    if columns == 1 or (columns == 0 and rows == 0 and (location != "Vec" or in_pieces)):
        split = rows or count
        sizes = count // split, split
    elif columns == 0 and rows in (0, 1):
        sizes, split = (count, 1), 1
    elif is_spread:
        sizes, split = (count // rows, rows), rows
    elif rows in (0, 1):
        split = columns
        turned = location == "Vec"
        sizes = (count // split, split) if turned else (split, count // split)
        layout = None if turned else pto.LayoutAttr.of("DN")
    else:
        return view_of(op, location, is_scattered=True)
    found = [place_of(part, units) for part in parts or [total]]
    first = Place(sum(each.constant for each in found), tuple(term for each in found for term in each.terms))
    place = first.divided(split) if split < count else (Place(0), first)
    least = [term.factor for term in first.terms] + ([] if in_pieces else [first.constant])
    if prod(sizes) != count or min(least, default=0) < 0 or (split < count and place[1].greatest(bounds) >= split):
        need = "slice the array first"
        raise Unsupported(op, what="a tile that reads an array backwards, or not in whole rows", need=need)
    t = pto.MemRefType(sizes, stored_type(array.element_type), layout=layout)
    return View(t, place if layout is None else (place[1], place[0]), kind, part, turned, is_spread, in_pieces)


def stored_type(dtype: Attribute) -> Attribute:
    """Returns the type of an array's elements, as PTO loads and stores them. A predicate is a byte, 0 or 1; others have the same bits."""
    return i8 if dtype == i1 else held(dtype)


def units_of(op: pto.AccessOp, inside: Mapping[int, int]) -> list[int]:
    """Returns a number of which each offset is a multiple, as are the sizes `inside` of the parts of a tile."""
    return [
        gcd(_divisor(offset), inside.get(axis, 0)) or ints(op.bounds)[axis] for axis, offset in enumerate(op.offsets)
    ]


def _is_in_pieces(op: pto.AccessOp, tile: pto.TileType, part: tuple[int, int], location: str) -> bool:
    """
    Returns whether a tile is accessed a row or an element at a time: some of its points may be outside of the array, or it has many parts, or
    parts that are no whole lines.
    """
    if not isinstance(op, pto.LoadMapOp | pto.StoreMapOp) or op.where is not None or part == tile.sizes:
        return isinstance(op, pto.LoadMapOp | pto.StoreMapOp) and op.where is not None
    bounds = [ints(op.bounds)[axis] for axis in ints(op.dims)]
    is_whole = all(bound <= size or bound % size == 0 for bound, size in zip(bounds, tile.sizes, strict=True))
    count = prod(min(size, bound) // each for size, bound, each in zip(tile.sizes, bounds, part, strict=True))
    lines = part[1] * element_bytes(tile.element_type)
    return location != "Vec" or not is_whole or lines % ROWS_ALIGNMENT != 0 or count > MAX_PARTS


def _piece(op: pto.LoadMapOp | pto.StoreMapOp, tile: pto.TileType, strides: Sequence[int]) -> tuple[int, int]:
    """Returns the part of a row that is accessed at once: all of it if it is contiguous and inside of the array, or outside, as a whole."""
    (d0, d1), whole = ints(op.dims), (1, tile.sizes[1])
    inside = {d0: 1, d1: whole[1]}
    units, rank = units_of(op, inside), len(op.offsets)
    at = _in_tile(op, inside, units)
    divided = [numerator for numerator, _ in divisions(at)]
    limits = [limit for part in guards(op, inside) for limit, _ in part]
    depends = [*divided, *limits]
    is_whole = coefficient(_weighted(at, strides), rank + d1) == 1
    return (
        whole
        if is_whole and not any(each.involves_dims(isl.dim_type.in_, rank + d1, 1) for each in depends)
        else (1, 1)
    )


def guards(op: pto.LoadMapOp | pto.StoreMapOp, inside: Mapping[int, int]) -> list[list[Constraint]]:
    """Returns when the points of a part of a tile, which has the sizes `inside`, are in the set of an access."""
    point, sizes = _points(op, inside, units_of(op, inside))
    return constraints(op, point, sizes)


def _divisor(offset: SSAValue) -> int:
    """Returns a number of which an offset is a multiple; 0 for the offset 0."""
    if (number := constant_of(offset)) is not None:
        return number
    match offset.owner:
        case arith.AddiOp(lhs=a, rhs=b):
            return gcd(_divisor(a), _divisor(b))
        case arith.MuliOp(lhs=a, rhs=b):
            return _divisor(a) * _divisor(b)
        case Block() as block if isinstance(loop := block.parent_op(), scf.ForOp) and offset is block.args[0]:
            return gcd(_divisor(loop.lb), _divisor(loop.step))
        case Block() as block if isinstance(grid := block.parent_op(), pto.TilesOp):
            return next((step for arg, step in zip(grid.offsets, ints(grid.steps), strict=True) if arg is offset), 1)
        case _:
            return 1


def _part(op: pto.AccessOp, tile: pto.TileType, strides: Sequence[int]) -> tuple[int, int]:
    """Returns how many rows and columns of a tile have no boundary of what an access divides within them."""
    total = _weighted(affine.read_map(op.map.source.data), strides)
    sizes = list[int]()
    for axis, size in zip(ints(op.dims), tile.sizes, strict=True):
        for numerator, q in divisions(isl.MultiAff.from_aff(total)):
            if (factor := abs(coefficient(numerator, axis))) != 0:
                size = gcd(size, q // gcd(q, factor))
        sizes.append(size)
    return sizes[0], sizes[1]


def _in_tile(op: pto.AccessOp, inside: Mapping[int, int], units: Sequence[int]) -> isl.MultiAff:
    """
    Returns the access map as one of the offsets, each divided by its unit, and of the places in a part of the tile, which has the sizes
    `inside`, one for each axis.
    """
    point, sizes = _points(op, inside, units)
    return reduce_divisions(affine.read_map(op.map.source.data).pullback_multi_aff(point), sizes)


def _points(op: pto.AccessOp, inside: Mapping[int, int], units: Sequence[int]) -> tuple[isl.MultiAff, list[int]]:
    """Returns the point of the offsets and places of `_in_tile`, and their sizes."""
    rank, bounds = len(units), ints(op.bounds)
    point = affine.make_map(2 * rank, [f"{unit}*i{axis} + i{rank + axis}" for axis, unit in enumerate(units)])
    sizes = [-(-bound // unit) for bound, unit in zip(bounds, units, strict=True)]
    sizes += [min(inside.get(axis, 1), bound) for axis, bound in enumerate(bounds)]
    return point, sizes


def _weighted(at: isl.MultiAff, factors: Sequence[int]) -> isl.Aff:
    """Returns the sum of the indices, each by its factor."""
    total = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(at.get_domain_space()))
    for axis, factor in enumerate(factors):
        total = total.add(at.get_at(axis).scale_val(isl.Val(factor)))
    return total
