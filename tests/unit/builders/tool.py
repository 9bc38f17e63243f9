"""Runs a command-line tool in this process on a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


def tool(main: Callable[[list[str]], object], path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """
    Returns a function that writes a text (unless None) to `path`, runs the tool on it, and returns exit status, stdout and stderr.
    """

    def run(text: str | None, *args: str) -> tuple[int, str, str]:
        if text is not None:
            path.write_text(text, "utf-8")
        status = 0
        try:
            main([str(path), *args])
        except SystemExit as e:
            status = int(e.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return run
