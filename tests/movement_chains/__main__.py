"""
Compares the composed access of random chains of movements with NumPy, at every point. With `--lower`, compiles them and
checks the number of isl operations, the length of the kernels' text, and the results on the emulator.

    python -m tests.movement_chains --count 10000 --state /tmp/chains.jsonl --report chains.json
    python -m tests.movement_chains --lower --count 500
    python -m tests.movement_chains --only 4711

With `--state`, a run that was stopped is resumed. The exit status is 1 if a problem was found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import islpy as isl
import numpy as np

from ptir.analysis.errors import TooComplex
from tests import journal

from . import lowering
from .chains import Chain, composed, generate, reads, wanted


def check(chain: Chain) -> dict[str, Any]:
    """Returns the journal entry of a chain. Its `problem` is None if the composed access is right."""
    want = wanted(chain)
    found: dict[str, Any] = {"kinds": [s.kind for s in chain.steps], "points": want.size, "problem": None}
    if not chain.steps:
        return found
    started = time.process_time()
    try:
        access, _ = composed(chain)
    except TooComplex as e:
        return found | {"problem": "too complex", "detail": e.message}
    except Exception as e:  # any exception is a finding
        return found | {"problem": type(e).__name__, "detail": str(e)}
    found["milliseconds"] = round(1000 * (time.process_time() - started), 2)
    found["guarded"] = access.guard is not None
    found["divisions"] = max(
        (access.map.get_at(k).dim(isl.dim_type.div) for k in range(access.map.dim(isl.dim_type.out))), default=0
    )
    wrong = np.argwhere(reads(access, want.shape, chain.source) != want)
    if len(wrong):
        found |= {"problem": "wrong element", "detail": f"{len(wrong)} points, first {wrong[0].tolist()}: {access}"}
    return found


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.movement_chains", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--seed", type=int, default=0, help="which chains; chain N of a seed is always the same")
    add("--count", type=int, default=10_000, help="how many in all, those of a resumed run included")
    add("--lower", action="store_true", help="check the kernels of the chains")
    add("--only", type=int, metavar="N", help="check chain N alone and print it")
    add("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    add("--report", type=Path, metavar="FILE", help="write counts and failures as JSON")
    options = parser.parse_args(args)
    if options.lower:
        return _lower(options.seed, [options.only] if options.only is not None else range(options.count))
    if options.only is not None:
        chain = generate(options.seed, options.only)
        print(chain, json.dumps(check(chain), indent=1), sep="\n")
        return 0
    lines = _journal(options.state, options.seed)
    for index in range(len(lines), options.count):
        chain = generate(options.seed, index)
        line = {"index": index, **check(chain)}
        if line["problem"] is not None:
            line["chain"] = str(chain)
            print(f"{index}: {line['problem']}: {line.get('detail')}\n  {chain}", file=sys.stderr)
        lines.append(line)
        journal.append(options.state, line)
    report = summary(options.seed, lines)
    print(json.dumps({k: v for k, v in report.items() if k != "failures"}, indent=1))
    if options.report is not None:
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    return 1 if report["failures"] else 0


def _lower(seed: int, indices: Sequence[int]) -> int:
    failed, longest = 0, 0
    for index in indices:
        found = lowering.check(chain := lowering.generate(seed, index), run=True)
        longest = max(longest, found.get("characters", 0))
        if found["problem"] is not None:
            failed += 1
            print(f"{index}: {found['problem']}: {found.get('detail')}\n  {chain}", file=sys.stderr)
    print(json.dumps({"programs": len(indices), "longest line": longest, "failures": failed}))
    return int(failed > 0)


def _journal(state: Path | None, seed: int) -> list[dict[str, Any]]:
    if state is None:
        return []
    if not state.exists():
        journal.append(state, {"seed": seed})
    head, *lines = journal.read(state) or [None]
    if head != {"seed": seed}:
        sys.exit(f"error: {state} is about {head}; give another --state")
    return lines


def summary(seed: int, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Returns the JSON report: the number of chains checked, and the problems found."""
    times = [line["milliseconds"] for line in lines if "milliseconds" in line]
    return {
        "seed": seed,
        "programs": len(lines),
        "points": sum(line["points"] for line in lines),
        "movements": dict(sorted(Counter(kind for line in lines for kind in line["kinds"]).items())),
        "lengths": dict(sorted(Counter(len(line["kinds"]) for line in lines).items())),
        "guarded": sum(line.get("guarded", False) for line in lines),
        "most divisions": max((line.get("divisions", 0) for line in lines), default=0),
        "with divisions": sum(line.get("divisions", 0) > 0 for line in lines),
        "milliseconds of CPU to compose and check": {
            "median": float(np.median(times)) if times else 0,
            "99%": float(np.percentile(times, 99)) if times else 0,
            "most": max(times, default=0),
        },
        "failures": [line for line in lines if line["problem"] is not None],
    }


if __name__ == "__main__":
    sys.exit(main())
