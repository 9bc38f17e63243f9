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

With a threshold, as in FlashAttention-4 (`rescale_threshold`), %m' is a greater maximum only if it exceeds %m by more than this power
of two: the quotient is the same relative to any number, as are its rounding errors, and numerators are up to 2 to that power. So %f is
exactly 1 for most tiles of keys, and the product with it can be skipped.

Tiles of keys that a mask excludes are skipped, and whole ones are computed without it (`analysis/regions/key_ranges.py`). While the maximum is -inf,
numerators are relative to 0 instead, to avoid -inf - -inf. If scores may be as huge as the -1e9 of a mask, exponents are
`(%x - %m') · c`: `%m' · c` would be rounded by more than an exponent may be. Scores of a product alone are that huge in few rows, which
take a power of two in place of c (`AttentionProgram.factor_of_exponents`). Spec: `tensor-compiler.ja §1.7`; Dao 2023, *FlashAttention-2*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import e as E
from math import floor, inf, log2, nan
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import FloatAttr, f16, f32
from xdsl.ir import Operation, SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.attention import Attention, RowProduct
from ...analysis.regions.kernel_space import kernel_space, stored_values
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region
from ...dialects.common.shapes import element, shape
from ...dialects.plan.schedule import MAX_RESCALE_THRESHOLD, Schedule
from .chained import ChainedProgram
from .factors import number_of
from .formulas import Formula
from .scope import Read, Scope


class AttentionProgram(ChainedProgram):
    """Writes the loops over keys, and the quotient from which the epilogue starts."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.attention = cast(Attention, self.space.attention)
        self.softmax = self.attention.softmax
        s = self.softmax
        self.predicates = [each for each in dict.fromkeys((s.summed, s.kept)) if each]
        """The predicates of which the loops carry whether some score of a row is kept by them: those of the sum, and of the weights."""

    def start(self) -> Sequence[SSAValue]:
        """Writes the initial maximum, sum and accumulator."""
        return [*self.start_rows(), *super().start()]

    def start_rows(self) -> Sequence[SSAValue]:
        kept = [self.rows_of(0.0, "kept") for _ in self.predicates]
        return self.rows_of(-inf, "max"), self.rows_of(0.0, "sum"), *kept

    def rows_of(self, number: float, hint: str) -> SSAValue:
        return self.add(pto.ExpandsOp(FloatAttr(number, f32), pto.TileType((self.bm, 1), f32)), hint)

    def iterate(
        self, scope: Scope, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        *rows, acc = carried
        p, scale, rows = self.numerators(scope, rows, guard, masks)
        wide = self.add(pto.RowExpandOp(scale, self.bn))
        rescaled = Formula(self.add).binary("mul", self.add(pto.MoveToVecOp(acc)), wide)
        return *rows, self.multiply(self.add(pto.MoveVecToAccOp(rescaled)), p, self.values[0])

    def end(self, carried: Sequence[SSAValue]) -> None:
        """Writes the quotient from which the epilogue starts, and what results of rows are computed from."""
        *rows, acc = carried
        write = Formula(self.add)
        tile = self.add(pto.MoveToVecOp(acc))
        inverse = self.add(pto.RowExpandOp(self.weight_of_maximum(rows), self.bn))
        self.start_epilogue([write.binary("mul", tile, inverse)])
        if any(self.is_of_rows(root) for root in stored_values(self.kernel)):
            self.hold_rows(rows)

    def masked_scores(self, scope: Scope, guard: isl.Set | None, masks: bool) -> SSAValue:
        """Writes the scores that the softmax takes, without the factor, and -inf beyond the last key."""
        x = self.unscaled(self.scores(scope, guard))
        return self.within_keys(x, scope) if masks and self.space.k % self.bk else x

    def scores(self, scope: Scope, guard: isl.Set | None) -> SSAValue:
        """Writes the first product and the ops up to the softmax, and returns the tile of scores."""
        self.multiply_inner(scope)
        return self.between(self.attention.x, self.attention.at, scope, guard)

    # --- results of rows --------------------------------------------------------------------------

    def is_of_rows(self, root: SSAValue) -> bool:
        """Returns whether a result is computed from the maximum and the sum of a row, such as their log-sum-exp."""
        return self.space.start not in upstream([root])

    def weight_of_maximum(self, rows: Sequence[SSAValue]) -> SSAValue:
        """
        Writes the weight that the program gives to the largest score of each row. The numerators of the kernel, relative to that of the
        maximum, are multiplied by it.
        """
        if self.softmax.is_plain:
            return Formula(self.add).unary("recip", rows[1])
        self.hold_rows(rows)
        self.hold_kept(self.softmax.kept, rows[-1])
        return self.at_maximum(self.softmax.weight)

    def hold_rows(self, rows: Sequence[SSAValue]) -> None:
        """Sets the tiles of the maximum and the sum of each row, from which results of rows are computed."""
        for value, tile in zip(self.attention.rows, self.as_in_program(rows), strict=True):
            self.once.tiles[self.read_of_rows(value).key] = self.convert(tile, element(value))

    def as_in_program(self, rows: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
        """
        Writes the maximum and the sum as the program has them. The kernel's maximum lacks the factor, and its sum is relative to it: the
        program's has the numerator of the maximum as a factor. This is 1, but NaN, of exp(-inf - -inf), for a row without a score above -inf.
        """
        maximum, total, *kept = rows
        write, s = Formula(self.add), self.softmax
        largest = self.with_factor(maximum)
        if s.is_plain:
            empty = write.compare("EQ", maximum, -inf)
            return largest, self.add(pto.SelOp(empty, write.number(nan, total), total))
        self.once.tiles[self.read_of_rows(s.x).key] = largest
        self.once.tiles[self.read_of_rows(s.maximum.result).key] = self.convert(largest, element(s.maximum.result))
        if s.summed:
            self.hold_kept(s.summed, kept[0])
        numerator = self.at_maximum(Access(s.total.input, s.at))
        infinite = write.compare("EQ", largest, inf)
        total = write.binary("mul", total, numerator)
        return largest, self.add(pto.SelOp(infinite, numerator, total))

    def hold_kept(self, predicates: Sequence[Access], row: SSAValue) -> None:
        """Sets the tile of predicates to whether some score of the row is kept by them."""
        for predicate in predicates:
            self.once.tiles[self.read_of_rows(predicate.value).key] = Formula(self.add).compare("GT", row, 0.0)

    def at_maximum(self, read: Access) -> SSAValue:
        """Writes what the program computes from a score, read from the iteration axes, for the largest score of each row."""
        at = Access(read.value, self.space.rows_through(read.map))
        return self.value(self.read(Access(read.value, affine.identity(len(shape(read.value)))), at, self.once))

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

    # --- the softmax ------------------------------------------------------------------------------

    def unscaled(self, x: SSAValue) -> SSAValue:
        """
        Returns the scores without the factor that the numerators' exponents take (`Attention.factor`): the largest of them is the largest of
        the scaled ones. A mask sets scores to -inf, also if the program adds -inf to them.
        """
        if self.attention.factor == 1.0:
            return x
        match x.owner:
            case pto.SelOp(mask=mask, on_true=kept, on_false=none) if number_of(none) == -inf:
                return self.add(pto.SelOp(mask, self.unscaled(kept), none))
            case pto.SelOp(mask=mask, on_true=none, on_false=kept) if number_of(none) == -inf:
                return self.add(pto.SelOp(mask, none, self.unscaled(kept)))
            case Operation(operands=(left, right)) as op if isinstance(op, pto.BINARY["mul"]):
                for value, factor in ((left, number_of(right)), (right, number_of(left))):
                    if factor is not None and FloatAttr(factor, f32) == FloatAttr(self.attention.factor, f32):
                        return value
            case Operation(operands=(left, right)) as op if isinstance(op, pto.BINARY["add"]):
                for value, added in ((left, right), (right, left)):
                    if number_of(added) == 0:
                        return self.unscaled(value)
                    by = added.owner
                    if isinstance(by, pto.SelOp) and (number_of(by.on_true), number_of(by.on_false)) == (0, -inf):
                        return self.add(pto.SelOp(by.mask, self.unscaled(value), by.on_false))
            case _:
                pass
        return Formula(self.add).binary("mul", x, 1 / self.attention.factor)

    def read(self, access: Access, at: Access, scope: Scope) -> Read:
        found, s = super().read(access, at, scope), self.softmax
        if found.at.value in self.attention.rows:
            return self.read_of_rows(found.at.value)
        if scope is self.once and found.at.value is s.x:  # it may be a product, whose tile in the loop is known
            return self.read_of_rows(s.x)
        if found.scope is not self.once:
            return found
        if self.is_predicate(found):
            return self.read_of_rows(found.at.value)
        if (weight := s.skips.get(found.at.value)) is not None:
            inner = next(a for a in self.space.book[found.at.value].accesses if a.value is weight)
            return self.read(inner, found.at, scope)
        return found

    @property
    def rescale_threshold(self) -> int:
        """
        The powers of two by which a maximum may rise before rows are rescaled to it; 0 if it is stored itself, or if the program uses it
        for more than what numerators are relative to.
        """
        stored = any(self.is_of_rows(root) for root in stored_values(self.kernel))
        if self.plan.split > 1 or stored or not self.softmax.is_plain:
            return 0
        return (self.plan.rescale_threshold or 0) if self.plan.warp_specialized else MAX_RESCALE_THRESHOLD

    def compute(self, read: Read, operands: Sequence[SSAValue]) -> SSAValue:
        """Writes the ops of the largest score as the program has them: it may be huge, so that a folded exponent would not be near 0."""
        return super(ChainedProgram, self).compute(read, operands)

    def where(self, read: Read) -> isl.Set | None:
        return None if read.scope is self.once and self.is_predicate(read) else super().where(read)

    def is_predicate(self, read: Read) -> bool:
        return any(p.value is read.at.value for each in self.predicates for p in each)

    def numerators(
        self, scope: Scope, rows: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> tuple[SSAValue, SSAValue, Sequence[SSAValue]]:
        """
        Writes the numerators, times what differs by key, the factor that rescales earlier ones, and the rows that the next iteration carries.
        """
        old, total, *before = rows
        kept = zip(self.predicates, before, strict=True)
        p, scale, new = self.exponentials(self.masked_scores(scope, guard, masks), old)
        keeps = {each: self.keeps(each, scope, guard, masks) for each in self.predicates}
        summed = self.zeroed(p, self.softmax.summed, keeps)
        weighted = self.zeroed(self.multiplied(p, scope, guard), self.softmax.kept, keeps)
        total = self.add(pto.FmaOp(total, scale, self.add(pto.RowSumOp(summed))))
        largest = (Formula(self.add).binary("max", old, self.add(pto.RowMaxOp(keeps[each]))) for each, old in kept)
        return weighted, scale, [new, total, *largest]

    def zeroed(
        self, p: SSAValue, predicates: tuple[Access, ...], keeps: Mapping[tuple[Access, ...], SSAValue]
    ) -> SSAValue:
        """Writes zeros in place of what predicates do not keep, unless the scores are -inf there."""
        if all(self.softmax.masks(predicate.value) for predicate in predicates):
            return p
        return Formula(self.add).binary("mul", p, keeps[predicates])

    def keeps(self, predicates: Sequence[Access], scope: Scope, guard: isl.Set | None, masks: bool) -> SSAValue:
        """Writes 1 for scores that all predicates keep, and 0 for others."""
        tiles = [self.expanded(self.between(p.value, p.map, scope, guard), scope) for p in predicates]
        if masks and self.space.k % self.bk:
            tiles.append(self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes)))
        kept = reduce(lambda one, other: Formula(self.add).binary("and", one, other), tiles)
        one, zero = (
            self.add(pto.ExpandsOp(FloatAttr(n, f32), pto.TileType((self.bm, self.bk), f32))) for n in (1.0, 0.0)
        )
        return self.add(pto.SelOp(kept, one, zero))

    def multiplied(self, p: SSAValue, scope: Scope, guard: isl.Set | None) -> SSAValue:
        """Writes the products of numerators with what differs by key, such as a mask of dropout."""
        for factor in self.softmax.factors:
            tile = self.between(factor.read.value, factor.read.map, scope, guard)
            p = Formula(self.add).binary(factor.fn, p, self.expanded(tile, scope))
        return p

    def exponentials(self, x: SSAValue, old: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Writes the numerators, the factor that rescales earlier ones, and the new maximum."""
        write, a, s = Formula(self.add), self.attention, self.softmax
        c = a.factor * s.scale * (log2(E) if s.exponential == "exp" else 1.0)
        new = write.binary("max", old, self.add(pto.RowMaxOp(x)))
        if threshold := self.rescale_threshold:
            rise = write.binary("sub", new, old)
            new = self.add(pto.SelOp(write.compare("GT", rise, threshold / c), new, old))
        finite = self.add(pto.SelOp(write.compare("EQ", new, -inf), write.number(0.0, new), new))
        if a.is_shifted_by_data or s.scale > 1:
            scale = write.unary("exp2", write.binary("mul", write.binary("sub", old, finite), c))
            wide = self.add(pto.RowExpandOp(finite, self.bk))
            p = write.unary("exp2", write.binary("mul", write.binary("sub", x, wide), c))
        else:
            factor = write.number(c, finite) if c < 2**20 and _is_bounded(x) else self.factor_of_exponents(finite, c)
            shift = write.unary("neg", write.binary("mul", finite, factor))
            scale = write.unary("exp2", write.binary("add", write.binary("mul", old, factor), shift))
            each = write.number(c, x) if number_of(factor) is not None else self.add(pto.RowExpandOp(factor, self.bk))
            p = write.unary("exp2", self.add(pto.FmaOp(x, each, self.add(pto.RowExpandOp(shift, self.bk)))))
        return p, scale, new

    def factor_of_exponents(self, maximum: SSAValue, c: float) -> SSAValue:
        """
        Writes the factor of the exponents of each row: `c`, or a power of two where the maximum is huge. The product of c and a maximum of
        up to 2^30 / c is rounded by up to 2^5: all numerators of the row have this power of two in common, for which f32 and bf16 have the
        range, and f16 up to 2^27 / c. Products with powers of two are exact, so that the exponent of the maximum is 0, as in the program. Those
        of smaller scores are less by more than 2^4, and their weights are nearly zero with either factor.
        """
        write, narrow = Formula(self.add), any(v.tile.element_type == f16 for v in self.values)
        huge = 2.0**27 if narrow else 2.0**30
        power = 2.0 ** (round(log2(c)) if narrow else floor(log2(self.attention.factor * self.softmax.scale)))
        is_huge = write.compare("GT", write.unary("abs", maximum), huge / c)
        return self.add(pto.SelOp(is_huge, write.number(power, maximum), write.number(c, maximum)))


class RowProductProgram(AttentionProgram):
    """
    Writes the sums of the products of weights and other values of rows, such as those of the backward pass of attention. The loop carries
    the sum of the products of the numerators, instead of an accumulator.
    """

    def start(self) -> Sequence[SSAValue]:
        return [*self.start_rows(), self.rows_of(0.0, "products")]

    def iterate(
        self, scope: Scope, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        *rows, products = carried
        a, write = cast(RowProduct, self.attention), Formula(self.add)
        p, scale, rows = self.numerators(scope, rows, guard, masks)
        factors = self.between(a.factors.value, a.factors.map, scope, guard)
        part = self.add(pto.RowSumOp(write.binary("mul", p, factors)))
        return *rows, self.add(pto.FmaOp(products, scale, part))

    def end(self, carried: Sequence[SSAValue]) -> None:
        *rows, products = carried
        result = Formula(self.add).binary("mul", products, self.weight_of_maximum(rows))
        self.hold_rows(rows)
        out = self.attention.product.out
        self.known[out] = read = Read(Access(out, self.space.start_map), self.once)
        self.once.tiles[read.key] = result

    def is_of_rows(self, root: SSAValue) -> bool:
        return True


def _is_bounded(x: SSAValue) -> bool:
    """Returns whether a tile of scores has numbers between -1 and 1, as those that are capped, besides what is masked."""
    match x.owner:
        case pto.SelOp(on_true=one, on_false=other):
            return all(_is_bounded(v) or number_of(v) == -inf for v in (one, other))
        case op:
            return isinstance(op, pto.UNARY["tanh"])


def chained_program(kernel: region.RegionKernelOp, plan: Schedule) -> ChainedProgram:
    """Returns the writer of the tile program of chained products."""
    attention = kernel_space(kernel).attention
    if attention is None:
        return ChainedProgram(kernel, plan)
    return (RowProductProgram if isinstance(attention, RowProduct) else AttentionProgram)(kernel, plan)
