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
from ..errors import BadCopySize
from ..isa.decode import Decoder, Step
from ..isa.syntax import Instruction, Register
from ..isa.types import CHUNK, SCALARS, Array
from ..sync.mbarrier import Mbarriers
from ..sync.mbarrier_ops import shared_address
from ..sync.races import Access, GlobalRaces
from ..violation import reject, relocated
from .memops import spread
from .memory import require_aligned
from .shared import SharedMemory


@dataclass
class _Flight:
    """One cp.async in flight: for each lane its group, the index of its element of shared memory, and its data."""

    lanes: Array
    groups: Array
    elements: Array
    values: Array
    size: int

    def part(self, chosen: Array) -> _Flight:
        return _Flight(self.lanes[chosen], self.groups[chosen], self.elements[chosen], self.values[chosen], self.size)


class Copies(Part):
    """The cp.async copies in flight. `_open[lane]` is the lane's current group."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._shared = m.part(SharedMemory)
        self._open = np.zeros(m.lane_count, np.int64)
        self._flights: list[_Flight] = []

    def issue(self, lanes: Array, elements: Array, values: Array, size: int) -> None:
        self._flights.append(_Flight(lanes, self._open[lanes], elements, values, size))

    def commit(self, lanes: Lanes) -> None:
        self._open[lanes.select] += 1

    def wait(self, lanes: Lanes, pending: int | None) -> None:
        """Completes all but the newest `pending` committed groups of these lanes; if None, all copies, also uncommitted ones."""
        for flight in self._take(lanes, pending):
            self._shared.finish_copy(flight.lanes, flight.elements, flight.values, flight.size)

    def _take(self, lanes: Lanes, pending: int | None = None) -> list[_Flight]:
        """Removes and returns the copies of these lanes, except those of the newest `pending` committed groups."""
        taken: list[_Flight] = []
        waiting: list[_Flight] = []
        for flight in self._flights:
            chosen = lanes.mask[flight.lanes]
            if pending is not None:
                chosen &= flight.groups < self._open[flight.lanes] - pending
            if chosen.any():
                taken.append(flight if chosen.all() else flight.part(chosen))
            if not chosen.all():
                waiting.append(flight.part(~chosen) if chosen.any() else flight)
        self._flights = waiting
        return taken

    def in_flight(self, lanes: Lanes) -> int:
        """Returns the bytes in flight for these lanes."""
        return sum(int(np.count_nonzero(lanes.mask[f.lanes])) * f.size for f in self._flights)

    def complete_with_mbarrier(self, lanes: Lanes, columns: Array, stamps: Array) -> None:
        """Makes all copies of these lanes so far complete with the phase `stamps` of their mbarrier."""
        column, stamp = np.zeros((2, lanes.total), np.int64)
        column[lanes.index], stamp[lanes.index] = columns, stamps
        for flight in self._take(lanes):
            completion = column[flight.lanes], stamp[flight.lanes]
            self._shared.finish_copy(flight.lanes, flight.elements, flight.values, flight.size, completion)


def commit(m: Machine, lanes: Lanes) -> None:
    m.part(Copies).commit(lanes)
    m.note(lanes.index, "commit", 0)


def build_wait(ins: Instruction, d: Decoder) -> Step:
    """Builds `cp.async.wait_group n` and `cp.async.wait_all`."""
    pending = d.constant(d.operand(0)) if ins.operands else None

    def step(m: Machine, lanes: Lanes) -> None:
        m.part(Copies).wait(lanes, pending)
        m.note(lanes.index, "wait", -1 if pending is None else pending)
        m.count_bytes("in_flight", m.part(Copies).in_flight(lanes))

    return step


def build_copy(ins: Instruction, d: Decoder) -> Step:
    """`cp.async.ca|cg.shared.global [dst], [src], size {, source size | ignore-src}`."""
    target, source = d.address(d.operand(0)), d.address(d.operand(1))
    size, cache = d.constant(d.operand(2)), ins.parts[2]
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
        elements = m.part(SharedMemory).begin_copy(lanes.index, addresses, size)
        sources = spread(source, m, lanes)
        require_aligned(
            sources, size, size, "cp.async", "global"
        )  # required even of lanes that read fewer bytes or none
        m.count_banks(lanes.index, addresses, size)
        access = m.part(GlobalRaces).access(lanes)
        if valid is None:
            m.count_global(lanes.index, sources, size, "copy")
            values = m.memory.load(sources, size, size, access)
        else:
            given = np.broadcast_to(valid(m, lanes), lanes.count).astype(np.int64)
            given = size * (1 - given) if skips else given
            reject(given > size, BadCopySize, size=size, given=given)
            reads = given > 0
            m.note(lanes.index, "given", given)
            m.count_global(lanes.index[reads], sources[reads], size, "copy")
            m.count_bytes("copy_fill", size * int(np.count_nonzero(~reads)))
            values = _partial(m, sources, given, size, access)
        m.part(Copies).issue(lanes.index, elements, values, size)

    return step


def build_mbarrier_arrive(ins: Instruction, d: Decoder) -> Step:
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
    with relocated(positions):
        return m.memory.load(addresses[positions], size, align, access.among(positions))
