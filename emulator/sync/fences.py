"""Fences, `elect.sync`, and instructions without effect in the emulator (PTX ISA §9.7.13.4, §9.7.13.13, §9.7.13.14)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..isa.decode import Decoder, Step
from ..isa.syntax import Instruction
from ..isa.types import SCALARS
from ..isa.warp import participants
from .mbarrier import Mbarriers
from .races import GlobalRaces

U32, PRED = SCALARS["u32"], SCALARS["pred"]
_WIDE = {"gl", "sys", "gpu", "cluster"}


def build_fence(ins: Instruction, d: Decoder) -> Step:
    """`fence.acq_rel.gpu`, `membar.gl`; a fence of CTA scope has no effect in the emulator."""

    def step(m: Machine, lanes: Lanes) -> None:
        m.part(GlobalRaces).fence(lanes)
        m.note(lanes.index, "fence", 0)

    return step if _WIDE & set(ins.parts) else do_nothing


def fence_mbarrier_init(m: Machine, lanes: Lanes) -> None:
    m.note(lanes.index, "mbarrier fence", 0)
    m.part(Mbarriers).fence(lanes, release=True)


def build_proxy_fence(ins: Instruction, d: Decoder) -> Step:
    """`fence.proxy.async[.shared::cta | .global]`."""
    space = ins.parts[-1].partition("::")[0]
    shared, global_ = space != "global", space != "shared"

    def step(m: Machine, lanes: Lanes) -> None:
        if shared:
            m.note(lanes.index, "proxy fence", 0)
        m.part(Mbarriers).fence(lanes)
        if shared and not m.clocks.exact:
            m.clocks.fence_proxy(lanes, m.alive_bits())
        if global_:
            m.part(GlobalRaces).proxy.fence(lanes)

    return step


def build_elect(ins: Instruction, d: Decoder) -> Step:
    """`elect.sync d|p, mask`: elects the lowest lane of the mask."""
    outputs = d.destinations(2)
    put, put_elected = d.write(outputs[0], U32), d.write(outputs[1], PRED)
    mask = d.read(d.operand(1), U32)

    def step(m: Machine, lanes: Lanes) -> None:
        named = participants(m, lanes, mask(m, lanes), "elect.sync")
        lowest = np.bitwise_count((named & (~named + np.uint32(1))) - np.uint32(1)).astype(np.uint32)
        put(m, lanes, lowest)
        put_elected(m, lanes, lanes.index % 32 == lowest)

    return step


def do_nothing(m: Machine, lanes: Lanes) -> None:
    """Executes instructions without effect: hints for caches, `griddepcontrol` (launches are serial), unmodeled proxies."""


def sleep(m: Machine, lanes: Lanes) -> None:
    m.polling.pause(lanes)
