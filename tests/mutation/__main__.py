"""
`python -m tests.mutation --kernel NAME|all --seed S --report F [--state F] [--limit N] [--jobs J]`: mutates generated kernels.

Each mutant has one bug, which the emulator or a wrong result must reveal. The exit status is 1 if a mutant survives without a
proof that it is equivalent.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from .campaign import Campaign
from .kernels import KERNELS
from .report import to_dict, write


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Seeds a bug at every site.")
    parser.add_argument("--kernel", default="all", help=f"all, or of {', '.join(KERNELS)}, with commas between")
    parser.add_argument("--seed", type=int, default=0, help="the order, and with --limit the sample")
    parser.add_argument("--limit", type=int, help="mutants of each kernel")
    parser.add_argument("--report", type=Path, required=True, help="where the JSON goes; the page beside it, as .md")
    parser.add_argument("--state", type=Path, help="the journal, by which a campaign that was stopped goes on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = list(KERNELS) if options.kernel == "all" else options.kernel.split(",")
    if unknown := [n for n in names if n not in KERNELS]:
        parser.error(f"there is no kernel {unknown[0]}; there are {', '.join(KERNELS)}")
    begin = time.monotonic()
    campaign = Campaign(names, options.seed, options.limit, options.state)
    _run(campaign, options.jobs)
    spent = sum(r.seconds for t in campaign.tallies.values() for r in t.results)
    data = to_dict(campaign.tallies.values(), options.seed, max(spent, time.monotonic() - begin))
    write(options.report, data)
    for tally in campaign.tallies.values():
        equivalent = len(tally.survivors) - len(tally.unproved)
        print(f"{tally.kernel}: {tally.caught} of {len(tally.counted)} caught, {equivalent} equivalent")
        for r in tally.unproved:
            print(f"  unproved: line {r.mutant.line}, {r.mutant.operator}: {r.mutant.changed}")
    return 1 if data["unproved"] else 0


def _run(campaign: Campaign, jobs: int) -> None:
    """Runs the campaign, with a progress bar on a terminal."""
    if not sys.stderr.isatty():
        for _ in campaign.run(jobs):
            pass
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        tasks = {name: progress.add_task(name, total=len(todo)) for name, todo in campaign.todo.items()}
        for name, result in campaign.run(jobs):
            progress.advance(tasks[name])
            if result.verdict == "alive" and campaign.tallies[name].proved(result) is None:
                progress.console.print(f"{name} line {result.mutant.line}: {result.mutant.changed}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
