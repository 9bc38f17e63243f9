"""All rows, a family a file."""

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
"""Name of the op to its row. `ptir.yield` and `ptir.tuple_element` come with the ops that need them."""
