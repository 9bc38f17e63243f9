"""The table of all rows, which are in one file per family of ops."""

from __future__ import annotations

from . import contraction, control, elementwise, indexing, movement, windows
from .row import Table

ROWS: Table = {
    **elementwise.ROWS,
    **contraction.ROWS,
    **movement.ROWS,
    **indexing.ROWS,
    **windows.ROWS,
    **control.ROWS,
}
"""The row of each op, by its name. Other rows add `ptir.yield` and `ptir.tuple_element`."""
