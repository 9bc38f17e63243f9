"""
Compares the backends on random programs of the `vyre` dialect.

    python -m tests.vyre_programs --count 3000 --report vyre.json
    python -m tests.vyre_programs --journal vyre.jsonl --report vyre.json  # resumed from the journal, if it exists
    python -m tests.vyre_programs --only 4711

The exit status is 1 if a problem was found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ptir.errors import PtirError
from ptir.runtime.wgsl import NoAdapter, device
from ptir.text.writing import print_module
from tests import journal

from .check import check
from .generator import generate

BATCH = 10
"""Number of programs that are compiled at once."""


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.vyre_programs", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="the number of the first program")
    add("--count", type=int, default=3000, help="how many programs")
    add("--only", type=int, metavar="N", help="check program N alone and print it")
    add(
        "--journal",
        type=Path,
        metavar="FILE",
        help="append the outcome of each batch as a JSON line; skip those that are there",
    )
    add("--report", type=Path, metavar="FILE", help="write counts and failures as JSON")
    add("--floats", action="store_true", help="programs with strict floats; their WGSL takes a second to compile")
    options = parser.parse_args(args)
    try:
        adapter = device().adapter.info["description"]
    except NoAdapter as error:
        adapter = None
        print(error, file=sys.stderr)
    if options.only is not None:
        print(print_module(generate(options.only, floats=options.floats).module))
        print(check([options.only], adapter is not None, options.floats))
        return 0
    done = {batch["first"]: batch for batch in journal.read(options.journal)}
    failures, seconds = dict[str, str](), 0.0
    for first in range(options.seed, options.seed + options.count, BATCH):
        seeds = range(first, min(first + BATCH, options.seed + options.count))
        batch = done.get(first)
        if (
            batch is None
            or batch["count"] != len(seeds)
            or (batch["adapter"], batch["floats"]) != (adapter, options.floats)
        ):
            batch = _checked(seeds, adapter, options.floats)
            journal.append(options.journal, batch)
        failures |= batch["failures"]
        seconds += batch["seconds"]
    report = {
        "first": options.seed,
        "programs": options.count,
        "floats": options.floats,
        "backends": ["interpreter", "PTX in the emulator", *(["WGSL"] if adapter else [])],
        "adapter": adapter,
        "cpu_seconds": round(seconds),
        "failures": failures,
    }
    text = json.dumps(report, indent=1) + "\n"
    print(text)
    if options.report is not None:
        options.report.write_text(text, "utf-8")
    return bool(failures)


def _checked(seeds: range, adapter: str | None, floats: bool) -> dict[str, Any]:
    """Checks a batch of programs, and prints those that fail."""
    started = time.process_time()
    try:
        found = check(seeds, adapter is not None, floats)
    except PtirError as error:
        found = {seeds.start: str(error)}
    for seed, problem in found.items():
        print(f"{seed}: {problem}", file=sys.stderr)
    return {
        "first": seeds.start,
        "count": len(seeds),
        "adapter": adapter,
        "floats": floats,
        "seconds": time.process_time() - started,
        "failures": {str(seed): problem for seed, problem in found.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
