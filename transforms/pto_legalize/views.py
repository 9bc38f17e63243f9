"""
The view of two dimensions through which a tile reads or writes an array.

An element of the tile is at `Σ L_i · p_i + K` in the array, where p is its point in the index space. If the tile's columns are contiguous
and its rows have distance S, the view has rows of S elements: a term whose coefficient is a multiple of S moves by rows, and others by
columns. If the rows are contiguous, the view is in layout DN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

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


def view_of(op: pto.AccessOp, sizes: Sequence[int]) -> View:
    """Returns the view of an access with a tile of these sizes. Raises `Unsupported` if no axis of it is contiguous."""
    coefficients, constant = linear(op)
    array = memref_of(op.memref)
    count = prod(array.get_shape())
    d0, d1 = ints(op.dims)
    rows, columns = coefficients.get(d0, 0), coefficients.get(d1, 0)
    kind: Literal["full", "row", "column"] = "full"
    if sizes[1] == 1:
        columns = 0
    elif columns == 0:
        kind = "column"
    if sizes[0] == 1:
        rows = 0
    elif rows == 0 and columns:
        kind = "row"
    if columns == 0 and rows == 1:
        shape, layout, split = (count, 1), None, 1
    elif columns == 1:
        split = rows if rows > 0 else count
        shape, layout = (count // split, split), None
    elif rows == 1 and columns > 1:
        shape, layout, split = (columns, count // columns), pto.LayoutAttr.of("DN"), columns
    else:
        need = "transpose the array first, so that one axis of the tile has contiguous elements"
        raise Unsupported(
            op, what=f"a tile whose rows have distance {rows} and columns {columns} in the array", need=need
        )
    outer = {axis: c // split for axis, c in coefficients.items() if c % split == 0}
    inner = {axis: c for axis, c in coefficients.items() if c % split}
    place = (outer, constant // split), (inner, constant % split)
    t = pto.MemRefType(shape, array.element_type, layout=layout)
    if prod(shape) != count or min(outer.values(), default=0) < 0 or min(inner.values(), default=0) < 0 or constant < 0:
        raise Unsupported(
            op, what="a tile that reads an array backwards, or not in whole rows", need="slice the array first"
        )
    return View(t, place if layout is None else place[::-1], kind)


def linear(op: pto.AccessOp) -> Terms:
    """Returns the place in the array, in elements, as a sum over the axes of the index space."""
    m, shape = affine.read_map(op.map.source.data), memref_of(op.memref).get_shape()
    total: dict[int, int] = {}
    constant = 0
    for axis, stride in enumerate(prod(shape[k + 1 :]) for k in range(len(shape))):
        found = affine.terms(m.get_at(axis))
        if found is None:
            need = "the axes of a tile must be affine: reshape the array first"
            raise Unsupported(op, what="an access map with divisions", need=need)
        for k, c in found[0].items():
            total[k] = total.get(k, 0) + stride * c
        constant += stride * found[1]
    return {k: c for k, c in total.items() if c}, constant
