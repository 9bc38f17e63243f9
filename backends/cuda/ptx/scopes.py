"""
Lexical scopes of a function's names (PTX ISA §9.7.12.1, `{ }`).

```
.reg .b32 x;                     x
{                           →
  .reg .f64 x;                   x#1      a block sees the names of the blocks around it, and hides those
  @p bra DONE;                   DONE#1   that it declares itself: variables from there on, labels in all of it
DONE: }
```
Variables and labels share one namespace. Every name becomes one that is unique in the function, so that it has one
flat set of registers, variables and labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


class Scopes:
    """The blocks that are open at a point of a function, innermost last; `outer` are the names around the function."""

    def __init__(self, outer: Iterable[str]):
        self._outer = frozenset(outer)
        self._taken = set(self._outer)
        self._blocks: list[dict[str, str]] = []
        self._labels: list[frozenset[str]] = []

    @property
    def depth(self) -> int:
        return len(self._blocks)

    def open(self, labels: Iterable[str]) -> None:
        """Enter a block in which these labels stand."""
        labels = frozenset(labels)
        self._labels.append(labels)
        self._blocks.append({name: self._unique(name) for name in labels})

    def close(self) -> None:
        self._blocks.pop()
        self._labels.pop()

    def declare(self, name: str) -> str | None:
        """The unique name of a variable of the innermost block; None where the block has declared `name` before."""
        if name in self._blocks[-1]:
            return None
        unique = self._blocks[-1][name] = self._unique(name)
        return unique

    def variable(self, name: str) -> str | None:
        """The unique name of the variable (or of what is outside the function) that `name` means here, if any."""
        found = next((b[name] for b, labels in self._inwards_out() if name in b and name not in labels), None)
        return found or (name if name in self._outer else None)

    def label(self, name: str) -> str | None:
        """The unique name of the label that `name` means here; None for an unknown name and for a variable's."""
        return next((b[name] if name in labels else None for b, labels in self._inwards_out() if name in b), None)

    def _inwards_out(self) -> Iterator[tuple[dict[str, str], frozenset[str]]]:
        return zip(reversed(self._blocks), reversed(self._labels), strict=True)

    def _unique(self, name: str) -> str:
        unique, count = name, 0
        while unique in self._taken:
            count += 1
            unique = f"{name}#{count}"
        self._taken.add(unique)
        return unique
