"""
Measures the speed of the reference interpreter: a block of GPT-2, compared with the same block written in NumPy.

    python benchmarks/interpreter.py [--runs N] [--json] [--profile]

Both run once to warm up, then in turns; the medians are compared. The interpreter computes f32 in f64 where it must round
once, and checks every shape. The goal is a ratio of at most 3 (`examples/gpt2_block`, batch 1, 128 × 768, 12 heads).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ptir

ROOT = Path(__file__).resolve().parents[1]
BLOCK = ROOT / "examples" / "gpt2_block"
sys.path.insert(0, str(BLOCK))
from reference import arguments, block  # noqa: E402

GOAL = 3.0
"""Maximum ratio of the interpreter's time to NumPy's."""


def timed(action: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def measure(runs: int) -> dict[str, Any]:
    """Returns the median times of both, in seconds, and their ratio."""
    module = ptir.parse(BLOCK / "block.mlir")
    arrays = arguments()
    (got,) = ptir.reference(module, *arrays)
    error = float(np.abs(got - block(*arrays)).max())
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(timed(lambda: ptir.reference(module, *arrays)))
        theirs.append(timed(lambda: block(*arrays)))
    interpreter, numpy = statistics.median(ours), statistics.median(theirs)
    return {
        "interpreter": round(interpreter, 4),
        "numpy": round(numpy, 4),
        "ratio": round(interpreter / numpy, 2),
        "goal": GOAL,
        "largest difference": error,
        "runs": runs,
    }


def by_op() -> list[tuple[str, float, int]]:
    """Returns the name of each op, the seconds that the interpreter spends on it, and its number of calls."""
    from xdsl.interpreter import Interpreter

    from ptir.semantics.interpreter import interpreter

    class Clock(Interpreter.Listener):
        def __init__(self) -> None:
            self.spent: dict[str, list[float]] = {}
            self.begin = 0.0

        def will_interpret_op(self, op: Any, args: Any) -> None:
            self.begin = time.perf_counter()

        def did_interpret_op(self, op: Any, results: Any) -> None:
            self.spent.setdefault(op.name, []).append(time.perf_counter() - self.begin)

    machine, clock = interpreter(ptir.parse(BLOCK / "block.mlir")), Clock()
    machine.listeners = (*machine.listeners, clock)
    machine.call_op("block", arguments())
    return sorted(((n, sum(t), len(t)) for n, t in clock.spent.items()), key=lambda row: -row[1])


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status, which is 1 if the ratio is above the goal."""
    parser = argparse.ArgumentParser(prog="python benchmarks/interpreter.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true", help="seconds of each op")
    options = parser.parse_args(args)
    if options.profile:
        for name, seconds, calls in by_op():
            sys.stdout.write(f"{seconds * 1000:8.1f} ms {calls:4} × {name}\n")
    found = measure(options.runs)
    text = json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items())
    sys.stdout.write(text + "\n")
    return int(found["ratio"] > GOAL)


if __name__ == "__main__":
    sys.exit(main())
