"""
Judges all mutants of a dialect, or a sample of them: runs the tests that cover each one, in a copy of the tree.

The journal is a file of JSON lines, one per mutant. A campaign that is started again is resumed where the journal ends; mutants of
a class, function or table that has changed since are judged again, and those that survived other tests.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from queue import Queue
from typing import Any

from tests import journal

from .dialects import ROOT, Dialect
from .sites import Mutant, lines_after, lines_of, lines_of_statement, mutants

IGNORED = shutil.ignore_patterns(".git", "build", ".hypothesis", "*.egg-info", "results", ".venv", ".ruff_cache")
PATIENCE = 120.0
"""Time that a mutant may take in addition to a hundred times that of its tests, in seconds: none waits for ever."""


BUDGET = 30.0
"""Processor time, traced, of the tests that a mutant must survive, in seconds. Those that come later do not run, and kill none."""


QUICK = 0.02
"""Processor time, traced, of a test that does little besides starting, in seconds."""


class BaselineFailed(Exception):
    """Raised if there are no tests, or if they cannot run on the original."""


@dataclass(frozen=True)
class Result:
    """A mutant and its verdict: `killed`, `alive`, or `no program` if it does not compile."""

    mutant: Mutant
    verdict: str
    by: str
    detail: str
    seconds: float
    items: int
    """Number of tests that cover the mutant."""


@dataclass
class Server:
    """A process of `server.py`, and what each test covers in the original."""

    tree: Path
    cache: Path
    """File of what each test covers."""
    tests: list[str]
    """The test files, and further arguments of pytest."""
    files: list[str]
    process: subprocess.Popen[str] = field(init=False)
    touched: dict[str, dict[str, Any]] = field(init=False)
    imported: dict[str, set[int]] = field(init=False)
    """Lines of functions of each file that are executed while it is imported."""

    def __post_init__(self) -> None:
        path = os.pathsep.join([str(self.tree.parent), str(self.tree)])
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "NO_COLOR": "1",
            "PTIR_WHOLE": "1",
            "PYTHONWARNINGS": "ignore",
            "PYTHONHASHSEED": "0",
        }
        environment.pop(
            "PYTHONDONTWRITEBYTECODE", None
        )  # to compile the package takes ten times as long as to import it
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # other threads do not survive a fork
            environment[name] = "1"
        command = [
            sys.executable,
            "-m",
            "tests.dialect_mutation.server",
            str(self.cache),
            *self.tests,
            "--",
            *self.files,
        ]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=self.tree, env=environment, stdin=pipe, stdout=pipe, text=True)
        original = self._read()
        self.touched = original["tests"]
        self.imported = {file: set(lines) for file, lines in original["import"].items()}

    def _read(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.strip():
            raise BaselineFailed("the server ended; the tests cannot be collected?")
        return json.loads(line)

    def ask(self, file: str, mutated: str, items: list[str], way: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        seconds = {i: self.touched[i]["seconds"] for i in items}
        limit = PATIENCE + 100 * sum(seconds.values())
        job = {"file": file, "mutated": mutated, "items": seconds, "limit": limit, "way": way}
        print(json.dumps(job), file=self.process.stdin, flush=True)
        return self._read()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


class Campaign:
    """Judges mutants of `dialect`. `only` selects mutants by file, kind or scope, `tests` selects test files."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        *,
        seed: int = 0,
        limit: int | None = None,
        state: Path | None = None,
        only: str = "",
        tests: str = "",
        budget: float = BUDGET,
        root: Path = ROOT,
    ):
        self.budget = budget
        self.name, self.dialect, self.state, self.root = name, dialect, state, root
        chosen = (("dialect", name), ("only", only), ("tests", tests))
        self.options = " ".join(f"--{option} {shlex.quote(value)}" for option, value in chosen if value)
        self.texts = {str(p.relative_to(root)): p.read_text("utf-8") for p in dialect.source_files(root)}
        self.tests = [str(p.relative_to(root)) for p in dialect.test_files(root)]
        self.tests = [t for t in self.tests if re.search(tests, t)]
        every = [
            m
            for file, text in self.texts.items()
            for m in mutants(file, text)
            if not only or re.search(only, f"{m.file}:{m.line} {m.kind} {m.scope}")
        ]
        random.Random(seed).shuffle(every)
        self.every = every[:limit]
        self._results: dict[str, Result] = {}
        self.kills: Counter[tuple[str, str]] = Counter()
        """How many mutants each test has killed, of a scope, of a file, and of all."""
        self.tests_digest = sha256(b"".join((root / t).read_bytes() for t in self.tests)).hexdigest()[:12]
        self.starting = threading.Lock()
        self.left = self._resume()
        self.seconds = 0.0
        self.items = 0

    def _resume(self) -> list[Mutant]:
        known = {entry["mutant"]: entry for entry in journal.read(self.state)}
        left: list[Mutant] = []
        survivors: list[Mutant] = []
        for m in self.every:
            entry = known.get(m.key)
            if entry is None:
                left.append(m)
                continue
            self._count(Result(m, *(entry[k] for k in ("verdict", "by", "detail", "seconds", "items"))))
            if entry["verdict"] == "alive" and entry.get("tests") != self.tests_digest:
                survivors.append(m)
        return survivors + left

    @property
    def results(self) -> list[Result]:
        """The last result of each mutant. One that survived other tests counts as alive until it is judged again."""
        return list(self._results.values())

    def _count(self, result: Result) -> None:
        self._results[result.mutant.key] = result
        if result.by:
            self.kills.update((where, result.by) for where in ("", result.mutant.file, result.mutant.scope))

    def run(self, jobs: int = 1) -> Iterator[Result]:
        """Judges the mutants that the journal does not have, and yields their results."""
        if not self.left:
            return
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder) / "ptir"
            shutil.copytree(self.root, tree, ignore=IGNORED)
            waiting: Queue[Mutant | None] = Queue()
            done: Queue[Result | BaseException | None] = Queue()
            for m in [*self.left, *[None] * jobs]:
                waiting.put(m)
            state = self.state or Path(folder) / "state"
            for _ in range(jobs):
                threading.Thread(target=self._work, args=(tree, state, waiting, done), daemon=True).start()
            working = jobs
            while working:
                result = done.get()
                if result is None:
                    working -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    self._count(result)
                    self._write(result)
                    yield result

    def _work(
        self, tree: Path, state: Path, waiting: Queue[Mutant | None], done: Queue[Result | BaseException | None]
    ) -> None:
        try:
            with self.starting:  # the first one measures what tests cover, for the others
                tests = [*self.tests, *(f"--deselect={t}" for t in self.dialect.skipped)]
                server = Server(tree, state.absolute().with_suffix(".baseline"), tests, list(self.texts))
            failing = [i for i, t in server.touched.items() if not t["passed"]]
            if not server.touched:
                raise BaselineFailed("there are no tests")
            for item in failing:  # tests that fail on the original say nothing about mutants
                sys.stderr.write(f"fails on the original: {item}\n")
                del server.touched[item]
            self.items = len(server.touched)
            while (m := waiting.get()) is not None:
                done.put(self.judge(server, m))
            server.close()
            done.put(None)
        except BaseException as e:
            done.put(e)

    def judge(self, server: Server, m: Mutant) -> Result:
        """Judges a mutant: as a patch if it lies in a function, and by import if that is called, or the mutant lies, where a module is."""
        text = self.texts[m.file]
        mutated = m.apply(text)
        try:
            compile(mutated, m.file, "exec")
        except SyntaxError as e:
            return Result(m, "no program", "", str(e), 0.0, 0)
        touching = self._affordable(server, self.select(server, m, text))
        outcome: dict[str, Any] = {"verdict": "alive", "by": "", "detail": "no item touches it", "seconds": 0.0}
        spent = 0.0
        if m.inside and touching:
            outcome = server.ask(m.file, mutated, touching, "patch")
            spent += outcome["seconds"]
        called = bool(server.imported.get(m.file, set()) & set(lines_of(m, text)))
        if outcome["verdict"] == "alive" and (not m.inside or called or outcome["detail"] == "not patched"):
            alone = m.kind in ("constraint", "trait") or (m.inside and not called)
            items = touching if alone else self._affordable(server, self._rest(server, touching, m))
            if items:
                outcome = server.ask(m.file, mutated, items, "import")
                spent += outcome["seconds"]
        return Result(m, outcome["verdict"], outcome["by"], outcome["detail"], round(spent, 2), len(touching))

    def select(self, server: Server, m: Mutant, text: str) -> list[str]:
        """
        Returns the tests that cover a mutant. In a function, these execute one of its lines, or of those of its statement if these
        have none of their own. In a declaration, they verify an op of the class around it, or have that op's name in theirs.
        """
        op = m.scope.split(".")[0]
        named = re.search(rf'class {op}\(.*?\n    name = "(.*?)"', text, re.DOTALL) if op else None
        if not m.inside:
            return self._order(server, m, [
                item
                for item, touched in server.touched.items()
                if op in touched["ops"] or (named is not None and f"[{named[1]}]" in item)
            ])  # fmt: skip
        found: list[str] = []
        for wanted in (set(lines_of(m, text)), set(lines_of_statement(m, text))):
            found = [i for i, touched in server.touched.items() if wanted & set(touched["lines"].get(m.file, ()))]
            if found:
                break
        return self._order(server, m, found)

    def _rest(self, server: Server, touching: list[str], m: Mutant) -> list[str]:
        """
        Returns the tests that may notice a change of what happens at import, which are all: first those that cover the mutant, then the
        quick ones, such as tests of tables, which call no function of its file, and then those that cover its file.
        """
        quick = [i for i, t in server.touched.items() if t["seconds"] < QUICK]
        near = [i for i, t in server.touched.items() if m.file in t["lines"]]
        orders = (self._order(server, m, items) for items in (quick, near, list(server.touched)))
        return list(dict.fromkeys([*touching, *(item for items in orders for item in items)]))

    def _order(self, server: Server, m: Mutant, items: list[str]) -> list[str]:
        """
        Sorts tests by their cost for each mutant that they are expected to kill. Those come first that have killed mutants nearby,
        and those that leave the function at the mutant, as the tests of a rule do.
        """
        kills, after = self.kills, set(lines_after(m, self.texts[m.file]))

        def cost(item: str) -> float:
            touched = server.touched[item]
            leaves = bool(after) and not after & set(touched["lines"].get(m.file, ()))
            likely = (
                1
                + kills["", item] / 4
                + 2 * kills[m.file, item]
                + 20 * kills[m.scope, item] * bool(m.scope)
                + 5 * leaves
            )
            return (touched["seconds"] + 0.02) / likely

        return sorted(items, key=cost)

    def _affordable(self, server: Server, items: list[str]) -> list[str]:
        """Returns the first tests that the budget suffices for, without any that takes half of it."""
        left, found = self.budget, list[str]()
        for item in items:
            seconds = server.touched[item]["seconds"]
            if seconds <= min(left, self.budget / 2):
                found.append(item)
                left -= seconds
        return found

    def _write(self, result: Result) -> None:
        journal.append(self.state, asdict(result) | {"mutant": result.mutant.key, "tests": self.tests_digest})
