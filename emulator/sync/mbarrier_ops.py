"""`mbarrier.*` instructions (PTX ISA §9.7.13.15)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..errors import MbarrierMisuse
from ..isa.decode import Builder, Decoder, Reader, Step
from ..isa.syntax import Instruction, Register
from ..isa.types import SCALARS, Array
from ..memory import memory
from ..memory.memops import spread
from ..violation import Violation, first
from .cluster import Peers
from .mbarrier import Mbarriers

U32, U64, PRED = SCALARS["u32"], SCALARS["u64"], SCALARS["pred"]
_SILENT = {"release", "acquire", "relaxed", "cta", "cluster", "shared", "b64", "noComplete"}


def shared_address(ins: Instruction, d: Decoder, position: int) -> Reader:
    """Returns a reader of a shared or generic address in shared memory."""
    where = d.address(d.operand(position))
    if any(p.partition("::")[0] == "shared" for p in ins.parts):
        return lambda m, lanes: spread(where, m, lanes)
    window = np.uint64(memory.SHARED_WINDOW)
    return lambda m, lanes: spread(where, m, lanes) - window


def _places(ins: Instruction, d: Decoder, position: int) -> Callable[[Machine, Lanes], tuple[Array, Array | None]]:
    """Returns a reader of mbarriers' addresses, and of their CTAs if the address may be in any CTA of the cluster."""
    where = shared_address(ins, d, position)
    if "shared::cluster" not in ins.parts and any(p.partition("::")[0] == "shared" for p in ins.parts):
        return lambda m, lanes: (where(m, lanes), None)
    return lambda m, lanes: m.part(Peers).locate(lanes.index, where(m, lanes))


def _numbers(reader: Reader | None, m: Machine, lanes: Lanes, default: int) -> Array:
    if reader is None:
        return np.full(lanes.count, default, np.int64)
    return np.broadcast_to(reader(m, lanes), lanes.count).astype(np.int64)


def build_mbarrier(ins: Instruction, d: Decoder) -> Step:
    kind, *modifiers = ins.parts[1:]
    rest = {m.partition("::")[0] for m in modifiers}
    if kind in ("arrive", "arrive_drop"):
        if rest - {*_SILENT, "expect_tx"}:
            d.unknown()
        return _build_arrive(ins, d, kind, rest)
    if kind in ("try_wait", "test_wait"):
        if rest - {*_SILENT, "parity"}:
            d.unknown()
        return _build_wait(ins, d, kind, rest)
    if kind == "init":
        where, count = shared_address(ins, d, 0), d.read(d.operand(1), U32)

        def initialize(m: Machine, lanes: Lanes) -> None:
            addresses, counts = where(m, lanes), _numbers(count, m, lanes, 1)
            m.note(lanes.index, "mbarrier init", addresses)
            m.note(lanes.index, "arrivals", counts)
            m.part(Mbarriers).initialize(lanes, addresses, counts)

        return initialize
    if kind == "inval":
        where = shared_address(ins, d, 0)
        return lambda m, lanes: m.part(Mbarriers).invalidate(lanes, where(m, lanes))
    if kind not in ("expect_tx", "complete_tx"):
        d.unknown()
    where, size = _places(ins, d, 0), d.read(d.operand(1), U32)
    sign = 1 if kind == "expect_tx" else -1

    def step(m: Machine, lanes: Lanes) -> None:
        offsets, ctas = where(m, lanes)
        m.part(Mbarriers).expect(lanes, offsets, sign * _numbers(size, m, lanes, 0), ctas)

    return step


def _build_arrive(ins: Instruction, d: Decoder, kind: str, rest: set[str]) -> Step:
    """`arrive[.expect_tx] state, [addr] {, count | bytes}`; the state may be `_`."""
    sink = isinstance(d.operand(0), Register)
    put = d.write(d.operand(0), U64) if sink else None
    at = 1 if sink else 0
    if "shared::cluster" in ins.parts and put and d.is_register(d.operand(0)):
        d.fail("an arrival in shared::cluster returns no state")
    where = _places(ins, d, at)
    extra = d.read(d.operand(at + 1), U32) if len(ins.operands) > at + 1 else None
    expects, drop = "expect_tx" in rest, kind == "arrive_drop"
    release = "relaxed" not in rest and not ("shared::cluster" in ins.parts and "cta" in ins.parts)

    def step(m: Machine, lanes: Lanes) -> None:
        number = _numbers(extra, m, lanes, 0 if expects else 1)
        one, none = np.ones(lanes.count, np.int64), np.zeros(lanes.count, np.int64)
        counts, tx = (one, number) if expects else (number, none)
        offsets, ctas = where(m, lanes)
        for what, values in ((kind, offsets), ("count", number), ("of", 0 if ctas is None else ctas)):
            m.note(lanes.index, what, values)
        phases = m.part(Mbarriers).arrive(lanes, offsets, counts, tx, ctas=ctas, release=release, drop=drop)
        if put:
            put(m, lanes, phases.astype(np.uint64))
        m.synchronized()

    return step


def _build_wait(ins: Instruction, d: Decoder, kind: str, rest: set[str]) -> Step:
    put, where = d.write(d.operand(0), PRED), shared_address(ins, d, 1)
    parity = "parity" in rest
    wanted = d.read(d.operand(2), U32 if parity else U64)
    acquire, blocks = "relaxed" not in rest, kind == "try_wait"

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = where(m, lanes)
        names = np.broadcast_to(wanted(m, lanes), lanes.count)
        if parity and (names > 1).any():
            position = first(names > 1)
            problem = f"{int(names[position])} is no parity"
            raise Violation(MbarrierMisuse, position, address=int(addresses[position]), problem=problem)
        passed = m.part(Mbarriers).test(lanes, addresses, names, parity=parity, acquire=acquire)
        m.note(lanes.index[passed], "mbarrier wait", addresses[passed])
        m.note(lanes.index[passed], "phase", names[passed])
        if blocks and not passed.all():
            through, late = lanes.among(passed), lanes.among(~passed)
            if through.count:
                put(m, through, np.ones(through.count, np.bool_))
            m.retry(late, through)
            m.part(Mbarriers).wait(late, addresses[~passed], names[~passed])
        else:
            put(m, lanes, passed)
            if not passed.all():
                m.polled(lanes, addresses)
        m.synchronized()

    return step


TABLE: dict[str, Builder] = {"mbarrier": build_mbarrier}
