"""
`tiny-fold-empty`: replaces tensors without elements by constants, so that no kernel reads or writes one.

```
%0 = tiny.binary add %x, %y                 0x4         %0 = tiny.const dense<>
%1 = tiny.reduce max %0 axes [0]            4           %1 = expand of -inf
%2 = tiny.movement pad %0 high [3, 0]       3x4         %2 = expand of the padding value
%3 = ptir.gather %0, %i axis 0              5x4         %3 = ptir.gather of zeros at the indices -1
```

An op that reads an empty tensor has an empty result, except for a reduction, whose result is its neutral element, a pad, a scatter
without updates, and a gather, each of whose indices is out of range. A contraction over an axis of size 0 is such a reduction. Spec:
`ptir-backend-contract.md`, *Empty reduction identities*, *Gather*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from ..analysis.index.static_sizes import blocks_of
from ..analysis.program.statistics import count
from ..analysis.regions.kernel_ops import is_tensor_op
from ..dialects import ptir, tiny
from ..dialects.common.shapes import element, tensor
from ..dialects.ptir import ScalarAttr
from ..dialects.ptir.dims import known_sizes, sizes
from ..semantics.arrays.reductions import reduce
from ..semantics.arrays.scalars import numpy_dtype
from .ptir_to_tiny.writer import Writer, zero


@dataclass(frozen=True)
class TinyFoldEmpty(ModulePass):
    """Replaces tensors without elements, and what reads them, by constants."""

    name = "tiny-fold-empty"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for block in blocks_of(function):
                count("operations without elements", sum(1 for _ in fold_empty(block)))


def fold_empty(block: Block) -> Iterator[tuple[Operation, list[Operation]]]:
    """Replaces the ops of `block` that compute or read an empty tensor by constants; yields each op and its replacement."""
    for op in list(block.ops):
        if is_tensor_op(op) and not isinstance(op, tiny.ConstOp):
            write = Writer(op)
            if (constant := _constant(op, write)) is not None:
                PatternRewriter(op).replace(op, write.ops, [constant])
                yield op, write.ops


def _constant(op: Operation, write: Writer) -> SSAValue | None:
    """Writes the constant that `op` computes and returns it, or None if `op` reads elements."""
    (result,) = op.results
    if (to := known_sizes(sizes(result))) is None:
        return None
    if 0 in to:
        none = DenseIntOrFPElementsAttr(cast(Any, tensor(result)), BytesAttr(b""))
        return write.add(tiny.ConstOp(none))
    if not any(0 in sizes(operand) for operand in op.operands):
        return None
    match op:
        case tiny.MovementOp(value=ScalarAttr() as value):
            return write.expand(write.add(tiny.ConstOp(value.dense)), to)
        case tiny.ReduceOp():
            nothing = np.empty(0, numpy_dtype(element(op.input)))
            total = reduce(op.fn.data, nothing, (0,), numpy_dtype(op.accum))
            return write.expand(write.add(tiny.ConstOp(ScalarAttr.of(total.tobytes(), op.accum).dense)), to)
        case ptir.GatherOp():
            one = [1 if axis == op.axis() else size for axis, size in enumerate(sizes(op.x))]
            nothing = write.expand(write.add(tiny.ConstOp(zero(element(op.x)).dense)), one)
            outside = write.expand(write.literal(-1, element(op.indices)), to)
            return write.add(ptir.GatherOp(nothing, outside, op.axis()))
        case ptir.ScatterReduceOp():
            return op.x
        case _:
            return None
