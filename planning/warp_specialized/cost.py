"""
The cost of a warp-specialized kernel.

Blocks are persistent: the clusters that fit on the machine take tiles one after the other, and the last *wave* of tiles may leave
some clusters idle. The parts of a k-step overlap:

```
   tensor     BM·BN·BK multiply-adds at wgmma's rate
   shared     for each 64 rows, wgmma, or lanes that compute A, read 64 rows of A and wgmma reads the warpgroup's columns
              of B from shared memory, and the copies write the operands       (this is why narrow tiles are slow)
   L2         copies read the rows of both operands; data that the blocks of a cluster share is read once
   promotion  for fp8, the accumulators are added to a second set after each 128 elements of k
   prologue   lanes compute operand A
```

The copies for a step are issued stages - 1 steps ahead, and the step waits until they have arrived. DRAM delivers the rows and columns of a wave's
tiles unless L2 holds the operands; `order` makes the wave as square as possible. Cooperative warpgroups execute the epilogue
after the main loop; with pingpong it overlaps with the other warpgroup's tile. In both cases the next tile's copies are already in
flight. Splitting k makes more tiles, but their accumulators must be added. Stream-K leaves no wave incomplete, but blocks that are
at different k share no data in L2.

Spec: `tensor-compiler.ja §6`. Measured: `m64n8k16` and `m64n16k16` reach 21 and 38 % of the tensor cores' rate, as `shared`
predicts.
"""

from __future__ import annotations

from ...dialects.plan.schedule import GROUPED, HILBERT
from ...targets.machines import Machine
from ..cost import LATENCY, SCATTERED, Estimate, operand_row_bytes, overlapped, row_bytes, splitk_reduction
from ..problem import Problem
from .resources import Shape, slot_bytes

OVERLAP = 0.1
"""The share of a step's faster parts that is not hidden behind the slowest part: a round figure."""
SYNC = 64
"""Clocks of a step in which a warpgroup waits if no other warpgroup multiplies at the same time. A round figure."""
PORT = 64
"""Maximum number of bytes per clock that one multiprocessor reads from L2, even if the others are idle. A round figure."""
CLUSTER = 200
"""Clocks in which the blocks of a cluster wait for each other at the beginning and end of a kernel. A round figure."""
LANES = 128
"""Simple operations per clock of a multiprocessor: one for each lane of four warps."""
PROMOTED = 128
"""Number of elements of k after which the accumulators of fp8 are promoted."""
GROUPS = (1, 2, 4, 8, 16, 32)
"""Candidates for the number of rows of tiles in a group of `order`."""
HELD = 0.5
"""Fraction of L2 that operands may fill if they are to stay in L2."""


def estimate(shape: Shape, problem: Problem, machine: Machine) -> Estimate:
    """Returns the estimated time of a kernel of this `shape`, which must fit the machine."""
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
    of_a = p.source_bytes[shape.transposed] if any(p.prologue) else p.bytes
    read = rows * bk * of_a + rows // 64 * wide * bk * p.bytes
    shared = (read + slot_bytes(shape.tile, p)) / machine.shared_clock
    a, b = p.transposed_copies
    rows_a, rows_b = operand_row_bytes(shape.tile, p)
    fill = (rows_a / (1 if a else cn) + rows_b / (1 if b else cm)) / l2
    turned = 2 * (a * bm + b * bn) * bk / LANES
    promotion = bm * bn * bk / PROMOTED / LANES if p.promotes else 0
    prologue = rows * bk * sum(p.prologue) / LANES
    at_once = 1 if shape.roles == "pingpong" else shape.consumers
    wait = (LATENCY + fill) / max(1, shape.stages - 1)
    step = max(overlapped(OVERLAP, tensor, shared, fill, turned, promotion, prologue), wait) + SYNC / at_once

    stored = row_bytes(bm, bn, p.stored, "DN" if p.along_m else "ND") * (
        1 if shape.transposed == p.along_m else SCATTERED
    )
    work = bm * bn * ((p.operations + 2) / LANES + p.stored / machine.shared_clock)
    ends = max(work, stored / l2)
    main, turns = steps * step, shape.roles == "pingpong"
    beyond = max(0, waves * ends - main) if turns else 0  # epilogues that the other warpgroup's tiles do not hide
    joined = splitk_reduction(shape, p, machine)[1]
    if shape.stream_k:  # accumulators at both ends of a block's part, and those of the blocks that share a tile
        joined = (2 + -(-slots // tiles)) * bm * bn * p.accumulator_bytes / l2 + 2 * LATENCY
    after = (1 if turns else waves) * ends + joined
    dram = traffic(shape, p, machine, rows_at_a_time(shape)) / machine.dram_share / machine.multiprocessors
    start = 2 * LATENCY + (CLUSTER if cm * cn > 1 else 0)
    total = overlapped(OVERLAP, main + beyond, dram) + after + start
    return Estimate(waves, steps * tensor, steps * shared, steps * fill, dram, steps * wait, beyond + after, total)


def traffic(shape: Shape, problem: Problem, machine: Machine, group: int) -> float:
    """Returns the bytes that are read from and written to DRAM if the order groups `group` rows of tiles."""
    p = problem
    of_a, of_b = p.source_bytes
    operands, results = (p.m * of_a + p.n * of_b) * p.k, p.m * p.n * p.stored
    if operands <= HELD * machine.l2 * 1e6:
        return p.outer * (operands + results)
    (bm, bn, _), (cm, cn), k = shape.tile, shape.cluster, p.k
    down, along = -(-p.m // (bm * cm)), -(-p.n // (bn * cn))
    slots = max(1, machine.multiprocessors // (cm * cn) // shape.split)
    if shape.stream_k:
        each = (bm * cm * of_a + bn * cn * of_b) * k * down * along
    else:
        high = min(down, max(group // cm or 1, -(-slots // along)))
        wide = min(along, -(-slots // high))
        each = (high * bm * cm * of_a + wide * bn * cn * of_b) * k * max(1, down * along / slots)
    return p.outer * (max(operands, each) + results)


def rows_at_a_time(shape: Shape) -> int:
    """Returns the number of rows of tiles that a group of the order has, or a square of clusters."""
    rows = shape.order.removeprefix(HILBERT)
    return (
        int(rows) * shape.cluster[0]
        if rows != shape.order
        else int(rows.removeprefix(GROUPED))
        if GROUPED in rows
        else 1
    )


def best_order(shape: Shape, problem: Problem, machine: Machine) -> str:
    """Returns the order that causes the least traffic; ties are broken by the smallest group."""
    groups = [group for group in GROUPS if group == 1 or group % shape.cluster[0] == 0]
    best = min(groups, key=lambda group: traffic(shape, problem, machine, group))
    return "row" if best == 1 else f"{GROUPED}{best}"
