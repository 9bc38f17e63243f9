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

from ...targets.machines import Machine
from ..estimate import LATENCY, SCATTERED, Estimate, row_bytes
from ..warp_specialized.resources import RoleShape
from .resources import Problem, Shape, fragment_reads, registers, shared_bytes

OVERLAP = 0.25
"""The share of the faster parts of a step that is not hidden behind the slowest: a round figure."""
SYNC = 100
"""Clocks of a step in which one block alone does not multiply: barrier, first fragments, last sums. A round figure."""


def clocks(shape: Shape, problem: Problem, machine: Machine) -> float:
    """The estimated time of the whole kernel, whose shape must fit the machine."""
    return estimate(shape, problem, machine).total


def estimate(shape: Shape, problem: Problem, machine: Machine) -> Estimate:
    """The time, and what it goes into."""
    p, mma, l2 = problem, problem.mma, machine.l2_share
    bm, bn, bk = shape.tile
    steps = shape.steps(p.k)
    blocks = p.outer * -(-p.m // bm) * -(-p.n // bn) * shape.split
    held = registers(shape, p) + p.base_registers
    occupancy = machine.limits.blocks(shape.warps * 32, held, shared_bytes(shape, p.bytes))
    each, rounds = -(-blocks // machine.multiprocessors), -(-blocks // (machine.multiprocessors * occupancy))
    reads = fragment_reads(shape.warp, shape.transposed, p)
    multiply = bm * bn * bk / machine.rate(mma)
    fill = (row_bytes(bm, bk, p.bytes, p.layouts[0]) + row_bytes(bk, bn, p.bytes, p.layouts[1])) / l2
    fragments = shape.warps * bk // mma.k * 32 * reads * p.bytes / machine.shared_clock
    alone = _together(multiply * max(1, 4 / shape.warps), fill, fragments) + SYNC / shape.buffers
    wait = LATENCY / (shape.stages - 1)
    main = steps * max(each * _together(multiply, fill, fragments), rounds * max(alone, wait))
    operands = p.outer * ((p.m + p.n) * p.k * p.bytes + p.m * p.n * p.sum_bytes)
    floor = operands / (machine.dram_share * machine.multiprocessors)
    stored = row_bytes(bm, bn, p.sum_bytes, "DN" if p.along_m else "ND") / l2
    ends = each * stored * (1 if shape.transposed == p.along_m else SCATTERED) + rounds * 2 * LATENCY
    ends += joining(shape, problem, machine)[1]
    tensor, shared, filled = (steps * each * part for part in (multiply, fragments, fill))
    return Estimate(rounds, tensor, shared, filled, floor, steps * rounds * wait, ends, _together(main, floor) + ends)


def _together(*parts: float) -> float:
    """The time of parts that run side by side."""
    return (1 - OVERLAP) * max(parts) + OVERLAP * sum(parts)


def joining(shape: Shape | RoleShape, problem: Problem, machine: Machine) -> tuple[str, float]:
    """
    How the parts of a split are best joined, and the clocks that it takes.

    All parts end at about the same time. Serially, each waits for the one before, reads the sum so far and writes it on:
    `split - 1` links, each a way to L2 and back. In parallel all write at once, and the last one reads them all: one
    link, and as many tiles as there are parts. So two parts are joined serially, in a workspace of one tile, more in parallel.
    """
    if shape.split == 1:
        return "implicit_gemm", 0.0
    tile = shape.tile[0] * shape.tile[1] * problem.sum_bytes / machine.l2_share
    serial = (shape.split - 1) * 2 * (tile + LATENCY)
    parallel = (1 + shape.split) * tile + 2 * LATENCY
    return min(("splitk_serial", serial), ("splitk_parallel", parallel), key=lambda way: way[1])
