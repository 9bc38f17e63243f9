"""
What each thread did to memory and where it synchronised, in its own order, as one number for a launch.

Two kernels without control flow that depends on data, of which every thread does the same copies, loads, stores
and barriers at the same addresses in the same order, differ at most in arithmetic.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np

from ..isa.types import Array

_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)
_TURN = np.uint64(29)


class Trace:
    """A sum for each lane of a batch, into which its accesses are mixed one after the other."""

    def __init__(self, lanes: int):
        self._sums = np.zeros(lanes, np.uint64)

    def note(self, lanes: Array, what: str, values: Array | int, size: int = 0) -> None:
        """These lanes did `what` at these addresses (or with these numbers)."""
        mixed = np.asarray(values).astype(np.uint64) * _FACTOR + np.uint64(crc32(what.encode()) + size)
        sums = (self._sums[lanes] ^ mixed) * _FACTOR
        self._sums[lanes] = sums ^ (sums >> _TURN)

    def total(self) -> int:
        return crc32(self._sums.tobytes())
