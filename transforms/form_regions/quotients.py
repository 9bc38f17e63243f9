"""
Moves the quotient of attention from the result to the weights, so that `analysis/regions/attention.py` finds it:

```
(Σ_k e(q, k) · V(k, d)) / Σ_k e(q, k)      →      Σ_k (e(q, k) / Σ_k e(q, k)) · V(k, d)          e = exp(…)
```

It moves only if the exponentials are relative to the maximum of their row. The kernel of attention divides the result anyway; without such a
kernel, the softmax is stored as one array instead of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import f16, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...analysis.index import affine
from ...analysis.index.book import IndexBook, index_book
from ...analysis.regions.contraction import Contraction, contractions
from ...analysis.regions.moved import broadcast, moved, origin
from ...analysis.regions.passes import Passes, scaled
from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.ptir.dims import sizes, tensor_type


def move_quotients(function: FuncOp) -> None:
    """Divides the weights where a function divides the product of the numerators with the values by their sum."""
    book, found, block = index_book(function), contractions(function), function.body.block
    matches = [(op, match) for op in block.ops if (match := _match(op, book, found)) is not None]
    for quotient, (numerator, e, total) in matches:
        sizes, (axis,) = shape(e), total.axes()
        (use,) = (use for use in e.uses if use.operation is not total)
        kept = tiny.MovementOp.reshape(total.result, [1 if k == axis else n for k, n in enumerate(sizes)])
        wide = tiny.MovementOp.expand(kept.result, sizes)
        weights = tiny.BinaryOp("div", e, wide.result)
        total.detach()  # the product may come before the sum
        block.insert_ops_after([total, kept, wide, weights], cast(Operation, e.owner))
        use.operation.operands[use.index] = weights.result
        _keep_small(use.operation)
        quotient.results[0].replace_all_uses_with(numerator)
        erase_unused(quotient)


def _keep_small(op: Operation) -> None:
    """Casts weights to f16 if the program casts the numerators to fp8, in which most weights of a long row would be zero."""
    while isinstance(element(value := op.results[0]), FLOAT8):
        (use,) = value.uses
        Rewriter.replace_value_with_new_type(value, tensor_type(f16, sizes(value)))
        op = use.operation


def erase_unused(op: Operation) -> None:
    """Erases an op without uses, and the ops that only it used."""
    operands = dict.fromkeys(op.operands)
    Rewriter.erase_op(op)
    for value in operands:
        if isinstance(value.owner, tiny.UnaryOp | tiny.MovementOp) and not value.uses:
            erase_unused(value.owner)


def _match(
    op: Operation, book: IndexBook, found: Mapping[SSAValue, Contraction]
) -> tuple[SSAValue, SSAValue, tiny.ReduceOp] | None:
    """Returns the numerator of a quotient, the exponentials of which it is the product with values, and their sum; None for other ops."""
    if not isinstance(op, tiny.BinaryOp) or op.fn.data not in ("div", "mul"):
        return None
    for numerator, divisor in (tuple(op.operands), tuple(reversed(op.operands)))[: 1 + (op.fn.data == "mul")]:
        if origin(numerator) not in found:
            continue
        sizes = shape(op.result)
        out, at = moved(numerator, broadcast(numerator, sizes), sizes, book)
        total, there = moved(divisor, broadcast(divisor, sizes), sizes, book)
        if op.fn.data == "mul":
            if not isinstance(inverse := total.owner, tiny.UnaryOp) or inverse.fn.data != "recip":
                continue
            total, there = moved(inverse.input, there, sizes, book)
        c, sum = found[out], total.owner
        if not isinstance(sum, tiny.ReduceOp) or sum.fn.data != "sum" or len(sum.axes()) != 1:
            continue
        for side in (c.lhs, c.rhs):
            e, rows = moved(side.value, side.map, c.sizes, book)
            if (
                e is not sum.input
                or side.guard is not None
                or not _is_softmax(e, sum, book)
                or not _feeds_only(e, sum, op)
            ):
                continue
            rows = rows.drop_dims(isl.dim_type.out, sum.axes()[0], 1)
            kept = [f"i{k}" if k < c.rank else "0" for k in range(len(c.sizes))]
            of_out = affine.compose(rows, affine.make_map(c.rank, kept), c.sizes[: c.rank])
            summed = any(affine.uses_axis(rows, k) for k in c.k)
            if not summed and affine.equal_on(sizes, affine.compose(of_out, at, sizes), there):
                return numerator, e, sum
    return None


def _is_softmax(e: SSAValue, sum: tiny.ReduceOp, book: IndexBook) -> bool:
    """Returns whether a value is an exponential relative to the maximum along the axis of its sum, so that neither overflows."""
    op = e.owner
    if not isinstance(op, tiny.UnaryOp) or op.fn.data not in ("exp", "exp2") or element(e) != f32:
        return False
    return Passes(book).shifted_by_maximum(scaled(op.input)[0], sum.axes()) is not None


def _feeds_only(e: SSAValue, sum: tiny.ReduceOp, quotient: tiny.BinaryOp) -> bool:
    """Returns whether, besides its sum, a value is used by one chain of ops only, which ends in a quotient."""
    uses = [use for use in e.uses if use.operation is not sum]
    while len(uses) == 1 and (op := uses[0].operation) is not quotient and len(op.results) == 1:
        uses = list(op.results[0].uses)
    return len(uses) == 1 and uses[0].operation is quotient
