"""
The oracles of all ops, written from the contract. They share no code with `semantics/`.

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
"""The oracle of each op, by its name."""
