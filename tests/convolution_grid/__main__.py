"""
The grid of convolutions: kernels × strides × dilations × paddings × groups × layouts × types × algorithms, on both architectures.

    python -m tests.convolution_grid --count 1500 --state /tmp/conv.jsonl --report conv.json    # writes conv.md as well
    python -m tests.convolution_grid --only 17                                                  # one point: its program and outcome

With `--state`, a run that was stopped is resumed. Odd points run on sm90, even ones on sm80. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tests.grid.numbered import Grid, Line

from .check import examine, program
from .points import point


def arch_of(number: int) -> str:
    return "sm90" if number % 2 else "sm80"


def values(line: Line) -> dict[str, str]:
    """Returns the value of each axis at a point."""
    p = line["point"]
    transposed, depthwise = max(p["base"]) > 1, p["groups"] == p["channels"] > 1
    return {
        **{axis: p[axis] for axis in ("dtype", "layout", "epilogue", "algorithm")},
        "rank": f"{len(p['size'])}-D",
        "kind": "transposed" if transposed else "depthwise" if depthwise else "grouped" if p["groups"] > 1 else "plain",
        "arch": line["arch"],
        "way": line.get("way", "none"),
    }


GRID = Grid(
    module="tests.convolution_grid",
    title="The grid of convolutions",
    count=1500,
    examine=lambda number, seed: examine(point(number, seed), arch_of(number), seed),
    program=lambda number, seed: program(point(number, seed)),
    values=values,
    totals={"conflicts": lambda line: bool(line.get("conflicts")), "jax": lambda line: bool(line.get("jax"))},
    text="Results are equal to NumPy's f64, {jax} of them also to JAX's on the CPU, and the emulator reports no fault. {conflicts} points have "
    "bank conflicts.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
