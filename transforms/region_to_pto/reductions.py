"""
Reductions that no matrix unit computes: loops over the reduced axes, or few elements that are loaded together.

A sum of products is added by FMAs where that rounds as the program asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import cast

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, IntegerType, f32, f64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import extended
from ...analysis.regions.windows import Window
from ...dialects import pto, tiny
from ...dialects.common.shapes import is_as_wide, is_predicate, multiplies_exactly
from ...errors import Unsupported
from ...planning.elementwise import unrolls
from ..neutral import neutral
from .formulas import Formula
from .scope import Read, Scope
from .values import TileValues

COMBINERS = {"sum": "add", "mul": "mul", "max": "max", "min": "min"}
"""Maps each reduction to the vector op that combines two elements."""
PREDICATE_COMBINERS = {"max": "or", "min": "and"}
"""Maps each reduction of i1 to the vector op that combines two elements."""


class Reductions(TileValues):
    """Writes reductions."""

    rounds_products = False
    """Whether a sum that is not in f64 adds products of f32 that are rounded to f32, as on a target without f64."""

    def reduce(self, op: tiny.ReduceOp, read: Read) -> SSAValue:
        """
        Writes a nest of loops over the reduced axes that combines the elements, and returns the result's tile. A plan of vectors has
        no loops: the few elements of each window are vectors that are loaded together.
        """
        scope, info = read.scope, self.space.book[op.result]
        if (window := self.space.window) is not None and op is window.op:
            return self.reduce_windows(window, scope)
        if scope.positions:
            need = "store the reduction first, as form-regions does"
            raise Unsupported(op, what="a reduction that is read at indices given by data in its kernel", need=need)
        points, at = extended(info, read.at.map, scope.points)
        rank = len(scope.points)
        looped = [k for k, size in enumerate(points) if k < rank or size > 1]
        sizes = [points[k] for k in looped]
        every = [f"i{looped.index(k)}" if k in looped else "0" for k in range(len(points))]
        at = affine.compose(at, affine.make_map(len(looped), every), sizes)
        if unrolls(self.plan, prod(sizes[rank:])):
            return self.unrolled(op, read, at, sizes[rank:])
        return self.looped(op, read, at, sizes[rank:])

    def unrolled(self, op: tiny.ReduceOp, read: Read, at: isl.MultiAff, sizes: Sequence[int]) -> SSAValue:
        """Writes the reduction of few elements; `at` leads from the space and the reduced axes of `sizes` to the axes of the op."""
        scope, rank = read.scope, len(read.scope.points)
        total = self.filled(neutral(op.fn.data, op.accum), scope)
        for taps in product(*map(range, sizes)):
            one = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), *map(str, taps)])
            there = Access(op.result, affine.compose(at, one, scope.points), read.at.guard)
            tile = self.value(self.read(self.space.book[op.result].accesses[0], there, scope))
            self.at = op
            total = self.combined(op.fn.data, total, tile, op.accum)
        return total

    def looped(self, op: tiny.ReduceOp, read: Read, at: isl.MultiAff, sizes: Sequence[int]) -> SSAValue:
        """Writes a nest of loops over the reduced axes of `sizes`; `at` is as in `unrolled`."""
        scope, rank = read.scope, len(read.scope.points)
        total = self.filled(neutral(op.fn.data, op.accum), scope)
        inner, loops = scope, list[tuple[Block, int, SSAValue, Scope]]()
        for size in sizes:
            loops.append((loop := Block(arg_types=[IndexType(), total.type]), size, total, inner))
            counter, total = loop.args
            counter.name_hint = "r"
            body = Builder(InsertPoint.at_end(loop))
            offsets = (*inner.offsets, counter)
            inner = Scope((*inner.points, size), offsets, body, inner.sizes, inner.dims, inner, len(inner.points))
        guard = None
        if read.at.guard is not None:
            kept = affine.make_map(rank + len(sizes), [f"i{k}" for k in range(rank)])
            guard = read.at.guard.preimage_multi_aff(kept)
        tile = self.value(self.read(self.space.book[op.result].accesses[0], Access(op.result, at, guard), inner))
        self.at = op
        with self.inside(inner):
            total = self.combined(op.fn.data, total, tile, op.accum)
        for loop, size, start, around in reversed(loops):
            loop.add_op(scf.YieldOp(total))
            with self.inside(around):
                total = self.add(scf.ForOp(self.index(0), self.index(size), self.index(1), [start], Region(loop)))
        return total

    def reduce_windows(self, window: Window, scope: Scope) -> SSAValue:
        """Writes the reduction of adjacent rows, which are windows, and returns the tile in which all rows of a window have its result."""
        op, fn = window.op, window.op.fn.data
        at = cast(isl.MultiAff, self.space.window_points)
        tile = self.value(self.read(self.space.book[op.result].accesses[0], Access(op.result, at), scope))
        self.at = op
        total = self.convert(self.term(fn, self.expanded(tile, scope), op.accum), op.accum)
        step = 1
        while step < window.rows:
            total = self.combined(fn, total, self.add(pto.RowXorOp(total, step)), op.accum)
            step *= 2
        return total

    def term(self, fn: str, tile: SSAValue, accum: Attribute) -> SSAValue:
        """
        Returns the tile that a reduction adds or compares: `tile` converted to `accum`, except that a sum keeps floats that are
        at least as wide as `accum`, unless they are products that it rounds.
        """
        if self.rounds_products and fn == "sum" and accum != f64 and (sources := exact_factors(tile, f64)) is not None:
            self.products.append(cast(Operation, tile.owner))
            return self.add(pto.BINARY["mul"](*(self.convert(x, f32) for x in sources)))
        wide = pto.tile_type(tile).element_type
        if fn == "sum" and isa(accum, IntegerType):
            return Formula(self.add).wrapped(tile, accum)
        return tile if fn == "sum" and is_as_wide(wide, accum) else self.convert(tile, accum)

    def combined(self, fn: str, total: SSAValue, tile: SSAValue, accum: Attribute) -> SSAValue:
        """Writes one step of a reduction, `total` combined with `tile` and rounded once, and returns the new total."""
        term = self.term(fn, tile, accum)
        if fn == "sum" and (factors := self.factors(term, accum)) is not None:
            left, right = factors
            self.products.append(cast(Operation, term.owner))
            return self.add(pto.FmaOp(left, right, total))
        operands = [self.convert(total, pto.tile_type(term).element_type), term]
        combiner = (PREDICATE_COMBINERS if is_predicate(accum) else COMBINERS)[fn]
        return self.convert(self.add(pto.BINARY[combiner](*operands)), accum)

    def factors(self, term: SSAValue, accum: Attribute) -> Sequence[SSAValue] | None:
        """
        Returns the factors in f32 of a product that an FMA may add to f32: one of f32 that is not rounded or, if floats are strict, one of
        f64 that is exact. None for other terms.
        """
        sources = exact_factors(term, f64 if self.strict else f32) if accum == f32 else None
        if sources is None:
            return None
        return [self.convert(x, f32) for x in sources] if self.strict else cast(Operation, term.owner).operands


def exact_factors(term: SSAValue, product: Attribute) -> list[SSAValue] | None:
    """Returns what the factors of a product of type `product` are converted from, if the product is exact; otherwise None."""
    mul = term.owner
    if not isinstance(mul, pto.BINARY["mul"]) or pto.tile_type(term).element_type != product:
        return None
    sources = [v.owner.input for v in mul.operands if isinstance(v.owner, pto.CvtOp)]
    types = [pto.tile_type(x).element_type for x in sources]
    return sources if len(sources) == 2 and multiplies_exactly(types[0], types[1], product) else None


def erase_unused(op: Operation) -> None:
    """Erases a product without uses, and the casts that only it used."""
    if any(result.uses for result in op.results):
        return
    before = [v.owner for v in dict.fromkeys(op.operands) if isinstance(v.owner, pto.CvtOp)]
    Rewriter.erase_op(op)
    for convert in before:
        erase_unused(convert)
