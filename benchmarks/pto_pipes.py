"""
Measures the passes for PTO: how far pipes overlap in a pipelined matrix product, how close packing comes to the bytes that are live, and how long
the passes take for 10,000 ops.

    python benchmarks/pto_pipes.py --output benchmarks/results/DATE-pto-pipes

Writes OUTPUT.json and OUTPUT.md. Times are those of the processor; cycles are those of `targets/pto/costs.py`.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pto_programs import gemm

from ptir.analysis.pto.costs import cycles
from ptir.analysis.pto.effects import tile_functions
from ptir.analysis.pto.packing import live_bytes, pack
from ptir.backends.pto.emit import print_pto
from ptir.dialects import pto
from ptir.passes.environment import make_context
from ptir.semantics.pto_async.hazards import races
from ptir.semantics.pto_async.timing import timing
from ptir.semantics.pto_async.trace import trace
from ptir.targets.pto.machines import MACHINES
from ptir.text.parsing import parse_text
from ptir.transforms.pto_bufferize import bufferize
from ptir.transforms.pto_canonicalize import PtoCanonicalize
from ptir.transforms.pto_canonicalize_views import PtoCanonicalizeViews
from ptir.transforms.pto_infer_tile_info import PtoInferTileInfo
from ptir.transforms.pto_insert_events import insert_events
from ptir.transforms.pto_pipeline import pipeline
from tests.pto_programs.intervals import random_intervals

Pass = Callable[[ModuleOp, func.FuncOp], None]


def products() -> list[dict[str, Any]]:
    """Returns the timing of a 512 x 512 x 512 product, with and without pipelining; its result is compared with NumPy's."""
    rng, rows = np.random.default_rng(0), list[dict[str, Any]]()
    a, b = (rng.integers(-2, 3, (512, 512)).astype(np.float16) for _ in range(2))
    for stages in (1, 2):
        module = parse_text(gemm(), make_context())
        (function,) = tile_functions(module)
        pipeline(function, stages)
        bufferize(function, MACHINES["a3"])
        insert_events(function)
        run = trace(module, "gemm", a, b, np.zeros((512, 512), np.float32))
        got = timing(run, cycles)
        assert not races(run)
        barriers = sum(isinstance(op, pto.SyncOp) for op in module.walk())
        busy = {pipe: n for pipe, n in got.busy.items() if n}
        rows.append(
            {
                "stages": stages,
                "cycles": got.cycles,
                "busy": busy,
                "overlap": round(got.overlap, 3),
                "barriers": barriers,
            }
        )
    return rows


def packings(count: int = 200) -> dict[str, Any]:
    """Returns statistics of packed bytes divided by live bytes."""
    ratios: list[float] = []
    for seed in range(count):
        intervals = random_intervals(seed)
        addresses = pack(intervals, 32)
        ratios.append(max(x + i.size for x, i in zip(addresses, intervals, strict=True)) / live_bytes(intervals)[0])
    return {
        "programs": count,
        "mean": round(float(np.mean(ratios)), 4),
        "p95": round(float(np.quantile(ratios, 0.95)), 4),
        "max": round(max(ratios), 4),
        "equal": sum(r == 1 for r in ratios),
    }


@dataclass(frozen=True)
class Shape:
    """
    A program of `depth` loops around each instruction, or of `body` instructions in each innermost loop (None: all), with `between` instructions
    before each nest. Where it is `indexed`, each iteration has rows of its own. The instructions of a nest that is `spread` are in all of its loops.
    """

    depth: int = 0
    body: int | None = None
    between: int = 0
    indexed: bool = False
    spread: bool = False


SHAPES = {
    "straight": Shape(),
    "one loop": Shape(1),
    "many loops": Shape(1, 100),
    "nested loops": Shape(2, 100),
    "small nests": Shape(2, 10, indexed=True),
    "deep nest": Shape(6, indexed=True, spread=True),
    "loops between": Shape(1, 20, between=80, indexed=True),
}
TRIPS, STEP = 9, 5
"""The iterations of each loop, and the instructions of each step."""


def text_of(ops: int, name: str) -> str:
    """Returns a program of `ops` instructions: maps of rows of an array."""
    shape = SHAPES[name]
    array, tile = f"pto.memref<{16 * TRIPS * ops}x16xf32>", "tile<16x16xf32>"
    body = (shape.body or ops) // STEP
    lines = [
        f"func.func @f(%x: !{array}, %y: !{array}) {{",
        *(f"%c{n} = pto.constant {n} : index" for n in (0, 1, TRIPS, 16)),
    ]
    loops: list[str] = []

    def step(k: int) -> None:
        row = f"%r{k} = pto.constant {16 * TRIPS * k} : index"
        if shape.indexed and loops:
            row = f"{row.replace(f'%r{k}', f'%q{k}')}\n%o{k} = pto.muli {loops[-1]}, %c16 : index\n%r{k} = pto.addi %q{k}, %o{k} : index"
        lines.extend(
            [
                row,
                f"%v{k} = pto.memref.subview %x[%r{k}, 0] [16, 16] [1, 1] : {array} to pto.memref<16x16xf32, strided<[16, 1], offset: ?>>",
                f"%a{k} = pto.tile.load %v{k}[%c0, 0] : pto.memref<16x16xf32, strided<[16, 1], offset: ?>>, {tile}",
                f"%b{k} = pto.tile.load %y[%r{k}, 0] : {array}, {tile}",
                f"%s{k} = pto.tile.add %a{k}, %b{k} : {tile}",
                f"%e{k} = pto.tile.exp %s{k} : {tile}",
                f"pto.tile.store %e{k}, %y[%r{k}, 0] : {array}, {tile}",
            ]
        )

    k, end = 0, ops // STEP
    while k < end:
        for _ in range(min(shape.between // STEP, end - k)):
            step(k)
            k += 1
        last = min(k + body, end)
        share = -(-body // shape.depth) if shape.spread else body
        for level in range(shape.depth):
            loops.append(f"%i{k}_{level}")
            lines.append(f"scf.for {loops[-1]} = %c0 to %c{TRIPS} step %c1 {{")
            for _ in range(min(share, last - k) if shape.spread else 0):
                step(k)
                k += 1
        for each in range(k, last):
            step(each)
        k = last
        lines.extend("}" for _ in loops)
        loops.clear()
    return "\n".join([*lines, "func.return", "}"])


def module_pass(each: Any) -> Pass:
    return lambda module, function: each.apply(make_context(), module)


SIZES = (2_500, 5_000, 10_000)

PASSES: dict[str, Pass] = {
    "pto-canonicalize": module_pass(PtoCanonicalize()),
    "pto-canonicalize-views": module_pass(PtoCanonicalizeViews()),
    "pto-infer-tile-info": module_pass(PtoInferTileInfo("a3")),
    "pto-insert-events": lambda module, function: insert_events(function),
    "pto-pipeline": lambda module, function: pipeline(function, 2),
    "pto-bufferize": lambda module, function: bufferize(function, MACHINES["a3"]),
    "pto-to-cpp": lambda module, function: (print_pto(module, "a3"), None)[1],
}


def times() -> list[dict[str, Any]]:
    """Returns the seconds of each pass by the number of instructions and the shape of the program. C++ is of tiles with addresses."""
    gc.set_threshold(100_000, 20, 100)  # as in tools/driver.py
    rows = [{"pass": name, "program": shape} for shape in SHAPES for name in PASSES]
    for row in rows:
        for ops in SIZES:
            module = parse_text(text_of(ops, row["program"]), make_context())
            (function,) = tile_functions(module)
            if row["pass"] == "pto-to-cpp":
                bufferize(function, MACHINES["a3"])
            start = time.process_time()
            PASSES[row["pass"]](module, function)
            row[str(ops)] = round(time.process_time() - start, 2)
        print(row, flush=True)
    return rows


def page(result: dict[str, Any]) -> str:
    rows = [
        "# Pipes of PTO",
        "",
        "Matrix product, 512 x 512 x 512, f16, on a3; the overlap is the busiest pipe's cycles divided by all.",
        "",
    ]
    rows += ["| stages | cycles | overlap | barriers | busy |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| {r['stages']} | {r['cycles']:,} | {r['overlap']:.1%} | {r['barriers']} | {r['busy']} |"
        for r in result["product"]
    ]
    p = result["packing"]
    rows += ["", f"Packing of {p['programs']} random programs: packed bytes divided by live bytes.", ""]
    rows += [
        "| mean | 95 % | max | equal |",
        "| --- | --- | --- | --- |",
        f"| {p['mean']} | {p['p95']} | {p['max']} | {p['equal']} |",
    ]
    rows += [
        "",
        "Seconds of processor time:",
        "",
        f"| pass | program | {' | '.join(f'{n:,} ops' for n in SIZES)} |",
        "| --- | --- | --- | --- | --- |",
    ]
    rows += [f"| {r['pass']} | {r['program']} | {' | '.join(str(r[str(n)]) for n in SIZES)} |" for r in result["times"]]
    return "\n".join(rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    result = {"product": products(), "packing": packings(), "times": times()}
    print(page(result))
    if options.output is not None:
        options.output.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
        options.output.with_suffix(".md").write_text(page(result))


if __name__ == "__main__":
    main()
