"""Decomposes reductions."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import sizes
from .draft import Declined, Draft

BYTE = IntegerType(8, Signedness.UNSIGNED)


def logical_reduce(op: ptir.ReduceOp, draft: Draft) -> SSAValue:
    """`any` is the maximum of zeros and ones, `all` the minimum; over no elements they are 0 and 255."""
    kind = {"any": "max", "all": "min"}.get(op.kind.data)
    if kind is None:
        raise Declined(f"{op.kind.data} has no other form")
    numbers = draft.cast(op.input, BYTE)
    reduced = draft.add(ptir.ReduceOp(kind, numbers, op.axes(), keepdims=op.keepdims is not None, accum=BYTE, out=BYTE))
    return draft.cast(draft.compare("ne", reduced, draft.splat(0, reduced)), element(op.result))


def layer_norm(op: ptir.LayerNormOp, draft: Draft) -> SSAValue:
    """Writes the formula of the op's docstring."""
    x, accum, axis, of = op.input, op.accum, op.axis, sizes(op.input)
    if not isinstance(of[axis], int):
        raise Declined("the number of features is not known")

    def mean(v: SSAValue) -> SSAValue:
        total = draft.add(ptir.ReduceOp("sum", v, [axis], keepdims=True, accum=accum, out=accum))
        return draft.add(ptir.DivOp(total, draft.splat(float(of[axis] or 0), total)))

    def along(v: SSAValue) -> SSAValue:
        placed = draft.reshape(draft.cast(v, accum), [s if a == axis else 1 for a, s in enumerate(of)])
        return draft.broadcast(placed, of)

    v = draft.cast(x, accum)
    d = draft.add(ptir.SubOp(v, draft.broadcast(mean(v), of)))
    variance = mean(draft.add(ptir.MulOp(d, d)))
    root = draft.add(ptir.RsqrtOp(draft.add(ptir.AddOp(variance, draft.splat(op.epsilon.value.data, variance)))))
    y = draft.add(ptir.MulOp(d, draft.broadcast(root, of)))
    scaled = draft.add(ptir.MulOp(y, along(op.gamma)))
    return draft.cast(draft.add(ptir.AddOp(scaled, along(op.beta))), element(x))
