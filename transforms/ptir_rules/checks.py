"""
Runtime size checks: whether an op's types prove that its sizes are consistent, or the program must check them at run time.

```
slice x [0] : [4] -> [2]             static: the window is in bounds
slice x [0] : [B] -> [2]             checked at run time
reshape x : [B, 6] -> [B, 2, 3]      static
dim_cast x : [?] -> [B]              checked at run time; [B] -> [?] needs no check
```

Rules must not look through an op with a runtime check: its check would be lost.
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


def is_in_bounds(op: ptir.SliceOp) -> bool:
    """Returns whether the window is known to be in bounds."""
    rows = zip(op.starts.get_values(), sizes(op.result), sizes(op.input), strict=True)
    return all(
        start + size <= extent if isinstance(size, int) and isinstance(extent, int) else start == 0 and size == extent
        for start, size, extent in rows
    ) and None not in sizes(op.result)


def is_static_broadcast(op: ptir.BroadcastToOp) -> bool:
    """Returns whether each size of the operand is known to be 1 or equal to the result's size."""
    small, out = sizes(op.input), sizes(op.result)
    return None not in out and all(s in (1, o) for s, o in zip(small, out[len(out) - len(small) :], strict=True))


def pieces_agree(op: ptir.ConcatOp) -> bool:
    """Returns whether the pieces are known to have the same sizes along all other axes."""
    axis = op.axis()
    others = {tuple(s for a, s in enumerate(sizes(x)) if a != axis) for x in (*op.inputs, op.result)}
    return len(others) == 1 and None not in others.copy().pop()


def permutes_sizes(op: ptir.TransposeOp) -> bool:
    """Returns whether the result's sizes are known to be the operand's sizes, permuted."""
    return sizes(op.result) == tuple(sizes(op.input)[p] for p in op.permutation())


def keeps_other_sizes(op: ptir.ReduceOp) -> bool:
    """Returns whether the result's sizes are known to be the operand's sizes without the reduced axes."""
    kept = [1 if a in op.axes() else s for a, s in enumerate(sizes(op.input)) if op.keepdims or a not in op.axes()]
    return None not in kept and list(sizes(op.result)) == kept


def same_element_count(a: Sequence[Size], b: Sequence[Size]) -> bool:
    """Returns whether two shapes are known to have equally many elements: the same names, and numbers with the same product."""
    if None in a or None in b:
        return False
    names = [Counter(s for s in of if isinstance(s, str)) for of in (a, b)]
    numbers = [prod(s for s in of if isinstance(s, int)) for of in (a, b)]
    return names[0] == names[1] and numbers[0] == numbers[1]


def only_forgets_sizes(op: ptir.DimCastOp) -> bool:
    """Returns whether each size of the result is dynamic and unnamed or the same as the operand's, so that no check is needed."""
    return all(new is None or new == old for old, new in zip(sizes(op.input), sizes(op.result), strict=True))


def _is_repeated(op: ptir.TileOp) -> bool:
    want = tuple(product(s, n) for s, n in zip(sizes(op.input), op.repeats.get_values(), strict=True))
    return None not in want and want == sizes(op.result)


def _is_whole(op: ptir.ConcatOp) -> bool:
    axis = op.axis()
    total = reduce(plus, (sizes(x)[axis] for x in op.inputs))
    return pieces_agree(op) and total is not None and total == sizes(op.result)[axis]


_IS_STATIC: Mapping[type[Operation], Callable[[Any], bool]] = MappingProxyType(
    {
        ptir.BroadcastToOp: is_static_broadcast,
        ptir.ReshapeOp: lambda op: same_element_count(sizes(op.input), sizes(op.result)),
        ptir.TransposeOp: permutes_sizes,
        ptir.SliceOp: is_in_bounds,
        ptir.TileOp: _is_repeated,
        ptir.DimCastOp: only_forgets_sizes,
        ptir.ConcatOp: _is_whole,
    }
)


def needs_runtime_check(op: Operation) -> bool:
    """Returns whether the sizes of this movement must be checked at run time."""
    return not _IS_STATIC[type(op)](op)
