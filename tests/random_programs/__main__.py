"""
Runs random PTIR programs through the parser, verifier, interpreter and rewrites, and compares results with oracles. With `--compile`,
compiles them instead, and compares the results of the emulator with those of the interpreter.

    python -m tests.random_programs --seed 1 --count 2000 --state /tmp/programs.jsonl --report programs.json
    python -m tests.random_programs --seed 1 --only 4711            # one program: prints its text and its problems
    python -m tests.random_programs --ops tiny --pipeline ptir-to-tiny
    python -m tests.random_programs --affine --partitions 1 --pipeline 'ptir-to-tiny,form-regions{strategy=greedy}'    # random kernels
    python -m tests.random_programs --violations 0.3                # leaves some indices and divisors unguarded
    python -m tests.random_programs --compile                       # for sm80 and sm90; `--compile sm90` for one
    python -m tests.random_programs --compile --affine              # affine ops on larger arrays

With `--state`, a run that was stopped is resumed. The exit status is 1 if a problem was found. Other campaigns use
`tests.random_programs.generator.generate`, `.shrinker.shrink` and `.check.Checker`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from . import affine, branching
from .campaign import Campaign, OtherCampaign
from .check import Checker
from .compiled import ARCHS, Compiler
from .generator import Case, Options, generate
from .opsets import OPSETS
from .partitions import random_partitions
from .rows.table import ROWS
from .shrinker import shrink, text_of


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    options = _arguments().parse_args(args)
    if options.partitions is None:
        return _main(options)
    with random_partitions(options.partitions):
        return _main(options)


def _main(options: argparse.Namespace) -> int:
    wanted, rows = Options(), ROWS
    if options.affine:
        wanted, rows = affine.OPTIONS, affine.ROWS
    elif options.compile:
        wanted, rows = branching.OPTIONS, branching.ROWS
    names = ("ops", "extensions", "dynamic", "violations", "length")
    wanted = replace(wanted, **{n: given for n in names if (given := getattr(options, n)) is not None})
    checker = Compiler(archs=options.compile) if options.compile else Checker({p: p for p in options.pipeline})
    if options.only is not None:
        return _one(options, generate(options.seed, options.only, wanted, rows), checker)
    console = Console(stderr=True)
    try:
        campaign = Campaign(options.seed, wanted, checker, options.state, options.tries, rows, options.again)
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


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.random_programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--compile", nargs="?", type=_archs, const=ARCHS, metavar="ARCH,…", help=f"compile; default: {','.join(ARCHS)}")
    add("--affine", action="store_true", help="programs of affine ops, in few and large kernels")
    add("--ops", type=_ops, metavar="SET|OP,…", help=f"a set ({', '.join(OPSETS)}) or names of ops; default: all")
    add("--no-extensions", dest="extensions", action="store_false", default=None, help="only what the contract has")
    add("--dynamic", type=float, metavar="SHARE", help="of functions with sizes that are no numbers")
    add("--violations", type=float, metavar="SHARE", help="of indices and divisors left unguarded")
    add("--length", type=lambda n: (1, int(n)), metavar="N", help="the most ops a function is grown by")
    add("--pipeline", action="append", default=[], metavar="PIPELINE", help="results must be the same after it")
    add("--partitions", type=int, metavar="SEED", help="the greedy strategy of form-regions chooses random kernels")
    add("--seed", type=int, default=0, help="which programs; program N of a seed and options is always the same")
    add("--count", type=int, default=1000, help="how many programs in all, those of a resumed run included")
    add("--only", type=int, metavar="N", help="check program N alone and print it")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--again", action="store_true", help="check the programs of the journal that failed again, as after a fix")
    add("--report", type=Path, metavar="FILE", help="write counts and failures as JSON")
    add("--time-limit", type=float, metavar="SECONDS", help="stop after this long")
    add("--tries", type=int, default=150, help="how often to try a smaller program for each kind of failure")
    return parser


def _archs(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


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
