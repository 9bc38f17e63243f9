"""Prints `nv.col_reduce`: a lane's rows, then the lanes of a column by shuffles, then its warps through shared memory."""

from __future__ import annotations

from contextlib import nullcontext

from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.nv.columns import rows_of
from ...dialects.nv.rows import columns_of
from .kernel_text import prints
from .row_printer import RowPrinter
from .scalars import sum_of


class ColumnPrinter(RowPrinter):
    """Prints reductions of columns."""

    @prints
    def col_reduce(self, op: nv.ColReduceOp) -> None:
        t, held, total = nv.frag(op.input), self.name(op.input), self.name(op.result)
        count, vector = t.layout.count, nv.frag(op.result).layout.count
        self.declare(op.result, "", f"of each column of {held}")

        def element(of: str, number: str, size: int) -> str:
            return f"{of}[{number}]" if size > 1 else of

        into = element(total, "v", vector)
        with self.unrolled(v=vector):
            self.line(f"{into} = {element(held, 'v', count)};")
            if count > vector:
                with self.elements_from(1, count // vector):
                    self.combine(op, into, f"{held}[e * {vector} + v]")
            across = columns_of(t.layout.lanes)
            if across < t.layout.threads:
                self.line("#pragma unroll")
                with self.block(f"for (int away = {across}; away < {t.layout.threads}; away *= 2)"):
                    self.combine(op, into, f"__shfl_xor_sync(0xffffffff, {into}, away)")
        if op.scratch is None:
            return
        dtype, scratch = self.variable_type(signless(t.element_type), op), self.fresh("scratch")
        beside, sharing = columns_of(t.layout.warps), rows_of(t.layout.warps)
        step, row = beside * across, vector * beside * across
        place = sum_of(
            f"shared + {op.scratch.value.data})",
            f"warp % {beside} * {across}" if beside > 1 else "",
            "lane" if across == t.layout.threads else f"lane % {across}",
        )
        self.line(f"{dtype}* {scratch} = ({dtype}*)({place};")
        down = f"warp / {beside}" if beside > 1 else "warp"
        with (
            nullcontext() if across == t.layout.threads else self.block(f"if (lane < {across})"),
            self.unrolled(v=vector),
        ):
            self.line(f"{scratch}[{down} * {row} + v * {step}] = {into};")
        self.line("__syncthreads();")
        with self.unrolled(v=vector):
            self.line(f"{into} = {scratch}[v * {step}];")
            with self.elements_from(1, sharing):
                self.combine(op, into, f"{scratch}[e * {row} + v * {step}]")
