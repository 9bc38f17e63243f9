"""Counters of the bytes that each instruction of a launch moves, the raw form of a `Report`."""

from __future__ import annotations

from collections import Counter, defaultdict

from ..isa.types import Array
from ..memory.banks import sectors, wavefronts

LEVELS = {  # the kinds of data movement, with their descriptions in a report
    "global_load": "global memory → registers",
    "global_store": "registers → global memory",
    "global_atomic": "atomics on global memory",
    "shared_load": "shared memory → registers",
    "shared_store": "registers → shared memory",
    "copy": "cp.async, global → shared memory",
    "copy_fill": "zeros of cp.async → shared memory",
    "in_flight": "still in flight behind cp.async.wait_group",
    "async_read": "global memory, read by bulk copies",
    "async_load": "bulk copies, global → shared memory",
    "async_store": "bulk copies, shared → global memory",
    "async_shared": "shared memory → tensor cores (wgmma)",
}


class Counters:
    """Wavefronts, bank conflicts, global requests, sectors, and bytes moved, by instruction index."""

    def __init__(self, instructions: int):
        self.wavefronts = [0] * instructions
        self.conflicts = [0] * instructions
        self.requests = [0] * instructions
        self.sectors = [0] * instructions
        self.moved: defaultdict[int, Counter[str]] = defaultdict(Counter)

    def banks(self, pc: int, lanes: Array, addresses: Array, size: int) -> None:
        total, excess = wavefronts(lanes, addresses, size)
        self.wavefronts[pc] += total
        self.conflicts[pc] += excess

    def global_(self, pc: int, lanes: Array, addresses: Array, size: int) -> None:
        requests, distinct = sectors(lanes, addresses, size)
        self.requests[pc] += requests
        self.sectors[pc] += distinct
