"""Sets of ops by name, for programs that a lower level takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .rows import elementwise
from .rows.table import ROWS


def tiny() -> frozenset[str]:
    """What `ptir-to-tiny` has a row for."""
    from ptir.transforms.ptir_to_tiny import LOWERINGS

    return frozenset(t.name for t in LOWERINGS) & ROWS.keys()


OPSETS: Mapping[str, Callable[[], frozenset[str]]] = {
    "all": lambda: frozenset(ROWS),
    "tiny": tiny,
    "elementwise": lambda: frozenset(elementwise.ROWS),
    "contract": lambda: frozenset(n for n, row in ROWS.items() if not row.extension),
}
"""Name of the set to the ops in it, with those that guard indices and divisors."""
