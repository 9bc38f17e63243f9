"""Prints mbarriers: `nv.mbarrier` and what is done to one of a ring."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...dialects import nv
from ...dialects.nv.mbarrier import OnSlotOp, mbarrier
from .copy_printer import times
from .kernel_text import KernelText
from .scalars import sum_of

BYTES = 8


class MbarrierPrinter(KernelText):
    """Adds mbarriers to the text of a kernel."""

    def mbarriers(self, op: nv.MbarrierOp) -> None:
        address = sum_of(self.call("shared_address", "shared"), str(op.offset.value.data))
        count = self.count(op.result)
        self.line(f"const u32 {self.name(op.result)} = {address};  // {count} mbarriers")

    def count(self, barriers: SSAValue) -> str:
        """How many there are: a slot of the ring of operands has one that says it is full, and one that it is empty."""
        names = ("STAGES",) if barriers.name_hint in ("full", "empty") else ()
        return self.number(mbarrier(barriers).count.data, *names)

    def start(self, op: nv.MbarrierInitOp) -> None:
        count = self.count(op.barriers)
        place = self.name(op.barriers)
        if count != "1":
            self.line("#pragma unroll")
            self.open(f"for (int i = 0; i < {count}; ++i)")
            place = f"{place} + i * {BYTES}"
        self.line(f"{self.call('mbarrier_init', place, str(op.arrivals.value.data))};")
        if count != "1":
            self.close()

    def mbarrier(self, op: OnSlotOp) -> str:
        """The address of one of a ring."""
        return sum_of(self.name(op.barriers), times(self.name(op.slot), BYTES))

    def expect(self, op: nv.ExpectTxOp) -> None:
        self.line(f"{self.call('mbarrier_expect_tx', self.mbarrier(op), str(op.bytes.value.data))};")

    def come(self, op: nv.ArriveOp) -> None:
        if op.block is None:
            self.line(f"{self.call('mbarrier_arrive', self.mbarrier(op))};")
        else:
            self.line(f"{self.call('mbarrier_arrive_at', self.mbarrier(op), self.name(op.block))};")

    def await_phase(self, op: nv.WaitOp) -> None:
        self.line(f"{self.call('mbarrier_wait', self.mbarrier(op), self.name(op.parity))};")
