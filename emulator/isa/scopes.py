"""
Lexical scopes of a function's names (PTX ISA §9.7.12.1, `{ }`).

```
.reg .b32 x;                     x
{                           →
  .reg .f64 x;                   x#1      a block sees the names of the blocks around it, and hides those
  @p bra DONE;                   DONE#1   that it declares itself: from there on, and labels from jumps in all of it
DONE: }
```
Variables and labels share one namespace. Every name becomes one that is unique in the function, so that it has one
flat set of registers, variables and labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


class Scopes:
    """
    The blocks that are open at a point of a function, innermost last; `outer` are the names around the function.
    `_variables` and `_labels` say what names mean here: a unique name, or None. A block remembers what the names that
    it declares meant before.
    """

    def __init__(self, outer: Collection[str]):
        self._outer = outer
        self._uses: dict[str, int] = {}
        self._blocks: list[dict[str, tuple[str | None, str | None]]] = []
        self._variables: dict[str, str | None] = {}
        self._labels: dict[str, str | None] = {}

    def open(self, labels: Iterable[str], parameters: Iterable[str] = ()) -> None:
        """Enter a block in which these labels stand; the names of `parameters` are unique."""
        block: dict[str, tuple[str | None, str | None]] = dict.fromkeys(parameters, (None, None))
        self._blocks.append(block)
        self._uses.update(dict.fromkeys(block, 1))
        self._variables.update((name, name) for name in block)
        for name in labels:
            if name not in block:
                block[name] = self.variable(name), self.label(name)
                self._labels[name] = self._unique(name)

    def close(self) -> None:
        for name, meant in self._blocks.pop().items():
            self._variables[name], self._labels[name] = meant

    def declare(self, name: str) -> str | None:
        """The unique name of a variable of the innermost block; None where the block has declared `name` before."""
        block = self._blocks[-1]
        if name in block:
            return None
        block[name] = self.variable(name), self.label(name)
        unique = self._variables[name] = self._unique(name)
        self._labels[name] = None
        return unique

    def place(self, name: str) -> str | None:
        """The unique name of a label that stands here, in the innermost block; None for one that is a parameter."""
        unique = self.label(name)
        if unique is not None:
            self._variables[name] = None
        return unique

    def variable(self, name: str) -> str | None:
        """The unique name of the variable (or of what is outside the function) that `name` means here, if any."""
        return self._variables.get(name, name if name in self._outer else None)

    def label(self, name: str) -> str | None:
        """The unique name of the label that `name` means here; None for an unknown name and for a variable's."""
        return self._labels.get(name)

    def _unique(self, name: str) -> str:
        count = self._uses.get(name, int(name in self._outer))
        self._uses[name] = count + 1
        return f"{name}#{count}" if count else name
