"""
Conversions with a rounding mode, on NumPy arrays.

A directed mode moves the result of rounding to nearest even to its neighbor, where it lies on the wrong side of the exact value. The
exact value is a float64: operands are floats, or integers of at most 53 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from .scalars import Array, DType, cast, is_float, widen


def _away(x: Array) -> Array:
    """Rounds to the nearest integer, ties away from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(np.abs(x - whole) >= 0.5, x)


WHOLE: Mapping[str, Callable[[Array], Array]] = {
    "CAST_RINT": np.rint,
    "CAST_ROUND": _away,
    "CAST_FLOOR": np.floor,
    "CAST_CEIL": np.ceil,
    "CAST_TRUNC": np.trunc,
}
"""The rounding of a float to an integer in each mode."""


def convert(x: Array, dtype: DType, mode: str) -> Array:
    """Returns `x` in `dtype`, rounded as `mode` says. Integers saturate; NaN becomes the integer 0."""
    if not is_float(dtype):
        with np.errstate(all="ignore"):
            return cast(WHOLE[mode](widen(x)), dtype) if is_float(x.dtype) else cast(x, dtype)
    near = cast(x, dtype)
    if mode in ("CAST_RINT", "CAST_NONE"):
        return near
    with np.errstate(all="ignore"):
        exact = widen(x).astype(np.float64)
        value = widen(near)
        below = np.where(value > exact, np.nextafter(near, dtype.type(-np.inf)), near)
        above = np.where(value < exact, np.nextafter(near, dtype.type(np.inf)), near)
        match mode:
            case "CAST_FLOOR":
                return below
            case "CAST_CEIL":
                return above
            case "CAST_TRUNC":
                return np.where(exact < 0, above, below)
            case _:
                tie = exact - widen(below) == widen(above) - exact
                return np.where(tie, np.where(exact < 0, below, above), near)
