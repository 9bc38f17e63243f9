"""
The variables and addresses of tiles.

Tiles that a loop carries share a variable with the tile before the loop and the one that the loop yields if none of them is used when
another is written; otherwise the loop copies them. The tiles that the ways of a condition compute and yield are those of its results. Tiles
that have no address get one after all others, in the order of the program.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, SSAValue

from ...analysis.pto.lifetimes import reads_late
from ...analysis.pto.temporaries import free_bytes
from ...dialects import pto
from ...dialects.pto.storage import aligned, tile_bytes
from ...errors import Unsupported
from ...targets.pto import TABLES
from ...targets.pto.machine import PtoMachine
from .errors import MemoryExhausted, NotInPlace
from .order import is_computed, ways_of, yields

PLACE = 512
"""Alignment of the addresses that are given here, in bytes."""


class Storage:
    """`root` maps each tile to the tile whose variable it uses. `copied` are tiles that a loop must copy into the variable it carries."""

    def __init__(self, kernel: Operation, machine: PtoMachine):
        self.kernel, self.machine = kernel, machine
        self.root: dict[SSAValue, SSAValue] = {}
        self.given: dict[SSAValue, int] = {}
        """The addresses in the program, in bytes."""
        self.limits = {location: free_bytes(kernel, machine, location) for location in machine.memories}
        self._free = dict.fromkeys(machine.memories, 0)
        ops = list(kernel.walk())
        for op in ops:
            if isinstance(op, pto.AssignOp):
                self._assign(op)
        for op in ops:
            if isinstance(op, pto.MatmulAccOp):
                if not _is_last_use(op, op.acc):
                    reason = f"{op.opcode} changes it in place, and it is used again"
                    help = "compute the tile again, or use it before"
                    raise NotInPlace(op, type=op.acc.type, reason=reason, help=help)
                self.root[op.result] = op.acc
            elif isinstance(op, pto.InsertOp) and self._inserts_in_place(op):
                self.root[op.result] = op.into
        loops = [op for op in ops if isinstance(op, scf.ForOp)]
        for loop in loops:
            self._share(loop)
        for loop in loops:
            self._inherit(loop)
        self._place_tables(ops)
        conditions = [op for op in ops if isinstance(op, scf.IfOp)]
        for op in reversed(conditions):  # inner ones first
            self._place(op)
        for op in conditions:
            self._unite(op)

    def variable(self, value: SSAValue) -> SSAValue:
        """Returns the tile whose variable a tile uses."""
        while value in self.root:
            value = self.root[value]
        return value

    def _place_tables(self, ops: list[Operation]) -> None:
        """Gives tiles in `TABLES` addresses, which vector tiles do not get."""
        for value in (r for op in ops for r in op.results if isinstance(r.type, pto.TileType)):
            if (loc := pto.tile_type(value).loc) in TABLES:
                end = self.address(value) + aligned(tile_bytes(pto.tile_type(value)), PLACE)
                for other in ("Vec", *TABLES):
                    self._free[other] = max(self._free.get(other, 0), end) if other != loc else self._free[loc]

    def _assign(self, op: pto.AssignOp) -> None:
        """Notes the address that the program gives to a tile."""
        place, tile = op.place, pto.tile_type(op.tile)
        if not isinstance(place, int):
            need = "unroll the loop, so that addresses are numbers"
            raise Unsupported(op, what="an address that is computed", need=need)
        self.root[op.result] = op.tile
        self.given[self.variable(op.tile)] = place
        self._free[tile.loc] = max(self._free.get(tile.loc, 0), aligned(place + tile_bytes(tile), PLACE))

    def _inserts_in_place(self, op: pto.InsertOp) -> bool:
        """Whether an op inserts into the variable of its operand; otherwise that is copied first."""
        given = self.given.get(op.result)
        return _is_last_use(op, op.into) and (given is None or given == self.given.get(self.variable(op.into)))

    def _share(self, loop: scf.ForOp) -> None:
        block, last = loop.body.block, cast(Operation, loop.body.block.last_op)
        for start, carried, yielded, result in zip(
            loop.iter_args, block.args[1:], last.operands, loop.results, strict=True
        ):
            if not isinstance(carried.type, pto.TileType):
                continue
            self.root[result] = carried
            if start.owner is loop.parent and start.has_one_use():
                self.root[carried] = start  # an argument of the enclosing loop
            elif isinstance(start.owner, Operation) and start.owner.parent is loop.parent and start.has_one_use():
                self.root[carried] = start
            computed = self.variable(yielded)
            if self._writes_in_place(carried, computed, block):
                self.root[computed] = carried

    def _place(self, op: scf.IfOp) -> None:
        """Gives the results of a condition the addresses of what both ways yield, which `pto-bufferize` has chosen for all of them."""
        for result, *yielded in zip(
            op.results, *(cast(Operation, b.last_op).operands for b in ways_of(op)), strict=True
        ):
            places = {self.given.get(self.variable(value)) for value in yielded}
            if isinstance(result.type, pto.TileType) and len(places) == 1 and (place := places.pop()) is not None:
                self.given.setdefault(self.variable(result), place)

    def _unite(self, op: scf.IfOp) -> None:
        """Lets tiles that the ways of a condition compute have the variables of its results, unless they have other addresses."""
        for block in ways_of(op):
            for result, yielded in yields(op, block):
                computed = self.variable(yielded)
                if not isinstance(result.type, pto.TileType) or not is_computed(computed, block):
                    continue
                place, mine = self.given.get(self.variable(result)), self.given.get(computed)
                if computed is not self.variable(result) and (mine is None or mine == place):
                    self.root[computed] = result

    def _inherit(self, loop: scf.ForOp) -> None:
        """Gives the tiles that a loop carries the addresses of the tiles before it, which `pto-bufferize` has chosen for both."""
        for start, carried in zip(loop.iter_args, loop.body.block.args[1:], strict=True):
            address = self.given.get(self.variable(start))
            if address is not None and isinstance(carried.type, pto.TileType):
                self.given.setdefault(self.variable(carried), address)

    def is_shared(self, a: SSAValue, b: SSAValue) -> bool:
        """Returns whether two tiles have one variable, or one address in the program."""
        a, b = self.variable(a), self.variable(b)
        return a is b or (a in self.given and self.given[a] == self.given.get(b))

    def is_in_place(self, result: SSAValue, operand: SSAValue) -> bool:
        """Returns whether two tiles have one address."""
        return self.address(result) == self.address(operand)

    def _writes_in_place(self, carried: SSAValue, yielded: SSAValue, block: Block) -> bool:
        """Whether the op that computes the tile a loop yields may write it over the tile that the loop carries."""
        op = yielded.owner
        if not isinstance(op, Operation) or op.parent is not block:
            return False
        uses = [use.operation for use in carried.uses if not isinstance(use.operation, scf.YieldOp)]
        if any(isinstance(use.operation, scf.YieldOp) for use in carried.uses):
            return False
        order = {each: n for n, each in enumerate(block.ops)}
        for each in uses:
            here = _in_block(each, block)
            if order[here] > order[op] or (here is op and each is not op):
                return False
        return not (op in uses and reads_late(op))

    def address(self, value: SSAValue) -> int:
        """Returns the address of a tile's variable in bytes."""
        value = self.variable(value)
        if value not in self.given:
            self.given[value] = self.reserve(pto.tile_type(value))
        return self.given[value]

    def reserve(self, tile: pto.TileType) -> int:
        """Returns the address of storage for a tile that no other tile uses. Raises `MemoryExhausted`."""
        size = tile_bytes(tile)
        address = self._free.get(tile.loc, 0)
        end = self._free[tile.loc] = aligned(address + size, PLACE)
        limit = self.limits.get(tile.loc, 0)
        if address + size > limit:
            name = str(self.kernel.properties["sym_name"]).strip('"')
            raise MemoryExhausted(
                self.kernel, kernel=name, bytes=end, location=tile.loc, target=self.machine.name, limit=limit
            )
        return address


def _is_last_use(op: Operation, tile: SSAValue) -> bool:
    """Whether nothing uses a tile but `op`, once, in the same iteration."""
    home = tile.owner.parent if isinstance(tile.owner, Operation) else tile.owner
    return home is op.parent and tile.has_one_use()


def _in_block(op: Operation, block: Block) -> Operation:
    """Returns the op of a block in which `op` is nested, or that is `op`."""
    while op.parent is not block:
        op = _parent(op)
    return op


def _parent(op: Operation) -> Operation:
    parent = op.parent_op()
    return op if parent is None else parent
