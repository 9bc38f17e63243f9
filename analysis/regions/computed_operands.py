"""
Operands of products that are computed element by element, such as queries that are multiplied by a scale before their product with keys, and
rounded, or that are rotated by angles of their positions:

```
%s = q · 0.0884 in bf16                              elementwise ops and movements on arrays, and on numbers
%r = q · cos + concat(-q[32:64], q[0:32]) · sin      the array of 16-bit floats is read at several places
%x = product of (%s, %k)
```

The kernel of an attention computes its queries, once for each tile of them, where it has copied the array's tile to. It reads the elements of
other arrays, and those of the array at other places, from memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access
from .contraction import find_contraction
from .kernel_ops import kernel_diagnostic
from .leaf_accesses import leaf_accesses
from .places import is_leaf, is_splat
from .prologue import operations
from .rows import axes_used
from .upstream import upstream

MAX_OPERATIONS = 16
"""Operations an element, of which a kernel that has no registers for the operand computes each again for every tile of keys."""
MAX_COMBINED = 192
"""Maximum head and value size with which operands read elements from memory: there are registers for all of them, so that each is read once."""
FEW_QUERIES = 64
"""Number of queries up to which operands that read elements from memory are computed, however many keys there are."""
MAX_KEYS = 2048
"""
Number of keys up to which more queries are. The registers that this takes make tiles smaller, which costs time for each score; to store a
query costs as much as about 5 % of the time for 10,000 scores on sm90, or 15 % of that for 1,300 on sm80 (an estimate from rates of machines).
"""


@dataclass(frozen=True)
class ComputedOperand:
    """An operand that `ops` compute from an array, the `source`, and from `others`, which are read from the axes of the operand."""

    source: Access
    others: tuple[Access, ...]
    ops: frozenset[Operation]


def computed_operand(value: SSAValue, readers: Collection[Operation], book: IndexBook) -> ComputedOperand | None:
    """Returns how a kernel computes an operand that only `readers` read, or None if the operand is stored."""
    if is_leaf(value) or not isinstance(element(value), BFloat16Type | Float16Type):
        return None
    products = _results_of_products(value, book)

    def is_read(v: SSAValue) -> bool:
        return is_leaf(v) or v in products

    needed = (v for v in upstream([value], is_read) if not is_read(v) or is_splat(v))
    ops = {op for v in needed if isinstance(op := v.owner, Operation)}
    if operations(ops) > MAX_OPERATIONS or not all(map(_is_pointwise, ops)):
        return None
    sizes, whole = shape(value), Access(value, affine.identity(len(shape(value))))
    leaves = [at for at, _ in leaf_accesses(whole, sizes, book, is_read)]
    read = [at for at in leaves if not is_splat(at.value) and not isinstance(at.value.owner, tiny.IotaOp)]
    if (source := _source(read, value)) is None:
        return None
    inside = ops.union(readers)
    varying = (op for op in ops if source.value in upstream(op.results, is_read))
    if any(use.operation not in inside for op in varying for use in op.results[0].uses):
        return None
    others = tuple(at for at in read if at.value is not source.value or not affine.equal_on(sizes, at.map, source.map))
    if products and all(at.value is not source.value for at in others):  # the epilogue of the product computes it
        return None
    return ComputedOperand(Access(source.value, source.map), others, frozenset(ops))


def _source(read: Sequence[Access], value: SSAValue) -> Access | None:
    """
    Returns the access among those of an operand whose tile is copied: of those of its type that are inside of the array at all points, one
    along most axes, to the array that is read at most places.
    """
    points = affine.box(shape(value))
    fitting = [
        at
        for at in read
        if element(at.value) == element(value)
        and points.is_subset(affine.box(shape(at.value)).preimage_multi_aff(at.map))
    ]
    places = Counter(at.value for at in read)
    return max(fitting, key=lambda at: (len(axes_used(at.map)), places[at.value]), default=None)


def _results_of_products(value: SSAValue, book: IndexBook) -> set[SSAValue]:
    """Returns the first values of the type of `value` that are computed from contractions, whose kernels store them, on the way to `value`."""
    before = set(upstream([value], lambda v: is_leaf(v) or not _is_pointwise(v.owner)))
    sums = (v for v in before if isinstance(v.owner, tiny.ReduceOp))
    todo = [v for v in sums if find_contraction(cast(Operation, v.owner), book, of_vectors=True) is not None]
    found, seen = set[SSAValue](), set[SSAValue]()
    while todo:
        if (here := todo.pop()) in seen:
            continue
        seen.add(here)
        if element(here) == element(value):
            found.add(here)
        else:
            todo += (r for use in here.uses for r in use.operation.results if r in before)
    return found


def _is_pointwise(op: Operation | Block) -> bool:
    """Returns whether an op computes each element from one element of each operand, wherever it is."""
    pointwise = isinstance(op, tiny.UnaryOp | tiny.ConstOp | tiny.IotaOp | tiny.MovementOp) or (
        isinstance(op, tiny.BinaryOp) and op.failure is None
    )
    return pointwise and isinstance(op, Operation) and kernel_diagnostic(op, op) is None
