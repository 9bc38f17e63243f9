"""Prints bulk copies: `nv.tma_load`, `nv.tma_store`."""

from __future__ import annotations

from ...dialects import nv
from ...dialects.nv.tma import TensorCopyOp
from .copy_printer import CopyPrinter, times
from .scalars import sum_of


class TmaPrinter(CopyPrinter):
    """Adds bulk copies to the text of a kernel."""

    def box(self, op: TensorCopyOp) -> str:
        """The shared address where a box begins."""
        return sum_of(self.name(op.smem), self.begin(op.smem, (op.slot, op.row, op.column), whole=True))

    def tma_load(self, op: nv.TmaLoadOp) -> None:
        suffix = "" if op.mask is None else "_multicast"
        barrier = sum_of(self.name(op.barriers), times(self.name(op.barrier), 8))
        args = [self.box(op), self.name(op.map), *(self.name(i) for i in op.at), barrier]
        mask = [self.name(op.mask)] if op.mask is not None else []
        self.line(f"{self.call(f'tma_load_{len(op.at)}d{suffix}', *args, *mask)};")

    def tma_store(self, op: nv.TmaStoreOp) -> None:
        args = [self.name(op.map), *(self.name(i) for i in op.at), self.box(op)]
        self.line(f"{self.call(f'tma_store_{len(op.at)}d', *args)};")
