"""
Broadcasting of elementwise operands, whose declared sizes say which axes correspond.

Operands of lower rank get axes of size 1. NumPy aligns them on the right; here the sizes decide first:

```
x: [M, N], bias: [N]   →  bias is [1, N]      the sizes agree on the right
x: [M, N], top: [M]    →  top  is [M, 1]      the sizes agree only there (NumPy: an error, or for M = N the wrong axis)
x: [M, M], v: [M]      →  v    is [1, M]      NumPy's rule decides between two places
x: [M, N], v: [K]      →  v    is [1, K]      nothing agrees: K and N must be equal in a run
```

Spec: `intentir-semantics §2.2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from xdsl.ir import Operation

from ...errors import NotBroadcastable, VerifyError
from . import symbols
from .types import Dim, shape_text, size


class AmbiguousBroadcast(VerifyError):
    """An operand whose axes agree with those of another operand in several ways, none of them on the right."""

    code = "PTIR0130"
    template = "shape {got} agrees with {want} in several places: axes {places}"
    hint = "place the axes with an intent.broadcast_in_dim"


def agree(a: Dim, b: Dim) -> bool:
    """Whether two sizes are equal for all values of the symbols."""
    return a == b or bool(symbols.are_equal(size(a), size(b)))


def may_agree(a: Dim, b: Dim) -> bool:
    """Whether two sizes are equal for some values of the symbols, as far as is known."""
    return a == b or symbols.are_equal(size(a), size(b)) is not False


def alignment(op: Operation | None, dims: Sequence[Dim], target: Sequence[Dim]) -> tuple[int, ...]:
    """Returns the axis of `target` for each axis of an operand with sizes `dims`, of the same or a lower rank."""
    rank, last = len(dims), range(len(target) - len(dims), len(target))

    def fits(axes: Sequence[int]) -> bool:
        return all(d == 1 or agree(d, target[a]) for d, a in zip(dims, axes, strict=True))

    if len(target) == rank or fits(last):
        return tuple(last)
    places = [axes for axes in combinations(range(len(target)), rank) if fits(axes)]
    if len(places) > 1:
        shown = " or ".join(map(str, map(list, places)))
        raise AmbiguousBroadcast(op, got=shape_text(dims), want=shape_text(target), places=shown)
    return places[0] if places else tuple(last)


def joint(op: Operation | None, shapes: Sequence[Sequence[Dim]]) -> tuple[tuple[Dim, ...], list[tuple[int, ...]]]:
    """
    Returns the sizes of the result of an elementwise op, and for each operand the axis of the result for each of its axes. The first
    operand of the largest rank is the target of the others. Raises `NotBroadcastable` and `AmbiguousBroadcast` at `op`.
    """
    target = list(max(shapes, key=len))
    placed: list[tuple[int, ...]] = []
    for dims in shapes:
        axes = alignment(op, dims, target)
        placed.append(axes)
        for dim, axis in zip(dims, axes, strict=True):
            if target[axis] == 1:
                target[axis] = dim
            elif dim != 1 and not may_agree(dim, target[axis]):
                raise NotBroadcastable(op, got=shape_text(dims), want=shape_text(target), a=dim, b=target[axis])
    return tuple(target), placed
