"""
The tile program of a contraction: a process fills a ring, and a loop multiplies its tiles into an accumulator.

```
   C_stride = "row":   rows m, columns n    Left = A (m x k)    Right = B (k x n)
   C_stride = "col":   rows n, columns m    Left = Bᵀ (n x k)   Right = Aᵀ (k x m)

   split = S:          k = s · part + 0 … part - 1, s = 0 … S - 1;  pto.combine joins the S accumulators
```

A lane of the matrix units holds contiguous elements of a row, so the axis along which the stored result is contiguous should lie
along the columns. Spec: `tensor-compiler.ja §1.7` (`layout_hints`, `algo_choice`); `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, MemRefType, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.contraction import Contraction
from ...analysis.regions.kernel_space import operand_layouts
from ...dialects import pto
from .program import Read, TileProgram

Bounds = tuple[SSAValue, SSAValue, SSAValue]
"""Lower bound, upper bound and step of the loops over k."""
OTHER = {"ND": "DN", "DN": "ND"}
"""Maps the layout of a tile to the layout of its transpose."""


@dataclass(frozen=True)
class Operand:
    """One side of the product: what is read, its tile, and the axes of the space along the tile's rows and columns."""

    access: Access
    tile: pto.TileType
    dims: tuple[int, int]


class ContractionProgram(TileProgram):
    """Writes the ring, the loops that fill and multiply it, and the accumulator, on which the vector ops work."""

    def begin(self) -> None:
        space = self.space
        if space.contraction is not None:
            start = Read(Access(space.start, space.start_map), self.scope)
            self.scope.tiles[start.key] = self.contract(space.contraction)

    # --- the operands -----------------------------------------------------------------------------

    def sides(self, c: Contraction) -> tuple[Operand, Operand]:
        """Returns the operands A and B, as tiles of their transposes if the plan computes Cᵀ."""
        (bm, bn, bk), outer = self.plan.tile, self.space.outer
        a, b = operand_layouts(self.space)
        left, right, _ = c.dtypes
        if not self.plan.transposed:
            return (
                Operand(c.lhs, pto.TileType((bm, bk), left, "Mat", a), (outer, outer + 2)),
                Operand(c.rhs, pto.TileType((bk, bn), right, "Mat", b), (outer + 2, outer + 1)),
            )
        return (
            Operand(c.lhs, pto.TileType((bk, bm), left, "Mat", OTHER[a]), (outer + 2, outer)),
            Operand(c.rhs, pto.TileType((bn, bk), right, "Mat", OTHER[b]), (outer + 1, outer + 2)),
        )

    def produce(self, operands: Sequence[Operand], ring: SSAValue, bounds: Bounds) -> None:
        """Writes the process that fills the ring; with a split, from the beginning of this part of k."""
        first: SSAValue | None = None
        if self.plan.split > 1:
            first = self.add(arith.MuliOp(self.tile.args[-1], bounds[1]), "first")
        loop = Block(arg_types=[IndexType()])
        k = loop.args[0]
        k.name_hint = "k"
        with self.within(loop):
            self.add(pto.AcquireOp(ring))
            if first is not None:
                k = self.add(arith.AddiOp(first, k), "at")
            tiles: list[SSAValue] = []
            for operand in operands:
                at = affine.compose(operand.access.map, self.space.iteration, self.space.sizes)
                source, text = self.argument(operand.access.value), affine.canonical_text(at)
                load = pto.LoadOp(source, [*self.offsets, k], text, self.space.sizes, operand.dims, operand.tile)
                tiles.append(self.add(load))
            self.add(pto.CommitOp(ring, tiles))
            self.add(scf.YieldOp())
        process = Block()
        with self.within(process):
            self.add(scf.ForOp(*bounds, [], Region(loop)))
        self.add(pto.ProcessOp(Region(process)))

    # --- the accumulator --------------------------------------------------------------------------

    def contract(self, c: Contraction) -> SSAValue:
        """Writes the ring and both loops of the contraction `c`, and returns the accumulator as a vector tile."""
        self.at = c.op
        a, b = self.sides(c)
        channel = pto.ChannelType(cast(int, self.plan.stages), (a.tile, b.tile))
        ring = self.add(pto.ChannelOp(channel), "ring")
        k = self.space.k
        last = self.plan.part(k) if self.plan.split > 1 else k
        bounds = self.index(0), self.index(last), self.index(self.plan.tile[2])
        self.produce((a, b), ring, bounds)
        total = self.consume(ring, bounds, pto.TileType(self.sizes, c.op.accum, "Acc"), c.precision)
        return self.add(pto.MoveToVecOp(total if self.plan.split == 1 else self.combine(total)))

    def consume(self, ring: SSAValue, bounds: Bounds, acc: pto.TileType, precision: str) -> SSAValue:
        """Writes the loop that empties the ring; returns the accumulator."""
        dtype = acc.element_type
        number = IntegerAttr(0, dtype) if isa(dtype, IntegerType) else FloatAttr(0.0, cast(AnyFloat, dtype))
        zero = self.add(pto.ExpandsOp(number, acc))
        loop = Block(arg_types=[IndexType(), acc])
        loop.args[0].name_hint = "k"
        with self.within(loop):
            wait = pto.WaitOp(ring)
            self.add(wait)
            a, b = wait.results
            left, right = (b, a) if self.plan.transposed else (a, b)
            left, right = self.add(pto.MoveToLeftOp(left)), self.add(pto.MoveToRightOp(right))
            rounded = None if precision == "exact" else precision
            after = self.add(pto.MatmulAccOp(loop.args[1], left, right, rounded))
            self.add(pto.ReleaseOp(ring))
            self.add(scf.YieldOp(after))
        return self.add(scf.ForOp(*bounds, [zero], Region(loop)))

    def combine(self, part: SSAValue) -> SSAValue:
        """
        Writes the op that adds the accumulators of all parts, and returns the sum. Ops that are added later go into the op's
        body, which is executed once.
        """
        acc = pto.tile_type(part)
        outer, (m, n) = self.space.sizes[: self.space.outer], self.plan.tile[:2]
        count = prod(outer) * -(-self.space.m // m) * -(-self.space.n // n)
        mode = self.plan.matmul.removeprefix("splitk_")
        slots = count * self.plan.split if mode == "parallel" else count
        workspace = self.add_argument(MemRefType(acc.element_type, (slots, *acc.sizes)), "workspace")
        counters = self.add_argument(MemRefType(i32, (count,)), "counters")
        self.scratch = [workspace, counters]
        body = Block(arg_types=[acc])
        body.args[0].name_hint = "sum"
        self.add(pto.CombineOp(mode, part, self.tile.args[-1], workspace, counters, body))
        self.builder = Builder(InsertPoint.at_end(body))
        return body.args[0]
