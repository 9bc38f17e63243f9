"""
A hash of each thread's memory operations and synchronizations in program order, one number per launch.

Two kernels without data-dependent control flow that have the same trace (the same copies, loads, stores and barriers at
the same addresses in the same order in every thread) differ at most in arithmetic.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np

from ..isa.types import Array

_FACTOR = np.uint64(0x9E37_79B9_7F4A_7C15)
_TURN = np.uint64(29)


class Trace:
    """A hash per lane of a batch."""

    def __init__(self, lanes: int):
        self._sums = np.zeros(lanes, np.uint64)

    def note(self, lanes: Array, what: str, values: Array | int, size: int = 0) -> None:
        """Mixes the operation `what` at these addresses (or with these numbers) into the lanes' hashes."""
        mixed = np.asarray(values).astype(np.uint64) * _FACTOR + np.uint64(crc32(what.encode()) + size)
        sums = (self._sums[lanes] ^ mixed) * _FACTOR
        self._sums[lanes] = sums ^ (sums >> _TURN)

    def total(self) -> int:
        return crc32(self._sums.tobytes())
