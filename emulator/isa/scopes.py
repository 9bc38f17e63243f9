"""
Lexical scopes of a function's names (PTX ISA §9.7.12.1, `{ }`).

```
.reg .b32 x;                     x
{                           →            A block sees the names of enclosing blocks. A variable shadows them from its
  .reg .f64 x;                   x#1      declaration on, a label in its whole block.
  @p bra DONE;                   DONE#1
DONE: }
```
Variables and labels share one namespace. Every name is replaced by one that is unique in the function.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


class Scopes:
    """
    The open blocks at a point of a function, innermost last; `outer` are the module's names. `_variables` and `_labels`
    map each visible name to its unique name, or None. A block records what its declarations shadow, for `close` to restore.
    """

    def __init__(self, outer: Collection[str]):
        self._outer = outer
        self._uses: dict[str, int] = {}
        self._blocks: list[dict[str, tuple[str | None, str | None]]] = []
        self._variables: dict[str, str | None] = {}
        self._labels: dict[str, str | None] = {}

    def open(self, labels: Iterable[str], parameters: Iterable[str] = ()) -> None:
        """Enters a block that defines `labels`; `parameters` keep their names."""
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
        """Declares a variable in the innermost block and returns its unique name, or None if it is declared already."""
        block = self._blocks[-1]
        if name in block:
            return None
        block[name] = self.variable(name), self.label(name)
        unique = self._variables[name] = self._unique(name)
        self._labels[name] = None
        return unique

    def define_label(self, name: str) -> str | None:
        """Returns the unique name of a label at its definition, or None if the name is a parameter."""
        unique = self.label(name)
        if unique is not None:
            self._variables[name] = None
        return unique

    def variable(self, name: str) -> str | None:
        """Returns the unique name of the variable (or of the module's symbol) that `name` denotes, if any."""
        return self._variables.get(name, name if name in self._outer else None)

    def label(self, name: str) -> str | None:
        """Returns the unique name of the label that `name` denotes, or None."""
        return self._labels.get(name)

    def _unique(self, name: str) -> str:
        count = self._uses.get(name, int(name in self._outer))
        self._uses[name] = count + 1
        return f"{name}#{count}" if count else name
