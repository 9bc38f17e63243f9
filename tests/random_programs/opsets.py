"""Named sets of ops, for programs that a lower level accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .rows import elementwise
from .rows.table import ROWS


def tiny() -> frozenset[str]:
    """Returns the ops that `ptir-to-tiny` lowers."""
    from ptir.transforms.ptir_to_tiny import LOWERINGS

    return frozenset(t.name for t in LOWERINGS) & ROWS.keys()


OPSETS: Mapping[str, Callable[[], frozenset[str]]] = {
    "all": lambda: frozenset(ROWS),
    "tiny": tiny,
    "elementwise": lambda: frozenset(elementwise.ROWS),
    "contract": lambda: frozenset(n for n, row in ROWS.items() if not row.extension),
}
"""The ops of each set, including those that guard indices and divisors."""
