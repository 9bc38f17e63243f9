"""Writers, which collect the ops that replace one op, at the location of that op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.exceptions import VerifyException

from ..dialects import ptir
from ..dialects.common.shapes import element, is_predicate
from ..dialects.ptir.dims import Size, known_sizes, sizes
from ..dialects.ptir.scalars import Number
from ..errors import message_of

W = TypeVar("W", bound="OpWriter")


class Declined(Exception):
    """Raised if an op cannot be rewritten. The message is the reason; `help` says what the user can do."""

    def __init__(self, why: str = "", help: str = "give its dimensions static sizes, or compute it outside of kernels"):
        super().__init__(why)
        self.help = help


def static_sizes(value: SSAValue) -> tuple[int, ...]:
    """Returns the sizes of `value`. Raises `Declined` unless all are static."""
    if (known := known_sizes(sizes(value))) is None:
        raise Declined(f"{value.type} has sizes that are not numbers")
    return known


@dataclass
class OpWriter:
    """Collects the ops that replace `source`."""

    source: Operation
    ops: list[Operation] = field(default_factory=list[Operation], init=False)
    verifies: ClassVar[bool] = False
    """Whether `add` verifies each op, and raises a `VerifyException` if it is invalid."""

    def add(self, op: Operation) -> SSAValue:
        op.location = self.source.location
        self.ops.append(op)
        if self.verifies:
            op.verify()
        return op.results[0]

    def drop(self) -> None:
        """Erases the collected ops."""
        while self.ops:
            self.ops.pop().erase()


def rewrite(write: W, row: Callable[[Any, W], SSAValue]) -> str | None:
    """
    Replaces the writer's source by the ops that the function `row` writes, and returns None. If `row` raises `Declined` or its
    result has another type, changes nothing and returns the reason.
    """
    op = write.source
    try:
        result = row(op, write)
        if result.type != op.results[0].type:
            raise Declined(f"its type has fewer known sizes than {result.type}")
    except (Declined, VerifyException) as reason:
        write.drop()
        return message_of(reason)
    PatternRewriter(op).replace(op, write.ops, [result])
    return None


class PtirWriter(OpWriter):
    """Writes `ptir` ops, except for those that would change nothing."""

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(ptir.CastOp(x, dtype))

    def reshape(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        return x if sizes(x) == tuple(of) else self.add(ptir.ReshapeOp(x, of))

    def transpose(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        return x if list(perm) == list(range(len(perm))) else self.add(ptir.TransposeOp(x, perm))


class Draft(PtirWriter):
    """Writes formulas of `ptir` ops, with broadcasts and scalars. Raises `Declined` if a shape is not known."""

    def reshape(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        if sizes(x) != tuple(of) and None in of:
            raise Declined("sizes are not known")
        return super().reshape(x, of)

    def broadcast(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        if sizes(x) == tuple(of):
            return x
        if None in of:
            raise Declined("a size has neither number nor name")
        return self.add(ptir.BroadcastToOp(x, of))

    def splat(self, value: Number, like: SSAValue, dtype: Attribute | None = None) -> SSAValue:
        """Returns a tensor of the shape of `like` that holds `value` everywhere."""
        scalar = ptir.ScalarAttr.of(value, element(like) if dtype is None else dtype)
        return self.broadcast(self.add(ptir.ConstantOp(scalar.dense)), sizes(like))

    def zeros(self, of: Sequence[Size], dtype: Attribute) -> SSAValue:
        """Returns a tensor of zeros, or of false."""
        zero = ptir.ScalarAttr.of(False if is_predicate(dtype) else 0, dtype)
        return self.broadcast(self.add(ptir.ConstantOp(zero.dense)), of)

    def select(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        return self.add(ptir.SelectOp(pred, on_true, on_false))

    def compare(self, comparison: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.add(ptir.CompareOp(comparison, lhs, rhs))
