"""
The grid of attention: masks × biases × caps × head sizes × lengths × heads × types × layouts, on both architectures.

    python -m tests.attention_grid --count 600 --state /tmp/attention.jsonl --report attention.json    # writes attention.md as well
    python -m tests.attention_grid --only 17                                                  # one point: its program and outcome

With `--state`, a run that was stopped is resumed. Two of three points run on sm90, the others on sm80. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tests.grid.numbered import Grid, Line

from .check import examine
from .points import PLANS, common_values, point


def arch_of(number: int) -> str:
    return "sm90" if number % 3 else "sm80"


def outcome(number: int, seed: int) -> dict[str, Any]:
    return examine(point(number, seed), arch_of(number))


def values(line: Line) -> dict[str, str]:
    """Returns the value of each axis at a point."""
    p = line["point"]["case"]
    plan = {name: str(line["point"]["plan"].get(name, "chosen")) for name in PLANS}
    return {
        **common_values(p, line),
        **{axis: str(p[axis]) for axis in ("log_sums", "scales_queries")},
        **{axis: p[axis] or "none" for axis in ("transposed", "form", "rotates", "also")},
        "algorithm": line["point"]["algorithm"] or "chosen",
        **(plan if line["arch"] == "sm90" else {}),
    }


GRID = Grid(
    module="tests.attention_grid",
    title="The grid of attention",
    count=600,
    examine=outcome,
    program=lambda number, seed: point(number, seed).case.text,
    values=values,
    totals={
        "several": lambda line: line.get("launches", 0) != 1,
        "conflicts": lambda line: bool(line.get("conflicts")),
    },
    text="Results are within the tolerance of NumPy's in f64, and the emulator reports no fault. {several} points are not"
    " one kernel. {conflicts} points have bank conflicts.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
