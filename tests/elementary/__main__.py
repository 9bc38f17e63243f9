"""
Checks the elementary functions of one operand for all inputs of binary32, and keeps a 64-bit checksum of each chunk of 2^26 results.

    python -m tests.elementary                            all functions, two hours on a core; stopped, it goes on where it was
    python -m tests.elementary --only exp sin
    python -m tests.elementary --every 997                one input of 997, in seconds; keeps nothing

A chunk whose checksum is in `tests/elementary/results/` must have it again. The exit status is 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .exhaustive import CHUNKS, NAMES, check, chunk

RESULTS = Path(__file__).with_name("results") / "checksums.json"


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.elementary", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help="check these functions")
    parser.add_argument("--every", type=int, metavar="N", help="check one input of N")
    parser.add_argument("--again", action="store_true", help="check chunks whose checksums are known as well")
    options = parser.parse_args(args)
    known: dict[str, dict[str, str]] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    failed = False
    for name in options.only:
        started, judged, wrong = time.monotonic(), 0, list[str]()
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


if __name__ == "__main__":
    sys.exit(main())
