"""
The estimated cost of a plan in clocks of one multiprocessor, by which planners rank candidates. Only the order counts.

The parts of a k-step overlap: a step takes the time of the slowest part plus a share of the others', as overlap is never
perfect. Spec: `tensor-compiler.ja §6` (`time_est = max(FLOPs/…, Bytes/…)`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..targets.machines import Machine
from .problem import Problem, Tiling

LATENCY = 600
"""Clocks from a copy's issue to its arrival when memory is busy: a round figure between L2's and DRAM's."""
LINE = 64
"""Bytes that L2 brings from memory at once; a shorter row of an operand takes as long."""
SCATTERED = 2
"""The slowdown of storing a result whose contiguous axis is not that of a lane's elements: the store touches more sectors."""

PARTS = ("tensor", "shared", "l2", "dram", "latency", "epilogue")
"""The fields of an estimate that are times of its parts."""


@dataclass(frozen=True)
class Estimate:
    """
    `total` is the clocks of the whole kernel; each part is the clocks that it would take alone. `waves` counts how many
    times the tiles fill the machine.
    """

    waves: int
    tensor: float
    shared: float
    l2: float
    dram: float
    latency: float
    """Waits for copies, if none is hidden."""
    epilogue: float
    """Epilogues that do not overlap with anything, and the split-K reduction."""
    total: float

    @property
    def limit(self) -> str:
        """The part that takes longest."""
        return max(PARTS, key=lambda part: getattr(self, part))

    def tflops(self, problem: Problem, machine: Machine) -> float:
        """Returns the predicted TFLOP/s at the machine's clock."""
        return 2 * problem.outer * problem.m * problem.n * problem.k * machine.clock / self.total / 1000


def overlapped(share: float, *parts: float) -> float:
    """Returns the time of overlapping parts, if `share` of the faster ones is not hidden behind the slowest."""
    return (1 - share) * max(parts) + share * sum(parts)


def row_bytes(rows: int, columns: int, size: int, layout: str) -> int:
    """Returns the bytes that a tile's accesses move: each row, or column if column-major (`DN`), costs at least a line."""
    if layout == "DN":
        rows, columns = columns, rows
    return rows * max(LINE, columns * size)


def operand_row_bytes(tile: tuple[int, int, int], problem: Problem) -> tuple[int, int]:
    """Returns `row_bytes` of the tiles of A and B in one step."""
    (bm, bn, bk), (a, b) = tile, problem.layouts
    return row_bytes(bm, bk, problem.bytes, a), row_bytes(bk, bn, problem.bytes, b)


def splitk_reduction(shape: Tiling, problem: Problem, machine: Machine) -> tuple[str, float]:
    """
    Returns the faster split-K reduction, serial or parallel, and its clocks.

    All parts end at about the same time. Serially, each part waits for the previous one, reads the accumulator and writes
    the sum: `split - 1` round trips to L2. In parallel all parts write at once and the last one reads them all: one round
    trip, but a tile per part. So serial wins for two parts, and parallel for more.
    """
    if shape.split == 1:
        return "implicit_gemm", 0.0
    tile = shape.tile[0] * shape.tile[1] * problem.accumulator_bytes / machine.l2_share
    serial = (shape.split - 1) * 2 * (tile + LATENCY)
    parallel = (1 + shape.split) * tile + 2 * LATENCY
    return min(("splitk_serial", serial), ("splitk_parallel", parallel), key=lambda way: way[1])
