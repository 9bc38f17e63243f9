"""Takes the positive factor by which scores are multiplied out of them: it becomes part of the factor in the exponent, a multiply-add."""

from __future__ import annotations

from math import inf

from xdsl.dialects.builtin import Float32Type, FloatAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.regions.chained import MAX_FACTOR
from ...dialects import pto


def unscaled(x: SSAValue) -> tuple[SSAValue, float]:
    """Returns a tile of scores without the positive factor by which the last op, besides masks, multiplies them, and this factor."""
    match x.owner:
        case pto.SelOp(mask=mask, on_true=kept, on_false=none) as op if number_of(none) == -inf:
            inside, factor = unscaled(kept)
            if factor == 1.0:
                return x, factor
            masked = pto.SelOp(mask, inside, none)
            Rewriter.insert_op(masked, InsertPoint.after(op))
            return masked.result, factor
        case Operation(operands=(left, right)) as op if isinstance(op, pto.BINARY["mul"]):
            for value, factor in ((left, number_of(right)), (right, number_of(left))):
                if factor is not None and 1 / MAX_FACTOR <= factor <= MAX_FACTOR:
                    return value, factor
        case _:
            pass
    return x, 1.0


def number_of(tile: SSAValue) -> float | None:
    """Returns the number that fills a tile of f32, or None."""
    op = tile.owner
    if isinstance(op, pto.ExpandsOp) and isinstance(op.value, FloatAttr) and isinstance(op.value.type, Float32Type):
        return op.value.value.data
    return None


def remove_unused(body: Block) -> None:
    """Erases vector ops that became unused when a factor was moved."""
    for op in reversed(list(body.ops)):
        is_vector = bool(op.results) and isinstance(op.results[0].type, pto.TileType) and not isinstance(op, pto.WaitOp)
        if is_vector and not any(r.uses for r in op.results):
            Rewriter.erase_op(op)
