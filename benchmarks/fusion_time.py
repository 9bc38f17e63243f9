"""
How long fusion and planning take: GPT-2 small with its layers written out, 6 and 12 of them, under `exact` and `greedy`.

    python benchmarks/fusion_time.py --out benchmarks/results/DATE-fusion-time.json

Each measurement is a process of its own, so that nothing is cached, and counts the processor's time of `form-regions` and `plan-regions`.
The machine may be shared: `reference` is the time of a fixed amount of work of the interpreter of Python, measured around each measurement in
the same process. A ratio of both says more than seconds. The least of `--rounds` measurements counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from report import publish, table

ROOT = Path(__file__).resolve().parent.parent
WRITTEN_OUT = "ptir-flatten-tuples,inline,symbol-dce"
LAYERS = (6, 12)
STRATEGIES = ("exact", "greedy")
ARCH = "sm80"
REFERENCE = 1_000_000
"""Steps of the reference: tuples that are made and hashed."""


def reference() -> float:
    """Returns the seconds of a fixed amount of work."""
    start = time.process_time()
    found = 0
    for k in range(REFERENCE):
        found ^= hash((k, k + 1, "ptir"))
    return time.process_time() - start


def measured(layers: int, strategy: str) -> dict[str, float]:
    """Returns the seconds of fusion and of planning, in this process, and those of the reference."""
    sys.path.append(str(ROOT))
    from examples.models import gpt2
    from ptir.analysis.manager import shared_analyses
    from ptir.passes.environment import make_context
    from ptir.passes.manager import PassManager
    from ptir.runtime.compile import to_regions
    from ptir.transforms.form_regions import FormRegions
    from ptir.transforms.plan_regions import PlanRegions

    gc.set_threshold(100_000, 20, 100)  # as ptir-opt does
    before, _, _ = to_regions(ARCH).rpartition(",form-regions")
    module = PassManager(f"{WRITTEN_OUT},{before}").run(gpt2.build(replace(gpt2.CONFIGS["small-bf16"], layers=layers)))
    context, found, first = make_context(), dict[str, float](), reference()
    for name, each in {"fusion": FormRegions(ARCH, strategy), "planning": PlanRegions(ARCH)}.items():  # pyright: ignore[reportArgumentType]
        start = time.process_time()
        with shared_analyses():  # as `PassManager` does
            each.apply(context, module)
        found[name] = time.process_time() - start
    return found | {"reference": (first + reference()) / 2}


def elsewhere(layers: int, strategy: str, rounds: int) -> dict[str, Any]:
    """Returns the measurement of the least ratio, of several processes."""
    best: dict[str, Any] = {}
    for _ in range(rounds):
        command = [sys.executable, __file__, "--one", str(layers), strategy]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        seconds = found["fusion"] + found["planning"]
        row = {
            "layers": layers,
            "strategy": strategy,
            **found,
            "seconds": seconds,
            "ratio": seconds / found["reference"],
        }
        if not best or row["ratio"] < best["ratio"]:
            best = {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}
    return best


def markdown(rows: Sequence[dict[str, Any]]) -> str:
    columns = ("strategy", "layers", "fusion", "planning", "seconds", "reference", "ratio")
    by = {(r["strategy"], r["layers"]): r["ratio"] for r in rows}
    growth = [[s, round(by[s, LAYERS[1]] / by[s, LAYERS[0]], 2)] for s in STRATEGIES]
    return "\n".join(
        [
            "# Time of fusion and planning\n",
            "By `benchmarks/fusion_time.py`: GPT-2 small with its layers written out, seconds of the processor, each in a process of its own.",
            f"`reference` is a fixed amount of Python's own work ({REFERENCE} hashed tuples) in the same process; `ratio` is relative to it.\n",
            *table(columns, [[r[c] for c in columns] for r in rows]),
            f"\n## Growth of the ratio from {LAYERS[0]} to {LAYERS[1]} layers\n",
            *table(("strategy", "growth"), growth),
        ]
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Processor time of fusion and planning.")
    parser.add_argument("--out", type=Path, help="the JSON to write; tables go beside it")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--one", nargs=2, metavar=("LAYERS", "STRATEGY"), help="one measurement, in this process, as JSON"
    )
    options = parser.parse_args(argv)
    if options.one:
        print(json.dumps(measured(int(options.one[0]), options.one[1])))
        return
    rows = [elsewhere(n, s, options.rounds) for s in STRATEGIES for n in LAYERS]
    publish({"rows": rows}, markdown(rows), options.out)


if __name__ == "__main__":
    main()
