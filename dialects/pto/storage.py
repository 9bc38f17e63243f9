"""The bytes that tiles take in their memories. Source: the facts on PTO's targets."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation

from ...errors import Unsupported
from ..ptir.functions import bit_width
from .types import TileType

BLOCK = 32
"""Bytes at which the addresses of tiles are aligned."""


def tile_bytes(tile: TileType, op: Operation | None = None) -> int:
    """
    Returns the bytes of a tile in its memory. Rows are aligned at 32 bytes in Vec; elements of less than 8 bits are packed. Raises
    `Unsupported` at `op`.
    """
    if -1 in tile.sizes:
        raise Unsupported(op, what=f"{tile}, whose size is not known,", need="give the tile its greatest size; `valid` says which part is used")
    *rows, columns = tile.sizes
    if tile.layout == "DN" and rows:
        rows[-1], columns = columns, rows[-1]
    row = -(-columns * bit_width(tile.element_type) // 8)
    return prod(rows) * (aligned(row) if tile.loc == "Vec" else row)


def aligned(size: int, alignment: int = BLOCK) -> int:
    """Returns the least multiple of `alignment` that is at least `size`."""
    return -(-size // alignment) * alignment


