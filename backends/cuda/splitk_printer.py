"""Prints split-K: semaphores and counters in global memory, and partial accumulators in a workspace."""

from __future__ import annotations

from math import prod

from xdsl.dialects import gpu

from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.nv import splitk as nv_splitk
from ...dialects.nv.roles import enclosing, role_of
from ...errors import Unsupported
from .fragment_printer import register_count, register_type
from .kernel_text import KernelText, participants, prints
from .scalars import sum_of

BARRIERS = range(15, 0, -1)
"""Numbers of the hardware barriers that a role may use; `__syncthreads` uses barrier 0."""


class SplitKPrinter(KernelText):
    """Prints split-K ops."""

    def counter_call(self, op: nv_splitk.CounterOp, function: str, argument: str) -> str:
        """Returns the call of `function`, or in a role the call of its variant for roles, with a free named barrier."""
        threads, _ = participants(op)
        counter = f"{self.name(op.counters)} + {self.name(op.tile)}"
        if (role := role_of(op)) is None:
            return self.call(function, counter, argument)
        kernel = enclosing(op, gpu.FuncOp)
        ops = list(kernel.walk()) if kernel is not None else []
        taken = {number for o in ops if isinstance(o, nv.BarrierOp) for number in o.hardware_barriers}
        free = [b for b in BARRIERS if b not in taken]
        number = [o for o in ops if isinstance(o, nv.RoleOp)].index(role)
        if number >= len(free):
            raise Unsupported(op, what="a 16th barrier", need="one of 1 to 15 that no nv.barrier takes")
        arguments = f"<{role.first.value.data}, {threads}, {free[number]}>"
        return self.call(f"{function}_role{arguments}", counter, argument)

    @prints
    def semaphore(self, op: nv_splitk.SemaphoreOp) -> None:
        self.line(f"{self.counter_call(op, op.name.removeprefix('nv.').replace('.', '_'), self.name(op.turn))};")

    @prints
    def arrive_last(self, op: nv_splitk.ArriveLastOp) -> None:
        call = self.counter_call(op, "arrive_last", str(op.parts.value.data))
        self.line(f"const bool {self.name(op.result)} = {call};")

    @prints
    def move_fragment(self, op: nv_splitk.WorkspaceOp) -> None:
        """
        Moves accumulator registers from or to the workspace, in 16-byte vectors (one per lane and layout tile). The
        vectors are ordered by warp, then tile, then lane, so that a warp's accesses are coalesced.
        """
        t = nv.frag(op.frag)
        dtype, count, (down, across) = register_type(t), register_count(t), t.tiles
        slot, size = self.name(op.slot), prod(memref_of(op.workspace).get_shape()[1:])
        (threads, thread), lanes = participants(op), t.layout.threads
        holder = "" if threads == lanes else f"{thread} / {lanes} * {down * across}"
        place = f"(({sum_of(holder, f'i * {across}', 'j')}) * {lanes} + lane) * {count}"
        share = "" if slot == "0" else f"(long long)({slot}) * {size}"
        at, registers = self.fresh("at"), f"{self.name(op.frag)}[i][j]"
        with self.unrolled(i=down, j=across):
            self.line(f"{dtype}* const {at} = {sum_of(self.name(op.workspace), share, place)};")
            match op:
                case nv_splitk.FragStoreOp():
                    self.print_call(f"store_global_{dtype}", at, registers)
                case nv_splitk.FragLoadOp():
                    self.print_call(f"load_global_{dtype}", registers, at)
                case _:
                    before = self.fresh("before")
                    self.line(f"{dtype} {before}[{count}];")
                    self.print_call(f"load_global_{dtype}", before, at)
                    here = f"{registers}[e]"
                    total = f"(int)((u32){before}[e] + (u32){here})" if dtype == "int" else f"{before}[e] + {here}"
                    with self.unrolled(e=count):
                        self.line(f"{here} = {total};")
