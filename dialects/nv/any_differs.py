"""
A vote of a warp on a fragment: whether a step that some numbers make unnecessary, such as a product with ones, has to be done.

```mlir
%moved = nv.any_differs %factors from 1.0 : f32 : !nv.frag<32x1xf32, lane(4: 0, 8: i, 4: 32i) reg(2: 8i, 2: 16i)>
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float32Type, FloatAttr, f32, i1
from xdsl.ir import SSAValue
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def

from ..common.checks import check_type
from ..common.ops import DialectOp
from .fragments import FragmentElementwise
from .roles import Scope
from .types import FragType, frag


@irdl_op_definition
class AnyDiffersOp(DialectOp):
    """
    Returns whether an element of a fragment of f32 that a lane of the warp holds differs from a number, or is NaN. The result is uniform
    over the warp.

    ```mlir
    %moved = nv.any_differs %f from 1.0 : f32 : !nv.frag<16x1xf32, lane(4: 0, 8: i) reg(2: 8i)>
    ```
    """

    name = "nv.any_differs"
    traits = traits_def(FragmentElementwise(Scope.WARP))
    input = operand_def(base(FragType))
    number = prop_def(FloatAttr)
    result = result_def(i1)
    assembly_format = "$input `from` $number attr-dict `:` type($input)"

    def __init__(self, input: SSAValue, number: float):
        super().__init__([input], [i1], number=FloatAttr(number, f32))

    def verify_(self) -> None:
        t = frag(self.input)
        check_type(self, t.spelled, "the fragment", t, "the layout must be spelled")
        check_type(self, isinstance(t.element_type, Float32Type), "an element", t.element_type, "expected f32")
