"""
Measures the cost of analyzing whole networks: IndexBook and Poly-View of GPT-2 with 6 and 12 layers, and of ResNet-50.

    python benchmarks/poly_cost.py [--runs N] [--json]

Reading the text and lowering it to tiny are not timed. The networks take turns, and the shortest CPU times are compared.
Garbage collection is off, as in `timeit`, because a full collection adds about a fifth of the time. *Growth* is the time for
12 layers divided by the time for 6; it should be at most 2.2, since an analysis whose cost grows faster than the program
cannot be used on whole models. Every run begins with empty caches of maps.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.index import affine
from ptir.analysis.index.book import index_book
from ptir.analysis.poly.view import build_view

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "examples" / "gpt2_block")]
import make  # noqa: E402

from tests.models import resnet50  # noqa: E402

NETWORKS = {"gpt2 6 layers": make.text(6), "gpt2 12 layers": make.text(12), "resnet50": resnet50.text()}
GROWTH = 2.2
"""Maximum ratio of the time for 12 layers to the time for 6."""


def tiny(text: str) -> FuncOp:
    """Returns the only function of a program, lowered to tiny."""
    module = ptir.PassManager("ptir-to-tiny").run(ptir.parse(text))
    return next(op for op in module.ops if isinstance(op, FuncOp))


def analyse(function: FuncOp) -> tuple[float, float]:
    """Returns the CPU times of the book and of the view, in seconds; `build_view` computes a book of its own."""
    for cached in vars(affine).values():
        if hasattr(cached, "cache_clear"):
            cached.cache_clear()
    gc.collect()
    begin = time.process_time()
    book = index_book(function)
    for value in book:
        _ = book[value].domain
    middle = time.process_time()
    build_view(function)
    return middle - begin, time.process_time() - middle


def measure(runs: int) -> dict[str, Any]:
    """Returns the size and the two shortest times of each network, and the growth."""
    functions = {name: tiny(text) for name, text in NETWORKS.items()}
    gc.disable()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in functions}
    for _ in range(runs):
        for name, function in functions.items():
            times[name].append(analyse(function))
    out: dict[str, Any] = {}
    for name, function in functions.items():
        ops = list(function.body.block.ops)
        view = build_view(function)
        patterns = [b.get_attr_or_prop("pattern") for b in view.body.block.ops]
        found = [p.data["pattern"].data for p in patterns if p is not None]  # pyright: ignore
        out[name] = {
            "tiny ops": sum(op.name.startswith("tiny.") for op in ops),
            "matmul": found.count("matmul"),
            "conv": found.count("conv"),
            "book": round(min(book for book, _ in times[name]), 4),
            "view": round(min(view for _, view in times[name]), 4),
        }
    small, large = (sum(out[n][part] for part in ("book", "view")) for n in ("gpt2 6 layers", "gpt2 12 layers"))
    return {"networks": out, "growth": round(large / small, 2), "goal": GROWTH, "runs": runs}


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status, which is 1 if the growth is above the goal."""
    parser = argparse.ArgumentParser(prog="python benchmarks/poly_cost.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(args)
    found = measure(options.runs)
    if options.json:
        text = json.dumps(found, indent=1)
    else:
        rows = [f"{name}: {', '.join(f'{v} {k}' for k, v in row.items())}" for name, row in found["networks"].items()]
        text = "\n".join([*rows, f"growth: {found['growth']} (goal: {found['goal']} at most)"])
    sys.stdout.write(text + "\n")
    return int(found["growth"] > GROWTH)


if __name__ == "__main__":
    sys.exit(main())
