"""Evaluation of index maps on arrays whose elements are their own row-major indices; and pairs of shapes for reshapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import islpy as isl
import numpy as np
from hypothesis import strategies as st

from ptir.analysis.index import affine


def point_by_point(m: isl.MultiAff, sizes: Sequence[int]) -> Any:
    """Evaluates a map by isl at each point of the box. The last axis of the result is the map's outputs."""
    out = np.zeros((*sizes, m.dim(isl.dim_type.out)), np.int64)
    for at in np.ndindex(*sizes):
        point = isl.Point.zero(m.get_domain_space())
        for axis, value in enumerate(at):
            point = point.set_coordinate_val(isl.dim_type.set, axis, isl.Val.int_from_si(affine.CONTEXT, value))
        for k in range(out.shape[-1]):
            out[at][k] = m.get_at(k).eval(point).to_python()
    return out


def numbers(sizes: Sequence[int]) -> Any:
    """Returns an array whose elements are their row-major indices. A movement of it shows where elements come from."""
    return np.arange(prod(sizes)).reshape(sizes)


def reads(m: isl.MultiAff, sizes: Sequence[int], source: Sequence[int]) -> Any:
    """Returns, for each point of the box, the row-major index of the element of `source` that the map reads."""
    index = point_by_point(m, sizes)
    assert (index >= 0).all() and (index < np.array(source, np.int64)).all(), "the map leaves its operand"
    return index @ np.array(affine.row_major_strides(source), np.int64)


@st.composite
def reshapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Draws two shapes with the same number of elements."""
    primes = draw(st.lists(st.sampled_from([2, 2, 3, 5]), max_size=5))

    def grouped() -> tuple[int, ...]:
        out = [1] * draw(st.integers(1 if primes else 0, 4))
        for p in draw(st.permutations(primes)):
            out[draw(st.integers(0, len(out) - 1))] *= p
        return tuple(out)

    return grouped(), grouped()
