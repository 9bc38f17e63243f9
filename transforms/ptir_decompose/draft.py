"""Writing the ops that stand for another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import Size, sizes
from ...dialects.ptir.scalars import Number


class Declined(Exception):
    """What keeps an op from being decomposed; it stays as it is."""


@dataclass
class Draft:
    """The ops that stand for `source`, at its location; what changes nothing is not written."""

    source: Operation
    ops: list[Operation] = field(default_factory=list[Operation])

    def add(self, op: Operation) -> SSAValue:
        op.location = self.source.location
        self.ops.append(op)
        return op.results[0]

    def drop(self) -> None:
        """Forgets what is written."""
        while self.ops:
            self.ops.pop().erase()

    def cast(self, x: SSAValue, dtype: Attribute) -> SSAValue:
        return x if element(x) == dtype else self.add(ptir.CastOp(x, dtype))

    def reshape(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        if sizes(x) == tuple(of):
            return x
        if sum(s is None for s in of) > 0:
            raise Declined("sizes are not known")
        return self.add(ptir.ReshapeOp(x, of))

    def transpose(self, x: SSAValue, perm: Sequence[int]) -> SSAValue:
        return x if list(perm) == list(range(len(perm))) else self.add(ptir.TransposeOp(x, perm))

    def broadcast(self, x: SSAValue, of: Sequence[Size]) -> SSAValue:
        if sizes(x) == tuple(of):
            return x
        if None in of:
            raise Declined("a size has neither number nor name")
        return self.add(ptir.BroadcastToOp(x, of))

    def splat(self, value: Number, like: SSAValue, dtype: Attribute | None = None) -> SSAValue:
        """A number, as many times as `like` has elements."""
        scalar = ptir.ScalarAttr.of(value, element(like) if dtype is None else dtype)
        return self.broadcast(self.add(ptir.ConstantOp(scalar.dense)), sizes(like))

    def select(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        return self.add(ptir.SelectOp(pred, on_true, on_false))

    def compare(self, word: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.add(ptir.CompareOp(word, lhs, rhs))
