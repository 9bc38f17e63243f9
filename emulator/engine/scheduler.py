"""
Schedules lanes: program counters, blocked lanes, and the order of warps.

The ready lanes at the smallest program counter execute together until they reconverge with others or diverge. Lanes
that wait (at a barrier, for an mbarrier) are blocked. Lanes that jump back in a loop that polls memory are suspended
(`Polling`). A group whose step needs other lanes of its warp is parked until these arrive. With `random`, a random
subset of the warps runs after each synchronization; the others are set aside until those are stuck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Self, TypeAlias, TypeVar

import numpy as np

from ..errors import DivergentWarp, StepLimit
from ..isa.program import Program
from ..isa.types import Array
from ..violation import Violation
from .lanes import Lanes, Registers
from .polling import Polling, Ready

M = TypeVar("M")
Code: TypeAlias = Sequence[tuple[Callable[[M, Lanes], Array] | None, Callable[[M, Lanes], None]]]
"""For each instruction its guard, which returns flags of the lanes that execute it (None: all), and its step on a machine `M`."""

_INTERNED = 64


@dataclass(frozen=True)
class _Parked:
    """A `group` at `pc` whose step raised `violation` because the `absent` lanes had not arrived."""

    pc: int
    group: Lanes
    violation: Violation
    current: Lanes
    absent: Array


class Scheduler:
    """
    The program counters of a batch's lanes, in CTAs of `warps` warps. `Machine` adds registers and memory. `flights` are
    callbacks that complete asynchronous copies.
    """

    def __init__(self, program: Program, warps: int, alive: Array, max_steps: int, seed: int | None):
        self.program = program
        self.program_warps = warps
        self.lane_count = lane_count = alive.size
        self.everyone = Lanes(np.arange(lane_count), lane_count)
        self.registers = Registers(program.kernel, self.everyone)
        self.alive = alive
        self.random = None if seed is None else Random(seed)
        self._max_steps = max_steps
        self._unit = 128 if program.agents.warpgroups else 32
        self._interned: dict[bytes, Lanes] = {}
        self._resume = np.zeros(lane_count, np.int64)
        self._ready: Ready = {}
        self._aside: Ready = {}
        self.polling = Polling(lane_count)
        self.flights: list[Callable[[], None]] = []
        self._moved = self._redraw = False
        self._pc = 0
        self._current = self._group = self.everyone
        self._parked: list[_Parked] = []
        self._unparked_at = -1
        self._steps = 0
        self.executed = [0] * len(program.kernel.instructions)
        self.lane_steps = self.executed.copy()

    # --- running -----------------------------------------------------------------------------------

    def _run_all(self, code: Code[Self]) -> None:
        self._ready[0] = [self.lanes(np.flatnonzero(self.alive))]
        self._redraw = self.random is not None
        while self._ready or self._wake():
            if self._redraw:
                self._draw()
            self._run_or_park(code)

    def _run_or_park(self, code: Code[Self]) -> None:
        try:
            self._run_group(code)
        except Violation as violation:
            if violation.fault is not DivergentWarp:
                raise
            self._undo(self._current)
            self._park(violation)

    def _undo(self, lanes: Lanes) -> None:
        """Subtracts the current step from the counters, because its lanes will repeat it."""
        self._steps -= 1
        self.executed[self._pc] -= 1
        self.lane_steps[self._pc] -= lanes.count

    def _run_group(self, code: Code[Self]) -> None:
        """Runs the lanes at the smallest program counter until they reach other ready lanes."""
        executed, lane_steps = self.executed, self.lane_steps
        pc = min(self._ready)
        parts = self._ready.pop(pc)
        group = parts[0] if len(parts) == 1 else self.merged(parts)
        stop = min(self._ready, default=len(code))
        if self._steps > self._max_steps:
            self._pc = pc
            raise Violation(StepLimit, 0, steps=self._max_steps)
        while pc < stop:
            self._pc = pc
            self._current = self._group = lanes = group
            guard, step = code[pc]
            if guard is not None:
                flags = guard(self, group)
                if not flags.any():
                    pc += 1
                    continue
                if not flags.all():
                    self._current = lanes = group.among(flags)
            self._steps += 1
            executed[pc] += 1
            lane_steps[pc] += lanes.count
            step(self, lanes)
            pc += 1
            if self._moved:
                self._moved = False
                if lanes is group:
                    return
                group = self.lanes(np.setdiff1d(group.index, lanes.index, assume_unique=True))
                stop = min(self._ready, default=len(code))
            elif self._redraw:
                break
        self._ready.setdefault(pc, []).append(group)

    # --- when no lane is ready ---------------------------------------------------------------------

    def _wake(self) -> bool:
        """Makes lanes ready: lanes set aside, else those that wait for a copy, else polling lanes, else parked lanes."""
        while not self._ready:
            if self._aside:
                self._ready, self._aside = self._aside, {}
                self._redraw = True
            elif self._complete_copy():
                continue
            elif groups := self.polling.next_round(self.registers.digest):
                self._ready = groups
            elif not self._parked or not self._unpark():
                return False
        return True

    def _complete_copy(self) -> bool:
        """Completes a copy in flight; returns False if there is none."""
        if not self.flights:
            return False
        self.flights.pop(self.random.randrange(len(self.flights)) if self.random else 0)()
        return True

    def _unpark(self) -> bool:
        """
        Makes parked groups ready for another try. Raises a group's violation if no lane made progress since the last
        try, or if its absent lanes have exited. (Lanes that were at a `ret` when the group parked are not absent.)
        Returns False if polling or blocked lanes keep the absent lanes away: then the fault is a deadlock.
        """
        progress = self._steps
        for parked in self._parked:
            left = (parked.absent & ~self.alive).any()
            if progress == self._unparked_at or left:
                if self.polling.groups or (not left and (parked.absent & self._waiting()).any()):
                    return False
                self._pc, self._current = parked.pc, parked.current
                raise parked.violation
        for parked in self._parked:
            self._ready.setdefault(parked.pc, []).append(parked.group)
        self._unparked_at = progress
        self._parked.clear()
        return True

    def _waiting(self) -> Array:
        """Returns the lanes that are blocked at a barrier. As no lane is ready now, these are the live lanes not parked."""
        waiting = self.alive.copy()
        for parked in self._parked:
            waiting[parked.group.index] = False
        return waiting

    def _park(self, violation: Violation) -> None:
        """Parks the warps that have not converged; makes the others, and parked groups that waited for these lanes, ready."""
        pc, group, absent = self._pc, self._group, self._absent()
        here = group.mask
        met = [p for p in self._parked if p.pc == pc and (p.absent & here).any()]
        if met:
            self._parked = [p for p in self._parked if p not in met]
            self._ready.setdefault(pc, []).extend([group, *(p.group for p in met)])
            return
        broken = self._units(absent)[group.index]
        if broken.any() and not broken.all():
            self._ready.setdefault(pc, []).append(self.lanes(group.index[~broken]))
            group = self.lanes(group.index[broken])
        self._parked.append(_Parked(pc, group, violation, self._current, absent))

    def _units(self, mask: Array) -> Array:
        """Returns the lanes whose warp (warpgroup in kernels with wgmma) has a lane in `mask`."""
        width = self.program_warps * 32
        pad = -width % self._unit
        units = np.pad(mask.reshape(-1, width), ((0, 0), (0, pad))).reshape(-1, self._unit)
        spread = np.repeat(units.any(axis=1), self._unit).reshape(-1, width + pad)
        return spread[:, :width].reshape(-1)

    def _absent(self) -> Array:
        """Returns the live lanes of the current warps (warpgroups) that are elsewhere and not about to exit."""
        absent = self._units(self._current.mask) & self.alive & ~self._current.mask
        for where in (self._ready, self._aside):
            for pc, groups in where.items():
                if self.program.kernel.instructions[pc].parts[0] in ("ret", "exit"):
                    for group in groups:
                        absent[group.index] = False
        return absent

    # --- drawing warps -----------------------------------------------------------------------------

    def synchronized(self) -> None:
        """Records that the current step synchronizes: with a seed, warps are drawn again after the step."""
        if self.random is not None:
            self._redraw = True

    def _draw(self) -> None:
        """Draws the warps (warpgroups in kernels with wgmma) that run; sets the others aside."""
        self._redraw = False
        assert self.random is not None
        if self.random.random() < 0.5:
            self._complete_copy()
        groups = [(pc, g) for where in (self._ready, self._aside) for pc, gs in where.items() for g in gs]
        self._ready, self._aside = {}, {}
        units = self._unit_of_lane
        chosen = np.zeros(int(units[-1]) + 1, np.bool_)
        for _, group in groups:
            chosen[units[group.index]] = True
        every = np.flatnonzero(chosen)
        chosen[every] = [self.random.random() < 0.4 for _ in every]
        if not chosen.any():
            chosen[every[self.random.randrange(every.size)]] = True
        for pc, group in groups:
            goes = chosen[units[group.index]]
            if goes.all() or not goes.any():
                (self._ready if goes.any() else self._aside).setdefault(pc, []).append(group)
                continue
            self._ready.setdefault(pc, []).append(self.lanes(group.index[goes]))
            self._aside.setdefault(pc, []).append(self.lanes(group.index[~goes]))

    @cached_property
    def _unit_of_lane(self) -> Array:
        """The number of each lane's warp or warpgroup, ascending."""
        lane, block = np.arange(self.lane_count), self.program_warps * 32
        return lane // block * -(-block // self._unit) + lane % block // self._unit

    # --- for steps ---------------------------------------------------------------------------------

    def lanes(self, index: Array) -> Lanes:
        """Returns the `Lanes` of an ascending index, the same object for the same lanes if cached."""
        if index.size == self.lane_count:
            return self.everyone
        key = index.tobytes()
        known = self._interned.get(key)
        if known is None:
            if len(self._interned) >= _INTERNED:
                self._interned.clear()
            known = self._interned[key] = Lanes(index, self.lane_count)
        return known

    def merged(self, parts: list[Lanes]) -> Lanes:
        return self.lanes(np.sort(np.concatenate([p.index for p in parts])))

    def jump(self, lanes: Lanes, target: int) -> None:
        """Continues lanes at `target`; lanes that jump back after polling memory are suspended."""
        self._moved = True
        if target > self._pc or not self.polling.suspend(lanes, target):
            self._ready.setdefault(target, []).append(lanes)

    def polled(self, lanes: Lanes, addresses: Array | int) -> None:
        """Records that these lanes have polled memory at these addresses."""
        self._resume[lanes.index] = self._pc + 1
        self.polling.polled(lanes, addresses)

    def block(self, lanes: Lanes) -> None:
        """Blocks lanes, to resume after the current step."""
        self._resume[lanes.index] = self._pc + 1
        self._moved = True

    def retry(self, lanes: Lanes, passed: Array) -> tuple[Lanes, Lanes]:
        """Blocks the lanes that have not `passed`, to repeat the current step; returns the lanes that have and have not."""
        through, late = lanes.among(passed), lanes.among(~passed)
        self._resume[late.index] = self._pc
        if through.count:
            self.lane_steps[self._pc] -= late.count
            self._ready.setdefault(self._pc + 1, []).append(self.lanes(through.index))
        else:
            self._undo(late)
        self._moved = True
        return through, late

    def release(self, index: Array) -> None:
        """Makes blocked lanes ready."""
        resume = self._resume[index]
        for pc in np.unique(resume):
            self._ready.setdefault(int(pc), []).append(self.lanes(index[resume == pc]))
