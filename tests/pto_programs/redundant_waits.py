"""
Counts the waits that no run of random tile programs needs: each of them could be removed, as far as runs with n = 0, 1, 2 and 3 show.
Conditions are flipped at random, so that each branch is taken in some runs.

    python -m tests.pto_programs.redundant_waits --report tests/pto_programs/results/redundant-waits.json
    python -m tests.pto_programs.redundant_waits --family conditions --seeds 3 4 --show
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ptir.dialects import pto
from ptir.semantics.pto_async.hazards import Wait, races, redundant_waits
from ptir.semantics.pto_async.trace import Trace, trace

from .loops import ARRAYS
from .schedules import condition_case, loop_case, parse, transform

FAMILIES: dict[str, tuple[Callable[[int], tuple[str, tuple[Any, ...]]], int]] = {
    "loops": (loop_case, 40),
    "conditions": (condition_case, 20),
}
"""The programs by seed, and how many of them are counted."""
VARIANTS = ("events", "buffers", "pipeline")


RUNS = 8
"""The runs of a program with conditions for each n."""


def flipped(text: str) -> tuple[str, int]:
    """Returns a program of `loops.Program` with an argument for each condition, which flips it, and their number."""
    flags = count()

    def flip(found: re.Match[str]) -> str:
        indent, name, condition = found.groups()
        return f"{indent}{name}_ = {condition}\n{indent}{name} = arith.xori {name}_, %p{next(flags)} : i1"

    text = re.sub(r"^( *)(%\w+) = (arith\.cmpi .*)$", flip, text, flags=re.MULTILINE)
    number = next(flags)
    return text.replace("%n: index", ", ".join(["%n: index", *(f"%p{k}: i1" for k in range(number))])), number


def runs(module: ModuleOp, flags: int, seed: int) -> list[Trace]:
    """Returns runs of a program that has this number of flags."""
    arrays, random = [np.zeros((64, 8), np.float32)] * ARRAYS, Random(seed)
    return [
        trace(module, "f", *arrays, n, *random.choices((0, 1), k=flags))
        for n in range(4)
        for _ in range(RUNS if flags else 1)
    ]


def counts_of(module: ModuleOp, found: list[Trace]) -> tuple[dict[str, int], list[Wait]]:
    """Returns how many waits, barriers and races a program has in these runs, and the waits and barriers that no run needs."""
    redundant = redundant_waits(*found)
    counts = {
        "waits": len({(step.op, operand) for run in found for step in run.steps for operand, _ in step.waits}),
        "barriers": sum(isinstance(op, pto.SyncOp) for op in module.walk()),
        "redundant": len(redundant),
        "races": sum(len(races(run)) for run in found),
    }
    return counts, redundant


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--family", choices=FAMILIES, nargs="*", default=list(FAMILIES))
    parser.add_argument("--variant", choices=VARIANTS, nargs="*", default=list(VARIANTS))
    parser.add_argument("--seeds", type=int, nargs=2, help="the first one, and the one after the last")
    parser.add_argument("--show", action="store_true", help="print the waits that no run needs, and their programs")
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    report: list[dict[str, Any]] = []
    for family in options.family:
        case, programs = FAMILIES[family]
        for variant in options.variant:
            total: dict[str, int] = dict.fromkeys(("waits", "barriers", "redundant", "races"), 0)
            seeds = range(*(options.seeds or (0, programs)))
            for seed in seeds:
                text, flags = flipped(case(seed)[0])
                module = parse(text)
                transform(module, variant)
                counts, redundant = counts_of(module, runs(module, flags, seed))
                total = {name: number + counts[name] for name, number in total.items()}
                if options.show and redundant:
                    print(module, *(f"{seed}: operand {operand} of {op}" for op, operand in redundant), sep="\n")
            report.append({"family": family, "variant": variant, "seeds": [seeds.start, seeds.stop], **total})
            print(report[-1], flush=True)
    if options.report is not None:
        options.report.write_text("[\n" + ",\n".join(json.dumps(row) for row in report) + "\n]\n")


if __name__ == "__main__":
    main()
