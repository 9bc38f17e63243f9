"""`mbarrier.*` instructions (PTX ISA §9.7.13.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ClusterUnsupported
from . import memory
from .decode import Builder, Decoder, Reader, Step
from .lanes import Lanes
from .memops import spread
from .syntax import Instruction, Register
from .types import SCALARS, Array

if TYPE_CHECKING:
    from .machine import Machine

U32, U64, PRED = SCALARS["u32"], SCALARS["u64"], SCALARS["pred"]
_SILENT = {"release", "acquire", "relaxed", "cta", "cluster", "shared", "b64", "noComplete"}


def refuse_clusters(ins: Instruction) -> None:
    """Other CTAs' shared memory, multicast: for a later issue."""
    parts = ins.parts
    for what in ("multicast::cluster", "remote", "cta_group::2"):
        if what in parts:
            raise ClusterUnsupported(line=ins.line, what=what, text=ins.text)


def shared_address(ins: Instruction, d: Decoder, position: int) -> Reader:
    """A reader of an address that is in shared memory, be it generic."""
    where = d.address(d.operand(position))
    if any(p.partition("::")[0] == "shared" for p in ins.parts):
        return lambda m, lanes: spread(where, m, lanes)
    window = np.uint64(memory.SHARED_WINDOW)
    return lambda m, lanes: spread(where, m, lanes) - window


def _numbers(reader: Reader | None, m: Machine, lanes: Lanes, default: int) -> Array:
    if reader is None:
        return np.full(lanes.count, default, np.int64)
    return np.broadcast_to(reader(m, lanes), lanes.count).astype(np.int64)


def build_mbarrier(ins: Instruction, d: Decoder) -> Step:
    refuse_clusters(ins)
    kind, *modifiers = ins.parts[1:]
    rest = {m.partition("::")[0] for m in modifiers}
    if kind in ("arrive", "arrive_drop"):
        if rest - {*_SILENT, "expect_tx"}:
            d.unknown()
        if "shared::cluster" in modifiers:
            raise ClusterUnsupported(line=ins.line, what="shared::cluster", text=ins.text)
        return _build_arrive(ins, d, kind, rest)
    if kind in ("try_wait", "test_wait"):
        if rest - {*_SILENT, "parity"}:
            d.unknown()
        return _build_wait(ins, d, kind, rest)
    if kind == "init":
        where, count = shared_address(ins, d, 0), d.read(d.operand(1), U32)
        return lambda m, lanes: m.mbarriers.initialise(lanes, where(m, lanes), _numbers(count, m, lanes, 1))
    if kind == "inval":
        where = shared_address(ins, d, 0)
        return lambda m, lanes: m.mbarriers.invalidate(lanes, where(m, lanes))
    if kind not in ("expect_tx", "complete_tx"):
        d.unknown()
    where, size = shared_address(ins, d, 0), d.read(d.operand(1), U32)
    sign = 1 if kind == "expect_tx" else -1
    return lambda m, lanes: m.mbarriers.expect(lanes, where(m, lanes), sign * _numbers(size, m, lanes, 0))


def _build_arrive(ins: Instruction, d: Decoder, kind: str, rest: set[str]) -> Step:
    """`arrive[.expect_tx] state, [addr] {, count | bytes}`; `_` where nobody wants the state."""
    sink = isinstance(d.operand(0), Register)
    put = d.write(d.operand(0), U64) if sink else None
    at = 1 if sink else 0
    where = shared_address(ins, d, at)
    extra = d.read(d.operand(at + 1), U32) if len(ins.operands) > at + 1 else None
    expects, release, drop = "expect_tx" in rest, "relaxed" not in rest, kind == "arrive_drop"

    def step(m: Machine, lanes: Lanes) -> None:
        number = _numbers(extra, m, lanes, 0 if expects else 1)
        one, none = np.ones(lanes.count, np.int64), np.zeros(lanes.count, np.int64)
        counts, tx = (one, number) if expects else (number, none)
        phases = m.mbarriers.arrive(lanes, where(m, lanes), counts, tx, release=release, drop=drop)
        if put:
            put(m, lanes, phases.astype(np.uint64))
        m.synchronised()

    return step


def _build_wait(ins: Instruction, d: Decoder, kind: str, rest: set[str]) -> Step:
    put, where = d.write(d.operand(0), PRED), shared_address(ins, d, 1)
    parity = "parity" in rest
    wanted = d.read(d.operand(2), U32 if parity else U64)
    acquire, blocks = "relaxed" not in rest, kind == "try_wait"

    def step(m: Machine, lanes: Lanes) -> None:
        addresses = where(m, lanes)
        names = np.broadcast_to(wanted(m, lanes), lanes.count)
        passed = m.mbarriers.test(lanes, addresses, names, parity=parity, acquire=acquire)
        if blocks and not passed.all():
            through, late = lanes.among(passed), lanes.among(~passed)
            if through.count:
                put(m, through, np.ones(through.count, np.bool_))
            m.retry(late, through)
            m.mbarriers.wait(late, addresses[~passed], names[~passed])
        else:
            put(m, lanes, passed)
            if not passed.all():
                m.spun(lanes, addresses)
        m.synchronised()

    return step


TABLE: dict[str, Builder] = {"mbarrier": build_mbarrier}
