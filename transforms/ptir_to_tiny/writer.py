"""Writing the tiny ops that stand for a `ptir` op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from xdsl.ir import Attribute, Operation, SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import tiny
from ...dialects.common.shapes import element, is_float, is_predicate, product_type, widens_exactly
from ...dialects.ptir import ScalarAttr
from ...dialects.ptir.dims import Size, sizes
from ...dialects.ptir.domains import is_complex, is_integer
from ...dialects.ptir.scalars import Number
from ..errors import NoProductType

Row = Callable[[Any, "Writer"], SSAValue]
"""What stands for the result of an op; it raises `Refused` or a `PtirError` where nothing does."""
TinyOp = tiny.ConstOp | tiny.IotaOp | tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp | tiny.ReduceOp


class Refused(Exception):
    """What keeps an op from having a form in tiny, and what to do about it."""

    def __init__(self, why: str = "", help: str = "give its dimensions numbers, or compute it outside of kernels"):
        super().__init__(why)
        self.help = help


@dataclass
class Writer:
    """Writes the tiny ops that stand for `source`, at its location; what changes nothing is not written."""

    source: Operation
    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: TinyOp) -> SSAValue:
        """Raises the `VerifyError` of an op that does not verify: tiny cannot say it."""
        op.location = self.source.location
        self.ops.append(op)
        op.verify()
        return op.result

    def drop(self) -> None:
        """Forgets what is written."""
        while self.ops:
            self.ops.pop().erase()

    # --- movements ------------------------------------------------------------------------------

    def reshape(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        """A `?` is inferred, which the run cannot beside a size of 0."""
        if None in to and not all(s is None or (isinstance(s, int) and s > 0) for s in to):
            raise Refused("a ? is not to be inferred beside a size that may be 0")
        return x if _is(x, to) else self.add(tiny.MovementOp.reshape(x, to))

    def permute(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        return x if list(perm) == list(range(len(perm))) else self.add(tiny.MovementOp.permute(x, perm))

    def expand(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        return x if _is(x, to) else self.add(tiny.MovementOp.expand(x, to))

    def pad(self, x: SSAValue, low: Sequence[int], high: Sequence[int], value: ScalarAttr) -> SSAValue:
        return self.add(tiny.MovementOp.pad(x, low, high, value)) if any(low) or any(high) else x

    def shrink(self, x: SSAValue, start: Sequence[int], to: Sequence[Size]) -> SSAValue:
        return x if _is(x, to) else self.add(tiny.MovementOp.shrink(x, start, to))

    def view(self, x: SSAValue, axes: Sequence[tuple[int, int]]) -> SSAValue:
        """The size of each axis, and how many elements of `x` a step along it goes; a reshape where that is one."""
        to = [size for size, _ in axes]
        rows = [size for size in to if size != 1]
        whole = prod(rows) == prod(numbers(x))
        if whole and [stride for size, stride in axes if size != 1] == row_major_strides(rows):
            return self.reshape(x, to)
        return self.add(tiny.MovementOp.view(x, to, [0 if size == 1 else stride for size, stride in axes]))

    # --- elements -------------------------------------------------------------------------------

    def literal(self, value: Number, dtype: Attribute) -> SSAValue:
        """A number without axes."""
        return self.add(tiny.ConstOp(ScalarAttr.of(value, dtype).dense))

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(tiny.UnaryOp("cast", x, dtype))

    def product_type(self, lhs: SSAValue, rhs: SSAValue, accum: Attribute, precision: str | None = None) -> Attribute:
        """The type in which a contraction multiplies its operands."""
        types = element(lhs), element(rhs)
        if (dtype := product_type(*types, accum, precision)) is None:
            raise NoProductType(self.source, what=self.source.name, lhs=types[0], rhs=types[1], accum=accum)
        return dtype

    def unary(self, fn: str, x: SSAValue, dtype: Attribute | None = None) -> SSAValue:
        return self.add(tiny.UnaryOp(fn, x, dtype))

    def binary(self, fn: str, *inputs: SSAValue) -> SSAValue:
        return self.add(tiny.BinaryOp(fn, *inputs))

    def reduce(self, fn: str, x: SSAValue, axes: Sequence[int], accum: Attribute) -> SSAValue:
        """Of no axes too: a sum of one term, which begins at 0 as every sum does, is never -0. It wraps, where a cast saturates."""
        if not axes and fn == "sum" and is_integer(accum) and not widens_exactly(element(x), accum):
            x, axes = self.reshape(x, [*sizes(x), 1]), [len(sizes(x))]
        if axes:
            return self.add(tiny.ReduceOp(fn, x, axes, accum))
        term = self.cast(x, accum)
        if fn != "sum" or not (is_float(accum) or is_complex(accum)):
            return term
        return self.binary("add", term, self.add(tiny.ConstOp(zero(accum).dense)))


def numbers(value: SSAValue) -> tuple[int, ...]:
    """The sizes, which must be numbers."""
    of = sizes(value)
    known = tuple(s for s in of if isinstance(s, int))
    if len(known) != len(of):
        raise Refused(f"{value.type} has sizes that are not numbers")
    return known


def zero(dtype: Attribute) -> ScalarAttr:
    """What operands are padded with where nobody reads it, or adds it."""
    return ScalarAttr.of(False if is_predicate(dtype) else 0, dtype)


def _is(x: SSAValue, to: Sequence[Size]) -> bool:
    return sizes(x) == tuple(to) and None not in to
