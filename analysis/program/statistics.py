"""
Statistics of passes, for `--mlir-pass-statistics`: `count("kernels formed")`.

`count` has an effect only inside `with counting()` of the same thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_collected: ContextVar[Counter[str] | None] = ContextVar("ptir_statistics", default=None)


def count(what: str, number: int = 1) -> None:
    """Adds `number` to the statistic `what` of the running pass."""
    if (counter := _collected.get()) is not None:
        counter[what] += number


@contextmanager
def counting() -> Generator[Counter[str]]:
    """
    Collects everything counted inside the `with`.

    >>> with counting() as counter:
    ...     count("apples", 2)
    >>> dict(counter)
    {'apples': 2}
    """
    counter: Counter[str] = Counter()
    token = _collected.set(counter)
    try:
        yield counter
    finally:
        _collected.reset(token)
