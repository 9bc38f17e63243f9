"""Journals of campaigns: files of JSON lines, from which a campaign that was stopped goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(journal: Path | None) -> list[Any]:
    """Returns what is in a journal, if there is one, without lines that were cut off when their process was killed."""
    found: list[Any] = []
    for line in journal.read_text("utf-8").splitlines() if journal is not None and journal.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def append(journal: Path | None, entry: object) -> None:
    """Adds a line to a journal, if there is one, after the end of a line that was cut off."""
    if journal is None:
        return
    with journal.open("a+b") as file:
        if file.tell():
            file.seek(-1, 2)
        cut = file.read(1) not in (b"", b"\n")
        file.write(b"\n" * cut + json.dumps(entry).encode() + b"\n")
