"""
Legality of computing what a tile needs of a producer inside the tile, from the producer's own operands.

It is illegal if indices are not affine: the rows that a gather reads depend on data. It is also illegal to compute a value
that is reduced along an axis in tiles that cut this axis and all need the same elements:

```
   m[i] = max_j x[i, j]              a tile of y with j in 0..31 has part of row i, but m[i] reduces all of it
   y[i, j] = exp(x[i, j] - m[i])
```

Otherwise it is legal. Elements that several tiles need are computed in each: the halo. Spec: `tensor-compiler.ja §1.6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ..index import affine
from .ranges import OUT, Read
from .reads import Paths, is_computed
from .tiling import Tiling


@dataclass(frozen=True)
class FoldedAcross:
    """The consumer reads `value` along its own axis `cut`, which is tiled; the producer reduces all of its `axis`."""

    value: SSAValue
    axis: int
    cut: int


def folded_across(
    paths: Paths, producer: SSAValue, consumer: SSAValue, reads: Sequence[Read], tiles: Tiling
) -> FoldedAcross | None:
    """Returns why a reduction with the reads `reads` cannot be computed in the consumer's tiles; None if it can."""
    cut = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(r.map, k) for r in reads)]
    book, info = paths.book, paths.book[producer]
    if not cut or not info.reduced:
        return None
    folds: dict[SSAValue, set[int]] = {}
    for value, read in paths.back(producer, lambda v: is_computed(v) and book[v].non_scop is None):
        for axis in range(read.map.dim(OUT)):
            by = [k for k in range(len(read.sizes)) if read.moves(axis, k)]
            if by and all(k >= info.rank for k in by):
                folds.setdefault(value, set()).add(axis)
    between = {user for value in folds for user in paths.users(value, consumer)} - {producer}
    for value, read in paths.back(consumer, lambda v: v in between and book[v].non_scop is None):
        for axis in folds.get(value, ()):
            for k in cut:
                if read.moves(axis, k):
                    return FoldedAcross(value, axis, k)
    return None
