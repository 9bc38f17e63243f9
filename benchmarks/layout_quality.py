"""
Reports what layouts cost: shuffles, selects, accesses of shared memory and their wavefronts. It needs no GPU.

    python benchmarks/layout_quality.py --before old.json --out benchmarks/results/DATE-layout-quality.json

writes JSON and, beside it, a table in Markdown, which has two numbers, before → after, where they differ from those of `--before`.
The kernels are those of `quality.py` and `warp_specialized_quality.py`, for a product of one tile, or one for each block of a
cluster, and twice its k. Counts are SASS instructions in the kernel; wavefronts and bank conflicts are those of shared memory,
counted by the emulator.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import quality
import warp_specialized_quality
from plans import pin, regions, with_roles
from products import Product
from report import publish, table
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.backends.cuda import sass
from ptir.runtime.devices import Emulator

COUNTED = ("SHFL", "SEL", "FSEL", "LDSM", "LDS", "STS", "STSM")
COLUMNS = {
    "instructions": "instructions",
    "registers": "registers",
    "spill_bytes": "spilled",
    **dict.fromkeys(COUNTED, ""),
    "wavefronts": "wavefronts",
    "conflicts": "bank conflicts",
}


def programs() -> Iterator[tuple[str, str, Product, ModuleOp]]:
    """Yields the name, the architecture, the product and its planned region for each kernel."""
    for case in quality.CASES:
        m, n, k = case.tile
        product = Product(case.dtype, (m, n, 2 * k))
        yield case.name, "sm80", product, pin(regions(product.text), quality.plan(case))
    for case in warp_specialized_quality.CASES:
        (m, n, k), (down, across) = case.shape.tile, case.shape.cluster
        product = Product(
            case.product.dtype,
            (m * down, n * across, 2 * k),
            case.product.out,
            case.product.epilogue,
            case.product.transposed,
        )
        yield case.name, "sm90", product, with_roles(regions(product.text), case.shape)


def measure(name: str, arch: str, product: Product, module: ModuleOp) -> dict[str, Any]:
    device = Emulator()
    program = ptir.compile(module, arch=arch, device=device, allow_spills=True)
    program(*product.operands(0))
    binary = program.program.binary
    ((kernel, used),) = binary.kernels.items()
    code = sass.instructions(binary.cubin)[kernel]
    found = sass.by_name(code)
    return {
        "kernel": name,
        "instructions": len(code),
        "registers": used.registers,
        "spill_bytes": used.spill_stores + used.spill_loads,
        **{key: found[key] for key in COUNTED},
        "wavefronts": sum(report.wavefronts for report in device.reports),
        "conflicts": sum(report.bank_conflicts for report in device.reports),
    }


def markdown(rows: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]]) -> str:
    old = {row["kernel"]: row for row in before}

    def cell(row: dict[str, Any], key: str) -> str:
        was = old.get(row["kernel"], row)[key]
        return str(row[key]) if was == row[key] else f"{was} → {row[key]}"

    differ = sum(row != old.get(row["kernel"], row) for row in rows)
    compared = f" {differ} of {len(rows)} kernels differ from the run before." if old else ""
    lines = ["# Layouts in compiled kernels", "", f"By `benchmarks/layout_quality.py`.{compared}", ""]
    heads = ["kernel", *(name or key for key, name in COLUMNS.items())]
    return (
        "\n".join([*lines, *table(heads, ([row["kernel"], *(cell(row, key) for key in COLUMNS)] for row in rows))])
        + "\n"
    )


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Shuffles and shared accesses of the generated kernels.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    parser.add_argument("--before", type=Path, help="the JSON of an earlier run, to compare with")
    options = parser.parse_args(argv)
    rows = [measure(*program) for program in programs()]
    before = json.loads(options.before.read_text(encoding="utf-8"))["kernels"] if options.before else []
    publish({"kernels": rows}, markdown(rows, before), options.out)


if __name__ == "__main__":
    main()
