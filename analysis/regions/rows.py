"""
The rows of a value that reductions and elementwise ops compute together: a kernel holds each row on chip, or reads it again.

```
softmax of x[4, 8, 64] over the last axis:     rows (4, 8), columns (64,)
   max, sum:   reduce the columns to one number per row      exp(x - max) / sum:   has all columns of a row
```

All reductions reduce the same number of elements, and each yields exactly one number per row. Spec: `tensor-compiler.ja §4.2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl

from ..index import affine
from ..index.info import IndexInfo


@dataclass(frozen=True)
class Rows:
    """
    The rows of a value. The axes `rows` number them, a row extends along the axes `columns`, and a reduction of a row reduces
    `length` elements.
    """

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    length: int


def axes_used(at: isl.MultiAff) -> tuple[int, ...]:
    """Returns the input axes that a map depends on."""
    return tuple(a for a in range(affine.input_rank(at)) if affine.uses_axis(at, a))


def along(axes: Sequence[int], rank: int, further: int = 0) -> isl.MultiAff:
    """
    Returns the map from a space of only these axes, and of `further` axes that it does not depend on, to a space of `rank` axes,
    with 0 for the other axes.
    """
    place = {axis: k for k, axis in enumerate(axes)}
    return affine.make_map(len(axes) + further, [f"i{place[a]}" if a in place else "0" for a in range(rank)])


def rows_of(info: IndexInfo, at: isl.MultiAff, sizes: Sequence[int], known: Rows | None) -> Rows | None:
    """
    Returns the rows of a root of these `sizes`, which reads the reduction of `info` through `at`. With `known`, the rows of
    another reduction, returns these if they are the same. None if the reduction does not yield exactly one number per row. The
    axes of `at` are those of the root, then those that an enclosing reduction reduces.
    """
    length = prod(info.static_sizes[info.rank :])
    used = axes_used(at)
    if known is None:
        rows = tuple(a for a in range(len(sizes)) if a in used)
        columns = tuple(a for a, size in enumerate(sizes) if a not in used and size > 1)
        known = Rows(rows, columns, length)
        if prod(sizes[a] for a in columns) not in (1, length):
            return None
    if length != known.length or not set(used) <= set(known.rows):
        return None
    kept = [sizes[a] for a in known.rows]
    of_rows = affine.compose(at, along(known.rows, affine.input_rank(at)), kept)
    return known if affine.inverse(of_rows, kept, info.static_sizes[: info.rank]) is not None else None
