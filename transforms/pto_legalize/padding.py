"""
Loads of arrays that are padded: a tile of zeros, in which the points inside of the array are replaced.

```
load.map %x[%m, %k] by [i, k] -> [i - 1, k] where i > 0        store 0, %workspace
                                                               for %r { if %m + %r >= 1 {
                                                                 load %x[%m + %r - 1, %k];  store … %workspace[%r] } }
                                                               load %workspace
```

A core cannot write a part of a tile in L1, so the tile is built in a workspace in global memory. A row is loaded at once if its elements are
contiguous and all of them are inside or none; otherwise each element is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from ...analysis.index import affine
from ...analysis.index.divisions import intervals, reduce_divisions
from ...dialects import pto
from ...dialects.common.syntax import ints
from ...errors import Unsupported
from .places import Place, place_of

Constraint = tuple[isl.Aff, bool]
"""An expression that is not negative or, if the second entry is true, zero."""


def constraints(
    op: pto.LoadMapOp | pto.StoreMapOp, point: isl.MultiAff, sizes: Sequence[int]
) -> list[list[Constraint]]:
    """Returns disjoint sets of points that an access reaches, as constraints on the domain of `point`, which has these sizes."""
    if op.where is None:
        return [[]]
    points = affine.read_set(op.where.source.data).gist(affine.box(ints(op.bounds))).compute_divs().coalesce()
    found: list[list[Constraint]] = []
    for part in points.make_disjoint().get_basic_sets():
        found.append([])
        for each in part.get_constraints():
            at = reduce_divisions(isl.MultiAff.from_aff(each.get_aff()).pullback_multi_aff(point), sizes)
            is_equality = bool(each.is_equality())
            if is_equality or intervals(at, sizes)[0][0] < 0:  # others hold at all points
                found[-1].append((at.get_at(0), is_equality))
    return found


def sides(op: pto.LoadMapOp | pto.StoreMapOp, constraint: isl.Aff, units: Sequence[int]) -> tuple[Place, Place]:
    """Returns two indices, neither of which is negative, whose difference is an expression in the offsets, each divided by its unit."""
    place = place_of(constraint, units)
    more, less = (
        Place(
            max(sign * place.constant, 0),
            tuple(replace(term, factor=sign * term.factor) for term in place.terms if sign * term.factor > 0),
        )
        for sign in (1, -1)
    )
    if not all(is_natural(term.index) for term in (*more.terms, *less.terms)):
        raise Unsupported(
            op, what="padding at the quotient of an index that may be negative", need="pad the array first"
        )
    return more, less


def is_natural(index: int | Place) -> bool:
    """Returns whether no part of an index is negative."""
    return isinstance(index, int) or (
        index.constant >= 0 and all(term.factor >= 0 and is_natural(term.index) for term in index.terms)
    )
