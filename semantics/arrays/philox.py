"""
Philox-4x32 with 10 rounds, a random function of a counter and a key, on arrays of counters.

Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011, §3.3; the constants are those of
its figure 3 and of the Random123 library.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .scalars import Array

ROUNDS = 10
MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
WEYL = (0x9E3779B9, 0xBB67AE85)
"""The increments of the key in each round: the golden ratio and √3 - 1."""
_LOW, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)


def philox(counter: Sequence[Array | int], key: tuple[int, int]) -> list[Array]:
    """
    Returns four 32-bit words, as uint64 arrays, for the four words of the counter and the two of the key. Counter words are
    broadcast.
    """
    c0, c1, c2, c3 = np.broadcast_arrays(*(np.asarray(word, np.uint64) for word in counter))
    k0, k1 = key
    for _ in range(ROUNDS):
        left, right = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            (right >> _SHIFT) ^ c1 ^ np.uint64(k0),
            right & _LOW,
            (left >> _SHIFT) ^ c3 ^ np.uint64(k1),
            left & _LOW,
        )
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return [c0, c1, c2, c3]


def words(stream: int, seed: int, count: int) -> list[Array]:
    """Returns the four random words of each of elements 0 to `count` - 1, as `dialects/ptir/random.py` defines them."""
    index = np.arange(count, dtype=np.uint64)
    seed &= 0xFFFFFFFFFFFFFFFF
    return philox((index & _LOW, index >> _SHIFT, stream, 0), (seed & 0xFFFFFFFF, seed >> 32))


def fraction(high: Array, low: Array, bits: int) -> Array:
    """Returns the `bits` (at most 53) most significant bits of the 64-bit word `high:low` as an integer in float64."""
    return ((high << _SHIFT | low) >> np.uint64(64 - bits)).astype(np.float64)
