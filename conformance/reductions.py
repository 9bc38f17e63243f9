"""Reductions of binary32 in their canonical orders, in NumPy's own f32. Spec: `vyre-ir-types`, Reduction reordering."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .floats import strict

Array = npt.NDArray[Any]
IDENTITY = {"fadd": 0x80000000, "fmul": 0x3F800000, "fmin": 0x7F800000, "fmax": 0xFF800000}


def _elements(buffer: Array, at: Array) -> Array:
    """Returns the words of elements, whose indices wrap; those out of bounds are 0."""
    padded = np.append(buffer, np.uint32(0))
    return padded[np.minimum(at & 0xFFFFFFFF, len(buffer))]


def reduced(order: str, fn: str, buffer: Array, first: Array, count: int) -> Array:
    """Combines the elements from each index on: one after the other, or in pairs of neighbors, level by level."""
    combine = strict(fn[1:], "f32")
    at = first[:, 0].astype(np.int64)
    level = [_elements(buffer, at + k) for k in range(count)]
    if order == "strict":
        total = level[0]
        for element in level[1:]:
            total = combine(total, element)
        return total[:, None]
    while len(level) & len(level) - 1:
        level.append(np.full(len(at), IDENTITY[fn], np.uint32))
    while len(level) > 1:
        level = [combine(a, b) for a, b in zip(level[::2], level[1::2], strict=True)]
    return level[0][:, None]


def dot(a: Array, i: Array, b: Array, j: Array, count: int, steps: tuple[int, int]) -> Array:
    """Adds the rounded products of elements in order."""
    add, multiply = strict("add", "f32"), strict("mul", "f32")
    i, j = (v[:, 0].astype(np.int64) for v in (i, j))
    products = [multiply(_elements(a, i + k * steps[0]), _elements(b, j + k * steps[1])) for k in range(count)]
    total = products[0]
    for product in products[1:]:
        total = add(total, product)
    return total[:, None]
