"""
The tile program of rows that do not fit in the registers of a block or cluster: for each pass (`analysis/regions/passes.py`), a
loop over the tiles of a row.

```
softmax:   %ms, %ss = scf.for %c = 0 to N step BN iter_args(%m = -inf, %s = 0) {
             %x = load;  %new = max(%m, rowmax %x)                             partial results: one for each lane
             %s' = %s · exp(%m - %new) + rowsum exp(%x - rowexpand %new)       relative to the maximum so far
             yield %new, %s' }
           %max = rowmax %ms;  %sum = rowsum(%ss · exp(%ms - rowexpand %max))
           scf.for %c = 0 to N step BN { %x = load;  store exp(%x - rowexpand %max) / rowexpand %sum }
```

While the maximum is -inf, sums are relative to 0 instead, to avoid computing -inf - -inf. If the final maximum is not finite, the
sum becomes NaN, as it must by definition. Spec: `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isinf
from types import MappingProxyType
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import FloatAttr, IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.kernel_space import kernel_space, stored_values
from ...analysis.regions.passes import Online, passes_of
from ...dialects import pto, region, tiny
from ...dialects.common.numbers import first_number
from ...dialects.common.shapes import is_predicate
from ...dialects.plan.schedule import Schedule
from ..neutral import neutral
from .formulas import Formula
from .reductions import COMBINERS, PREDICATE_COMBINERS
from .rows import RowProgram
from .scope import Read, Scope

Output = tuple[SSAValue, SSAValue]
"""A value that is stored, and the memref to which it is stored."""


def row_program(kernel: region.RegionKernelOp, plan: Schedule) -> RowProgram:
    """Returns the program of a kernel whose rows a block or a cluster holds or, if they are longer, streams."""
    holds = kernel_space(kernel).n <= plan.row_columns
    return RowProgram(kernel, plan) if holds else StreamedRowProgram(kernel, plan)


class StreamedRowProgram(RowProgram):
    """Writes a loop over the tiles of a row for each pass, and, between the loops, the values with one element per row."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.once, self.whole = cast(Scope, self.scope.around), self.scope
        self.lanes: Scope = self.scope
        """The scope of values with one element for each lane of a row, in the loop that is being written."""
        self.passes, self.number = passes_of(kernel, self.space.book), 0
        self.totals: dict[tiny.ReduceOp, SSAValue] = {}
        """Maps each reduction to its result. During the pass of a maximum, it is the running maximum to which sums are relative."""

    def store_outputs(self) -> None:
        outputs: list[Output] = [
            (root, self.block.args[out.index])
            for root, out in zip(stored_values(self.kernel), self.kernel.outputs, strict=True)
        ]
        along = [o for o in outputs if affine.uses_axis(self.space.outputs[o[0]][0], self.whole.axis)]
        reads = self.reductions(outputs)
        for number in range(self.passes.count(root for root, _ in along)):
            self.number = number
            now = [op for op in self.passes.of if self.passes.of[op] == number and op in reads]
            stored = [o for o in along if self.passes.ready.get(o[0], 0) == number]
            self.stream([(op, reads[op]) for op in now], stored)
        for root, to in outputs:
            if (root, to) not in along:
                self.store(root, to)

    def reductions(self, outputs: Sequence[Output]) -> dict[tiny.ReduceOp, Access]:
        """Returns the reductions on which outputs depend, each with the access through which it is read."""
        found: dict[tiny.ReduceOp, Access] = {}
        todo = [self.output_read(root, at) for root, _ in outputs for at in self.space.outputs[root]]
        seen: set[tuple[SSAValue, str, str]] = set()
        while todo:
            if (read := todo.pop()).key in seen:
                continue
            seen.add(read.key)
            if isinstance(op := read.at.value.owner, tiny.ReduceOp) and op not in self.one_hot:
                found.setdefault(op, read.at)
                todo.append(self.summand(op, read.at))
                continue
            todo += self.operands(read)
            if isinstance(op, tiny.ReduceOp):
                points = read.scope.points
                inner = replace(
                    read.scope, points=(*points, 1), around=read.scope, axis=len(points), tiles={}, further={}
                )
                todo.append(self.term_read(op, read, inner))
        return found

    def varies(self, at: Access, scope: Scope) -> bool:
        """
        As in the base class. In addition, values that depend on a reduction of the current pass vary with the lane, as the
        reduction has only partial results yet.
        """
        in_lanes = scope is self.lanes and self.passes.ready.get(at.value, 0) > self.number
        return in_lanes or super().varies(at, scope)

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        return self.totals[op]

    # --- loops ------------------------------------------------------------------------------------

    def stream(self, reductions: Sequence[tuple[tiny.ReduceOp, Access]], stored: Sequence[Output]) -> None:
        """
        Writes a pass: the loops that compute `reductions` per lane and the outputs `stored`, then the results of the
        reductions. The last tile of a row, if it is not whole, has a loop of its own, so that only this one has masks.
        """
        n, columns = self.space.n, self.plan.row_columns
        whole = n - n % columns
        partial = self.loop(range(0, whole, columns), reductions, stored)
        if whole < n:
            partial = self.loop(range(whole, n, columns), reductions, stored, partial)
        self.scope = self.whole
        for op, _ in reductions:
            self.at = op
            self.totals[op] = self.total(op, partial)

    def loop(
        self,
        tiles: range,
        reductions: Sequence[tuple[tiny.ReduceOp, Access]],
        stored: Sequence[Output],
        starts: Mapping[tiny.ReduceOp, SSAValue] = MappingProxyType({}),
    ) -> dict[tiny.ReduceOp, SSAValue]:
        """
        Writes a loop over `tiles` of a row that carries the lanes' partial results of `reductions`, and returns these. They start as
        `starts` or, in the first loop, as neutral elements.
        """
        body, whole = Block(arg_types=[IndexType()]), self.whole
        body.args[0].name_hint = "c"
        offsets, inside = (*self.offsets[:-1], body.args[0]), Builder(InsertPoint.at_end(body))
        rows, self.masks = whole.sizes[0], tiles.stop % tiles.step > 0
        self.lanes = Scope(whole.points, offsets, inside, (rows, self.plan.row_lanes), self.dims, self.once, whole.axis)
        self.scope = Scope(whole.points, offsets, inside, whole.sizes, self.dims, self.lanes, whole.axis)
        before: dict[tiny.ReduceOp, SSAValue] = {}
        carried: list[SSAValue] = []
        totals: list[SSAValue] = []
        with self.inside(self.lanes):
            for op, at in reductions:
                tile = self.reduced(op, at)
                part = self.add(pto.ROW_REDUCTIONS[op.fn.data](tile, self.plan.row_lanes, *self.plan.lane_parts))
                if op.fn.data in ("max", "min"):
                    part = self.convert(part, op.accum)
                total = before[op] = body.insert_arg(part.type, len(body.args))
                with self.inside(self.once):
                    start = starts.get(op) or self.filled(
                        neutral(op.fn.data, pto.tile_type(part).element_type), self.lanes
                    )
                    carried.append(start)
                if (online := self.passes.online.get(op)) is not None:
                    factor = self.factor(online, before[online.maximum], self.totals[online.maximum], part)
                    total = Formula(self.add).binary("mul", total, factor)
                totals.append(self.with_part(op, total, part))
                self.totals[op] = self.finite(totals[-1]) if self.passes.is_pivot(op) else totals[-1]
            for root, to in stored:
                self.store(root, to)
            self.add(scf.YieldOp(*totals))
        first, stop, step = (self.index(n) for n in (tiles.start, tiles.stop, tiles.step))
        loop = scf.ForOp(first, stop, step, carried, Region(body))
        self.add(loop)
        return {op: result for (op, _), result in zip(reductions, loop.results, strict=True)}

    def total(self, op: tiny.ReduceOp, partial: Mapping[tiny.ReduceOp, SSAValue]) -> SSAValue:
        """Writes the reduction of the lanes' partial results, and returns the result of `op`."""
        tile, online = partial[op], self.passes.online.get(op)
        reduction = pto.ROW_REDUCTIONS[op.fn.data]
        if online is None:
            return self.convert(self.add(reduction(tile)), op.accum)
        write, maximum = Formula(self.add), self.totals[online.maximum]
        factor = self.factor(online, partial[online.maximum], self.expanded(self.finite(maximum), self.lanes), tile)
        total = self.add(reduction(write.binary("mul", tile, factor)))
        undefined = self.convert(write.binary("sub", maximum, maximum), pto.tile_type(total).element_type)
        return self.convert(write.binary("add", total, undefined), op.accum)

    def with_part(self, op: tiny.ReduceOp, total: SSAValue, part: SSAValue) -> SSAValue:
        """Writes the combination of a lane's result so far, `total`, with the part from the current tile."""
        combiner = PREDICATE_COMBINERS if is_predicate(pto.tile_type(part).element_type) else COMBINERS
        return Formula(self.add).binary(combiner[op.fn.data], total, part)

    def finite(self, maximum: SSAValue) -> SSAValue:
        """Writes `maximum`, with 0 in place of -inf, which means that no element has been seen yet."""
        write, least = Formula(self.add), first_number(neutral("max", pto.tile_type(maximum).element_type).dense)
        if not (isinstance(least, FloatAttr) and isinf(least.value.data)):
            return maximum
        none = write.compare("EQ", maximum, least.value.data)
        return self.add(pto.SelOp(none, write.number(0, maximum), maximum))

    def factor(self, online: Online, old: SSAValue, new: SSAValue, like: SSAValue) -> SSAValue:
        """Writes the factor that rescales a sum from maximum `old` to maximum `new`, in the element type of `like`."""
        write, dtype = Formula(self.add), pto.tile_type(like).element_type
        difference = write.binary("sub", self.convert(old, dtype), self.convert(new, dtype))
        scaled = difference if online.scale == 1 else write.binary("mul", difference, online.scale)
        return write.unary(online.exponential, scaled)
