"""
Runs clean-up passes in random orders on random tiny programs, and checks that results stay the same, bit for bit.

    python -m tests.cleanup_orders --count 5000 --report cleanup.json
    python -m tests.cleanup_orders --only 4711

The exit status is 1 if a result differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects.common.shapes import element, shape
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call
from ptir.semantics.samples import draw
from ptir.text.verify import verify_module

from .programs import PASSES, Program, generate


def check(program: Program, number: int) -> dict[str, Any]:
    """Returns the journal entry of a program. Its `problem` is None if the passes preserve every bit of the results."""
    before = ptir.parse(program.text)
    verify_module(before)
    after = ptir.PassManager(",".join(program.passes)).run(before.clone())
    (function,) = (op for op in before.ops if isinstance(op, FuncOp))
    signature = [(shape(a), numpy_dtype(element(a))) for a in function.body.block.args]
    found: dict[str, Any] = {"passes": program.passes, "problem": None, "ops": [count(before), count(after)]}
    for sample in range(number, number + 2):
        arrays = draw("f", signature, 0, sample).arrays
        for k, (x, y) in enumerate(zip(call(before, "f", *arrays), call(after, "f", *arrays), strict=True)):
            if not same_bits(x, y):
                found |= {"problem": f"result {k} differs", "detail": f"{x} and {y} of {arrays}"}
    return found


def count(module: Any) -> int:
    return sum(1 for _ in module.walk())


def same_bits(x: Any, y: Any) -> bool:
    """Whether two arrays have equal types, shapes and bits. All NaNs count as equal."""
    if (x.dtype, x.shape) != (y.dtype, y.shape):
        return False
    wide = [v.astype(np.float64) for v in (x, y)]
    return bool(np.array_equal(*wide, equal_nan=True) and np.array_equal(*(np.signbit(v) | np.isnan(v) for v in wide)))


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.cleanup_orders", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which programs; program N of a seed is always the same")
    add("--count", type=int, default=5000)
    add("--only", type=int, metavar="N", help="check program N alone and print it")
    add("--report", type=Path, metavar="FILE", help="write counts and failures as JSON")
    options = parser.parse_args(args)
    numbers = range(options.count) if options.only is None else [options.only]
    ran, removed, failures = Counter[str](), 0, list[dict[str, Any]]()
    for number in numbers:
        program = generate(options.seed, number)
        found = check(program, number)
        ran.update(program.passes)
        removed += found["ops"][0] != found["ops"][1]
        if found["problem"] is not None:
            failures.append({"number": number, **found, "text": program.text})
            print(f"{number}: {found['problem']} after {','.join(program.passes)}\n{program.text}", file=sys.stderr)
        if options.only is not None:
            print(program.text, json.dumps(found, indent=1), sep="\n")
    report = {
        "seed": options.seed,
        "programs": len(numbers),
        "passes run": {name: ran[name] for name in PASSES},
        "programs of which ops were removed": removed,
        "failures": failures,
    }
    print(json.dumps({k: v for k, v in report.items() if k != "failures"}, indent=1))
    if options.report is not None:
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
