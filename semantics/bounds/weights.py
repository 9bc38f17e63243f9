"""
Roundings of the weights of a softmax.

A kernel of attention divides the sum of a row, not each weight of it, and subtracts the largest of the scores that it has seen: a
program's `round(e / s) · v` becomes `round(c · e) · v / (c · s)` for some factor c of the row. Both round with the same relative error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, widens_exactly
from ...dialects.ptir.base import ElementwiseOp
from ..arrays.scalars import is_float, numpy_dtype

BETWEEN = (
    *(ElementwiseOp, ptir.CastOp, ptir.SelectOp, ptir.MovementOp),
    *(tiny.UnaryOp, tiny.BinaryOp, tiny.MovementOp),
)
"""The ops that may stand between scores and weights, and between weights and the contraction that sums them."""


def rounds_weights(op: Operation) -> bool:
    """Returns whether a cast rounds what is computed from exponentials and a reduction of their rows, for a contraction."""
    src, dst = element(op.operands[0]), element(op.results[0])
    if not (is_float(numpy_dtype(src)) and is_float(numpy_dtype(dst))) or widens_exactly(src, dst):
        return False
    sources = _reached(op, lambda o: (v.owner for v in o.operands if isinstance(v.owner, Operation)))
    return (
        any(map(_is_exponential, sources))
        and any(isinstance(o, ptir.ReduceOp | tiny.ReduceOp) and not _is_contraction(o) for o in sources)
        and any(map(_is_contraction, _reached(op, lambda o: (use.operation for v in o.results for use in v.uses))))
    )


def _reached(op: Operation, following: Callable[[Operation], Iterable[Operation]]) -> set[Operation]:
    """Returns the ops reached from `op` through those `BETWEEN`, and the first ones that are not."""
    seen, pending = {op}, [op]
    while pending:
        if isinstance(o := pending.pop(), BETWEEN):
            found = set(following(o)) - seen
            seen |= found
            pending.extend(found)
    return seen


def _is_exponential(op: Operation) -> bool:
    return isinstance(op, ptir.ExpOp | ptir.Exp2Op) or (isinstance(op, tiny.UnaryOp) and op.fn.data in ("exp", "exp2"))


def _is_contraction(op: Operation) -> bool:
    match op:
        case tiny.ReduceOp(input=x):
            return isinstance(x.owner, tiny.BinaryOp) and x.owner.fn.data == "mul"
        case _:
            return isinstance(op, ptir.DotGeneralOp)
