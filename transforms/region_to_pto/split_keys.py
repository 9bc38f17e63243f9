"""
Attention with divided keys (`algo_choice.attention = "split_kv"`), for few queries and long keys: blocks take a part of the keys each,
and a second kernel combines the parts in the order of their numbers.

```
@f         for each part s:      %m, %l, %acc of its keys     →   store to maxima[s], sums[s], products[s]
@f_combine m = max maxima[s];    l = Σ sums[s] / exp(m - maxima[s]);    o = (Σ products[s] / exp(m - maxima[s])) / l;    the epilogue
```

The part is the first axis of the tiles of `@f`. A part without keys has the maximum -inf, the sum 0 and the product 0. Results are divided by
exp(m - maxima[s]), rather than multiplied by its inverse, as a sum of products would be a contraction. Spec:
`tensor-compiler.ja §1.7`; Dao et al. 2023, *Flash-Decoding*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.regions.kernel_space import stored_values
from ...dialects import pto, region
from ...dialects.common.shapes import element, shape
from ...dialects.plan.schedule import Schedule
from ...planning.template import Request
from ..plan_regions import plan_region
from ..ptir_to_tiny.writer import Writer
from .further_kernels import FurtherKernel, PartialProgram, further_kernel


class SplitKeysProgram(PartialProgram):
    """Writes the kernel of the parts, and the kernels that combine them."""

    names = ("products", "maxima", "sums", "row_maxima", "row_sums")
    """The last two, in the form of results of rows, are only there if there are such results."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.further = (plan.split,)
        self.tile.erase_arg(self.tile.args[-1])
        self.part = self.tile.insert_arg(IndexType(), 0)
        self.part.name_hint = "part"

    def clipped(self, bounds: Sequence[SSAValue]) -> list[SSAValue]:
        each = self.index(self.plan.part(self.space.k))
        low = self.add(arith.MuliOp(self.part, each), "part_begin")
        high = self.add(arith.AddiOp(low, each), "part_end")
        known = {b: self.add(arith.MinUIOp(self.add(arith.MaxUIOp(b, low)), high)) for b in dict.fromkeys(bounds)}
        return [known[b] for b in bounds]

    def end(self, carried: Sequence[SSAValue]) -> None:
        """Writes the stores of a part."""
        self.erase_results()
        maximum, total, acc = carried
        a, space = self.attention, self.space
        maximum = self.with_factor(maximum)
        flat = [f"i{k}" if k not in a.product.n else "0" for k in range(a.product.rank)]
        of_rows = affine.compose(affine.make_map(a.product.rank, flat), space.start_map, space.points)
        sizes = shape(a.product.out)
        row_sizes = tuple(1 if k in a.product.n else n for k, n in enumerate(sizes))
        self.store_part(self.add(pto.MoveToVecOp(acc)), space.start_map, sizes)
        self.store_part(maximum, of_rows, row_sizes)
        self.store_part(total, of_rows, row_sizes)
        if any(map(self.is_of_rows, stored_values(self.kernel))):
            self.store_part(maximum, space.of_rows_of_scores, shape(a.total.result))
            self.store_part(total, space.of_rows_of_scores, shape(a.total.result))

    # --- the second kernels -----------------------------------------------------------------------

    def further_kernels(self, name: Callable[[str], str]) -> list[FurtherKernel]:
        """Returns the kernels that combine the parts, one for each result."""
        stored = enumerate(stored_values(self.kernel))
        out = [self.combination(number, root, name(f"combine_{number}")) for number, root in stored]
        for each in out:
            plan_region(Request.of(each.kernel, self.plan.arch))
        return out

    def combination(self, number: int, root: SSAValue, name: str) -> FurtherKernel:
        of_rows, a = self.is_of_rows(root), self.attention
        numbers = (3, 4) if of_rows else (0, 1, 2)
        workspaces = {k: self.workspaces[k] for k in numbers}
        starts, start = (a.rows, self.start_of_rows) if of_rows else ((a.product.out,), self.start_of_product)
        return further_kernel(self.kernel, name, [number], workspaces, starts, start)

    def start_of_rows(self, write: Writer, parts: Sequence[SSAValue]) -> list[SSAValue]:
        """Writes the maximum and the sum of each row."""
        a, (maxima, sums) = self.attention, parts
        maximum, factor = self.relative(write, maxima)
        return [
            write.cast(maximum, element(a.maximum.result)),
            write.cast(self.sum_of(write, sums, factor), element(a.total.result)),
        ]

    def start_of_product(self, write: Writer, parts: Sequence[SSAValue]) -> list[SSAValue]:
        """Writes the quotient from which the epilogue starts."""
        products, maxima, sums = parts
        _, factor = self.relative(write, maxima)
        return [write.binary("div", *(self.sum_of(write, part, factor) for part in (products, sums)))]

    def relative(self, write: Writer, maxima: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Writes the maximum of rows over all parts, and the number for each part and row by which it divides what is relative to its own."""
        maximum = write.reduce("max", maxima, [0], f32)
        exponent = write.binary("sub", write.reshape(maximum, [1, *shape(maximum)]), maxima)
        if self.softmax.scale != 1.0:
            exponent = write.binary("mul", exponent, write.literal(self.softmax.scale, f32))
        return maximum, write.unary(self.softmax.exponential, exponent)

    def sum_of(self, write: Writer, parts: SSAValue, factor: SSAValue) -> SSAValue:
        return write.reduce("sum", write.binary("div", parts, factor), [0], f32)
