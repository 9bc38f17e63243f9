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
numerators are relative to 0 instead, to avoid -inf - -inf. A maximum that is larger by a little does not replace the one before, so that
%f is 1 and the product with it can be skipped, as in FlashAttention-4 (`rescales_seldom`). If scores may be as huge as the -1e9 of a mask,
exponents are `(%x - %m') · c`: `%m' · c` would be rounded by more than an exponent may be. Spec: `tensor-compiler.ja §1.7`; Dao 2023,
*FlashAttention-2*.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import e as E
from math import inf, log2, nan
from typing import cast

import islpy as isl
from xdsl.dialects.builtin import FloatAttr, f32
from xdsl.ir import Operation, SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.attention import Attention, RowProduct
from ...analysis.regions.kernel_space import kernel_space, stored_values
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region
from ...dialects.common.shapes import element
from ...dialects.plan.schedule import Schedule
from .chained import ChainedProgram, number_of
from .formulas import Formula
from .program import Read, Scope

MAX_EXCESS = 8.0
"""Exponents of numerators, to the base 2, are at most this where earlier ones are rescaled seldom: numerators of 256 have as many bits."""


class AttentionProgram(ChainedProgram):
    """Writes the loops over keys, and the quotient from which the epilogue starts."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.attention = cast(Attention, self.space.attention)

    @property
    def rescales_seldom(self) -> bool:
        """
        Returns whether the maximum of a row that numerators are relative to is replaced only by one that is much larger: kernels that skip
        products with factors of 1 are faster then. The maxima must not be results.
        """
        results = any(self.is_of_rows(root) for root in stored_values(self.kernel))
        return not (self.plan.warp_specialized or self.plan.split > 1 or results)

    def start(self) -> Sequence[SSAValue]:
        """Writes the initial maximum, sum and accumulator."""
        return [*self.start_rows(), *super().start()]

    def start_rows(self) -> Sequence[SSAValue]:
        return self.rows_of(-inf, "max"), self.rows_of(0.0, "sum")

    def rows_of(self, number: float, hint: str) -> SSAValue:
        return self.add(pto.ExpandsOp(FloatAttr(number, f32), pto.TileType((self.bm, 1), f32)), hint)

    def iterate(
        self, scope: Scope, carried: Sequence[SSAValue], guard: isl.Set | None, masks: bool
    ) -> Sequence[SSAValue]:
        old, total, acc = carried
        x = self.masked_scores(scope, guard, masks)
        p, scale, new, total = self.softmax(x, old, total)
        wide = self.add(pto.RowExpandOp(scale, self.bn))
        rescaled = Formula(self.add).binary("mul", self.add(pto.MoveToVecOp(acc)), wide)
        return new, total, self.multiply(self.add(pto.MoveVecToAccOp(rescaled)), p, self.values[0])

    def end(self, carried: Sequence[SSAValue]) -> None:
        """Writes the quotient from which the epilogue starts, and what results of rows are computed from."""
        maximum, total, acc = carried
        write = Formula(self.add)
        tile = self.add(pto.MoveToVecOp(acc))
        inverse = self.add(pto.RowExpandOp(write.unary("recip", total), self.bn))
        self.start_epilogue([write.binary("mul", tile, inverse)])
        if any(self.is_of_rows(root) for root in stored_values(self.kernel)):
            self.results_of_rows(maximum, total)

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
        found = super().read(access, at, scope)
        return self.read_of_rows(found.at.value) if found.at.value in self.attention.rows else found

    def softmax(self, x: SSAValue, old: SSAValue, total: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue, SSAValue]:
        """Writes the numerators, the factor that rescales earlier ones, the new maximum, and the new sum."""
        write, a = Formula(self.add), self.attention
        c = a.factor * a.scale * (log2(E) if a.exponential == "exp" else 1.0)
        new = write.binary("max", old, self.add(pto.RowMaxOp(x)))
        if self.rescales_seldom:
            far = write.compare("GT", write.binary("sub", new, old), MAX_EXCESS / c)
            new = self.add(pto.SelOp(far, new, old))
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
        old, total, products = carried
        a, write = cast(RowProduct, self.attention), Formula(self.add)
        p, scale, new, total = self.softmax(self.masked_scores(scope, guard, masks), old, total)
        factors = self.between(a.factors.value, a.factors.map, scope, guard)
        part = self.add(pto.RowSumOp(write.binary("mul", p, factors)))
        return new, total, self.add(pto.FmaOp(products, scale, part))

    def end(self, carried: Sequence[SSAValue]) -> None:
        maximum, total, products = carried
        write, out = Formula(self.add), self.attention.product.out
        result = write.binary("mul", products, write.unary("recip", total))
        self.results_of_rows(maximum, total)
        self.known[out] = read = Read(Access(out, self.space.start_map), self.once)
        self.once.tiles[read.key] = result

    def is_of_rows(self, root: SSAValue) -> bool:
        return True


def chained_program(kernel: region.RegionKernelOp, plan: Schedule) -> ChainedProgram:
    """Returns the writer of the tile program of chained products."""
    attention = kernel_space(kernel).attention
    if attention is None:
        return ChainedProgram(kernel, plan)
    return (RowProductProgram if isinstance(attention, RowProduct) else AttentionProgram)(kernel, plan)
