"""
What each test covers in the original, measured in a process of its own, since what an earlier test has cached is not executed again.
It is kept in a file, from which only the tests of files that have changed since are measured again.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import types
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from inspect import CO_OPTIMIZED
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Touched:
    """What a test covers: lines of the mutated files, and classes of the ops that it verifies; and what it imports."""

    seconds: float = 0.0
    """Processor time, traced."""
    passed: bool = True
    lines: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    ops: list[str] = field(default_factory=list[str])
    modules: list[str] = field(default_factory=list[str])


class Tracer:
    """Records which lines of functions are executed. `files` maps paths to names."""

    def __init__(self, files: Mapping[str, str]):
        self.files = files
        self._lines: dict[str, set[int]] = {}

    def _local(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._lines[self.files[frame.f_code.co_filename]].add(frame.f_lineno)
        return self._local

    def _called(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        name = self.files.get(frame.f_code.co_filename)
        if name is None or not frame.f_code.co_flags & CO_OPTIMIZED:  # modules and classes are executed at import alone
            return None
        self._lines.setdefault(name, set()).add(frame.f_lineno)
        return self._local

    def __enter__(self) -> Tracer:
        threading.settrace(self._called)
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]

    @property
    def lines(self) -> dict[str, list[int]]:
        return {name: sorted(lines) for name, lines in self._lines.items()}


def measure(item: pytest.Item, files: Mapping[str, str]) -> Touched:
    """Runs a test and records what it covers of `files`, which maps paths to names."""
    from _pytest.runner import runtestprotocol
    from xdsl.irdl import OpDef

    ops: set[str] = set()
    verify, before = OpDef.verify, set(sys.modules)

    def watched(self: Any, op: Any) -> None:
        ops.update(base.__name__ for base in type(op).__mro__)
        verify(self, op)

    OpDef.verify = watched
    begin = time.process_time()
    try:
        with Tracer(files) as tracer:
            reports = runtestprotocol(item, log=False, nextitem=None)
    finally:
        OpDef.verify = verify
    seconds = round(time.process_time() - begin, 4)
    passed = not any(r.failed for r in reports)
    return Touched(seconds, passed, tracer.lines, sorted(ops), sorted(set(sys.modules) - before))


@cache
def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


def _code(root: Path, tests: Container[str]) -> dict[str, str]:
    """Returns a digest of each file of the tree that is imported, without the tests themselves and this campaign."""
    paths = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    found = sorted({Path(p) for p in paths if p is not None and Path(p).is_relative_to(root) and p.endswith(".py")})
    names = {str(p.relative_to(root)): p for p in found}
    return {f: _digest(p) for f, p in names.items() if f not in tests and not f.startswith("tests/dialect_mutation/")}


def baseline(
    root: Path,
    kept: Path,
    items: Sequence[pytest.Item],
    run: Callable[[pytest.Item], Touched],
    load: Callable[[str], None],
) -> dict[str, Any]:
    """
    Returns what each test covers, by its identifier; `run` measures one, `load` imports a module. What is in `kept` is taken from
    there if neither the file of the test has changed nor any other that was imported.
    """
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    of_file: dict[str, list[pytest.Item]] = {}
    for item in items:
        of_file.setdefault(str(item.path.relative_to(root)), []).append(item)
    for file in known.values():
        for touched in file["items"].values():
            for name in touched["modules"]:
                load(name)
    fresh: dict[str, Any] = {}
    for file, tests in of_file.items():
        digest, entry = _digest(root / file), known.get(file)
        if entry is None or entry["digest"] != digest or any(_digest(root / f) != d for f, d in entry["code"].items()):
            entry = {"digest": digest, "items": {t.nodeid: asdict(run(t)) for t in tests}}
            for touched in entry["items"].values():
                for name in touched["modules"]:
                    load(name)
            entry["code"] = _code(root, of_file)
        fresh[file] = entry
        if entry is not known.get(file):
            kept.write_text(json.dumps(known | fresh))
    return {name: touched for entry in fresh.values() for name, touched in entry["items"].items()}
