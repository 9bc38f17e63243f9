"""
How long a plan takes, in clocks: what the planner ranks candidates by. Only the order counts.

A multiprocessor works through the steps of its blocks. The parts of a step run side by side:

```
   multiply     BM·BN·BK multiply-adds at the rate of the instruction and element type
   fill         the operands' rows from L2 into shared memory, in whole lines
   fragments    what all warps read from shared memory
```

so that a step takes as long as the slowest and, as nothing overlaps entirely, a quarter of the others. It also waits for
the latency of memory, divided by the steps that are under way: stages - 1. Blocks that share a multiprocessor hide
each other's latencies; the last round of blocks leaves multiprocessors idle. No plan is faster than memory brings
the operands. Splitting k makes more blocks and costs what joining their sums takes.
Spec: `tensor-compiler.ja §6` (`time_est = max(FLOPs/…, Bytes/…)`), `§5` (occupancy).
"""

from __future__ import annotations

from dataclasses import dataclass

from .arch import Arch
from .plan_resources import Problem, Shape, fragment_reads, registers, shared_bytes

SHARED = 128
"""Bytes that a multiprocessor reads from shared memory in a clock: 32 banks of 4 (CUDA C++ Programming Guide)."""
L2 = 48
"""Bytes that it reads from L2: 5120 a clock for the 108 of A100 (its white paper); the others are taken to be alike."""
LATENCY = 600
"""Clocks from a copy's issue to its arrival, when memory is busy: a round figure between L2's and DRAM's."""
LINE = 64
"""Bytes that L2 brings from memory at once; a shorter row of an operand takes as long."""
SCATTERED = 2
"""How much longer a result takes to store whose neighbours in memory lie along the rows of its tile: in more sectors."""
OVERLAP = 0.25
"""The share of the faster parts of a step that is not hidden behind the slowest: a round figure."""
SYNC = 100
"""Clocks of a step in which one block alone does not multiply: barrier, first fragments, last sums. A round figure."""


@dataclass(frozen=True)
class Rates:
    """Multiply-adds of a multiprocessor in a clock, by instruction, and its share of the bytes that DRAM brings."""

    multiply_adds: dict[str, int]
    dram: float


RATES = {
    "sm80": Rates({"m16n8k16": 1024, "m16n8k8": 512, "m16n8k32": 2048, "m8n8k4": 64, "fma": 64}, 10.2),
    "sm86": Rates({"m16n8k16": 512, "m16n8k8": 256, "m16n8k32": 1024, "m8n8k4": 2, "fma": 128}, 4.8),
    "sm89": Rates({"m16n8k16": 512, "m16n8k8": 256, "m16n8k32": 1024, "m8n8k4": 2, "fma": 128}, 2.4),
    "sm90": Rates({"m16n8k16": 1331, "m16n8k8": 666, "m16n8k32": 2662, "m8n8k4": 128, "fma": 128}, 13.9),
}
"""
From the data sheets of A100, A40, L40S and H100 SXM: dense rate / (2 · multiprocessors · boost clock), and bandwidth /
(multiprocessors · boost clock). On H100 `mma.sync` reaches about 65 % of the 16- and 8-bit rates, which are wgmma's.
"""


def clocks(shape: Shape, problem: Problem, arch: Arch) -> float:
    """The estimated time of the whole kernel, whose shape must fit the machine."""
    p, mma, rates = problem, problem.mma, RATES[arch.name]
    bm, bn, bk = shape.tile
    steps = shape.steps(p.k)
    blocks = p.outer * -(-p.m // bm) * -(-p.n // bn) * shape.split
    occupancy = arch.blocks(shape.warps * 32, registers(shape, p) + p.base_registers, shared_bytes(shape, p.bytes))
    each, rounds = -(-blocks // arch.multiprocessors), -(-blocks // (arch.multiprocessors * occupancy))
    reads = fragment_reads(shape.warp, shape.transposed, p)
    multiply = bm * bn * bk / rates.multiply_adds[mma.name]
    fill = (_rows(bm, bk, p.bytes, p.layouts[0]) + _rows(bk, bn, p.bytes, p.layouts[1])) / L2
    fragments = shape.warps * bk // mma.k * 32 * reads * p.bytes / SHARED
    alone = _together(multiply * max(1, 4 / shape.warps), fill, fragments) + SYNC / shape.buffers
    main = steps * max(each * _together(multiply, fill, fragments), rounds * max(alone, LATENCY / (shape.stages - 1)))
    operands = p.outer * ((p.m + p.n) * p.k * p.bytes + p.m * p.n * p.sum_bytes)
    floor = operands / (rates.dram * arch.multiprocessors)
    stored = _rows(bm, bn, p.sum_bytes, "DN" if p.along_m else "ND") / L2
    ends = each * stored * (1 if shape.transposed == p.along_m else SCATTERED) + rounds * 2 * LATENCY
    return _together(main, floor) + ends + joining(shape, problem)[1]


def _rows(rows: int, columns: int, size: int, layout: str) -> int:
    """Bytes that a tile takes to read, in rows along memory."""
    if layout == "DN":
        rows, columns = columns, rows
    return rows * max(LINE, columns * size)


def _together(*parts: float) -> float:
    """The time of parts that run side by side."""
    return (1 - OVERLAP) * max(parts) + OVERLAP * sum(parts)


def joining(shape: Shape, problem: Problem) -> tuple[str, float]:
    """
    How the parts of a split are best joined, and the clocks that it takes.

    All parts end at about the same time. Serially, each waits for the one before, reads the sum so far and writes it on:
    `split - 1` links, each a way to L2 and back. In parallel all write at once, and the last one reads them all: one
    link, and as many tiles as there are parts. So two parts are joined serially, in a workspace of one tile, more in parallel.
    """
    if shape.split == 1:
        return "implicit_gemm", 0.0
    tile = shape.tile[0] * shape.tile[1] * problem.sum_bytes / L2
    serial = (shape.split - 1) * 2 * (tile + LATENCY)
    parallel = (1 + shape.split) * tile + 2 * LATENCY
    return min(("splitk_serial", serial), ("splitk_parallel", parallel), key=lambda way: way[1])
