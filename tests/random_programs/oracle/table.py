"""
What each op must give, written from the contract and sharing no code with `semantics/`: one row an op.

    ORACLES["ptir.add"](op, arguments, results) -> [Want, …]
"""

from __future__ import annotations

from . import control, elementwise, folds, indexing, movement, windows
from .numbers import Oracle

ORACLES: dict[str, Oracle] = {
    **elementwise.ORACLES,
    **movement.ORACLES,
    **folds.ORACLES,
    **indexing.ORACLES,
    **windows.ORACLES,
    **control.ORACLES,
}
"""Name of the op to its oracle."""
