"""
Decodes wgmma's matrix descriptors to 16-byte chunks of shared memory (PTX ISA §9.7.15.5.1).

```
bits   0–13 address / 16    16–29 LBO / 16    32–45 SBO / 16    49–51 base offset    62–63 swizzle
                                                                0: none  1: 128 B  2: 64 B  3: 32 B
```
The span is the width of the swizzle in bytes, 16 without a swizzle.
K-major: row r begins at (r % 8)·span + (r / 8)·SBO; its 16-byte chunks are contiguous, or LBO apart without a swizzle.
MN-major: span/16 chunks along M or N are contiguous, and the next ones begin LBO later; k begins at
(k % 8)·span + (k / 8)·SBO. Without a swizzle, LBO and SBO swap roles. The swizzle XORs address bits, as TMA's does.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..errors import BadDescriptor
from ..isa.types import Array
from ..violation import Violation
from .tensor_map import swizzled

_SPANS = {0: 0, 1: 128, 2: 64, 3: 32}


@lru_cache(maxsize=4096)
def chunks(value: int, rows: int, depth_bytes: int, element: int, *, transposed: bool, operand: str) -> Array:
    """
    Returns the shared addresses of the 16-byte chunks of an operand with descriptor `value`: `[rows, depth chunks]` if it
    is K-major, `[depth, row chunks]` if `transposed` (MN-major, 16-bit elements). The result is cached and must not be
    modified.
    """
    address, leading, stride = ((value >> shift & 0x3FFF) << 4 for shift in (0, 16, 32))
    span = _SPANS[value >> 62 & 3]
    if value >> 49 & 7:
        problem = "has a base offset: its pattern does not begin on a multiple of its size"
        raise Violation(BadDescriptor, 0, operand=operand, value=value, problem=problem)
    if value & ~(0x3FFF | 0x3FFF << 16 | 0x3FFF << 32 | 3 << 62):
        raise Violation(BadDescriptor, 0, operand=operand, value=value, problem="sets bits that must be zero")
    if not transposed:
        row, chunk = np.arange(rows), np.arange(depth_bytes // 16)
        row_offset = row % 8 * (span or 16) + row // 8 * stride
        offsets = row_offset[:, None] + chunk * (16 if span else leading)
    else:
        depth, chunk = np.arange(depth_bytes // element), np.arange(rows * element // 16)
        across = (span or 16) // 16
        far, deep = (leading, stride) if span else (stride, leading)
        depth_offset = depth % 8 * (span or 16) + depth // 8 * deep
        offsets = depth_offset[:, None] + chunk % across * 16 + chunk // across * far
    return swizzled(address + offsets, span)
