"""Prints what blocks that share a sum do: counters, and fragments in a workspace."""

from __future__ import annotations

from math import prod

from ...dialects import nv, nv_splitk
from ...dialects.shapes import memref_of
from .fragment_printer import register_type, registers
from .kernel_text import KernelText, block_size
from .scalars import sum_of

WARP = 32


class SplitKPrinter(KernelText):
    """Adds shared sums to the text of a kernel."""

    def counter(self, op: nv_splitk.CounterOp) -> str:
        return f"{self.name(op.counters)} + {self.name(op.tile)}"

    def wait_turn(self, op: nv_splitk.TurnWaitOp) -> None:
        self.line(f"{self.call('turn_wait', self.counter(op), self.name(op.turn))};")

    def pass_turn(self, op: nv_splitk.TurnPassOp) -> None:
        self.line(f"{self.call('turn_pass', self.counter(op), self.name(op.turn))};")

    def arrive(self, op: nv_splitk.ArriveLastOp) -> None:
        call = self.call("arrive_last", self.counter(op), str(op.parts.value.data))
        self.line(f"const bool {self.name(op.result)} = {call};")

    def move_fragment(self, op: nv_splitk.WorkspaceOp) -> None:
        """The registers of one tile of the layout are 16 bytes; the lanes' follow each other, then the tiles'."""
        t = nv.frag(op.frag)
        dtype, count, (down, across) = register_type(t), registers(t), t.tiles
        slot, size = self.name(op.slot), prod(memref_of(op.workspace).get_shape()[1:])
        self.unrolled("i", down)
        self.unrolled("j", across)
        warp = "" if block_size(op) == WARP else f"(int)threadIdx.x / {WARP} * {down * across}"
        place = f"(({sum_of(warp, f'i * {across}', 'j')}) * {WARP} + lane) * {count}"
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
