"""
The quotient of a tile that holds whole rows in registers and a divisor for each row.

```mlir
%q = nv.row_divide %e by %s : !rows, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type
from xdsl.ir import SSAValue
from xdsl.irdl import VarConstraint, base, irdl_op_definition, operand_def, result_def, traits_def

from ..common.checks import check_type
from ..common.ops import DialectOp
from .fragments import FragmentCollective
from .roles import Scope
from .rows import check_block, counts_columns_first, row_fragment
from .types import FragType, frag

Rows = VarConstraint("Rows", base(FragType))


@irdl_op_definition
class RowDivideOp(DialectOp):
    """
    Divides each element of a fragment by the divisor of its row. Quotients are correctly rounded, as those of `arith.divf`, but a
    lane computes a reciprocal for each row, and three multiplications for each element (Markstein 1990, *Computation of
    elementary functions on the IBM RISC System/6000*). It divides elements one by one if one of its vectors has elements
    for which this is not exact.

    ```mlir
    %q = nv.row_divide %e by %s : !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)>
    ```
    """

    name = "nv.row_divide"
    traits = traits_def(FragmentCollective(Scope.WARP))
    input = operand_def(Rows)
    divisor = operand_def(base(FragType))
    result = result_def(Rows)
    assembly_format = "$input `by` $divisor attr-dict `:` type($input) `,` type($divisor)"

    def __init__(self, input: SSAValue, divisor: SSAValue):
        super().__init__([input, divisor], [input.type])

    def verify_(self) -> None:
        t, divisor = frag(self.input), frag(self.divisor)
        check_type(self, t.spelled, "the fragment", t, "the layout must be spelled")
        check_type(self, isinstance(t.element_type, Float32Type), "an element", t.element_type, "expected f32")
        along = counts_columns_first(t.layout.elements)
        check_type(self, along, "the fragment", t, "the elements that a lane holds of a row must be consecutive")
        check_block(self, t)
        check_type(self, divisor == row_fragment(t), "the divisor", divisor, f"expected {row_fragment(t)}")
