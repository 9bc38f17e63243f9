"""
Bindings of the names of dynamic dimensions.

A name stands for one size throughout a function. Its first occurrence binds it: an argument, or else the first op whose
result has it. A size that an op's operands do not determine must be bound before the op:

```
%1 = ptir.dim_cast %0 : tensor<?xf32> -> tensor<?xf32, #ptir.dims<B>>         binds B
%2 = ptir.iota axis 0 : tensor<?xf32, #ptir.dims<B>>                          has B elements
```

Transforms that move, remove or copy ops must ask this module: binding a name affects later ops, so an op that binds one is
not dead while other values have the name, and is not equal to an op that does not. xDSL's `dce`, `cse` and `canonicalize`
ask for effects too. The interpreter binds the same names (`semantics/sizes.py`).

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
    """Returns the names in the types of values."""
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
    """Returns the names that the op's results have and none of its operands has."""
    found = names(op.results)
    return found - names(op.operands) if found else NOTHING


def bound(op: Operation) -> Set[str]:
    """Returns the names that first occur at this op: neither an argument nor an earlier op has them."""
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
    """Returns the names that this op binds and that other values of its function have."""
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
    """The op's results may bind names: it has an effect as long as other values need them."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        return frozenset({BINDING}) if needed(op) else frozenset()
