"""
`pto-canonicalize-views`: writes each view as a base, an offset and strides.

```
%v = pto.memref.subview %x[%i, 32] [64, 64] [2, 1]         %0 = pto.muli %j, 2 : index
%w = pto.memref.subview %v[%j, 8] [16, 16] [1, 1]     →    %1 = pto.addi %i, %0 : index
                                                           %w = pto.memref.subview %x[%1, 40] [16, 16] [2, 1]
```

A view of a view becomes a view of the array. A view of all of an array, in its order, is replaced by the array. Arithmetic on constants is
computed.

Spec: `pto-ir.md §2.3`, `§4.2`, `§8`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ..analysis.pto.effects import constant
from ..dialects import pto
from ..dialects.pto.indices import Index


@dataclass(frozen=True)
class PtoCanonicalizeViews(ModulePass):
    """Writes each view as a base, an offset and strides."""

    name = "pto-canonicalize-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for view in [o for o in op.walk() if isinstance(o, pto.SubviewOp)]:  # a view comes after those that it is a part of
            compose(view)


def compose(view: pto.SubviewOp) -> None:
    """Replaces a view of a view by a view of the array, and a view of a whole array by the array."""
    source = view.source
    offsets, sizes, strides = ([_number(i) for i in part] for part in view.parts)
    if isinstance(below := source.owner, pto.SubviewOp):
        starts, _, steps = below.parts
        offsets = [_sum(view, s, _product(view, o, t)) for s, o, t in zip(starts, offsets, steps, strict=True)]
        strides = [_product(view, a, b) for a, b in zip(strides, steps, strict=True)]
        source = below.source
    whole = pto.memref_type(source).sizes
    plain = source.type == view.result.type or (
        pto.memref_type(source).strides == pto.memref_type(view.result).strides
        and all(isinstance(use.operation, pto.InstructionOp | pto.SubviewOp) for use in view.result.uses)
    )
    if plain and tuple(sizes) == whole and not any(offsets) and set(strides) <= {1}:
        Rewriter.replace_op(view, [], [source])
        return
    if source is view.source and [offsets, sizes, strides] == [list(p) for p in view.parts]:
        return
    new = pto.SubviewOp(source, offsets, sizes, strides, pto.memref_type(view.result))
    new.location = view.location
    Rewriter.replace_op(view, new)


def _number(index: Index) -> Index:
    known = None if isinstance(index, int) else constant(index)
    return index if known is None else known


def _sum(view: Operation, a: Index, b: Index) -> Index:
    a, b = _number(a), _number(b)
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 or b == 0:
        return b if a == 0 else a
    return _insert(view, pto.AddIOp(_value(view, a), _value(view, b)))


def _product(view: Operation, a: Index, b: Index) -> Index:
    a, b = _number(a), _number(b)
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    if a == 1 or b == 1:
        return b if a == 1 else a
    return 0 if a == 0 or b == 0 else _insert(view, pto.MulIOp(_value(view, a), _value(view, b)))


def _value(view: Operation, index: Index) -> SSAValue:
    return _insert(view, pto.ConstantOp(IntegerAttr(index, IndexType()))) if isinstance(index, int) else index


def _insert(view: Operation, op: Operation) -> SSAValue:
    op.location = view.location
    Rewriter.insert_op(op, InsertPoint.before(view))
    return op.results[0]
