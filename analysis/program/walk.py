"""
A walk over every operation of a program in a documented order.

```
func.func @f           ()  is the root; its operations are
  ptir.while           (0, 0, 0)            region 0, block 0, operation 0
    first region       (0, 0, 0, 0, 0, 0)
    second region      (0, 0, 0, 1, 0, 0)   then ptir.while again, (0, 0, 0) with `leaving`
  func.return          (0, 0, 1)
```

The order is that of the text: an operation, then its regions, region by region and block by block; an operation with
regions is visited again after them. Paths do not depend on names, locations or the process: the same text has the same
paths.

Contract: *Conversion infrastructure* (`walk_program`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation

from ...errors import require


@dataclass(frozen=True)
class Visit:
    """
    One visit of an operation. `path` leads to it from the root by three numbers per level: those of the region, the block and
    the operation. `leaving` marks the second visit of an operation that has regions.
    """

    op: Operation
    path: tuple[int, ...]
    leaving: bool = False

    @property
    def depth(self) -> int:
        """The number of operations that enclose this one, including the root."""
        return len(self.path) // 3


def walk_program(root: Operation) -> Iterator[Visit]:
    """
    Yields the operations inside `root`, a module or a function, in the order above.

    >>> [(visit.op.name, visit.path) for visit in walk_program(module)]     # doctest: +SKIP
    [('func.func', (0, 0, 0)), ('ptir.exp', (0, 0, 0, 0, 0, 0)), ('func.return', (0, 0, 0, 0, 0, 1)), ('func.func', …)]
    """
    require(root, Operation, "the root", "a module or a function", "ptir.parse makes a module")
    return _inside(root, ())


def _inside(op: Operation, path: tuple[int, ...]) -> Iterator[Visit]:
    for r, region in enumerate(op.regions):
        for b, block in enumerate(region.blocks):
            for k, inner in enumerate(block.ops):
                here = (*path, r, b, k)
                yield Visit(inner, here)
                if inner.regions:
                    yield from _inside(inner, here)
                    yield Visit(inner, here, leaving=True)
