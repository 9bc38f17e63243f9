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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import islpy as isl
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, MemRefType, f32
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from ...analysis.index import affine
from ...analysis.regions.kernel_space import stored_values
from ...analysis.regions.upstream import upstream
from ...dialects import pto, region
from ...dialects.common.shapes import element, shape
from ...dialects.common.syntax import ints
from ...dialects.plan.schedule import Schedule
from ...targets.architectures import arch_named
from ..plan_regions import plan_region
from ..ptir_to_tiny.writer import Writer
from .attention import AttentionProgram
from .program import ALIGNMENT

WORKSPACES = ("products", "maxima", "sums", "row_maxima", "row_sums")
"""The names of the outputs of the first kernel. The last two, in the form of results of rows, are only there if there are such results."""


@dataclass
class Combination:
    """A kernel that combines the parts of one result: of the arguments of the original kernel, it has those numbered `reads`."""

    kernel: region.RegionKernelOp
    reads: Sequence[int]
    workspaces: Sequence[int]
    """The numbers of the outputs of the first kernel that it reads."""
    result: int
    """The number of the output of the original kernel that it stores."""


class SplitKeysProgram(AttentionProgram):
    """Writes the kernel of the parts; afterwards `workspaces` has the types of its outputs, and `combinations` the second kernels."""

    def __init__(self, kernel: region.RegionKernelOp, plan: Schedule):
        super().__init__(kernel, plan)
        self.tile.erase_arg(self.tile.args[-1])
        self.part = self.tile.insert_arg(IndexType(), 0)
        self.part.name_hint = "part"
        self.workspaces: list[MemRefType] = []

    def clipped(self, bounds: Sequence[SSAValue]) -> list[SSAValue]:
        each = self.index(self.plan.part(self.space.k))
        low = self.add(arith.MuliOp(self.part, each), "part_begin")
        high = self.add(arith.AddiOp(low, each), "part_end")
        known = {b: self.add(arith.MinUIOp(self.add(arith.MaxUIOp(b, low)), high)) for b in dict.fromkeys(bounds)}
        return [known[b] for b in bounds]

    def end(self, carried: Sequence[SSAValue]) -> None:
        """Writes the stores of a part."""
        for arg in reversed(self.block.args[len(self.kernel.inputs) :]):
            self.block.erase_arg(arg)
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

    def store_part(self, tile: SSAValue, at: isl.MultiAff, sizes: Sequence[int]) -> None:
        """Writes the store of a tile of the current part to a new output, an array of parts of `sizes`."""
        t = MemRefType(f32, (self.plan.split, *sizes))
        to, points = self.add_argument(t, WORKSPACES[len(self.workspaces)]), (self.plan.split, *self.space.points)
        self.workspaces.append(t)
        inner = affine.make_map(len(points), [f"i{k}" for k in range(1, len(points))])
        text = affine.canonical_text(
            affine.make_map(len(points), ["i0"]).flat_range_product(affine.compose(at, inner, points))
        )
        m, n = self.dims
        self.add(pto.StoreOp(tile, to, (self.part, *self.offsets), text, points, (m + 1, n + 1)))

    def build(self) -> pto.PtoKernelOp:
        self.begin()
        k, space, steps = self.kernel, self.space, (1, *(1 for _ in range(self.space.outer)), *self.steps)
        tiles = pto.TilesOp((self.plan.split, *space.points), steps, Region(self.tile))
        tiles.location = k.location
        self.block.add_op(tiles)
        count = len(k.inputs)
        alignments = [*ints(k.alignments)[:count], *(ALIGNMENT for _ in (*self.workspaces, *self.scratch))]
        stored = [*("deferred" for _ in self.workspaces), *self.scratch]
        out = pto.PtoKernelOp(k.sym_name.data, count, alignments, stored, Region(self.block), k.plan)
        out.location = k.location
        return out

    # --- the second kernels -----------------------------------------------------------------------

    def combinations(self, name: str) -> list[Combination]:
        """Returns the kernels that combine the parts, one for each result."""
        return [
            self.combination(number, root, f"{name}_{number}") for number, root in enumerate(stored_values(self.kernel))
        ]

    def combination(self, number: int, root: SSAValue, name: str) -> Combination:
        kernel, a = self.kernel, self.attention
        of_rows = self.is_of_rows(root)
        workspaces = (3, 4) if of_rows else (0, 1, 2)
        starts = {*a.rows} if of_rows else {a.product.out}
        needed = {v.owner for v in upstream([root], starts.__contains__) if v not in starts}
        ops = [op for op in kernel.body.block.ops if op in needed]
        loads = [op for op in ops if isinstance(op, region.LoadOp)]
        reads = [cast(BlockArgument, op.memref).index for op in loads]
        given = [kernel.body.block.args[k] for k in (*reads, kernel.outputs[number].index)]
        block = Block(
            arg_types=[*(g.type for g in given[:-1]), *(self.workspaces[k] for k in workspaces), given[-1].type]
        )
        for arg, old in zip((*block.args[: len(reads)], block.args[-1]), given, strict=True):
            arg.name_hint = old.name_hint
        for arg, k in zip(block.args[len(reads) : -1], workspaces, strict=True):
            arg.name_hint = WORKSPACES[k]
        write = Writer(a.product.op)
        values = [write.add(region.LoadOp(arg)) for arg in block.args[:-1]]
        mapping: dict[SSAValue, SSAValue] = dict(zip((op.result for op in loads), values, strict=False))
        parts = values[len(reads) :]
        if of_rows:
            maximum, factor = self.relative(write, parts[0])
            mapping[a.maximum.result] = write.cast(maximum, element(a.maximum.result))
            mapping[a.total.result] = self.sum_of(write, parts[1], factor)
        else:
            _, factor = self.relative(write, parts[1])
            product, total = (self.sum_of(write, part, factor) for part in (parts[0], parts[2]))
            mapping[a.product.out] = write.binary("div", product, total)
        block.add_ops(write.ops)
        for op in ops:
            if op not in loads:
                block.add_op(clone := op.clone(mapping))
                clone.location = op.location
        last = region.YieldOp([mapping[root]])
        last.location = kernel.location
        block.add_op(last)
        alignments = [*(ints(kernel.alignments)[k] for k in reads), *(ALIGNMENT for _ in workspaces)]
        outputs = len(kernel.inputs) + number
        out = region.RegionKernelOp(
            name,
            len(reads) + len(workspaces),
            [*alignments, ints(kernel.alignments)[outputs]],
            [list(kernel.materialize)[number].data],
            Region(block),
        )
        out.location = kernel.location
        plan_region(out, arch_named(self.plan.arch))
        return Combination(out, reads, workspaces, number)

    def relative(self, write: Writer, maxima: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Writes the maximum of rows over all parts, and the number for each part and row by which it divides what is relative to its own."""
        maximum = write.reduce("max", maxima, [0], f32)
        exponent = write.binary("sub", write.reshape(maximum, [1, *shape(maximum)]), maxima)
        if self.attention.scale != 1.0:
            exponent = write.binary("mul", exponent, write.literal(self.attention.scale, f32))
        return maximum, write.unary(self.attention.exponential, exponent)

    def sum_of(self, write: Writer, parts: SSAValue, factor: SSAValue) -> SSAValue:
        return write.reduce("sum", write.binary("div", parts, factor), [0], f32)
