"""
Binary functions of a tile and one row or column, which is broadcast. Spec: `pto-ir.md §4.4`.

```mlir
%1 = pto.tile.rowexpandsub %0, %m : tile<16x64xf32>, tile<16x1xf32>
%2 = pto.tile.colexpandmul %0, %w : tile<16x64xf32>, tile<1x64xf32>
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.traits import Pure

from ..common.checks import check_shape
from ..common.shapes import shape_text
from .asynchronous import EVENT, WAITS, InstructionOp
from .types import AnyTile, SameTile, tile_type
from .vector import check_domain, vector_op


class ExpandedBinaryOp(InstructionOp):
    """Base of `out[i] = f(lhs[i], rhs[i'])`, where `i'` is `i` with 0 along the axis of broadcast."""

    ON_VECTORS: ClassVar = True
    FN: ClassVar[str]
    FROM_END: ClassVar[bool] = True
    """Whether the axis of broadcast is the last one; otherwise, it is the first."""
    lhs = operand_def(SameTile)
    rhs = operand_def(AnyTile)
    result = result_def(SameTile)
    traits = traits_def(Pure())
    assembly_format = (
        f"$lhs `,` $rhs {WAITS} attr-dict `:` custom<Bare>(type($lhs)) `,` custom<Bare>(type($rhs)) {EVENT}"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__([lhs, rhs], [lhs.type])

    @property
    def axis(self) -> int:
        """The axis of broadcast."""
        return len(tile_type(self.lhs).sizes) - 1 if self.FROM_END else 0

    def verify_(self) -> None:
        super().verify_()
        lhs, rhs = tile_type(self.lhs), tile_type(self.rhs)
        sizes = [1 if k == self.axis else n for k, n in enumerate(lhs.sizes)]
        same = (list(rhs.sizes), rhs.element_type) == (sizes, lhs.element_type)
        check_shape(self, same, "the second operand", rhs, f"{shape_text(sizes)} of {lhs.element_type}")
        check_domain(self, self.FN, lhs.element_type)


class ColumnExpandedBinaryOp(ExpandedBinaryOp):
    """Base of ops that broadcast a tile of one row along the columns."""

    FROM_END: ClassVar = False


EXPANDED: Mapping[str, type[ExpandedBinaryOp]] = {
    f"{kind}expand{fn}": vector_op(
        base,
        f"{kind}expand{fn}",
        f"T{kind.upper()}EXPAND{fn.upper()}: {doc} of each element of a tile and the element of its {name} in a second one.",
        f"%0, %1 : tile<16x64xT>, tile<{vector}xT>",
        fn,
    )
    for kind, name, base, vector in (
        ("row", "row", ExpandedBinaryOp, "16x1"),
        ("col", "column", ColumnExpandedBinaryOp, "1x64"),
    )
    for fn, doc in (
        ("add", "the sum"),
        ("sub", "the difference"),
        ("mul", "the product"),
        ("div", "the quotient"),
    )
}
"""The ops, by what follows `pto.tile.` in their names."""
