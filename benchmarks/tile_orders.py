"""
Reports the sectors that products read from DRAM on an A100, by a simulated L2, in row order and in the order of the plan.

    python benchmarks/tile_orders.py --out benchmarks/results/DATE-tile-orders.json

writes JSON and, beside it, a table in Markdown. It needs no GPU. Every product is planned as `plan-regions{arch=sm80}` plans it;
the simulation then divides k into its steps (`planning/tile_order.py`), where the planner takes it whole. Beside it is the
best Hilbert curve whose squares divide the tiles, which a plan can ask for.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import gcd
from pathlib import Path
from typing import Any

from plans import regions, request
from products import Product
from report import publish, table

from ptir.dialects.plan.schedule import HILBERT, LARGEST_SQUARE
from ptir.planning.multistage import Multistage
from ptir.planning.multistage.cost import sweep_of
from ptir.planning.multistage.resources import shape_of
from ptir.planning.tile_order import dram_sectors

PRODUCTS = (
    ("bf16", (8192, 32768, 4096)),
    ("bf16", (4096, 4096, 4096)),
    ("bf16", (8192, 8192, 8192)),
    ("bf16", (16384, 16384, 1024)),
    ("bf16", (32768, 8192, 4096)),
    ("bf16", (8192, 50257, 768)),
    ("bf16", (5000, 30001, 3000)),
    ("tf32", (4096, 4096, 4096)),
    ("i8", (8192, 32768, 4096)),
    ("bf16", (65536, 256, 2048)),
    ("bf16", (1024, 1024, 1024)),
)
CURVE = "read along a Hilbert curve"
HEADS = (
    "product",
    "tile",
    "order",
    "sectors of the operands",
    "read in row order",
    "read in this order",
    "ratio",
    "curve",
    CURVE,
)


def measure(dtype: str, sizes: tuple[int, int, int]) -> dict[str, Any]:
    asked = request(regions(Product(dtype, sizes).text), "sm80")
    template = Multistage(asked)
    plan = template.fallbacks()[0]
    sweep = sweep_of(shape_of(plan), template.known, asked.machine)
    slices = -(-sweep.k // plan.tile[2])

    def sectors(order: str) -> int:
        return dram_sectors(sweep, order, asked.machine.l2 * 1e6, slices)

    row, this = sectors("row"), sectors(plan.order)
    largest = gcd(*sweep.counts, LARGEST_SQUARE)
    curves = {f"{HILBERT}{1 << bit}": sectors(f"{HILBERT}{1 << bit}") for bit in range(1, largest.bit_length())}
    curve = min(curves, key=curves.__getitem__, default="none divides the tiles")
    return {
        "product": f"{dtype} {'x'.join(map(str, sizes))}",
        "tile": "x".join(map(str, plan.tile)),
        "order": plan.order,
        "sectors of the operands": -(-sweep.operands // 32),
        "read in row order": row,
        "read in this order": this,
        "ratio": round(row / this, 2),
        "curve": curve,
        CURVE: curves.get(curve, ""),
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Sectors from DRAM by the order of tiles.")
    parser.add_argument("--out", type=Path, help="the JSON to write; a table goes beside it")
    options = parser.parse_args(argv)
    rows = [measure(*product) for product in PRODUCTS]
    lines = [
        "# Sectors from DRAM by the order of tiles",
        "",
        "By `benchmarks/tile_orders.py` for A100, with a simulated L2 of 40 MB.",
        "",
        *table(HEADS, [[row[head] for head in HEADS] for row in rows]),
    ]
    publish({"machine": "a100", "rows": rows}, "\n".join(lines) + "\n", options.out)


if __name__ == "__main__":
    main()
