"""The writer of the tiny ops that replace a `ptir` op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness, f32, f64
from xdsl.ir import Attribute, SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_complex, is_float, is_predicate, product_type, widens_exactly
from ...dialects.common.strict import is_strict
from ...dialects.plan.choice import CHOICE
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.dims import Size, sizes
from ...dialects.ptir.domains import is_integer
from ...dialects.ptir.functions import bit_width
from ...dialects.ptir.scalars import Number
from ..op_writer import Declined, OpWriter, static_sizes

POSITION = IntegerType(32, Signedness.SIGNED)
"""The type of positions along an axis."""
POSITIONS = 2**31
"""Maximum number of positions of type `POSITION` along an axis."""
U32, U64 = (IntegerType(width, Signedness.UNSIGNED) for width in (32, 64))

Row = Callable[[Any, "Writer"], SSAValue | tuple[SSAValue, ...]]
"""
The lowering of an op: writes its tiny ops and returns the result, or the results. Raises `Declined` or a `PtirError` if tiny cannot express it.
"""


class Writer(OpWriter):
    """Writes tiny ops, except for movements and casts that would change nothing."""

    verifies = True

    # --- movements ------------------------------------------------------------------------------

    def reshape(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        """Adds a reshape. One `?` in `to` is inferred at run time; next to a size that may be 0 it would be ambiguous."""
        if None in to and not all(s is None or (isinstance(s, int) and s > 0) for s in to):
            raise Declined("a ? cannot be inferred next to a size that may be 0")
        return x if _has_sizes(x, to) else self.add(tiny.MovementOp.reshape(x, to))

    def permute(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        return x if list(perm) == list(range(len(perm))) else self.add(tiny.MovementOp.permute(x, perm))

    def expand(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        return x if _has_sizes(x, to) else self.add(tiny.MovementOp.expand(x, to))

    def pad(self, x: SSAValue, low: Sequence[int], high: Sequence[int], value: ScalarAttr) -> SSAValue:
        return self.add(tiny.MovementOp.pad(x, low, high, value)) if any(low) or any(high) else x

    def shrink(self, x: SSAValue, start: Sequence[int], to: Sequence[Size]) -> SSAValue:
        return x if _has_sizes(x, to) else self.add(tiny.MovementOp.shrink(x, start, to))

    def view(self, x: SSAValue, axes: Sequence[tuple[int, int]], offset: int = 0) -> SSAValue:
        """
        Adds a view with `axes`, each as (size, stride in elements of `x`), of the elements from `offset`; adds a reshape instead if that
        is the same.
        """
        to = [size for size, _ in axes]
        rows = [size for size in to if size != 1]
        whole = prod(rows) == prod(static_sizes(x))
        if whole and [stride for size, stride in axes if size != 1] == row_major_strides(rows):
            return self.reshape(x, to)
        return self.add(tiny.MovementOp.view(x, to, [0 if size == 1 else stride for size, stride in axes], offset))

    # --- indices --------------------------------------------------------------------------------

    def count(self, dtype: Attribute, rank: int, axis: int, size: int) -> SSAValue:
        """Adds a tensor that counts 0, 1, 2, … along `axis`, and has size 1 along all other axes."""
        return self.add(tiny.IotaOp(dtype, [size if a == axis else 1 for a in range(rank)], axis))

    def checked(self, index: SSAValue, extent: int) -> SSAValue:
        """Adds the check that `0 <= index < extent`, which is one comparison of unsigned integers, and returns the index."""
        width = bit_width(element(index))
        unsigned = IntegerType(width, Signedness.UNSIGNED)
        inside = self.binary("lt", self.bitcast(index, unsigned), self.literal(min(extent, 2 ** (width - 1)), unsigned))
        return self.binary("require_index", inside, index)

    def at(self, x: SSAValue, positions: SSAValue, axis: int | None = None) -> SSAValue:
        """
        Adds a read of `x` at unsigned positions along an axis, the last one by default. Positions that are too large count as the last
        one. Along other axes they have the sizes of `x`, or 1.
        """
        of = list(static_sizes(x))
        axis = len(of) - 1 if axis is None else axis
        inside = self.binary("min", positions, self.literal(of[axis] - 1, element(positions)))
        of[axis] = static_sizes(positions)[axis]
        return self.add(ptir.GatherOp(x, self.expand(self.cast(inside, POSITION), of), axis))

    # --- elements -------------------------------------------------------------------------------

    def literal(self, value: Number, dtype: Attribute) -> SSAValue:
        """Adds a constant of rank 0."""
        return self.add(tiny.ConstOp(ScalarAttr.of(value, dtype).dense))

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(tiny.UnaryOp("cast", x, dtype))

    def bitcast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(tiny.UnaryOp("bitcast", x, dtype))

    def product_type(self, lhs: SSAValue, rhs: SSAValue, accum: Attribute, precision: str | None = None) -> Attribute:
        """
        Returns the type in which a contraction multiplies its operands: `ui64` for si64 and ui64, modulo 2^64, as sums wrap; f64 for
        strict floats, where products do not overflow either.
        """
        types = element(lhs), element(rhs)
        if is_float(accum) and is_strict(self.source):
            return f64
        return product_type(*types, accum, precision) or IntegerType(64, Signedness.UNSIGNED)

    def factor(self, x: SSAValue, product: Attribute) -> SSAValue:
        """
        Converts an operand of a contraction to the type of the products: si64 to ui64 by its bits, others by an exact cast. Strict floats
        of less than 32 bits become f32 first, in which they are multiplied.
        """
        if is_integer(product) and not widens_exactly(element(x), product):
            return self.bitcast(x, product)
        if product == f64 and element(x) != f64 and is_strict(self.source):
            x = self.cast(x, f32)
        return self.cast(x, product)

    def unary(self, fn: str, x: SSAValue, dtype: Attribute | None = None) -> SSAValue:
        return self.add(tiny.UnaryOp(fn, x, dtype))

    def binary(self, fn: str, *inputs: SSAValue) -> SSAValue:
        return self.add(tiny.BinaryOp(fn, *inputs))

    def reduce(self, fn: str, x: SSAValue, axes: Sequence[int], accum: Attribute) -> SSAValue:
        """
        Adds a reduction. A reduction over no axes is a cast, with two exceptions: a sum starts at +0, so that its result
        is never -0, and integer sums wrap where casts saturate. It keeps the algorithm that the source asks for.
        """
        if not axes and fn == "sum" and is_integer(accum) and not widens_exactly(element(x), accum):
            x, axes = self.reshape(x, [*sizes(x), 1]), [len(sizes(x))]
        if axes:
            reduce = tiny.ReduceOp(fn, x, axes, accum)
            if (choice := self.source.attributes.get(CHOICE)) is not None:
                reduce.attributes[CHOICE] = choice
            return self.add(reduce)
        term = self.cast(x, accum)
        if fn != "sum" or not (is_float(accum) or is_complex(accum)):
            return term
        return self.binary("add", term, self.add(tiny.ConstOp(zero(accum).dense)))


def zero(dtype: Attribute) -> ScalarAttr:
    """Returns the zero of `dtype`, or false: the padding for elements that are added or never read."""
    return ScalarAttr.of(False if is_predicate(dtype) else 0, dtype)


def _has_sizes(x: SSAValue, to: Sequence[Size]) -> bool:
    return sizes(x) == tuple(to) and None not in to
