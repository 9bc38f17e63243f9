"""Prints bulk copies: `nv.tma_load`, `nv.tma_store`."""

from __future__ import annotations

from ...dialects import nv
from ...dialects.nv.tma import TensorCopyOp, tensor_map
from .copy_printer import CopyPrinter
from .kernel_text import prints
from .scalars import product, sum_of


class TmaPrinter(CopyPrinter):
    """Prints bulk copies."""

    def box_address(self, op: TensorCopyOp) -> str:
        """Returns the shared address of a box."""
        return sum_of(self.name(op.smem), self.box_offset(op.smem, (op.slot, op.row, op.column), whole_panels=True))

    def tile_and_stage(self, op: TensorCopyOp) -> tuple[str, str]:
        """Returns a box and its slot for a comment: `128 x 64 tile of ta`, `smem_a[slot]`."""
        sizes = " x ".join(map(str, tensor_map(op.map).sizes))
        return f"{sizes} tile of {self.name(op.map)}", f"{self.name(op.smem)}[{self.name(op.slot)}]"

    @prints
    def tma_load(self, op: nv.TmaLoadOp) -> None:
        kind = "tma_load_im2col" if op.filter else "tma_load"
        function, (tile, stage) = f"{kind}_{len(op.at)}d", self.tile_and_stage(op)
        barrier = sum_of(self.name(op.barriers), product(self.name(op.barrier), 8))
        args = [self.box_address(op), self.name(op.map), *map(self.name, (*op.at, *op.filter)), barrier]
        if op.mask is None:
            self.print_call(function, *args, comment=f"{stage} = {tile}")
        else:
            self.print_call(f"{function}_multicast", *args, self.name(op.mask), comment=f"{stage} = {tile}, multicast")

    @prints
    def tma_store(self, op: nv.TmaStoreOp) -> None:
        args = [self.name(op.map), *map(self.name, op.at), self.box_address(op)]
        tile, stage = self.tile_and_stage(op)
        self.print_call(f"tma_store_{len(op.at)}d", *args, comment=f"{tile} = {stage}")

    @prints
    def prefetch_map(self, op: nv.PrefetchMapOp) -> None:
        self.print_call("prefetch_map", self.name(op.map))
