"""
What a run checks: whether the types of an op decide its sizes, or leave something to be found out.

```
slice x [0] : [4] -> [2]             decided: the window is inside
slice x [0] : [B] -> [2]             a run checks it
reshape x : [B, 6] -> [B, 2, 3]      decided
dim_cast x : [?] -> [B]              a run checks it; it does not for [B] -> [?]
```

An op that asks a run is none that rules may look through: it would not be asked any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from types import MappingProxyType
from typing import Any

from xdsl.ir import Operation

from ...dialects import ptir
from ...dialects.ptir.dims import Size, product, sizes
from ...dialects.ptir.sizes import plus


def is_inside(op: ptir.SliceOp) -> bool:
    """Whether the window is known to be inside of the operand."""
    rows = zip(op.starts.get_values(), sizes(op.result), sizes(op.input), strict=True)
    return all(
        start + size <= extent if isinstance(size, int) and isinstance(extent, int) else start == 0 and size == extent
        for start, size, extent in rows
    ) and None not in sizes(op.result)


def is_decided(op: ptir.BroadcastToOp) -> bool:
    """Whether each size of the operand is known to be 1 or the result's."""
    small, out = sizes(op.input), sizes(op.result)
    return None not in out and all(s in (1, o) for s, o in zip(small, out[len(out) - len(small) :], strict=True))


def is_joined(op: ptir.ConcatOp) -> bool:
    """Whether the pieces are known to agree on all other axes."""
    axis = op.axis()
    others = {tuple(s for a, s in enumerate(sizes(x)) if a != axis) for x in (*op.inputs, op.result)}
    return len(others) == 1 and None not in others.copy().pop()


def follows(op: ptir.TransposeOp) -> bool:
    """Whether the result's sizes are the operand's, and not what a run has to check."""
    return sizes(op.result) == tuple(sizes(op.input)[p] for p in op.permutation())


def keeps_sizes(op: ptir.ReduceOp) -> bool:
    """Whether the result's sizes are known to be the operand's, but for the axes that are reduced."""
    kept = [1 if a in op.axes() else s for a, s in enumerate(sizes(op.input)) if op.keepdims or a not in op.axes()]
    return None not in kept and list(sizes(op.result)) == kept


def holds_as_many(a: Sequence[Size], b: Sequence[Size]) -> bool:
    """Whether two shapes are known to hold equally many elements: the same names, and numbers of the same product."""
    if None in a or None in b:
        return False
    names = [Counter(s for s in of if isinstance(s, str)) for of in (a, b)]
    numbers = [prod(s for s in of if isinstance(s, int)) for of in (a, b)]
    return names[0] == names[1] and numbers[0] == numbers[1]


def promises_nothing(op: ptir.DimCastOp) -> bool:
    """Whether it only forgets sizes."""
    return all(new is None or new == old for old, new in zip(sizes(op.input), sizes(op.result), strict=True))


def _is_repeated(op: ptir.TileOp) -> bool:
    want = tuple(product(s, n) for s, n in zip(sizes(op.input), op.repeats.get_values(), strict=True))
    return None not in want and want == sizes(op.result)


def _is_whole(op: ptir.ConcatOp) -> bool:
    axis = op.axis()
    total = reduce(plus, (sizes(x)[axis] for x in op.inputs))
    return is_joined(op) and total is not None and total == sizes(op.result)[axis]


def _keeps_count(op: ptir.ReshapeOp) -> bool:
    return holds_as_many(sizes(op.input), sizes(op.result))


_DECIDED: Mapping[type[Operation], Callable[[Any], bool]] = MappingProxyType(
    {
        ptir.BroadcastToOp: is_decided,
        ptir.ReshapeOp: _keeps_count,
        ptir.TransposeOp: follows,
        ptir.SliceOp: is_inside,
        ptir.TileOp: _is_repeated,
        ptir.DimCastOp: promises_nothing,
        ptir.ConcatOp: _is_whole,
    }
)


def asks_a_run(op: Operation) -> bool:
    """Whether a run checks sizes of this movement that its types leave open."""
    return not _DECIDED[type(op)](op)
