"""
Checks accesses to the registers of `wgmma` (PTX ISA §9.7.15.2, §9.7.15.7.1).

From issue to `wait_group` the accumulators and the A fragment are in flight: only `mov` (which ptxas resolves)
and further wgmmas may access them. A wgmma requires a `wgmma.fence` since the last access of its registers (except by
the previous wgmma of a chain), and at least one before the first wgmma.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np

from ..errors import MissingWgmmaFence, RegisterInFlight
from ..isa.syntax import Kernel, Register, Vector
from ..isa.types import Array
from ..violation import reject
from .lanes import Lanes, Registers


class WgmmaRegisters(Registers):
    """
    The registers of a kernel with wgmma. `_group[r]` is the wgmma group that the register is in flight with, per lane (0:
    none); `_epoch[r]` is the number of fences that the lane had executed at the last access.
    """

    def __init__(self, kernel: Kernel, everyone: Lanes, tracked: frozenset[int]):
        super().__init__(kernel, everyone)
        total = everyone.total
        self._epoch = {slot: np.full(total, -1, np.int32) for slot in tracked}
        self._fences = np.zeros(total, np.int32)
        self._group: dict[int, Array] = {}
        self._done = np.zeros(total, np.int64)
        self._unchecked = False

    def get(self, register: int, lanes: Lanes) -> Array:
        self._access(register, lanes, "read")
        return super().get(register, lanes)

    def peek(self, register: int, lanes: Lanes) -> tuple[Array, Array]:
        self._access(register, lanes, "read")
        return super().peek(register, lanes)

    def put(self, register: int, lanes: Lanes, value: Array) -> None:
        self._access(register, lanes, "written")
        super().put(register, lanes, value)

    def _access(self, register: int, lanes: Lanes, how: str) -> None:
        if register in self._group:
            self._require_landed(register, lanes, how)
        epoch = self._epoch.get(register)
        if epoch is not None and not self._unchecked:
            epoch[lanes.select] = self._fences[lanes.select]

    def copy(self, target: int, source: int, lanes: Lanes) -> None:
        """Copies a register (`mov`); the copy of a register in flight is in flight, too."""
        groups = self._group.pop(source, None)
        if target in self._group:
            self._require_landed(target, lanes, "written")
        super_epoch = self._epoch.get(source)
        try:
            with self.unchecked():
                super().copy(target, source, lanes)
        finally:
            if groups is not None:
                self._group[source] = groups
        if groups is not None:
            moved = self._group.setdefault(target, np.zeros(lanes.total, np.int64))
            moved[lanes.select] = groups[lanes.select]
        if super_epoch is not None and target in self._epoch:
            self._epoch[target][lanes.select] = super_epoch[lanes.select]

    def _require_landed(self, register: int, lanes: Lanes, access: str) -> None:
        if not self._unchecked:
            in_flight = self._group[register][lanes.select] > self._done[lanes.select]
            reject(in_flight, RegisterInFlight, register=self._names[register], access=access)

    # --- for wgmma steps ---------------------------------------------------------------------------

    def fence(self, lanes: Lanes) -> None:
        self._fences[lanes.select] += 1

    def require_fenced(self, lanes: Lanes, registers: list[int]) -> None:
        """Raises a `Violation` unless a fence follows the last access of each register, and a fence has been executed at all."""
        fences = self._fences[lanes.select]
        if registers:
            reject(fences == 0, MissingWgmmaFence, register=self._names[registers[0]])
        for register in registers:
            epoch = self._epoch.get(register)
            if epoch is not None:
                reject(epoch[lanes.select] == fences, MissingWgmmaFence, register=self._names[register])

    @contextmanager
    def unchecked(self) -> Generator[None]:
        """Suspends the checks: a wgmma may access the accumulators of the previous ones."""
        self._unchecked = True
        try:
            yield
        finally:
            self._unchecked = False

    def issue(self, lanes: Lanes, registers: list[int], groups: Array) -> None:
        """Marks registers as in flight with their warps' `groups`."""
        mine = groups[lanes.index // 32]
        for register in registers:
            self._group.setdefault(register, np.zeros(lanes.total, np.int64))[lanes.index] = mine

    def retire(self, lanes: Lanes, done: Array) -> None:
        """`wgmma.wait_group`: the groups up to `done` of the lanes' warps are complete."""
        self._done[lanes.index] = done[lanes.index // 32]
        for register in [r for r, groups in self._group.items() if not (groups > self._done).any()]:
            del self._group[register]


def tracked_registers(kernel: Kernel) -> frozenset[int]:
    """Returns the registers that are passed to a wgmma, directly or through `mov`."""
    wanted: set[str] = set()
    moves: defaultdict[str, set[str]] = defaultdict(set)
    for ins in kernel.instructions:
        if ins.opcode.startswith("wgmma.mma_async"):
            for operand in ins.operands[:2]:
                if isinstance(operand, Vector):
                    wanted.update(item.name for item in operand.items if isinstance(item, Register))
        elif ins.opcode.startswith("mov."):
            names = [o.name for o in ins.operands if isinstance(o, Register)]
            if len(names) == 2:
                moves[names[0]].add(names[1])
    work = list(wanted)
    while work:
        new = moves[work.pop()] - wanted
        wanted |= new
        work += new
    return frozenset(slot for slot, name in enumerate(kernel.registers) if name in wanted)
