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


def element_bytes(dtype: Attribute) -> int:
    """Returns the bytes of an element in storage; those of a predicate are one."""
    return max(1, bit_width(dtype) // 8)


def stored_sizes(tile: TileType) -> tuple[int, ...]:
    """Returns the sizes of a tile in storage. The lines of predicates, which take a byte each, are padded to whole blocks."""
    if tile.element_type != i1:
        return tile.sizes
    contiguous = 0 if tile.layout == "DN" else len(tile.sizes) - 1
    return tuple(aligned(size) if axis == contiguous else size for axis, size in enumerate(tile.sizes))


def tile_bytes(tile: TileType, op: Operation | None = None) -> int:
    """Returns the bytes of a tile. Raises `Unsupported` at `op` if a size is not known."""
    if -1 in tile.sizes:
        need = "give the tile its greatest size; `valid` says which part is used"
        raise Unsupported(op, what=f"a place in memory for {tile}", need=need)
    return prod(stored_sizes(tile)) * element_bytes(tile.element_type)


def aligned(size: int, alignment: int = BLOCK) -> int:
    """Returns the least multiple of `alignment` that is at least `size`."""
    return -(-size // alignment) * alignment
