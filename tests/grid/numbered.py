"""
Campaigns over points that are drawn by number: the command line, the journal and the report.

The journal is a file of JSON lines: the first has the seed, each other one the outcome of a point.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests import journal

Line = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """
    What a campaign examines. `examine` and `program` take the number of a point and the seed; an outcome has at least its `problems` and
    `seconds`. `values` names the value of each axis at a point. `totals` are counted in the report; `text`, formatted with them, says what
    a point that passed has shown.
    """

    module: str
    title: str
    count: int
    examine: Callable[[int, int], Line]
    program: Callable[[int, int], str]
    values: Callable[[Line], dict[str, str]]
    totals: dict[str, Callable[[Line], bool]]
    text: str

    def run(self, args: Sequence[str] | None, doc: str | None) -> int:
        """Entry point; returns the exit status: 1 if a point fails."""
        parser = argparse.ArgumentParser(prog=f"python -m {self.module}", description=doc)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.add_argument("--count", type=int, default=self.count, help="how many points")
        parser.add_argument("--seed", type=int, default=0, help="draws the points and the numbers")
        parser.add_argument("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
        parser.add_argument(
            "--report", type=Path, metavar="F.json", help="write the counts and failures there and as F.md"
        )
        parser.add_argument("--only", type=int, metavar="N", help="one point by its number, printed")
        options = parser.parse_args(args)
        if options.only is not None:
            outcome = self.examine(options.only, options.seed)
            sys.stdout.write(self.program(options.only, options.seed) + json.dumps(outcome, indent=1) + "\n")
            return 1 if outcome["problems"] else 0
        done = _read(options.state, options.seed)
        for number in range(options.count):
            if number not in done:
                done[number] = {"number": number, **self.examine(number, options.seed)}
                journal.append(options.state, done[number])
                for problem in done[number]["problems"]:
                    print(f"{number}: {problem}", file=sys.stderr)
        report = self.summary([done[n] for n in range(options.count)], options.seed)
        if options.report is not None:
            options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
            options.report.with_suffix(".md").write_text(self.markdown(report), "utf-8")
        sys.stdout.write(self.markdown(report))
        return 1 if report["failures"] else 0

    def summary(self, lines: Sequence[Line], seed: int) -> dict[str, Any]:
        """Returns the totals, the points with each value of each axis, and the failures."""
        counts: dict[str, Counter[str]] = {}
        for line in lines:
            for axis, value in self.values(line).items():
                counts.setdefault(axis, Counter())[value] += 1
        return {
            "seed": seed,
            "points": len(lines),
            "passed": sum(not line["problems"] for line in lines),
            **{name: sum(map(holds, lines)) for name, holds in self.totals.items()},
            "seconds": round(sum(line["seconds"] for line in lines)),
            "axes": {axis: dict(sorted(found.items())) for axis, found in counts.items()},
            "failures": [{k: line[k] for k in ("number", "problems")} for line in lines if line["problems"]],
        }

    def markdown(self, report: dict[str, Any]) -> str:
        """Returns the report as Markdown."""
        out = [
            f"# {self.title}",
            "",
            f"`python -m {self.module} --count {report['points']} --seed {report['seed']}`: {report['passed']} of "
            f"{report['points']} points passed, {report['seconds'] / 60:.0f} minutes of one core. {self.text.format(**report)}",
            "",
            "| axis | points |",
            "|---|---|",
            *(
                f"| {axis} | {', '.join(f'{v}: {n}' for v, n in found.items())} |"
                for axis, found in report["axes"].items()
            ),
        ]
        if report["failures"]:
            out += ["", "| failed | problem |", "|--:|---|"]
            out += [f"| {f['number']} | {'; '.join(f['problems'])} |" for f in report["failures"]]
        return "\n".join([*out, ""])


def _read(state: Path | None, seed: int) -> dict[int, Line]:
    """Returns the outcomes in a journal by number, and begins it if there is none."""
    if state is None:
        return {}
    if not state.exists():
        journal.append(state, {"seed": seed})
    first, *lines = journal.read(state) or [None]
    if first != {"seed": seed}:
        raise SystemExit(f"{state} is about {first}; give another --state")
    return {line["number"]: line for line in lines}
