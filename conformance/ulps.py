"""The error of approximate results, in units in the last place of the exact result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dialects.vyre.floats import format_of
from ..dialects.vyre.types import DataType
from .floats import NATIVE, wide
from .rounding_oracle import LARGEST, NEAR, PRECISION, SMALLEST

Array = npt.NDArray[Any]


def errors(function: str, t: DataType, got: Array, rounded: Array, columns: Sequence[Array]) -> Array:
    """
    Returns the errors of results, given those that are correctly rounded. The exact result is taken as binary64, which is wrong by 2^-20 ulp at
    most. Where it is zero, infinite, not a number or out of the range, the error of another result than the rounded one is infinite.
    """
    format = format_of(t)
    operands = [wide(c[:, 0], format) for c in columns]
    with np.errstate(all="ignore"):
        near = (NEAR.get(function) or NATIVE[function.removeprefix("f")])(*operands)
        result, best = wide(got[:, 0], format), wide(rounded[:, 0], format)
        usual = np.isfinite(near) & (near != 0) & np.isfinite(result) & np.isfinite(best)
        exponents = np.frexp(np.where(usual, near, 1.0))[1]
        unit = np.ldexp(1.0, np.clip(exponents - PRECISION[format], SMALLEST[format], LARGEST[format]))
        error = np.abs(result - near) / unit
    return np.where(usual, error, np.where(got[:, 0] == rounded[:, 0], 0.0, np.inf))
