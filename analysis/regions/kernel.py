"""One kernel of a block: the roots that it stores, and what computes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.mma import element_bytes
from .contraction import Contraction
from .kernel_ops import is_atomic_scatter
from .places import Slice

MAX_OUTPUTS = 8
"""Maximum number of outputs of an elementwise kernel."""


@dataclass(eq=False)
class Kernel:
    """
    One kernel: the roots that it stores, the contraction or the reductions that they share, and the operands of the contraction
    that it computes in its prologue.
    """

    anchor: Contraction | None
    slices: list[Slice] = field(default_factory=list[Slice])
    prologues: Mapping[SSAValue, Slice] = field(default_factory=dict[SSAValue, Slice])
    beside: Kernel | None = None
    """The chained products that the kernel computes, too, since they share inner products with the anchor (`chained.py`)."""

    @property
    def shared(self) -> set[SSAValue]:
        """The values that no other kernel should compute again: reductions, and the anchor's result."""
        reduced = {r for r in self.roots if isinstance(r.owner, tiny.ReduceOp)}
        return reduced.union(*(s.reduced for s in self.slices)) | ({self.anchor.out} if self.anchor else set())

    @property
    def roots(self) -> list[SSAValue]:
        return [s.root for s in self.slices] + (self.beside.roots if self.beside else [])

    @property
    def elementwise(self) -> bool:
        """Whether the kernel neither contracts, reduces nor scatters."""
        return self.anchor is None and not self.shared and not self.updated and all(s.rows is None for s in self.slices)

    @property
    def updated(self) -> dict[SSAValue, SSAValue]:
        """For each scatter that the kernel computes, the value whose elements it updates in memory."""
        return {r: r.owner.x for r in self.roots if is_atomic_scatter(r.owner)}

    @property
    def reduces_columns(self) -> bool:
        """Whether the kernel contracts nothing, and each of its outputs has a reduction, but not of rows."""
        return self.anchor is None and all(
            (s.rows is None or s.by_columns) and (s.reduced or isinstance(s.root.owner, tiny.ReduceOp))
            for s in self.slices
        )

    @property
    def reduces_rows(self) -> bool:
        """Whether the kernel contracts nothing, and holds or streams rows."""
        return self.anchor is None and any(s.rows is not None and not s.by_columns for s in self.slices)

    def joins(self, s: Slice) -> bool:
        """Whether this kernel can also compute slice `s`, which shares a contraction or reductions with it."""
        if self.anchor is not None:
            return self.slices[0].window is s.window
        if self.slices[0].rows is None or s.rows is None:
            return False
        return self.reduces_rows or not s.by_columns

    def ops(self) -> set[Operation]:
        ops = {op for s in (*self.slices, *self.prologues.values()) for op in s.ops}
        ops |= self.beside.ops() if self.beside else set()
        return ops | {self.anchor.op, *self.anchor.interior} if self.anchor else ops

    def leaves(self) -> list[SSAValue]:
        """The stored values that the kernel reads, each once, in a fixed order."""
        operands = [self.anchor.lhs.value, self.anchor.rhs.value] if self.anchor else []
        found = [v for o in operands for v in (self.prologues[o].stored if o in self.prologues else [o])]
        further = self.beside.leaves() if self.beside else []
        return list(dict.fromkeys([*found, *(value for s in self.slices for value in s.stored), *further]))


def bytes_of(value: SSAValue) -> int:
    return prod(shape(value)) * element_bytes(element(value))
