"""Collects the facts of many points in a journal, from which it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .facts import facts_of


def read(path: Path) -> list[dict[str, Any]]:
    """Returns the lines of a journal; the last one may have been cut off."""
    found: list[dict[str, Any]] = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return found


def collect(
    path: Path, count: int, seed: int, watch: Callable[[int], None] = lambda done: None
) -> list[dict[str, Any]]:
    """Appends points to a journal until `count` of them have facts, and returns the lines with facts."""
    lines = read(path)
    number = max((line["number"] for line in lines), default=-1) + 1
    while sum(line["facts"] is not None for line in lines) < count:
        lines.append(facts_of(number, seed))
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(lines[-1]) + "\n")
        number += 1
        watch(sum(line["facts"] is not None for line in lines))
    return [line for line in lines if line["facts"] is not None]
