"""A declaration of the prelude and what it uses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A declaration and the pieces it uses."""

    text: str
    uses: tuple[str, ...] = ()
