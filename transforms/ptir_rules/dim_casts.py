"""
Rules of dim_cast: drop those that assert nothing, merge one with an earlier one that only forgot sizes.

```
dim_cast x : [B] -> [B]                                  →  x
dim_cast (dim_cast x : [B, 4] -> [?, 4]) -> [N, 4]       →  dim_cast x : [B, 4] -> [N, 4]
```

A dim_cast that asserts a size stays, as it is checked at run time.
"""

from __future__ import annotations

from ...dialects import ptir
from ...dialects.ptir.dims import sizes
from .checks import only_forgets_sizes
from .write import Result, Writer, operand_is


def drop_dim_cast(op: ptir.DimCastOp, write: Writer) -> Result:
    return op.input if op.input.type == op.result.type else "it asserts or forgets a size"


@operand_is(ptir.DimCastOp)
def merge_dim_casts(op: ptir.DimCastOp, inner: ptir.DimCastOp, write: Writer) -> Result:
    first, out = sizes(inner.input), sizes(op.result)
    if not only_forgets_sizes(inner):
        return "the first asserts a size, which is checked at run time"
    if any(a != b and isinstance(a, int) and isinstance(b, int) for a, b in zip(first, out, strict=True)):
        return "it fails at run time"
    return write.add(ptir.DimCastOp(inner.input, out))
