"""
The conformance table: every affine op on every element type, compiled for both architectures and run in the emulator.

    python -m tests.conformance --state /tmp/cells.jsonl --report conformance.json
    python -m tests.conformance --only "ptir.add si4"         # one cell: its program and what is wrong with it
    python -m tests.conformance --ops ptir.reduce,ptir.argmax

With `--state`, a run that was stopped is resumed. The exit status is 1 if a cell is refused or wrong. `docs/generate.py` makes
the table from the latest report in `tests/conformance/results`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from ptir.text.writing import print_module
from tests import journal

from .cells import Cell, case, cells
from .check import run


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which attributes and arguments")
    add("--only", metavar="CELL", help="check one cell, such as 'ptir.add si4', and print its program")
    add("--ops", metavar="OP,…", help="only the cells of these ops")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--report", type=Path, metavar="FILE", help="write the outcome of each cell as JSON")
    options = parser.parse_args(args)
    if options.only is not None:
        op, _, dtype = options.only.partition(" ")
        sys.stdout.write(print_module(case(Cell(op, dtype), options.seed)[0].module))
        outcome = _line(Cell(op, dtype), options.seed)
        sys.stdout.write(f"{json.dumps(outcome, indent=1)}\n")
        return int(bool(outcome["problems"]))
    names = None if options.ops is None else options.ops.split(",")
    todo = [c for c in cells() if names is None or c.op in names]
    done = {Cell(**line["cell"]): line for line in journal.read(options.state)}
    console = Console(stderr=True)
    for cell in track([c for c in todo if c not in done], "cells", console=console, disable=not console.is_terminal):
        done[cell] = _line(cell, options.seed)
        journal.append(options.state, done[cell])
    outcomes = [done[c] for c in todo]
    found = [o for o in outcomes if o["problems"]]
    for outcome in found:
        console.print(f"{outcome['cell']['op']} {outcome['cell']['dtype']}: {outcome['problems']}", markup=False)
    seconds = sum(o.pop("seconds") for o in outcomes)
    console.print(f"{len(outcomes)} cells, {len(found)} refused or wrong, {seconds:.0f} s of CPU time")
    if options.report is not None:
        lines = ",\n".join(json.dumps(o) for o in outcomes)
        options.report.write_text(
            f'{{"seed": {options.seed}, "seconds": {seconds:.0f}, "cells": [\n{lines}\n]}}\n', "utf-8"
        )
    return int(bool(found))


def _line(cell: Cell, seed: int) -> dict[str, Any]:
    return asdict(run(cell, seed))


if __name__ == "__main__":
    sys.exit(main())
