"""
The rows of 16 bytes that ldmatrix and stmatrix move between registers and shared memory, derived from a fragment's layout.

A matrix has 8 rows, and each lane holds a 32-bit word of it: lane l the word l % 4 of row l / 4 or, transposed, two elements of column
l / 4. The instruction moves one, two or four matrices; lane l has the address of row l % 8 of matrix l / 8. PTX ISA §9.7.14.5.15.

```
A of m16n8k16       lane(4: 2j, 8: i) reg(2: j, 2: 8i, 2: 8j)
rows of 16 bytes    lane(8: i, 2: 8i, 2: 8j)                       `.trans`: lane(2: j, 4: 2j, 2: 8i, 2: 8j), rows along i
```
"""

from __future__ import annotations

from dataclasses import dataclass

from .conversions import LANE_BITS, digits, merged
from .layouts import Layout, Mode
from .shared_layouts import SharedLayout

ROW_BYTES = 16
WORD = 4
"""Bytes of a register: the words that lanes hold and exchange."""


@dataclass(frozen=True)
class MatrixRows:
    """
    The digits of the number of the lane that gives the address of a row: its row in a matrix, its matrix, and for a warpgroup its
    warp. If there are fewer than four matrices, the addresses of further lanes are not used.
    """

    lanes: tuple[Mode, ...]
    is_transposed: bool


def matrix_rows(layout: Layout, memory: SharedLayout, size: int) -> MatrixRows | None:
    """
    Returns the rows of the one to four matrices that make up a tile of elements of `size` bytes, or None if no ldmatrix moves it.
    The rows and columns of `layout` are those of `memory`.
    """
    if size > WORD or memory.run * size < ROW_BYTES:
        return None
    lanes, registers = ([Mode(d.radix, *d.stride) for d in digits(part)] for part in (layout.lanes, layout.elements))
    contiguous = [(0, 1 << k) for k in range((ROW_BYTES // size).bit_length() - 1)]
    word = (WORD // size).bit_length() - 1
    ways = [([*registers[:word], *lanes[:2]], lanes[2:LANE_BITS], registers[word:])]
    if size == 2:
        ways.append((lanes[2:LANE_BITS], [*registers[:1], *lanes[:2]], registers[1:]))
    for is_transposed, (chunk, row, matrices) in enumerate(ways):
        digits_fit = all(mode.radix == 2 and (mode.rows or mode.columns) for mode in (*row, *matrices))
        if digits_fit and len(row) == 3 and len(matrices) <= 2 and [(m.rows, m.columns) for m in chunk] == contiguous:
            unused = [Mode(2, 0, 0)] * (2 - len(matrices))
            return MatrixRows(tuple(merged([*row, *matrices, *unused, *lanes[LANE_BITS:]])), bool(is_transposed))
    return None


def vector_elements(layout: Layout, memory: SharedLayout, size: int) -> int:
    """Returns how many elements of `size` bytes each lane can load from or store to `memory` at a time."""
    return min(layout.contiguous & -layout.contiguous, memory.run, ROW_BYTES // size)
