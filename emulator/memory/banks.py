"""Counts wavefronts of shared memory (32 banks of 4 bytes) and sectors of global memory."""

from __future__ import annotations

import numpy as np

from ..isa.types import Array


def wavefronts(lanes: Array, addresses: Array, size: int) -> tuple[int, int]:
    """
    Returns the wavefronts of one access, summed over warps, and the number of them that are bank conflicts.

    An access of 8 (16) bytes runs in phases of 16 (8) lanes. Lanes that access the same word do not conflict, nor do those that
    access different CTAs of a cluster, whose rank is in the address from bit 24 on.
    """
    ways = 32 if size <= 4 else 128 // size
    unit = max(size, 4)
    words = addresses.astype(np.int64) // unit
    phases = lanes // ways
    if (memories := addresses.astype(np.int64) >> 24).any():
        _, phases = np.unique(phases << 8 | memories, return_inverse=True)
    slots = phases * ways + words % ways
    ideal = int(np.count_nonzero(np.bincount(phases)))
    if np.bincount(slots).max() <= 1:
        return ideal, 0
    depth = np.bincount(np.unique((slots << 24) | (words & 0xFFFFFF)) >> 24)
    depth = np.pad(depth, (0, -depth.size % ways)).reshape(-1, ways).max(axis=1)
    excess = int(np.maximum(depth - 1, 0).sum())
    return ideal + excess, excess


SECTOR = 32


def sectors(lanes: Array, addresses: Array, size: int) -> tuple[int, int]:
    """Returns the requests (one per warp) and the 32-byte sectors of a global access of `size` naturally aligned bytes."""
    warps = lanes // 32
    keys = (warps.astype(np.uint64) << np.uint64(50)) ^ (addresses // np.uint64(SECTOR))
    if (keys[1:] < keys[:-1]).any():
        keys.sort()
    distinct = 1 + int(np.count_nonzero(keys[1:] != keys[:-1])) if keys.size else 0
    requests = 1 + int(np.count_nonzero(warps[1:] != warps[:-1])) if warps.size else 0
    return requests, distinct
