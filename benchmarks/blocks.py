"""
The kernels of `examples/blocks` and the bytes that they move, counted by the emulator; no GPU is needed.

    python benchmarks/blocks.py --out benchmarks/results/DATE-blocks.json

writes the JSON and, beside it, the same as a table in Markdown. Bytes are those of the 32-byte sectors that global loads and stores
access, and of bulk copies; the minimum is the size of the program's arguments and results.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from report import publish, table

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.targets.architectures import ARCHS

BLOCKS = Path(__file__).resolve().parent.parent / "examples" / "blocks"


def arguments(compiled: Any, seed: int = 0) -> list[Any]:
    """Returns normal numbers, and small integers as labels."""
    rng, out = np.random.default_rng(seed), list[Any]()
    for _, t in compiled.signature.arguments:
        dtype = numpy_dtype(t.element_type)
        draw = rng.integers(0, 8, t.get_shape()) if dtype.kind in "iu" else rng.standard_normal(t.get_shape())
        out.append(draw.astype(dtype))
    return out


def measure(path: Path, arch: str) -> dict[str, Any]:
    device = Emulator()
    compiled = ptir.compile(path, arch=arch, device=device)
    arrays = arguments(compiled)
    results = compiled(*arrays)
    moved = sum(report.global_bytes for report in device.reports)
    least = sum(a.nbytes for a in (*arrays, *results))
    return {
        "block": path.stem,
        "kernels": len(compiled.program.binary.kernels),
        "bytes": moved,
        "minimum": least,
        "ratio": round(moved / least, 2),
    }


def markdown(report: dict[str, Any]) -> str:
    """Returns the report as a table."""
    columns = ("block", "kernels", "bytes", "minimum", "ratio")
    lines = [
        "# Kernels of blocks",
        "",
        f"By `benchmarks/blocks.py` for {report['arch']}: kernels, bytes of the sectors that they access, and those of arguments and results.",
        "",
    ]
    return "\n".join([*lines, *table(columns, ([row[c] for c in columns] for row in report["blocks"]))]) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Kernels of blocks and the bytes that they move.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--arch", default="sm80", choices=ARCHS)
    options = parser.parse_args(argv)
    report = {"arch": options.arch, "blocks": [measure(path, options.arch) for path in sorted(BLOCKS.glob("*.mlir"))]}
    publish(report, markdown(report), options.out)


if __name__ == "__main__":
    main()
