"""
Why survivors are equivalent: rows of (kernel, operator, statement with the change marked, reason).

Kernel and operator are names or `*`, the statement is a regular expression. A row that fits nothing any more does no
harm; a survivor that no row fits is listed as unproved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .operators import Mutant


@dataclass(frozen=True)
class Proof:
    kernel: str
    operator: str
    changed: str
    reason: str


PROOFS: list[Proof] = []


def proof(kernel: str, mutant: Mutant) -> str | None:
    """The reason why this mutant means the same, where there is one."""
    for row in PROOFS:
        if (
            row.kernel in ("*", kernel)
            and row.operator in ("*", mutant.operator)
            and re.search(row.changed, mutant.changed)
        ):
            return row.reason
    return None
