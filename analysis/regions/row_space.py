"""
The space of rows, `(outer…, m, n)`: n lies along the rows that a kernel reduces; the others number rows, m adjacent ones if these, not the
elements of a row, are contiguous in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects.common.shapes import shape
from ..index import affine
from ..index.book import IndexBook
from .axis_groups import axes_of_groups, row_major
from .places import Slice
from .rows import Rows, along
from .space import KernelSpace


def row_space(book: IndexBook, slices: Sequence[Slice]) -> KernelSpace | None:
    """Returns the space of the rows that slices share, or None if they share none."""
    by_length = [s for s in slices if s.rows is not None]
    first = next((s for s in by_length if s.rows is not None and s.rows.columns), next(iter(by_length), None))
    if first is None or (rows := first.rows) is None or any(s.rows.length != rows.length for s in by_length if s.rows):
        return None
    points, start_map = first.row_space
    outputs = {first.root: start_map}
    aligned, waiting = [first], [s for s in slices if s is not first]
    for known in aligned:
        for s in list(waiting):
            at = _aligned(known, s, outputs[known.root], points)
            if at is not None and _reaches_once(at, points, s.sizes):
                outputs[s.root] = at
                aligned.append(s)
                waiting.remove(s)
    if waiting:
        return None
    every = {s.root: (affine.compose(s.start, outputs[s.root], points),) for s in slices}
    (start_map,) = every[first.root]
    return KernelSpace(book, None, first.root, points, start_map, start_map, every, True, first.adjacent is not None)


def _reaches_once(at: isl.MultiAff, points: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """
    Whether a map from the space of rows reaches each point of `sizes` once: the space reads no part of the rows and of their
    columns only, and none twice. The map of an output with one element per row does not depend on the last axis.
    """
    if affine.uses_axis(at, last := len(points) - 1):
        return affine.is_one_to_one(at, points, sizes)
    of_rows = affine.compose(at, along(range(last), len(points)), points[:last])
    return affine.is_one_to_one(of_rows, points[:last], sizes)


def _aligned(known: Slice, s: Slice, start_map: isl.MultiAff, points: tuple[int, ...]) -> isl.MultiAff | None:
    """
    Returns the map from the space of rows to the root of slice `s`, such that rows correspond to rows. The map is derived from a
    value that `known` and `s` both read, or is that of `known` if both have the same rows; otherwise the result is None.
    """
    sizes = s.sizes
    column = isl.dim_type.in_, len(points) - 1, 1
    for value, at in s.passed.items():
        if (there := _read_of(known, value, start_map, points)) is None:
            continue
        if (back := affine.inverse(at, sizes, shape(value))) is not None:
            at = affine.compose(back, there, points)
            if s.rows is None or not any(at.get_at(axis).involves_dims(*column) for axis in s.rows.rows):
                return at
            continue
        if s.rows is None or value not in s.reduced:
            continue
        kept = [sizes[a] for a in s.rows.rows]
        back = affine.inverse(affine.compose(at, along(s.rows.rows, len(sizes)), kept), kept, shape(value))
        if back is not None:
            return _rows_and_columns(affine.compose(back, there, points), s.rows, sizes, points)
    if (rows := s.rows) is None or rows.length != points[-1]:
        return None
    for value in s.summed:
        there = _read_of(known, value, start_map, points)
        own = *(sizes[a] for a in rows.rows), rows.length
        at = _read_of(s, value, along(rows.rows, len(sizes), further=1), own)
        if there is None or at is None or (back := affine.inverse(at, own, shape(value))) is None:
            continue
        at = affine.compose(back, there, points)
        if not any(at.get_at(k).involves_dims(*column) for k in range(len(rows.rows))):
            return _rows_and_columns(at, rows, sizes, points)
    alike = (s.sizes, rows, s.adjacent) == (known.sizes, known.rows, known.adjacent)
    return start_map if alike else None  # they read nothing in common, and are side by side


def _read_of(s: Slice, value: SSAValue, start_map: isl.MultiAff, points: tuple[int, ...]) -> isl.MultiAff | None:
    """
    Returns the map from a space of rows, whose last axis is what reductions of a row count, to a value that slice `s` reads, or None.
    `start_map` is the map from this space to the root.
    """
    if (at := s.passed.get(value)) is not None:
        return affine.compose(at, start_map, points)
    if (place := s.summed.get(value)) is None or prod(counts := place.space[len(s.sizes) :]) != points[-1]:
        return None
    inner = start_map.flat_range_product(row_major(len(points), len(points) - 1, counts))
    return affine.compose(place.at, inner, points)


def _rows_and_columns(at: isl.MultiAff, rows: Rows, sizes: Sequence[int], points: tuple[int, ...]) -> isl.MultiAff:
    """Returns the map from the space to axes of `sizes`: row axes by `at`, column axes from the last axis, in row-major order."""
    order = [*(() for _ in points[:-1]), rows.columns]
    of_columns = axes_of_groups(order, points, sizes)
    for k, axis in enumerate(rows.rows):
        of_columns = of_columns.set_at(axis, at.get_at(k))
    return of_columns
