"""
Rules of control flow with a known outcome.

```
cond true (x)                          →  the results of the first region for x
while (x) whose condition is false     →  the values that the condition region forwards
scan (x) over (rows) of length 0       →  x, and empty stacked results
cond p (x) whose regions both yield x  →  x
```
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Block, BlockArgument, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.control import CondOp, ScanOp, WhileOp
from ...dialects.ptir.dims import known_sizes, sizes
from ...semantics.arrays.scalars import numpy_dtype
from .write import Writer

Results = Sequence[SSAValue] | str


def cond_of_constant(op: CondOp, write: Writer) -> Results:
    known = write.constants.known(op.pred)
    if known is None:
        return "its predicate is not known"
    return write.take((op.true_region if bool(known) else op.false_region).block, op.inputs)


def while_that_never_runs(op: WhileOp, write: Writer) -> Results:
    end = op.cond_region.block.last_op
    known = write.constants.known(end.operands[0]) if end is not None else None
    if known is None or bool(known):
        return "it may run"
    return write.take(op.cond_region.block, op.inputs)[1:]


def scan_without_steps(op: ScanOp, write: Writer) -> Results:
    if any(sizes(x)[0] != 0 for x in op.scanned):
        return "it may have steps"
    stacks: list[SSAValue] = []
    for result in op.stacked:
        of = known_sizes(sizes(result))
        if of is None:
            return "the size of a stack is not known"
        stacks.append(write.array(np.zeros(of, numpy_dtype(element(result))), element(result)))
    return [*op.carried, *stacks]


def cond_without_choice(op: CondOp, write: Writer) -> Results:
    """Replaces a cond whose regions yield the same parameters by the operands for these parameters."""
    ends = [_forwarded(region.block) for region in (op.true_region, op.false_region)]
    if ends[0] is None or ends[0] != ends[1]:
        return "its regions do not forward the same operands"
    return [op.inputs[i] for i in ends[0]]


def _forwarded(block: Block) -> list[int] | None:
    """Returns the indices of the parameters that a block yields, or None if it yields anything else."""
    end = block.last_op
    values = list(end.operands) if end is not None else []
    out = [v.index for v in values if isinstance(v, BlockArgument)]
    return out if len(out) == len(values) else None


def tuple_element_of_tuple(op: ptir.TupleElementOp, write: Writer) -> Results:
    inner = op.operands[0].owner
    if not isinstance(inner, ptir.TupleOp):
        return "its operand is not the result of ptir.tuple"
    return [inner.operands[op.index.value.data]]
