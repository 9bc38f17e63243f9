"""
`pto-bufferize{target=a3}`: gives each tile an address in its memory.

```
%t = pto.tile.load %x[0, 0]            %t  = pto.tile.load %x[0, 0]
%u = pto.tile.exp %t             →     %t1 = pto.tile.assign %t at [0]
pto.tile.store %u, %y[0, 0]            %u  = pto.tile.exp %t1
                                       %u1 = pto.tile.assign %u at [4096]
                                       pto.tile.store %u1, %y[0, 0]
```

Tiles that are live at different times share memory. `matmul.acc` adds to its accumulators in place if they are not used afterwards;
where the memory is too small otherwise, elementwise ops compute in place as well. The tiles that a loop carries share storage with
those before and after it, and the tiles that the branches of a condition yield share storage with its result; where they are used at the same time,
or a branch yields a tile that it does not compute, a vector tile is copied (`mov.v2v`). Other tiles of the two branches may share memory.

Two tiles at one address order the pipes that use them. So memory is used again only in the next iteration of an innermost loop, and elsewhere
some ops later, if its size permits.

Addresses that the program has are kept. If the function has events, they are inserted again, because tiles at one address have hazards
(`pto-insert-events`). It is an error if a memory is too small: the message says by how many bytes, and names the tiles that are
live at that place. The module gets the attribute `pto.target`, if it has none.

- `target`: the machine, if the module has no `pto.target`.

Spec: `pto-ir.md §8`; facts: TASSIGN.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.pto.effects import instructions, tile_functions
from ...analysis.pto.lifetimes import Lifetimes, Storage
from ...analysis.pto.packing import Interval, live_bytes, pack
from ...analysis.pto.target import TARGET, target_of
from ...analysis.pto.temporaries import free_bytes
from ...dialects import pto
from ...dialects.pto.storage import BLOCK, aligned
from ...errors import InvalidAttributeValue
from ...targets.pto import TABLES
from ...targets.pto.machine import PtoMachine
from ..errors import MemoryTooSmall
from ..pto_insert_events import insert_events
from .copies import insert_copies


@dataclass(frozen=True)
class PtoBufferize(ModulePass):
    """Gives tiles addresses in their memories."""

    name = "pto-bufferize"

    target: str | None = None
    """The machine, if the module has no `pto.target`: a2, a3 or a5."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        functions = tile_functions(op)
        machine = target_of(op, self.target)
        if not machine.has_pipes:
            problem = f"is {machine.name}, whose tiles have no addresses"
            raise InvalidAttributeValue(op, name="target", problem=problem, help="one of a2, a3, a5")
        for function in functions:
            bufferize(function, machine)
        op.attributes[TARGET] = pto.TargetAttr.of(machine.name)


def bufferize(function: func.FuncOp, machine: PtoMachine) -> None:
    """Gives the tiles of a function addresses. Raises `MemoryTooSmall` and `Unsupported`."""
    insert_copies(function)
    shared: dict[str, list[Storage]] = {}
    placed: list[tuple[Storage, int]] = []
    groups, tables = _by_location(Lifetimes(function).storages(in_place=False)), 0
    for loc in sorted(groups, key=lambda loc: (loc == "Vec", loc not in TABLES)):
        group, limit = groups[loc], free_bytes(function, machine, loc)
        start = tables if loc in (*TABLES, "Vec") else 0
        if (addresses := place(group, machine, loc, limit, start)) is None:
            shared = shared or _by_location(Lifetimes(function).storages(in_place=True))
            group = shared[loc]
            addresses = place(group, machine, loc, limit, start)
        if addresses is None:
            intervals = [*_before(group, start), *(s.interval for s in group)]
            need = end_of(intervals, pack(intervals, machine.fractals.get(loc, BLOCK)))
            raise too_small(group, machine, loc, limit, need, live_bytes(intervals))
        placed += zip(group, addresses, strict=True)
        if loc in TABLES:
            tables = max(aligned(address + s.size) for s, address in zip(group, addresses, strict=True))
    for storage, address in placed:
        for value in storage.values:
            _assign(value, address)
    if any(op.is_asynchronous for op in instructions(function.body.block)):
        insert_events(function)


DISTANCES = (32, 8, 2, 0)
"""Numbers of ops between the last use of a tile and the next use of its memory, in the order in which they are tried."""


def _by_location(storages: list[Storage]) -> dict[str, list[Storage]]:
    groups: dict[str, list[Storage]] = {}
    for storage in storages:
        groups.setdefault(storage.loc, []).append(storage)
    return groups


def place(storages: list[Storage], machine: PtoMachine, loc: str, limit: int, start: int = 0) -> list[int] | None:
    """Returns the addresses of storages in one memory from `start` on, or None if they do not fit below `limit` bytes."""
    alignment = machine.fractals.get(loc, BLOCK)
    last, before = max(s.end for s in storages), _before(storages, start)
    choices = ([s.kept(distance, last) for s in storages] for distance in DISTANCES)
    for intervals in (before + each for each in chain(choices, [[s.interval for s in storages]])):
        if live_bytes(intervals)[0] <= limit:
            addresses = pack(intervals, alignment, limit)
            if end_of(intervals, addresses) <= limit:
                return addresses[len(before) :]
    return None


def _before(storages: list[Storage], start: int) -> list[Interval]:
    """Returns the interval of the bytes up to `start`, which the storages may not use, if there are any."""
    return [Interval(0, max(s.end for s in storages), start, 0)] if start else []


def end_of(intervals: list[Interval], addresses: list[int]) -> int:
    return max(a + i.size for a, i in zip(addresses, intervals, strict=True))


def too_small(
    storages: list[Storage], machine: PtoMachine, loc: str, limit: int, need: int, peak: tuple[int, int]
) -> MemoryTooSmall:
    """Returns the error about storages that need more than `limit` bytes; `peak` has the most live bytes, and when."""
    live, when = peak
    alive = [s for s in storages if s.start <= when <= s.end]
    owners = ((_owner(s.values), s.size) for s in sorted(alive, key=lambda s: -s.size)[:8])
    notes = [(op, f"{size:,} bytes are live here") for op, size in owners if op is not None]
    op = notes[0][0] if notes else None
    excess = need - limit
    return MemoryTooSmall(
        op, notes=notes[1:], loc=loc, target=machine.name, limit=limit, need=need, excess=excess, live=live
    )


def _owner(values: Iterable[SSAValue]) -> Operation | None:
    return next((v.owner for v in values if isinstance(v.owner, Operation)), None)


def _assign(value: SSAValue, address: int) -> None:
    """Says after the instruction that computes `value` where it is stored."""
    op = value.owner
    if isinstance(value, BlockArgument) or not isinstance(op, pto.InstructionOp):
        return
    if any(isinstance(use.operation, pto.AssignOp) for use in value.uses):
        return
    assign = pto.AssignOp(value, address)
    assign.result.name_hint = value.name_hint
    assign.location = op.location
    value.replace_uses_with_if(assign.result, lambda use: True)
    assign.operands = [value, *list(assign.operands)[1:]]
    Rewriter.insert_op(assign, InsertPoint.after(op))
