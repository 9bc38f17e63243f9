"""
The operations on the bits of numbers: `add_f32`, `exp_bf16`, `lt_f16`, `f32_to_bf16`, `i32_to_f32`, … A number of 16 bits is in the low half of
a word, a comparison is 0 or 1. NumPy, CUDA (`cuda.py`) and WGSL (`wgsl.py`) have the same ones, with the same results.

`neg` and `abs` change the sign alone, that of NaN too. Every other result that is NaN is the quiet, positive one without a payload.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .evaluation import correctly_rounded
from .rounding import ROUNDED, decoded, encoded
from .vocabulary import SIGNS

Array = npt.NDArray[Any]
SIGN = {"f32": 1 << 31, "f16": 1 << 15, "bf16": 1 << 15}
COMPARISONS: dict[str, Callable[..., Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
RANGES = {"u32": (0.0, 2.0**32 - 1), "i32": (-(2.0**31), 2.0**31 - 1)}
"""The range of integers that numbers are converted to."""


def evaluate(name: str, *words: Array) -> Array:
    """Returns the result of an operation of `vocabulary.WORD_OPERATIONS`, on arrays of uint32."""
    of, _, to = name.partition("_to_")
    if to:
        return _converted(of, to, words[0])
    op, _, format = name.rpartition("_")
    if op in SIGNS:
        sign = np.uint32(SIGN[format])
        return words[0] ^ sign if op == "neg" else words[0] & ~sign
    numbers = [decoded(w, format) for w in words]
    if op in COMPARISONS:
        return COMPARISONS[op](*numbers).astype(np.uint32)
    return encoded(correctly_rounded(op, format, *numbers), format)


def _converted(of: str, to: str, words: Array) -> Array:
    with np.errstate(all="ignore"):
        return _converted_quietly(of, to, words)


def _converted_quietly(of: str, to: str, words: Array) -> Array:
    if of in RANGES:
        numbers = words.view(np.int32 if of == "i32" else np.uint32).astype(np.float64)
    else:
        numbers = decoded(words, of)
    if to not in RANGES:
        return encoded(ROUNDED[to](numbers), to)
    low, high = RANGES[to]
    truncated = np.trunc(np.clip(np.where(numbers == numbers, numbers, 0.0), low, high))
    return truncated.astype(np.int64).astype(np.uint32)
