"""Collects the facts of many points in a journal, from which it goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import journal

from .facts import facts_of


def collect(
    path: Path, count: int, seed: int, watch: Callable[[int], None] = lambda done: None
) -> list[dict[str, Any]]:
    """Appends points to a journal until `count` of them have facts, and returns the lines with facts."""
    lines = journal.read(path)
    number = max((line["number"] for line in lines), default=-1) + 1
    while sum(line["facts"] is not None for line in lines) < count:
        lines.append(facts_of(number, seed))
        journal.append(path, lines[-1])
        number += 1
        watch(sum(line["facts"] is not None for line in lines))
    return [line for line in lines if line["facts"] is not None]
