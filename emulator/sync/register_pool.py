"""
`setmaxnreg`: warpgroups release registers to their CTA's pool and request registers from it (PTX ISA §9.7.19.5).

`dec` releases registers, `inc` blocks until the pool has enough. If a kernel gives neither `.maxnreg` nor
`.minnctapersm`, the registers at launch are unknown, and only the direction is checked.
"""

from __future__ import annotations

import numpy as np

from ..engine.lanes import Lanes
from ..engine.machine import Machine, Part
from ..errors import RegisterPool
from ..isa.decode import Decoder, Step
from ..isa.syntax import Instruction
from ..isa.types import Array
from ..isa.wgmma import require_warpgroups
from ..violation import Violation


class RegisterPools(Part):
    """The registers per thread of each warp, and the free registers of each CTA's pool."""

    def __init__(self, m: Machine):
        super().__init__(m)
        self._known = m.launch.registers > 0
        self._held: Array = np.full(m.lane_count // 32, m.launch.registers, np.int64)
        self._changed = np.zeros(m.lane_count // 32, np.bool_)
        self._free = np.zeros(m.cta_count, np.int64)
        self._blocked = np.zeros(m.lane_count, np.bool_)
        self._wanted = np.zeros(m.cta_count, np.int64)

    def set(self, lanes: Lanes, count: int, *, more: bool) -> Array:
        """Sets the registers per thread; returns flags of the lanes that succeed. The others must wait for the pool."""
        m = self._m
        warps = np.flatnonzero(lanes.bits)
        held: Array = self._held[warps]
        wrong: Array = (self._known | self._changed[warps]) & (held > count if more else held < count)
        if wrong.any():
            warp = int(np.argmax(wrong))
            verb, now = ("raise", "more") if more else ("lower", "fewer")
            problem = f"cannot {verb} the registers to {count} in a warp that has {now} ({int(held[warp])})"
            position = int(np.searchsorted(lanes.index, int(warps[warp]) * 32))
            raise Violation(RegisterPool, position, problem=problem)
        through = np.ones(lanes.count, np.bool_)
        for first_warp in warps[::4].tolist():
            group = slice(first_warp, first_warp + 4)
            cta = first_warp // m.launch.warps
            need = 32 * int((count - self._held[group]).sum())
            if self._known and need > self._free[cta]:
                through[(lanes.index // 32 >= first_warp) & (lanes.index // 32 < first_warp + 4)] = False
                self._wanted[cta] = need
                continue
            self._free[cta] -= need
            self._held[group] = count
            self._changed[group] = True
        self._blocked[lanes.index[~through]] = True
        if not more:
            woken = np.flatnonzero(self._blocked)
            self._blocked[woken] = False
            m.release(woken)
        return through

    def waiting(self) -> list[tuple[str, Array]]:
        """Returns descriptions of what blocked lanes wait for, with the lanes, by CTA."""
        m = self._m
        what = "waiting for {} registers of the CTA's pool, which has {} left"
        return [(what.format(self._wanted[cta], self._free[cta]), i) for cta, i in m.by_cta(self._blocked)]


def build_setmaxnreg(ins: Instruction, d: Decoder) -> Step:
    """`setmaxnreg.inc|dec.sync.aligned.u32 n`: for whole warpgroups, n a multiple of 8 in [24, 256]."""
    count = d.constant(d.operand(0))
    if count % 8 or not 24 <= count <= 256:
        d.fail(f"{count} registers: a multiple of 8 from 24 to 256 is needed")
    more = ins.parts[1] == "inc"

    def step(m: Machine, lanes: Lanes) -> None:
        require_warpgroups(m, lanes)
        through = m.part(RegisterPools).set(lanes, count, more=more)
        m.note(lanes.index[through], "registers", count)
        if not through.all():
            m.retry(lanes, through)

    return step
