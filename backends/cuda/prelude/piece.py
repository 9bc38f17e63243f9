"""`Piece`: one declaration of the prelude."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A declaration and the names of the pieces that it uses."""

    text: str
    uses: tuple[str, ...] = ()
