"""
Contraction rule: a transposed operand is contracted along its original axes.

```
dot_general (transpose x [1, 0]), y contract [1] x [0]   →   dot_general x, y contract [0] x [0]
```

The result's axes follow the order of the operands' free axes, which the transpose must therefore preserve.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects import ptir
from .checks import permutes_sizes
from .write import Result, Writer


def absorb_transposes(op: ptir.DotGeneralOp, write: Writer) -> Result:
    batch_lhs, batch_rhs, contract_lhs, contract_rhs = op.axes()
    free_lhs, free_rhs = op.free_axes()
    left = _before(op.lhs, batch_lhs, contract_lhs, free_lhs)
    right = _before(op.rhs, batch_rhs, contract_rhs, free_rhs)
    if left is None and right is None:
        return "no operand is a transpose that keeps the order of its free axes"
    lhs, bl, cl = left or (op.lhs, batch_lhs, contract_lhs)
    rhs, br, cr = right or (op.rhs, batch_rhs, contract_rhs)
    precision = None if op.precision is None else op.precision.data
    return write.add(
        ptir.DotGeneralOp(lhs, rhs, (cl, cr), (bl, br), op.accum_dtype, op.out_dtype, op.result.type, precision)
    )


def _before(
    side: SSAValue, batch: Sequence[int], contract: Sequence[int], free: Sequence[int]
) -> tuple[SSAValue, list[int], list[int]] | None:
    """Returns the operand of a transpose, and its batch and contract axes."""
    inner = side.owner
    if not isinstance(inner, ptir.TransposeOp) or not permutes_sizes(inner):
        return None
    perm = inner.permutation()
    moved = [perm[a] for a in free]
    if moved != sorted(moved):
        return None
    return inner.input, [perm[a] for a in batch], [perm[a] for a in contract]
