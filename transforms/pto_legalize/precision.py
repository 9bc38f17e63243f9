"""
Computes in f32 what a kernel computes in f64 from narrower elements.

Products of f32 are exact in f64, in which `ptir.dot_general` forms them. PTO has no f64, and products of matrices round there as well: each
product is rounded to f32, and the sum has the accumulator's precision.

```
%2 = cvt %0 : f32 -> f64;  %3 = cvt %1 : f32 -> f64;  %4 = mul %2, %3        %4 = mul %0, %1
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ...dialects import pto


def narrow(kernel: pto.PtoKernelOp) -> None:
    """Replaces f64 by f32 in a kernel whose arrays have other elements. Others are refused later."""
    blocks = [block for op in kernel.walk() for region in op.regions for block in region.blocks]
    values = [*(v for op in kernel.walk() for v in op.results), *(arg for block in blocks for arg in block.args)]
    wide = [v for v in values if isinstance(v.type, pto.TileType) and v.type.element_type == f64]
    if any(_is_transferred(v) for v in wide):
        return
    for value in wide:
        op = value.owner
        if isinstance(op, pto.ExpandsOp) and isinstance(op.value, FloatAttr):
            op.properties["value"] = FloatAttr(op.value.value.data, f32)
        Rewriter.replace_value_with_new_type(value, cast("pto.TileType", value.type).like(element_type=f32))


def _is_transferred(value: SSAValue) -> bool:
    """Returns whether elements come from an array, or go to one."""
    return isinstance(value.owner, pto.AccessOp) or any(isinstance(u.operation, pto.AccessOp) for u in value.uses)
