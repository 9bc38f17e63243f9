"""
The tiles that share storage, and the times at which each storage is used.

The tile before a loop, the one that the loop carries, the one that it yields and its result share storage, and so do the result of a condition and
the tiles that its branches yield. So do a result and an operand that is not used afterwards, if the op may compute in place. Time is the number of
an op in the function; a tile from outside of a loop is used until the end of the loop. The branches of a condition have different times, so that
their tiles may share storage.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field, replace

from xdsl.dialects import func, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ...dialects import pto
from ...dialects.pto.storage import aligned, tile_bytes
from ...dialects.pto.vector import VectorBinaryOp, VectorUnaryOp
from ...targets.pto import NOT_IN_PLACE
from .packing import Interval
from .storage import address_ranges

IN_PLACE = (VectorUnaryOp, VectorBinaryOp, pto.ScalarBinaryOp, pto.CvtOp, pto.BitcastOp, pto.CopyOp)
"""
Ops whose result may share storage with any operand of the same size: an element depends on the operands' element at that place. Those that
divide a number by a tile may not.
"""


@dataclass
class Storage:
    """A place in memory `loc` that `values` share from time `start` to `end`."""

    loc: str
    size: int
    start: int
    end: int
    values: list[SSAValue]
    address: int | None = None
    loop_end: int | None = None
    """The end of the innermost loop that computes the first value, if it contains no other loop."""

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end, aligned(self.size), self.address)

    def kept(self, distance: int, last: int) -> Interval:
        """Returns the interval if the memory is not used again in that loop, or else during the next `distance` ops; `last` is the last time."""
        end = max(self.end, self.loop_end) if self.loop_end is not None else min(self.end + distance, last)
        return replace(self.interval, end=end)


class Times:
    """The time of each op of a function: its number; a loop or a condition ends at that of its last terminator."""

    def __init__(self, function: func.FuncOp) -> None:
        self.of: dict[Operation, int] = {op: k for k, op in enumerate(function.walk())}

    def end(self, op: Operation) -> int:
        blocks = [block for region in op.regions for block in region.blocks]
        last = blocks[-1].last_op if blocks else None
        return self.of[op if last is None else last]

    def last_use(self, value: SSAValue, besides: Operation | None = None) -> int:
        """Returns the time of the last use of `value`, except those by `besides`; -1 if there is none."""
        block = _block(value)
        assert block is not None
        found = -1
        for use in value.uses:
            if use.operation is besides:
                continue
            loop = _outermost_loop(block, use.operation)
            found = max(found, self.of[use.operation] if loop is None else self.end(loop))
        return found


def yields_of(condition: scf.IfOp) -> list[tuple[SSAValue, SSAValue]]:
    """Returns the results of a condition with what each branch yields for them."""
    ends = [b.last_op for region in condition.regions for b in region.blocks if b.last_op is not None]
    return (
        [pair for end in ends for pair in zip(condition.results, end.operands, strict=True)]
        if condition.results
        else []
    )


def _block(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _outermost_loop(block: Block, op: Operation) -> Operation | None:
    """Returns the outermost loop in `block` that contains `op`, if there is one."""
    loop: Operation | None = None
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
        loop = op if isinstance(op, scf.ForOp) else loop
    return loop


def definition_time(value: SSAValue, times: Times) -> int:
    """Returns the time from which the storage of a value is used."""
    owner = value.owner
    if isinstance(owner, Block):
        parent = owner.parent_op()
        return times.of[parent] if isinstance(parent, scf.ForOp) else 0
    return times.end(owner) if isinstance(owner, scf.IfOp) else times.of[owner]


@dataclass
class Lifetimes:
    """The storages of the tiles of a function."""

    function: func.FuncOp
    parents: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def root(self, value: SSAValue) -> SSAValue:
        while (parent := self.parents.get(value, value)) is not value:
            self.parents[value] = value = self.parents.get(parent, parent)
        return value

    def unite(self, a: SSAValue, b: SSAValue) -> None:
        self.parents[self.root(b)] = self.root(a)

    def unite_regions(self) -> None:
        """Lets the tiles that a loop carries share storage with those before and after it, and those that branches yield with the results."""
        for op in self.function.walk():
            if isinstance(op, scf.IfOp):
                for result, value in yields_of(op):
                    if isinstance(result.type, pto.TileType):
                        self.unite(result, value)
            if isinstance(op, scf.ForOp):
                body, terminator = op.body.block, op.body.block.last_op
                assert isinstance(terminator, scf.YieldOp)
                rows = zip(op.iter_args, list(body.args)[1:], terminator.arguments, op.results, strict=True)
                for init, argument, value, result in rows:
                    if isinstance(argument.type, pto.TileType):
                        for other in (init, value, result):
                            self.unite(argument, other)

    def storages(self, in_place: bool = True) -> list[Storage]:
        """Returns the storages, in the order in which they are first used. Raises `Unsupported` for tiles without a known size."""
        times = Times(self.function)
        addresses = address_ranges(self.function)
        values = tiles_of(self.function)
        self.unite_regions()
        for op in self.function.walk():
            if isinstance(op, pto.AssignOp):
                self.unite(op.tile, op.result)
        ends = _innermost_ends(self.function, times)
        found: dict[SSAValue, Storage] = {}
        for value in values:
            start, end = definition_time(value, times), max(definition_time(value, times), times.last_use(value))
            if isinstance(value, BlockArgument) and isinstance(parent := value.owner.parent_op(), scf.ForOp):
                end = times.end(parent)
            tile, root = pto.tile_type(value), self.root(value)
            place = addresses.get(value)
            owner = value.owner if isinstance(value.owner, Operation) else self.function
            size = tile_bytes(tile, owner)
            storage = found.setdefault(root, Storage(tile.loc, size, start, end, [], None, ends.get(_block(value))))
            storage.start, storage.end = min(storage.start, start), max(storage.end, end)
            storage.size = max(storage.size, size)
            storage.address = storage.address if place is None else place.start
            storage.values.append(value)
        self._share_in_place(found, times, IN_PLACE if in_place else ())
        return list({id(s): s for s in found.values()}.values())

    def _share_in_place(
        self, found: dict[SSAValue, Storage], times: Times, in_place: tuple[type[Operation], ...]
    ) -> None:
        """Lets results share the storage of operands, if no two tiles in it are used at one time."""
        members: dict[int, list[Member]] = {}
        for storage in {id(s): s for s in found.values()}.values():
            members[id(storage)] = sorted((_member(v, times) for v in storage.values), key=lambda m: m[:2])
        for op in self.function.walk():
            for operand in in_place_operands(op, in_place):
                old, new = found[self.root(operand)], found[self.root(op.results[0])]
                fits = (old.loc, old.size, old.address, new.address) == (new.loc, new.size, None, None)
                if old is new or not fits or not _fit(members[id(old)], members[id(new)], in_place):
                    continue
                for member in members.pop(id(new)):
                    insort(members[id(old)], member, key=lambda m: m[:2])
                self.unite(operand, op.results[0])
                old.start, old.end = min(old.start, new.start), max(old.end, new.end)
                old.values += new.values
                for value in new.values:
                    found[value] = old
                found[self.root(operand)] = old
                break


Member = tuple[int, int, SSAValue]
"""The first and the last use of a tile."""


def _member(value: SSAValue, times: Times) -> Member:
    owner = value.owner
    start = times.end(owner) if isinstance(owner, Operation) and owner.regions else definition_time(value, times)
    return start, max(start, times.last_use(value)), value


def divides_a_number(op: Operation) -> bool:
    """Whether an op divides a number by each element. Its instruction writes the number to the result, and then reads the operand."""
    quotient = isinstance(op, pto.SCALAR_BINARY["div"]) and op.scalar_first
    return quotient or isinstance(op, pto.UNARY["recip"])


def reads_late(op: Operation) -> bool:
    """Whether the result of an op may share no storage with its operands, as its instruction reads them after it has begun to write."""
    return isinstance(op, pto.InstructionOp) and (op.opcode in NOT_IN_PLACE or divides_a_number(op))


def in_place_operands(op: Operation, in_place: tuple[type[Operation], ...]) -> list[SSAValue]:
    """Returns the operands with which the result of `op` may share storage."""
    if isinstance(op, pto.MatmulAccOp):
        return [op.acc]
    if not isinstance(op, in_place) or divides_a_number(op):
        return []
    return [v for v in op.operands if isinstance(v.type, pto.TileType)]


def _fit(many: list[Member], few: list[Member], in_place: tuple[type[Operation], ...]) -> bool:
    """Whether the tiles of `few` are not used while those of `many` are, except where an op computes one from the other in place."""

    def follows(earlier: Member, later: Member) -> bool:
        owner = later[2].owner
        computed = isinstance(owner, Operation) and earlier[2] in in_place_operands(owner, in_place)
        return earlier[1] < later[0] or (earlier[1] == later[0] and computed)

    for member in few:
        at = bisect_left(many, member[:2], key=lambda m: m[:2])
        if not all(follows(m, member) for m in many[max(0, at - 1) : at]):
            return False
        if not all(follows(member, m) for m in many[at : at + 1]):
            return False
    return True


def tiles_of(function: func.FuncOp) -> list[SSAValue]:
    """Returns the tiles of a function, in program order."""
    found: list[SSAValue] = []
    for op in function.walk():
        found += (a for r in op.regions for b in r.blocks for a in b.args if isinstance(a.type, pto.TileType))
        found += (r for r in op.results if isinstance(r.type, pto.TileType))
    return found


def _innermost_ends(function: func.FuncOp, times: Times) -> dict[Block | None, int]:
    """Returns the end of each loop without ops that have regions, by its body."""
    loops = [op for op in function.walk() if isinstance(op, scf.ForOp)]
    return {op.body.block: times.end(op) for op in loops if not any(inner.regions for inner in op.body.block.ops)}
