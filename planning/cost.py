"""
The estimated cost of a plan in clocks of one multiprocessor, by which planners rank candidates. Only the ranking matters.

The parts of a k-step overlap, but never perfectly: a step takes the time of its slowest part plus a share of the other parts' time.
Spec: `tensor-compiler.ja §6` (`time_est = max(FLOPs/…, Bytes/…)`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..targets.machines import Machine
from .problem import Problem, Tiling

LATENCY = 600
"""Latency of a copy when memory is busy, in clocks: a round figure between the latencies of L2 and DRAM."""
LINE = 64
"""Granularity at which L2 reads memory, in bytes; reading a shorter row takes as long."""
SCATTERED = 2
"""Slowdown factor of storing a result that is not contiguous along the instruction's columns: the store touches more sectors."""

PARTS = ("tensor", "shared", "l2", "dram", "latency", "epilogue")
"""The fields of `Estimate` that are the time of one part."""


@dataclass(frozen=True)
class Estimate:
    """
    The estimated time of a kernel, in clocks: `total` for the whole kernel, and for each part the time that it would take alone.
    `waves` is the number of waves in which the machine executes the tiles.
    """

    waves: int
    tensor: float
    shared: float
    l2: float
    dram: float
    latency: float
    """The time to wait for copies if computation hides none of it."""
    epilogue: float
    """The time of the split-K reduction and of the epilogues that overlap with nothing."""
    total: float

    @property
    def limit(self) -> str:
        """The name of the part that takes longest."""
        return max(PARTS, key=lambda part: getattr(self, part))

    def tflops(self, problem: Problem, machine: Machine) -> float:
        """Returns the predicted TFLOP/s at the machine's clock."""
        return 2 * problem.outer * problem.m * problem.n * problem.k * machine.clock / self.total / 1000


def overlapped(share: float, *parts: float) -> float:
    """Returns the time of overlapping `parts`: that of the slowest, plus a `share` of the others."""
    return (1 - share) * max(parts) + share * sum(parts)


def row_bytes(rows: int, columns: int, size: int, layout: str) -> int:
    """
    Returns the bytes that are transferred to access a tile whose elements have `size` bytes: each row, or each column of a
    column-major tile (`DN`), takes at least a line.
    """
    if layout == "DN":
        rows, columns = columns, rows
    return rows * max(LINE, columns * size)


def operand_row_bytes(tile: tuple[int, int, int], problem: Problem) -> tuple[int, int]:
    """Returns `row_bytes` of the tiles of A and B that one k-step reads."""
    (bm, bn, bk), (a, b) = tile, problem.layouts
    (of_a, of_b), (times_a, times_b) = problem.source_bytes, problem.repeats
    return times_a * row_bytes(bm, bk, of_a, a), times_b * row_bytes(bk, bn, of_b, b)


def splitk_reduction(shape: Tiling, problem: Problem, machine: Machine) -> tuple[str, float]:
    """
    Returns the faster split-K reduction, serial or parallel, and its clocks.

    All parts of k end at about the same time. In the serial reduction, each part waits for the previous one, reads the
    accumulator and writes the sum: `split - 1` round trips to L2. In the parallel one, all parts write at once and the last
    one reads them all: one round trip, but it reads a tile per part. So serial wins for two parts, and parallel for more.
    """
    if shape.split == 1:
        return "implicit_gemm", 0.0
    tile = shape.tile[0] * shape.tile[1] * problem.accumulator_bytes / machine.l2_share
    serial = (shape.split - 1) * 2 * (tile + LATENCY)
    parallel = (1 + shape.split) * tile + 2 * LATENCY
    return min(("splitk_serial", serial), ("splitk_parallel", parallel), key=lambda way: way[1])
