"""
A batch of CTAs in lock-step.

All lanes of all CTAs are one array axis. The lanes that are ready at the smallest program counter execute
together until they meet others or part; lanes at a barrier are blocked until it completes. Nothing here knows
an opcode: steps come from `decode`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import Deadlock, DivergentWarp, EmulatorFault, OutOfBounds, StepLimit
from .async_copy import Copies
from .clocks import Clocks
from .lanes import Lanes, Registers, warp_bits
from .memops import LocalMemory
from .memory import Memory, Owners
from .program import Program
from .report import Report
from .shared import SharedMemory, excess_wavefronts
from .sync import Barriers
from .types import CHUNK, Array
from .violation import Violation, first

_INTERNED = 64

Dim3 = tuple[int, int, int]


@dataclass(frozen=True)
class Launch:
    """One kernel launch: sizes in threads and CTAs, the parameters' bytes, bytes of dynamic shared memory."""

    grid: Dim3
    block: Dim3
    parameters: bytes
    dynamic_shared: int
    max_steps: int

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def warps(self) -> int:
        return -(-self.threads // 32)


@dataclass(frozen=True)
class _Parked:
    """A `group` at `pc` whose step failed with `violation` because the `absent` lanes were not there."""

    pc: int
    group: Lanes
    violation: Violation
    current: Lanes
    absent: Array


class Machine:
    """CTAs `first_cta` … of a launch. A block that is no multiple of 32 threads gets dead lanes up to one."""

    def __init__(
        self, program: Program, launch: Launch, memory: Memory, owners: Owners, first_cta: int, cta_count: int
    ):
        self.program = program
        self.launch = launch
        self.memory = memory
        self.owners = owners
        self.first_cta = first_cta
        self.cta_count = cta_count
        self.parameters = launch.parameters
        width = launch.warps * 32
        self.lane_count = cta_count * width
        index = np.arange(self.lane_count)
        self.cta_of_lane = first_cta + index // width
        self._thread = index % width
        self.everyone = Lanes(index, self.lane_count)
        self.alive = self._thread < launch.threads
        self._alive_bits: Array | None = None
        self.registers = Registers(program.kernel, self.everyone)
        self.carry = np.zeros(self.lane_count, np.bool_)
        self.clocks = Clocks(cta_count, launch.warps)
        shared_bytes = program.static_shared + launch.dynamic_shared
        self.shared = SharedMemory(cta_count, launch.warps, shared_bytes, program.granule, self.clocks)
        self.local = LocalMemory(self.lane_count, program.local_bytes)
        self.copies = Copies(self.lane_count)
        self.barriers = Barriers(self)
        self._specials: dict[str, Array] = {}
        self._interned: dict[bytes, Lanes] = {}
        self._resume = np.zeros(self.lane_count, np.int64)
        self._ready: dict[int, list[Lanes]] = {}
        self._moved = False
        self._pc = 0
        self._current = self._group = self.everyone
        self._parked: list[_Parked] = []
        self._unparked_at = -1
        count = len(program.steps)
        self._executed = [0] * count
        self._lane_steps = [0] * count
        self._conflicts = [0] * count

    # --- scheduling --------------------------------------------------------------------------------

    def run(self, report: Report) -> None:
        """Run until all lanes have exited, and add to `report`. Raises `EmulatorFault`."""
        with np.errstate(all="ignore"):
            self._ready[0] = [self.lanes(np.flatnonzero(self.alive))]
            try:
                while self._ready:
                    self._run_or_park()
            except Violation as violation:
                lanes = self._current
                lane = int(lanes.index[min(violation.position, lanes.count - 1)]) if lanes.count else 0
                raise self.fault(violation.fault, lane, **violation.fields) from None
        self._check_deadlock()
        for ins, executed, lanes, conflicts in zip(
            self.program.kernel.instructions, self._executed, self._lane_steps, self._conflicts, strict=True
        ):
            report.steps += executed
            report.lane_instructions += lanes
            if executed:
                report.opcodes[ins.opcode] += lanes
            if conflicts:
                report.conflicts[ins.opcode] += conflicts

    def _run_or_park(self) -> None:
        """
        Run a group. One that needs lanes of its warp which are still elsewhere (code that NVRTC placed behind
        the meeting point) is parked until the others can go no further. Really divergent it is where they made
        no progress, or left: lanes that are at a `ret` by then returned early, and need not come.
        """
        try:
            self._run_group()
        except Violation as violation:
            if violation.fault is not DivergentWarp:
                raise
            self._executed[self._pc] -= 1
            self._lane_steps[self._pc] -= self._current.count
            self._parked.append(_Parked(self._pc, self._group, violation, self._current, self._absent()))
        if self._ready or not self._parked:
            return
        progress = sum(self._executed)
        for parked in self._parked:
            if progress == self._unparked_at or (parked.absent & ~self.alive).any():
                self._pc, self._current = parked.pc, parked.current
                raise parked.violation
            self._ready.setdefault(parked.pc, []).append(parked.group)
        self._unparked_at = progress
        self._parked.clear()

    def _absent(self) -> Array:
        """The live lanes, in the current lanes' warps, that are elsewhere and not about to exit."""
        here = np.repeat(self._current.bits != 0, 32)
        absent = here & self.alive & ~self._current.mask
        for pc, groups in self._ready.items():
            if self.program.kernel.instructions[pc].parts[0] in ("ret", "exit"):
                for group in groups:
                    absent[group.index] = False
        return absent

    def _run_group(self) -> None:
        """Take the lanes at the smallest program counter as far as they go without meeting others."""
        steps, guards = self.program.steps, self.program.guards
        executed, lane_steps = self._executed, self._lane_steps
        pc = min(self._ready)
        parts = self._ready.pop(pc)
        group = parts[0] if len(parts) == 1 else self.lanes(np.sort(np.concatenate([p.index for p in parts])))
        stop = min(self._ready, default=len(steps))
        if sum(executed) > self.launch.max_steps:
            self._pc = pc
            raise Violation(StepLimit, 0, steps=self.launch.max_steps)
        while pc < stop:
            self._pc = pc
            self._current = self._group = lanes = group
            guard = guards[pc]
            if guard is not None:
                flags = guard(self, group)
                if not flags.any():
                    pc += 1
                    continue
                if not flags.all():
                    self._current = lanes = group.among(flags)
            executed[pc] += 1
            lane_steps[pc] += lanes.count
            steps[pc](self, lanes)
            pc += 1
            if self._moved:
                self._moved = False
                if lanes is group:
                    return
                group = self.lanes(np.setdiff1d(group.index, lanes.index, assume_unique=True))
                stop = min(self._ready, default=len(steps))
        self._ready.setdefault(pc, []).append(group)

    def lanes(self, index: Array) -> Lanes:
        """The `Lanes` of an ascending index; the same object for the same lanes, where remembered."""
        if index.size == self.lane_count:
            return self.everyone
        key = index.tobytes()
        known = self._interned.get(key)
        if known is None:
            if len(self._interned) >= _INTERNED:
                self._interned.clear()
            known = self._interned[key] = Lanes(index, self.lane_count)
        return known

    def jump(self, lanes: Lanes, target: int) -> None:
        """These lanes go on at `target`."""
        self._ready.setdefault(target, []).append(lanes)
        self._moved = True

    def exit(self, lanes: Lanes) -> None:
        self.alive[lanes.index] = False
        self._alive_bits = None
        self._moved = True
        self.barriers.exited()

    def block(self, lanes: Lanes) -> None:
        """These lanes wait at a barrier, to go on behind it."""
        self._resume[lanes.index] = self._pc + 1
        self._moved = True

    def release(self, index: Array) -> None:
        """Blocked lanes go on."""
        resume = self._resume[index]
        for pc in np.unique(resume):
            self._ready.setdefault(int(pc), []).append(self.lanes(index[resume == pc]))

    def _check_deadlock(self) -> None:
        waiting = self.barriers.waiting()
        if not waiting:
            return
        parts: list[str] = []
        for number, index in waiting:
            lines = sorted({self.program.kernel.instructions[int(pc) - 1].line for pc in self._resume[index]})
            ctas = np.unique(self.cta_of_lane[index])
            parts.append(f"{index.size} threads of {ctas.size} CTAs wait at barrier {number} (PTX lines {lines})")
        lane = int(waiting[0][1][0])
        self._pc = int(self._resume[lane]) - 1
        raise self.fault(Deadlock, lane, problem="; ".join(parts))

    # --- what steps ask ----------------------------------------------------------------------------

    def alive_bits(self) -> Array:
        """The lanes of each warp that have not exited, as a u32 a warp."""
        if self._alive_bits is None:
            self._alive_bits = warp_bits(self.alive)
        return self._alive_bits

    def special(self, name: str) -> Array:
        """A special register in all lanes (PTX ISA §10)."""
        known = self._specials.get(name)
        if known is None:
            known = self._specials[name] = self._compute_special(name)
        return known

    def _compute_special(self, name: str) -> Array:
        base, _, axis = name[1:].partition(".")
        coordinates: dict[str, Any] = {
            "tid": (self._thread, self.launch.block),
            "ctaid": (self.cta_of_lane, self.launch.grid),
        }
        if base in coordinates and axis in ("x", "y", "z"):
            linear, (x, y, _) = coordinates[base]
            return {"x": linear % x, "y": linear // x % y, "z": linear // (x * y)}[axis]
        lane = self._thread % 32
        one = np.uint64(1)
        bit = one << lane.astype(np.uint64)
        constants: dict[str, Any] = {
            "laneid": lane,
            "warpid": self._thread // 32,
            "nwarpid": self.launch.warps,
            "smid": self.cta_of_lane,
            "nsmid": self.launch.grid[0] * self.launch.grid[1] * self.launch.grid[2],
            "gridid": 1,
            "lanemask_eq": bit,
            "lanemask_lt": bit - one,
            "lanemask_le": (bit << one) - one,
            "lanemask_gt": ~((bit << one) - one) & np.uint64(0xFFFF_FFFF),
            "lanemask_ge": ~(bit - one) & np.uint64(0xFFFF_FFFF),
            "dynamic_smem_size": self.launch.dynamic_shared,
            "total_smem_size": self.shared.size,
            "clock": 0,
            "clock64": 0,
            "globaltimer": 0,
        }
        for which, size in (("ntid", self.launch.block), ("nctaid", self.launch.grid)):
            for letter, extent in zip("xyz", size, strict=True):
                constants[f"{which}.{letter}"] = extent
        value = constants.get(name[1:])
        if value is None:
            raise Violation(EmulatorFault, 0, problem=f"the emulator has no special register {name}")
        return np.array(np.broadcast_to(value, self.lane_count))

    def load_parameter(self, addresses: Array, size: int) -> Array:
        """`size` bytes of the kernel's parameters at each address of the param space."""
        data = np.frombuffer(self.parameters.ljust(-(-len(self.parameters) // 16) * 16, b"\0"), np.uint8)
        offsets = addresses.astype(np.int64)
        bad = (offsets < 0) | (offsets + size > len(self.parameters))
        if bad.any():
            position = first(bad)
            fields = {"access": "read", "size": size, "space": "param", "address": int(addresses[position])}
            raise Violation(OutOfBounds, position, **fields, extent=f"{len(self.parameters)} bytes of parameters")
        return data[offsets[:, None] + np.arange(size)].view(CHUNK[size]).reshape(-1)

    def count_conflicts(self, lanes: Lanes, addresses: Array, size: int) -> None:
        self._conflicts[self._pc] += excess_wavefronts(lanes.index, addresses, size)

    def count(self, conflicts: int) -> None:
        """Bank conflicts of the current step."""
        self._conflicts[self._pc] += conflicts

    # --- what went wrong ---------------------------------------------------------------------------

    def fault(self, kind: type[EmulatorFault], lane: int, /, **fields: Any) -> EmulatorFault:
        """`kind`, with the thread and the lines it happened at."""
        ins = self.program.kernel.instructions[self._pc]
        place = [
            f"kernel {self.program.kernel.name}",
            f"ctaid {_point(int(self.cta_of_lane[lane]), self.launch.grid)}",
            f"tid {_point(int(self._thread[lane]), self.launch.block)}",
        ]
        if ins.lines:
            innermost, *outer = ins.lines
            place.append(f"CUDA line {innermost}" + "".join(f", inlined at {line}" for line in outer))
        place.append(f"PTX line {ins.line}: {ins.text}")
        return kind(where=", ".join(place), **fields)


def _point(linear: int, size: Dim3) -> str:
    x, y, _ = size
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"
