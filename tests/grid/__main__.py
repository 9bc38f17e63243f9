"""
The proof grid: compiles shapes × dtypes × layouts × epilogues × plans, and runs them in the emulator.

    python -m tests.grid --state /tmp/grid.jsonl --report grid.json        # all points; writes grid.md as well
    python -m tests.grid --filter dtype=f64,plan=serial2                   # some points
    python -m tests.grid --arch sm90                                       # the warp-specialized template
    python -m tests.grid --point "17x19x70 f64 rct none col sm80"          # one point: prints its text, plan and outcome

With `--state`, a run that was stopped is resumed. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .campaign import Campaign, OtherCampaign, markdown, summary
from .check import examine, text_of
from .grid import grid, matching, sample
from .points import AXES, VALUES, Point


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    options = _arguments(args)
    if options.point is not None:
        return _one(options.point, options.seed)
    seed, arch = options.seed, options.arch
    points = grid(seed, arch) if options.sample is None else sample(options.sample, seed, arch)
    points = matching(points, options.filter)
    console = Console(stderr=True)
    try:
        campaign = Campaign(points, options.seed, options.state)
    except OtherCampaign as e:
        console.print(f"error: {e}; give another --state", markup=False)
        return 2
    _run(campaign, options.jobs, console)
    report = summary(campaign, options.arch)
    if options.report is not None:
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
        options.report.with_suffix(".md").write_text(markdown(report), "utf-8")
    sys.stdout.write(markdown(report))
    return 1 if campaign.failures else 0


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.grid", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="draws the covering sets, the samples and the numbers")
    add("--arch", choices=("sm80", "sm90"), default="sm80", help="whose template; four architectures have sm80's")
    add("--filter", type=_filter, default={}, metavar="AXIS=VALUE,…", help=f"axes: {', '.join(AXES)}")
    add("--report", type=Path, metavar="F.json", help="write the counts and failures there and as F.md")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--jobs", type=int, default=1, metavar="N", help="how many points at a time")
    add("--sample", type=int, metavar="N", help="only so many points, of small shapes")
    add("--point", type=_point, metavar="'…'", help="one point by its name, printed")
    return parser.parse_args(args)


def _filter(text: str) -> dict[str, str]:
    out: dict[str, str] = {}
    for part in text.split(","):
        axis, _, value = part.partition("=")
        if value not in VALUES.get(axis, ()):
            known = f"values of {axis}: {', '.join(VALUES[axis])}" if axis in VALUES else f"axes: {', '.join(AXES)}"
            raise argparse.ArgumentTypeError(f"'{part}' is no axis=value; {known}")
        out[axis] = value
    return out


def _point(text: str) -> Point:
    names = text.split()
    if len(names) > len(AXES) or len(names) < 4:
        raise argparse.ArgumentTypeError(f"a point is {' '.join(AXES)}")
    for axis, value in zip(AXES, names, strict=False):
        _filter(f"{axis}={value}")
    return Point(*names)


def _one(point: Point, seed: int) -> int:
    outcome = examine(point, seed, schedules=(1, 2))
    sys.stdout.write(text_of(point) + json.dumps(outcome.to_dict(), indent=1) + "\n")
    return 1 if outcome.problems else 0


def _run(campaign: Campaign, jobs: int, console: Console) -> None:
    """Runs the rest of the campaign, with a progress bar on a terminal. Prints each failure."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("points", total=len(campaign.points), completed=len(campaign.done))

        def watch(line: dict[str, Any]) -> None:
            for problem in line["problems"]:
                name = " ".join(line["point"].values())
                console.print(f"{name}: {problem}", markup=False, highlight=False, soft_wrap=True)
            failed = len(campaign.failures)
            bar.update(
                task, completed=len(campaign.done), description=f"points, {failed} failed" if failed else "points"
            )

        campaign.run(jobs, watch)


if __name__ == "__main__":
    sys.exit(main())
