"""
Options of random programs that are compiled: all ops, with more control flow, calls and tuples than in those that are interpreted, and
with a few guards left out.
"""

from __future__ import annotations

from dataclasses import replace

from .generator import Options
from .maker import EXTENTS
from .rows import control
from .rows.row import Table
from .rows.table import ROWS as ALL_ROWS

ROWS: Table = {**ALL_ROWS, **{name: replace(row, weight=2) for name, row in control.ROWS.items()}}
ROWS["func.call"] = replace(ROWS["func.call"], weight=8)
"""Most functions have no function before them that they can call."""
OPTIONS = Options(
    violations=0.02,
    packed=0.3,
    extents=(1, 2, 3, 5, 7, 8, 16, 17, 33, 64),
    more_extents=(1, 2, 3, 8, 17),
    max_elements=1200,
    max_literal=80,
    length=(1, 10),
)
SMALL = replace(
    OPTIONS, violations=0.05, extents=EXTENTS, more_extents=(1, 2, 3), max_elements=60, length=(1, 4), functions=2
)
"""Options for `make test`."""
