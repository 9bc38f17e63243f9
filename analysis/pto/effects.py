"""
The pipe of an instruction, and the tiles and elements of global memory that it reads and writes.

`Walk` visits the instructions of a function in program order with the values of indices, views and tiles at that place. The body of a
loop is visited twice: the second visit sees the state at the back edge. The induction variable of the first visit is that of any iteration, and that
of the second visit is the same plus an unknown distance, so that an access of an iteration is compared with those of all earlier ones.

A body in three loops is visited eight times. Where loops are nested deeper, each back edge is followed once: in the second visit of a loop, the
loops in it are visited once, so that a body is visited once more for each of them; what the inner loop orders in its other iterations is not
known after that visit. The back edges of inner loops are those of any iteration of the outer ones; in a second visit, it could not be the
first one.
A visit of an inner loop that is not its first one looks, from within the loop, like that in any other visit of the outer loops (`Walk.is_again`),
so that indices and boxes are computed once for each loop around a body, and not for each visit.
The branches of a condition are visited one after the other; a tile that it returns may be that of either branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect

from ...dialects import pto
from ...dialects.pto.indices import Index, constant, joined
from ...dialects.pto.transfers import TransferOp
from ...targets.pto import PIPE_OF, PIPES
from ..errors import NoAsynchronousForm
from .accesses import Range
from .affine import Affine, Box, Symbol
from .storage import address_ranges

MAX_DEPTH = 16
"""Loops that are nested deeper are refused, because each level adds a visit of what is in it."""
MAX_COPIES = 8
"""Maximum number of visits of a body that is visited twice in each visit of the loops around it."""
MAX_BRANCHES = 4
"""Maximum number of branches that are known to be taken if a tile has a value, the latest ones."""
MAX_ROTATION = 8
"""Maximum number of values that a loop passes from one iteration to the next without computing them."""


def pipe_of(op: pto.InstructionOp) -> int:
    """Returns the number in `PIPES` of the pipe that executes `op`. Raises `NoAsynchronousForm`."""
    if (pipe := PIPE_OF.get(op.opcode)) is None:
        raise NoAsynchronousForm(op, problem=f"{op.opcode} is no instruction of PTO")
    return PIPES.index(pipe)


def instructions(block: Block) -> list[pto.InstructionOp]:
    """Returns the instructions in `block`, in its loops and in its conditions, in program order."""
    return [op for op in block.walk() if isinstance(op, pto.InstructionOp)]


def tile_functions(module: ModuleOp) -> list[func.FuncOp]:
    """Returns the functions that have instructions. Raises `NoAsynchronousForm` if one has several blocks."""
    found = [
        f
        for f in module.walk()
        if isinstance(f, func.FuncOp) and any(isinstance(o, pto.InstructionOp) for o in f.walk())
    ]
    for function in found:
        if len(function.body.blocks) > 1:
            raise NoAsynchronousForm(function, problem="the function has several blocks")
    return found


@dataclass(frozen=True)
class View:
    """A part of the array `root`: where it starts, and its step along each axis (None: unknown)."""

    root: SSAValue
    starts: tuple[Affine, ...]
    steps: tuple[int | None, ...]


@dataclass(frozen=True)
class Tile:
    """A value that a tile may have: the number of the instruction that computes it, or -1; and its address, if it has one."""

    number: int
    place: Range | None
    branches: tuple[int, ...] = ()
    """
    Branches of conditions that were taken if the tile has this value: 2n and 2n + 1 are those of the n-th visit of a condition. None for a tile with
    an address, since what is written there does not depend on them.
    """


Tiles = tuple[Tile, ...]


@dataclass(slots=True)
class Instruction:
    """An execution of `op`, which reads `tiles` and the elements `reads`, and writes `writes`."""

    op: pto.InstructionOp
    number: int
    pipe: int
    tiles: Tiles
    reads: tuple[Range | Box, ...]
    writes: tuple[Range | Box, ...]


@dataclass(eq=False, slots=True)
class _Facts:
    """The facts that all visits of an instruction share, and the box of the last visit."""

    op: pto.InstructionOp
    pipe: int
    tiles: tuple[SSAValue, ...]
    arrays: tuple[SSAValue, ...]
    offsets: list[Index] | None
    """The offsets of a transfer in its array; None for other instructions."""
    reads: bool
    writes: bool
    """Whether it reads and writes the elements of `arrays`."""
    results: tuple[tuple[SSAValue, Range | None], ...]
    """The tiles that it computes, with their addresses."""
    written: tuple[Range, ...]
    extents: tuple[int | None, ...] | None = None
    place: tuple[View, list[Affine]] | None = None
    box: Box | None = None


def trip_count(loop: scf.ForOp) -> int | None:
    """Returns the number of iterations, or None if it is not known statically."""
    low, high, step = (constant(v) for v in (loop.lb, loop.ub, loop.step))
    if low is None or high is None or step is None or step <= 0:
        return None
    return len(range(low, high, step))


class Walk:
    """Visits the instructions, loops and conditions of a function. Subclasses override what is called at them."""

    def __init__(self, function: func.FuncOp) -> None:
        self.function = function
        self.addresses = address_ranges(function)
        self.indices: dict[SSAValue, Affine] = {}
        self.views: dict[SSAValue, View] = {}
        self.tiles: dict[SSAValue, Tiles] = {}
        self.visitors: dict[Block, tuple[list[Callable[[], None]], list[Callable[[], None]]]] = {}
        """The functions that visit the ops of each block, and those of them that do not only compute indices and views."""
        self.count: int = 0
        self.depth = 0
        self.conditions = 0
        """The number of visits of conditions that have started."""
        self.is_first = True
        """Whether this is the first visit of all loops around this place."""
        self.after: int = -1
        """
        The number of the last execution before the innermost loop around this place that is not visited for the first time, or -1. The boxes of
        an instruction are the same in each visit as seen from there, so that the first visit has seen all accesses up to this one.
        """
        self.starts: list[int] = []
        """The number of the first execution of each visit of this loop."""
        self.visit: int = -1
        """The number of this loop and visit, or -1."""
        self.is_again: bool = False
        """Whether there was such a visit before, in another visit of the loops around it. Then each box is that of the last visit."""
        self.visit_numbers: dict[tuple[scf.ForOp, int], int] = {}
        self.copies = 1
        """The product of the visits of the loops around this place."""

    def instruction(self, instruction: Instruction) -> None:
        """Is called for each execution of an instruction."""

    def enter(self, loop: scf.ForOp) -> None:
        """Is called before a loop."""

    def exit(self, loop: scf.ForOp) -> None:
        """Is called before each visit of a loop's body without which the loop may end."""

    def leave(self, loop: scf.ForOp) -> None:
        """Is called after a loop."""

    def fork(self, condition: scf.IfOp) -> None:
        """Is called before the first branch of a condition."""

    def switch(self, condition: scf.IfOp) -> None:
        """Is called between the branches of a condition, of which the second one may be empty."""

    def join(self, condition: scf.IfOp) -> None:
        """Is called after the branches of a condition."""

    def visits(self, loop: scf.ForOp, needed: int) -> int:
        """Returns how often to visit the body of a loop; `needed` visits follow its back edge, and show all values that tiles may have."""
        every = self.is_first or self.copies * needed <= MAX_COPIES
        return needed if every else max(1, needed - 1)

    def run(self) -> None:
        block = self.function.body.block
        for argument in block.args:
            if isinstance(argument.type, pto.TileType):
                self.tiles[argument] = (Tile(-1, self.addresses.get(argument)),)
        self.block(block)

    def block(self, block: Block) -> None:
        if (visitors := self.visitors.get(block)) is None:
            found = [(op, visitor) for op in block.ops if (visitor := self._visitor(op)) is not None]
            rest = [visitor for op, visitor in found if isinstance(op, _VISITED_AGAIN)]
            visitors = self.visitors[block] = [visitor for _, visitor in found], rest
        for visitor in visitors[self.is_again]:
            visitor()

    def _visitor(self, op: Operation) -> Callable[[], None] | None:
        """Returns what to do at each visit of an op, or None."""
        match op:
            case pto.InstructionOp():
                return partial(self._instruction, self._facts(op))
            case scf.ForOp():
                return partial(self._loop, op)
            case scf.IfOp():
                return partial(self._condition, op)
            case pto.SubviewOp():
                offsets, _, strides = op.parts
                return partial(self._subview, op, offsets, strides)
            case pto.ConstantOp() | arith.ConstantOp():
                if (known := constant(op.results[0])) is not None:
                    self.indices[op.results[0]] = Affine(known)
                return None
            case pto.AddIOp() | arith.AddiOp():
                return partial(self._sum, op, 1)
            case pto.SubIOp() | arith.SubiOp():
                return partial(self._sum, op, -1)
            case pto.MulIOp() | arith.MuliOp():
                return partial(self._product, op)
            case pto.AssignOp():
                return partial(self._assign, op)
            case _:
                return self._other(op)

    def index(self, index: Index) -> Affine:
        if isinstance(index, int):
            return Affine(index)
        if index not in self.indices:
            self.indices[index] = Affine.of(Symbol())
        return self.indices[index]

    def view(self, memref: SSAValue, op: Operation) -> View:
        if memref not in self.views:
            if isinstance(memref, BlockArgument) and memref.owner is not self.function.body.block:
                raise NoAsynchronousForm(op, problem="the array is carried by a loop, and may be any array")
            rank = len(pto.memref_type(memref).sizes)
            self.views[memref] = View(memref, (Affine(0),) * rank, (1,) * rank)
        return self.views[memref]

    def _subview(self, op: pto.SubviewOp, offsets: list[Index], strides: list[Index]) -> None:
        source = self.view(op.source, op)
        starts = _placed(source, [self.index(o) for o in offsets])
        if (old := self.views.get(op.result)) is not None and old.starts == starts:
            return
        steps = (
            a * b if a is not None and isinstance(b, int) else None for a, b in zip(source.steps, strides, strict=True)
        )
        self.views[op.result] = View(source.root, starts, tuple(steps))

    def _box(self, facts: _Facts, memref: SSAValue) -> Box:
        if self.is_again and facts.box is not None:
            return facts.box
        view = self.view(memref, facts.op)
        if facts.offsets is None:
            return _whole(view)
        place = view, [self.index(i) for i in facts.offsets]
        if facts.box is None or facts.place != place:
            if facts.extents is None:
                facts.extents = _extents(facts.op, view)
            facts.place, facts.box = place, Box(view.root, _placed(*place), facts.extents)
        return facts.box

    def _instruction(self, facts: _Facts) -> None:
        number = self.count
        self.count += 1
        read = [tile for value in facts.tiles for tile in self.tiles.get(value, ())]
        places = tuple([tile.place for tile in read if tile.place is not None])
        reads, writes = places, facts.written
        if facts.arrays:
            boxes = tuple([self._box(facts, v) for v in facts.arrays])
            reads = (*boxes, *places) if facts.reads else places
            writes = (*boxes, *facts.written) if facts.writes else facts.written
        for result, place in facts.results:
            self.tiles[result] = (Tile(number, place),)
        self.instruction(Instruction(facts.op, number, facts.pipe, tuple(read), reads, writes))

    def _facts(self, op: pto.InstructionOp) -> _Facts:
        results = tuple((r, self.addresses.get(r)) for r in op.results if isinstance(r.type, pto.TileType))
        return _Facts(
            op,
            pipe_of(op),
            tuple(v for v in op.operands if isinstance(v.type, pto.TileType)),
            tuple(v for v in op.operands if isinstance(v.type, pto.MemRefType)),
            joined(op.static_offsets, op.offsets) if isinstance(op, TransferOp) else None,
            op.has_trait(MemoryReadEffect),
            op.has_trait(MemoryWriteEffect),
            results,
            tuple(place for _, place in results if place is not None),
        )

    def _loop(self, op: scf.ForOp) -> None:
        trips, body = trip_count(op), op.body.block
        terminator = body.last_op
        assert isinstance(terminator, scf.YieldOp)
        if any(isinstance(a.type, pto.MemRefType) for a in op.iter_args):
            raise NoAsynchronousForm(op, problem="the loop carries an array, which may be any array")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NoAsynchronousForm(op, problem=f"more than {MAX_DEPTH} loops are nested")
        rotated = sum(isinstance(v, BlockArgument) and v.owner is body for v in terminator.arguments)
        if rotated > MAX_ROTATION:
            raise NoAsynchronousForm(op, problem=f"the loop passes on more than {MAX_ROTATION} values")
        needed = 2 + rotated if trips is None else min(trips, 2 + rotated)
        visits, is_first, copies = self.visits(op, needed) if needed else 0, self.is_first, self.copies
        before, starts, outer = self.count - 1, list[int](), (self.after, self.starts, self.visit, self.is_again)
        self.copies *= visits
        self.enter(op)
        values = tuple(op.iter_args)
        finals = [[self._value(v) for v in values]]
        """The values that the loop carries before it and after each visit."""
        first = iv = self._first(op, trips)
        is_exact = trips is not None and trips <= visits
        # Each iteration may exchange what the loop passes on, so that any visit, or any of the last ones, may be the last iteration.
        first_exit = 0 if trips is None else visits if is_exact else visits - rotated
        for visit in range(visits):
            if visit >= first_exit:
                self.exit(op)
            if visit:
                step = constant(op.step)
                last = inf if trips is None or step is None else step * (trips - 1)
                far = Symbol(1 if step is None else step, last, step or 1, first.terms[0][0])
                iv = iv.plus(Affine.of(far))
            self._bind(body.args, (iv, *(self._value(v) for v in values)))
            self.is_first = is_first and visit == 0
            starts.append(self.count)
            if visit:
                known = len(self.visit_numbers)
                self.visit = self.visit_numbers.setdefault((op, visit), known)
                self.after, self.starts, self.is_again = before, starts, self.visit < known
            self.block(body)
            values = terminator.arguments
            finals.append([self._value(v) for v in values])
        self.is_first, self.copies = is_first, copies
        self.after, self.starts, self.visit, self.is_again = outer
        for result, *ends in zip(op.results, *finals[first_exit:], strict=True):
            if isinstance(result.type, pto.TileType):
                self.tiles[result] = _any_of(ends)
            elif trips is not None and isinstance(ends[-1], Affine) and not ends[-1].terms:
                self.indices[result] = ends[-1] if is_exact else Affine.of(Symbol())
        self.leave(op)
        self.depth -= 1

    def _condition(self, op: scf.IfOp) -> None:
        if any(isinstance(r.type, pto.MemRefType) for r in op.results):
            raise NoAsynchronousForm(op, problem="the condition returns an array, which may be any array")
        ends: list[list[Any]] = []
        visit = self.conditions
        self.conditions += 1
        self.fork(op)
        for number, region in enumerate(op.regions):
            if number:
                self.switch(op)
            for block in region.blocks:
                self.block(block)
                assert block.last_op is not None
                ends.append([self._value(v) for v in block.last_op.operands])
        self.join(op)
        for result, *values in zip(op.results, *ends if op.results else (), strict=True):
            if isinstance(result.type, pto.TileType):
                self.tiles[result] = _of_branches(values, visit)
            else:
                self._unknown([result])

    def _first(self, op: scf.ForOp, trips: int | None) -> Affine:
        """Returns the induction variable of an unknown iteration."""
        low, step = constant(op.lb), constant(op.step)
        if low is None or step is None or trips is None:
            return Affine.of(Symbol(-inf if low is None else low, step=step if step is not None and step > 0 else 1))
        return Affine(low) if trips == 1 else Affine.of(Symbol(low, low + step * (trips - 1), step))

    def _value(self, value: SSAValue) -> Any:
        if isinstance(value.type, pto.TileType):
            return self.tiles.get(value, (Tile(-1, self.addresses.get(value)),))
        return self.index(value) if isinstance(value.type, IndexType | IntegerType) else None

    def _bind(self, arguments: Sequence[SSAValue], values: Sequence[Any]) -> None:
        """Binds the arguments of a loop's body. An index that is carried may have any value."""
        for number, (argument, value) in enumerate(zip(arguments, values, strict=True)):
            if isinstance(argument.type, pto.TileType):
                self.tiles[argument] = value
            elif isinstance(argument.type, IndexType | IntegerType):
                self.indices[argument] = value if number == 0 else Affine.of(Symbol())

    def _sum(self, op: Operation, factor: int) -> None:
        a, b = op.operands
        self.indices[op.results[0]] = self.index(a).plus(self.index(b), factor)

    def _product(self, op: Operation) -> None:
        a, b = (self.index(v) for v in op.operands)
        factor, rest = (a.known, b) if a.known is not None else (b.known, a)
        self.indices[op.results[0]] = Affine.of(Symbol()) if factor is None else rest.times(factor)

    def _assign(self, op: pto.AssignOp) -> None:
        self.tiles[op.result] = self._value(op.tile)

    def _unknown(self, results: Sequence[SSAValue]) -> None:
        """Forgets results, because a second visit computes new ones."""
        for result in results:
            self.indices.pop(result, None)

    def _other(self, op: Operation) -> Callable[[], None] | None:
        if any(isinstance(o, pto.InstructionOp | pto.SyncOp) for o in op.walk() if o is not op):
            raise NoAsynchronousForm(op, problem=f"{op.name} contains instructions")
        terminates = isinstance(op, scf.YieldOp | func.ReturnOp)
        tiles = any(isinstance(v.type, pto.TileType | pto.MemRefType) for v in (*op.operands, *op.results))
        if tiles and not terminates:
            raise NoAsynchronousForm(op, problem=f"{op.name} is no instruction of PTO")
        return partial(self._unknown, op.results) if op.results else None


_VISITED_AGAIN = (pto.InstructionOp, scf.ForOp, scf.IfOp, pto.AssignOp)


def _any_of(values: Iterable[Iterable[Tile]]) -> Tiles:
    """Returns what a tile may be that is one of `values`. Of equal values, the branches that were taken for all of them remain."""
    found: dict[tuple[int, Range | None], Tile] = {}
    for tile in (tile for value in values for tile in value):
        key = tile.number, tile.place
        if (other := found.get(key)) is not None and other.branches != tile.branches:
            tile = replace(tile, branches=tuple(b for b in tile.branches if b in other.branches))
        found[key] = tile
    return tuple(found.values())


def _of_branches(values: Sequence[Tiles], visit: int) -> Tiles:
    """Returns what a tile may be that a visit of a condition returns."""
    return _any_of(
        [
            tile
            if tile.place is not None
            else replace(tile, branches=(*tile.branches[1 - MAX_BRANCHES :], 2 * visit + branch))
            for tile in tiles
        ]
        for branch, tiles in enumerate(values)
    )


def _whole(view: View) -> Box:
    return Box(view.root, (Affine(0),) * len(view.starts), (None,) * len(view.starts))


def _extents(op: pto.InstructionOp, view: View) -> tuple[int | None, ...]:
    """Returns the number of elements of the array between the first and the last one of a transfer, along each axis."""
    tile = next(pto.tile_type(v) for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType))
    counts = [None if s == -1 else s for s in tile.sizes]
    if op.static_valid is not None:
        limits = joined(op.static_valid, op.valid)
        counts = [limit if isinstance(limit, int) else c for limit, c in zip(limits, counts, strict=True)]
    return tuple(
        None if count is None or step is None else (count - 1) * step + 1
        for count, step in zip(counts, view.steps, strict=True)
    )


def _placed(view: View, indices: list[Affine]) -> tuple[Affine, ...]:
    return tuple(
        Affine.of(Symbol()) if step is None else start.plus(index, step)
        for start, index, step in zip(view.starts, indices, view.steps, strict=True)
    )
