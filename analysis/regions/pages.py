"""
Pages of a pool: runs of the rows of a gathered operand that are at one place each, such as the keys of a page of a cache. TMA copies a
part of a page as a box; where the page is, a table says.

```
at    = { [b, h, j, d, p] → [p, j mod 16, h, d] }     the pool, with an axis p of places
table = { [b, h, j, d] → [b, j div 16] }              the places
→ rows = 16, address = 512 p + 32 r + 16 h + d        r = j mod 16, the row in the page
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

import islpy as isl

from ..index import affine
from .addresses import linear_address
from .copy_steps import cuts_of


@dataclass(frozen=True)
class Pages:
    """
    Pages of `rows` rows. `address` is the element offset in the pool on a space of `sizes`: that of the operand, in which the axis of rows
    is that of the rows of a page, and a last axis of places.
    """

    rows: int
    sizes: tuple[int, ...]
    address: isl.Aff


def pages(
    pool: Sequence[int], at: isl.MultiAff, table: isl.MultiAff, sizes: Sequence[int], row: int, column: int
) -> Pages | None:
    """
    Returns the largest pages of an operand, or None if places differ within each row, or its rows are not divided into equal pages.
    `at` maps a space of `sizes`, whose last axis has the places, to a pool of the shape `pool`; `table` maps it, without that axis, to
    the table of places.
    """
    rank, size = len(sizes), sizes[row]
    rows = gcd(*(cut for m in (at, table) for cut in cuts_of(m, row, size))) or size
    if size % rows or affine.uses_axis(table, column):
        return None
    within = tuple(rows if axis == row else n for axis, n in enumerate(sizes))
    axes = [f"i{axis}" for axis in range(rank)]
    split = [f"{rows}*i{rank} + i{row}" if axis == row else f"i{axis}" for axis in range(rank)]
    each = (*within, size // rows)
    first, there = (affine.compose(at, affine.make_map(rank + 1, exprs), each) for exprs in (axes, split))
    places = affine.compose(table, affine.make_map(rank + 1, split[:-1]), each)
    if affine.uses_axis(places, row) or not affine.equal_on(each, first, there):
        return None
    return Pages(rows, within, linear_address(pool, at, within))
