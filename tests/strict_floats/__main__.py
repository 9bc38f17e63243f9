"""
Random programs of strict floats: one bit pattern, whatever the architecture, the fusion and the plans of the kernels.

    python -m tests.strict_floats --count 300 --state /tmp/strict.jsonl --report strict.json    # writes strict.md as well
    python -m tests.strict_floats --only 17                                                     # one point: its program and outcome

With `--state`, a run that was stopped is resumed. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.grid.numbered import Grid

from .check import examine
from .points import point

GRID = Grid(
    module="tests.strict_floats",
    title="Strict floats",
    count=300,
    examine=lambda number, seed: examine(point(number, seed)),
    program=lambda number, seed: point(number, seed).text,
    values=lambda line: {"kernels": str(line["kernels"]), **dict.fromkeys(line["kinds"], "yes")},
    totals={
        "adding": lambda line: any(
            kind.startswith(("reduce sum", "reduce mul", "contraction", "conv")) for kind in line["kinds"]
        ),
        "refused": lambda line: line["splits"] > 0,
        "spilled": lambda line: line["spilled"] > 0,
    },
    text="A point is a random program, of which {adding} add floats. Its results have the same bits in the interpreters of `ptir`, `tiny` and "
    "`pto`, and in the emulator for sm80 and sm90, with the planner's plans and with random legal ones, for random strategies of fusion. Plans "
    "that split k were tried in {refused} points, and refused. ptxas spills registers of a random plan in {spilled} points.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
