"""
The cost of a multistage kernel. A k-step has three parts:

```
   multiply     the ops of the operands' prologues, and BM·BN·BK multiply-adds at the rate of the instruction and element type
   fill         copies the operands' rows from L2 into shared memory, in whole lines
   fragments    all warps read their fragments from shared memory
```

A step also waits for the latency of memory, divided by the number of steps in flight, which is stages - 1. Blocks that share
a multiprocessor hide each other's latencies; the last wave of blocks leaves multiprocessors idle. The time to read
the operands from DRAM is a lower bound. Splitting k makes more blocks and costs the reduction of their accumulators.
Spec: `tensor-compiler.ja §6`, `§5` (occupancy).
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...targets.architectures import GRID_LIMIT
from ...targets.machines import Machine
from ..cost import LATENCY, SCATTERED, Estimate, operand_row_bytes, overlapped, row_bytes, splitk_reduction
from ..problem import Problem
from ..tile_order import Sweep, best_order
from .resources import (
    BASE_REGISTERS,
    Shape,
    fragment_registers,
    offset_registers,
    operand_elements,
    shared_bytes,
)

OVERLAP = 0.25
"""The share of a step's faster parts that is not hidden behind the slowest part: a round figure."""
SYNC = 100
"""
Clocks of a step in which a block does not multiply if it has the multiprocessor to itself: it waits for the barrier, the first
fragments and the last accumulators. A round figure.
"""


SCHEDULERS = 4
"""Number of warp instructions that a multiprocessor issues per clock."""


def estimate(shape: Shape, problem: Problem, machine: Machine) -> Estimate:
    """Returns the estimated time of a kernel of this `shape`, which must fit the machine."""
    p, mma, l2 = problem, problem.mma, machine.l2_share
    bm, bn, bk = shape.tile
    steps = shape.k_steps(p.k)
    blocks = p.outer * -(-p.m // bm) * -(-p.n // bn) * shape.split
    each, waves = -(-blocks // machine.multiprocessors), -(-blocks // blocks_at_once(shape, p, machine))
    multiply = p.members * bm * bn * bk / machine.rate(mma)
    fill = sum(operand_row_bytes(shape.tile, p)) / l2
    counts = operand_elements(shape.warp, shape.transposed, p)
    read = sum(prod(each) for each in zip(counts, p.source_bytes, p.repeats, strict=True))
    fragments = shape.shares * bk // mma.k * 32 * read / machine.shared_clock
    elements = zip(counts, p.prologue, strict=True)
    multiply += shape.shares * bk // mma.k * sum(count * ops for count, ops in elements) / SCHEDULERS
    alone = overlapped(OVERLAP, multiply * max(1, 4 / shape.shares), fill, fragments) + SYNC / shape.buffers
    wait = LATENCY / max(1, shape.stages - 1)
    alone += LATENCY if shape.stages == 1 else 0  # copies and multiplications take turns
    main = steps * max(each * overlapped(OVERLAP, multiply, fill, fragments), waves * max(alone, wait))
    of_a, of_b = p.source_bytes
    operands = p.outer * ((p.m * of_a + p.n * of_b) * p.k + p.m * p.n * p.accumulator_bytes)
    floor = operands / (machine.dram_share * machine.multiprocessors)
    stored = row_bytes(bm, bn, p.accumulator_bytes, "DN" if p.along_m else "ND") / l2
    ends = each * stored * (1 if shape.transposed == p.along_m else SCATTERED) + waves * 2 * LATENCY
    ends += splitk_reduction(shape, problem, machine)[1]
    tensor, shared, filled = (steps * each * part for part in (multiply, fragments, fill))
    total = overlapped(OVERLAP, main, floor) + ends
    return Estimate(waves, tensor, shared, filled, floor, steps * waves * wait, ends, total)


def blocks_at_once(shape: Shape, problem: Problem, machine: Machine) -> int:
    """
    Returns the number of blocks that the machine holds at a time: at least one on each multiprocessor, as `BASE_REGISTERS` are an estimate
    that the plan of a user may exceed.
    """
    held = fragment_registers(shape, problem) + offset_registers(shape, problem) + BASE_REGISTERS[problem.mma.name]
    occupancy = machine.limits.blocks(shape.shares * 32, held, shared_bytes(shape, problem))
    return machine.multiprocessors * max(1, occupancy)


def sweep_of(shape: Shape, problem: Problem, machine: Machine) -> Sweep:
    """Returns one of the `outer` products, or one of its parts of k, as the blocks of this shape sweep over it."""
    p, sizes = problem, (*problem.source_bytes, problem.stored)
    return Sweep(p.m, p.n, -(-p.k // shape.split), shape.tile[:2], sizes, blocks_at_once(shape, p, machine))


def ordered(shape: Shape, problem: Problem, machine: Machine) -> Shape:
    """Returns the shape with the order of tiles in which the product reads the fewest sectors from DRAM."""
    sweep = sweep_of(shape, problem, machine)
    tall = sweep.counts[0] > GRID_LIMIT[1]  # then blocks are numbered along m first (`Template.bind`)
    order = best_order(sweep, machine.l2 * 1e6, "col" if tall else "row")
    return replace(shape, order="row" if tall and order == "col" else order)
