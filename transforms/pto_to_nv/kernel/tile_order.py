"""
The tile at a position of the plan's order (`planning/tile_order.py`). Both are counted in tiles, or in clusters of tiles.

```
position = number · (group · across) + within        the groups before, and the position in the group
row      = number · group + within mod rows          rows = group, fewer in the last group
column   = within div rows
```
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from .builder import KernelBuilder


class TileOrder(KernelBuilder):
    """Adds the order of tiles to a kernel."""

    def tile_position(self, place: SSAValue, down: int, across: int, group: int | None) -> tuple[SSAValue, SSAValue]:
        """Returns the row and the column of the tile at `place` of `down` x `across`, in groups of `group` rows (None: all)."""
        if down == 1 or across == 1:
            return (self.index(0), place) if down == 1 else (place, self.index(0))
        group = down if group is None else min(down, group)
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
