"""
A fuzzer of the textual form: runs mutants of every valid program through the parser, the verifier and each pass.

    python -m tests.fuzz.text --seed 1 --count 20000 --state /tmp/fuzz.jsonl --report /tmp/fuzz.json
    python -m tests.fuzz.text --seed 1 --only 4711          # one mutant again: prints its text and its outcome
    python -m tests.fuzz.text --pto --seed 1                # tile programs, through everything that reads them

With `--state`, a run that was stopped is resumed. The exit status is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from ptir.text.parsing import allow_deep_nesting

from .campaign import Campaign, OtherCampaign, Totals
from .check import PIPELINES, PTO_PIPELINES, Examiner
from .corpus import PTO_FOLDERS, load_corpus
from .mutate import Mutator

DEAD = 120
"""
Seconds of processor time after which the process is ended, if a mutant does not react to signals because it is inside isl or a regular
expression.
"""
MEMORY = 6 << 30
"""Maximum address space of the process, in bytes. Code that needs more gets a `MemoryError` instead of exhausting the machine."""


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    options = _arguments(args)
    allow_deep_nesting()
    gc.set_threshold(100_000, 20, 100)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    console = Console(stderr=True)
    corpus = load_corpus(folders=PTO_FOLDERS, pipeline="ptir-to-pto") if options.pto else load_corpus()
    mutator = Mutator(corpus, options.seed)
    examiner = Examiner(PTO_PIPELINES if options.pto else PIPELINES, limit=options.limit)
    if options.only is not None:
        return _replay(mutator, examiner, options.only)
    try:
        campaign = Campaign(mutator, examiner, options.state, options.tries)
    except OtherCampaign as e:
        console.print(f"error: {e}; give another --state", markup=False)
        return 2
    seconds = _run(campaign, options.count, options.time_limit, console)
    _summarise(campaign.totals, seconds, console)
    if options.report is not None:
        options.report.write_text(json.dumps(_report(campaign, seconds), indent=1) + "\n", "utf-8")
    return 1 if campaign.totals.failures else 0


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.text", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which mutants; mutant N of a seed is always the same")
    add("--pto", action="store_true", help="mutants of tile programs, and the passes and the printer that read them")
    add("--count", type=int, default=20_000, help="how many mutants in all, those of a resumed run included")
    add("--only", type=int, metavar="N", help="examine mutant N alone and print it")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--report", type=Path, metavar="FILE", help="write counts and findings as JSON")
    add("--time-limit", type=float, metavar="SECONDS", help="stop after this long")
    add("--limit", type=float, default=5.0, metavar="SECONDS", help="processor time after which a stage hangs")
    add("--tries", type=int, default=400, help="how often to try a smaller text for each kind of finding")
    return parser.parse_args(args)


def _replay(mutator: Mutator, examiner: Examiner, index: int) -> int:
    mutant = mutator.mutant(index)
    verdict = examiner.examine(mutant.text)
    sys.stdout.write(f"// mutant {index} of {mutant.origin.name}: {', '.join(mutant.edits)}\n")
    sys.stdout.write(mutant.text.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.write(f"// {verdict.passes}\n")
    for finding in verdict.findings:
        sys.stdout.write(f"// {finding.kind} in {finding.stage}: {finding.signature}\n{finding.detail}\n")
    return 1 if any(finding.kind != "upstream" for finding in verdict.findings) else 0


def _run(campaign: Campaign, count: int, seconds: float | None, console: Console) -> float:
    """Examines the remaining mutants. Returns the seconds that this took."""
    start = time.monotonic()
    faulthandler.register(signal.SIGXCPU, chain=True)  # shows where the process was
    seconds_before = resource.getrlimit(resource.RLIMIT_CPU)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("mutants", total=count, completed=campaign.next_index)
        while campaign.next_index < count and (seconds is None or time.monotonic() - start < seconds):
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + DEAD, seconds_before[1]))
            campaign.step()
            totals = campaign.totals
            said = f"{totals.share:.0%} reach the passes, {len(totals.failures)} kinds of failure"
            bar.update(task, completed=campaign.next_index, description=said)
    resource.setrlimit(resource.RLIMIT_CPU, seconds_before)
    faulthandler.unregister(signal.SIGXCPU)
    return time.monotonic() - start


def _summarise(totals: Totals, seconds: float, console: Console) -> None:
    table = Table("pass", "passed", "refused", "failed")
    for name, outcomes in totals.passes.items():
        table.add_row(name, *(str(outcomes[kind]) for kind in ("passed", "refused", "failed")))
    console.print(table)
    for entry in (*totals.failures, *totals.upstream):
        console.print(
            f"{entry['count']:6} × {entry['kind']}, first {entry['index']}: {entry['signature']}",
            markup=False,
            soft_wrap=True,
        )
    console.print(
        f"{totals.mutants} mutants in {seconds:.0f} s; {totals.share:.1%} reached the passes; "
        f"{len(totals.failures)} kinds of failure, {len(totals.upstream)} upstream",
        markup=False,
    )


def _report(campaign: Campaign, seconds: float) -> dict[str, Any]:
    totals = campaign.totals
    return {
        "seed": campaign.mutator.seed,
        "programs": len(campaign.mutator.programs),
        "seconds": round(seconds, 1),
        "mutants": totals.mutants,
        "parsed": totals.parsed,
        "reached": totals.reached,
        "share": round(totals.share, 4),
        "passes": totals.passes,
        "kinds": totals.kinds,
        "failures": totals.failures,
        "upstream": totals.upstream,
    }


if __name__ == "__main__":
    sys.exit(main())
