"""
The tile program of a contraction: a process fills a ring, and a loop multiplies its tiles into an accumulator.

```
   C_stride = "row":   rows m, columns n    Left = A (m x k)    Right = B (k x n)
   C_stride = "col":   rows n, columns m    Left = Bᵀ (n x k)   Right = Aᵀ (k x m)

   an operand that is computed from a source Q:    wait · mov.m2v Q · vector ops · mov.v2l or mov.v2r · matmul.acc
   members of a batch:                             a matmul.acc of each, whose computed operands share sources and what is computed of them

   split = S:          part s has k = s · part … (s + 1) · part - 1;  pto.combine adds the S accumulators
```

Where the epilogue reduces rows of the result, a tile has whole rows, and the vector ops after it are those of `rows.py`.

A lane of the matrix units holds contiguous elements of a row, so the axis along which the stored result is contiguous should lie
along the columns. Spec: `tensor-compiler.ja §1.7` (`layout_hints`, `algo_choice`); `pto-ir.md §4`, `§6`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import cast

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, MemRefType, i32
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.contraction import Contraction
from ...analysis.regions.kernel_space import kernel_space
from ...analysis.regions.operands import Source, prologue_ops, sources, sources_of_members
from ...dialects import pto, region, tiny
from ...dialects.common.kernel import SCRATCH
from ...dialects.common.shapes import element
from ...dialects.plan.schedule import Schedule
from ...dialects.ptir import ScalarAttr
from ...errors import Unsupported
from .program import TileProgram
from .rows import RowProgram
from .scope import Read, Scope

Bounds = tuple[SSAValue, SSAValue, SSAValue]
"""Lower bound, upper bound and step of the loops over k."""
MOVES = (pto.MoveToLeftOp, pto.MoveVecToLeftOp), (pto.MoveToRightOp, pto.MoveVecToRightOp)
"""The moves of a stored and of a computed operand, to the left and to the right of a matmul."""
OTHER = {"ND": "DN", "DN": "ND"}
"""Maps the layout of a tile to the layout of its transpose."""


@dataclass(frozen=True, eq=False)
class Operand:
    """
    Operand A or B: the access that is multiplied, or one of each member if the kernel computes the operand; the sizes of its tile, the axes
    of the space along the tile's rows and columns (`dims`), and its sources in the ring, each with the layout of its tile.
    """

    accesses: Sequence[Access]
    sizes: tuple[int, int]
    dims: tuple[int, int]
    sources: Sequence[tuple[Source, str]]

    @property
    def is_computed(self) -> bool:
        """Whether the kernel computes the operand from its sources."""
        return not isinstance(self.accesses[0].value.owner, region.LoadOp)

    @property
    def tiles(self) -> list[pto.TileType]:
        return [
            pto.TileType(self.sizes, element(s.value), "Mat", "DN" if layout == "DN" else None)
            for s, layout in self.sources
        ]


class ContractionProgram(TileProgram):
    """Writes the ring, the loops that fill and multiply it, and the accumulator, on which the vector ops work."""

    needed: dict[SSAValue, isl.Set]
    """The points at which tiles of sources are needed; elsewhere, they are zero."""

    def begin(self) -> None:
        space, self.needed = self.space, {}
        if space.contraction is not None:
            for member, tile in zip(space.of_members, self.contract(space.contraction), strict=True):
                self.scope.tiles[Read(Access(space.start, member.start_map), self.scope).key] = tile

    # --- the operands -----------------------------------------------------------------------------

    def pairs(self) -> list[tuple[Operand, Operand]]:
        """Returns the operands A and B of each member. All members have one operand if the kernel computes it."""
        spaces, of_all = self.space.of_members, sources_of_members(self.space)
        own = [sources(space) for space in spaces]
        sides: list[list[Operand]] = []
        for side, ops in enumerate(prologue_ops(self.space)):
            accesses = [(c.lhs, c.rhs)[side] for space in spaces if (c := space.contraction) is not None]
            if ops:
                sides.append([self.operand(side, accesses, of_all[side])] * len(spaces))
            else:
                sides.append([self.operand(side, [at], of[side]) for at, of in zip(accesses, own, strict=True)])
        return list(zip(*sides, strict=True))

    def operand(self, side: int, accesses: Sequence[Access], of: Sequence[Source]) -> Operand:
        """Returns operand A (0) or B (1). If the plan computes Cᵀ, its tiles are those of Aᵀ or Bᵀ."""
        (bm, bn, bk), outer = self.plan.tile, self.space.outer
        (rows, columns), (down, across) = (((bm, bk), (outer, outer + 2)), ((bk, bn), (outer + 2, outer + 1)))[side]
        if not self.plan.transposed:
            return Operand(accesses, (rows, columns), (down, across), [(s, s.layout) for s in of])
        return Operand(accesses, (columns, rows), (across, down), [(s, OTHER[s.layout]) for s in of])

    def produce(self, operands: Sequence[Operand], ring: SSAValue, bounds: Bounds, first: SSAValue | None) -> None:
        """Writes the process that fills the ring. With a split, `first` is the k at which this part of k begins, otherwise None."""
        loop = Block(arg_types=[IndexType()])
        k = loop.args[0]
        k.name_hint = "k"
        with self.within(loop):
            self.add(pto.AcquireOp(ring))
            if first is not None:
                k = self.add(arith.AddiOp(first, k), "at")
            tiles: list[SSAValue] = []
            for operand in operands:
                for (source, _), tile in zip(operand.sources, operand.tiles, strict=True):
                    memref, text = self.argument(source.value), affine.canonical_text(source.at)
                    where = None if source.guard is None else str(source.guard)
                    load = pto.LoadMapOp(memref, [*self.offsets, k], text, self.space.sizes, operand.dims, tile, where)
                    tiles.append(self.add(load))
            self.add(pto.CommitOp(ring, tiles))
            self.add(scf.YieldOp())
        process = Block()
        with self.within(process):
            self.add(scf.ForOp(*bounds, [], Region(loop)))
        self.add(pto.ProcessOp(Region(process)))

    # --- the accumulator --------------------------------------------------------------------------

    def contract(self, c: Contraction) -> list[SSAValue]:
        """Writes the ring and both loops of the contraction `c`, and returns the accumulators, one of each member, as vector tiles."""
        self.at = c.op
        pairs = self.pairs()
        operands = list(dict.fromkeys(operand for pair in pairs for operand in pair))
        channel = pto.ChannelType(cast(int, self.plan.stages), [tile for o in operands for tile in o.tiles])
        ring = self.add(pto.ChannelOp(channel), "ring")
        k = self.space.k
        last = self.plan.part(k) if self.plan.split > 1 else k
        bounds = self.index(0), self.index(last), self.index(self.plan.tile[2])
        first = self.add(arith.MuliOp(self.tile.args[-1], bounds[1]), "first") if self.plan.split > 1 else None
        self.produce(operands, ring, bounds, first)
        totals = self.consume(pairs, ring, bounds, first, c)
        totals = totals if self.plan.split == 1 else map(self.combine, totals)
        return [self.add(pto.MoveToVecOp(total)) for total in totals]

    def consume(
        self,
        pairs: Sequence[tuple[Operand, Operand]],
        ring: SSAValue,
        bounds: Bounds,
        first: SSAValue | None,
        c: Contraction,
    ) -> Sequence[SSAValue]:
        """Writes the loop that multiplies the tiles of the ring, and returns the accumulator of each pair of operands."""
        acc, dtype = pto.TileType(self.sizes, c.op.accum, "Acc"), c.op.accum
        number = IntegerAttr(0, dtype) if isa(dtype, IntegerType) else FloatAttr(0.0, cast(AnyFloat, dtype))
        zeros = [self.add(pto.ExpandsOp(number, acc)) for _ in pairs]
        loop = Block(arg_types=[IndexType(), *(acc for _ in pairs)])
        loop.args[0].name_hint = "k"
        with self.within(loop):
            k: SSAValue = loop.args[0]
            if first is not None and any(o.is_computed for pair in pairs for o in pair):
                k = self.add(arith.AddiOp(first, k), "at")
            wait = pto.WaitOp(ring)
            self.add(wait)
            tiles, after = iter(wait.results), list[SSAValue]()
            rounded = None if c.precision == "exact" else c.precision
            moves: dict[Operand, Iterator[SSAValue]] = {}
            for pair, before in zip(pairs, loop.args[1:], strict=True):
                for operand, to in zip(pair, MOVES[:: -1 if self.plan.transposed else 1], strict=True):
                    if operand not in moves:
                        moves[operand] = self.moves(operand, list(islice(tiles, len(operand.sources))), k, *to)
                left, right = (next(moves[operand]) for operand in (pair[::-1] if self.plan.transposed else pair))
                after.append(self.add(pto.MatmulAccOp(before, left, right, rounded)))
            self.add(pto.ReleaseOp(ring))
            self.add(scf.YieldOp(*after))
        over = scf.ForOp(*bounds, zeros, Region(loop))
        self.add(over)
        return over.results

    def moves(
        self,
        operand: Operand,
        tiles: Sequence[SSAValue],
        k: SSAValue,
        stored: type[pto.MoveOp],
        computed: type[pto.MoveOp],
    ) -> Iterator[SSAValue]:
        """
        Writes the moves of an operand to the matrix unit, one of each member. An operand with a prologue is first computed from the tiles
        of its sources, and set to zero beyond the end of k: there the sources are zero, but a function of them need not be.
        """
        if not operand.is_computed:
            yield self.add(stored(tiles[0]))
            return
        if any(access.guard is not None for access in operand.accesses):
            need = "store the operand first, as form-regions does"
            raise Unsupported(self.at, what="a padded operand that is computed in the contraction's kernel", need=need)
        space, plan = self.space, self.plan
        known = [Access(source.value, source.at) for source, _ in operand.sources]
        scope = Scope(space.sizes, (*self.offsets, k), self.builder, operand.sizes, operand.dims, staged=tuple(known))
        for access, tile, (source, _) in zip(known, tiles, operand.sources, strict=True):
            scope.tiles[Read(access, scope).key] = held = self.add(pto.MoveMatToVecOp(tile))
            if source.guard is not None:
                self.needed[held] = source.guard
        for access in operand.accesses:
            at = affine.compose(access.map, space.iteration, space.sizes)
            value = self.value(Read(Access(access.value, at), scope))
            if space.k % plan.tile[2] or plan.part(space.k) * plan.split > space.k:
                mask = self.add(pto.MaskOp(scope.offsets, scope.points, scope.dims, scope.sizes))
                zero = self.filled(ScalarAttr.of(0, pto.tile_type(value).element_type), scope)
                value = self.add(pto.SelOp(mask, value, zero))
            yield self.add(computed(value))

    def pad(self, op: tiny.MovementOp, read: Read, inner: SSAValue) -> SSAValue:
        """Writes no select of zeros where the tile of a source has zeros already, since it is not needed there."""
        (access,) = self.space.book[op.result].accesses
        if inner in self.needed and access.guard is not None and isinstance(access.fill, ScalarAttr):
            outside = self.asked(read).subtract(access.guard.preimage_multi_aff(read.at.map))
            if outside.is_disjoint(self.needed[inner]) and not any(access.fill.dense.data.data):
                return inner
        return super().pad(op, read, inner)

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
        self.scratch |= zip(SCRATCH, (workspace, counters), strict=True)
        body = Block(arg_types=[acc])
        body.args[0].name_hint = "sum"
        self.add(pto.CombineOp(mode, part, self.tile.args[-1], workspace, counters, body))
        self.builder = Builder(InsertPoint.at_end(body))
        return body.args[0]


class RowContractionProgram(ContractionProgram, RowProgram):
    """Writes a contraction whose epilogue reduces the rows of its result."""


def contraction_program(kernel: region.RegionKernelOp, plan: Schedule) -> ContractionProgram:
    """Returns the writer of a contraction and its epilogue."""
    return (RowContractionProgram if kernel_space(kernel).of_rows else ContractionProgram)(kernel, plan)
