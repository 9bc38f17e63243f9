"""
Evaluates isl's quasi-affine expressions at many points at once, with NumPy's integers.

>>> import islpy as isl
>>> expressions(isl.MultiAff("{ [i0, i1] -> [i0 - 2*floor(i0/2), i1] }"))(np.arange(3), 7)
[array([0, 1, 0]), np.int64(7)]
>>> condition(isl.Set("{ [i0] : 1 <= i0 <= 5 and i0 mod 2 = 0 }"))(np.arange(6))
array([False, False,  True, False,  True, False])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import islpy as isl

Array = Any
LARGE = 1 << 31
"""Coefficients of at least this size are computed with Python's integers, since intermediate values may overflow int64."""


def expressions(m: isl.MultiAff) -> Callable[..., list[Array]]:
    """Returns a function from integer arrays, one per input axis, which are broadcast, to arrays, one per output axis."""
    import islpy as isl

    rows, rank = [_compile(m.get_at(k)) for k in range(m.dim(isl.dim_type.out))], m.dim(isl.dim_type.in_)

    def evaluate(*axes: Array) -> list[Array]:
        if len(axes) != rank:
            raise ValueError(f"the map takes {rank} axes, got {len(axes)}")
        at = [np.asarray(a, np.int64) for a in axes]
        return [np.asarray(row(at), np.int64)[()] for row in rows]

    return evaluate


def condition(points: isl.Set) -> Callable[..., Array]:
    """Returns a function from integer arrays, one per axis, which are broadcast, to the mask of the points in the set."""
    parts: list[list[tuple[bool, Callable[[Sequence[Array]], Array]]]] = []

    def note(part: isl.BasicSet) -> None:
        constraints = part.get_constraints()
        parts.append([(c.is_equality(), _compile(c.get_aff())) for c in constraints])

    points.compute_divs().foreach_basic_set(note)

    def holds(*axes: Array) -> Array:
        at = [np.asarray(a, np.int64) for a in axes]
        mask = np.zeros(np.broadcast_shapes(*(a.shape for a in at)), bool)
        for part in parts:
            inside = np.ones_like(mask)
            for equal, aff in part:
                inside &= np.asarray(aff(at) == 0 if equal else aff(at) >= 0, bool)
            mask |= inside
        return mask

    return holds


def _compile(aff: isl.Aff) -> Callable[[Sequence[Array]], Array]:
    """Returns a function that evaluates floor((c + Σ aₖ·iₖ + Σ dⱼ·divⱼ) / denominator), where a div is again such a quotient."""
    import islpy as isl

    scale = int(aff.get_denominator_val().to_python())

    def numerator(value: isl.Val) -> int:
        return int(value.mul(aff.get_denominator_val()).to_python())

    constant, axes = numerator(aff.get_constant_val()), isl.dim_type.in_
    coefficients = [numerator(aff.get_coefficient_val(axes, k)) for k in range(aff.dim(axes))]
    terms = [(k, factor) for k, factor in enumerate(coefficients) if factor]
    factors = [numerator(aff.get_coefficient_val(isl.dim_type.div, j)) for j in range(aff.dim(isl.dim_type.div))]
    # isl gives every div a factor for each div of the space, even for itself; the factors of unused ones are 0.
    divs = [(_compile(aff.get_div(j)), factor) for j, factor in enumerate(factors) if factor]

    small = all(abs(number) < LARGE for number in (scale, constant, *coefficients, *factors))
    kind = np.int64 if small else object

    def evaluate(points: Sequence[Array]) -> Array:
        points = points if small else [p.astype(object) for p in points]
        total: Any = np.asarray(constant, kind)
        for k, factor in terms:
            total = total + factor * points[k]
        for div, factor in divs:
            total = total + factor * np.asarray(div(points), kind)
        return np.floor_divide(total, scale) if scale != 1 else total

    return evaluate
