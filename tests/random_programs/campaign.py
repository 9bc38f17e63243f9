"""
A campaign: checks one program after the other, keeps a journal from which it can be resumed, and writes the report.

The journal is a file of JSON lines: the first has the seed and the options, each other one the outcome of a program.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests import journal

from .check import Checker, Problem
from .generator import Case, Options, generate
from .rows.row import Table
from .rows.table import ROWS
from .shrinker import shrink, text_of


class OtherCampaign(Exception):
    """Raised if the journal belongs to another seed or other options."""


@dataclass
class Campaign:
    """Checks programs from `next_index` on. The first failure of each kind is shrunk; further ones are counted."""

    seed: int
    options: Options
    checker: Checker
    journal: Path | None = None
    tries: int = 600
    """Maximum number of attempts to shrink a program; 0 leaves programs as they are."""
    rows: Table = field(default_factory=lambda: ROWS)
    again: bool = False
    """Check the programs of the journal that had problems again, as after a fix."""
    next_index: int = 0
    ops: Counter[str] = field(default_factory=Counter[str])
    ran: Counter[str] = field(default_factory=Counter[str])
    errors: Counter[str] = field(default_factory=Counter[str])
    compared: Counter[str] = field(default_factory=Counter[str])
    found: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])

    def __post_init__(self) -> None:
        if self.journal is None:
            return
        head = {"seed": self.seed, "options": _plain(self.options), **self.checker.settings}
        if not self.journal.exists():
            journal.append(self.journal, head)
            return
        lines = journal.read(self.journal)
        if not lines or lines[0] != head:
            raise OtherCampaign(f"{self.journal} is about {lines[0] if lines else 'nothing'}, this is {head}")
        if self.again:
            lines[1:] = [self._checked(line["index"]) if line["problems"] else line for line in lines[1:]]
            self.journal.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        for line in lines[1:]:
            self._count(line)

    def step(self) -> None:
        """Checks the next program."""
        line = self._checked(self.next_index)
        journal.append(self.journal, line)
        self._count(line)

    def _checked(self, index: int) -> dict[str, Any]:
        """Checks a program and returns its line of the journal."""
        case = generate(self.seed, index, self.options, self.rows)
        ops = Counter(op.name for op in case.module.walk())
        watch = self.checker.watch
        watch.ran.clear()
        self.checker.errors.clear()
        self.checker.compared.clear()
        problems = self.checker.check(case)
        ran = Counter({f"{name} {dtype}": n for (name, dtype), n in watch.ran.items()})
        errors, compared = dict(self.checker.errors), dict(self.checker.compared)
        entries = [{"kind": p.kind, "detail": p.detail, "text": self._small(case, p)} for p in problems[:3]]
        return {"index": index, "ops": ops, "ran": ran, "errors": errors, "compared": compared, "problems": entries}

    def _small(self, case: Case, problem: Problem) -> str | None:
        if problem.kind in self.found:
            return None

        def fails(candidate: Case) -> bool:
            return any(p.kind == problem.kind for p in self.checker.check(candidate))

        return text_of(shrink(case, fails, self.tries) if self.tries else case)

    def _count(self, line: dict[str, Any]) -> None:
        self.next_index = line["index"] + 1
        self.ops.update(line["ops"])
        self.ran.update(line["ran"])
        self.errors.update(line["errors"])
        self.compared.update(line["compared"])
        for entry in line["problems"]:
            known = self.found.setdefault(entry["kind"], {**entry, "index": line["index"], "count": 0})
            known["count"] += 1

    def report(self, seconds: float) -> dict[str, Any]:
        """Returns the JSON report: counts of what ran, and each kind of failure with its smallest program."""
        return {
            "seed": self.seed,
            "options": _plain(self.options),
            **self.checker.settings,
            "programs": self.next_index,
            "seconds": round(seconds, 1),
            "ops": dict(sorted(self.ops.items())),
            "op × element type": len(self.ran),
            "least run": dict(self.ran.most_common()[:-11:-1]),
            "errors": self.errors,
            "elements compared": self.compared,
            "never built": sorted(n for n in self.rows if self.options.allows(n) and not self.ops[n]),
            "failures": list(self.found.values()),
        }


def _plain(options: Options) -> dict[str, Any]:
    out = asdict(options)
    out["ops"] = None if options.ops is None else sorted(options.ops)
    return {k: list(v) if isinstance(v, tuple) else v for k, v in out.items()}
