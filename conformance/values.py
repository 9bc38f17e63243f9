"""
The elements of data types, as words of 32 bits, as Python's numbers, and as text.

Words are arrays of uint32 with a row for each element. The numbers of I32 have a sign, vectors are tuples, and floats are their bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dialects.vyre.types import VECTORS, DataType, i32, u64

Array = npt.NDArray[Any]
Number = int | tuple[int, ...]
WORD = 2**32


def numbers_of(words: Array, t: DataType) -> list[Any]:
    """Returns the elements of words: integers, or tuples of them for vectors."""
    if t == u64:
        return [low | high << 32 for low, high in words.tolist()]
    if t in VECTORS:
        return [tuple(row) for row in words.tolist()]
    return words[:, 0].view(np.int32).tolist() if t == i32 else words[:, 0].tolist()


def words_of(numbers: Iterable[Any], t: DataType) -> Array:
    """Returns the words of elements. Integers are taken modulo the width of the type."""
    if t in VECTORS:
        rows = [[int(c) % WORD for c in number] for number in numbers]
    else:
        rows = [[int(number) >> 32 * k & WORD - 1 for k in range(t.words)] for number in numbers]
    return np.array(rows, np.uint32).reshape(-1, t.words)


def shown(words: Sequence[int] | Array, t: DataType) -> str:
    """Returns an element as text: hexadecimal, the components of a vector between colons."""
    if t in VECTORS:
        return ":".join(f"{int(w):#x}" for w in words)
    return f"{sum(int(w) << 32 * k for k, w in enumerate(words)):#x}"


def parsed(text: str, t: DataType) -> Array:
    """Returns the words of one element from its text. Raises `ValueError`."""
    parts = [int(part, 0) for part in text.split(":")]
    wanted = t.words if t in VECTORS else 1
    width = 32 if t in VECTORS else 32 * t.words
    if len(parts) != wanted or any(not -(1 << width - 1) <= p < 1 << width for p in parts):
        raise ValueError(f"'{text}' is not a {t.word}")
    return words_of([tuple(parts) if t in VECTORS else parts[0]], t)
