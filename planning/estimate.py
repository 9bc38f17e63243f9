"""How long a plan takes, in clocks of one multiprocessor, and what they go into: what planners rank candidates by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..targets.machines import Machine
    from .multistage.resources import Problem

LATENCY = 600
"""Clocks from a copy's issue to its arrival, when memory is busy: a round figure between L2's and DRAM's."""
LINE = 64
"""Bytes that L2 brings from memory at once; a shorter row of an operand takes as long."""
SCATTERED = 2
"""How much longer a result takes to store whose neighbours in memory lie along the rows of its tile: in more sectors."""


@dataclass(frozen=True)
class Estimate:
    """
    `total` clocks of the whole kernel; the parts, which run side by side as far as they can, are what each takes alone.
    `waves` is how many times over the tiles fill the machine.
    """

    waves: int
    tensor: float
    shared: float
    l2: float
    dram: float
    latency: float
    """Of the waits for copies, if each step had to wait."""
    epilogue: float
    """Of results that nothing hides, and of joining the parts of k."""
    total: float

    @property
    def limit(self) -> str:
        """The part that takes longest."""
        parts = ("tensor", "shared", "l2", "dram", "latency", "epilogue")
        return max(parts, key=lambda part: getattr(self, part))

    def tflops(self, problem: Problem, machine: Machine) -> float:
        """Predicted TFLOP/s at the machine's clock."""
        return 2 * problem.outer * problem.m * problem.n * problem.k * machine.clock / self.total / 1000


def row_bytes(rows: int, columns: int, size: int, layout: str) -> int:
    """Bytes that a tile takes to read or write, in rows along memory: of `columns`, or of `rows` where it is `DN`."""
    if layout == "DN":
        rows, columns = columns, rows
    return rows * max(LINE, columns * size)
