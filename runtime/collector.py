"""
Makes Python's cyclic garbage collector run less often while a program is compiled.

The ops of a module refer to one another in cycles, and a pass makes thousands of them that stay alive: by default the collector looks at them
after every 700 new objects, and finds little to free.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

THRESHOLD = 50_000
"""The number of new objects after which the collector runs: at most some tens of megabytes of ops that nobody needs any more."""


class _Compilations:
    """The compilations that run now, in any thread, and the thresholds of the collector before the first one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._usual = (0, 0, 0)

    def begin(self) -> None:
        with self._lock:
            if self._running == 0:
                self._usual = first, *others = gc.get_threshold()
                if first:  # zero: the program has turned the collector off
                    gc.set_threshold(max(first, THRESHOLD), *others)
            self._running += 1

    def end(self) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0:
                gc.set_threshold(*self._usual)


_compilations = _Compilations()


@contextmanager
def collected_rarely() -> Generator[None]:
    """Raises the collector's threshold, which is the process's, until the last `with` of all threads ends."""
    _compilations.begin()
    try:
        yield
    finally:
        _compilations.end()
