"""
Compares the synchronous meaning of random tile programs with their PTX, in the emulator, whose warps run in a random order.

    python -m tests.pto_programs.ptx --count 300 --state build/campaign/pto-ptx.journal --report tests/pto_programs/results/ptx.json

Floats are small integers, so that results have the same bits. The journal has a line for each program, so that a campaign that was stopped goes on
from there. The report counts the programs that have each op.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ptir.analysis.pto.target import TARGET
from ptir.dialects import pto
from ptir.errors import PtirError
from ptir.runtime.tiles import PtxTiles
from tests import journal

from .cpp import expected, refusal
from .events import event_case
from .generator import Options, program
from .schedules import condition_case, loop_case, parse


def vocabulary(seed: int, *, conditions: bool = False) -> tuple[str, tuple[Any, ...]]:
    """Returns a program with ops of all families, and its arguments."""
    case = program(seed, Options(exact=True, conditions=conditions))
    return case.text, case.args


CASES = {
    "loops": loop_case,
    "branches": condition_case,
    "vocabulary": vocabulary,
    "conditions": partial(vocabulary, conditions=True),
    "events": event_case,
}
"""The kinds of programs."""


def verdict(text: str, args: Sequence[Any], seed: int) -> str:
    """Runs the PTX of a program. Returns `equal`, why it has none, or how it differs from the interpreter."""
    module = parse(text)
    module.attributes[TARGET] = pto.TargetAttr.of(("sm80", "sm90")[seed % 2])
    want = expected(module, tuple(args))
    try:
        compiled = PtxTiles.compile(module)
    except PtirError as error:
        return refusal(error)
    found = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    try:
        compiled.call("f", found, seed)
    except PtirError as error:
        return str(error)
    for k, (got, array) in enumerate(zip(found, want, strict=True)):
        if isinstance(array, np.ndarray) and not np.array_equal(got, array, equal_nan=array.dtype.kind == "f"):
            where = np.argwhere(got != array)[0]
            return f"argument {k} differs at {where.tolist()}: {got[tuple(where)]} for {array[tuple(where)]}"
    return "equal"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    done: dict[str, str] = dict(journal.read(options.state))
    ops: Counter[str] = Counter()
    for seed in range(options.count // len(CASES)):
        for kind, case in CASES.items():
            (text, args), key = case(seed), f"{kind} {seed}"
            ops.update(set(re.findall(r"\bpto\.[\w.]+", text)) & {op.name for op in pto.PTO.operations})
            if key not in done:
                done[key] = verdict(text, args, seed)
                journal.append(options.state, [key, done[key]])
                if done[key] != "equal":
                    print(key, done[key], flush=True)
    judged = {k: "different" if v != "equal" and not v.startswith("refused") else v for k, v in done.items()}
    total = {
        "programs": len(done),
        "verdicts": dict(Counter(judged.values()).most_common()),
        "programs with each op": dict(sorted(ops.items())),
        "different": {k: v for k, v in done.items() if judged[k] == "different"},
    }
    print(json.dumps(total, indent=1))
    if options.report is not None:
        options.report.write_text(json.dumps(total, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
