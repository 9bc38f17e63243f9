"""
The tile program of chained products: a loop over tiles of keys, in which inner products are computed, and what follows from them is
multiplied by the tiles of values.

```
process:  load Q, …;  for each tile of keys: load K, …, load V, …     a channel for each operand
Left Q, …                                                           or what is computed from its tile
for each tile of keys:
  %s, …  = 0 + Q · K, …                                               inner products
  …                                                                   of attention: attention.py
  %acc'  = %acc + convert(f(%s, …)) · V, …                            of others: each has an accumulator
store …(%acc), …
```

In the backward pass of attention, dQ has such a program; so have dK and dV together, in which queries take the place of keys:

```
%s = 0 + K · Q;  %dp = 0 + V · dO
%p = exp2(%s · c - lse · c);  %dv' = %dv + convert(%p) · dO;  %dk' = %dk + convert(%p · (%dp - rows)) · Q
```

Tiles of keys at which all weights are zero are skipped (`analysis/regions/key_ranges.py`). Spec: `tensor-compiler.ja §1.7`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import e as E
from math import inf, log2
from typing import ClassVar, cast

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.chained import shifts_by_data
from ...analysis.regions.key_ranges import Bound, KeyRanges, Masks, key_ranges
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region, tiny
from ...dialects.common.shapes import element
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...dialects.ptir import ScalarAttr
from ...planning.attention import rounded
from ...planning.attention.chained import GRANULE
from ...planning.attention.operands import Operand, operands
from .factors import number_of, remove_unused, unscaled
from .formulas import Formula
from .program import TileProgram
from .scope import Read, Scope


@dataclass(frozen=True)
class Staged:
    """An operand of a product, its channel, its tile in shared memory, and the axes of its space along the tile's rows and columns."""

    operand: Operand
    tile: pto.TileType
    dims: tuple[int, int]
    channel: SSAValue


class ChainedProgram(TileProgram):
    """Writes the channels, the loops over keys, and the accumulators from which the epilogue starts."""

    lefts: Sequence[Staged]
    """The left operands of the inner products."""
    rights: Sequence[Staged]
    """The right operands of the inner products."""
    values: Sequence[Staged]
    """The right operands of the other products."""
    multiplies: ClassVar[bool] = True
    """Whether the program has the other products."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.chained = self.space.chained
        self.inner = self.chained[0].inner
        self.bm, self.bn, self.bk = plan.tile
        self.scores_space = self.space.of_scores
        self.once = Scope(self.space.points, tuple(self.offsets), self.builder, (self.bm, 1), self.dims)
        self.bounds: dict[Bound, SSAValue] = {}
        self.known: dict[SSAValue, Read] = {}
        """The reads of the results of the inner products in the current loop."""
        self.of_rows: dict[tuple[SSAValue, str], SSAValue] = {}
        """The tiles that `of_row` computes from rows before the loops."""

    @property
    def key_axis(self) -> int:
        return self.space.outer + 1

    def begin(self) -> None:
        self.at = self.inner[0].op
        ranges = key_ranges(Masks(self.space, self.positions), self.bm, self.bk)
        self.stage()
        m = self.offsets[self.space.outer]
        bounds = [self.bound(b, m) for b in (ranges.first, ranges.whole, ranges.cut, ranges.last)]
        if ranges.crosses:
            bounds[2] = self.add(arith.MaxUIOp(bounds[1], bounds[2]))
        bounds = self.clipped(bounds)
        self.step = self.index(self.bk)
        spans = [
            (low, high, number)
            for number, (low, high) in enumerate(pairwise(bounds))
            if low is not high and not self.is_same(ranges, number)
        ]
        first = self.first_range(ranges)
        in_turn = sorted(spans, key=lambda span: span[2] != first)
        self.produce([(bounds[0], bounds[-1])] if in_turn == spans else [(low, high) for low, high, _ in in_turn])
        waits = [self.add(pto.WaitOp(left.channel)) for left in self.lefts]
        self.left_tiles = [self.left(left, wait) for left, wait in zip(self.lefts, waits, strict=True)]
        carried = self.start()
        for low, high, number in in_turn:
            carried = self.loop(low, high, carried, ranges.free if number == 1 else None, number != 1)
        self.at, self.once.builder = self.chained[0].product.op, self.builder
        for left in self.lefts:
            self.add(pto.ReleaseOp(left.channel))
        self.end(carried)

    def left(self, staged: Staged, tile: SSAValue) -> SSAValue:
        """
        Writes the move of a left operand to the matrix unit, if need be of what is computed from its tile: beyond the head, that is zero.
        """
        o = staged.operand
        if o.computed is None:
            return self.add(pto.MoveToLeftOp(tile))
        offsets = (*self.offsets[: self.space.outer + 1], self.index(0))
        known = Access(o.value, o.at)
        rows, columns = staged.tile.sizes
        scope = Scope(o.sizes, offsets, self.builder, (rows, columns), staged.dims, staged=(known,))
        scope.tiles[Read(known, scope).key] = self.add(pto.MoveMatToVecOp(tile))
        value = self.value(Read(o.computed, scope))
        if o.sizes[-1] % GRANULE:
            mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
            zero = self.filled(ScalarAttr.of(0, pto.tile_type(value).element_type), scope)
            value = self.add(pto.SelOp(mask, value, zero))
        return self.add(pto.MoveVecToLeftOp(value))

    def clipped(self, bounds: Sequence[SSAValue]) -> list[SSAValue]:
        """Returns the bounds between which the block multiplies keys."""
        return list(bounds)

    def first_range(self, ranges: KeyRanges) -> int:
        """
        Returns the number of the range to begin with. In a warp-specialized kernel, the first tile of keys is peeled from the loops
        (`pto_to_nv/warp_specialized/chained`), for each range that may be the first with a tile: it begins with one that always has,
        if possible just one, so that no loop remains.
        """
        if not self.plan.warp_specialized or self.plan.split > 1:
            return 0
        found = [ranges.at(m, self.bk) for m in range(0, self.space.m, self.bm)]
        counts = [[bounds[n + 1] - bounds[n] for bounds in found] for n in range(3)]
        return min((n for n in range(3) if min(counts[n]) > 0), key=lambda n: (max(counts[n]) > 1, n), default=0)

    # --- what the loop carries --------------------------------------------------------------------

    def start(self) -> Sequence[SSAValue]:
        """Writes the initial values that the loops carry."""
        acc = pto.TileType((self.bm, self.bn), f32, "Acc")
        return [self.add(pto.ExpandsOp(FloatAttr(0.0, f32), acc), "acc") for _ in self.chained]

    def iterate(
        self, scope: Scope, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        """
        Writes an iteration of a loop, at whose points `guard` holds; with `masks`, some are beyond the last key. Returns the values that
        the next one carries.
        """
        self.multiply_inner(scope)
        weights = [self.weights(number, scope, guard, masks) for number in range(len(self.chained))]
        return [
            self.multiply(acc, tile, values) for acc, tile, values in zip(carried, weights, self.values, strict=True)
        ]

    def end(self, carried: Sequence[SSAValue]) -> None:
        """Writes the results of the products."""
        self.start_epilogue([self.add(pto.MoveToVecOp(acc)) for acc in carried])

    def start_epilogue(self, tiles: Sequence[SSAValue]) -> None:
        """Sets the tiles of the results of the products, from which the epilogue starts."""
        for c, tile in zip(self.chained, tiles, strict=True):
            start = Read(Access(c.product.out, self.space.start_map), self.scope)
            self.scope.tiles[start.key] = tile

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

    def stage(self) -> None:
        """Writes the channels of the operands."""
        row, column = self.space.outer, self.space.outer + 1
        stages = cast(int, self.plan.stages)

        def staged(o: Operand, sizes: tuple[int, int], dims: tuple[int, int], depth: int, hint: str) -> Staged:
            along = row if o.transposed else column  # the axis along which elements are contiguous
            tile = pto.TileType(sizes, element(o.value), "Mat", None if dims[1] == along else "DN")
            return Staged(o, tile, dims, self.add(pto.ChannelOp(pto.ChannelType(depth, (tile,))), hint))

        found, count = [operands(self.space, c) for c in self.chained], 2 * len(self.inner)
        lefts, rights = list[Staged](), list[Staged]()
        for left, right in zip(found[0][:count:2], found[0][1:count:2], strict=True):
            head = rounded(left.sizes[-1])
            lefts.append(staged(left, (self.bm, head), (row, column), 1, "queries"))
            rights.append(staged(right, (head, self.bk), (column, row), stages, "keys"))
        self.lefts, self.rights = lefts, rights
        values = [o for c, each in zip(self.chained, found, strict=True) for o in each[2 * len(c.inner) :]]
        self.values = [
            staged(o, (self.bk, self.bn), (row, column), stages, "values") for o in values if self.multiplies
        ]

    def produce(self, spans: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Writes the process that fills the channels with the keys of these ranges, one after the other."""
        outer, zero = self.offsets[: self.space.outer], self.index(0)
        process = Block()
        with self.within(process):
            for staged in self.lefts:
                self.fill(staged, (*outer, self.offsets[self.space.outer], zero))
            for low, high in spans:
                loop = Block(arg_types=[IndexType()])
                loop.args[0].name_hint = "key"
                with self.within(loop):
                    for staged in (*self.rights, *self.values):
                        self.fill(staged, (*outer, loop.args[0], zero))
                    self.add(scf.YieldOp())
                self.add(scf.ForOp(low, high, self.step, [], Region(loop)))
        self.add(pto.ProcessOp(Region(process)))

    def fill(self, staged: Staged, offsets: Sequence[SSAValue]) -> None:
        self.add(pto.AcquireOp(staged.channel))
        o = staged.operand
        text, positions = affine.canonical_text(o.at), list[SSAValue]()
        if o.table is not None:
            tile, at = pto.TileType(staged.tile.sizes, element(o.table.value)), affine.canonical_text(o.table.map)
            memref = self.argument(o.table.value)
            positions = [self.add(pto.LoadMapOp(memref, offsets, at, o.sizes, staged.dims, tile))]
        load = pto.LoadMapOp(self.argument(o.value), offsets, text, o.space, staged.dims, staged.tile, None, positions)
        self.add(pto.CommitOp(staged.channel, [self.add(load)]))

    # --- the loops over keys ----------------------------------------------------------------------

    def loop(
        self, low: SSAValue, high: SSAValue, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        """Writes a loop over tiles of keys (`iterate`)."""
        body = Block(arg_types=[IndexType(), *(v.type for v in carried)])
        for arg, hint in zip(body.args, ("key", *(v.name_hint for v in carried)), strict=True):
            arg.name_hint = hint
        counter, *current = body.args
        offsets, inside = (*self.offsets[:-1], counter), Builder(InsertPoint.at_end(body))
        dims = (self.space.outer, self.key_axis)
        scope = Scope(self.scores_space[0], offsets, inside, (self.bm, self.bk), dims, self.once, self.key_axis)
        with self.inside(scope):
            self.add(scf.YieldOp(*self.iterate(scope, current, guard, masks)))
        loop = scf.ForOp(low, high, self.step, list(carried), Region(body))
        self.add(loop)
        if self.once.builder is self.builder:
            self.once.builder = Builder(InsertPoint.before(loop))
        for result, value in zip(loop.results, carried, strict=True):
            result.name_hint = value.name_hint
        remove_unused(body)
        return loop.results

    def multiply_inner(self, scope: Scope) -> None:
        """Writes the inner products."""
        sizes, iteration = self.scores_space
        for c, left, staged in zip(self.inner, self.left_tiles, self.rights, strict=True):
            self.at = c.op
            right = self.add(pto.MoveToRightOp(self.add(pto.WaitOp(staged.channel))))
            zero = self.add(pto.ExpandsOp(FloatAttr(0.0, f32), pto.TileType((self.bm, self.bk), f32, "Acc")))
            product = self.add(pto.MatmulAccOp(zero, left, right))
            self.add(pto.ReleaseOp(staged.channel))
            read = Read(Access(c.out, affine.compose(self.chained[0].at_of(c), iteration, sizes)), scope)
            scope.tiles[read.key] = self.add(pto.MoveToVecOp(product))
            self.known[c.out] = read

    def multiply(self, acc: SSAValue, weights: SSAValue, values: Staged) -> SSAValue:
        """Writes a product of weights, converted to the type of the values, that accumulates into `acc`."""
        p = self.add(pto.CvtOp(weights, values.tile.element_type))
        left = self.add(pto.MoveVecToLeftOp(p))
        right = self.add(pto.MoveToRightOp(self.add(pto.WaitOp(values.channel))))
        after = self.add(pto.MatmulAccOp(acc, left, right))
        self.add(pto.ReleaseOp(values.channel))
        return after

    def weights(self, number: int, scope: Scope, guard: isl.Set | None, masks: bool) -> SSAValue:
        """Returns the tile of the weights of a product in f32, which are zero beyond the last key."""
        c = self.chained[number]
        tile = self.between(c.weights, c.product.lhs.map, scope, guard)
        self.at = c.product.op
        wide = tile.owner.input if isinstance(tile.owner, pto.CvtOp) else tile
        if pto.tile_type(wide).element_type != f32:
            wide = self.add(pto.CvtOp(tile, f32))
        if not masks or not self.space.k % self.bk:
            return wide
        mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
        return self.add(pto.SelOp(mask, wide, Formula(self.add).number(0.0, wide)))

    def between(self, value: SSAValue, at: isl.MultiAff, scope: Scope, guard: isl.Set | None) -> SSAValue:
        """Returns the tile of a value between products that is read from the iteration axes through `at`, at points where `guard` holds."""
        sizes, iteration = self.scores_space
        read = Read(Access(value, affine.compose(at, iteration, sizes), guard), scope)
        return self.value(self.known.get(value, read))

    # --- exponentials -----------------------------------------------------------------------------

    def compute(self, read: Read, operands: Sequence[SSAValue]) -> SSAValue:
        """Writes exponentials of what inner products compute as exp2, and divides them by stored values by multiplying by reciprocals."""
        value, op, write = read.at.value, read.at.value.owner, Formula(self.add)
        depending = set[SSAValue]().union(*(c.depending for c in self.chained))
        if element(value) == f32 and value in depending:
            match op:
                case tiny.UnaryOp() if op.fn.data in ("exp", "exp2"):
                    self.at = op
                    return self.exponential(op, operands[0])
                case tiny.BinaryOp(inputs=(_, divisor)) if (
                    op.fn.data == "div"
                    and isinstance(operands[0].owner, pto.UNARY["exp2"])
                    and divisor not in depending
                ):
                    self.at = op
                    inverse = self.of_row(operands[1], "reciprocal", lambda divisor: write.unary("recip", divisor))
                    return write.binary("mul", operands[0], inverse)
                case _:
                    pass
        return super().compute(read, operands)

    def exponential(self, op: tiny.UnaryOp, x: SSAValue) -> SSAValue:
        """
        Writes an exponential of `x`. If that is scores minus stored values, such as the logarithms of sums of rows, the exponent is
        `fma(scores, c, -c · stored)`, unless scores may be as huge as the -1e9 of a mask (`shifts_by_data`). It differs from the program's
        by up to 2^-22.5 of its scores times c, as does that of scores which are summed in another order: the product with c, c itself and its
        product with what is stored are rounded. Exponentials of scores beyond 2^29 / c may overflow, and those of smaller ones do not.
        """
        write, c = Formula(self.add), log2(E) if op.fn.data == "exp" else 1.0
        difference = op.input.owner
        if isinstance(x.owner, pto.BINARY["sub"]) and isinstance(difference, tiny.BinaryOp):
            (scores, stored), inner = x.owner.operands, {c.out for c in self.inner}
            if not inner.isdisjoint(upstream([difference.inputs[0]])) and not shifts_by_data(
                difference.inputs[0], inner
            ):
                scores, factor = unscaled(scores)
                shift = self.of_row(stored, f"times {-c}", lambda row: write.binary("mul", row, -c))
                return write.unary("exp2", self.add(pto.FmaOp(scores, write.number(c * factor, scores), shift)))
        return write.unary("exp2", write.binary("mul", x, c))

    def of_row(self, tile: SSAValue, name: str, write: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """Returns what `write` computes from a tile, once before the loops if the tile repeats a column that is there."""
        by = tile.owner
        if not isinstance(by, pto.RowExpandOp) or by.input not in self.once.tiles.values():
            return write(tile)
        if (key := (by.input, name)) not in self.of_rows:
            with self.inside(self.once):
                self.of_rows[key] = write(by.input)
        return self.add(pto.RowExpandOp(self.of_rows[key], pto.tile_type(tile).sizes[1]))

    def read(self, access: Access, at: Access, scope: Scope) -> Read:
        found = super().read(access, at, scope)
        return self.known.get(found.at.value, found)

    def varies(self, at: Access, scope: Scope) -> bool:
        return any(at.value in c.depending for c in self.chained) or super().varies(at, scope)

    def within_keys(self, x: SSAValue, scope: Scope) -> SSAValue:
        """Writes -inf in place of scores beyond the last key, unless a mask of positions has done so."""
        by = x.owner
        if isinstance(by, pto.SelOp) and self.ends_at_last_key(by.mask.owner) and number_of(by.on_false) == -inf:
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
