"""
Memory for buffers that do not outlive a call, reused as soon as the last use of a buffer has been enqueued.

```
          0        256       512                   a buffer takes the first gap that is large enough;
take 1 KB ├ %0 ─────────────────────── 1024        its range is free when no value refers to it
```

The order of a stream makes that safe: work that overwrites a range runs after the work that reads it. The size of the arena is
planned by a call without a device (`planned_call.py`), so that one allocation serves all calls.
"""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import Any

from ..analysis.program.buffers import ALIGNMENT

UNBOUNDED = 1 << 60
"""A size that no program exceeds."""


@dataclass(eq=False)
class Range:
    """A range of bytes of an arena, and the number of values that refer to it."""

    arena: Arena
    start: int
    end: int
    users: int = 1

    def retain(self) -> None:
        self.users += 1

    def release(self) -> None:
        self.users -= 1
        if self.users == 0:
            self.arena.give(self)


@dataclass(eq=False)
class Arena:
    """`size` bytes in `memory`, of which ranges are taken (first fit) and given back."""

    size: int
    memory: Any = None
    peak: int = 0
    """The largest end of a range so far."""
    total: int = 0
    """The bytes of all ranges taken so far: what they would need if none were reused."""
    free: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The ranges that are free, in order; no two touch."""

    def __post_init__(self) -> None:
        self.free = [(0, self.size)]

    def take(self, size: int) -> Range | None:
        """Returns a range of at least `size` bytes at a multiple of `ALIGNMENT`, or None if no gap is large enough."""
        size = max(1, -(-size // ALIGNMENT)) * ALIGNMENT
        for k, (start, end) in enumerate(self.free):
            if end - start >= size:
                self.free[k : k + 1] = [(start + size, end)] if end - start > size else []
                self.peak = max(self.peak, start + size)
                self.total += size
                return Range(self, start, start + size)
        return None

    def give(self, taken: Range) -> None:
        """Makes a range free, and joins it with free neighbors."""
        insort(self.free, (taken.start, taken.end))
        k = self.free.index((taken.start, taken.end))
        if k + 1 < len(self.free) and self.free[k + 1][0] == taken.end:
            self.free[k : k + 2] = [(taken.start, self.free[k + 1][1])]
        if k and self.free[k - 1][1] == self.free[k][0]:
            self.free[k - 1 : k + 1] = [(self.free[k - 1][0], self.free[k][1])]
