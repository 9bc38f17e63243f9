"""
The durations of instructions in cycles of the core, as data.

Sources: *DaVinci: A Scalable Architecture for Neural Network Computing* (Hot Chips 2019): a cube of 16 x 16 x 16 f16 products a cycle, vectors of
256 bytes, links of 1024 bits to the mesh that leads to memory. The widths from L1 to the operands of matmuls are those of Ascend C's
guide to performance (256 and 128 bytes a cycle). The start of an instruction is an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PtoCosts:
    """`bytes_per_cycle` by the memories that a copy connects, GM included; `products_per_cycle` by the bits of the operands."""

    bytes_per_cycle: Mapping[tuple[str, str], int]
    products_per_cycle: Mapping[int, int]
    vector_bytes: int
    start: int
    """Cycles of an instruction besides its work."""


CORE = PtoCosts(
    bytes_per_cycle={
        ("GM", "Mat"): 128, ("GM", "Vec"): 128, ("Vec", "GM"): 128, ("Acc", "GM"): 128, ("Acc", "Vec"): 128,
        ("Mat", "Left"): 256, ("Mat", "Right"): 128, ("Mat", "Bias"): 64, ("Mat", "Scale"): 64,
    },
    products_per_cycle={8: 8192, 16: 4096, 32: 1024},
    vector_bytes=256,
    start=16,
)  # fmt: skip
