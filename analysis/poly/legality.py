"""
Whether what a tile needs of a producer can be computed inside the tile, from the producer's own operands.

It cannot where indices are not affine: which rows a gather reads only the data tells. And what is folded along an axis
is not computed in tiles that cut this axis and all need the same of it:

```
   m[i] = max_j x[i, j]              a tile of y with j in 0..31 has a part of row i, and m[i] is of all of it
   y[i, j] = exp(x[i, j] - m[i])
```

Otherwise it can. What several tiles need each of them computes: that is the halo. Spec: `tensor-compiler.ja §1.6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ..index import affine
from .ranges import OUT, Read
from .reads import Ways, is_computed
from .tiling import Tiling


@dataclass(frozen=True)
class FoldedAcross:
    """The consumer reads `value` along `cut`, an axis of its own that is cut; the producer folds all of `axis` of it."""

    value: SSAValue
    axis: int
    cut: int


def folded_across(
    ways: Ways, producer: SSAValue, consumer: SSAValue, reads: Sequence[Read], tiles: Tiling
) -> FoldedAcross | None:
    """What keeps a reduction, read by `reads`, from being computed in the consumer's tiles; None if nothing does."""
    cut = [k for k in tiles.cut if k < tiles.rank and not any(affine.uses_axis(r.map, k) for r in reads)]
    book, info = ways.book, ways.book[producer]
    if not cut or not info.reduced:
        return None
    folds: dict[SSAValue, set[int]] = {}
    for value, read in ways.back(producer, lambda v: is_computed(v) and book[v].non_scop is None):
        for axis in range(read.map.dim(OUT)):
            by = [k for k in range(len(read.sizes)) if read.moves(axis, k)]
            if by and all(k >= info.rank for k in by):
                folds.setdefault(value, set()).add(axis)
    between = {user for value in folds for user in ways.users(value, consumer)} - {producer}
    for value, read in ways.back(consumer, lambda v: v in between and book[v].non_scop is None):
        for axis in folds.get(value, ()):
            for k in cut:
                if read.moves(axis, k):
                    return FoldedAcross(value, axis, k)
    return None
