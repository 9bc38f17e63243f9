"""
The view of two dimensions through which a tile reads or writes an array.

An element of the tile is at `Σ L_i · p_i + K` in the array, where p is its point in the index space. If the tile's columns are contiguous
and its rows have distance S, the view has rows of S elements: a term whose coefficient is a multiple of S moves by rows, and others by
columns. If the rows are contiguous, the view is in layout DN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

import islpy as isl

from ...analysis.index import affine
from ...dialects import pto
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ...errors import Unsupported

Terms = tuple[dict[int, int], int]
"""The coefficients of axes of the index space, and a constant."""


@dataclass(frozen=True)
class View:
    """
    The type of the view, the place of the tile's first element along its two axes, and which of the tile's rows and columns differ: a
    `row` is one row that is repeated, a `column` one column.
    """

    type: pto.MemRefType
    place: tuple[Terms, Terms]
    kind: Literal["full", "row", "column"]
    turned: bool
    """Whether the view has the tile's columns as rows: a vector tile is transposed, as it is in row-major order."""


def view_of(op: pto.AccessOp, location: str) -> View:
    """Returns the view of an access from a location. Raises `Unsupported` if no axis of its tile is contiguous."""
    coefficients, constant = linear(op)
    array = memref_of(op.memref)
    count = prod(array.get_shape())
    tile = pto.tile_type(op.tile if isinstance(op, pto.StoreMapOp) else op.results[0])
    alone = [tile.sizes[k] == 1 or ints(op.bounds)[axis] == 1 for k, axis in enumerate(ints(op.dims))]
    rows, columns = (0 if one else coefficients.get(axis, 0) for axis, one in zip(ints(op.dims), alone, strict=True))
    kind: Literal["full", "row", "column"] = "full"
    if columns == 0 and not alone[1]:
        kind = "column"
    elif rows == 0 and not alone[0]:
        kind = "row"
    layout, turned = None, False
    if columns == 1 or (columns == 0 and rows == 0):
        split = rows or count
        shape = count // split, split
    elif columns == 0 and rows == 1:
        shape, split = (count, 1), 1
    elif rows in (0, 1):
        split = columns
        turned = location == "Vec"
        shape = (count // split, split) if turned else (split, count // split)
        layout = None if turned else pto.LayoutAttr.of("DN")
    else:
        need = "transpose the array first, so that one axis of the tile has contiguous elements"
        what = f"a tile whose rows have distance {rows} and columns {columns} in the array"
        raise Unsupported(op, what=what, need=need)
    outer = {axis: c // split for axis, c in coefficients.items() if c % split == 0}
    inner = {axis: c for axis, c in coefficients.items() if c % split}
    if prod(shape) != count or min((*outer.values(), *inner.values(), constant), default=0) < 0:
        need = "slice the array first"
        raise Unsupported(op, what="a tile that reads an array backwards, or not in whole rows", need=need)
    place = (outer, constant // split), (inner, constant % split)
    t = pto.MemRefType(shape, array.element_type, layout=layout)
    return View(t, place[::-1] if layout is not None else place, kind, turned)


def linear(op: pto.AccessOp) -> Terms:
    """Returns the place in the array, in elements, as a sum over the axes of the index space."""
    m, shape = affine.read_map(op.map.source.data), memref_of(op.memref).get_shape()
    space = m.get_domain_space()
    total = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(space))
    for axis in range(len(shape)):
        total = total.add(m.get_at(axis).scale_val(isl.Val(prod(shape[axis + 1 :]))))
    if (found := affine.terms(total)) is None:
        need = "the axes of a tile must be affine: reshape the array first"
        raise Unsupported(op, what="an access map with divisions", need=need)
    return found
