"""
Rounds binary64 numbers to a narrower format, to nearest with ties to even, and keeps them as binary64 numbers.

A number that was rounded to odd is rounded to binary32 as to any format of at most 51 bits: once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def _through(dtype: type[np.generic]) -> Callable[[Array], Array]:
    return lambda x: _canonical(x.astype(dtype).astype(np.float64))


def _canonical(x: Array) -> Array:
    return np.where(x == x, x, np.nan)


def _to_bfloat16(x: Array) -> Array:
    """
    Rounds to binary32 towards zero, sets the last bit if that was inexact, and rounds the upper 16 bits to nearest. NumPy rounds binary32
    to nearest; a result beyond x is taken back by one.
    """
    nearest = x.astype(np.float32)
    bits = nearest.view(np.uint32) - (np.abs(nearest.astype(np.float64)) > np.abs(x))
    bits = bits.astype(np.uint32)
    inexact = bits.view(np.float32).astype(np.float64) != x
    bits = np.where(inexact, bits | np.uint32(1), bits)
    bits = bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)) & np.uint32(0xFFFF0000)
    return np.where(x == x, bits.view(np.float32).astype(np.float64), np.nan)


ROUNDED: dict[str, Callable[[Array], Array]] = {
    "f32": _through(np.float32),
    "f16": _through(np.float16),
    "bf16": _to_bfloat16,
}
"""For each format, the function that rounds to it."""
FORMATS = tuple(ROUNDED)


def decoded(words: Array, format: str) -> Array:
    """Returns the numbers of a format, given their bits as uint32, as float64."""
    with np.errstate(invalid="ignore"):  # a signaling NaN
        match format:
            case "f32":
                return words.view(np.float32).astype(np.float64)
            case "f16":
                return words.astype(np.uint16).view(np.float16).astype(np.float64)
            case _:
                return (words << np.uint32(16)).view(np.float32).astype(np.float64)


def encoded(numbers: Array, format: str) -> Array:
    """Returns the bits of numbers of a format as uint32. NaN is quiet, positive, and without a payload."""
    with np.errstate(all="ignore"):
        if format == "f16":
            words = numbers.astype(np.float16).view(np.uint16).astype(np.uint32)
        else:
            words = numbers.astype(np.float32).view(np.uint32) >> np.uint32(16 if format == "bf16" else 0)
    return np.where(numbers == numbers, words, NAN_BITS[format])


NAN_BITS = {"f32": np.uint32(0x7FC00000), "f16": np.uint32(0x7E00), "bf16": np.uint32(0x7FC0)}
