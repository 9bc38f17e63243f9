"""The bytes that tiles take in their memories. Source: the facts on PTO's targets."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation

from ...errors import Unsupported
from ..ptir.functions import bit_width
from .types import TileType

BLOCK = 32
"""Bytes at which the addresses of tiles are aligned."""
MASK_BITS = 8
"""Predicates in a byte."""


def element_bytes(dtype: Attribute) -> int:
    """Returns the bytes of an element in storage, which of a predicate is a byte with eight of them."""
    return max(1, bit_width(dtype) // 8)


def stored_sizes(tile: TileType) -> tuple[int, ...]:
    """Returns the sizes of a tile in storage. A line of predicates has a bit for each of them, and is padded to whole blocks."""
    if tile.element_type != i1:
        return tile.sizes
    return tuple(aligned(mask_bytes(n)) if axis == contiguous_axis(tile) else n for axis, n in enumerate(tile.sizes))


def contiguous_axis(tile: TileType) -> int:
    """Returns the axis along which the elements of a tile without blocks are contiguous."""
    return 0 if tile.layout == "DN" else len(tile.sizes) - 1


def mask_bytes(count: int) -> int:
    """Returns the bytes of a line of predicates."""
    return -(-count // MASK_BITS)


def tile_bytes(tile: TileType, op: Operation | None = None) -> int:
    """Returns the bytes of a tile. Raises `Unsupported` at `op` if a size is not known."""
    if -1 in tile.sizes:
        need = "give the tile its greatest size; `valid` says which part is used"
        raise Unsupported(op, what=f"a place in memory for {tile}", need=need)
    return prod(stored_sizes(tile)) * element_bytes(tile.element_type)


def aligned(size: int, alignment: int = BLOCK) -> int:
    """Returns the least multiple of `alignment` that is at least `size`."""
    return -(-size // alignment) * alignment
