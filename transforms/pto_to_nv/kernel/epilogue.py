"""The epilogue: lowers all vector ops after the contraction to the scalar body of one `nv.epilogue`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from ....analysis.errors import TooComplex
from ....analysis.index import affine
from ....analysis.regions.tile_access import element_address, vector_points, vector_width
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of, signless
from ....dialects.common.syntax import ints
from ....errors import Unsupported
from ....planning.elementwise import WIDTHS
from ....targets.architectures import WARP
from ....targets.mma import element_bytes
from ..tile_scalars import scalar, scalar_type
from .access import index_space, is_affine_load, map_text
from .points import PointLowering

LOWERED_ELSEWHERE = (pto.StoreMapOp, pto.ChannelOp, pto.ProcessOp)
"""Ops of a tile program that the epilogue skips, as other parts of the lowering handle them."""


def sets_of(loads: Sequence[pto.LoadMapOp], stores: Sequence[pto.StoreMapOp]) -> Sequence[str]:
    """Returns the set of points of each load and, if a store has one, of each store; an empty sequence if all are at every point."""
    accesses = [*loads, *(stores if any(store.where for store in stores) else ())]
    if not any(access.where for access in accesses):
        return ()
    return [a.where.source.data if a.where else str(affine.universe(len(a.bounds))) for a in accesses]


def scalars_of(tiles: Sequence[SSAValue], scalars: Mapping[SSAValue, SSAValue], op: Operation) -> list[SSAValue]:
    """Returns the scalar of each tile. Raises `Unsupported` at `op` if a tile has no scalar."""
    if missing := [tile for tile in tiles if tile not in scalars]:
        what = f"'{op.name}' on an operand of type {missing[0].type} that no op here computes"
        raise Unsupported(op, what=what, need="write a process that fills the channel, and its loop")
    return [scalars[tile] for tile in tiles]


class EpilogueLowering(PointLowering):
    """Adds the epilogue to a kernel."""

    others: Sequence[SSAValue] = ()
    """The accumulators with which the epilogue combines the first one."""
    like: nv.FragType | None = None
    """The fragment whose elements the epilogue computes on; None if there is none."""

    def staged(self, stores: Sequence[pto.StoreMapOp]) -> Sequence[pto.StoreMapOp]:
        """Returns the stores through shared memory, whose values become results of the epilogue. Multistage kernels have none."""
        return ()

    def epilogue(self, ops: Sequence[Operation], acc: SSAValue | None, part: range | None = None) -> nv.EpilogueOp:
        """
        Writes an nv.epilogue with all vector ops after the contraction, for the columns `part` of the accumulator (default:
        all).
        """
        written = [o for o in ops if isinstance(o, pto.StoreMapOp | pto.ScatterMapOp)]
        stores = [o for o in written if isinstance(o, pto.StoreMapOp)]
        if not written:
            raise Unsupported(
                self.kernel, what="a tile program that stores nothing", need="write at least one pto.tile.store.map"
            )
        self.at = first = written[0]
        space = index_space(first)
        for store in written:
            if index_space(store) != space:
                raise Unsupported(
                    store,
                    what="an epilogue over several index spaces",
                    need="give all stores the same offsets, bounds and dims",
                )
        loads = [o for o in ops if is_affine_load(o, space)]
        dims, bounds = cast(tuple[int, int], space.dims), space.bounds
        staged = self.staged(stores)
        direct = [s for s in stores if s not in staged]
        accesses = (*loads, *direct)
        addresses = [element_address(a) for a in accesses]
        widths = [self.vector_width(a, at, dims[1]) for a, at in zip(accesses, addresses, strict=True)]
        others = self.others
        if acc is not None:
            rows = self.row_layout(nv.frag(acc), max(widths[len(loads) :], default=1))
            if rows.layout.contiguous > nv.frag(acc).layout.contiguous:
                acc, *others = (self.add(nv.ConvertLayoutOp(a, rows), "acc_rows") for a in (acc, *others))
            widths = [min(w, nv.frag(acc).layout.contiguous) for w in widths]
        guards = self.guarded_axes(space, pto.tile_type(first.tile).sizes)
        offsets = [self.offset(o) for o in first.offsets]
        outside = tuple(offsets)
        tile: tuple[int, ...] = pto.tile_type(first.tile).sizes
        if acc is not None and self.warp is not None:
            tile = nv.frag(acc).sizes
            for dim, start, name in zip(dims, self.warp, ("row", "column"), strict=True):
                offsets[dim] = self.plus(offsets[dim], start, name)
        if part is not None:
            tile = tile[0], len(part)
        types = [signless(memref_of(a.memref).element_type) for a in loads]
        if acc is not None:
            types[:0] = [signless(nv.frag(acc).element_type)] * (1 + len(others))
        self.vector = max(widths, default=1) if acc is None else nv.frag(acc).layout.contiguous
        self.like = None if acc is None else nv.frag(acc)
        body = Block(arg_types=types)
        with self.within(body):
            point = self.set_point(space, outside)
            scalars = self.scalars(ops, loads, body.args, acc is not None)
            self.add(nv.YieldOp([scalars[s.tile] for s in (*direct, *staged)]))
        if not any(result.uses for result in point.results):
            Rewriter.erase_op(point)
        self.at = first
        t = nv.frag(acc) if acc is not None else None
        op = nv.EpilogueOp(
            acc,
            offsets,
            [self.map[a.memref] for a in loads],
            [self.map[a.memref] for a in direct],
            bounds,
            dims,
            guards,
            tile,
            [map_text(at) for at in addresses],
            widths,
            sets_of(loads, direct),
            Region(body),
            [nv.FragType(tile, signless(memref_of(s.memref).element_type), t.lanes) for s in staged if t],
            part.start if part is not None else 0,
            others,
        )
        self.add(op)
        return op

    def scalars(
        self, ops: Sequence[Operation], loads: Sequence[pto.LoadMapOp], args: Sequence[BlockArgument], contracts: bool
    ) -> Mapping[SSAValue, SSAValue]:
        """
        Writes the scalar ops of all vector ops and returns the scalar of each tile. `args` are the scalars of the accumulators, if
        the kernel `contracts`, and of `loads`.
        """
        scalars: dict[SSAValue, SSAValue] = {}
        for load, arg in zip(loads, args[len(args) - len(loads) :], strict=True):
            scalar_type(load, load.result)
            scalars[load.result] = arg
            arg.name_hint = self.map[load.memref].name_hint
        for op in ops:
            if isinstance(op, pto.MoveToVecOp) and contracts:
                arg = args[op.input.index if self.others and isinstance(op.input, OpResult) else 0]
                scalars[op.result] = arg
                arg.name_hint = "acc"
        self.body((o for o in ops if not isinstance(o, LOWERED_ELSEWHERE)), scalars)
        return scalars

    def body(self, ops: Iterable[Operation], scalars: dict[SSAValue, SSAValue]) -> None:
        """Writes the scalar ops of tile operations, and adds the scalar of each tile to `scalars` unless it is already there."""
        for op in ops:
            self.at = op
            match op:
                case arith.ConstantOp() | arith.AddiOp() | arith.MuliOp():  # `Access.offset` lowers ops on offsets
                    pass
                case pto.LoadMapOp() | pto.MoveToVecOp() if op.result in scalars:
                    pass
                case pto.LoadMapOp() | pto.MaskOp() | pto.IotaOp():
                    scalar_type(op, op.result)
                    scalars[op.result] = self.element(op, scalars_of(op.positions, scalars, op))
                case pto.ReportOp():
                    value, failed = scalars_of([op.tile, op.failed], scalars, op)
                    scalars[op.result] = self.reported(op, value, failed, scalars_of(op.positions, scalars, op))
                case pto.ScatterMapOp():
                    (value,) = scalars_of([op.tile], scalars, op)
                    self.updated(op, value, scalars_of(op.positions, scalars, op))
                case pto.RowExpandOp() | pto.ColExpandOp():
                    (scalars[op.result],) = scalars_of([op.input], scalars, op)
                case pto.RowXorOp(by=by):
                    if self.like is None or self.like.layout.lanes_apart(by.value.data) is None:
                        need = (
                            "reduce groups of up to 8 adjacent rows of a contraction's result, and leave C_stride row"
                        )
                        raise Unsupported(op, what="an exchange of these rows in a kernel", need=need)
                    scalar_type(op, op.result)
                    scalars[op.result] = self.add(
                        nv.ExchangeRowsOp(scalars_of([op.input], scalars, op)[0], by.value.data)
                    )
                case scf.ForOp():
                    if not any(isinstance(t := r.type, pto.TileType) and t.loc == "Acc" for r in op.results):
                        scalars |= zip(op.results, self.tile_loop(op, scalars), strict=True)
                case _:
                    if not op.results or not isinstance(t := op.results[0].type, pto.TileType):
                        raise Unsupported(op, what=f"'{op.name}' in a tile program", need="use vector ops on Vec tiles")
                    if t.loc == "Vec":
                        operands = scalars_of(op.operands, scalars, op)
                        scalars[op.results[0]] = scalar(op, operands, self.add)
                    elif not isinstance(op, pto.ExpandsOp):
                        raise Unsupported(op, what=f"'{op.name}' in an epilogue", need="use vector ops on Vec tiles")

    def tile_loop(self, op: scf.ForOp, scalars: Mapping[SSAValue, SSAValue]) -> Sequence[SSAValue]:
        """Writes a loop that carries tiles as a loop that carries their scalars, and returns the scalars of its results."""
        starts, values = scalars_of(op.iter_args, scalars, op), self.counted(op)
        if not values:
            return starts
        vector, self.vector = self.vector, 1
        (counter, *carried), last = op.body.block.args, cast(scf.YieldOp, op.body.block.last_op)
        names = [arg.name_hint or "carried" for arg in carried]
        first, stop, step = (self.index(n) for n in (values.start, values.stop, values.step))
        hint = counter.name_hint or "step"
        with self.loop(stop, hint, "", list(zip(names, starts, strict=True)), first, step) as loop:
            self.map[counter] = loop.step
            inside = {**scalars, **dict(zip(carried, loop.carried, strict=True))}
            self.body((o for o in op.body.block.ops if o is not last), inside)
            loop.next = scalars_of(last.operands, inside, last)
        self.vector = vector
        return loop.results

    def row_layout(self, t: nv.FragType, width: int, warps: int = 1) -> nv.FragType:
        """
        Returns the fragment to which a warp's accumulator is converted so that lanes hold `width` contiguous columns, or as many as
        possible below that. With `warps`, it is that of a block, of which so many warps hold such a fragment, one below the other.
        """
        if t.layout.threads > WARP:
            return t
        widths = (w for w in WIDTHS if w <= width)
        return next(found for w in widths if (found := nv.spelled_rows(t, w, warps)) is not None)

    def vector_width(self, access: pto.LoadMapOp | pto.StoreMapOp, address: isl.Aff, column: int) -> int:
        """
        Returns the number of contiguous elements that one access moves: at most the plan's vectorize and 16 bytes. It divides the
        rows of memory and of the tile; rows of the tile need not be powers of two if there is no contraction.
        """
        t = memref_of(access.memref).element_type
        size = element_bytes(t)
        limit = min(self.plan.vectorize.width, 16 // size)
        rows = ints(access.bounds)[column], ints(self.tiles.steps)[column]
        widths = [w for w in (8, 4, 2, 1) if w <= limit and all(row % w == 0 for row in rows)]
        width = vector_width(ints(access.bounds), address, column, self.alignment(access) // size, widths)
        if access.where is not None:
            try:
                vector_points(access, access.where.source.data, ints(access.bounds), column, width)
            except TooComplex:
                return 1
        return width
