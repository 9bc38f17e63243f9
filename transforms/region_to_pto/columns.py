"""
The tile program of column reductions: a loop over tiles of rows accumulates them, element by element; their columns are
reduced once, after the loop.

```
tiny.reduce sum %x axes [0]    →    %a = scf.for %r = 0 to R step BK iter_args(%t = 0) { %x = load x[…, %r];  yield %t + %x }
                                    %s = colsum %a
```

All reductions share the loop, so that what they read is read once. Spec: `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.columns import columns_of, summand
from ...analysis.regions.kernel_space import output_maps, stored_values
from ...dialects import pto, tiny
from ...dialects.common.shapes import is_predicate
from ...errors import PlanMismatch
from ..neutral import neutral
from .formulas import Formula
from .program import TileProgram
from .reductions import COMBINERS, PREDICATE_COMBINERS
from .scope import Read, Scope

Key = tuple[SSAValue, str, str]


class ColumnProgram(TileProgram):
    """Writes the loop that accumulates rows, the reductions of columns, and the ops after them, on tiles of one row."""

    totals: dict[Key, SSAValue]
    """Maps the read of each reduction to the tile of its result."""

    def begin(self) -> None:
        self.scope.builder = self.builder
        if isinstance(found := columns_of(self.kernel, self.space), str):
            name, problem = self.kernel.sym_name.data, f"algo_choice.reduce is 'columns', but {found}"
            help = "contiguous columns that reductions, one level deep, reduce over equally many rows"
            raise PlanMismatch(self.kernel, kernel=name, problem=problem, help=help)
        reads, (rows, columns) = self.reductions(), self.plan.tile[:2]
        rank, count = len(self.space.points), found.rows
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = "r"
        offsets, inside = (*self.offsets, body.args[0]), Builder(InsertPoint.at_end(body))
        inner = Scope((*self.space.points, count), offsets, inside, (rows, columns), (rank, rank - 1))
        starts: list[SSAValue] = []
        totals: list[SSAValue] = []
        for op, read in reads:
            term, fn = self.summand(op, read, inner), op.fn.data
            starts.append(self.filled(neutral(fn, pto.tile_type(term).element_type), inner))
            total = body.insert_arg(term.type, len(body.args))
            combiner = PREDICATE_COMBINERS if is_predicate(pto.tile_type(term).element_type) else COMBINERS
            with self.inside(inner):
                totals.append(Formula(self.add).binary(combiner[fn], total, term))
        inside.insert(scf.YieldOp(*totals))
        loop = scf.ForOp(self.index(0), self.index(count), self.index(rows), starts, Region(body))
        self.add(loop)
        self.totals = {}
        for (op, read), result in zip(reads, loop.results, strict=True):
            self.at = op
            self.totals[read.key] = self.convert(self.add(pto.COL_REDUCTIONS[op.fn.data](result)), op.accum)

    def reductions(self) -> list[tuple[tiny.ReduceOp, Read]]:
        """Returns the reductions that outputs need, with their reads."""
        found: dict[Key, tuple[tiny.ReduceOp, Read]] = {}
        todo = [
            Read(Access(root, at), self.scope)
            for root in stored_values(self.kernel)
            for at in output_maps(self.space, root)
        ]
        seen: set[Key] = set()
        while todo:
            if (read := todo.pop()).key in seen:
                continue
            seen.add(read.key)
            if isinstance(op := read.at.value.owner, tiny.ReduceOp) and op not in self.one_hot:
                found[read.key] = op, read
            else:
                todo += self.operands(read)
        return list(found.values())

    def summand(self, op: tiny.ReduceOp, read: Read, inner: Scope) -> SSAValue:
        """Writes the tile of rows that a reduction adds to its result; rows beyond the last one are neutral."""
        _, at = summand(op, self.space, read.at.map)
        guard = read.at.guard
        if guard is not None:
            kept = affine.make_map(len(inner.points), [f"i{k}" for k in range(len(self.space.points))])
            guard = guard.preimage_multi_aff(kept)
        access = self.space.book[op.result].accesses[0]
        tile = self.value(self.read(access, Access(op.result, at, guard), inner))
        self.at = op
        with self.inside(inner):
            tile = self.term(op.fn.data, tile, op.accum)
            if inner.points[-1] % inner.sizes[0]:
                mask = self.add(pto.MaskOp(inner.offsets, inner.points, inner.dims, inner.sizes))
                start = self.filled(neutral(op.fn.data, pto.tile_type(tile).element_type), inner)
                tile = self.add(pto.SelOp(mask, tile, start))
        return tile

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        return self.totals[read.key]
