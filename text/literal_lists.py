"""
Reads long lists of numbers, such as `[[1.0, 2.0], [3.0, 4.0]]`, in bulk: their tokens would take a hundred times the memory
of the text.

A list that may be invalid is left to the parser, which reports the first invalid element.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import mul

from xdsl.dialects.builtin import AnyDenseElement, AnyFloat, ComplexType, IndexType, IntegerType, Signedness
from xdsl.utils.exceptions import VerifyException

from .literals import element_size

SHORT = 256
"""Maximum number of characters of a list that is left to the parser."""

_BLANK = r"[ \t\n\r\f\v"
_LIST = re.compile(
    rf"(?={_BLANK}]*+\[)"
    rf"(?:{_BLANK}\[(]*+"
    r"(?:true|false|-?+(?:0x[0-9a-fA-F]++|[0-9]++(?:\.[0-9]*+(?:[eE][+-]?[0-9]++)?+)?+))"
    rf"{_BLANK}\])]*+(?:,|(?=>)))++>"
)
"""Numbers and brackets up to the `>`. Whether the brackets match is checked later."""

_STRUCTURE = b"[](),"
_NO_STRUCTURE = bytes(set(range(128)) - set(_STRUCTURE))
_BATCH = 1 << 16
_BOOLEANS = {b"true": 1, b"false": 0}


def find_list(source: str, start: int) -> int | None:
    """Returns the position after the `>` of a long list that starts at `start`, or None if there is none."""
    match = _LIST.match(source, start)
    return match.end() if match is not None and match.end() - start > SHORT else None


def packed_list(text: str, shape: Sequence[int], type: AnyDenseElement) -> bytes | None:
    """Returns the bytes of the elements that `find_list` found, or None if they do not have this shape and type."""
    encoded = text.encode()
    number, pairs = (type.element_type, True) if isinstance(type, ComplexType) else (type, False)
    skeleton = encoded.translate(None, _NO_STRUCTURE)
    *lists, count = accumulate(shape, mul, initial=1)
    if skeleton.count(b"[") != sum(lists) or skeleton.count(b",") != (1 + pairs) * count - 1:
        return None  # counted first, since the skeleton of a wrong shape may be huge
    if skeleton != _skeleton(shape, b"(,)" if pairs else b""):
        return None
    numbers = encoded.translate(None, b"[]() \t\n\r\f\v")
    try:
        return b"".join(_packed(batch, number) for batch in _batches(numbers))
    except (ValueError, OverflowError, NotImplementedError, VerifyException, struct.error):
        return None


def _skeleton(shape: Sequence[int], element: bytes) -> bytes:
    """Returns the brackets and commas of a nested list of this shape."""
    for size in reversed(shape):
        element = b"[" + b",".join([element] * size) + b"]"
    return element


def _batches(numbers: bytes) -> Iterator[list[bytes]]:
    start = 0
    while start <= len(numbers):
        end = numbers.find(b",", start + _BATCH)
        end = len(numbers) if end < 0 else end
        yield numbers[start:end].split(b",")
        start = end + 1


def _packed(batch: list[bytes], type: AnyFloat | IntegerType | IndexType) -> bytes:
    """Returns the bytes of a batch. Raises `ValueError` or a similar error for an invalid element."""
    bits = any(b"x" in number for number in batch)
    if isinstance(type, AnyFloat):
        if bits:
            return b"".join(
                int(number, 16).to_bytes(element_size(type), "little") if b"x" in number else _floats([number], type)
                for number in batch
            )
        return _floats(batch, type)
    if type == IntegerType(1):
        values = [_BOOLEANS[number] if number in _BOOLEANS else int(number, 0) for number in batch]
    else:
        values = [int(number, 16 if b"x" in number else 10) for number in batch] if bits else list(map(int, batch))
    if isinstance(type, IndexType):
        return type.pack(values)
    if type.signedness.data is Signedness.UNSIGNED and min(values) < 0:
        raise ValueError
    return type.pack([type.get_normalized_value(value) for value in values])


def _floats(batch: list[bytes], type: AnyFloat) -> bytes:
    values = list(map(float, batch))
    if math.inf in values or -math.inf in values:
        raise OverflowError
    return type.pack(values)
