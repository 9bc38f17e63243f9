"""
Operands of products that are rows of a pool, such as the pages of a cache of keys: gathered by a table, tile after tile, in the kernel.

```
%i = the table, moved and broadcast to [B, pages, page, H, D]        movements
%g = ptir.gather %pool, %i axis 0                                     the rows of the pool at the numbers in the table
%k = %g, moved to [B, H, keys, D]                                     the operand of a product
```

A kernel reads the table, and the pool at the numbers that it finds there, which must be known to be in range: by a clamp, for example.
Numbers that may be out of range are checked by the kernel of the gather itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, shape
from .places import is_splat

log = logging.getLogger(__name__)

MIN_BITS = 32
"""Minimum width of indices, as of the positions of a tile."""


@dataclass(frozen=True)
class Gathered:
    """Rows of `pool` along the axis of the gather `op`, at the elements of `table`; `ops` compute them."""

    op: ptir.GatherOp
    table: SSAValue
    ops: frozenset[Operation]

    @property
    def pool(self) -> SSAValue:
        return self.op.x


def gathered(value: SSAValue) -> Gathered | None:
    """Returns what a value gathers, or None if it is no gather, or one that may fail."""
    op = value.owner
    if not isinstance(op, ptir.GatherOp):
        return None
    table, ops = op.indices, set[Operation]((op,))
    while isinstance(by := table.owner, tiny.MovementOp) and by.kind.data != "pad":
        ops.add(by)
        table = by.input
    dtype, by = element(table), op.indices.owner
    of = shape(by.input) if isinstance(by, tiny.MovementOp) and by.kind.data == "expand" else shape(op.indices)
    rules = (
        (op.report is None, "its indices may be out of range"),
        (isa(dtype, IntegerType) and dtype.width.data >= MIN_BITS, f"its indices have less than {MIN_BITS} bits"),
        (all(n == 1 for k, n in enumerate(of) if k != op.axis()), "elements along other axes have other indices"),
        (not is_splat(op.x) and not is_splat(table), "its operands are constants of one number"),
    )
    for holds, why in rules:
        if not holds:
            log.debug("this gather has a kernel of its own: %s", why, extra={"op": op})
            return None
    return Gathered(op, table, frozenset(ops))
