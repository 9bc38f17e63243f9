"""Prints what blocks that share a sum do: counters, and fragments in a workspace."""

from __future__ import annotations

from math import prod

from xdsl.dialects import gpu

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.nv import splitk as nv_splitk
from ...dialects.nv.roles import role_of, within
from ...errors import Unsupported
from .fragment_printer import register_type, registers
from .kernel_text import KernelText, crew
from .scalars import sum_of

BARRIERS = range(15, 0, -1)
"""Hardware barriers that a role may take; 0 is the block's."""


class SplitKPrinter(KernelText):
    """Adds shared sums to the text of a kernel."""

    def counter(self, op: nv_splitk.CounterOp) -> str:
        return f"{self.name(op.counters)} + {self.name(op.tile)}"

    def synchronised(self, op: nv_splitk.CounterOp, function: str) -> str:
        """The function that waits for the threads around it: of the block, or of the role at a barrier that is free."""
        threads, _ = crew(op)
        if (role := role_of(op)) is None:
            return function
        kernel = within(op, gpu.FuncOp)
        ops = list(kernel.walk()) if kernel is not None else []
        taken = {number for o in ops if isinstance(o, nv.BarrierOp) for number in o.numbers}
        free = [b for b in BARRIERS if b not in taken]
        number = [o for o in ops if isinstance(o, nv.RoleOp)].index(role)
        if number >= len(free):
            raise Unsupported(op, what="a 16th barrier", need="one of 1 to 15 that no nv.barrier takes")
        return f"{function}_role<{role.first.value.data}, {threads}, {free[number]}>"

    def acquire_semaphore(self, op: nv_splitk.SemaphoreAcquireOp) -> None:
        self.line(f"{self.call(self.synchronised(op, 'semaphore_acquire'), self.counter(op), self.name(op.turn))};")

    def release_semaphore(self, op: nv_splitk.SemaphoreReleaseOp) -> None:
        self.line(f"{self.call(self.synchronised(op, 'semaphore_release'), self.counter(op), self.name(op.turn))};")

    def arrive(self, op: nv_splitk.ArriveLastOp) -> None:
        call = self.call(self.synchronised(op, "arrive_last"), self.counter(op), str(op.parts.value.data))
        self.line(f"const bool {self.name(op.result)} = {call};")

    def move_fragment(self, op: nv_splitk.WorkspaceOp) -> None:
        """The registers of one tile of the layout are 16 bytes; the lanes' follow each other, then the tiles', then the warps'."""
        t = nv.frag(op.frag)
        dtype, count, (down, across) = register_type(t), registers(t), t.tiles
        slot, size = self.name(op.slot), prod(memref_of(op.workspace).get_shape()[1:])
        self.unrolled("i", down)
        self.unrolled("j", across)
        (threads, thread), lanes = crew(op), t.layout.threads
        holder = "" if threads == lanes else f"{thread} / {lanes} * {down * across}"
        place = f"(({sum_of(holder, f'i * {across}', 'j')}) * {lanes} + lane) * {count}"
        share = "" if slot == "0" else f"(long long)({slot}) * {size}"
        at = self.fresh("at")
        self.line(f"{dtype}* const {at} = {sum_of(self.name(op.workspace), share, place)};")
        registers_ = f"{self.name(op.frag)}[i][j]"
        match op:
            case nv_splitk.FragStoreOp():
                self.line(f"{self.call(f'store_global_{dtype}', at, registers_)};")
            case nv_splitk.FragLoadOp():
                self.line(f"{self.call(f'load_global_{dtype}', registers_, at)};")
            case _:
                before = self.fresh("before")
                self.line(f"{dtype} {before}[{count}];")
                self.line(f"{self.call(f'load_global_{dtype}', before, at)};")
                self.unrolled("e", count)
                here = f"{registers_}[e]"
                sum_ = f"(int)((u32){before}[e] + (u32){here})" if dtype == "int" else f"{before}[e] + {here}"
                self.line(f"{here} = {sum_};")
                self.close()
        self.close()
        self.close()
