"""
Disables each constraint, trait, table row, check and condition of a dialect in turn, and runs its tests: one should fail.

    python -m tests.dialect_mutation --dialect ptir --state /tmp/ptir.jsonl --report ptir.json      # writes ptir.md as well
    python -m tests.dialect_mutation --dialect ptir --only 'raise.*scatter' --limit 50

The tests of a dialect are listed in `dialects.py`. The tree is copied first, so that it may be edited meanwhile. With `--state`, a
run that was stopped is resumed. The exit status is 1 if a mutant survives that no row of `equivalents.py` explains.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .campaign import BUDGET, BaselineFailed, Campaign
from .dialects import DIALECTS
from .equivalents import reason
from .report import page, to_dict


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.dialect_mutation", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--dialect", choices=DIALECTS, default="ptir")
    parser.add_argument("--seed", type=int, default=0, help="the order, and with --limit the sample")
    parser.add_argument("--limit", type=int, help="how many mutants")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="what a mutant's file, kind, line or scope must match"
    )
    parser.add_argument("--tests", default="", metavar="REGEX", help="which of the dialect's test files to run")
    parser.add_argument("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    parser.add_argument("--report", type=Path, metavar="F.json", help="write the score there and as F.md")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument(
        "--budget", type=float, default=BUDGET, metavar="SECONDS", help="processor time of a mutant's tests"
    )
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop after this long")
    options = parser.parse_args(args)
    campaign = Campaign(options.dialect, DIALECTS[options.dialect], seed=options.seed, limit=options.limit,
                        state=options.state, only=options.only, tests=options.tests, budget=options.budget)  # fmt: skip
    begin = time.monotonic()
    try:
        for result in campaign.run(options.jobs):
            if result.verdict == "alive" and reason(result.mutant) is None:
                m = result.mutant
                sys.stderr.write(f"alive: {m.file}:{m.line} {m.scope}, {m.kind}: {m.shown}\n")
            if options.time_limit is not None and time.monotonic() - begin > options.time_limit:
                break
    except BaselineFailed as e:
        sys.stderr.write(f"error: {e}\n")
        return 2
    data = to_dict(campaign, sum(r.seconds for r in campaign.results))
    if options.report is not None:
        options.report.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
        options.report.with_suffix(".md").write_text(page(data), "utf-8")
    sys.stdout.write(page(data))
    return 1 if any(s["equivalent"] is None for s in data["survivors"]) else 0


if __name__ == "__main__":
    sys.exit(main())
