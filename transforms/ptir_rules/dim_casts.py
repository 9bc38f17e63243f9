"""
Promises about sizes that say nothing, and those that an earlier one has only made vague.

```
dim_cast x : [B] -> [B]                                  →  x
dim_cast (dim_cast x : [B, 4] -> [?, 4]) -> [N, 4]       →  dim_cast x : [B, 4] -> [N, 4]
```

A dim_cast that promises a size stays: a run checks it.
"""

from __future__ import annotations

from ...dialects import ptir
from ...dialects.ptir.dims import sizes
from .checks import promises_nothing
from .write import Result, Writer, operand_is


def drop_dim_cast(op: ptir.DimCastOp, write: Writer) -> Result:
    return op.input if op.input.type == op.result.type else "it promises or forgets a size"


@operand_is(ptir.DimCastOp)
def merge_dim_casts(op: ptir.DimCastOp, inner: ptir.DimCastOp, write: Writer) -> Result:
    first, out = sizes(inner.input), sizes(op.result)
    if not promises_nothing(inner):
        return "the first promises a size, which a run checks"
    if any(a != b and isinstance(a, int) and isinstance(b, int) for a, b in zip(first, out, strict=True)):
        return "a run refuses it"
    return write.add(ptir.DimCastOp(inner.input, out))
