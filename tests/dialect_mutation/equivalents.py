"""
Why a mutant that survives is the same program: (file, scope, kind, a piece of the old text) and the reason.

A row that no survivor of a whole campaign matches is stale and is reported as such.
"""

from __future__ import annotations

from dataclasses import dataclass

from .sites import Mutant


@dataclass(frozen=True)
class Row:
    """Matches where each part is in the mutant's."""

    file: str
    scope: str
    kind: str
    old: str
    reason: str

    def matches(self, m: Mutant) -> bool:
        return self.file in m.file and self.scope in m.scope and self.kind in m.kind and self.old in m.old


ROWS: tuple[Row, ...] = (Row("", "print", "branch", "", "how a long literal is broken is no part of the text form"),)[
    :0
]


def reason(m: Mutant) -> str | None:
    """Why the mutant is equivalent, if a row says so."""
    return next((row.reason for row in ROWS if row.matches(m)), None)
