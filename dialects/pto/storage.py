"""The bytes that tiles take in their memories. Source: the facts on PTO's targets."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, Operation

from ...errors import Unsupported
from ..ptir.functions import bit_width
from .types import TileType

BLOCK = 32
"""Bytes at which the addresses of tiles are aligned."""


def element_bytes(dtype: Attribute) -> int:
    """Returns the bytes of an element in storage; those of a predicate are one."""
    return max(1, bit_width(dtype) // 8)


def tile_bytes(tile: TileType, op: Operation | None = None) -> int:
    """Returns the bytes of a tile. Raises `Unsupported` at `op` if a size is not known."""
    if -1 in tile.sizes:
        need = "give the tile its greatest size; `valid` says which part is used"
        raise Unsupported(op, what=f"a place in memory for {tile}", need=need)
    return prod(tile.sizes) * element_bytes(tile.element_type)


def aligned(size: int, alignment: int = BLOCK) -> int:
    """Returns the least multiple of `alignment` that is at least `size`."""
    return -(-size // alignment) * alignment
