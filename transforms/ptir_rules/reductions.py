"""
Rules of reductions and contractions. Reductions over no axes or axes of size 1 are dropped, nested reductions are merged, and
reductions are moved above movements of their operand. A transposed operand of a contraction is contracted along its original axes.

```
reduce sum x axes []                       →  x + 0.0              a sum starts at +0: it is never -0
reduce max x axes [0, 1], axis 0 of size 1 →  reduce max x axes [1]
reduce max (reduce max x)                  →  reduce max x         also sums of integers
reduce sum (transpose x)                   →  transpose (reduce sum x)
reduce sum (reshape x)                     →  reshape (reduce sum x)     if whole axes of x are reduced
reduce sum (broadcast x)                   →  broadcast (reduce sum x)   if the broadcast also repeats axes that are kept

dot_general (transpose x [1, 0]), y contract [1] x [0]   →   dot_general x, y contract [0] x [0]
```
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ...analysis.index.linearize import factor_groups
from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.common.strict import is_strict
from ...dialects.ptir.dims import Size, known_sizes, sizes
from ...dialects.tiny import adds_floats
from ...semantics.arrays.scalars import is_complex, is_float, numpy_dtype
from .checks import is_static_broadcast, keeps_other_sizes, permutes_sizes
from .write import Result, Writer, operand_is

IDEMPOTENT = ("max", "min", "any", "all")
"""Kinds of reduction for which repeated elements do not matter."""


def reduce_nothing(op: ptir.ReduceOp, write: Writer) -> Result:
    """Drops a reduction over no axes, or over axes of size 1."""
    if any(sizes(op.input)[a] != 1 for a in op.axes()) or not keeps_other_sizes(op):
        return "it reduces, or its sizes are not known statically"
    if op.kind.data == "mul" and is_complex(numpy_dtype(op.accum)):
        return "a product starts at 1, and an infinite complex number times 1 may be another number"
    value = write.cast(op.input, op.accum)
    if op.kind.data == "sum" and _is_inexact(op):
        value = write.add(ptir.AddOp(value, write.splat(np.zeros((), numpy_dtype(op.accum)), value.type)))
    return write.reshape(write.cast(value, element(op.result)), sizes(op.result))


def drop_unit_axes(op: ptir.ReduceOp, write: Writer) -> Result:
    axes = [a for a in op.axes() if sizes(op.input)[a] != 1]
    if len(axes) == len(op.axes()) or not axes:
        return "none of its axes, or all of them, have size 1"
    return _again(op, op.input, axes, write)


@operand_is(ptir.ReduceOp)
def merge_reduces(op: ptir.ReduceOp, inner: ptir.ReduceOp, write: Writer) -> Result:
    if inner.kind != op.kind:
        return "its operand is not a reduction of the same kind"
    types = {element(inner.input), inner.accum, element(inner.result), op.accum}
    if len(types) != 1:
        return "the inner result is rounded, or has another type"
    if op.kind.data not in IDEMPOTENT and _is_inexact(op):
        return "the order of the sum would change"
    kept = [a for a in range(len(sizes(inner.input))) if inner.keepdims is not None or a not in inner.axes()]
    return _again(op, inner.input, sorted({*inner.axes(), *(kept[a] for a in op.axes())}), write)


@operand_is(ptir.TransposeOp)
def reduce_of_transpose(op: ptir.ReduceOp, inner: ptir.TransposeOp, write: Writer) -> Result:
    if not permutes_sizes(inner):
        return "the transpose's sizes are not known to be its operand's"
    perm, keep = inner.permutation(), op.keepdims is not None
    moved = [perm[a] for a in sorted(op.axes())]
    if moved != sorted(moved) and is_strict(op) and adds_floats(op.kind.data, op.accum):
        return "the order of the sum would change"
    axes = sorted(perm[a] for a in op.axes())
    stays = [a for a in range(len(perm)) if keep or a not in axes]
    order = [stays.index(p) for a, p in enumerate(perm) if keep or a not in op.axes()]
    return write.transpose(write.add(_like(op, inner.input, axes, keep)), order)


@operand_is(ptir.ReshapeOp)
def reduce_of_reshape(op: ptir.ReduceOp, inner: ptir.ReshapeOp, write: Writer) -> Result:
    before, after = known_sizes(sizes(inner.input)), known_sizes(sizes(inner.result))
    if before is None or after is None or 0 in before or None in sizes(op.result):
        return "a size is not known"
    axes: list[int] = []
    for new, old in factor_groups(after, before):
        reduced = [a in op.axes() for a in new if after[a] != 1]
        if any(reduced) and not all(reduced):
            return "a part of an axis is reduced"
        axes += old if any(reduced) else []
    return _again(op, inner.input, axes, write)


@operand_is(ptir.BroadcastToOp)
def reduce_of_broadcast(op: ptir.ReduceOp, inner: ptir.BroadcastToOp, write: Writer) -> Result:
    if not is_static_broadcast(inner) or not keeps_other_sizes(op):
        return "a size of the broadcast or of the result is not known"
    large, axes = sizes(inner.result), op.axes()
    full: tuple[Size, ...] = (1,) * (len(large) - len(sizes(inner.input))) + sizes(inner.input)
    once = op.kind.data in IDEMPOTENT
    needed = [
        many if a in axes and not (once and isinstance(many, int) and many > 0) else one
        for a, (one, many) in enumerate(zip(full, large, strict=True))
    ]
    if tuple(needed) == large:
        return "every repeated axis is reduced, and its repetitions count"
    source = write.reshape(inner.input, full)
    source = source if sizes(source) == tuple(needed) else write.add(ptir.BroadcastToOp(source, needed))
    reduced = write.add(_like(op, source, axes, op.keepdims is not None))
    return reduced if reduced.type == op.result.type else write.add(ptir.BroadcastToOp(reduced, sizes(op.result)))


def _again(op: ptir.ReduceOp, x: SSAValue, axes: Sequence[int], write: Writer) -> Result:
    """Writes the same kind of reduction of `x` over `axes`, reshaped to the shape of `op`'s result."""
    keep = op.keepdims is not None and len(sizes(x)) == len(sizes(op.result))
    fresh = _like(op, x, axes, keep)
    if sizes(fresh.result) != sizes(op.result) and not keeps_other_sizes(op):
        fresh.erase()
        return "a size is not known"
    return write.reshape(write.add(fresh), sizes(op.result))


def _like(op: ptir.ReduceOp, x: SSAValue, axes: Sequence[int], keepdims: bool) -> ptir.ReduceOp:
    return ptir.ReduceOp(op.kind.data, x, axes, keepdims=keepdims, accum=op.accum_dtype, out=op.out_dtype)


def _is_inexact(op: ptir.ReduceOp) -> bool:
    dtype = numpy_dtype(op.accum)
    return is_float(dtype) or is_complex(dtype)


# --- contractions -------------------------------------------------------------------------------


def absorb_transposes(op: ptir.DotGeneralOp, write: Writer) -> Result:
    """Contracts transposed operands along their original axes, if the transposes keep the free axes in order."""
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    left = _before(op.lhs, batch_lhs, contract_lhs, free_lhs)
    right = _before(op.rhs, batch_rhs, contract_rhs, free_rhs)
    if left is None and right is None:
        return "no operand is a transpose that keeps the order of its free axes"
    lhs, bl, cl = left or (op.lhs, batch_lhs, contract_lhs)
    rhs, br, cr = right or (op.rhs, batch_rhs, contract_rhs)
    precision = None if op.precision is None else op.precision.data
    return write.add(
        ptir.DotGeneralOp(lhs, rhs, (cl, cr), (bl, br), op.accum_dtype, op.out_dtype, op.result.type, precision)
    )


def _before(
    side: SSAValue, batch: Sequence[int], contract: Sequence[int], free: Sequence[int]
) -> tuple[SSAValue, list[int], list[int]] | None:
    """
    Returns the operand of the transpose that computes `side`, and its batch and contraction axes; None if `side` is not a transpose
    that keeps the `free` axes in order.
    """
    inner = side.owner
    if not isinstance(inner, ptir.TransposeOp) or not permutes_sizes(inner):
        return None
    perm = inner.permutation()
    moved = [perm[a] for a in free]
    if moved != sorted(moved):
        return None
    return inner.input, [perm[a] for a in batch], [perm[a] for a in contract]
