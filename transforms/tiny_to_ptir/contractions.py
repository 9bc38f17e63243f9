"""
A sum of products, as `dot_general` where that multiplies in the same type.

```
%a = movement reshape %x      4x8x1                 kept by both: batch       kept by one: free
%b = movement reshape %w      1x8x2          →      summed by both: contract
%p = binary mul %a, %b        4x8x2                 summed by one: the other is repeated along it, then contract
%r = reduce sum %p axes [1]   4x2
                                                    ptir.dot_general %x, %w contract [1] x [0]
```

Exact casts, repeated axes, axes of size 1 and the rounding of both operands to tf32 are the contraction's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import are_paired, element, product_type
from ...dialects.ptir.base import default_accum
from ...dialects.ptir.dims import Size, sizes
from ...dialects.tiny.elementwise import joint_sizes
from ..ptir_decompose.draft import Declined
from .writer import Writer

Labels = list[int | None]
"""For each axis of a value that of the product; None if there is one element along it, and in the product there are more."""


def contraction(op: tiny.ReduceOp, product: tiny.BinaryOp, write: Writer) -> SSAValue:
    """What stands for the sum `op` of a product."""
    shape, summed = sizes(product.result), op.axes()
    lhs, rhs = product.inputs
    (lhs, rhs), precision = _factors(*_unrepeated(lhs, rhs, shape), op.accum)
    sides = [(value, _aligned(value, len(shape))) for value in _unrepeated(lhs, rhs, shape)]
    for axis in summed:
        for k, (value, of) in enumerate(sides):
            if of[axis] == 1 != (size := sides[1 - k][1][axis]):
                of[axis] = size
                sides[k] = write.fit(value, of), of
    (left, a), (right, b) = (_labelled(value, of, shape) for value, of in sides)
    shared = [axis for axis in a if axis is not None and axis in b]
    contract, batch = ([axis for axis in shared if (axis in summed) == wanted] for wanted in (True, False))
    mixed = element(left) != element(right)
    dot = ptir.DotGeneralOp(
        left,
        right,
        ([a.index(axis) for axis in contract], [b.index(axis) for axis in contract]),
        ([a.index(axis) for axis in batch], [b.index(axis) for axis in batch]),
        op.accum if mixed or op.accum != default_accum(element(left)) else None,
        op.accum if mixed or op.accum != element(left) else None,
        precision=precision,
    )
    labels: Labels = [*batch, *(axis for axis in (*a, *b) if axis is None or axis not in shared)]
    return _in_order(write.add(dot), labels, sizes(op.result), write)


def _aligned(value: SSAValue, rank: int) -> list[Size]:
    """The sizes along the axes of the product, 1 for those that the value lacks."""
    return [*[1] * (rank - len(sizes(value))), *sizes(value)]


def _labelled(value: SSAValue, of: list[Size], shape: Sequence[Size]) -> tuple[SSAValue, Labels]:
    """The operand, as it was before axes of one element were added to it."""
    before = _moved(value, "reshape")
    if before and [s for s in sizes(before) if s != 1] == [s for s in of if s != 1]:
        value = before
    labels, axis = Labels(), 0
    for size in sizes(value):
        while size != 1 and of[axis] == 1:
            axis += 1
        here = axis < len(of) and of[axis] == size
        labels.append(axis if here and shape[axis] == size else None)
        axis += here
    return value, labels


def _in_order(total: SSAValue, labels: Labels, to: Sequence[Size], write: Writer) -> SSAValue:
    """The contraction with its axes as the product has them."""
    order = [axis for axis in labels if axis is not None]
    if order != sorted(order):
        kept = [size for size, axis in zip(sizes(total), labels, strict=True) if axis is not None]
        total = write.transpose(write.reshape(total, kept), [order.index(axis) for axis in sorted(order)])
    return write.reshape(total, to)


def _unrepeated(lhs: SSAValue, rhs: SSAValue, shape: Sequence[Size]) -> tuple[SSAValue, SSAValue]:
    """Both as they were before they were repeated along axes that the other has."""
    if (before := _moved(lhs, "expand")) and joint_sizes(None, [sizes(before), sizes(rhs)]) == shape:
        lhs = before
    if (before := _moved(rhs, "expand")) and joint_sizes(None, [sizes(lhs), sizes(before)]) == shape:
        rhs = before
    return lhs, rhs


def _factors(lhs: SSAValue, rhs: SSAValue, accum: Attribute) -> tuple[tuple[SSAValue, SSAValue], str | None]:
    """The operands that a `dot_general` multiplies as the program does, and its precision: before tf32, casts, or as they are."""
    for fn, precision in (("tf32", "tf32"), ("cast", None), (None, None)):
        sides = (lhs, rhs) if fn is None else (_argument(lhs, fn), _argument(rhs, fn))
        if (left := sides[0]) is None or (right := sides[1]) is None or not are_paired(element(left), element(right)):
            continue
        if product_type(element(left), element(right), accum, precision) == element(lhs):
            return (left, right), precision
    raise Declined(f"a dot_general of {element(lhs)} in {accum} multiplies in another type")


def _moved(value: SSAValue, kind: str) -> SSAValue | None:
    """What `value` is a movement of this kind of."""
    op = value.owner
    return op.input if isinstance(op, tiny.MovementOp) and op.kind.data == kind else None


def _argument(value: SSAValue, fn: str) -> SSAValue | None:
    """What `value` is this function of."""
    op = value.owner
    return op.input if isinstance(op, tiny.UnaryOp) and op.fn.data == fn else None
