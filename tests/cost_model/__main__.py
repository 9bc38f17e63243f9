"""
How well the planner predicts what a kernel takes: registers, shared memory, occupancy, sectors, instructions.

    python -m tests.cost_model --count 416 --state build/campaign/cost_model.journal --report tests/cost_model/results/DATE.json
    python -m tests.cost_model --count 416 --state build/campaign/cost_model.journal --fit      # the tables of planning/prediction/constants.py

A run that was stopped goes on. The report compares kernels with odd numbers; constants are fitted to those with even ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from .collect import collect
from .compare import compared, fitted, markdown, rows


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.cost_model", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--count", type=int, default=416, help="how many kernels")
    parser.add_argument("--seed", type=int, default=0, help="draws the programs and the plans")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", required=True, help="journal; if it exists, go on from there"
    )
    parser.add_argument("--report", type=Path, metavar="F.json", help="write the report there and as F.md")
    parser.add_argument("--fit", action="store_true", help="print constants")
    options = parser.parse_args(args)
    lines = collect(options.state, options.count, options.seed)[: options.count]
    if options.fit:
        for name, table in fitted([line for line in lines if line["number"] % 2 == 0], options.seed).items():
            print(f"{name}: dict[str, dict[str, float]] = {json.dumps(table, indent=4)}")
        return 0
    others = [line for line in lines if line["number"] % 2]
    found = rows(others, options.seed)
    report = {"seed": options.seed, "kernels": len(lines), "compared": len(others), "quantities": compared(found)}
    if options.report is not None:
        lines_of = ",\n".join(map(json.dumps, found))
        options.report.write_text(json.dumps(report)[:-1] + f',\n"rows": [\n{lines_of}\n]}}\n', "utf-8")
        options.report.with_suffix(".md").write_text(markdown(report), "utf-8")
    sys.stdout.write(markdown(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
