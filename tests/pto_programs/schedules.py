"""
Compares the synchronous meaning of tile programs with schedules of the asynchronous one, after events are inserted, loops are pipelined, and
tiles have addresses.

    python -m tests.pto_programs.schedules 0 300 --report tests/pto_programs/results/schedules.json
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ptir.analysis.pto.effects import tile_functions
from ptir.dialects import pto
from ptir.passes.environment import make_context
from ptir.semantics.interpreter import call_on, interpreter
from ptir.semantics.pto_async.hazards import races
from ptir.semantics.pto_async.schedules import adversarial_orders, execute, random_order
from ptir.semantics.pto_async.trace import Trace, trace
from ptir.targets.pto.machines import MACHINES
from ptir.text.parsing import parse_text
from ptir.text.verify import verify_module
from ptir.transforms.errors import MemoryTooSmall
from ptir.transforms.pto_bufferize import bufferize
from ptir.transforms.pto_insert_events import insert_events
from ptir.transforms.pto_pipeline import pipeline

from .generator import Options, program
from .loops import ARRAYS, Program

VARIANTS = ("events", "buffers", "pipeline", "events pipeline buffers")
SMALL = 24 * 1024
"""Bytes of a small vector memory, in which tiles share memory more often."""


def parse(text: str) -> ModuleOp:
    module = parse_text(text, make_context())
    verify_module(module)
    return module


def transform(module: ModuleOp, variant: str, *, stages: int = 2, memory: int | None = None) -> None:
    """Applies the passes of a variant to the functions of a module."""
    machine = MACHINES["a3"]
    if memory is not None:
        machine = replace(machine, memories={**machine.memories, "Vec": memory})
    for function in tile_functions(module):
        if variant.startswith("events"):
            insert_events(function)
        if "pipeline" in variant:
            pipeline(function, stages)
        if variant != "events":
            try:
                bufferize(function, machine)
            except MemoryTooSmall:
                bufferize(function, MACHINES["a3"])
        if not variant.startswith("events"):
            insert_events(function)
    verify_module(module)


def orders(run: Trace, seed: int, count: int) -> Iterator[list[Any]]:
    yield random_order(run, seed)
    yield from islice(adversarial_orders(run), count)


def check(text: str, args: tuple[Any, ...], seed: int, count: int = 3) -> dict[str, int]:
    """Asserts that sampled schedules of all variants give the results of the synchronous program. Returns counts of what was checked."""
    want = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    module = parse(text)
    call_on(interpreter(module), module, "f", want)
    arrays = [a for a in want if isinstance(a, np.ndarray)]
    counts = dict.fromkeys(("schedules", "steps", "barriers"), 0)
    for variant in VARIANTS:
        module = parse(text)
        transform(module, variant, stages=2 + seed % 2, memory=SMALL if seed % 2 else None)
        run = trace(module, "f", *args)
        found = races(run)
        assert not found, f"{variant}: {found[0].error()}"
        counts["barriers"] += sum(isinstance(op, pto.SyncOp) for op in module.walk())
        for order in orders(run, seed, count):
            for k, (a, b) in enumerate(zip(execute(run, order), arrays, strict=True)):
                np.testing.assert_array_equal(a, b, f"array {k} of variant {variant!r}")
            counts["schedules"] += 1
            counts["steps"] += len(order)
    return counts


def loop_case(seed: int) -> tuple[str, tuple[Any, ...]]:
    """Returns a program with loops that carry tiles and views that overlap, and its arguments."""
    rng = np.random.default_rng(seed)
    arrays = [rng.standard_normal((64, 8)).astype(np.float32) for _ in range(ARRAYS)]
    return Program(seed, 6 + seed % 20).text, (*arrays, seed % 3 + 1)


def condition_case(seed: int) -> tuple[str, tuple[Any, ...]]:
    """Returns a program with loops and conditions, and its arguments."""
    _, args = loop_case(seed)
    return Program(seed, 6 + seed % 12, depth=3, conditions=True).text, args


def vocabulary_case(seed: int, *, misaligned: float = 1.0, conditions: bool = False) -> tuple[str, tuple[Any, ...]]:
    """Returns a program with ops of all families, and its arguments."""
    case = program(seed, Options(exact=True, misaligned=misaligned, conditions=conditions, target="a3"))
    return case.text, case.args


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=int)
    parser.add_argument("last", type=int)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    total: dict[str, Any] = {"seeds": [options.first, options.last], "failures": []}
    for seed in range(options.first, options.last):
        for case in (loop_case, condition_case, vocabulary_case):
            try:
                for name, count in check(*case(seed), seed).items():
                    total[name] = total.get(name, 0) + count
                total["programs"] = total.get("programs", 0) + 1
            except Exception as error:
                total["failures"].append([case.__name__, seed, str(error)[:300]])
                print(total["failures"][-1], flush=True)
    print(json.dumps({k: v for k, v in total.items() if k != "failures"}))
    if options.report is not None:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(json.dumps(total, indent=1) + "\n")


if __name__ == "__main__":
    main()
