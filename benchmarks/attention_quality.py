"""
Counts of the kernels of attention on sm90 and sm80: registers, spills, and the instructions of the loops over keys, from SASS.

    python benchmarks/attention_quality.py --out benchmarks/results/DATE-attention-quality.json

compiles the programs of `tests/unit/builders/attention_cases.py` for 4096 queries and keys, and writes the JSON and, beside it, a table. A
score is an element of q · k; each thread of a consumer warpgroup has half a row of a tile's scores. A row of a table is a loop over tiles
of keys: those that a mask leaves whole come first, then those that it cuts. Instructions are those of one iteration, by the scores of a
thread; on sm90, the exponentials between the two waits run under the second product.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ptir
from ptir.backends.cuda import sass
from ptir.backends.cuda.nvrtc import nvrtc_version
from ptir.dialects.plan.schedule import Schedule
from ptir.runtime.compile import Program, compile_module
from ptir.targets.architectures import WARP

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from report import publish, table  # noqa: E402

from tests.unit.builders.attention_cases import Case  # noqa: E402

LENGTH = 4096
HEADS = 64
"""The number of heads, on which plans depend: with few blocks, they divide the keys."""
CASES = [
    *(
        Case(LENGTH, LENGTH, heads=HEADS, size=size, mask=mask)
        for size in (64, 128, 256)
        for mask in ("none", "causal")
    ),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, mask="window", window=1024),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, mask="documents"),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, mask="lengths"),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, mask="causal", bias="alibi"),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, bias="tensor"),
    Case(LENGTH, LENGTH, heads=HEADS, size=128, mask="causal", cap=30.0),
]
COLUMNS = {
    "size": "head size",
    "scores": "scores",
    "tile": "tile",
    "registers": "registers",
    "spill_bytes": "spilled",
    "remarks": "remarks of ptxas",
    "instructions": "instructions an iteration",
    "per_score": "instructions a score",
    "under": "under the second product",
    "after": "under no product",
    "hgmma": "HGMMA",
    "exponentials": "EX2 before, between and after the waits",
}
COUNTED = {"hmma": "HMMA", "ldmatrix": "LDSM", "exponentials": "MUFU", "copies": "LDGSTS", "shuffles": "SHFL"}
"""The instructions that are counted in a loop on sm80."""
COLUMNS_SM80 = {
    "size": "head size",
    "scores": "scores",
    "tile": "tile",
    "warp_tile": "of a warp",
    "registers": "registers",
    "spill_bytes": "spilled",
    "instructions": "instructions an iteration",
    "per_score": "instructions a score",
    **COUNTED,
}


def scheduled(program: Program) -> Schedule:
    """Returns the plan of the only kernel."""
    return next(op for op in program.module.walk() if "nv.plan" in op.attributes).attributes["nv.plan"].schedule()


def head(case: Case, program: Program) -> dict[str, Any]:
    """Returns what the rows of one kernel have in common."""
    (used,) = program.binary.kernels.values()
    scores = [case.mask, *([case.bias] if case.bias != "none" else []), *(["cap"] if case.cap else [])]
    return {
        "size": case.size,
        "scores": " ".join(scores),
        "tile": "x".join(map(str, scheduled(program).tile)),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
    }


def measure_sm80(case: Case) -> list[dict[str, Any]]:
    """Returns the rows of one kernel, one for each loop over keys."""
    program = compile_module(ptir.parse(case.text), "sm80")
    (function,) = sass.instructions(program.binary.cubin).values()
    plan = scheduled(program)
    scores = plan.warp[0] * plan.tile[2] / WARP
    loops = sorted((loop for loop in sass.loops(function) if sass.by_name(loop)["HMMA"]), key=len)
    return [
        {
            **head(case, program),
            "warp_tile": plan.warp_tile,
            "instructions": len(loop),
            "per_score": round(len(loop) / scores, 2),
            **{key: sass.by_name(loop)[name] for key, name in COUNTED.items()},
        }
        for loop in loops
    ]


def measure(case: Case) -> list[dict[str, Any]]:
    """Returns the rows of one kernel, one for each loop over keys."""
    program = compile_module(ptir.parse(case.text), "sm90")
    (function,) = sass.instructions(program.binary.cubin).values()
    return [
        {
            **head(case, program),
            "remarks": len(program.binary.remarks),
            "instructions": len(loop.instructions),
            "per_score": round(len(loop.instructions) / (scheduled(program).tile[-1] / 2), 2),
            "under": loop.last_wait - loop.first_wait,
            "after": len(loop.after),
            "hgmma": sass.by_name(loop.instructions)["HGMMA"],
            "exponentials": " ".join(map(str, loop.exponentials)),
        }
        for loop in sass.product_loops(function)
    ]


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Counts of the kernels of attention on sm90 and sm80.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    rows, rows_sm80 = ([row for case in CASES for row in of(case)] for of in (measure, measure_sm80))
    lines = [
        "# Attention on sm90",
        "",
        f"By `benchmarks/attention_quality.py` with NVRTC {nvrtc_version()}: {LENGTH} queries and keys of {HEADS} heads, bf16.",
        "",
        *table(list(COLUMNS.values()), ([row[key] for key in COLUMNS] for row in rows)),
        "",
        "# Attention on sm80",
        "",
        "The same.",
        "",
        *table(list(COLUMNS_SM80.values()), ([row[key] for key in COLUMNS_SM80] for row in rows_sm80)),
    ]
    report = {"nvrtc": nvrtc_version(), "kernels": rows, "kernels_sm80": rows_sm80}
    publish(report, "\n".join(lines) + "\n", options.out)


if __name__ == "__main__":
    main()
