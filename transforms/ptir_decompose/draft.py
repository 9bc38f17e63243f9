"""The writer of formulas: the `ptir` ops that replace another op, broadcasts and scalars included."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import Size, sizes
from ...dialects.ptir.scalars import Number
from ..op_writer import Declined as Declined
from ..op_writer import PtirWriter


class Draft(PtirWriter):
    """Writes formulas. Raises `Declined` where a shape is not known."""

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

    def select(self, pred: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        return self.add(ptir.SelectOp(pred, on_true, on_false))

    def compare(self, comparison: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self.add(ptir.CompareOp(comparison, lhs, rhs))
