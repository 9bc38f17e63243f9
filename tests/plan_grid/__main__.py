"""
Random legal plans of random programs: whatever plan a kernel has, its results are the same.

    python -m tests.plan_grid --count 500 --state /tmp/plans.jsonl --report plans.json    # writes plans.md as well
    python -m tests.plan_grid --only 17                                                   # one point: its program and outcome

With `--state`, a run that was stopped is resumed. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.grid.numbered import Grid, Line

from .check import examine
from .points import point


def values(line: Line) -> dict[str, str]:
    """Returns the value of each axis at a point."""
    return {
        "family": line["family"],
        "arch": line["arch"],
        "fields": str(len(line["changed"])),
        **{f"{field} changed": "yes" for field in line["changed"]},
    }


GRID = Grid(
    module="tests.plan_grid",
    title="Random plans",
    count=500,
    examine=lambda number, seed: examine(point(number, seed)),
    program=lambda number, seed: point(number, seed).text + "\n",
    values=values,
    totals={
        "planned": lambda line: bool(line["changed"]),
        "spilled": lambda line: line["outcome"] == "spills",
    },
    text="A point is a random program whose kernel has a random legal plan; in {planned} points it differs from the planner's. Results are "
    "those of the interpreter, bit for bit (of attention, within 2⁻⁶ of the largest element), and the emulator reports no fault. ptxas spills "
    "registers in {spilled} points, which is an error that names the field to change.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
