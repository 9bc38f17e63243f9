"""
The grading of the verifier: mutants must fail, correct candidates and compiled kernels must not, and no file causes an internal error.

    python -m tests.intent_verifier --state /tmp/intents.jsonl --report intents.json
    python -m tests.intent_verifier --only mutants --match layer_norm

With `--state`, a run that was stopped is resumed; `--again` repeats the tasks that had problems. The exit status is 1 if a task has a
problem.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from tests import journal

from .campaign import FILES, Line, tasks


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.intent_verifier", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--only", metavar="PART", help="mutants, correct, kernels or json")
    add("--match", metavar="TEXT", default="", help="only tasks whose names contain this")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--again", action="store_true", help="repeat the tasks of the journal that had problems")
    add("--report", type=Path, metavar="FILE", help="write the outcomes as JSON")
    options = parser.parse_args(args)
    done = _read(options.state, again=options.again)
    todo = [t for t in tasks() if options.only in (None, t.part) and options.match in t.name]
    console = Console(stderr=True)
    left = [t for t in todo if t.key not in done]
    for task in track(left, "tasks", console=console, disable=not console.is_terminal):
        done[task.key] = line = task.line()
        if line["problem"]:
            console.print(f"{task.key}: {line['problem']}", markup=False)
        journal.append(options.state, line)
    lines = [done[t.key] for t in todo]
    found = summary(lines)
    console.print_json(json.dumps(found))
    if options.report is not None:
        options.report.write_text(_report(found, lines), "utf-8")
    return int(any(line["problem"] for line in lines))


def summary(lines: Sequence[Line]) -> dict[str, Any]:
    """Returns for each part the number of tasks by their status, and that of the problems."""
    out: dict[str, Any] = {}
    for part in dict.fromkeys(line["part"] for line in lines):
        of = [line for line in lines if line["part"] == part]
        counts = Counter(str(line.get("status")) for line in of) if part != "json" else {}
        out[part] = {
            "tasks": len(of),
            **counts,
            "equivalent": sum("reason" in line for line in of),
            "problems": sum(bool(line["problem"]) for line in of),
            "seconds": round(sum(line["seconds"] for line in of)),
        }
    return out


def table(found: Mapping[str, Any]) -> str:
    """Returns the table of `docs/intent.md`."""
    mutants, correct, kernels, files = (found[part] for part in ("mutants", "correct", "kernels", "json"))
    graded = mutants["tasks"] - mutants.get("refused", 0)
    rows = (
        (f"wrong candidates: {graded:,} mutants", f"{mutants['FAIL']:,} FAIL; {mutants['equivalent']} are equivalent"),
        (f"correct candidates: {correct['tasks']}", f"{correct['PASS']} PASS"),
        (f"intents on sm80 and sm90: {kernels['tasks']}", f"{kernels['tasks'] - kernels['problems']} correct"),
        (f"mutated files: {files['tasks'] * FILES:,}", f"{files['problems']} internal errors"),
    )
    return "\n".join(["| input | outcome |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)])


def _report(found: Mapping[str, Any], lines: Sequence[Line]) -> str:
    kept = [{k: v for k, v in line.items() if k != "seconds" and v} for line in lines]
    rows = ",\n".join(json.dumps(line) for line in kept)
    return f'{{"summary": {json.dumps(found)},\n"tasks": [\n{rows}\n]}}\n'


def _read(state: Path | None, *, again: bool) -> dict[str, Line]:
    """Returns the outcomes in a journal by the keys of their tasks."""
    lines = journal.read(state)
    return {f"{line['part']}: {line['name']}": line for line in lines if not (again and line["problem"])}


if __name__ == "__main__":
    sys.exit(main())
