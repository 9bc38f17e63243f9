"""
A pytest plugin that executes lit's RUN lines in this process: each file, such as `tests/filecheck/ptir/errors.mlir`, is one test.

It supports the shell syntax that our tests use: tools with arguments, `|`, `&&`, `not`, `2>&1`, `>/dev/null`, `%s`, `%t`, `%S`.
Anything else in a RUN line raises `ValueError`, so that nothing is ignored silently.
"""

from __future__ import annotations

import io
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest


class Stream(io.TextIOWrapper):
    """A standard stream in memory."""

    def __init__(self, data: bytes = b""):
        super().__init__(io.BytesIO(data), encoding="utf-8", write_through=True)

    @property
    def bytes(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


def _tool(name: str) -> Callable[[Sequence[str]], None]:
    match name:
        case "ptir-opt":
            from ptir.tools.ptir_opt import main
        case "ptir-run":
            from ptir.tools.ptir_run import main
        case "ptir-translate":
            from ptir.tools.ptir_translate import main
        case "filecheck":
            from filecheck.main import main as check

            return lambda args: check(["filecheck", *args])
        case _:
            raise ValueError(f"no tool {name} is known here")
    return main


def run_tool(words: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
    """Runs one command. Returns its exit status, stdout and stderr."""
    inverted = words[0] == "not"
    name, *arguments = words[1:] if inverted else words
    out, err = Stream(), Stream()
    before, sys.stdin = sys.stdin, Stream(stdin)
    status = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            _tool(name)(arguments)
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else int(e.code is not None)
    finally:
        sys.stdin = before
    if inverted:
        status = int(not status)
    return status, out.bytes, err.bytes


def run_line(line: str, path: Path, scratch: Path) -> tuple[int, str]:
    """Executes a RUN line. Returns its exit status and the end of its output."""
    names = {"%s": str(path), "%S": str(path.parent), "%t": str(scratch)}
    line = re.sub(r"%[sSt]\b", lambda m: names[m[0]], line)
    for part in line.split("&&"):
        data, said, status = b"", b"", 0
        for command in _split(part):
            words = shlex.split(command)
            merge, drop = "2>&1" in words, ">/dev/null" in words
            if any(c in "<>&;" for w in words if w not in ("2>&1", ">/dev/null") for c in w[:1]):
                raise ValueError(f"cannot run here: {command}")
            words = [w for w in words if w not in ("2>&1", ">/dev/null")]
            code, data, err = run_tool(words, data)
            status = status or code
            said = err or data
            data = (err if drop else data + err) if merge else data
        if status:
            return status, said.decode(errors="replace")
    return 0, ""


def _split(part: str) -> list[str]:
    """Splits a pipeline into its commands, at the `|` that are not quoted."""
    return [c.strip() for c in re.split(r"\|(?=(?:[^']*'[^']*')*[^']*$)", part)]


def run_lines(text: str) -> list[str]:
    """Returns the RUN lines of a test. A line that ends in a backslash is joined with the next one."""
    found = re.findall(r"^.*?RUN:\s*(.*)$", text, re.MULTILINE)
    return re.sub(r"\\\n", "", "\n".join(found)).splitlines()


class LitItem(pytest.Item):
    """A test that executes all RUN lines of one `.mlir` file."""

    def runtest(self) -> None:
        lines = run_lines(self.path.read_text("utf-8"))
        assert lines, "no RUN line"
        with tempfile.TemporaryDirectory() as folder:
            for line in lines:
                status, said = run_line(line, self.path, Path(folder) / "t")
                assert status == 0, f"{line}\n{said}"

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


class LitFile(pytest.File):
    def collect(self) -> list[LitItem]:  # type: ignore[override]
        return [LitItem.from_parent(self, name="lit")]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LitFile | None:
    return LitFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None
