"""Values that are tuples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


def leaf_values(values: Iterable[Any]) -> Iterator[Any]:
    """Yields values, with tuples replaced by their elements, recursively."""
    for value in values:
        if isinstance(value, tuple):
            yield from leaf_values(value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield value
