"""
Rules of reshapes, transposes and dim_casts: merge them, drop them, and move them towards smaller operands.

```
reshape (reshape x)                  →  reshape x
transpose (transpose x [1, 0]) [1,0] →  x
transpose (broadcast x)              →  broadcast (transpose x)
transpose (iota axis 0) [1, 0]       →  iota axis 1

dim_cast x : [B] -> [B]                                  →  x
dim_cast (dim_cast x : [B, 4] -> [?, 4]) -> [N, 4]       →  dim_cast x : [B, 4] -> [N, 4]
```

A dim_cast that asserts a size stays, as the size is checked at run time.
"""

from __future__ import annotations

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from .checks import only_forgets_sizes, permutes_sizes, same_element_count
from .write import Result, Writer, operand_is


def drop_reshape(op: ptir.ReshapeOp, write: Writer) -> Result:
    """Drops a reshape to the operand's own type. A `?` in both types has the same size, since a reshape infers it."""
    return op.input if op.input.type == op.result.type else "it changes the shape"


@operand_is(ptir.ReshapeOp)
def merge_reshapes(op: ptir.ReshapeOp, inner: ptir.ReshapeOp, write: Writer) -> Result:
    first, middle, out = sizes(inner.input), sizes(inner.result), sizes(op.result)
    if not same_element_count(first, middle) and not same_element_count(middle, out):
        return "whether the intermediate size is right is not known statically"
    return write.typed(ptir.ReshapeOp(inner.input, out), op.result.type)


def drop_transpose(op: ptir.TransposeOp, write: Writer) -> Result:
    if op.permutation() != tuple(range(len(sizes(op.input)))):
        return "it permutes"
    return op.input if op.input.type == op.result.type else "its result's sizes have other names"


@operand_is(ptir.TransposeOp)
def merge_transposes(op: ptir.TransposeOp, inner: ptir.TransposeOp, write: Writer) -> Result:
    if not permutes_sizes(op) or not permutes_sizes(inner):
        return "a result's sizes have other names"
    first, second = inner.permutation(), op.permutation()
    return write.transpose(inner.input, [first[p] for p in second])


def transpose_as_reshape(op: ptir.TransposeOp, write: Writer) -> Result:
    """Turns a transpose that moves only axes of size 1 into a reshape."""
    got, perm = sizes(op.input), op.permutation()
    moved = [p for p in perm if got[p] != 1]
    if not permutes_sizes(op) or moved != sorted(moved):
        return "it moves elements"
    if got.count(None) > 0:
        return "it has a size without a name"
    return write.reshape(op.input, [got[p] for p in perm])


@operand_is(ptir.BroadcastToOp)
def transpose_of_broadcast(op: ptir.TransposeOp, inner: ptir.BroadcastToOp, write: Writer) -> Result:
    small, large = sizes(inner.input), sizes(inner.result)
    if None in large or not permutes_sizes(op):
        return "it has a size without a name"
    full = (1,) * (len(large) - len(small)) + small
    perm = op.permutation()
    moved = write.transpose(write.reshape(inner.input, full), perm)
    return write.add(ptir.BroadcastToOp(moved, [large[p] for p in perm]))


@operand_is(ptir.IotaOp)
def transpose_of_iota(op: ptir.TransposeOp, inner: ptir.IotaOp, write: Writer) -> Result:
    if not permutes_sizes(op):
        return "the result's sizes are not known to be the operand's"
    return write.add(ptir.IotaOp(element(op.result), sizes(op.result), op.permutation().index(inner.axis())))


def drop_dim_cast(op: ptir.DimCastOp, write: Writer) -> Result:
    return op.input if op.input.type == op.result.type else "it asserts or forgets a size"


@operand_is(ptir.DimCastOp)
def merge_dim_casts(op: ptir.DimCastOp, inner: ptir.DimCastOp, write: Writer) -> Result:
    first, out = sizes(inner.input), sizes(op.result)
    if not only_forgets_sizes(inner):
        return "the inner cast asserts a size, which is checked at run time"
    if any(a != b and isinstance(a, int) and isinstance(b, int) for a, b in zip(first, out, strict=True)):
        return "it fails at run time"
    return write.add(ptir.DimCastOp(inner.input, out))
