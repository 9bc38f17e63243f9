"""
Reductions that would read arrays in pieces: what they read is stored first, if a kernel can then reduce contiguous rows of it.

```
mean over groups of channels of  concat(%x: 32x32x64, %y: 16x16x128, each row twice)       8 groups of 32·32·24 elements

by one thread a group, at addresses that divide       →       the concatenation is stored; a block reduces each group
```

Only few long reductions are worth it: others have a thread for each element.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..index import affine
from ..index.positions import Positions
from .addresses import is_affine, linear_address
from .axis_groups import row_major
from .places import Place, Slice, is_leaf
from .slices import Slicer

MAX_GROWTH = 4
"""Maximum ratio of the elements that are stored to those of the arrays from which they are computed."""


def stored_first(s: Slice, slicer: Slicer, stops: Collection[SSAValue], positions: Positions) -> SSAValue | None:
    """Returns the value that is stored, besides `stops`, before slice `s` so that its reductions read contiguous rows, or None."""
    rank = len(s.sizes)
    if s.anchors or not in_pieces(s):
        return None
    read = _reduced_leaves(s)
    if max(prod(leaf.space[rank:]) for leaf in read) < prod(s.sizes):
        return None
    for value in _arranged(s, positions):
        if prod(shape(value)) <= MAX_GROWTH * sum(prod(shape(leaf.value)) for leaf in read):
            then = slicer.slice(s.root, {*stops, value})
            if then.rows is not None and not then.cuts:
                return value
    return None


def in_pieces(s: Slice) -> bool:
    """Whether the reductions of a slice read arrays in pieces, so that one thread computes each."""
    return s.rows is None and any(_divides(leaf, len(s.sizes)) for leaf in _reduced_leaves(s))


def _reduced_leaves(s: Slice) -> list[Place]:
    return [
        leaf for leaf in s.leaves if len(leaf.space) > len(s.sizes) and not leaf.positions and leaf.value in s.stored
    ]


def _divides(leaf: Place, rank: int) -> bool:
    """Whether the address of a leaf divides the number of the element among those that a reduction reads."""
    sizes = *leaf.space[:rank], prod(leaf.space[rank:])
    points = affine.make_map(rank + 1, [f"i{k}" for k in range(rank)])
    at = affine.compose(leaf.at, points.flat_range_product(row_major(rank + 1, rank, leaf.space[rank:])), sizes)
    return not is_affine(linear_address(shape(leaf.value), at, sizes))


def _arranged(s: Slice, positions: Positions) -> Iterator[SSAValue]:
    """Yields the values that reductions read through arithmetic, and that are choices by position or movements of other values."""
    todo, seen = [op.input for op in s.ops if isinstance(op, tiny.ReduceOp)], set[SSAValue]()
    while todo:
        if (value := todo.pop()) in seen or is_leaf(value) or not isinstance(op := value.owner, Operation):
            continue
        seen.add(value)
        chooses = isinstance(op, tiny.BinaryOp) and any(positions.condition(v) is not None for v in op.operands)
        moves = isinstance(op, tiny.MovementOp) and op.kind.data not in ("reshape", "permute")
        if chooses or moves:
            yield value
        else:
            todo += [v for v in op.operands if prod(shape(v)) == prod(shape(value))]
