"""
Prints `nv.row_reduce`: reduces the elements of a lane, then the lanes of a row by shuffles, then the warps of a row through
shared memory. Prints `nv.row_divide`: divides the elements of a lane, some at a time. Prints `nv.any_differs` as a vote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type
from xdsl.ir import Operation

from ...dialects import nv
from ...dialects.common.shapes import signless
from ...dialects.nv.rows import columns_of
from .epilogue_printer import EpiloguePrinter
from .fragment_printer import first_of_copies, holders_of, lane_terms
from .kernel_text import prints
from .scalars import float_literal, product, sum_of

CHAINS = 4
"""Number of independent partial results of a lane, so that its operations need not all wait for each other."""

FEW = 8
"""Number of results of warps or blocks up to which it is fastest if each lane combines all: more take log2 as many shuffles."""

PAIRED: Mapping[type[Operation], str] = {arith.MaximumfOp: "max_nan_bf16x2", arith.MinimumfOp: "min_nan_bf16x2"}
"""The functions of two pairs of bf16."""

QUOTIENTS = 8
"""Number of quotients for which one branch decides whether all are exact without a division."""


class RowPrinter(EpiloguePrinter):
    """Prints reductions of rows."""

    @prints
    def row_reduce(self, op: nv.RowReduceOp) -> None:
        t, total = nv.frag(op.input), self.name(op.result)
        if not t.spelled:
            self.reduce_accumulator(op, t)
            return
        of = "lane's part of a row" if op.is_partial else "row"
        count, dtype = columns_of(t.layout.elements), self.variable_type(signless(t.element_type), op)
        rows, held = t.layout.count // count, self.name(op.input)
        self.line(f"{dtype} {total}{f'[{rows}]' * (rows > 1)};  // of each {of} of {self.name(op.input)}")
        if rows > 1:
            with self.unrolled(r=rows):
                self.reduce_row(op, f"{total}[r]", lambda e: f"{held}[{sum_of(f'r * {count}', e)}]", count)
        else:
            self.reduce_row(op, total, lambda e: f"{held}[{e or 0}]" if count > 1 else held, count)

    def reduce_accumulator(self, op: nv.RowReduceOp, t: nv.FragType) -> None:
        """Prints the reduction of the rows of an accumulator, of which a lane holds `each` contiguous elements a tile."""
        (down, across), each = t.tiles, t.layout.contiguous
        groups, total, held = t.layout.count // each, self.name(op.result), self.name(op.input)
        of, dtype = "lane's part of a row" if op.is_partial else "row", self.variable_type(signless(t.element_type), op)
        self.line(f"{dtype} {total}{f'[{down * groups}]' * (down * groups > 1)};  // of each {of} of {held}")
        loops = {name: count for name, count in (("i", down), ("h", groups)) if count > 1}
        place = sum_of(product("i", groups) if down > 1 else "", "h" if groups > 1 else "")

        def element(e: str) -> str:
            tile, number = (f"({e}) / {each}", f"({e}) % {each}") if e else ("0", "0")
            return (
                f"{held}[{'i' if down > 1 else 0}][{tile}][{sum_of(product('h', each) if groups > 1 else '', number)}]"
            )

        with self.unrolled(**loops) if loops else self.block(""):
            self.reduce_row(op, f"{total}[{place}]" if loops else total, element, across * each)

    def reduce_row(self, op: nv.RowReduceOp, total: str, held: Callable[[str], str], count: int) -> None:
        """Prints the reduction of the `count` elements `held` of a row that a lane holds, then of other lanes and warps."""
        t, dtype = nv.frag(op.input), self.variable_type(signless(nv.frag(op.input).element_type), op)
        if (function := paired(op)) is not None and count % 2 == 0:
            pair = self.fresh("pair")
            self.line(f"u32 {pair};")

            def halves(e: str) -> str:
                return self.call("halves", *(held(sum_of(e and f"{e} * 2", k)) for k in ("", "1")))

            def combine(into: str, other: str) -> None:
                self.line(f"{into} = {self.call(function, into, other)};")

            self.reduce_elements("u32", pair, halves, count // 2, combine)
            self.line(f"{total} = __uint_as_float({pair} << 16);")
            self.combine(op, total, f"__uint_as_float({pair} & 0xffff0000)")
        else:
            self.reduce_elements(dtype, total, held, count, partial(self.combine, op))
        if op.is_partial:
            return
        self.combine_lanes(op, total, lanes := columns_of(t.layout.lanes))
        if op.sharing > 1:
            scratch = self.scratch(op, dtype, op.sharing, 0)
            once = " && ".join([f"lane % {lanes} == 0", *first_of_copies(t.layout)])
            self.line(f"if ({once}) {scratch}[warp % {op.sharing}] = {total};")
            self.line("__syncthreads();")
            self.combine_all(op, total, scratch, op.sharing, lanes)
        if op.blocks > 1:
            before = op.sharing if op.sharing > 1 else 0
            scratch = self.scratch(op, dtype, op.blocks, op.scratch_bytes * before // (before + op.blocks))
            each = [f"lane % {lanes} < {op.blocks}", *([f"warp % {op.sharing} == 0"] if op.sharing > 1 else [])]
            to = self.call("in_block", f"{scratch} + rank", f"lane % {lanes}")
            self.line(f"if ({' && '.join([*each, *first_of_copies(t.layout)])}) *{to} = {total};")
            self.print_call("cluster_sync")
            self.combine_all(op, total, scratch, op.blocks, lanes)

    def reduce_elements(
        self, dtype: str, total: str, held: Callable[[str], str], count: int, combine: Callable[[str, str], None]
    ) -> None:
        """Prints the reduction of the `count` elements `held` of a lane, in `CHAINS` chains if there are enough."""
        chains = CHAINS if count % CHAINS == 0 and count > CHAINS else 1
        if chains == 1:
            self.line(f"{total} = {held('')};")
            if count > 1:
                with self.elements_from(1, count):
                    combine(total, held("e"))
            return
        part = self.fresh("part")
        self.line(f"{dtype} {part}[{chains}];")
        with self.elements_from(0, chains):
            self.line(f"{part}[e] = {held('e')};")
        with self.elements_from(chains, count):
            combine(f"{part}[e % {chains}]", held("e"))
        for to, other in ((0, 1), (2, 3), (0, 2)):
            combine(f"{part}[{to}]", f"{part}[{other}]")
        self.line(f"{total} = {part}[0];")

    def scratch(self, op: nv.RowReduceOp, dtype: str, count: int, begin: int) -> str:
        """Declares the pointer to the results, `count` of each row, that warps or blocks exchange; returns its name."""
        layout = nv.frag(op.input).layout
        held = ("r", tuple(mode for mode in layout.elements if mode.rows))
        row = sum_of(*(lane_terms(modes, name)[0] for name, modes in (*holders_of(layout)[:2], held)))
        at = begin + (0 if op.scratch is None else op.scratch.value.data)
        name = self.fresh("scratch")
        begin_of_row = f" + ({row}) * {count}" if row != "0" else ""
        self.line(f"{dtype}* {name} = ({dtype}*)(shared + {at}){begin_of_row};")
        return name

    def combine_all(self, op: nv.RowReduceOp, total: str, scratch: str, count: int, lanes: int) -> None:
        """
        Prints the reduction of the `count` results that were exchanged. All of the `lanes` lanes of a row get the same bits: each combines
        a few in the same order; of many, each takes one.
        """
        if FEW < count <= lanes and count & (count - 1) == 0:
            self.line(f"{total} = {scratch}[lane % {count}];")
            self.combine_lanes(op, total, count)
            return
        self.line(f"{total} = {scratch}[0];")
        self.line("#pragma unroll")
        with self.block(f"for (int other = 1; other < {count}; ++other)"):
            self.combine(op, total, f"{scratch}[other]")

    def combine_lanes(self, op: nv.RowReduceOp, total: str, lanes: int) -> None:
        """Prints the reduction of the results of adjacent lanes."""
        if lanes > 1:
            self.line("#pragma unroll")
            with self.block(f"for (int away = 1; away < {lanes}; away *= 2)"):
                self.combine(op, total, f"__shfl_xor_sync(0xffffffff, {total}, away)")

    def elements_from(self, first: int, end: int) -> AbstractContextManager[None]:
        """Prints an unrolled loop over elements."""
        self.line("#pragma unroll")
        return self.block(f"for (int e = {first}; e < {end}; ++e)")

    def combine(self, op: nv.RowReduceOp | nv.ColReduceOp, into: str, other: str) -> None:
        """Prints the body, which combines the values `into` and `other`, and assigns the result to `into`."""
        block = op.body.block
        ops = list(block.ops)
        for inner in ops:
            for result in inner.results:
                self.names.pop(result, None)
        self.names |= zip(block.args, (into, other), strict=True)
        self.body(ops[:-1])
        self.line(f"{into} = {self.name(cast(nv.YieldOp, ops[-1]).values[0])};")

    @prints
    def row_divide(self, op: nv.RowDivideOp) -> None:
        t, divisor = nv.frag(op.input), self.name(op.divisor)
        count = columns_of(t.layout.elements)
        rows = t.layout.count // count
        self.declare(op.result, "", f"{self.name(op.input)} / {divisor}")
        of_row = "[r]" if rows > 1 else ""
        with self.unrolled(r=rows) if rows > 1 else self.block(""):
            reciprocal = self.fresh("reciprocal")
            self.line(f"const float {reciprocal} = {self.call('row_reciprocal', divisor + of_row)};")
            for first in range(0, count, QUOTIENTS):
                place = sum_of(f"r * {count}" if rows > 1 else "", str(first))
                pointers = (
                    f"&{self.name(v)}" if t.layout.count == 1 else sum_of(self.name(v), place)
                    for v in (op.result, op.input)
                )
                function = f"divide_by<{min(QUOTIENTS, count - first)}>"
                self.print_call(function, *pointers, divisor + of_row, reciprocal)

    @prints
    def any_differs(self, op: nv.AnyDiffersOp) -> None:
        count, held, number = nv.frag(op.input).layout.count, self.name(op.input), float_literal(op.number, op)
        elements = [f"{held}[{k}]" for k in range(count)] if count > 1 else [held]
        differs = " | ".join(f"({element} != {number})" for element in elements)
        self.line(f"const bool {self.name(op.result)} = __any_sync(0xffffffff, {differs});")


def paired(op: nv.RowReduceOp) -> str | None:
    """Returns the function of two pairs of bf16 that a reduction applies, or None. Lanes hold bf16 as floats, whose halves are free."""
    block = op.body.block
    applied, last = block.first_op, block.last_op
    if applied is None or applied.next_op is not last or list(applied.operands) != list(block.args):
        return None
    return PAIRED.get(type(applied)) if isinstance(nv.frag(op.input).element_type, BFloat16Type) else None
