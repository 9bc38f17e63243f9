"""
Counts of the kernels of the backward pass of attention on sm80 and sm90: registers, spills, bank conflicts, and the instructions of the
loops over keys, from SASS.

    python benchmarks/attention_backward_quality.py --out benchmarks/results/DATE-attention-backward-quality.json

compiles the programs of `tests/unit/builders/attention_backward_cases.py` for 4096 queries and keys of `HEADS` heads, and writes the JSON
and, beside it, a table. The kernels are those of the sums of rows, of dQ, and of dK and dV. A row is a loop over tiles of keys, or of queries;
instructions are those of one iteration, beside its HMMA or HGMMA and exponentials. Bank conflicts are those of `SMALL` queries and keys of one
head in the emulator.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.runtime.compile import compile_module
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute

sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).parent.parent))

from attention_quality import exponentials, innermost
from report import publish, table

from tests.unit.builders.attention_backward_cases import BackwardCase

LENGTH, SMALL, HEADS = 4096, 128, 64
CASES = [BackwardCase(LENGTH, LENGTH, size=size, mask="causal", given=False) for size in (64, 128)]
CASES += [replace(CASES[-1], given=True)]
COLUMNS = {
    "arch": "arch",
    "size": "head size",
    "mask": "mask",
    "weights": "weights",
    "kernel": "kernel",
    "registers": "registers",
    "spill_bytes": "spilled",
    "conflicts": "bank conflicts",
    "instructions": "instructions an iteration",
    "products": "HMMA or HGMMA",
    "each": "instructions each",
    "exponentials": "EX2",
    "calls": "calls",
}


def measure(arch: str, case: BackwardCase) -> list[dict[str, Any]]:
    """Returns the rows of a program, one for each loop with products, in the order of the kernels."""
    program = compile_module(ptir.parse(replace(case, heads=HEADS).text), arch)
    small, device = replace(case, queries=SMALL, keys=SMALL), Emulator()
    execute(compile_module(ptir.parse(small.text), arch), small.arrays(), device)
    conflicts, rows = sum(r.conflicts for r in device.reports), list[dict[str, Any]]()
    for name, function in sorted(sass.instructions(program.binary.cubin).items()):
        used = program.binary.kernels[name]
        for loop in innermost(function):
            names = sass.by_name(loop)
            products = names["HMMA"] + names["HGMMA"]
            rows.append(
                {
                    "arch": arch,
                    "size": case.size,
                    "mask": case.mask,
                    "weights": "by log-sum-exp" if case.given else "by softmax",
                    "kernel": name.rpartition("_")[2],
                    "registers": used.registers,
                    "spill_bytes": used.spill_stores + used.spill_loads,
                    "conflicts": conflicts,
                    "instructions": len(loop),
                    "products": products,
                    "each": round(len(loop) / products, 1),
                    "exponentials": exponentials(loop),
                    "calls": names["CALL"],
                }
            )
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Counts of the kernels of the backward pass of attention.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    rows = [row for arch in ("sm80", "sm90") for case in CASES for row in measure(arch, case)]
    lines = [
        "# The backward pass of attention",
        "",
        f"By `benchmarks/attention_backward_quality.py` with NVRTC {nvrtc_version()}: {LENGTH} queries and keys, bf16, {HEADS} heads.",
        "",
        *table(list(COLUMNS.values()), ([row[key] for key in COLUMNS] for row in rows)),
        "",
    ]
    publish({"nvrtc": nvrtc_version(), "kernels": rows}, "\n".join(lines), options.out)


if __name__ == "__main__":
    main()
