"""Prints mbarriers: rings, init, arrive, wait."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import nv
from ...dialects.nv.mbarrier import MbarrierSlotOp, mbarrier
from .kernel_text import KernelText, prints
from .scalars import product, sum_of

BYTES = 8
"""Size of an mbarrier, in bytes."""
PER_STAGE = ("full", "empty")
"""The name hints of the rings that have one mbarrier per stage of the operands' ring."""


class MbarrierPrinter(KernelText):
    """Prints mbarriers."""

    @prints
    def mbarriers(self, op: nv.MbarrierOp) -> None:
        address = sum_of(self.call("shared_address", "shared"), str(op.offset.value.data))
        which = ", one per stage" if op.result.name_hint in PER_STAGE else ""
        self.line(f"const u32 {self.name(op.result)} = {address};  // {self.barrier_count(op.result)} mbarriers{which}")

    def barrier_count(self, barriers: SSAValue) -> str:
        return self.number(mbarrier(barriers).count.data, *(("STAGES",) if barriers.name_hint in PER_STAGE else ()))

    @prints
    def mbarrier_init(self, op: nv.MbarrierInitOp) -> None:
        count, first, arrivals = self.barrier_count(op.barriers), self.name(op.barriers), str(op.arrivals.value.data)
        if count == "1":
            self.print_call("mbarrier_init", first, arrivals)
            return
        with self.unrolled(i=count):
            self.print_call("mbarrier_init", f"{first} + i * {BYTES}", arrivals)

    def mbarrier_address(self, op: MbarrierSlotOp) -> str:
        """Returns the address of one mbarrier of a ring."""
        return sum_of(self.name(op.barriers), product(self.name(op.slot), BYTES))

    @prints
    def mbarrier_expect_tx(self, op: nv.ExpectTxOp) -> None:
        self.print_call("mbarrier_expect_tx", self.mbarrier_address(op), str(op.bytes.value.data))

    @prints
    def mbarrier_arrive(self, op: nv.ArriveOp) -> None:
        if op.block is None:
            self.print_call("mbarrier_arrive", self.mbarrier_address(op))
        else:
            self.print_call("mbarrier_arrive_at", self.mbarrier_address(op), self.name(op.block))

    @prints
    def mbarrier_wait(self, op: nv.WaitOp) -> None:
        ring = op.barriers.name_hint
        comment = f"stage {self.name(op.slot)} is {ring}" if ring in PER_STAGE else ""
        self.print_call("mbarrier_wait", self.mbarrier_address(op), self.name(op.parity), comment=comment)
