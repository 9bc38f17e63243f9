"""
The cost of a warp-specialized kernel.

Blocks are persistent: the clusters that the machine holds take tiles one after the other, and the last *wave* of tiles may leave some
clusters idle. The parts of a k-step overlap:

```
   tensor     BM·BN·BK multiply-adds at wgmma's rate
   shared     what wgmma reads: 64 rows of A and the warpgroup's columns of B, for each 64 rows;
              and what the copies write                          (this is why narrow tiles are slow)
   L2         the rows of both operands; what the blocks of a cluster share is read once
   promotion  for fp8: the accumulators of 128 of k are added to others
```

The copies of a step must have arrived: they are in flight for stages - 1 steps. DRAM brings the rows and columns of the tiles of a
wave, as far as L2 does not hold the operands; `order` makes the wave as square as it can. The epilogue of a tile comes on top for
cooperative warpgroups, and is hidden behind the other warpgroup's tile for pingpong; either way the next tile's copies are in
flight. Splitting k makes more tiles of work and costs their reduction; stream-K leaves no wave incomplete, but blocks
at different k share nothing.

Spec: `tensor-compiler.ja §6`. Measured: `m64n8k16` and `m64n16k16` reach 21 and 38 % of the tensor cores' rate, which is what
`shared` predicts.
"""

from __future__ import annotations

from ...targets.machines import Machine
from ..cost import LATENCY, SCATTERED, Estimate, operand_row_bytes, overlapped, row_bytes, splitk_reduction
from ..problem import Problem
from .resources import Shape

OVERLAP = 0.1
"""The share of the faster parts of a step that is not hidden behind the slowest: a round figure."""
SYNC = 64
"""Clocks of a step in which a warpgroup that multiplies alone waits. A round figure."""
PORT = 64
"""The most bytes that one multiprocessor takes from L2 in a clock, however idle the others are. A round figure."""
CLUSTER = 200
"""Clocks in which blocks of a cluster wait for each other at both ends of a kernel. A round figure."""
LANES = 128
"""Simple operations of a multiprocessor in a clock: one for each lane of four warps."""
PROMOTED = 128
"""Elements of k after which accumulators of fp8 are promoted."""
GROUPS = (1, 2, 4, 8, 16, 32)
"""Rows of tiles that an order may take at a time."""
HELD = 0.5
"""The share of L2 that operands may fill and still be found there."""


def estimate(shape: Shape, problem: Problem, machine: Machine) -> Estimate:
    """Returns the estimated time of the whole kernel, whose shape must fit the machine."""
    p, (bm, bn, bk), (cm, cn) = problem, shape.tile, shape.cluster
    (rows, _), (_, wide) = shape.oriented
    slots = machine.multiprocessors // (cm * cn)
    tiles = p.outer * -(-p.m // (bm * cm)) * -(-p.n // (bn * cn)) * shape.split
    k_steps = shape.k_steps(p.k)
    waves = -(-tiles // slots)
    busy = slots if shape.stream_k else min(tiles, slots)
    l2 = min(PORT, machine.l2_clock / (busy * cm * cn))
    steps = -(-tiles * k_steps // slots) if shape.stream_k else waves * k_steps

    tensor = bm * bn * bk / machine.rate(p.mma)
    read = rows * bk + rows // 64 * wide * bk
    shared = (read + (bm + bn) * bk) * p.bytes / machine.shared_clock
    a, b = p.transposed_copies
    rows_a, rows_b = operand_row_bytes(shape.tile, p)
    fill = (rows_a / (1 if a else cn) + rows_b / (1 if b else cm)) / l2
    turned = 2 * (a * bm + b * bn) * bk / LANES
    promotion = bm * bn * bk / PROMOTED / LANES if p.promotes else 0
    at_once = 1 if shape.roles == "pingpong" else shape.consumers
    wait = (LATENCY + fill) / (shape.stages - 1)
    step = max(overlapped(OVERLAP, tensor, shared, fill, turned, promotion), wait) + SYNC / at_once

    stored = row_bytes(bm, bn, p.stored, "DN" if p.along_m else "ND") * (
        1 if shape.transposed == p.along_m else SCATTERED
    )
    work = bm * bn * ((p.operations + 2) / LANES + p.stored / machine.shared_clock)
    ends = max(work, stored / l2)
    main, turns = steps * step, shape.roles == "pingpong"
    beyond = max(0, waves * ends - main) if turns else 0  # what the other warpgroup's tiles do not hide
    joined = splitk_reduction(shape, p, machine)[1]
    if shape.stream_k:  # blocks that have a part of the same tile, and one at either end of theirs
        joined = (2 + -(-slots // tiles)) * bm * bn * p.accumulator_bytes / l2 + 2 * LATENCY
    after = (1 if turns else waves) * ends + joined
    dram = traffic(shape, p, machine, rows_at_a_time(shape)) / machine.dram_share / machine.multiprocessors
    start = 2 * LATENCY + (CLUSTER if cm * cn > 1 else 0)
    total = overlapped(OVERLAP, main + beyond, dram) + after + start
    return Estimate(waves, steps * tensor, steps * shared, steps * fill, dram, steps * wait, beyond + after, total)


def traffic(shape: Shape, problem: Problem, machine: Machine, group: int) -> float:
    """Returns the bytes that come from and go to memory, if `group` rows of tiles are taken at a time."""
    p = problem
    operands, results = (p.m + p.n) * p.k * p.bytes, p.m * p.n * p.stored
    if operands <= HELD * machine.l2 * 1e6:
        return p.outer * (operands + results)
    (bm, bn, _), (cm, cn), k = shape.tile, shape.cluster, p.k * p.bytes
    down, along = -(-p.m // (bm * cm)), -(-p.n // (bn * cn))
    slots = max(1, machine.multiprocessors // (cm * cn) // shape.split)
    if shape.stream_k:
        each = (bm * cm + bn * cn) * k * down * along
    else:
        high = min(down, max(group // cm or 1, -(-slots // along)))
        wide = min(along, -(-slots // high))
        each = (high * bm * cm + wide * bn * cn) * k * max(1, down * along / slots)
    return p.outer * (max(operands, each) + results)


def rows_at_a_time(shape: Shape) -> int:
    return int(shape.order.removeprefix("grouped_")) if shape.order.startswith("grouped_") else 1


def best_order(shape: Shape, problem: Problem, machine: Machine) -> str:
    """Returns the order that causes the least traffic; ties are broken by the smallest group."""
    groups = [group for group in GROUPS if group == 1 or group % shape.cluster[0] == 0]
    best = min(groups, key=lambda group: traffic(shape, problem, machine, group))
    return "row" if best == 1 else f"grouped_{best}"
