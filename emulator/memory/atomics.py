"""`atom` and `red` on global and shared memory (PTX ISA §9.7.13). Lanes execute in ascending order."""

from __future__ import annotations

# Lambdas over lanes' values: numpy's stubs leave their types unknown.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..isa.decode import Decoder, Step
from ..isa.floats import flush
from ..isa.rounding import canonical
from ..isa.syntax import Instruction
from ..isa.types import PACKED, SCALARS, Array, Scalar
from ..sync.races import GlobalRaces
from . import memory
from .memops import FAR, spread
from .shared import SharedMemory

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda old, b: old + b,
    "min": np.minimum,
    "max": np.maximum,
    "and": lambda old, b: old & b,
    "or": lambda old, b: old | b,
    "xor": lambda old, b: old ^ b,
    "exch": lambda old, b: b,
    "inc": lambda old, b: np.where(old >= b, old.dtype.type(0), old + old.dtype.type(1)),
    "dec": lambda old, b: np.where((old == 0) | (old > b), b, old - old.dtype.type(1)),
}


def build_atomic(ins: Instruction, d: Decoder) -> Step:
    """Builds `atom.global.add.f32 d, [a], b`, and `red.…`, which has no result."""
    name, *modifiers, type_name = ins.parts
    far = FAR in modifiers
    modifiers = [m.partition("::")[0] for m in modifiers]
    space = next((m for m in modifiers if m in ("global", "shared")), "")
    kind = next(m for m in modifiers if m in OPERATIONS or m == "cas")
    packed = PACKED.get(type_name)
    type_ = SCALARS["u32"] if packed else d.scalar(type_name)
    shift = 1 if name == "atom" else 0
    where = d.address(d.operand(shift))
    reads = [d.read(operand, type_) for operand in ins.operands[shift + 1 : shift + (3 if kind == "cas" else 2)]]
    put = d.write(d.operand(0), type_) if shift else None
    releases, acquires = ({"release", "acq_rel"} & set(modifiers)), ({"acquire", "acq_rel"} & set(modifiers))
    wide, fetches = "cta" not in modifiers, name == "atom"

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = spread(where, m, lanes)
        arguments = [np.broadcast_to(read(m, lanes), lanes.count) for read in reads]
        data, elements, shared = _target(m, lanes, FAR if far else space, addresses, type_)
        function = combine(kind, type_, packed, flushes=not shared)
        old = np.empty(lanes.count, type_.dtype)
        found = data[elements]
        for turn in _turns(elements):
            before = data[elements[turn]].view(type_.dtype)
            old[turn] = before
            data[elements[turn]] = function(before, *(a[turn] for a in arguments)).astype(type_.dtype).view(data.dtype)
        if (data[elements] != found).any():
            m.polling.changed()
        wrote = old == arguments[0] if kind == "cas" else None
        if wide and (wrote is None or wrote.any()):
            some = (lanes, addresses) if wrote is None else (lanes.among(wrote), addresses[wrote])
            m.part(GlobalRaces).release(*some, fenced=not releases)
        if put:
            put(m, lanes, old)
        if fetches:
            m.polled(lanes, addresses)
            m.part(GlobalRaces).acquire(lanes, addresses, fenced=not acquires)
        m.synchronized()

    return step


def combine(kind: str, type_: Scalar, packed: Scalar | None, *, flushes: bool) -> Callable[..., Any]:
    """Returns an atomic's function of the old value and its operands. With `flushes`, f32 addition flushes subnormals."""
    if kind == "cas":
        return lambda old, compare, new: np.where(old == compare, new, old)
    operation = OPERATIONS[kind]
    if packed:
        half = packed.dtype
        return lambda old, b: operation(old.view(half), np.array(b).view(half)).view(np.uint32)
    if type_.is_float and kind == "add":
        settle = (lambda x: flush(x, type_)) if flushes and type_.name == "f32" else (lambda x: x)
        return lambda old, b: settle(canonical(settle(old) + settle(b), type_))
    return operation


def _target(m: Machine, lanes: Lanes, space: str, addresses: Array, type_: Scalar) -> tuple[Array, Array, bool]:
    """Returns the memory's elements, the index of each lane's element, and whether the memory is shared."""
    if not space:
        shared = addresses < np.uint64(memory.GLOBAL_WINDOW)
        space = FAR if shared.all() else "global"
        addresses = addresses - np.uint64(memory.SHARED_WINDOW) if space == FAR else addresses
    size = type_.bytes
    if space in ("shared", FAR):
        part = m.part(SharedMemory)
        m.count_shared(lanes.index, addresses, size, "shared_store")
        return part.data(size), part.update(lanes.index, addresses, size, far=space == FAR), True
    m.count_global(lanes.index, addresses, size, "global_atomic")
    return *m.memory.atomic(addresses, size, m.part(GlobalRaces).access(lanes, strong=True)), False


def _turns(elements: Array) -> list[Array]:
    """Splits the positions in `elements` into rounds, in each of which no element occurs twice."""
    order = np.argsort(elements, kind="stable")
    ordered = elements[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    rank = np.arange(elements.size) - np.repeat(starts, np.diff(np.r_[starts, elements.size]))
    return [order[rank == turn] for turn in range(int(rank.max()) + 1)]
