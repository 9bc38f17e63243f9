"""
Sizes of dimensions, and the equalities of named sizes that a verification has established.

A size is a number, the name of a dynamic dimension, or None for `?` without a name. Within a function equal names are
equal sizes. Verification records every equality of two sizes that an op implies. A later op that contradicts an equality is
an error, whose message shows both ops:

```
%1 = ptir.dim_cast %0 : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>     B is 3
%2 = ptir.dim_cast %0 : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>     error
```

An equality holds in its block and in nested regions. It does not hold in sibling regions, since only one of two branches runs.

Spec: contract, *Shapes and dynamic dims*; DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.ir import Operation

from ..errors import SizesDiffer

Size = int | str | None
"""A number, the name of a dynamic dimension, or None for a dynamic dimension without a name."""


def may_be_equal(a: Size, b: Size) -> bool:
    """
    Whether two sizes may be equal. Two different numbers are never equal. Two different names are treated as different, until an op
    equates them.
    """
    return a == b or a is None or b is None or type(a) is not type(b)


def merge(*sizes: Size) -> Size:
    """Returns the most precise of several equal sizes: a number if there is one, else a name, else None."""
    return min(sizes, key=lambda s: (s is None, isinstance(s, str)), default=None)


class KnownSizes:
    """The equalities of one function: for a name, an equal number or name and the op that equated the two (union-find)."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int | str, Operation]] = {}

    def equate(self, op: Operation, a: int | str, b: int | str, what: str) -> None:
        """Records that `op` equates `a` and `b`. Raises `SizesDiffer` if earlier ops contradict it."""
        (x, at_x), (y, at_y) = self._root(a), self._root(b)
        if x == y:
            return
        if isinstance(x, int) and isinstance(y, int):
            found = ((s, r, at) for s, r, at in ((a, x, at_x), (b, y, at_y)) if at is not None)
            notes = [(at, f"{name} is {size} here") for name, size, at in found]
            raise SizesDiffer(op, what=what, a=_size_text(a, x), b=_size_text(b, y), notes=notes)
        if isinstance(x, str):
            self._known[x] = (y, op)
        else:
            self._known[str(y)] = (x, op)

    def known(self, name: str) -> int | str:
        """Returns the number that equals `name` or, if there is none, a name that does."""
        return self._root(name)[0]

    def _root(self, size: int | str) -> tuple[int | str, Operation | None]:
        """
        Returns the representative of `size` and the last op on the path to it. The op is None if `size` is its own representative.
        """
        op: Operation | None = None
        while isinstance(size, str) and size in self._known:
            size, op = self._known[size]
        return size, op

    @contextmanager
    def block(self, *, new_function: bool) -> Generator[None]:
        """Opens a scope for one block, which inherits the enclosing equalities unless it begins a `new_function`."""
        outside = self._known
        self._known = {} if new_function else dict(outside)
        try:
            yield
        finally:
            self._known = outside


def _size_text(size: int | str, known: int | str) -> str:
    return f"{size}" if size == known else f"{size} = {known}"


KNOWN: ContextVar[KnownSizes | None] = ContextVar("KNOWN", default=None)
"""The equalities of the function that is being verified."""


def equate(op: Operation, a: Size, b: Size, what: str) -> None:
    """Records that `op` requires `a` and `b` to be equal. Raises `SizesDiffer` if they are known to differ."""
    if a != b and a is not None and b is not None:
        (KNOWN.get() or KnownSizes()).equate(op, a, b, what)
