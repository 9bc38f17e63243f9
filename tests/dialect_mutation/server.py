"""
The process that judges mutants: `python -m tests.dialect_mutation.server`, started by the campaign in a copy of the tree.

It communicates by JSON lines. First it writes the tests and what each one covers. Then it reads one mutant after the other, and
writes its verdict. A mutant is run in one of two ways:

- *patch*: the tests are collected once, and what they import late is imported. A fork of that process replaces the code objects of
  the mutated functions, which it finds through the garbage collector, and runs the tests that cover the line. This takes milliseconds.
- *import*: a fork of a process that has imported only xDSL, NumPy and pytest imports the package, with the mutant's text in place
  of the file, and collects the tests again. Declarations need this, and functions that are called while the package is imported.

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
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .baseline import Touched, Tracer, baseline, measure

MEMORY = 4 << 30
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
    "--assert=plain",
    "--tb=native",  # pytest's own tracebacks take ten times as long as the tests
]
STARTING = 2.0
"""Processor time that a test may take in addition to ten times what it takes on the original, traced, in seconds."""

IMPORTING = 30.0
"""Processor time that importing the package and collecting the first tests may take, in seconds."""


# --- running tests ------------------------------------------------------------------------------


@dataclass
class Outcome:
    """The verdict on a mutant: `killed` (by a test), `alive`, or `broken` if the tests cannot be collected."""

    verdict: str
    by: str = ""
    detail: str = ""
    seconds: float = 0.0


def run_items(items: Sequence[pytest.Item], seconds: Mapping[str, float]) -> Outcome:
    """Runs tests until the first one fails. A test that takes more processor time than ten times its `seconds` ends the process."""
    from _pytest.runner import runtestprotocol

    for item, following in zip(items, [*items[1:], None], strict=True):
        signal.setitimer(signal.ITIMER_PROF, STARTING + 10 * seconds.get(item.nodeid, 0.0))
        for report in runtestprotocol(item, log=False, nextitem=following):
            if report.failed:
                return Outcome("killed", item.nodeid, str(report.longrepr)[-300:])
    signal.setitimer(signal.ITIMER_PROF, 0)
    return Outcome("alive")


def forked(action: Callable[[], Any], limit: float) -> Any:
    """
    Returns the outcome of `action()`, or what else it returns, in a forked process. Waiting for more than `limit` seconds ends it.
    """
    begin = _used()
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
            for number in (signal.SIGPROF, signal.SIGALRM):
                signal.signal(number, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, limit)
            try:
                outcome = action()
            except BaseException as e:
                outcome = Outcome("killed", "", f"{type(e).__name__}: {e}"[:300])
            for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
                signal.setitimer(timer, 0)
            with os.fdopen(writing, "wb") as out:
                out.write(json.dumps(vars(outcome) if isinstance(outcome, Outcome) else outcome).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as into:
        said = into.read()
    _, status = os.waitpid(child, 0)
    seconds = round(_used() - begin, 3)
    if not said:
        killer = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        name = "timeout" if killer in (signal.SIGPROF, signal.SIGALRM) else f"signal {killer}" if killer else "it ended"
        return Outcome("killed", "", name, seconds)
    data = json.loads(said)
    if "verdict" not in data:
        return data
    return Outcome(**{**data, "seconds": seconds})


def _used() -> float:
    """Returns the processor time of the children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


# --- patching -----------------------------------------------------------------------------------


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """Returns a code object and all that are nested in it, in order."""
    out = [code]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            out += _codes(constant)
    return out


class Functions:
    """The functions of the mutated files that exist when this is made, and the code of these files."""

    def __init__(self, paths: Iterable[str]):
        self.live: dict[str, list[types.FunctionType]] = {path: [] for path in paths}
        gc.unfreeze()  # the tests' `conftest.py` has frozen what was imported, which is not listed then
        for thing in gc.get_objects():
            if isinstance(thing, types.FunctionType) and thing.__code__.co_filename in self.live:
                self.live[thing.__code__.co_filename].append(thing)
        self.codes = {path: _compiled(path, Path(path).read_text("utf-8")) for path in self.live}

    def patch(self, path: str, mutated: str) -> bool:
        """Replaces the code of each live function that the mutant changes. Returns False if there is none."""
        old, new = self.codes[path], _compiled(path, mutated)
        if len(old) != len(new):
            return False
        changed = {a: b for a, b in zip(old, new, strict=True) if a != b and a.co_name != "<module>"}
        found = False
        for function in self.live[path]:
            if (replacement := changed.get(function.__code__)) is not None:
                if not replacement.co_freevars:  # it may lack the only `super()`
                    replacement = replacement.replace(co_freevars=function.__code__.co_freevars)
                try:
                    function.__code__ = replacement
                except ValueError:  # the mutant captures another number of variables
                    return False
                found = True
        return found


def _compiled(path: str, text: str) -> list[types.CodeType]:
    return _codes(compile(text, path, "exec", dont_inherit=True))


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
    """A mutant to be judged by tests, each with its processor time."""

    file: str
    mutated: str
    items: dict[str, float]
    limit: float
    way: str


class Profile:
    """A pytest plugin that makes hypothesis draw the same examples each time, without minimizing or explaining failures."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutation", phases=[Phase.explicit, Phase.generate], database=None, derandomize=True, deadline=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        settings.load_profile("mutation")


class Collected(Profile):
    """A pytest plugin that, instead of running the collected tests, measures them and then judges mutants with them."""

    def __init__(self, root: Path, cache: Path, files: list[str], tracer: Tracer, reading: int, writing: int):
        self.root, self.cache, self.files, self.tracer = root, cache, files, tracer
        self.reading, self.writing = reading, writing

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        into, out = os.fdopen(self.reading), os.fdopen(self.writing, "w")
        items = {item.nodeid: item for item in session.items}
        places = {str(self.root / f): f for f in self.files}
        for file in self.files:
            _load(module_of(file))

        def run(item: pytest.Item) -> Touched:
            outcome = forked(lambda: vars(measure(item, places)), 3600)
            return Touched(passed=False) if isinstance(outcome, Outcome) else Touched(**outcome)

        touched = baseline(self.root, self.cache, session.items, run, _load)
        self.tracer.__exit__()
        modules = [name for name in sys.modules if not name.startswith(("ptir", "tests", "__m"))]
        print(json.dumps({"tests": touched, "import": self.tracer.lines, "modules": modules}), file=out, flush=True)
        functions = Functions(places)
        gc.collect()
        gc.freeze()
        for line in into:
            job = Job(**json.loads(line))
            outcome = forked(lambda j=job: self._judge(j, functions, items), job.limit)
            print(json.dumps(vars(outcome)), file=out, flush=True)
        return True

    def _judge(self, job: Job, functions: Functions, items: dict[str, pytest.Item]) -> Outcome:
        if not functions.patch(str(self.root / job.file), job.mutated):
            return Outcome("alive", detail="not patched")
        return run_items([items[i] for i in job.items if i in items], job.items)


class Chosen(Profile):
    """A pytest plugin that collects one file after the other, and runs these tests of it."""

    def __init__(self, items: dict[str, float]):
        self.items = items
        self.outcome = Outcome("alive")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().pytest_collection()
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        files: dict[str, list[str]] = {}
        for item in self.items:
            files.setdefault(item.split("::")[0], []).append(item)
        for file, wanted in files.items():
            known = {item.nodeid: item for item in session.perform_collect([file])}
            if session.testsfailed or any(item not in known for item in wanted):
                self.outcome = Outcome("killed", "", "the tests cannot be collected")
            else:
                self.outcome = run_items([known[i] for i in wanted], self.items)
            if self.outcome.verdict == "killed":
                break
        return True


def judge_by_import(root: Path, job: Job) -> Outcome:
    """Judges a mutant by importing the package with the mutated file."""
    signal.setitimer(signal.ITIMER_PROF, IMPORTING)
    sys.meta_path.insert(0, Replaced(module_of(job.file), str(root / job.file), job.mutated))
    chosen = Chosen(job.items)
    files = list(dict.fromkeys(i.split("::")[0] for i in job.items))
    status = pytest.main([*PLUGINS, *files], plugins=[chosen, "tests.dialect_mutation.lit"])
    if status in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        return Outcome("killed", "", "the tests cannot be collected")
    return chosen.outcome


def _load(name: str) -> None:
    """Imports a module, if there is one of that name that can be imported here."""
    with contextlib.suppress(Exception):
        importlib.import_module(name)


def main() -> None:
    """Runs the server. Its arguments are the file of the baseline, the test files, then `--`, then the mutated files."""
    root = Path.cwd()
    at = sys.argv.index("--")
    cache, tests, files = Path(sys.argv[1]), sys.argv[2:at], sys.argv[at + 1 :]
    down, up = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(down[1])
        os.close(up[0])
        os.dup2(2, 1)
        with Tracer({str(root / f): f for f in files}) as tracer:
            plugin = Collected(root, cache, files, tracer, down[0], up[1])
            status = pytest.main([*PLUGINS, *tests], plugins=[plugin, "tests.dialect_mutation.lit"])
        os._exit(int(status))
    os.close(down[0])
    os.close(up[1])
    to, back = os.fdopen(down[1], "w"), os.fdopen(up[0])
    line = back.readline().strip()
    if line:
        for name in json.loads(line)["modules"]:  # what is no part of the package is imported once
            _load(name)
        gc.collect()
        gc.freeze()
    print(line, flush=True)
    for line in sys.stdin:
        job = Job(**json.loads(line))
        if job.way == "patch":
            print(line.strip(), file=to, flush=True)
            print(back.readline().strip(), flush=True)
        else:
            print(json.dumps(vars(forked(lambda j=job: judge_by_import(root, j), job.limit))), flush=True)


if __name__ == "__main__":
    main()
