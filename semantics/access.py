"""
What a `#poly.map` means on NumPy arrays: isl's text as a vectorised function.

>>> index_function("{ [i0, i1] -> [(i0 - 2*floor(i0/2)), (i1)] }")(np.arange(3), 7)    # doctest: +SKIP
[array([0, 1, 0]), 7]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .scalars import Array

if TYPE_CHECKING:
    import islpy as isl

IndexFunction = Callable[..., list[Array]]


@lru_cache(maxsize=4096)
def index_function(source: str) -> IndexFunction:
    """The map's value, one array an output axis, on one integer array an input axis; they broadcast."""
    import islpy as isl

    parsed = isl.MultiAff.read_from_str(isl.Context(), source)
    rank = parsed.dim(isl.dim_type.in_)
    rows = [_compile(parsed.get_at(k), rank) for k in range(parsed.dim(isl.dim_type.out))]

    def evaluate(*axes: Array | int) -> list[Array]:
        points = [np.asarray(a, np.int64) for a in axes]
        if len(points) != rank:
            raise ValueError(f"{source} takes {rank} axes, got {len(points)}")
        return [row(points) for row in rows]

    return evaluate


def _compile(aff: isl.Aff, rank: int) -> Callable[[Sequence[Array]], Array]:
    """floor((c + Σ aₖ·iₖ + Σ dⱼ·divⱼ) / denominator); each div is such an expression itself."""
    import islpy as isl

    scale = _integer(aff.get_denominator_val())

    def numerator(value: isl.Val) -> int:
        return _integer(value.mul(isl.Val.int_from_si(value.get_ctx(), scale)))

    constant = numerator(aff.get_constant_val())
    coefficients = [numerator(aff.get_coefficient_val(isl.dim_type.in_, k)) for k in range(rank)]
    terms = [(k, factor) for k, factor in enumerate(coefficients) if factor]
    factors = [numerator(aff.get_coefficient_val(isl.dim_type.div, j)) for j in range(aff.dim(isl.dim_type.div))]
    # Every div lists all divs of the space, itself included, with a factor of 0 for those that it does not use.
    divs = [(_compile(aff.get_div(j), rank), factor) for j, factor in enumerate(factors) if factor]

    def evaluate(points: Sequence[Array]) -> Array:
        total: Any = np.asarray(constant, np.int64)
        for k, factor in terms:
            total = total + factor * points[k]
        for div, factor in divs:
            total = total + factor * div(points)
        return np.floor_divide(total, scale) if scale != 1 else total

    return evaluate


def _integer(value: isl.Val) -> int:
    return int(value.to_python())
