"""
Offsets in shared memory as a part that depends on the thread, and constants that are added or XORed.

A layout is linear over bits: if no sum carries, `at(r + i·s, c) = at(r, c) ^ at(i·s, 0)`. Bits of a constant that no thread's part
can have are added, so that they become the immediate offset of an instruction; the others are XORed, and the result does not change
in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .layouts import Mode
from .shared_layouts import SharedLayout


@dataclass(frozen=True)
class Place:
    """`((thread ^ crossed ^ i·stride?) + added + i·stride?)`, in elements; `crosses` says whether `i·stride` is XORed."""

    crossed: int
    added: int
    stride: int
    crosses: bool


def split_place(
    layout: SharedLayout, varying: tuple[int, int], constant: tuple[int, int], step: tuple[int, int], count: int
) -> Place | None:
    """
    Splits the offsets of the places (row, column) = thread's part + `constant` + i · `step`, for i < `count`. `varying` has the bits
    that the thread's part may have. Returns None if a sum may carry, or if the layout is not linear.
    """
    if any(size & size - 1 for size in layout.sizes):
        return None
    places = [tuple(c + i * s for c, s in zip(constant, step, strict=True)) for i in range(count)]
    moves = [tuple(i * s for s in step) for i in range(count)]
    for axis in (0, 1):
        fixed = constant[axis]
        if any(v[axis] & varying[axis] or v[axis] != fixed ^ m[axis] for v, m in zip(places, moves, strict=True)):
            return None
    reached = 0
    for bit in _bits(varying[0]):
        reached |= layout.offset(bit, 0)
    for bit in _bits(varying[1]):
        reached |= layout.offset(0, bit)
    start = layout.offset(*constant)
    offsets = [layout.offset(*move) for move in moves]
    stride = offsets[1] if count > 1 else 0
    if any(at != i * stride for i, at in enumerate(offsets)):
        return None
    moved = 0
    for at in offsets:
        moved |= at
    crosses = bool(moved & (reached | start))
    return Place(start & reached, start & ~reached, stride, crosses)


def varying_bits(modes: Sequence[Mode]) -> tuple[int, int]:
    """Returns the bits of rows and of columns that the digits of a thread's number can have."""
    rows = columns = 0
    for mode in modes:
        for digit in range(mode.radix):
            rows, columns = rows | digit * mode.rows, columns | digit * mode.columns
    return rows, columns


def _bits(mask: int) -> Iterator[int]:
    return (1 << k for k in range(mask.bit_length()) if mask >> k & 1)
