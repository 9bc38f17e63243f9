"""
`cp.async`: copies from global to shared memory (PTX ISA §9.7.9.25).

The source is read at issue. The destination is written when the issuing thread waits for the copy's group; until then
no thread may access it. Groups belong to threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import BadCopySize, Misaligned
from ..isa.decode import Builder, Decoder, Step
from ..isa.syntax import Instruction, Register
from ..isa.types import CHUNK, SCALARS, Array
from ..sync.mbarrier import Mbarriers
from ..sync.mbarrier_ops import shared_address
from ..sync.races import Access, GlobalRaces
from ..violation import Violation, first
from .bulk_ops import build_bulk
from .memops import spread
from .shared import SharedMemory


@dataclass
class _Flight:
    """One cp.async in flight: for each lane its group, its offset in shared memory and its data."""

    lanes: Array
    groups: Array
    places: Array
    values: Array
    size: int

    def part(self, chosen: Array) -> _Flight:
        return _Flight(self.lanes[chosen], self.groups[chosen], self.places[chosen], self.values[chosen], self.size)


class Copies(Part):
    """The cp.async copies in flight. `_open[lane]` is the lane's current group."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._shared = m.part(SharedMemory)
        self._open = np.zeros(m.lane_count, np.int64)
        self._flights: list[_Flight] = []

    def issue(self, lanes: Array, places: Array, values: Array, size: int) -> None:
        self._flights.append(_Flight(lanes, self._open[lanes], places, values, size))

    def commit(self, lanes: Lanes) -> None:
        self._open[lanes.select] += 1

    def wait(self, lanes: Lanes, pending: int | None) -> None:
        """Completes all but the newest `pending` committed groups of these lanes; None: uncommitted ones, too."""
        waiting: list[_Flight] = []
        for flight in self._flights:
            done = lanes.mask[flight.lanes]
            if pending is not None:
                done &= flight.groups < self._open[flight.lanes] - pending
            if not done.any():
                waiting.append(flight)
                continue
            landed = flight if done.all() else flight.part(done)
            self._shared.finish_copy(landed.lanes, landed.places, landed.values, landed.size)
            if landed is not flight:
                waiting.append(flight.part(~done))
        self._flights = waiting

    def in_flight(self, lanes: Lanes) -> int:
        """Returns the bytes in flight for these lanes."""
        return sum(int(np.count_nonzero(lanes.mask[f.lanes])) * f.size for f in self._flights)

    def complete_with_mbarrier(self, lanes: Lanes, columns: Array, stamps: Array) -> None:
        """Makes all copies of these lanes so far complete with the phase `stamps` of their mbarrier."""
        column, stamp = np.zeros((2, lanes.total), np.int64)
        column[lanes.index], stamp[lanes.index] = columns, stamps
        waiting: list[_Flight] = []
        for flight in self._flights:
            mine = lanes.mask[flight.lanes]
            part = flight.part(mine)
            if part.lanes.size:
                completion = column[part.lanes], stamp[part.lanes]
                self._shared.finish_copy(part.lanes, part.places, part.values, part.size, completion)
            if not mine.all():
                waiting.append(flight.part(~mine))
        self._flights = waiting


def build_cp(ins: Instruction, d: Decoder) -> Step:
    parts = ins.parts
    if "bulk" in parts:
        return build_bulk(ins, d)
    if parts[1:] == ["async", "commit_group"]:
        return _build_commit()
    if parts[1:] == ["async", "wait_all"]:
        return _build_wait(None)
    if parts[1:] == ["async", "wait_group"]:
        return _build_wait(d.constant(d.operand(0)))
    if parts[1:4] == ["async", "mbarrier", "arrive"]:
        return _build_tracked(ins, d)
    names = [p.partition("::")[0] for p in parts[1:]]
    if names[:1] != ["async"] or names[1] not in ("ca", "cg") or names[2:4] != ["shared", "global"]:
        d.unknown()
    return _build_copy(ins, d, names[1])


def _build_commit() -> Step:
    def step(m: Machine, lanes: Lanes) -> None:
        m.part(Copies).commit(lanes)
        m.note(lanes.index, "commit", 0)

    return step


def _build_wait(pending: int | None) -> Step:
    def step(m: Machine, lanes: Lanes) -> None:
        m.part(Copies).wait(lanes, pending)
        m.note(lanes.index, "wait", -1 if pending is None else pending)
        m.count_bytes("in_flight", m.part(Copies).in_flight(lanes))

    return step


def _build_copy(ins: Instruction, d: Decoder, cache: str) -> Step:
    target, source = d.address(d.operand(0)), d.address(d.operand(1))
    size = d.constant(d.operand(2))
    if size not in (4, 8, 16) or (cache == "cg" and size != 16):
        d.fail(f"cp.async.{cache} does not copy {size} bytes")
    extra = list(ins.operands[3:])
    if any("cache_hint" in part for part in ins.parts):
        extra.pop()
    valid = None
    skips = False
    if extra:
        operand = extra[0]
        skips = isinstance(operand, Register) and d.kernel.registers[operand.name].kind == "p"
        valid = d.read(operand, SCALARS["pred" if skips else "u32"])

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = spread(target, m, lanes)
        places = m.part(SharedMemory).begin_copy(lanes.index, addresses, size)
        sources = spread(source, m, lanes)
        _require_aligned(sources, size)
        m.count_banks(lanes.index, addresses, size)
        access = m.part(GlobalRaces).access(lanes)
        if valid is None:
            m.count_global(lanes.index, sources, size, "copy")
            values = m.memory.load(sources, size, size, access)
        else:
            given = np.broadcast_to(valid(m, lanes), lanes.count).astype(np.int64)
            given = size * (1 - given) if skips else given
            if (given > size).any():
                position = first(given > size)
                raise Violation(BadCopySize, position, size=size, given=int(given[position]))
            reads = given > 0
            m.note(lanes.index, "given", given)
            m.count_global(lanes.index[reads], sources[reads], size, "copy")
            m.count_bytes("copy_fill", size * int(np.count_nonzero(~reads)))
            values = _partial(m, sources, given, size, access)
        m.part(Copies).issue(lanes.index, places, values, size)

    return step


def _require_aligned(sources: Array, size: int) -> None:
    """Requires alignment in all lanes, also in those that read fewer bytes or none."""
    wrong = sources & np.uint64(size - 1)
    if wrong.any():
        position = first(wrong != 0)
        fields = {"access": "cp.async", "size": size, "space": "global", "address": int(sources[position])}
        raise Violation(Misaligned, position, **fields, align=size)


def _build_tracked(ins: Instruction, d: Decoder) -> Step:
    """
    `cp.async.mbarrier.arrive[.noinc]`: this thread's copies complete with the mbarrier's phase. Without `.noinc`, the
    pending count is incremented before the arrival, so that the two cancel out.
    """
    where = shared_address(ins, d, 0)
    arrives = "noinc" in ins.parts

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = where(m, lanes)
        m.part(Copies).complete_with_mbarrier(lanes, *m.part(Mbarriers).current(lanes, addresses))
        if arrives:
            one = np.ones(lanes.count, np.int64)
            m.part(Mbarriers).arrive(lanes, addresses, one, 0 * one, release=False)
        m.synchronized()

    return step


def _partial(m: Machine, sources: Array, given: Array, size: int, access: Access) -> Array:
    """Loads the first `given` of `size` bytes per lane; the rest is zero."""
    values = np.zeros((sources.size, size), np.uint8)
    for amount in np.unique(given):
        positions = np.flatnonzero(given == amount)
        if amount == size:
            values[positions] = _load(m, sources, positions, size, size, access).view(np.uint8).reshape(-1, size)
            continue
        for byte in range(int(amount)):
            at: Any = sources + np.uint64(byte)
            values[positions, byte] = _load(m, at, positions, 1, 1, access)
    return values.view(CHUNK[size]).reshape(-1)


def _load(m: Machine, addresses: Array, positions: Array, size: int, align: int, access: Access) -> Array:
    try:
        return m.memory.load(addresses[positions], size, align, access.among(positions))
    except Violation as violation:
        violation.position = int(positions[violation.position])
        raise


TABLE: dict[str, Builder] = {"cp": build_cp}
