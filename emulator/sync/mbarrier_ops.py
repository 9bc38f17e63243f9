"""`mbarrier.*` instructions (PTX ISA §9.7.13.15)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import MbarrierMisuse
from ..isa.decode import Decoder, Reader, Step, constant_reader
from ..isa.syntax import Instruction, Register
from ..isa.types import SCALARS, Array
from ..memory import memory
from ..memory.memops import spread
from ..violation import reject
from .cluster import Peers
from .mbarrier import Mbarriers

U32, U64, PRED = SCALARS["u32"], SCALARS["u64"], SCALARS["pred"]


def shared_address(ins: Instruction, d: Decoder, position: int) -> Reader:
    """Returns a reader of a shared address, or of a generic address in shared memory, as a shared address."""
    where = d.address(d.operand(position))
    if any(p.partition("::")[0] == "shared" for p in ins.parts):
        return lambda m, lanes: spread(where, m, lanes)
    window = np.uint64(memory.SHARED_WINDOW)
    return lambda m, lanes: spread(where, m, lanes) - window


def _mbarriers(ins: Instruction, d: Decoder, position: int) -> Callable[[Machine, Lanes], tuple[Array, Array | None]]:
    """Returns a reader of mbarriers' addresses, and of their CTAs if the address may be in any CTA of the cluster."""
    where = shared_address(ins, d, position)
    if "shared::cluster" not in ins.parts and any(p.partition("::")[0] == "shared" for p in ins.parts):
        return lambda m, lanes: (where(m, lanes), None)
    return lambda m, lanes: m.part(Peers).locate(lanes.index, where(m, lanes))


def _integers(reader: Reader, m: Machine, lanes: Lanes) -> Array:
    return np.broadcast_to(reader(m, lanes), lanes.count).astype(np.int64)


def build_init(ins: Instruction, d: Decoder) -> Step:
    where, count = shared_address(ins, d, 0), d.read(d.operand(1), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        addresses, counts = where(m, lanes), _integers(count, m, lanes)
        m.note(lanes.index, "mbarrier init", addresses)
        m.note(lanes.index, "arrivals", counts)
        m.part(Mbarriers).initialize(lanes, addresses, counts)

    return step


def build_inval(ins: Instruction, d: Decoder) -> Step:
    where = shared_address(ins, d, 0)
    return lambda m, lanes: m.part(Mbarriers).invalidate(lanes, where(m, lanes))


def build_transactions(ins: Instruction, d: Decoder) -> Step:
    """Builds `expect_tx` and `complete_tx`."""
    where, size = _mbarriers(ins, d, 0), d.read(d.operand(1), U32)
    sign = 1 if ins.parts[1] == "expect_tx" else -1

    def step(m: Machine, lanes: Lanes) -> None:
        offsets, ctas = where(m, lanes)
        m.part(Mbarriers).expect(lanes, offsets, sign * _integers(size, m, lanes), ctas)

    return step


def build_arrive(ins: Instruction, d: Decoder) -> Step:
    """`arrive[.expect_tx] state, [addr] {, count | bytes}`; the state may be `_`."""
    at = int(isinstance(d.operand(0), Register))
    put = d.write(d.operand(0), U64) if at else None
    if "shared::cluster" in ins.parts and put and d.is_register(d.operand(0)):
        d.fail("an arrival in shared::cluster returns no state")
    where = _mbarriers(ins, d, at)
    expects, drop = "expect_tx" in ins.parts, "arrive_drop" in ins.parts
    default = constant_reader(np.array(0 if expects else 1))
    extra = d.read(d.operand(at + 1), U32) if len(ins.operands) > at + 1 else default
    release = "relaxed" not in ins.parts and not ("shared::cluster" in ins.parts and "cta" in ins.parts)

    def step(m: Machine, lanes: Lanes) -> None:
        number = _integers(extra, m, lanes)
        one, none = np.ones(lanes.count, np.int64), np.zeros(lanes.count, np.int64)
        counts, tx = (one, number) if expects else (number, none)
        offsets, ctas = where(m, lanes)
        for what, values in ((ins.parts[1], offsets), ("count", number), ("of", 0 if ctas is None else ctas)):
            m.note(lanes.index, what, values)
        phases = m.part(Mbarriers).arrive(lanes, offsets, counts, tx, ctas=ctas, release=release, drop=drop)
        if put:
            put(m, lanes, phases.astype(np.uint64))
        m.synchronized()

    return step


def build_wait(ins: Instruction, d: Decoder) -> Step:
    """Builds `test_wait` and `try_wait`."""
    put, where = d.write(d.operand(0), PRED), shared_address(ins, d, 1)
    parity = "parity" in ins.parts
    wanted = d.read(d.operand(2), U32 if parity else U64)
    acquire, blocks = "relaxed" not in ins.parts, ins.parts[1] == "try_wait"

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = where(m, lanes)
        names = np.broadcast_to(wanted(m, lanes), lanes.count)
        if parity:
            reject(
                names > 1,
                MbarrierMisuse,
                address=addresses,
                problem=lambda at: f"{int(names[at])} is not a parity, which is 0 or 1",
            )
        passed = m.part(Mbarriers).test(lanes, addresses, names, parity=parity, acquire=acquire)
        m.note(lanes.index[passed], "mbarrier wait", addresses[passed])
        m.note(lanes.index[passed], "phase", names[passed])
        if blocks and not passed.all():
            through, late = m.retry(lanes, passed)
            if through.count:
                put(m, through, np.ones(through.count, np.bool_))
            m.part(Mbarriers).wait(late, addresses[~passed], names[~passed])
        else:
            put(m, lanes, passed)
            if not passed.all():
                m.polled(lanes, addresses)
        m.synchronized()

    return step
