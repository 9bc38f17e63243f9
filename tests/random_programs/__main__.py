"""
Runs random PTIR programs through the parser, verifier, interpreter and rewrites, and compares results with oracles.

    python -m tests.random_programs --seed 1 --count 2000 --state /tmp/programs.jsonl --report programs.json
    python -m tests.random_programs --seed 1 --only 4711            # one program: prints its text and its problems
    python -m tests.random_programs --ops tiny --pipeline ptir-to-tiny
    python -m tests.random_programs --violations 0.3                # leaves some indices and divisors unguarded

With `--state`, a run that was stopped is resumed. The exit status is 1 if a problem was found. Other campaigns use
`tests.random_programs.generator.generate`, `.shrinker.shrink` and `.check.Checker`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .campaign import Campaign, OtherCampaign
from .check import Checker
from .generator import Case, Options, generate
from .opsets import OPSETS
from .rows.row import Table
from .rows.table import ROWS
from .shrinker import shrink, text_of


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = arguments("python -m tests.random_programs", __doc__)
    add = parser.add_argument
    add("--ops", type=_ops, metavar="SET|OP,…", help=f"a set ({', '.join(OPSETS)}) or names of ops; default: all")
    add("--no-extensions", action="store_true", help="only what the contract has")
    add("--dynamic", type=float, default=0.3, metavar="SHARE", help="of functions with sizes that are no numbers")
    add("--violations", type=float, default=0.0, metavar="SHARE", help="of indices and divisors left unguarded")
    add("--length", type=int, default=14, metavar="N", help="the most ops a function is grown by")
    add("--pipeline", action="append", default=[], metavar="PIPELINE", help="results must be the same after it")
    options = parser.parse_args(args)
    wanted = Options(
        ops=options.ops,
        extensions=not options.no_extensions,
        dynamic=options.dynamic,
        violations=options.violations,
        length=(1, options.length),
    )
    return check_programs(options, wanted, Checker({p: p for p in options.pipeline}), ROWS)


def check_programs(options: argparse.Namespace, wanted: Options, checker: Checker, rows: Table) -> int:
    """Checks the programs that the command line asks for. Returns the exit status."""
    if options.only is not None:
        return _one(options, generate(options.seed, options.only, wanted, rows), checker)
    console = Console(stderr=True)
    try:
        campaign = Campaign(options.seed, wanted, checker, options.state, options.tries, rows)
    except OtherCampaign as e:
        console.print(f"error: {e}; give another --state", markup=False)
        return 2
    seconds = _run(campaign, options.count, options.time_limit, console)
    for kind, entry in campaign.found.items():
        console.print(f"{entry['count']:5} × {kind}, first {entry['index']}\n{entry['text']}", markup=False)
    console.print(f"{campaign.next_index} programs in {seconds:.0f} s; {len(campaign.found)} kinds of failure")
    if options.report is not None:
        options.report.write_text(json.dumps(campaign.report(seconds), indent=1) + "\n", "utf-8")
    return 1 if campaign.found else 0


def arguments(prog: str, description: str | None) -> argparse.ArgumentParser:
    """Returns the parser of the arguments that all campaigns of random programs have."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which programs; program N of a seed and options is always the same")
    add("--count", type=int, default=1000, help="how many programs in all, those of a resumed run included")
    add("--only", type=int, metavar="N", help="check program N alone and print it")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--report", type=Path, metavar="FILE", help="write counts and failures as JSON")
    add("--time-limit", type=float, metavar="SECONDS", help="stop after this long")
    add("--tries", type=int, default=600, help="how often to try a smaller program for each kind of failure")
    return parser


def _ops(text: str) -> frozenset[str]:
    return OPSETS[text]() if text in OPSETS else frozenset(f"ptir.{n.removeprefix('ptir.')}" for n in text.split(","))


def _one(options: argparse.Namespace, case: Case, checker: Checker) -> int:
    problems = checker.check(case)
    sys.stdout.write(text_of(case))
    for problem in problems:
        sys.stdout.write(f"// {problem.kind}: {problem.detail}\n")
    if problems and options.tries:
        kind = problems[0].kind
        small = shrink(case, lambda c: any(p.kind == kind for p in checker.check(c)), options.tries)
        sys.stdout.write(f"// small:\n{text_of(small)}")
    return 1 if problems else 0


def _run(campaign: Campaign, count: int, seconds: float | None, console: Console) -> float:
    start = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("programs", total=count, completed=campaign.next_index)
        while campaign.next_index < count and (seconds is None or time.monotonic() - start < seconds):
            campaign.step()
            bar.update(task, completed=campaign.next_index, description=f"programs, {len(campaign.found)} failures")
    return time.monotonic() - start


if __name__ == "__main__":
    sys.exit(main())
