"""
A pytest plugin that executes lit's RUN lines in this process. Each file is one test, but of a file that is only split and verified, such as
`tests/filecheck/ptir/errors.mlir`, each part is one: a mutant is judged by the parts that cover it.

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
from typing import Any

import pytest

from ptir.text.sources import split_input

SPLIT = re.compile(r"ptir-opt %s( --[\w=-]+)*")
"""A RUN line that tests each part of a file for itself, if one of its options is `--split-input-file`."""


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
    """A test that executes RUN lines on a text: that of a `.mlir` file, or a part of it, after as many empty lines as come before it."""

    def __init__(self, *, lines: Sequence[str], text: str, **more: Any):
        super().__init__(**more)
        self.lines, self.text = lines, text

    def runtest(self) -> None:
        assert self.lines, "no RUN line"
        with tempfile.TemporaryDirectory() as folder:
            path = self.path
            if self.text:
                path = Path(folder) / path.name
                path.write_text(self.text, "utf-8")
            for line in self.lines:
                status, said = run_line(line, path, Path(folder) / "t")
                assert status == 0, f"{line}\n{said}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Returns what the tool said, without a traceback, which takes ten times as long as the test."""
        return excinfo.exconly()

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


class LitFile(pytest.File):
    def collect(self) -> list[LitItem]:  # type: ignore[override]
        text = self.path.read_text("utf-8")
        lines = run_lines(text)
        if "--split-input-file" not in lines[0].split() or not all(map(SPLIT.fullmatch, lines)):
            return [LitItem.from_parent(self, name="lit", lines=lines, text="")]
        parts = [(chunk.first_line, "\n" * (chunk.first_line - 1) + chunk.text) for chunk in split_input(text)]
        return [LitItem.from_parent(self, name=f"lit[{line}]", lines=lines, text=part) for line, part in parts]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> LitFile | None:
    return LitFile.from_parent(parent, path=file_path) if file_path.suffix == ".mlir" else None
