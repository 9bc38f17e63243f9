"""
Examines many points, on one core or several, keeps a journal from which it can be resumed, and makes tables of the outcomes.

The journal is a file of JSON lines: the first has the seed, each other one an outcome.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests import journal

from .check import examine
from .grid import schedules
from .points import AXES, VALUES, Point

Line = dict[str, Any]


class OtherCampaign(Exception):
    """Raised if the journal belongs to another seed."""


@dataclass
class Campaign:
    """Examines `points`; with a `journal`, only those that it does not contain yet."""

    points: Sequence[Point]
    seed: int = 0
    journal: Path | None = None
    done: dict[str, Line] = field(default_factory=dict[str, Line])

    def __post_init__(self) -> None:
        if self.journal is None:
            return
        head = {"seed": self.seed}
        if not self.journal.exists():
            journal.append(self.journal, head)
            return
        first, *rest = journal.read(self.journal) or [{}]
        if first != head:
            raise OtherCampaign(f"{self.journal} is about {first}, this is {head}")
        names = {str(p) for p in self.points}
        self.done = {name: line for line in rest if (name := _name(line)) in names}

    @property
    def left(self) -> list[Point]:
        return [p for p in self.points if str(p) not in self.done]

    @property
    def failures(self) -> list[Line]:
        return [line for line in self.done.values() if line["problems"]]

    def run(self, jobs: int = 1, watch: Callable[[Line], None] = lambda line: None) -> None:
        """Examines the remaining points. Calls `watch` with each outcome."""
        if jobs == 1:
            for point in self.left:
                self._finish(_examine(point, self.seed), watch)
            return
        with ProcessPoolExecutor(jobs) as pool:
            for line in pool.map(_examine, left := self.left, [self.seed] * len(left)):
                self._finish(line, watch)

    def _finish(self, line: Line, watch: Callable[[Line], None]) -> None:
        journal.append(self.journal, line)
        self.done[_name(line)] = line
        watch(line)


def _examine(point: Point, seed: int) -> Line:
    return examine(point, seed, schedules=schedules(point)).to_dict()


def _name(line: Line) -> str:
    return str(Point(**line["point"]))


# --- tables -------------------------------------------------------------------------------------


@dataclass
class Row:
    """Totals over the points with one value of an axis."""

    points: int = 0
    passed: int = 0
    registers: int = 0
    ideal: int = 0
    """Number of points whose wavefronts were compared with bytes / 128."""
    conflicts: int = 0
    seconds: float = 0.0

    def add(self, line: Line) -> None:
        self.points += 1
        self.passed += not line["problems"]
        self.registers = max(self.registers, line["registers"])
        self.ideal += line["ideal"]
        self.conflicts += bool(line["conflicts"])
        self.seconds = round(self.seconds + line["seconds"], 1)


def summary(campaign: Campaign, arch: str = "sm80") -> dict[str, Any]:
    """Returns the JSON report: totals for each value of each axis, and all failures in full."""
    total, axes = Row(), {axis: {value: Row() for value in VALUES[axis]} for axis in AXES}
    for line in campaign.done.values():
        total.add(line)
        for axis, value in line["point"].items():
            axes[axis][value].add(line)
    return {
        "seed": campaign.seed,
        "template": arch,
        "total": asdict(total),
        "axes": {axis: {v: asdict(row) for v, row in rows.items() if row.points} for axis, rows in axes.items()},
        "failures": [{k: line[k] for k in ("point", "problems", "plan")} for line in campaign.failures],
    }


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as Markdown: one table per axis, and the failures."""
    total = report["total"]
    out = [
        "# The proof grid",
        "",
        f"`python -m tests.grid --arch {report['template']} --seed {report['seed']}`: {total['points']} points, "
        f"{total['passed']} passed, {total['seconds'] / 60:.0f} minutes of one core.",
        "",
        "A point passes if integers come out bit for bit, random numbers within the bound of DESIGN §6, the "
        "emulator's detectors report nothing, aligned rows have no bank conflicts (*wavefronts = bytes/128* counts "
        "the points whose tiles are whole, too; with roles, of what `stmatrix` and copies of 16 bytes write), nothing "
        "spills and a thread has 255 registers at most.",
    ]
    for axis, rows in report["axes"].items():
        out += ["", f"| {axis} | points | passed | most registers | wavefronts = bytes/128 |", "|---|--:|--:|--:|--:|"]
        out += [
            f"| {value} | {row['points']} | {row['passed']} | {row['registers']} | {row['ideal']} |"
            for value, row in rows.items()
        ]
    if report["failures"]:
        out += ["", "| failures | of the kind | first |", "|--:|---|---|"]
    kinds: dict[str, list[Line]] = {}
    for line in report["failures"]:
        for problem in line["problems"]:
            kind = re.sub(r"\d+", "#", problem.splitlines()[0]).replace("|", "\\|")
            kinds.setdefault(kind, []).append(line)
    for kind, lines in sorted(kinds.items(), key=lambda item: -len(item[1])):
        first = " ".join(lines[0]["point"].values())
        out.append(f"| {len(lines)} | {kind} | {first} |")
    return "\n".join([*out, ""])
