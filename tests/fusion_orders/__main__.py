"""
Fusion and planning do not depend on the order of the ops or on Python's hashes: networks in other orders and with other hash seeds.

    python -m tests.fusion_orders --state /tmp/orders.jsonl --report orders.json    # writes orders.md as well
    python -m tests.fusion_orders --only 17                                         # one point: its outcome

With `--state`, a run that was stopped is resumed. The exit status is 1 if a point fails.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from os import environ
from pathlib import Path
from typing import Any

from tests.grid.numbered import Grid, Line

PROGRAMS = ("unet", "resnet", "vit", "lstm", "gpt2", "mamba")
STRATEGIES = ("exact", "greedy")
ORDERS = 20
HASH_SEEDS = 5


def point(number: int, seed: int) -> tuple[str, str, int, int]:
    """
    Returns the network, the strategy, the seed of the order and the hash seed of a point. The points are all combinations, those of a
    network and a strategy one after the other.
    """
    number, hashes = divmod(number, HASH_SEEDS)
    number, order = divmod(number, ORDERS)
    program, strategy = divmod(number, len(STRATEGIES))
    return PROGRAMS[program], STRATEGIES[strategy], seed + 1 + order, hashes


@cache
def answering(hashes: int) -> subprocess.Popen[str]:
    """Returns a process that answers questions about any point of a hash seed, so that networks are built once in each."""
    command = [sys.executable, "-m", "tests.fusion_orders.answer"]
    root, hashed = Path(__file__).resolve().parents[2], environ | {"PYTHONHASHSEED": str(hashes)}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=hashed, cwd=root)


def asked(program: str, strategy: str, order: int, hashes: int) -> dict[str, int]:
    """Returns the answer of the process of a hash seed."""
    process = answering(hashes)
    assert process.stdin is not None and process.stdout is not None
    print(json.dumps([program, strategy, order]), file=process.stdin, flush=True)
    found = json.loads(process.stdout.readline() or '"the process ended"')
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


@cache
def expected(program: str, strategy: str) -> dict[str, int]:
    return asked(program, strategy, 0, 0)


def examine(number: int, seed: int) -> dict[str, Any]:
    """Returns the outcome of a point: its `problems`."""
    program, strategy, order, hashes = point(number, seed)
    start, problems = time.perf_counter(), list[str]()
    try:
        want, got = expected(program, strategy), asked(program, strategy, order, hashes)
        if want != got:
            problems.append(f"{len(set(want.items()) ^ set(got.items()))} kernels differ")
    except (RuntimeError, OSError) as error:
        problems.append(str(error))
    of = {"program": program, "strategy": strategy, "order": order, "hash seed": hashes}
    return {**of, "problems": problems, "seconds": round(time.perf_counter() - start, 2)}


def values(line: Line) -> dict[str, str]:
    """Returns the value of each axis at a point."""
    return {axis: str(line[axis]) for axis in ("program", "strategy", "order", "hash seed")}


GRID = Grid(
    module="tests.fusion_orders",
    title="Orders of ops",
    count=len(PROGRAMS) * len(STRATEGIES) * ORDERS * HASH_SEEDS,
    examine=examine,
    program=lambda number, seed: " ".join(map(str, point(number, seed))) + "\n",
    values=values,
    totals={},
    text="A point is a network whose ops are in a random order, in a process with its own hash seed. Its kernels, their plans and how often each "
    "is launched are those of the network in its own order.",
)


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    return GRID.run(args, __doc__)


if __name__ == "__main__":
    sys.exit(main())
