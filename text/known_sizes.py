"""
Sizes of dimensions, and what a verification has learnt about those that are names.

A size is a number, the name of a dynamic dimension, or None for `?` without a name. Within a function equal names are
equal sizes. While a module is verified, every rule that says of two sizes that they are one is remembered, and a later
one that contradicts it is refused with both places:

```
%1 = ptir.dim_cast %0 : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>     B is 3
%2 = ptir.dim_cast %0 : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>     error
```

What was said in a block counts in it and in the regions inside, not in the regions beside: of two branches one runs.

Spec: contract, *Shapes and dynamic dims*; DESIGN §4.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.ir import Operation

from ..errors import SizesDiffer

Size = int | str | None
"""A number, the name of a dynamic dimension, or None for one without a name."""


def may_be_equal(a: Size, b: Size) -> bool:
    """Whether two sizes may be one: only two numbers, or two names, are known to differ."""
    return a == b or a is None or b is None or type(a) is not type(b)


def merge(*sizes: Size) -> Size:
    """The most precise spelling of one size: a number if there is one, else a name, else None."""
    return min(sizes, key=lambda s: (s is None, isinstance(s, str)), default=None)


class KnownSizes:
    """What the names of one function are known to be: a number, or another name, and by which op."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int | str, Operation]] = {}

    def equate(self, op: Operation, a: int | str, b: int | str, what: str) -> None:
        """`op` says that `a` and `b` are one size. Raises `SizesDiffer` if the ops before it have said otherwise."""
        (x, at_x), (y, at_y) = self._root(a), self._root(b)
        if x == y:
            return
        if isinstance(x, int) and isinstance(y, int):
            found = ((s, r, at) for s, r, at in ((a, x, at_x), (b, y, at_y)) if at is not None)
            notes = [(at, f"{name} is {size} here") for name, size, at in found]
            raise SizesDiffer(op, what=what, a=_spell(a, x), b=_spell(b, y), notes=notes)
        if isinstance(x, str):
            self._known[x] = (y, op)
        else:
            self._known[str(y)] = (x, op)

    def _root(self, size: int | str) -> tuple[int | str, Operation | None]:
        """What `size` is known to be, and the op that said so last."""
        op: Operation | None = None
        while isinstance(size, str) and size in self._known:
            size, op = self._known[size]
        return size, op

    @contextmanager
    def block(self, *, anew: bool) -> Generator[None]:
        """One block: what is known outside counts in it, unless a function begins `anew`; what it adds ends with it."""
        outside = self._known
        self._known = {} if anew else dict(outside)
        try:
            yield
        finally:
            self._known = outside


def _spell(size: int | str, known: int | str) -> str:
    return f"{size}" if size == known else f"{size} = {known}"


KNOWN: ContextVar[KnownSizes | None] = ContextVar("KNOWN", default=None)
"""Of the function that is being verified."""


def equate(op: Operation, a: Size, b: Size, what: str) -> None:
    """A rule of `op`: `a` and `b` are one size. Raises `SizesDiffer` if they are known to differ; a run checks the rest."""
    if a != b and a is not None and b is not None:
        (KNOWN.get() or KnownSizes()).equate(op, a, b, what)
