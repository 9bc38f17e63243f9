"""
The tile at a position of the plan's order (`planning/tile_order.py`). Both are counted in tiles, or in clusters of tiles.

```
position = number · (group · across) + within        the groups before, and the position in the group
row      = number · group + within mod rows          rows = group, fewer in the last group
column   = within div rows
```

A Hilbert curve turns at every scale: a square of 2s x 2s consists of four of s x s, the first and the last of which are mirrored, so
that each begins beside the end of the one before. Two bits of the position, the lowest ones first, say which of the four it is in.
Spec: Hilbert, *Über die stetige Abbildung einer Linie auf ein Flächenstück*, Math. Ann. 38 (1891).
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from .builder import KernelBuilder


class TileOrder(KernelBuilder):
    """Adds the order of tiles to a kernel."""

    def tile_position(self, place: SSAValue, down: int, across: int, cluster: int = 1) -> tuple[SSAValue, SSAValue]:
        """
        Returns the row and the column of the tile at `place` of `down` x `across` in the plan's order, or of the cluster of tiles,
        if it has `cluster` rows.
        """
        if self.plan.square is not None:
            return self.hilbert_position(place, across, self.plan.square)
        if down == 1 or across == 1:
            return (self.index(0), place) if down == 1 else (place, self.index(0))
        group = down if self.plan.group is None else min(down, max(1, self.plan.group // cluster))
        if group == 1:
            return self.quotient(place, across), self.remainder(place, across)
        full, left = divmod(down, group)
        several = full + bool(left) > 1
        number = self.quotient(place, group * across) if several else self.index(0)
        within = self.remainder(place, group * across) if several else place
        rows = self.index(group)
        if left and several:
            whole = self.less(number, self.index(full), "whole")
            rows = self.add(arith.SelectOp(whole, rows, self.index(left)), "rows")
        row = self.add(arith.RemUIOp(within, rows))
        return self.plus(self.times(number, group), row), self.add(arith.DivUIOp(within, rows))

    def hilbert_position(self, place: SSAValue, across: int, side: int) -> tuple[SSAValue, SSAValue]:
        """Returns the row and the column of the tile at `place`, along Hilbert curves in squares of `side` rows."""
        squares, within = self.quotient(place, side * side, "square"), self.remainder(place, side * side)
        row = column = self.index(0)
        for size in (1 << bit for bit in range(side.bit_length() - 1)):
            part = self.remainder(self.quotient(within, size * size), 4, "part")
            if size > 1:
                first, last = (self.add(arith.CmpiOp(part, self.index(n), "eq")) for n in (0, 3))
                mirrored = [self.add(arith.SubiOp(self.index(size - 1), at)) for at in (column, row)]
                row, column = (
                    self.add(arith.SelectOp(first, turned, self.add(arith.SelectOp(last, other, at))))
                    for turned, other, at in zip((column, row), mirrored, (row, column), strict=True)
                )
            below = self.remainder(self.quotient(self.plus(part, self.index(1)), 2), 2)
            row = self.plus(row, self.times(below, size), "row")
            column = self.plus(column, self.times(self.quotient(part, 2), size), "column")
        high, wide = self.quotient(squares, across // side), self.remainder(squares, across // side)
        return self.plus(self.times(high, side), row), self.plus(self.times(wide, side), column)
