"""The path of the file of tuned plans."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "PTIR_TUNED"
"""The environment variable that names the file; an empty value means none."""


def default_path() -> Path | None:
    """Returns `$PTIR_TUNED`, else `$XDG_DATA_HOME/ptir/tuned.sqlite`, else `~/.local/share/ptir/tuned.sqlite`; None for an empty variable."""
    if (chosen := os.environ.get(VARIABLE)) is not None:
        return Path(chosen) if chosen else None
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "ptir" / "tuned.sqlite"
