"""Fences, `elect.sync`, and instructions without effect here (PTX ISA §9.7.13.4, §9.7.13.13, §9.7.14)."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine
from ..isa.decode import Builder, Decoder, Step
from ..isa.syntax import Instruction
from ..isa.types import SCALARS
from ..isa.warp import participants
from .mbarrier import Mbarriers
from .races import GlobalRaces

U32, PRED = SCALARS["u32"], SCALARS["pred"]
_WIDE = {"gl", "sys", "gpu", "cluster"}


def build_fence(ins: Instruction, d: Decoder) -> Step:
    """`fence.acq_rel.gpu`, `membar.gl`, `fence.proxy.async`, `fence.mbarrier_init.release.cluster`."""
    parts = ins.parts
    if "proxy" in parts:
        return _build_proxy(ins, d)
    if "mbarrier_init" in parts:

        def release(m: Machine, lanes: Lanes) -> None:
            m.note(lanes.index, "mbarrier fence", 0)
            m.part(Mbarriers).fence(lanes, release=True)

        return release
    if not _WIDE & set(parts):
        return lambda m, lanes: None

    def step(m: Machine, lanes: Lanes) -> None:
        m.part(GlobalRaces).fence(lanes)
        m.note(lanes.index, "fence", 0)

    return step


def _build_proxy(ins: Instruction, d: Decoder) -> Step:
    """`fence.proxy.async[.shared::cta | .global]`; other proxies are not modeled, so their fences have no effect."""
    kinds = ins.parts[ins.parts.index("proxy") + 1 :]
    names = [k.partition("::")[0] for k in kinds]
    if names[0] not in ("async", "alias", "tensormap"):
        d.unknown()
    if names[0] != "async":
        return lambda m, lanes: None
    shared, global_ = ("global" not in names[1:]), ("shared" not in names[1:])

    def step(m: Machine, lanes: Lanes) -> None:
        if shared:
            m.note(lanes.index, "proxy fence", 0)
        m.part(Mbarriers).fence(lanes)
        if shared and m.clocks.proxies:
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


def build_nothing(ins: Instruction, d: Decoder) -> Step:
    """
    Builds instructions without effect: `griddepcontrol` (launches are serial), `discard` and `applypriority` (caches).
    `nanosleep` yields to other lanes.
    """
    if ins.parts[0] == "nanosleep":
        return lambda m, lanes: m.polling.pause(lanes)
    return lambda m, lanes: None


TABLE: dict[str, Builder] = {
    "fence": build_fence,
    "membar": build_fence,
    "elect": build_elect,
    **dict.fromkeys(("nanosleep", "griddepcontrol", "discard", "applypriority"), build_nothing),
}
