"""
The grid of convolutions: kernels × strides × dilations × paddings × groups × layouts × types, on both architectures.

    python -m tests.convolution_grid --count 1500 --state /tmp/conv.jsonl --report conv.json    # writes conv.md as well
    python -m tests.convolution_grid --only 17                                                  # one point: its program and outcome

With `--state`, a run that was stopped is resumed. Odd points run on sm90, even ones on sm80. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .check import examine, program
from .points import point

AXES = ("dtype", "layout", "epilogue", "rank", "kind", "arch", "way")


def arch_of(number: int) -> str:
    return "sm90" if number % 2 else "sm80"


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.convolution_grid", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--count", type=int, default=1500, help="how many points")
    parser.add_argument("--seed", type=int, default=0, help="draws the points and the numbers")
    parser.add_argument("--state", type=Path, metavar="FILE", help="journal; if it exists, go on from there")
    parser.add_argument("--report", type=Path, metavar="F.json", help="write the counts and failures there and as F.md")
    parser.add_argument("--only", type=int, metavar="N", help="one point by its number, printed")
    options = parser.parse_args(args)
    if options.only is not None:
        found = point(options.only, options.seed)
        outcome = examine(found, arch_of(options.only), options.seed)
        sys.stdout.write(program(found) + json.dumps(outcome, indent=1) + "\n")
        return 1 if outcome["problems"] else 0
    done = _read(options.state, options.seed)
    for number in range(options.count):
        if number not in done:
            done[number] = {"number": number, **examine(point(number, options.seed), arch_of(number), options.seed)}
            if options.state is not None:
                with options.state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(done[number]) + "\n")
            for problem in done[number]["problems"]:
                print(f"{number}: {problem}", file=sys.stderr)
    report = summary([done[n] for n in range(options.count)], options.seed)
    if options.report is not None:
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
        options.report.with_suffix(".md").write_text(markdown(report), "utf-8")
    sys.stdout.write(markdown(report))
    return 1 if report["failures"] else 0


def _read(journal: Path | None, seed: int) -> dict[int, dict[str, Any]]:
    if journal is None:
        return {}
    if not journal.exists():
        journal.write_text(json.dumps({"seed": seed}) + "\n", "utf-8")
    first, *lines = (json.loads(line) for line in journal.read_text("utf-8").splitlines())
    if first != {"seed": seed}:
        raise SystemExit(f"{journal} is about {first}; give another --state")
    return {line["number"]: line for line in lines}


def summary(lines: Sequence[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Returns the totals for each value of each axis, and the failures."""
    counts: dict[str, Counter[str]] = {axis: Counter() for axis in AXES}
    for line in lines:
        p = line["point"]
        transposed, depthwise = max(p["base"]) > 1, p["groups"] == p["channels"] > 1
        kind = "transposed" if transposed else "depthwise" if depthwise else "grouped" if p["groups"] > 1 else "plain"
        values = {
            **p,
            "rank": f"{len(p['size'])}-D",
            "kind": kind,
            "arch": line["arch"],
            "way": line.get("way", "none"),
        }
        for axis in AXES:
            counts[axis][values[axis]] += 1
    return {
        "seed": seed,
        "points": len(lines),
        "passed": sum(not line["problems"] for line in lines),
        "conflicts": sum(bool(line.get("conflicts")) for line in lines),
        "seconds": round(sum(line["seconds"] for line in lines)),
        "axes": {axis: dict(sorted(found.items())) for axis, found in counts.items()},
        "failures": [{k: line[k] for k in ("number", "problems")} for line in lines if line["problems"]],
    }


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as Markdown."""
    out = [
        "# The grid of convolutions",
        "",
        f"`python -m tests.convolution_grid --count {report['points']} --seed {report['seed']}`: {report['passed']} of "
        f"{report['points']} points passed, {report['seconds'] / 60:.0f} minutes of one core. Results are equal to NumPy's f64 and to "
        f"JAX on the CPU, and the emulator reports no fault. {report['conflicts']} points have bank conflicts.",
        "",
        "| axis | points |",
        "|---|---|",
        *(f"| {axis} | {', '.join(f'{v}: {n}' for v, n in found.items())} |" for axis, found in report["axes"].items()),
    ]
    if report["failures"]:
        out += ["", "| failed | problem |", "|--:|---|"]
        out += [f"| {f['number']} | {'; '.join(f['problems'])} |" for f in report["failures"]]
    return "\n".join([*out, ""])


if __name__ == "__main__":
    sys.exit(main())
