"""
Checks the elementary functions of one operand for all inputs of binary32, and keeps a 64-bit checksum of each chunk of 2^26 results.

    python -m tests.elementary                            all functions, two hours on a core; stopped, it goes on where it was
    python -m tests.elementary --only exp sin
    python -m tests.elementary --every 997                one input of 997, in seconds; keeps nothing
    python -m tests.elementary --powers 1000000           pow, of random operands whose result is finite, in each format

A chunk whose checksum is in `tests/elementary/results/` must have it again. The exit status is 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ptir.conformance.exhaustive import CHUNKS, NAMES, check, chunk
from ptir.conformance.rounding_oracle import differences, expected
from ptir.elementary.evaluation import correctly_rounded
from ptir.elementary.rounding import ROUNDED
from ptir.elementary.vocabulary import FORMATS

BLOCK = 1 << 16
RESULTS = Path(__file__).with_name("results") / "checksums.json"


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.elementary", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help="check these functions")
    parser.add_argument("--every", type=int, metavar="N", help="check one input of N")
    parser.add_argument("--again", action="store_true", help="check chunks whose checksums are known as well")
    parser.add_argument("--powers", type=int, metavar="N", help="check pow alone, of N pairs of operands")
    parser.add_argument("--seed", type=int, default=0, help="draw other operands of pow")
    options = parser.parse_args(args)
    if options.powers:
        return powers(options.powers, options.seed)
    known: dict[str, dict[str, str]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    failed = False
    for name in options.only:
        started, judged, wrong = time.monotonic(), 0, list[object]()
        if options.every:
            part = check(name, 0, 1 << 32, options.every)
            judged, wrong = part.judged, [*part.wrong]
        checksums = known.setdefault(name, {})
        for number in range(0 if options.every else CHUNKS):
            if str(number) in checksums and not options.again:
                continue
            part = chunk(name, number)
            judged, wrong = judged + part.judged, [*wrong, *part.wrong]
            if checksums.setdefault(str(number), part.checksum) != part.checksum:
                wrong.append(f"chunk {number}: {part.checksum}, known as {checksums[str(number)]}")
            if part.wrong:
                del checksums[str(number)]
            RESULTS.parent.mkdir(exist_ok=True)
            RESULTS.write_text(json.dumps(known, indent=0) + "\n")
        print(
            f"{name}: {judged} judged by mpmath, wrong: {wrong or 'none'}, {time.monotonic() - started:.0f} s",
            flush=True,
        )
        failed |= bool(wrong)
    return failed


def powers(count: int, seed: int) -> bool:
    """Checks `pow`; half of the bases are near 1, half of the exponents multiples of 1/8. Returns whether a result is wrong."""
    generator = np.random.default_rng(seed)
    failed = False
    for start in range(0, count, BLOCK):
        x = np.exp2(generator.uniform(-126, 127, BLOCK))
        x[::2] = 1 + generator.uniform(-1, 1, BLOCK // 2) * 2.0 ** generator.uniform(-24, -1, BLOCK // 2)
        y = generator.uniform(-150, 129, BLOCK) / np.maximum(np.abs(np.log2(x)), 2.0**-24)
        y[::4] = np.rint(y[::4] * 8) / 8
        for format in FORMATS:
            a, b = ROUNDED[format](x), ROUNDED[format](y)
            wrong = differences(correctly_rounded("pow", format, a, b), expected("pow", format, a, b))
            for k in wrong[:10]:
                print(f"pow in {format}, pair {start + k}: {a[k].hex()}, {b[k].hex()}")
            failed |= bool(wrong.size)
    print(f"pow: {count} pairs in {', '.join(FORMATS)}, {'some' if failed else 'none'} wrong")
    return failed


if __name__ == "__main__":
    sys.exit(main())
