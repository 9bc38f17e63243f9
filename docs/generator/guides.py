"""Guides: prose with the output of its commands and the files that it includes."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ptir.tools import ptir_conform, ptir_opt, ptir_run, ptir_tune

from .tables import NOTICE, ROOT

TOOLS: dict[str, Callable[[Sequence[str]], None]] = {
    "ptir-opt": ptir_opt.main,
    "ptir-run": ptir_run.main,
    "ptir-conform": ptir_conform.main,
    "ptir-tune": ptir_tune.main,
}
"""The tools that run in this process, which has imported their modules."""


def guide(name: str) -> str:
    """
    Returns a page with the output of its commands (`{{$ command}}`, `{{$ command | lines}}`), and with the files that it
    includes (`{{docs/…}}`, `{{examples/…}}`).
    """
    text = (ROOT / "docs" / name).read_text("utf-8")
    text = re.sub(r"\{\{\$ (.*?)(?: \| (\d+))?\}\}(?!\})", lambda m: printed(m[1], m[2]), text)
    text = re.sub(r"\{\{((?:examples|docs)/\S+)\}\}", lambda m: shown(m[1]), text)
    return NOTICE.replace("the docstrings", name) + text


def shown(path: str) -> str:
    """Returns a file of the repository as a code block."""
    language = {".py": "python", ".mlir": "mlir", ".json": "json", ".plan": ""}[Path(path).suffix]
    return f"```{language}\n{(ROOT / path).read_text('utf-8').rstrip()}\n```"


def printed(command: str, lines: str | None) -> str:
    """Returns a command and its output on both streams, or the first `lines` of the output."""
    output = ""
    for stage in command.split(" | "):
        tool, *arguments = shlex.split(stage)
        output = written(tool, arguments, output) if tool in TOOLS else in_shell(stage, output)
    text = output.rstrip().splitlines()
    if lines is not None:
        text = [*text[: int(lines)], "…"]
    return f"```console\n$ {command}\n" + "\n".join(text) + "\n```"


def written(tool: str, arguments: Sequence[str], text: str) -> str:
    """Returns what a tool of `TOOLS` writes to both streams for an input."""
    output = io.StringIO()
    with (
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        contextlib.suppress(SystemExit),
    ):
        sys.stdin, stdin = io.TextIOWrapper(io.BytesIO(text.encode())), sys.stdin
        try:
            TOOLS[tool](arguments)
        finally:
            sys.stdin = stdin
    return output.getvalue()


def in_shell(command: str, text: str) -> str:
    """Returns what a command of the shell writes to both streams for an input."""
    streams = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(command, shell=True, cwd=ROOT, env=plain(), input=text, **streams).stdout


def plain() -> dict[str, str]:
    """Returns the environment for commands: this Python's scripts are found first, and output has no colors."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "NO_COLOR": "1"}
