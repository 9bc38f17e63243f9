"""
Evaluates a `#poly.map` or `#poly.set`, given as isl's text, on NumPy arrays.

>>> index_function("{ [i0, i1] -> [(i0 - 2*floor(i0/2)), (i1)] }")(np.arange(3), 7)    # doctest: +SKIP
[array([0, 1, 0]), 7]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ...dialects.poly.points import condition, expressions
from ..arrays.scalars import Array

IndexFunction = Callable[..., list[Array]]


@lru_cache(maxsize=4096)
def index_function(source: str) -> IndexFunction:
    """
    Returns the map as a function: it takes one integer array per input axis, which it broadcasts, and returns one array per
    output axis.
    """
    import islpy as isl

    return expressions(isl.MultiAff.read_from_str(isl.Context(), source))


@lru_cache(maxsize=4096)
def mask_function(source: str) -> Callable[..., Array]:
    """
    Returns the set as a function: it takes one integer array per axis, which it broadcasts, and returns the mask of the points
    in the set.
    """
    import islpy as isl

    return condition(isl.Set.read_from_str(isl.Context(), source))
