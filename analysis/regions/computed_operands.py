"""
Operands of products that are computed element by element from one array, such as queries that are multiplied by a scale before their product
with keys, and rounded:

```
%s = q · 0.0884 in bf16        elementwise ops and movements on one array of 16-bit floats, and on numbers
%x = product of (%s, %k)
```

The kernel of an attention computes its queries, once for each tile of them, where it has copied the array's tile to.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access
from .kernel_ops import kernel_diagnostic
from .leaf_accesses import leaf_accesses
from .places import is_leaf, is_splat
from .prologue import operations
from .upstream import upstream

MAX_OPERATIONS = 16
"""Operations an element, of which a kernel that has no registers for the operand computes each again for every tile of keys."""


@dataclass(frozen=True)
class ComputedOperand:
    """An operand that `ops` compute from an array, the `source`, which is read from the axes of the operand."""

    source: Access
    ops: frozenset[Operation]


def computed_operand(value: SSAValue, readers: Collection[Operation], book: IndexBook) -> ComputedOperand | None:
    """Returns how a kernel computes an operand that only `readers` read, or None if the operand is stored."""
    if is_leaf(value) or not isinstance(element(value), BFloat16Type | Float16Type):
        return None
    ops = {op for v in upstream([value], is_leaf) if isinstance(op := v.owner, Operation) and _is_in_kernel(v)}
    inside = ops.union(readers)
    if operations(ops) > MAX_OPERATIONS or not all(map(_is_pointwise, ops)):
        return None
    if any(use.operation not in inside for op in ops if not isinstance(op, tiny.ConstOp) for use in op.results[0].uses):
        return None
    whole = Access(value, affine.identity(len(shape(value))))
    read = [at for at, _ in leaf_accesses(whole, shape(value), book, is_leaf) if not is_splat(at.value)]
    if len(read) != 1 or read[0].guard is not None or element(read[0].value) != element(value):
        return None
    return ComputedOperand(read[0], frozenset(ops))


def _is_in_kernel(value: SSAValue) -> bool:
    return not is_leaf(value) or is_splat(value)


def _is_pointwise(op: Operation) -> bool:
    """Returns whether an op computes each element from one element of each operand, wherever it is."""
    if isinstance(op, tiny.MovementOp):
        return op.kind.data != "pad"
    pointwise = isinstance(op, tiny.UnaryOp | tiny.ConstOp) or (isinstance(op, tiny.BinaryOp) and op.failure is None)
    return pointwise and kernel_diagnostic(op, op) is None
