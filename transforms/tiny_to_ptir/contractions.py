"""
Replaces a sum of products by a `dot_general`, if `dot_general` multiplies in the product's type.

```
%a = movement reshape %x      4x8x1
%b = movement reshape %w      1x8x2          →      ptir.dot_general %x, %w contract [1] x [0]
%p = binary mul %a, %b        4x8x2
%r = reduce sum %p axes [1]   4x2
```

An axis of the product that is not summed is a batch axis if both operands have it, and a free axis if only one operand has it. A
summed axis is a contraction axis; an operand that lacks it is broadcast along it first. Exact casts, broadcasts, axes of size 1 and
the rounding of both operands to tf32 become part of the contraction.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import are_paired, element, product_type
from ...dialects.ptir.base import default_accum
from ...dialects.ptir.dims import Size, sizes
from ...dialects.tiny.elementwise import joint_sizes
from ..op_writer import Declined
from .table import Writer

Labels = list[int | None]
"""The product's axis for each axis of a value; None for an axis of size 1 along which the product has more elements."""


def contraction(op: tiny.ReduceOp, product: tiny.BinaryOp, write: Writer) -> SSAValue:
    """Writes the contraction that replaces `op`, the sum of `product`, and returns its result. Raises `Declined`."""
    shape, summed = sizes(product.result), op.axes()
    lhs, rhs = product.inputs
    (lhs, rhs), precision = _factors(*_without_expands(lhs, rhs, shape), op.accum)
    sides = [(value, _aligned(value, len(shape))) for value in _without_expands(lhs, rhs, shape)]
    for axis in summed:
        for k, (value, lengths) in enumerate(sides):
            if lengths[axis] == 1 != (size := sides[1 - k][1][axis]):
                lengths[axis] = size
                sides[k] = write.fit(value, lengths), lengths
    (left, a), (right, b) = (_labelled(value, lengths, shape) for value, lengths in sides)
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
    """Returns the sizes of `value` along the product's `rank` axes; leading axes that it lacks have size 1."""
    return [*[1] * (rank - len(sizes(value))), *sizes(value)]


def _labelled(value: SSAValue, lengths: list[Size], shape: Sequence[Size]) -> tuple[SSAValue, Labels]:
    """
    Returns the operand before a reshape that inserts axes of size 1, and its labels. `lengths` are its sizes from `_aligned`,
    `shape` is the product's.
    """
    before = _movement_input(value, "reshape")
    if before and [s for s in sizes(before) if s != 1] == [s for s in lengths if s != 1]:
        value = before
    labels, axis = Labels(), 0
    for size in sizes(value):
        while size != 1 and lengths[axis] == 1:
            axis += 1
        here = axis < len(lengths) and lengths[axis] == size
        labels.append(axis if here and shape[axis] == size else None)
        axis += here
    return value, labels


def _in_order(total: SSAValue, labels: Labels, to: Sequence[Size], write: Writer) -> SSAValue:
    """Transposes and reshapes the contraction `total` to the order of the product's axes and the sizes `to`."""
    order = [axis for axis in labels if axis is not None]
    if order != sorted(order):
        kept = [size for size, axis in zip(sizes(total), labels, strict=True) if axis is not None]
        total = write.transpose(write.reshape(total, kept), [order.index(axis) for axis in sorted(order)])
    return write.reshape(total, to)


def _without_expands(lhs: SSAValue, rhs: SSAValue, shape: Sequence[Size]) -> tuple[SSAValue, SSAValue]:
    """Returns both operands, each without its `expand` if the product broadcasts the operand anyway."""
    if (before := _movement_input(lhs, "expand")) and joint_sizes(None, [sizes(before), sizes(rhs)]) == shape:
        lhs = before
    if (before := _movement_input(rhs, "expand")) and joint_sizes(None, [sizes(lhs), sizes(before)]) == shape:
        rhs = before
    return lhs, rhs


def _factors(lhs: SSAValue, rhs: SSAValue, accum: Attribute) -> tuple[tuple[SSAValue, SSAValue], str | None]:
    """
    Returns the operands and the precision of an equivalent `dot_general`: the operands before they are rounded to tf32, before they
    are cast, or unchanged. Raises `Declined` if there is none.
    """
    for fn, precision in (("tf32", "tf32"), ("cast", None), (None, None)):
        sides = (lhs, rhs) if fn is None else (_argument(lhs, fn), _argument(rhs, fn))
        if (left := sides[0]) is None or (right := sides[1]) is None or not are_paired(element(left), element(right)):
            continue
        if product_type(element(left), element(right), accum, precision) == element(lhs):
            return (left, right), precision
    raise Declined(f"a dot_general of {element(lhs)} in {accum} multiplies in another type")


def _movement_input(value: SSAValue, kind: str) -> SSAValue | None:
    """Returns the input of the movement that defines `value`, if it is of this `kind`, or None."""
    op = value.owner
    return op.input if isinstance(op, tiny.MovementOp) and op.kind.data == kind else None


def _argument(value: SSAValue, fn: str) -> SSAValue | None:
    """Returns the input of the unary op that defines `value`, if its function is `fn`, or None."""
    op = value.owner
    return op.input if isinstance(op, tiny.UnaryOp) and op.fn.data == fn else None
