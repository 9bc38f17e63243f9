"""
The process that judges mutants: `python -m tests.dialect_mutation.server`, started by the campaign in a copy of the tree.

It communicates by JSON lines. First it writes the tests and what each one covers. Then it reads one mutant after the other, and
writes its verdict. A mutant is run in one of two ways:

- *patch*: the tests are collected once. A fork of that process replaces the code objects of the mutated functions, which it
  finds through the garbage collector, and runs the tests that cover the line. This takes milliseconds.
- *import*: a fork of a process that has imported only xDSL, NumPy and pytest imports the package, with the mutant's text in place
  of the file, and collects the tests again. Declarations need this. A mutant that survives as a patch is run this way, too,
  because its function may be called while the package is imported.

Tests run until the first one fails, in an order that prefers quick tests and those that have killed many mutants.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.util
import json
import os
import resource
import signal
import sys
import time
import types
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PRELOADED = (
    "numpy", "ml_dtypes", "hypothesis", "hypothesis.strategies", "_pytest.runner", "filecheck.main", "msgspec", "islpy",
    "xdsl.context", "xdsl.parser", "xdsl.printer", "xdsl.irdl", "xdsl.interpreter", "xdsl.pattern_rewriter",
    "xdsl.dialects.builtin", "xdsl.dialects.func", "xdsl.dialects.scf", "xdsl.dialects.arith", "xdsl.dialects.memref",
    "xdsl.universe", "xdsl.interpreters.func", "xdsl.interpreters.scf", "xdsl.interpreters.arith", "xdsl.transforms.canonicalize",
)  # fmt: skip
MEMORY = 6 << 30
PLUGINS = [
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "-s",
    "-q",
    "-o",
    "faulthandler_timeout=0",
    "--import-mode=importlib",
]


# --- running tests ------------------------------------------------------------------------------


@dataclass
class Outcome:
    """The verdict on a mutant: `killed` (by a test), `alive`, or `broken` if the tests cannot be collected."""

    verdict: str
    by: str = ""
    detail: str = ""
    seconds: float = 0.0

    def line(self) -> dict[str, Any]:
        return vars(self)


def run_items(items: Sequence[pytest.Item]) -> Outcome:
    """Runs tests until the first one fails."""
    from _pytest.runner import runtestprotocol

    for item, following in zip(items, [*items[1:], None], strict=True):
        for report in runtestprotocol(item, log=False, nextitem=following):
            if report.failed:
                return Outcome("killed", item.nodeid, str(report.longrepr)[-300:])
    return Outcome("alive")


def forked(action: Any, limit: float) -> Outcome:
    """Returns the outcome of `action()` in a forked process, which may use `limit` seconds of processor time."""
    begin = time.monotonic()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            null = os.open(os.devnull, os.O_RDWR)
            for k in (0, 1, 2):
                os.dup2(null, k)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, limit)
            try:
                outcome = action()
            except BaseException as e:
                outcome = Outcome("killed", "", f"{type(e).__name__}: {e}"[:300])
            signal.setitimer(signal.ITIMER_PROF, 0)
            with os.fdopen(writing, "wb") as out:
                out.write(json.dumps(outcome.line() if isinstance(outcome, Outcome) else outcome).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as into:
        said = into.read()
    _, status = os.waitpid(child, 0)
    seconds = round(time.monotonic() - begin, 3)
    if not said:
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        name = "timeout" if killer == signal.SIGPROF else f"signal {killer}" if killer else "it ended"
        return Outcome("killed", "", name, seconds)
    data = json.loads(said)
    if "verdict" not in data:
        return data
    return Outcome(**{**data, "seconds": seconds})


# --- the baseline: what each test covers --------------------------------------------------------


@dataclass
class Touched:
    """What a test covers in the original: lines of the mutated files, and classes of the ops that it verifies."""

    seconds: float = 0.0
    passed: bool = True
    lines: dict[str, list[int]] = field(default_factory=dict[str, "list[int]"])
    ops: list[str] = field(default_factory=list[str])


def measure(item: pytest.Item, files: dict[str, str], following: pytest.Item | None) -> Touched:
    """Runs a test and records what it covers of `files`, which maps paths to names."""
    from _pytest.runner import runtestprotocol
    from xdsl.irdl import OpDef

    lines: dict[str, set[int]] = {}
    ops: set[str] = set()
    verify = OpDef.verify

    def watched(self: Any, op: Any) -> None:
        ops.update(base.__name__ for base in type(op).__mro__)
        verify(self, op)

    def local(frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            lines[files[frame.f_code.co_filename]].add(frame.f_lineno)
        return local

    def called(frame: types.FrameType, event: str, argument: Any) -> Any:
        name = files.get(frame.f_code.co_filename)
        if name is None:
            return None
        lines.setdefault(name, set()).add(frame.f_lineno)
        return local

    OpDef.verify = watched
    begin = time.perf_counter()
    sys.settrace(called)
    try:
        reports = runtestprotocol(item, log=False, nextitem=following)
    finally:
        sys.settrace(None)
        OpDef.verify = verify
    seconds = time.perf_counter() - begin
    failed = [r for r in reports if r.failed]
    for report in failed:
        sys.__stderr__.write(f"{item.nodeid}: {report.longrepr}\n") if os.environ.get("VERBOSE") else None
    return Touched(seconds, not failed, {k: sorted(v) for k, v in lines.items()}, sorted(ops))


# --- patching -----------------------------------------------------------------------------------


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """Returns a code object and all that are nested in it, in order."""
    out = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            out += _codes(constant)
    return out


def patch(path: str, text: str, mutated: str) -> bool:
    """Replaces the code of each live function that the mutant changes. Returns False if there is none."""
    old, new = (_codes(compile(t, path, "exec", dont_inherit=True)) for t in (text, mutated))
    if len(old) != len(new):
        return False
    changed = {a: b for a, b in zip(old, new, strict=True) if a != b and a.co_name != "<module>"}
    found = False
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and thing.__code__.co_filename == path:
            replacement = changed.get(thing.__code__)
            if replacement is not None:
                try:
                    thing.__code__ = replacement
                except ValueError:  # the mutant captures another number of variables
                    return False
                found = True
    return found


class Replaced(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Imports one module from another text."""

    def __init__(self, module: str, path: str, text: str):
        self.module, self.path, self.text = module, path, text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != self.module:
            return None
        package = self.path.endswith("__init__.py")
        return importlib.util.spec_from_file_location(
            fullname,
            self.path,
            loader=self,
            submodule_search_locations=[str(Path(self.path).parent)] if package else None,
        )

    def get_filename(self, fullname: str) -> str:
        return self.path

    def get_data(self, path: str) -> bytes:
        return self.text.encode()

    def path_stats(self, path: str) -> Any:
        raise OSError  # disables cached bytecode


def module_of(file: str) -> str:
    parts = Path(file).with_suffix("").parts
    return ".".join(("ptir", *(parts[:-1] if parts[-1] == "__init__" else parts)))


# --- the two servers ----------------------------------------------------------------------------


@dataclass
class Job:
    """A mutant to be judged."""

    file: str
    mutated: str
    items: list[str]
    limit: float
    way: str


class Collected:
    """A pytest plugin that, instead of running the collected tests, measures them and then judges mutants with them."""

    def __init__(self, root: Path, files: list[str], reading: int, writing: int):
        self.root, self.files = root, files
        self.reading, self.writing = reading, writing

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.collect()
        gc.freeze()
        gc.unfreeze()
        into, out = os.fdopen(self.reading), os.fdopen(self.writing, "w")
        items = {item.nodeid: item for item in session.items}
        places = {str(self.root / f): f for f in self.files}

        def baseline() -> Any:
            every = list(items.values())
            following = [*every[1:], None]
            return {i.nodeid: vars(measure(i, places, n)) for i, n in zip(every, following, strict=True)}

        print(json.dumps(forked(baseline, 3600)), file=out, flush=True)
        for line in into:
            job = Job(**json.loads(line))
            outcome = forked(lambda j=job: self._judge(j, items), job.limit)
            print(json.dumps(outcome.line()), file=out, flush=True)
        return True

    def _judge(self, job: Job, items: dict[str, pytest.Item]) -> Outcome:
        path = str(self.root / job.file)
        if not patch(path, Path(path).read_text("utf-8"), job.mutated):
            return Outcome("alive", detail="not patched")
        return run_items([items[i] for i in job.items if i in items])


class Chosen:
    """A pytest plugin that runs only these tests, in this order."""

    def __init__(self, items: list[str]):
        self.items = items
        self.outcome = Outcome("broken")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        known = {item.nodeid: item for item in items}
        items[:] = [known[i] for i in self.items if i in known]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            self.outcome = Outcome("killed", "", "the tests cannot be collected")
        else:
            self.outcome = run_items(session.items)
        return True


def judge_by_import(root: Path, job: Job) -> Outcome:
    """Judges a mutant by importing the package with the mutated file."""
    sys.meta_path.insert(0, Replaced(module_of(job.file), str(root / job.file), job.mutated))
    _profile()
    chosen = Chosen(job.items)
    files = list(dict.fromkeys(i.split("::")[0] for i in job.items))
    pytest.main([*PLUGINS, *files], plugins=[chosen, "tests.dialect_mutation.lit"])
    if chosen.outcome.verdict == "broken":
        return Outcome("killed", "", "the tests cannot be collected")
    return chosen.outcome


def _profile() -> None:
    """Makes hypothesis draw the same examples each time, without minimizing or explaining failures."""
    from hypothesis import HealthCheck, Phase, settings

    settings.register_profile(
        "mutation", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True, deadline=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    settings.load_profile("mutation")


def main() -> None:
    """Runs the server. Its arguments are the test files, then `--`, then the mutated files."""
    root = Path.cwd()
    at = sys.argv.index("--")
    tests, files = sys.argv[1:at], sys.argv[at + 1 :]
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    down, up = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(down[1])
        os.close(up[0])
        saved = os.dup(1)
        os.dup2(2, 1)
        _profile()
        plugin = Collected(root, files, down[0], up[1])
        status = pytest.main([*PLUGINS, *tests], plugins=[plugin, "tests.dialect_mutation.lit"])
        os.close(saved)
        os._exit(int(status))
    os.close(down[0])
    os.close(up[1])
    to, back = os.fdopen(down[1], "w"), os.fdopen(up[0])
    print(back.readline().strip(), flush=True)
    for line in sys.stdin:
        job = Job(**json.loads(line))
        if job.way == "patch":
            print(line.strip(), file=to, flush=True)
            print(back.readline().strip(), flush=True)
        else:
            print(json.dumps(forked(lambda j=job: judge_by_import(root, j), job.limit).line()), flush=True)


if __name__ == "__main__":
    main()
