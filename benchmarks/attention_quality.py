"""
Counts of the kernels of attention on sm90: registers, spills, and the instructions of the loop over keys, from SASS.

    python benchmarks/attention_quality.py --out benchmarks/results/DATE-attention-quality.json

compiles the tile programs of `tests/unit/builders/attention_programs.py` for 4096 queries and keys, and writes the JSON and, beside
it, a table. A score is an element of q · k; each thread of a consumer warpgroup has half a row of a tile's scores. Instructions are
those of one iteration without a mask, by its scores; the exponentials between the two waits run under the second product.
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
from ptir.runtime.compile import compile_module

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from report import publish, table  # noqa: E402

from tests.unit.builders.attention_programs import Attention  # noqa: E402

LENGTH = 4096
CASES = [
    Attention(LENGTH, LENGTH, size=size, tile=tile, causal=causal)
    for size, tile in ((64, 128), (64, 176), (128, 64), (128, 128), (128, 176), (256, 64), (256, 80))
    for causal in (False, True)
]
COLUMNS = {
    "size": "head size",
    "tile": "keys a tile",
    "causal": "causal",
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


def measure(case: Attention) -> dict[str, Any]:
    """Returns the row of one kernel."""
    program = compile_module(ptir.parse(case.text), "sm90")
    (used,), (function,) = program.binary.kernels.values(), sass.instructions(program.binary.cubin).values()
    loop, *_ = sass.product_loops(function)
    return {
        "size": case.size,
        "tile": case.tile,
        "causal": case.causal,
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        "remarks": len(program.binary.remarks),
        "instructions": len(loop.instructions),
        "per_score": round(len(loop.instructions) / (case.tile / 2), 2),
        "under": loop.last_wait - loop.first_wait,
        "after": len(loop.after),
        "hgmma": sass.by_name(loop.instructions)["HGMMA"],
        "exponentials": " ".join(map(str, loop.exponentials)),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Counts of the kernels of attention on sm90.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    rows = [measure(case) for case in CASES]
    lines = [
        "# Attention on sm90",
        "",
        f"By `benchmarks/attention_quality.py` with NVRTC {nvrtc_version()}: {LENGTH} queries and keys, bf16, 128 queries a block.",
        "",
        *table(list(COLUMNS.values()), ([row[key] for key in COLUMNS] for row in rows)),
    ]
    publish({"nvrtc": nvrtc_version(), "kernels": rows}, "\n".join(lines) + "\n", options.out)


if __name__ == "__main__":
    main()
