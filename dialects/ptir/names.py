"""
Bindings of the names of dynamic dimensions.

A name stands for the same size throughout a function. The name is bound, that is, its size becomes known, at its first
occurrence: in the type of an argument, or else in the result type of an op. If the operands of an op do not determine a size of
its result, the size must be a number or a name that is already bound:

```
%1 = ptir.dim_cast %0 : tensor<?xf32> -> tensor<?xf32, #ptir.dims<B>>         binds B
%2 = ptir.iota axis 0 : tensor<?xf32, #ptir.dims<B>>                          has B elements
```

So binding a name is a side effect on later ops. An op that binds a name is not dead while other values have the name, and CSE
must not replace it by an op that does not bind it. Transforms that move, remove or copy ops must use this module. xDSL's `dce`,
`cse` and `canonicalize` do so through `BindsNames`. The interpreter binds the same names (`semantics/sizes.py`).

Contract: *Shapes and dynamic dims*; DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind

from .dims import UNNAMED, DimsAttr

NOTHING: Set[str] = frozenset()
BINDING = EffectInstance(MemoryEffectKind.WRITE)


def names(values: Iterable[SSAValue]) -> Set[str]:
    """Returns the names of dimensions in the types of `values`."""
    out: set[str] = set()
    for value in values:
        out.update(_names(value.type))
    return out


def _names(t: Attribute) -> Iterator[str]:
    if isinstance(t, TupleType):
        for part in t.types:
            yield from _names(part)
    elif isinstance(t, TensorType) and isinstance(t.encoding, DimsAttr):
        yield from (name.data for name in t.encoding.names if name.data != UNNAMED)


def introduced(op: Operation) -> Set[str]:
    """Returns the names in the types of the op's results that are not in the types of its operands."""
    found = names(op.results)
    return found - names(op.operands) if found else NOTHING


def bound(op: Operation) -> Set[str]:
    """Returns the names that `op` binds: no argument and no earlier op has them."""
    new = set(introduced(op))
    at: Operation | None = op
    while new and at is not None and not isinstance(at, FuncOp):
        before = at.prev_op
        while new and before is not None:
            new -= names(before.results)
            before = before.prev_op
        if at.parent is not None:
            new -= names(at.parent.args)
        at = at.parent_op()
    return new


def needed(op: Operation) -> Set[str]:
    """Returns the names that `op` binds and that the types of other values of its function have."""
    new = bound(op)
    if not new:
        return NOTHING
    function = op
    while not isinstance(function, FuncOp) and (parent := function.parent_op()) is not None:
        function = parent
    others: set[str] = set()
    for other in function.walk():
        if other is not op:
            others |= names(other.results)
            if new <= others:
                break
    return new & others


class BindsNames(MemoryEffect):
    """The op may bind names. It has a side effect if it binds a name that other values have."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return frozenset({BINDING}) if needed(op) else frozenset()
