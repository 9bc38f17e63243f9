"""
Ops on tiles that hold whole rows in registers, as maps of fragments and reductions of rows, in phases.

```
%x = load;  %m = rowmax %x;  %e = exp(%x - rowexpand %m);  %s = rowsum %e;  store %e / rowexpand %s

nv.map → %x                            phase 0: ops that depend on no reduction
%m = nv.row_reduce max %x
nv.map(%x, %m) → %e                    phase 1: ops that depend on one
%s = nv.row_reduce sum %e
nv.map(%e, %s) → store                 phase 2
```

A quotient of a tile and a divisor for each row, `nv.row_divide`, begins a phase as a reduction does.

A phase has a map of tiles of one column, one of tiles of an element a lane, and one of whole rows, if it computes any. Tiles
that later maps, or reductions, read become fragments; constants, masks and positions are computed again. If the plan transposes
tiles, their columns take the place of rows: `colmax`, `colexpand` and `nv.col_reduce`, and tiles of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Block, Operation, SSAValue

from ....analysis.regions.addresses import is_contiguous
from ....dialects import nv, pto
from ....dialects.common.shapes import memref_of, signless
from ....dialects.nv.rows import columns_of, lanes_of_runs
from ....errors import Unsupported
from ....targets.layouts import Layout
from ....targets.mma import element_bytes
from .access import IndexSpace, index_space
from .maps import MapLowering

REDUCTIONS = (pto.RowReduceOp, pto.ColReduceOp)
EXPANSIONS = (pto.RowExpandOp, pto.ColExpandOp)
AGAIN = (pto.ExpandsOp, pto.MaskOp, pto.IotaOp, *EXPANSIONS, arith.ConstantOp)
"""Ops that are recomputed in every map that needs them, unless they have positions."""
SEVERAL = 4
"""Minimum number of quotients with the same divisor for which a lane computes the divisor's reciprocal."""

Map = tuple[int, tuple[int, int]]
"""The key of a map in a sequence of ops: the phase, and the size of its tiles."""


@dataclass
class Group:
    """The ops of one map on tiles of one size, the stores among them, and the tiles that other maps and reductions read (`results`)."""

    tile: tuple[int, int]
    ops: list[Operation] = field(default_factory=list[Operation])
    stores: list[pto.StoreMapOp] = field(default_factory=list[pto.StoreMapOp])
    results: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])


class RowLowering(MapLowering):
    """Adds ops on whole rows to a kernel; `held` are the fragments by their tiles, `order` numbers the ops of the program."""

    family = "rows"
    layout: Layout
    box: IndexSpace
    order: Mapping[Operation, int]
    has_begun: bool = False
    """Whether the kernel has already waited until all blocks of the cluster have begun."""

    @property
    def row_lanes(self) -> int:
        """The number of lanes that hold a row, and may each hold an element of a tile."""
        return 1 if self.plan.transposed else self.plan.row_lanes

    @property
    def tile_sizes(self) -> Sequence[tuple[int, int]]:
        """The sizes that tiles can have: an element for each row, one for each lane of a row, and whole rows."""
        rows, columns = self.plan.tile[0], self.plan.row_columns
        sizes = [(rows, columns) for columns in dict.fromkeys((1, self.row_lanes, columns))]
        return [(columns, rows) for rows, columns in sizes] if self.plan.transposed else sizes

    def begin_rows(self, layout: Layout, held: dict[SSAValue, SSAValue]) -> None:
        """Starts with fragments of this layout. Raises `Unsupported` if the program stores nothing."""
        self.layout, self.held = layout, held
        first = next((o for o in self.tiles.body.walk() if isinstance(o, pto.StoreMapOp)), None)
        if first is None:
            need = "at least one pto.tile.store.map"
            raise Unsupported(self.kernel, what="a tile program that stores nothing", need=need)
        self.box = index_space(first)
        self.order = {op: number for number, op in enumerate(self.tiles.body.walk())}

    def straight(self, ops: Sequence[Operation], space: IndexSpace) -> None:
        """Lowers a sequence of ops that contains no loop, phase by phase."""
        for op in ops:
            if not isinstance(op, arith.ConstantOp):
                self.check_tiles(op)
        phases = self.phases(ops)
        groups = self.groups(ops, phases)
        for phase in range(1 + max(phases.values(), default=0)):
            for tile in self.tile_sizes:
                if (group := groups.get((phase, tile))) is not None:
                    self.map_elements(group, space)
            for op in ops:
                if self.begins_phase(op) and phases[op.results[0]] == phase + 1:
                    self.on_fragments(op)

    def check_tiles(self, op: Operation) -> None:
        """Checks that an op is on tiles whose rows are whole, have one element per lane, or have one element."""
        sizes, run, group = self.tile_sizes, *self.plan.lane_parts
        tiles = [v.type for v in (*op.operands, *op.results) if isinstance(v.type, pto.TileType)]
        fits = all(t.loc == "Vec" and t.sizes in sizes for t in tiles)
        if isinstance(op, REDUCTIONS):
            fits = fits and (tiles[0].sizes != sizes[0] or len(sizes) == 1)
            fits = fits and isinstance(op, pto.ColReduceOp) == self.plan.transposed
        if isinstance(op, pto.PointsOp):
            fits = fits and all(t.sizes in (sizes[0], sizes[-1]) for t in tiles)
        if isinstance(op, pto.RowReduceOp | pto.RowExpandOp) and op.run is not None:
            fits = fits and op.run.value.data == run and (op.group and op.group.value.data) == group
        if (tiles and fits) and not op.regions:
            return
        rows, columns = sizes[-1]
        if self.plan.transposed:
            need = f"use vector ops on Vec tiles of {rows} x {columns} or of 1 x {columns}, as C_stride is col; reduce columns"
        else:
            need = (
                f"use vector ops on Vec tiles of {rows} x {columns}, x {self.row_lanes} (an element for each lane of a row) "
                f"or x 1; reduce tiles of the first two sizes only, by lanes in runs of {run}"
                + f" and groups of {group}"
                * bool(group)
            )
        raise Unsupported(op, what=f"'{op.name}' in a kernel of rows", need=need)

    # --- phases -----------------------------------------------------------------------------------

    def begins_phase(self, op: Operation | Block) -> bool:
        """Returns whether an op reads fragments outside of any map; its result is in the next phase."""
        return isinstance(op, REDUCTIONS) or (isinstance(op, pto.BINARY["div"]) and self.divides_rows(op))

    def divides_rows(self, op: Operation) -> bool:
        """Returns whether a division has a divisor for each row, and a lane holds several elements of a row."""
        (dividend, divisor), t = op.operands, pto.tile_type(op.results[0])
        by = divisor.owner
        once = isinstance(by, pto.RowExpandOp) and by.run is None and not isinstance(by.input.owner, AGAIN)
        several = t.sizes[1] == self.plan.row_columns and columns_of(self.layout.elements) >= SEVERAL
        return once and several and source(dividend) is dividend and isinstance(t.element_type, Float32Type)

    def phases(self, ops: Sequence[Operation]) -> dict[SSAValue, int]:
        """
        Returns the phase of each tile: the number of reductions that it depends on. A load is in the first phase that needs it.
        """
        phases: dict[SSAValue, int] = {}
        for op in ops:
            if not is_repeated(op):
                after = max((phases.get(source(o), 0) for o in op.operands), default=0)
                phases |= dict.fromkeys(op.results, after + self.begins_phase(op))
        for op in reversed(ops):
            if isinstance(op, pto.LoadMapOp):
                users = [(u, r) for u in users_of(op.result) for r in u.results if r in phases]
                first = min((phases[r] - self.begins_phase(u) for u, r in users), default=0)
                phases[op.result] = max(phases[op.result], first)
        return phases

    def groups(self, ops: Sequence[Operation], phases: Mapping[SSAValue, int]) -> dict[Map, Group]:
        """Groups the ops into maps, by phase and size of the tiles, in the order of the program."""
        groups: dict[Map, Group] = {}

        def group(value: SSAValue) -> Group:
            tile = self.size_of(value)
            return groups.setdefault((phases.get(source(value), 0), tile), Group(tile))

        for op in ops:
            if isinstance(op, pto.StoreMapOp):
                group(op.tile).stores.append(op)
            elif self.begins_phase(op):
                for read in fragments_read(op):
                    if not (self.begins_phase(read.owner) or read in self.held):
                        group(read).results[read] = None
            elif not is_repeated(op):
                group(op.results[0]).ops.append(op)
            elif not isinstance(op, arith.ConstantOp) and is_carried(op.results[0]):
                group(op.results[0]).results[op.results[0]] = None
        for here, found in groups.items():
            for value in (op.results[0] for op in found.ops):
                if any(self.reads_fragment(user, ops, phases, here) for user in users_of(value)):
                    found.results[value] = None
        for here, found in list(groups.items()):
            if not (
                found.stores or found.results
            ):  # nothing reads what it computes, such as the only position on an axis
                reports = [op.results[0] for op in found.ops if isinstance(op, pto.ReportOp)]
                found.results |= dict.fromkeys(reports[-1:])
                if not reports:
                    del groups[here]
        return groups

    def reads_fragment(
        self, user: Operation, ops: Sequence[Operation], phases: Mapping[SSAValue, int], here: Map
    ) -> bool:
        """Returns whether `user` reads a tile outside of the map `here` that computes the tile."""
        if user not in ops or self.begins_phase(user):
            return True
        read = user.tile if isinstance(user, pto.StoreMapOp) else user.results[0]
        return (phases[source(read)], self.size_of(read)) != here

    def size_of(self, value: SSAValue) -> tuple[int, int]:
        """Returns the rows and columns of a tile."""
        rows, columns = pto.tile_type(value).sizes
        return rows, columns

    # --- maps and reductions ------------------------------------------------------------------------

    def fragment(self, value: SSAValue) -> nv.FragType:
        """Returns the type of the fragment that holds a tile."""
        t = pto.tile_type(value)
        whole = nv.FragType(self.plan.row_tile, signless(t.element_type), self.layout)
        if self.plan.transposed:
            return whole if t.sizes == whole.sizes else nv.col_fragment(whole)
        return next(f for f in (whole, nv.row_fragment(whole), nv.lane_fragment(whole)) if f.sizes == t.sizes)

    def realigned_width(self, access: pto.LoadMapOp | pto.StoreMapOp, address: isl.Aff, tile: tuple[int, int]) -> int:
        size = element_bytes(memref_of(access.memref).element_type)
        width = min(self.plan.vectorize.width, 16 // size)
        runs = tile == (self.layout.rows, self.layout.columns) and lanes_of_runs(self.layout) is not None
        everywhere = access.where is None
        begins = self.alignment(access) % (width * size) == 0
        return (
            width
            if width * size >= 4 and runs and everywhere and begins and is_contiguous(address, self.box.dims[1])
            else 1
        )

    def map_elements(self, group: Group, space: IndexSpace) -> None:
        """Writes the map of a group."""
        read = [*(o for op in (*group.ops, *group.stores) for o in op.operands), *group.results]
        needed = set(group.ops) | again(read)
        body_ops = sorted(needed, key=self.order.__getitem__)
        held = [v for v in dict.fromkeys(map(source, read)) if v in self.held]
        tile = group.tile
        if held and all(self.size_of(v) != tile for v in (*held, *group.results)):  # for the layout of the map
            if (like := next((v for v in self.held if self.size_of(v) == tile), None)) is not None:
                held.append(like)
            else:
                group.results[group.stores[0].tile] = None
        self.write_map(body_ops, group.stores, space, tile, held, group.results)

    def on_fragments(self, op: Operation) -> None:
        """Writes a reduction, or a division of rows."""
        self.at = op
        if isinstance(op, pto.RowReduceOp):
            self.reduce(op)
            return
        if isinstance(op, pto.ColReduceOp):
            self.reduce_columns(op)
            return
        dividend, divisor = (self.held[v] for v in fragments_read(op))
        self.held[op.results[0]] = self.add(nv.RowDivideOp(dividend, divisor), op.results[0].name_hint)

    def is_partial(self, op: pto.RowReduceOp) -> bool:
        """Returns whether each lane reduces its own elements of a row."""
        return op.run is not None

    def reduce(self, op: pto.RowReduceOp) -> None:
        """Writes the reduction of a fragment's rows."""
        fragment, body = self.held[op.input], self.combiner(op)
        t = nv.frag(fragment)
        partial, size = self.is_partial(op), nv.scratch_bytes(t)
        result = nv.lane_fragment(t) if partial else nv.row_fragment(t)
        scratch = self.allocate(size, 16) if size and not partial else None
        if self.cluster is not None and not partial and not self.has_begun:
            self.add(nv.ClusterSyncOp())
            self.has_begun = True
        self.held[op.result] = self.add(nv.RowReduceOp(fragment, result, body, scratch), op.result.name_hint)


def source(value: SSAValue) -> SSAValue:
    """Returns the tile before it was broadcast along its rows or columns, or `value` itself."""
    while isinstance(value.owner, EXPANSIONS):
        value = value.owner.input
    return value


def is_repeated(op: Operation | Block) -> TypeGuard[Operation]:
    """Returns whether every map that needs an op computes it."""
    return isinstance(op, AGAIN) and not (isinstance(op, pto.PositionedOp) and op.positions)


def again(values: Iterable[SSAValue]) -> set[Operation]:
    """Returns the ops that must be recomputed for these values."""
    found: set[Operation] = set()
    todo = [value.owner for value in values]
    while todo:
        op = todo.pop()
        if is_repeated(op) and op not in found:
            found.add(op)
            todo += [o.owner for o in op.operands]
    return found


def fragments_read(op: Operation) -> list[SSAValue]:
    """Returns the tiles whose fragments a reduction reads, or a division of rows."""
    return [op.input] if isinstance(op, REDUCTIONS) else [op.operands[0], source(op.operands[1])]


def is_carried(value: SSAValue) -> bool:
    """Returns whether a value is an initial value of a loop, or is yielded by an iteration."""
    return any(isinstance(use.operation, scf.ForOp | scf.YieldOp) for use in value.uses)


def users_of(value: SSAValue) -> list[Operation]:
    """Returns the ops that read a tile, directly or after it was broadcast along its rows."""
    found: list[Operation] = []
    for use in value.uses:
        op = use.operation
        found += users_of(op.result) if isinstance(op, EXPANSIONS) else [op]
    return found
