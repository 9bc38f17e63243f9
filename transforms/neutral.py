"""The neutral element of a reduction, from which it starts."""

from __future__ import annotations

from typing import Any, cast

import ml_dtypes
import numpy as np
from xdsl.ir import Attribute

from ..dialects.ptir import ScalarAttr
from ..semantics.arrays.reductions import identity
from ..semantics.arrays.scalars import numpy_dtype


def neutral(fn: str, dtype: Attribute) -> ScalarAttr:
    """
    Returns the neutral element of the reduction `fn` in type `dtype`. For a maximum or minimum in a type without infinities, it is
    the least or greatest number.
    """
    numbers = numpy_dtype(dtype)
    start = np.asarray(identity(fn, numbers)).astype(numbers)
    if np.isnan(start):
        least = cast(Any, ml_dtypes.finfo(numbers)).min
        start = np.asarray(least if fn == "max" else -least).astype(numbers)
    return ScalarAttr.of(start.tobytes(), dtype)
