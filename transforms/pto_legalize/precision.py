"""
Computes in f32 the products that a kernel forms in f64 from narrower elements, and their sums.

Products of f32 are exact in f64, in which `ptir.dot_general` forms them. PTO has no f64, and products of matrices round there as well: each
product is rounded to f32, and the sum has the accumulator's precision. Other arithmetic on f64 stays, and is refused.

```
%2 = cvt %0 : f32 -> f64;  %3 = cvt %1 : f32 -> f64;  %4 = mul %2, %3        %4 = mul %0, %1
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects import pto


def narrow(kernel: pto.PtoKernelOp) -> None:
    """Replaces f64 by f32 in a kernel whose arrays have other elements, if it has only sums of products."""
    blocks = [block for op in kernel.walk() for region in op.regions for block in region.blocks]
    values = [*(v for op in kernel.walk() for v in op.results), *(arg for block in blocks for arg in block.args)]
    wide = [v for v in values if isinstance(v.type, pto.TileType) and v.type.element_type == f64]
    if any(_is_transferred(v) or not _is_of_products(v) for v in wide):
        return
    for value in wide:
        op = value.owner
        if isinstance(op, pto.ExpandsOp) and isinstance(op.value, FloatAttr):
            op.properties["value"] = FloatAttr(op.value.value.data, f32)
        Rewriter.replace_value_with_new_type(value, cast("pto.TileType", value.type).like(element_type=f32))


def _is_transferred(value: SSAValue) -> bool:
    """Returns whether elements come from an array, or go to one."""
    return isinstance(value.owner, pto.AccessOp) or any(isinstance(u.operation, pto.AccessOp) for u in value.uses)


def _is_of_products(value: SSAValue) -> bool:
    """Returns whether a value in f64 is a converted element, a product of two, one that is masked or carried, or a sum."""
    op = value.owner
    match op:
        case pto.CvtOp() | pto.ExpandsOp() | pto.SelOp() | Block():
            return True
        case pto.RowReduceOp() | pto.ColReduceOp():
            return op.name.endswith("sum")
        case _ if isinstance(op, pto.BINARY["mul"]):
            return all(isinstance(v.owner, pto.CvtOp | pto.SelOp) for v in op.operands)
        case _ if isinstance(op, pto.BINARY["add"]):
            return any(isinstance(v, BlockArgument) for v in op.operands)
        case _:
            return False
