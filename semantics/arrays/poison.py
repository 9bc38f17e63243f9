"""The bits of elements that are not written."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.ir import Attribute

from .scalars import Array, numpy_dtype


def poison(sizes: tuple[int, ...], dtype: Attribute) -> Array:
    """Returns the array that stands for an uninitialized buffer: all bits are ones."""
    t = numpy_dtype(dtype)
    if t == np.bool_:
        return np.ones(sizes, t)
    return np.full(prod(sizes) * t.itemsize, 0xFF, np.uint8).view(t).reshape(sizes)
