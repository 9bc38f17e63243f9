"""
The rows template: lowers a `pto.kernel` to a `gpu.func` whose blocks hold whole rows in registers.

```
%x = load;  %m = rowmax %x;  %e = exp(%x - rowexpand %m);  %s = rowsum %e;  store %e / rowexpand %s

nv.map → %x                            phase 0: ops that depend on no reduction
%m = nv.row_reduce max %x
nv.map(%x, %m) → %e                    phase 1: ops that depend on one
%s = nv.row_reduce sum %e
nv.map(%e, %s) → store                 phase 2
```

A phase has one map of tiles of one column, if it computes any, and one of whole rows. Tiles that later maps, or reductions,
read become fragments; constants, masks and positions are computed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, gpu
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ....analysis.regions.tile_access import element_address
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of, signless
from ....dialects.common.syntax import ints
from ....dialects.plan.schedule import Schedule
from ....errors import Unsupported
from ....targets.architectures import WARP
from ....targets.layouts import layout_of
from ....targets.mma import Layout, Mode
from ..kernel.access import map_text
from ..kernel.epilogue import EpilogueLowering, index_space, sets_of
from ..multistage.grid import Grid
from ..tile_scalars import combined, scalar_type

AGAIN = (pto.ExpandsOp, pto.MaskOp, pto.IotaOp, pto.RowExpandOp, arith.ConstantOp)
"""Ops that are recomputed in every map that needs them."""


def layout_of_plan(plan: Schedule) -> Layout:
    """Returns the layout of a tile: the vectors of a row are dealt to its lanes, then to its warps, then to the lanes again."""
    (bm, bn), (rows, columns), vector = plan.tile[:2], plan.warp, plan.vectorize.width
    lanes, warps = WARP // rows, bn // columns
    return layout_of(
        (Mode(lanes, 0, vector), Mode(rows, 1, 0)),
        (Mode(warps, 0, vector * lanes), Mode(bm // rows, rows, 0)),
        (Mode(vector, 0, 1), Mode(columns // (vector * lanes), 0, vector * lanes * warps)),
    )


@dataclass
class Group:
    """The ops of one map, the stores among them, and the tiles that other maps and reductions read (`results`)."""

    columns: int
    ops: list[Operation] = field(default_factory=list[Operation])
    stores: list[pto.StoreOp] = field(default_factory=list[pto.StoreOp])
    results: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])


class RowKernel(EpilogueLowering, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    def build(self) -> gpu.FuncOp:
        self.bind_tiles()
        self.layout = layout_of_plan(self.plan)
        self.held: dict[SSAValue, SSAValue] = {}
        """The fragments, by their tiles."""
        ops = list(self.tiles.body.block.ops)
        self.stores = [o for o in ops if isinstance(o, pto.StoreOp)]
        if not self.stores:
            need = "at least one pto.tile.store"
            raise Unsupported(self.kernel, what="a tile program that stores nothing", need=need)
        for op in ops:
            if not isinstance(op, arith.ConstantOp):
                self.check_tiles(op)
        phases = self.phases(ops)
        groups = self.groups(ops, phases)
        for phase in range(1 + max(phases.values(), default=0)):
            for columns in dict.fromkeys((1, self.plan.tile[1])):
                if (group := groups.get((phase, columns))) is not None:
                    self.map_elements(group, ops)
            for op in ops:
                if isinstance(op, pto.RowReduceOp) and phases[op.result] == phase + 1:
                    self.reduce(op)
        return self.function()

    def check_tiles(self, op: Operation) -> None:
        """Checks that an op is one on tiles, which are whole rows or one element a row; reductions take whole rows."""
        rows, columns = self.plan.tile[:2]
        tiles = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
        fits = all(t.loc.data == "Vec" and t.sizes in ((rows, columns), (rows, 1)) for t in tiles)
        if isinstance(op, pto.RowReduceOp):
            fits = fits and tiles[0].sizes == (rows, columns)
        if not (tiles and fits) or op.regions:
            need = f"vector ops on Vec tiles of {rows} x {columns}, or x 1; reductions of the former"
            raise Unsupported(op, what=f"'{op.name}' in a kernel of rows", need=need)

    # --- phases -----------------------------------------------------------------------------------

    def phases(self, ops: Sequence[Operation]) -> dict[SSAValue, int]:
        """
        Returns the phase of each tile: the number of reductions that it depends on. A load is in the first phase that needs it.
        """
        phases: dict[SSAValue, int] = {}
        for op in ops:
            if not isinstance(op, AGAIN):
                after = max((phases.get(source(o), 0) for o in op.operands), default=0)
                phases |= dict.fromkeys(op.results, after + isinstance(op, pto.RowReduceOp))
        for op in reversed(ops):
            if isinstance(op, pto.LoadOp):
                users = [phases[r] - isinstance(u, pto.RowReduceOp) for u in users_of(op.result) for r in u.results]
                phases[op.result] = min((u for u in users), default=0)
        return phases

    def groups(self, ops: Sequence[Operation], phases: Mapping[SSAValue, int]) -> dict[tuple[int, int], Group]:
        """Groups the ops into maps, by phase and number of columns, in the order of the program."""
        groups: dict[tuple[int, int], Group] = {}

        def group(value: SSAValue) -> Group:
            columns = pto.tile_type(value).sizes[1]
            return groups.setdefault((phases.get(source(value), 0), columns), Group(columns))

        for op in ops:
            if isinstance(op, pto.StoreOp):
                group(op.tile).stores.append(op)
            elif isinstance(op, pto.RowReduceOp):
                if not isinstance(op.input.owner, pto.RowReduceOp):
                    group(op.input).results[op.input] = None
            elif not isinstance(op, AGAIN):
                group(op.results[0]).ops.append(op)
        for (phase, columns), found in groups.items():
            for value in (op.results[0] for op in found.ops):
                for user in users_of(value):
                    read = user.tile if isinstance(user, pto.StoreOp) else user.results[0]
                    there = phases[source(read)], pto.tile_type(read).sizes[1]
                    if isinstance(user, pto.RowReduceOp) or there != (phase, columns):
                        found.results[value] = None
        return groups

    # --- maps and reductions ------------------------------------------------------------------------

    def fragment(self, value: SSAValue) -> nv.FragType:
        """Returns the type of the fragment that holds a tile."""
        t = pto.tile_type(value)
        whole = nv.FragType.of_layout(self.plan.tile[:2], signless(t.element_type), self.layout)
        return whole if t.sizes == whole.sizes else nv.row_fragment(whole)

    def map_elements(self, group: Group, ops: Sequence[Operation]) -> None:
        """Writes the map of a group."""
        first = self.stores[0]
        space, dims, bounds = index_space(first), ints(first.dims), ints(first.bounds)
        for store in group.stores:
            if index_space(store) != space:
                need = "stores with the same offsets, bounds and dims"
                raise Unsupported(store, what="a kernel of rows over several index spaces", need=need)
        read = [*(o for op in (*group.ops, *group.stores) for o in op.operands), *group.results]
        needed = set(group.ops) | again(read)
        body_ops = [op for op in ops if op in needed]
        loads = [o for o in group.ops if isinstance(o, pto.LoadOp) and index_space(o) == space]
        held = [v for v in dict.fromkeys(map(source, read)) if v in self.held]
        tile = (self.plan.tile[0], group.columns)
        if held and all(pto.tile_type(v).sizes != tile for v in (*held, *group.results)):
            held.append(next(v for v in self.held if pto.tile_type(v).sizes == tile))  # for the layout of the map
        self.at = next(iter((*group.stores, *group.ops)), self.at)
        accesses = (*loads, *group.stores)
        addresses = [element_address(a) for a in accesses]
        widths = [
            self.vector_width(a, at, dims[1]) if group.columns > 1 else 1
            for a, at in zip(accesses, addresses, strict=True)
        ]
        guards = self.guarded_axes(first, dict(zip(dims, tile, strict=True)))
        offsets = [self.offset(o) for o in first.offsets]
        types = [nv.frag(self.held[v]).element_type for v in held]
        types += [signless(memref_of(load.memref).element_type) for load in loads]
        body = Block(arg_types=types)
        with self.within(body):
            point = self.set_point(first, offsets)
            scalars: dict[SSAValue, SSAValue] = dict(zip(held, body.args, strict=False))
            for load, arg in zip(loads, body.args[len(held) :], strict=True):
                scalar_type(load, load.result)
                scalars[load.result], arg.name_hint = arg, self.map[load.memref].name_hint
            for value, arg in zip(held, body.args, strict=False):
                arg.name_hint = value.name_hint
            self.body(body_ops, scalars)
            self.add(nv.YieldOp([scalars[v] for v in (*(s.tile for s in group.stores), *group.results)]))
        if not any(result.uses for result in point.results):
            Rewriter.erase_op(point)
        fragments = [self.fragment(value) for value in group.results]
        memrefs = [self.map[a.memref] for a in loads], [self.map[s.memref] for s in group.stores]
        box = bounds, dims, guards, tile, [map_text(at) for at in addresses], widths, sets_of(loads), Region(body)
        if not held and not fragments:
            self.add(nv.EpilogueOp(None, offsets, *memrefs, *box))
            return
        op = nv.MapOp([self.held[v] for v in held], offsets, *memrefs, *box, fragments)
        self.add(op)
        for value, result in zip(group.results, op.fragments, strict=True):
            self.held[value] = result
            result.name_hint = value.name_hint

    def reduce(self, op: pto.RowReduceOp) -> None:
        """Writes the reduction of a fragment's rows."""
        self.at = op
        fragment = self.held[op.input]
        dtype = nv.frag(fragment).element_type
        body = Block(arg_types=[dtype, dtype])
        with self.within(body):
            self.add(nv.YieldOp([combined(op, body.args, self.add)]))
        size = nv.scratch_bytes(nv.frag(fragment))
        scratch = self.allocate(size, 16) if size else None
        self.held[op.result] = self.add(nv.RowReduceOp(fragment, Region(body), scratch), op.result.name_hint)


def again(values: Iterable[SSAValue]) -> set[Operation]:
    """Returns the ops that must be recomputed for these values."""
    found: set[Operation] = set()
    todo = [value.owner for value in values]
    while todo:
        op = todo.pop()
        if isinstance(op, AGAIN) and op not in found:
            found.add(op)
            todo += [o.owner for o in op.operands]
    return found


def source(value: SSAValue) -> SSAValue:
    """Returns the tile before it was broadcast along its rows, or `value` itself."""
    while isinstance(value.owner, pto.RowExpandOp):
        value = value.owner.input
    return value


def users_of(value: SSAValue) -> list[Operation]:
    """Returns the ops that read a tile, directly or after it was broadcast along its rows."""
    found: list[Operation] = []
    for use in value.uses:
        op = use.operation
        found += users_of(op.result) if isinstance(op, pto.RowExpandOp) else [op]
    return found
