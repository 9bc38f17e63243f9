"""
The grid of the backward pass of attention: masks × biases × caps × head sizes × lengths × heads × types, on both architectures.

    python -m tests.attention_grid.backward --count 400 --state /tmp/backward.jsonl --report backward.json    # writes backward.md as well
    python -m tests.attention_grid.backward --only 17                                                # one point: its program and outcome

With `--state`, a run that was stopped is resumed. Even points run on sm80, odd ones on sm90. The gradients are compared with NumPy's in f64.
The emulator must report no race, no access out of bounds, no uninitialized read. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from random import Random
from typing import Any

import numpy as np

import ptir
from ptir.errors import PtirError
from ptir.runtime.devices import Emulator
from tests.grid.numbered import Grid, Line
from tests.unit.builders.attention_backward_cases import BackwardCase

from .check import TOLERANCE, compare
from .points import SPREADS, common_values, drawn, fitting

SCORES = 20_000
"""The most scores of a point, over all its heads: three kernels compute them."""
MAX_WIDTH = 160
"""The maximum head size with which one kernel has the accumulators of dK and of dV."""


def point(number: int, seed: int = 0) -> tuple[BackwardCase, float]:
    """Returns a point by its number, and the spread of its queries and keys."""
    rng = Random(f"backward {seed}:{number}")
    return fitting(rng, _case, SCORES), rng.choice(SPREADS)


def _case(rng: Random) -> BackwardCase:
    axes, given = drawn(rng), rng.random() < 0.4
    own = {"fill": "-inf", "reciprocal": False} if given else {}
    return BackwardCase(**axes | own, given=given, forward=rng.random() < 0.3)


def most_kernels(case: BackwardCase) -> int | None:
    """
    Returns the number of kernels: of row sums, of dQ, and of dK and dV, whose accumulators may need two; one of the forward pass. None where
    a product has a row or sums a single element, and is computed otherwise.
    """
    if min(case.size, case.columns, case.keys, case.queries) < 2 or max(case.size, case.columns) > 256:
        return None
    return 3 + (case.columns != case.size or case.size > MAX_WIDTH) + case.forward


def examine(number: int, seed: int) -> Line:
    """Returns the outcome of a point: its `problems`, the largest `error` relative to the tolerance, and facts about its kernels."""
    start, problems = time.process_time(), list[str]()
    (case, spread), arch = point(number, seed), "sm90" if number % 2 else "sm80"
    line: dict[str, Any] = {"point": asdict(case), "spread": spread, "arch": arch}
    arrays, device = case.arrays(spread), Emulator()
    try:
        compiled = ptir.compile(case.text, arch=arch, device=device)
        found = zip(compiled(*arrays), case.expected(*arrays), strict=True)
        errors = [compare(np.asarray(g).astype(np.float64), w, TOLERANCE[case.dtype], problems) for g, w in found]
        line["error"], line["launches"] = max(errors), len(device.reports)
        line["registers"] = max(k.registers for k in compiled.program.binary.kernels.values())
        line["conflicts"] = sum(r.conflicts for r in device.reports)
        most = most_kernels(case)
        if most is not None and line["launches"] > most:
            problems.append(f"{line['launches']} kernels instead of {most}")
    except PtirError as error:
        problems.append(f"{error.code}: {error.message.splitlines()[0]}")
    return line | {"problems": problems, "seconds": round(time.process_time() - start, 2)}


def values(line: Line) -> dict[str, str]:
    """Returns the value of each axis at a point."""
    p = line["point"]
    return common_values(p, line) | {axis: str(p[axis]) for axis in ("given", "forward")}


GRID = Grid(
    module="tests.attention_grid.backward",
    title="The grid of the backward pass of attention",
    count=400,
    examine=examine,
    program=lambda number, seed: point(number, seed)[0].text,
    values=values,
    totals={"conflicts": lambda line: bool(line.get("conflicts"))},
    text="Gradients are within the tolerance of NumPy's in f64, and the emulator reports no fault. {conflicts} points have bank conflicts.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
