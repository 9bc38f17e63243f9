"""Minimizes a text that shows a finding, by delta debugging: removes lines first, then tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from .tokens import tokenize


def minimise(text: str, fails: Callable[[str], bool], tries: int = 400) -> str:
    """Returns a smaller text that still `fails`, as `text` does. Calls `fails` at most `tries` times."""
    left = tries

    def still(pieces: Sequence[str]) -> bool:
        nonlocal left
        left -= 1
        return left >= 0 and fails("".join(pieces))

    for cut in (_lines, _tokens):
        text = "".join(_reduce(cut(text), still))
    return text


def _reduce(pieces: list[str], still: Callable[[Sequence[str]], bool]) -> list[str]:
    """Removes runs of pieces, long ones first, as long as the rest still fails."""
    size = max(1, len(pieces) // 2)
    while True:
        at, before = 0, len(pieces)
        while at < len(pieces):
            rest = pieces[:at] + pieces[at + size :]
            if rest and still(rest):
                pieces = rest
            else:
                at += size
        if size == 1 and len(pieces) == before:
            return pieces
        size = max(1, size // 2)


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _tokens(text: str) -> list[str]:
    """Returns the tokens, each with the white space before it."""
    ends = [0, *(token.end for token in tokenize(text)), len(text)]
    return [text[a:b] for a, b in pairwise(ends) if a < b]
