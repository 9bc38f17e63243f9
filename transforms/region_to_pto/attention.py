"""
The tile program of attention: a loop over tiles of keys carries, for each query, the maximum so far, the sum of the numerators relative
to it, and their product with the values.

```
process:  load Q;  for each tile of keys: load K, load V              three channels
Left Q
%m = -inf, %l = 0, %acc = 0
for each tile of keys:
  %s  = 0 + Q · K                                                     %x = …(%s), elementwise: masks, bias
  %m' = max(%m, rowmax %x)
  %p  = exp2(%x · c - %m' · c)                                        c = the program's scale, times log2 e for exp
  %f  = exp2(%m · c - %m' · c)                                        rescales what is relative to the old maximum
  %l' = %l · %f + rowsum %p;   %acc' = %acc · %f + convert(%p) · V
store …(%acc / %l), …(%m, %l)                                         the result; of rows, such as %m + log %l
```

Tiles of keys that a mask excludes are skipped, and whole ones are computed without it (`key_ranges.py`). While the maximum is -inf,
numerators are relative to 0 instead, to avoid -inf - -inf. If scores may be as huge as the -1e9 of a mask, exponents are
`(%x - %m') · c`: `%m' · c` would be rounded by more than an exponent may be. Spec: `tensor-compiler.ja §1.7`; Dao 2023, *FlashAttention-2*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import e as E
from math import inf, log2, nan
from typing import cast

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type, FloatAttr, IndexType, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.attention import Attention
from ...analysis.regions.kernel_space import stored_values
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region
from ...dialects.common.shapes import element
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...planning.attention import rounded
from ...planning.attention.operands import Operand, operands
from .formulas import Formula
from .key_ranges import Bound, KeyRanges, Masks, key_ranges
from .program import Read, Scope, TileProgram

Carried = tuple[SSAValue, SSAValue, SSAValue]
"""The maximum, the sum and the accumulator."""


@dataclass(frozen=True)
class Staged:
    """An operand of a product, its channel, its tile in shared memory, and the axes of its space along the tile's rows and columns."""

    operand: Operand
    tile: pto.TileType
    dims: tuple[int, int]
    channel: SSAValue


class AttentionProgram(TileProgram):
    """Writes the channels, the loops over keys, and the quotient from which the epilogue starts."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.attention = cast(Attention, self.space.attention)
        self.bm, self.bn, self.bk = plan.tile
        self.scores_space = self.space.of_scores
        self.once = Scope(self.space.points, tuple(self.offsets), self.builder, (self.bm, 1), self.dims)
        self.head = rounded(self.attention.scores.sizes[self.attention.scores.k[0]])

    @property
    def key_axis(self) -> int:
        return self.space.outer + 1

    def begin(self) -> None:
        self.at = self.attention.scores.op
        masks = Masks(self.space, self.attention, self.positions)
        ranges = key_ranges(masks, self.bm, self.bk)
        queries, keys, values = self.channels()
        m = self.offsets[self.space.outer]
        bounds = [self.bound(b, m) for b in (ranges.first, ranges.whole, ranges.cut, ranges.last)]
        if ranges.crosses:
            bounds[2] = self.add(arith.MaxUIOp(bounds[1], bounds[2]))
        bounds = self.clipped(bounds)
        self.step = self.index(self.bk)
        self.produce(queries, (keys, values), bounds[0], bounds[-1])
        wait = self.add(pto.WaitOp(queries.channel))
        self.left = self.add(pto.MoveToLeftOp(wait))
        carried = self.start()
        for number, (low, high) in enumerate(pairwise(bounds)):
            if low is not high and not self.is_same(ranges, number):
                guard = ranges.free if number == 1 else None
                carried = self.loop(low, high, carried, keys, values, guard, number != 1)
        self.at = self.attention.product.op
        self.add(pto.ReleaseOp(queries.channel))
        self.end(carried)

    def clipped(self, bounds: Sequence[SSAValue]) -> list[SSAValue]:
        """Returns the bounds between which the block multiplies keys."""
        return list(bounds)

    def end(self, carried: Carried) -> None:
        """Writes the quotient from which the epilogue starts, and what results of rows are computed from."""
        maximum, total, acc = carried
        write = Formula(self.add)
        tile = self.add(pto.MoveToVecOp(acc))
        inverse = self.add(pto.RowExpandOp(write.unary("recip", total), self.bn))
        start = Read(Access(self.space.start, self.space.start_map), self.scope)
        self.scope.tiles[start.key] = write.binary("mul", tile, inverse)
        if any(self.is_of_rows(root) for root in stored_values(self.kernel)):
            self.results_of_rows(maximum, total)

    # --- results of rows --------------------------------------------------------------------------

    def is_of_rows(self, root: SSAValue) -> bool:
        """Returns whether a result is computed from the maximum and the sum of a row, such as their log-sum-exp."""
        return self.space.start not in upstream([root])

    def results_of_rows(self, maximum: SSAValue, total: SSAValue) -> None:
        """
        Writes the maximum and the sum as the program has them: the kernel's maximum lacks the factor, and the sum of a row without a score
        above -inf is that of exp(-inf - -inf), which is NaN.
        """
        a, write = self.attention, Formula(self.add)
        empty = write.compare("EQ", maximum, -inf)
        total = self.add(pto.SelOp(empty, write.number(nan, total), total))
        for value, tile in zip(a.rows, (self.with_factor(maximum), total), strict=True):
            self.once.tiles[self.read_of_rows(value).key] = self.convert(tile, element(value))

    def with_factor(self, maximum: SSAValue) -> SSAValue:
        """Writes the maximum of the scores as the program has them."""
        factor = self.attention.factor
        return maximum if factor == 1.0 else Formula(self.add).binary("mul", maximum, factor)

    def read_of_rows(self, value: SSAValue) -> Read:
        return Read(Access(value, self.space.of_rows_of_scores), self.once)

    def output(self, root: SSAValue, at: isl.MultiAff) -> SSAValue:
        if not self.is_of_rows(root):
            return super().output(root, at)
        return self.value(
            self.read(Access(root, affine.identity(at.dim(isl.dim_type.out))), Access(root, at), self.once)
        )

    # --- bounds -----------------------------------------------------------------------------------

    @staticmethod
    def is_same(ranges: KeyRanges, number: int) -> bool:
        """Returns whether a range is empty for all tiles of queries."""
        found = (ranges.first, ranges.whole, ranges.cut, ranges.last)
        return found[number] == found[number + 1]

    def bound(self, bound: Bound, m: SSAValue) -> SSAValue:
        """Writes the key at which a range of tiles begins or ends."""
        if bound in self.bounds:
            return self.bounds[bound]
        if bound.least == bound.most:
            out = self.index(bound.least * self.bk)
        else:
            if bound.chunk > 1:
                chunk = self.index(bound.chunk)
                ahead = self.add(arith.AddiOp(m, self.index(bound.ahead))) if bound.ahead else m
                m = self.add(arith.MuliOp(self.add(arith.DivUIOp(ahead, chunk)), chunk))
            if bound.shift < 0:
                shift = self.index(-bound.shift)
                m = self.add(arith.SubiOp(self.add(arith.MaxUIOp(m, shift)), shift))
            elif bound.shift:
                m = self.add(arith.AddiOp(m, self.index(bound.shift)))
            step = self.index(self.bk)
            out = self.add(arith.MuliOp(self.add(arith.DivUIOp(m, step)), step))
            if bound.least:
                out = self.add(arith.MaxUIOp(out, self.index(bound.least * self.bk)))
            out = self.add(arith.MinUIOp(out, self.index(bound.most * self.bk)))
        self.bounds[bound] = out
        return out

    # --- channels ---------------------------------------------------------------------------------

    def channels(self) -> tuple[Staged, Staged, Staged]:
        """Writes the channels of the queries, keys and values."""
        self.bounds: dict[Bound, SSAValue] = {}
        q, k, v = operands(self.space, self.attention)
        row, column = self.space.outer, self.space.outer + 1
        dtype = element(q.value)

        def staged(o: Operand, sizes: tuple[int, int], dims: tuple[int, int], depth: int, hint: str) -> Staged:
            along = row if o.transposed else column  # the axis along which elements are contiguous
            tile = pto.TileType(sizes, dtype, "Mat", "ND" if dims[1] == along else "DN")
            return Staged(o, tile, dims, self.add(pto.ChannelOp(pto.ChannelType(depth, (tile,))), hint))

        stages = cast(int, self.plan.stages)
        return (
            staged(q, (self.bm, self.head), (row, column), 1, "queries"),
            staged(k, (self.head, self.bk), (column, row), stages, "keys"),
            staged(v, (self.bk, self.bn), (row, column), stages, "values"),
        )

    def produce(self, queries: Staged, others: Sequence[Staged], low: SSAValue, high: SSAValue) -> None:
        """Writes the process that fills the channels."""
        outer, zero = self.offsets[: self.space.outer], self.index(0)
        process, loop = Block(), Block(arg_types=[IndexType()])
        loop.args[0].name_hint = "key"
        with self.within(process):
            self.fill(queries, (*outer, self.offsets[self.space.outer], zero))
            with self.within(loop):
                for staged in others:
                    self.fill(staged, (*outer, loop.args[0], zero))
                self.add(scf.YieldOp())
            self.add(scf.ForOp(low, high, self.step, [], Region(loop)))
        self.add(pto.ProcessOp(Region(process)))

    def fill(self, staged: Staged, offsets: Sequence[SSAValue]) -> None:
        self.add(pto.AcquireOp(staged.channel))
        o = staged.operand
        text = affine.canonical_text(o.at)
        load = pto.LoadOp(self.argument(o.value), offsets, text, o.sizes, staged.dims, staged.tile)
        self.add(pto.CommitOp(staged.channel, [self.add(load)]))

    # --- the loops over keys ----------------------------------------------------------------------

    def start(self) -> Carried:
        rows = pto.TileType((self.bm, 1), f32)

        def filled(number: float, tile: pto.TileType) -> SSAValue:
            return self.add(pto.ExpandsOp(FloatAttr(number, f32), tile))

        return filled(-inf, rows), filled(0.0, rows), filled(0.0, pto.TileType((self.bm, self.bn), f32, "Acc"))

    def loop(
        self,
        low: SSAValue,
        high: SSAValue,
        carried: Carried,
        keys: Staged,
        values: Staged,
        guard: isl.Set | None,
        masks: bool,
    ) -> Carried:
        """Writes a loop over tiles of keys, at whose points `guard` holds; with `masks`, some are beyond the last key."""
        body = Block(arg_types=[IndexType(), *(v.type for v in carried)])
        for arg, hint in zip(body.args, ("key", "max", "sum", "acc"), strict=True):
            arg.name_hint = hint
        counter, old, total, acc = body.args
        offsets, inside = (*self.offsets[:-1], counter), Builder(InsertPoint.at_end(body))
        dims = (self.space.outer, self.key_axis)
        scope = Scope(self.scores_space[0], offsets, inside, (self.bm, self.bk), dims, self.once, self.key_axis)
        self.once.builder = self.builder
        with self.inside(scope):
            x = self.scores(scope, keys, guard)
            x = self.unscaled(x)
            if masks and self.space.k % self.bk:
                x = self.within_keys(x, scope)
            p, scale, new, total = self.softmax(x, old, total)
            p = self.add(pto.CvtOp(p, element(self.attention.product.rhs.value)))
            left = self.add(pto.MoveVecToLeftOp(p))
            right = self.add(pto.MoveToRightOp(self.add(pto.WaitOp(values.channel))))
            wide = self.add(pto.RowExpandOp(scale, self.bn))
            rescaled = Formula(self.add).binary("mul", self.add(pto.MoveToVecOp(acc)), wide)
            after = self.add(pto.MatmulAccOp(self.add(pto.MoveVecToAccOp(rescaled)), left, right))
            self.add(pto.ReleaseOp(values.channel))
            self.add(scf.YieldOp(new, total, after))
        loop = scf.ForOp(low, high, self.step, list(carried), Region(body))
        self.add(loop)
        _remove_unused(body)
        maximum, total, acc = loop.results
        return maximum, total, acc

    def scores(self, scope: Scope, keys: Staged, guard: isl.Set | None) -> SSAValue:
        """Writes the first product and the ops up to the softmax, and returns the tile of scores."""
        a = self.attention
        right = self.add(pto.MoveToRightOp(self.add(pto.WaitOp(keys.channel))))
        zero = self.add(pto.ExpandsOp(FloatAttr(0.0, f32), pto.TileType((self.bm, self.bk), f32, "Acc")))
        product = self.add(pto.MatmulAccOp(zero, self.left, right))
        self.add(pto.ReleaseOp(keys.channel))
        sizes, iteration = self.scores_space
        known = Access(a.scores.out, affine.compose(a.scores_at, iteration, sizes))
        tile = self.add(pto.MoveToVecOp(product))
        scope.tiles[Read(known, scope).key] = tile
        self.known, self.keys_scope = known, scope
        if a.x is a.scores.out:
            return tile
        at = affine.compose(a.at, iteration, sizes)
        return self.value(Read(Access(a.x, at, guard), scope))

    def read(self, access: Access, at: Access, scope: Scope) -> Read:
        found = super().read(access, at, scope)
        if found.at.value is self.attention.scores.out:
            return Read(self.known, self.keys_scope)
        return self.read_of_rows(found.at.value) if found.at.value in self.attention.rows else found

    def varies(self, at: Access, scope: Scope) -> bool:
        return at.value in self.attention.depending or super().varies(at, scope)

    def unscaled(self, x: SSAValue) -> SSAValue:
        """
        Returns the scores without the factor that the numerators' exponents take (`Attention.factor`): the largest of them is the largest of
        the scaled ones. A mask sets scores to -inf, also if the program adds -inf to them.
        """
        if self.attention.factor == 1.0:
            return x
        match x.owner:
            case pto.SelOp(mask=mask, on_true=kept, on_false=none) if _number(none) == -inf:
                return self.add(pto.SelOp(mask, self.unscaled(kept), none))
            case pto.SelOp(mask=mask, on_true=none, on_false=kept) if _number(none) == -inf:
                return self.add(pto.SelOp(mask, none, self.unscaled(kept)))
            case Operation(operands=(left, right)) as op if isinstance(op, pto.BINARY["mul"]):
                for value, factor in ((left, _number(right)), (right, _number(left))):
                    if factor is not None and FloatAttr(factor, f32) == FloatAttr(self.attention.factor, f32):
                        return value
            case Operation(operands=(left, right)) as op if isinstance(op, pto.BINARY["add"]):
                for value, added in ((left, right), (right, left)):
                    if _number(added) == 0:
                        return self.unscaled(value)
                    by = added.owner
                    if isinstance(by, pto.SelOp) and (_number(by.on_true), _number(by.on_false)) == (0, -inf):
                        return self.add(pto.SelOp(by.mask, self.unscaled(value), by.on_false))
            case _:
                pass
        return Formula(self.add).binary("mul", x, 1 / self.attention.factor)

    def within_keys(self, x: SSAValue, scope: Scope) -> SSAValue:
        """Writes -inf in place of scores beyond the last key, unless a mask of positions has done so."""
        by = x.owner
        if isinstance(by, pto.SelOp) and self.ends_at_last_key(by.mask.owner) and _number(by.on_false) == -inf:
            return x
        mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
        return self.add(pto.SelOp(mask, x, Formula(self.add).number(-inf, x)))

    def ends_at_last_key(self, mask: Operation | Block) -> bool:
        """Returns whether a mask of positions is false at all keys beyond the last one."""
        if not isinstance(mask, pto.MaskOp):
            return False
        if mask.where is None:
            return True
        sizes = list(self.scores_space[0])
        sizes[self.key_axis] = -(-self.space.k // self.bk) * self.bk
        beyond = affine.make_set(sizes, [f"i{self.key_axis} >= {self.space.k}"]).intersect(affine.box(sizes))
        where = affine.read_set(mask.where.source.data).gist(
            affine.box(ints(mask.bounds))
        )  # as its condition is printed
        return where.is_disjoint(beyond)

    def softmax(self, x: SSAValue, old: SSAValue, total: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
        """Writes the numerators, the factor that rescales earlier ones, the new maximum, and the new sum."""
        write, a = Formula(self.add), self.attention
        c = a.factor * a.scale * (log2(E) if a.exponential == "exp" else 1.0)
        new = write.binary("max", old, self.add(pto.RowMaxOp(x)))
        finite = self.add(pto.SelOp(write.compare("EQ", new, -inf), write.number(0.0, new), new))
        if a.is_shifted_by_data:
            scale = write.unary("exp2", write.binary("mul", write.binary("sub", old, finite), c))
            wide = self.add(pto.RowExpandOp(finite, self.bk))
            p = write.unary("exp2", write.binary("mul", write.binary("sub", x, wide), c))
        else:
            shift = write.unary("neg", write.binary("mul", finite, c))
            scale = write.unary("exp2", write.binary("add", write.binary("mul", old, c), shift))
            wide = self.add(pto.RowExpandOp(shift, self.bk))
            p = write.unary("exp2", self.add(pto.FmaOp(x, write.number(c, x), wide)))
        part = self.add(pto.RowSumOp(p))
        return p, scale, new, self.add(pto.FmaOp(total, scale, part))


def _number(tile: SSAValue) -> float | None:
    """Returns the number that fills a tile of f32, or None."""
    op = tile.owner
    if isinstance(op, pto.ExpandsOp) and isinstance(op.value, FloatAttr) and isinstance(op.value.type, Float32Type):
        return op.value.value.data
    return None


def _remove_unused(body: Block) -> None:
    """Erases vector ops that became unused when a factor was moved."""
    for op in reversed(list(body.ops)):
        is_vector = bool(op.results) and isinstance(op.results[0].type, pto.TileType) and not isinstance(op, pto.WaitOp)
        if is_vector and not any(r.uses for r in op.results):
            Rewriter.erase_op(op)
