"""
Lowers contractions to sums of products.

```
ptir.dot_general %x, %w contract [1] x [0] accum f32      (4x8 bf16, 8x2 bf16)

  %a = movement reshape %x                                4x8x1 bf16
  %b = movement reshape %w                                1x8x2 bf16
  %c = unary cast %a, %d = unary cast %b                  f32, which holds every product
  %p = binary mul %c, %d                                  4x8x2 f32
  %r = reduce sum %p axes [1] accum f32                   4x2 f32
```

`product_type` chooses the type of the products: f32 for bf16, f64 for f32. With `precision tf32`, each operand is rounded by a
`unary tf32` first.

The product has one axis for each batch, free and contraction axis; none are collapsed, so that access maps stay permutations.
The result's axes are batch, free axes of lhs, free axes of rhs, in this order. The contraction axes may be anywhere among them, and
are placed so that the operands need the fewest permutes.

A convolution contracts the elements and channels of its windows, which are a view of the padded input. The product's axes
are batch, positions, groups, window, channels and features. Element `j` of the window at position `y` is at
`stride * y + dilation * j` in the padded input.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.common.strict import is_strict
from ...dialects.ptir.dims import sizes
from ..op_writer import static_sizes
from .reductions import Axes, padded, position_axes, strides_of
from .writer import Writer, zero


@dataclass(frozen=True)
class Layout:
    """
    The axes of a contraction's product, each as (axis of lhs, axis of rhs). None means that the operand lacks the axis and is
    reshaped to size 1 there. `summed` are the positions of the contraction axes.
    """

    axes: tuple[tuple[int | None, int | None], ...]
    summed: tuple[int, ...]

    @property
    def left(self) -> list[int]:
        """The axes of lhs in the order of the product's axes."""
        return [a for a, _ in self.axes if a is not None]

    @property
    def right(self) -> list[int]:
        return [b for _, b in self.axes if b is not None]

    @property
    def permutes(self) -> int:
        """The number of operands that need a permute."""
        return sum(list(side) != sorted(side) for side in (self.left, self.right))


def choose_layout(op: ptir.DotGeneralOp) -> Layout:
    """
    Returns the order of the product's axes that needs the fewest permutes. Candidates place the contraction axes before the
    free axes of rhs (as the spec writes a GEMM), last, or before the free axes of lhs, and order them as given, by lhs, or
    by rhs; strict floats are added in the given order. Ties go to the first candidate.
    """
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    batch = list(zip(batch_lhs, batch_rhs, strict=True))
    left = [(a, None) for a in free_lhs]
    right = [(None, b) for b in free_rhs]
    given = list(zip(contract_lhs, contract_rhs, strict=True))
    layouts: list[Layout] = []
    orders = (given, sorted(given), sorted(given, key=lambda p: p[1]))[: 1 if is_strict(op) else 3]
    for pairs, at in product(orders, (1, 2, 0)):
        groups: list[list[Any]] = [left, right]
        groups.insert(at, pairs)
        axes: tuple[tuple[int | None, int | None], ...] = tuple(batch + [a for group in groups for a in group])
        layouts.append(Layout(axes, tuple(i for i, a in enumerate(axes) if a in pairs)))
    return min(layouts, key=lambda layout: layout.permutes)


def dot_general(op: ptir.DotGeneralOp, write: Writer) -> SSAValue:
    layout = choose_layout(op)
    precision = None if op.precision is None else op.precision.data
    product = write.product_type(op.lhs, op.rhs, op.accum, precision)
    factors: list[SSAValue] = []
    for value, order, side in ((op.lhs, layout.left, 0), (op.rhs, layout.right, 1)):
        of, moved = sizes(value), write.permute(value, order)
        placed = write.reshape(moved, [1 if (a := pair[side]) is None else of[a] for pair in layout.axes])
        rounded = placed if precision is None else write.unary(precision, placed)
        factors.append(write.factor(rounded, product))
    total = write.reduce("sum", write.binary("mul", *factors), layout.summed, op.accum)
    return write.cast(total, element(op.result))


def convolution(op: ptir.ConvolutionOp, write: Writer) -> SSAValue:
    windows, groups = op.windows(), op.group_count
    x, batch, channels = op.input, static_sizes(op.input)[0], static_sizes(op.input)[-1]
    *window, share, features = static_sizes(op.filter)
    padded_x = padded(write, x, [None, *windows, None], zero(element(x)))
    row, *strides, last = strides_of(padded_x)
    positions = position_axes(windows, strides, static_sizes(x)[1:-1])
    inside: Axes = [(w.size, w.dilation * s) for w, s in zip(windows, strides, strict=True) if w.size > 1]
    runs: Axes = [(groups, share * last)] if groups > 1 else []
    kept: Axes = [(batch, row), *positions, *runs]
    left = write.view(padded_x, [*kept, *inside, (channels // groups, last), (1, 0)])
    right, rank = op.filter, len(inside) + 1
    taps = [*(size for size in window if size > 1), share]
    if runs:
        apart = write.reshape(right, [*taps, groups, features // groups])
        right = write.permute(apart, [rank, *range(rank), rank + 1])
    before = [*[1] * (1 + len(windows)), *(size for size, _ in runs)]
    right = write.reshape(right, [*before, *taps, features // groups])
    precision = None if op.precision is None else op.precision.data
    dtype = write.product_type(op.input, op.filter, op.accum, precision)
    rounded = [side if precision is None else write.unary(precision, side) for side in (left, right)]
    product = write.binary("mul", *(write.factor(side, dtype) for side in rounded))
    total = write.reduce("sum", product, range(len(kept), len(kept) + rank), op.accum)
    return write.reshape(write.cast(total, element(op.result)), sizes(op.result))
