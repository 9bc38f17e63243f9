"""Rewrites one kernel: its loops, loads, moves, products and stores. `elementwise.py` has its vector ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import pto
from ...dialects.common.syntax import ints
from ...errors import Unsupported
from ...targets.pto.machine import PtoMachine
from .channels import Commits, commit_for, commits_of, constant_of
from .host import Function
from .masks import indices, mask
from .reports import STATUS, report
from .tails import divided
from .transfers import Transfers, location_of
from .values import Full, Size, Splat, Value
from .views import MAX_PARTS, stored_type, view_of

SCALARS = (arith.ConstantOp, arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivUIOp, arith.MinUIOp, arith.MaxUIOp)
"""Arithmetic on indices, which is copied."""


class KernelLegalizer(Transfers):
    """Writes the function of one kernel."""

    def __init__(self, kernel: pto.PtoKernelOp, machine: PtoMachine):
        super().__init__(kernel, machine)
        self.commits: dict[SSAValue, Commits] = {}
        self.workspaces: list[tuple[pto.MemRefType, int]] = []
        self.arguments = 0
        """How many arguments are arrays of the kernel; workspaces follow."""

    def build(self) -> Function:
        views, buffers = self.views(), list[int]()
        for number, arg in enumerate(self.kernel.body.block.args):
            for t in views.get(arg, [_flat(arg.type)]):
                self.arrays[arg, t] = new = self.block.insert_arg(t, len(self.block.args))
                new.name_hint = arg.name_hint or "y"
                buffers.append(number)
        self.arguments = len(buffers)
        self.core, self.cores = (self._core(hint) for hint in ("block", "blocks"))
        self.loops()
        Builder(InsertPoint.at_end(self.block)).insert(ReturnOp())
        function = FuncOp(self.kernel.sym_name.data, (list(self.block.arg_types), []), Region(self.block))
        function.location = self.kernel.location
        return Function(function, tuple(buffers), tuple(self.workspaces))

    def _core(self, hint: str) -> SSAValue:
        arg = self.block.insert_arg(IndexType(), len(self.block.args))
        arg.name_hint = hint
        return arg

    def views(self) -> dict[SSAValue, list[pto.MemRefType]]:
        """Returns the types of the views of each array. Raises `Unsupported` if an array that is written needs several."""
        found: dict[SSAValue, list[pto.MemRefType]] = {}
        stored = {op.memref for op in self.grid.walk() if isinstance(op, pto.StoreMapOp)}
        for op in self.grid.walk():
            if isinstance(op, pto.ReportOp):
                found[op.status] = [STATUS]
            elif isinstance(op, pto.LoadMapOp | pto.StoreMapOp):
                if isinstance(op, pto.LoadMapOp):
                    self.check_load(op)
                t = view_of(op, "Vec" if isinstance(op, pto.StoreMapOp) else location_of(op)).type
                known = found.setdefault(op.memref, [])
                if t not in known:
                    known.append(t)
                if len(known) > 1 and op.memref in stored:
                    what = f"an array that is written and is accessed as {known[0]} and as {t}"
                    raise Unsupported(
                        op, what=what, need="copy the array, or give each of its uses a kernel of its own"
                    )
        return found

    def check_load(self, op: pto.LoadMapOp) -> None:
        """Raises `Unsupported` for loads that are no transfer of a matrix."""
        if op.positions:
            raise self.no_form(op, "a gather by tiles of positions")

    # --- loops ------------------------------------------------------------------------------------

    def loops(self) -> None:
        """Writes the loops over tiles, of which those of one axis are shared out among cores, and the body."""
        counts, steps, sizes = self.grid.counts, ints(self.grid.steps), ints(self.grid.sizes)
        if not counts:
            raise Unsupported(self.grid, what="'pto.tiles' without an axis", need="give it an axis of one tile")
        shared = max(range(len(counts)), key=lambda k: counts[k])
        outside: list[tuple[Builder, Block]] = []
        for axis, arg in enumerate(self.grid.offsets):
            if counts[axis] == 1 and axis != shared:
                self.indices[arg] = self.index(0)
                continue
            low, step = self.index(0), self.index(steps[axis])
            if axis == shared:
                low, step = (self.add(arith.MuliOp(n, step)) for n in (self.core, self.cores))
            body = Block(arg_types=[IndexType()])
            body.args[0].name_hint = arg.name_hint
            self.indices[arg] = body.args[0]
            self.greatest[body.args[0]] = (counts[axis] - 1) * steps[axis]
            self.add(scf.ForOp(low, self.index(sizes[axis]), step, [], Region(body)))
            outside.append((self.builder, body))
            self.nest.append(body)
            self.builder = Builder(InsertPoint.at_end(body))
        self.parts()
        for builder, body in reversed(outside):
            Builder(InsertPoint.at_end(body)).insert(scf.YieldOp())
            self.builder = builder

    def parts(self) -> None:
        """Writes the body. The parts of a split are computed one after the other, by one core, and added in the same order as on a GPU."""
        if self.grid.parts > MAX_PARTS:
            need = f"use at most {MAX_PARTS} parts, which one core computes one after the other"
            raise Unsupported(self.grid, what=f"a split into {self.grid.parts} parts on PTO", need=need)
        for part in range(self.grid.parts):
            self.commits = commits_of(self.grid)
            if self.grid.part is not None:
                self.indices[self.grid.part] = self.index(part)
            self.rewrite(self.grid.body.block)

    def combine(self, op: pto.CombineOp) -> None:
        """Adds the result of a part to those before it, and writes what is computed from the sum of all."""
        total, part = op.body.block.args[0], self.values[op.acc]
        if isinstance(part, Full) and part.type.loc == "Acc":
            part = self.moved(pto.MoveToVecOp, part, None)
        if constant_of(self.indices[op.part]) == 0:
            self.values[total] = part
        else:
            whole = part if isinstance(part, Full) else self.whole(part, op.acc)
            self.values[total] = self.binary("add", self.values[total], whole)
        if constant_of(self.indices[op.part]) == self.grid.parts - 1:
            self.rewrite(op.body.block)

    def rewrite(self, block: Block) -> None:
        for op in block.ops:
            self.at = op
            self.op(op)

    def op(self, op: Operation) -> None:
        match op:
            case pto.ProcessOp() | pto.ChannelOp() | pto.ReleaseOp() | pto.AcquireOp() | scf.YieldOp():
                pass
            case _ if isinstance(op, SCALARS):
                self.indices[op.results[0]] = self.copied(op)
            case scf.ForOp():
                self.loop(op)
            case pto.WaitOp():
                self.wait(op)
            case pto.LoadMapOp():
                self.values[op.result] = self.load(op, {})
            case pto.StoreMapOp():
                self.store(op)
            case pto.MaskOp() if not op.positions:
                self.values[op.result] = mask(self, op)
            case pto.IotaOp():
                self.values[op.result] = indices(self, op)
            case pto.ReportOp():
                self.values[op.result] = report(self, op, self.core)
            case pto.MoveOp():
                self.values[op.result] = self.move(op)
            case pto.CombineOp():
                self.combine(op)
            case pto.MatmulAccOp():
                self.values[op.result] = self.multiply(op)
            case _ if len(op.results) == 1 and isinstance(op.results[0].type, pto.TileType):
                self.values[op.results[0]] = self.vector(op)
            case _:
                raise self.no_form(op)

    def copied(self, op: Operation) -> SSAValue:
        """Copies arithmetic on indices, of which that on numbers is computed."""
        operands = [self.indices[v] for v in op.operands]
        numbers = [constant_of(v) for v in operands]
        if isinstance(op, arith.MuliOp | arith.AddiOp) and None not in numbers:
            a, b = cast(list[int], numbers)
            return self.index(a * b if isinstance(op, arith.MuliOp) else a + b)
        new = self.add(op.clone(dict(zip(op.operands, operands, strict=True))), op.results[0].name_hint)
        if isinstance(op, arith.AddiOp):
            for number, index in zip(numbers, reversed(operands), strict=True):
                if number is not None and index in self.greatest:
                    self.greatest[new] = self.greatest[index] + number
        return new

    def no_form(self, op: Operation, what: str | None = None) -> Unsupported:
        return Unsupported(
            op,
            what=what or f"'{op.name}' on {self.machine.name}",
            need="compile the program for a GPU, or leave the op out",
        )

    def loop(self, op: scf.ForOp) -> None:
        """
        Writes a loop. An accumulator that begins as zero begins with the first product, before the loop; if it is moved to a vector tile in
        the loop, it is one from the start. Iterations with tiles that are not whole are written after the loop (`tails.py`).
        """
        block = op.body.block
        starts = [self.values[v] for v in op.iter_args]
        peels = any(
            isinstance(start, Splat) and pto.tile_type(arg).loc == "Acc" and not _is_moved(arg)
            for start, arg in zip(starts, block.args[1:], strict=True)
        )
        bounds = [self.indices[v] for v in (op.lb, op.ub, op.step)]
        known = [n for v in bounds if (n := constant_of(v)) is not None]
        if len(known) < 3:
            if peels:
                raise self.no_form(op, "an accumulator in a loop that may have no iteration")
            ends = self.repeated(op, starts, bounds, None)
        else:
            part, commits = self.grid.part, self.commits
            numbers: dict[SSAValue, int] = {} if part is None else {part: cast(int, constant_of(self.indices[part]))}
            whole, rest = divided(op, range(*known), numbers, commits)
            while whole and (peels or len(whole) == 1):
                starts, whole, peels = self.iteration(op, starts, self.index(whole[0])), whole[1:], False
            ends = starts
            if whole:
                bounds = [self.index(whole.start), self.index(whole.stop), bounds[2]]
                ends = self.repeated(op, starts, bounds, whole[-1])
            for each in rest:
                ends = self.iteration(op, ends, self.index(each))
        for result, end in zip(op.results, ends, strict=True):
            self.values[result] = end
            if isinstance(end, Full) and isinstance(end.tile.owner, scf.ForOp):
                end.tile.name_hint = result.name_hint

    def repeated(
        self, op: scf.ForOp, starts: Sequence[Value], bounds: Sequence[SSAValue], last: int | None
    ) -> list[Value]:
        """Writes a loop from `starts` on, and returns what it ends with. `last` is the greatest index, if it is known."""
        old = op.body.block
        carried = [self.whole(start, v) for start, v in zip(starts, old.args[1:], strict=True)]
        body = Block(arg_types=[IndexType(), *(v.type for v in carried)])
        for arg, hint in zip(body.args, old.args, strict=True):
            arg.name_hint = hint.name_hint
        if last is not None:
            self.greatest[body.args[0]] = last
        outside, self.builder = self.builder, Builder(InsertPoint.at_end(body))
        self.nest.append(body)
        inside = [Full(arg, v.extents) for arg, v in zip(body.args[1:], carried, strict=True)]
        results = self.iteration(op, inside, body.args[0])
        finals = [self.full(r, v.sizes, v.extents) for r, v in zip(results, carried, strict=True)]
        self.add(scf.YieldOp(*(f.tile for f in finals)))
        self.nest.pop()
        self.builder, self.at = outside, op
        low, high, step = bounds
        loop = scf.ForOp(low, high, step, [v.tile for v in carried], Region(body))
        self.add(loop)
        return [Full(result, v.extents) for result, v in zip(loop.results, carried, strict=True)]

    def iteration(self, op: scf.ForOp, carried: Sequence[Value], index: SSAValue) -> list[Value]:
        """Writes the body of a loop for these values of what it carries and an index, and returns what it yields."""
        block = op.body.block
        self.indices[block.args[0]] = index
        self.values.update(zip(block.args[1:], carried, strict=True))
        self.rewrite(block)
        self.at = op
        return [self.values[v] for v in cast(Operation, block.last_op).operands]

    def whole(self, value: Value, old: SSAValue) -> Full:
        """Returns the tile that stands for a tile of the program."""
        return self.full(value, self.rounded(old), self.extents_like(old))

    def extents_like(self, old: SSAValue) -> tuple[Size, Size]:
        """Returns the valid extents of a tile: along each axis, those of a tile that the kernel stores, if one has the same size."""
        stores = [op for op in self.grid.walk() if isinstance(op, pto.StoreMapOp)]
        rows, columns = (
            next(
                (self.extent(op, ints(op.dims)[k], size) for op in stores if pto.tile_type(op.tile).sizes[k] == size),
                size,
            )
            for k, size in enumerate(pto.tile_type(old).sizes)
        )
        return (1 if old in self.totals else rows), (1 if self.is_column(old) else columns)

    # --- memory -----------------------------------------------------------------------------------

    def wait(self, op: pto.WaitOp) -> None:
        """Writes the loads of what a process has committed."""
        commit, loops = commit_for(op, self.commits[op.channel])
        for tile, result in zip(commit.tiles, op.results, strict=True):
            load = cast(pto.LoadMapOp, tile.owner)
            for each in cast(Block, load.parent).ops:
                if isinstance(each, SCALARS):
                    self.indices.update({inside: self.indices[outside] for inside, outside in loops.items()})
                    self.indices[each.results[0]] = self.copied(each)
            self.values[result] = self.load(load, loops)

    # --- products ---------------------------------------------------------------------------------

    def move(self, op: pto.MoveOp) -> Value:
        value = self.values[op.input]
        match op:
            case pto.MoveToVecOp() | pto.MoveVecToAccOp() | pto.MoveMatToVecOp() | pto.CopyOp():
                if isinstance(value, Full) and value.type.loc == "Acc":
                    return self.moved(pto.MoveToVecOp, value, None, op.result.name_hint)
                return value
            case pto.MoveToLeftOp() | pto.MoveToRightOp():
                return self.moved(type(op), cast(Full, value), op.TO, op.result.name_hint)
            case pto.MoveVecToLeftOp() | pto.MoveVecToRightOp():
                through = self.through_memory(self.whole(value, op.input))
                return self.moved(
                    pto.MoveToLeftOp if op.TO == "Left" else pto.MoveToRightOp, through, op.TO, op.result.name_hint
                )
            case _:
                raise self.no_form(op)

    def moved(
        self, kind: Callable[[SSAValue], pto.MoveOp], value: Full, to: str | None, hint: str | None = None
    ) -> Full:
        op = kind(value.tile)
        if to is not None:
            Rewriter.replace_value_with_new_type(
                op.result, pto.TileType(value.sizes, value.type.element_type, to, self.machine.layout(to))
            )
        return Full(self.add(op, hint), value.extents)

    def through_memory(self, value: Full) -> Full:
        """Writes the way of a vector tile to L1: a store to the core's part of a workspace, and a load."""
        array, place = self.workspace(value.sizes, value.type.element_type)
        self.stored(value, array, place)
        mat = pto.TileType(value.sizes, value.type.element_type, "Mat", self.machine.layout("Mat"))
        return self.loaded(array, place, mat, value.extents)

    def workspace(self, sizes: tuple[int, int], dtype: Attribute) -> tuple[SSAValue, list[Size]]:
        """Returns a further argument with room for a tile for each core, and the place of the core's."""
        rows, columns = sizes
        t = pto.MemRefType((-1, columns), dtype)
        array = self.block.insert_arg(t, self.arguments + len(self.workspaces))
        array.name_hint = "workspace"
        self.workspaces.append((t, rows))
        return array, [self.product(self.core, rows), 0]

    def multiply(self, op: pto.MatmulAccOp) -> Value:
        if op.precision is not None:
            raise self.no_form(op, f"a product with precision {op.precision.data}")
        acc, left, right = (self.values[v] for v in (op.acc, op.a, op.b))
        left, right = cast(Full, left), cast(Full, right)
        extents = left.extents[0], right.extents[1]
        if isinstance(acc, Full) and acc.type.loc == "Acc":
            return Full(self.add(pto.MatmulAccOp(acc.tile, left.tile, right.tile), op.result.name_hint), extents)
        dtype = pto.tile_type(op.result).element_type
        result = pto.TileType((left.sizes[0], right.sizes[1]), dtype, "Acc", self.machine.layout("Acc"))
        product = Full(self.add(pto.MatmulOp(left.tile, right.tile, result), op.result.name_hint), extents)
        if isinstance(acc, Splat) and self.is_zero(acc):
            return product
        return self.binary("add", acc, self.moved(pto.MoveToVecOp, product, None))


def _is_moved(acc: SSAValue) -> bool:
    """Returns whether an accumulator that a loop carries is moved to a vector tile in the loop, and not used otherwise."""
    return all(isinstance(use.operation, pto.MoveToVecOp) for use in acc.uses)


def _flat(t: Attribute) -> pto.MemRefType:
    """Returns the type of an array that the kernel does not use."""
    array = cast("MemRefType[Attribute]", t)
    return pto.MemRefType((1, prod(array.get_shape())), stored_type(array.element_type))
