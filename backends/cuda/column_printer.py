"""
Prints `nv.col_reduce`: reduces a lane's rows, then the lanes of a column by shuffles, then its warps through shared memory.

```
columns     0 1 2 3 | 0 1 2 3     two lanes hold partial results of the same columns
trade           0 1 | 2 3         each keeps half of the columns, and combines its results with the other lane's
shuffle     0 1 2 3 | 0 1 2 3     after the warps have exchanged theirs
```
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, IntegerType

from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.nv.columns import rows_of
from ...dialects.nv.rows import columns_of
from .kernel_text import prints
from .row_printer import RowPrinter
from .scalars import product, sum_of


class ColumnPrinter(RowPrinter):
    """Prints reductions of columns."""

    @prints
    def col_reduce(self, op: nv.ColReduceOp) -> None:
        t, held, total = nv.frag(op.input), self.name(op.input), self.name(op.result)
        count, vector = t.layout.count, nv.frag(op.result).layout.count
        self.declare(op.result, "", f"of each column of {held}")

        def element(of: str, number: str, size: int) -> str:
            return f"{of}[{number}]" if size > 1 else of

        with self.unrolled(v=vector):
            into = element(total, "v", vector)
            self.line(f"{into} = {element(held, 'v', count)};")
            if count > vector:
                with self.elements_from(1, count // vector):
                    self.combine(op, into, f"{held}[e * {vector} + v]")
        across, halvings, parts = columns_of(t.layout.lanes), nv.halvings(t), vector
        lanes, into = across << halvings, element(total, "v", vector)
        for away in (
            lanes >> k for k in range(1, halvings + 1)
        ):  # a lane keeps `parts` columns, and gives away as many
            parts //= 2
            with self.unrolled(v=parts):
                self.print_call("trade", into, f"{total}[v + {parts}]", str(away))
                self.combine(op, into, f"{total}[v + {parts}]")
        if lanes < t.layout.threads:
            with self.unrolled(v=parts):
                self.line("#pragma unroll")
                with self.block(f"for (int away = {lanes}; away < {t.layout.threads}; away *= 2)"):
                    self.combine(op, into, f"__shfl_xor_sync(0xffffffff, {into}, away)")
        if op.scratch is not None:
            self.share_columns(op, into, lanes, parts)
        if halvings:
            self.line("#pragma unroll")
            with self.block(f"for (int v = {vector - 1}; v >= 0; --v)"):
                kept, own = f"{total}[{f'v % {parts}' if parts > 1 else '0'}]", f"lane % {across}" if across > 1 else ""
                source = sum_of(own, product(f"v / {parts}" if parts > 1 else "v", across))
                self.line(f"{into} = __shfl_sync(0xffffffff, {kept}, {source});")

    def share_columns(self, op: nv.ColReduceOp, into: str, lanes: int, parts: int) -> None:
        """Prints the reduction of the `parts` columns `into` that each of `lanes` lanes holds, over the warps of a column."""
        t, scratch = nv.frag(op.input), self.fresh("scratch")
        dtype = self.variable_type(signless(t.element_type), op)
        beside, sharing = columns_of(t.layout.warps), rows_of(t.layout.warps)
        step = beside * lanes
        place = sum_of(
            f"shared + {cast(IntegerAttr[IntegerType], op.scratch).value.data})",
            f"warp % {beside} * {lanes}" if beside > 1 else "",
            "lane" if lanes == t.layout.threads else f"lane % {lanes}",
        )
        self.line(f"{dtype}* {scratch} = ({dtype}*)({place};")
        down = f"warp / {beside}" if beside > 1 else "warp"
        with (
            nullcontext() if lanes == t.layout.threads else self.block(f"if (lane < {lanes})"),
            self.unrolled(v=parts),
        ):
            self.line(f"{scratch}[{down} * {parts * step} + v * {step}] = {into};")
        self.line("__syncthreads();")
        with self.unrolled(v=parts):
            self.line(f"{into} = {scratch}[v * {step}];")
            with self.elements_from(1, sharing):
                self.combine(op, into, f"{scratch}[e * {parts * step} + v * {step}]")
