"""
Executes a batch of CTAs in lockstep: all lanes of all CTAs are one array axis.

`Scheduler` selects the lanes. Steps come from `decode`; they use the machine's registers, clocks and counters and
request other parts (memories, barriers, copies in flight) by type. The machine knows no opcode and no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Self, TypeVar

import numpy as np

from ...errors import counted
from ..errors import Deadlock, EmulatorFault
from ..isa.program import Program
from ..isa.special import Dim3, special_registers
from ..isa.types import CHUNK, Array
from ..memory.memory import Memory, require_inside
from ..violation import Violation
from .clocks import Clocks
from .counters import Counters
from .lanes import Lanes, warp_bits
from .scheduler import Code, Scheduler
from .trace import Trace
from .wgmma_registers import WgmmaRegisters

P = TypeVar("P", bound="Part")


@dataclass(frozen=True)
class Launch:
    """
    One kernel launch. `grid` and `cluster` count CTAs, `block` counts threads, `dynamic_shared` counts bytes. Without a
    `seed`, the schedule is not random. `registers` is the number of registers per thread (0: unknown).
    """

    grid: Dim3
    block: Dim3
    cluster: Dim3
    parameters: bytes
    dynamic_shared: int
    max_steps: int
    seed: int | None = None
    trace: bool = False
    registers: int = 0

    @property
    def cluster_size(self) -> int:
        return prod(self.cluster)

    @property
    def threads(self) -> int:
        return prod(self.block)

    @property
    def warps(self) -> int:
        return -(-self.threads // 32)


class Part:
    """A component of a batch: a memory, barriers, copies in flight. `Machine.part` creates it."""

    def __init__(self, m: Machine):
        self._m = m

    def exited(self, lanes: Lanes) -> None:
        """Called when lanes have exited."""

    def waiting(self) -> list[tuple[str, Array]]:
        """Returns descriptions of what blocked lanes wait for, with the lanes."""
        return []

    def finished(self) -> None:
        """Called when all lanes have exited. The position of a `Violation` is a lane index."""


class Machine(Scheduler):
    """
    A batch of CTAs of a launch, cluster by cluster: `ctas` are their indices, `first_cta` is the number of CTAs in earlier
    batches. Blocks are padded to whole warps with dead lanes. Exits are reported to `parts` in order.
    """

    def __init__(self, program: Program, launch: Launch, memory: Memory, first_cta: int, ctas: Array):
        cta_count = int(ctas.size)
        self.launch = launch
        self.memory = memory
        self.first_cta = first_cta
        self.cta_count = cta_count
        self.parameters = launch.parameters
        self.shared_bytes = program.static_shared + launch.dynamic_shared
        width = launch.warps * 32
        index = np.arange(cta_count * width)
        self._local_cta = index // width
        self.cta_of_lane = ctas[self._local_cta]
        self._thread = index % width
        seed = None if launch.seed is None else launch.seed + first_cta
        super().__init__(program, launch.warps, self._thread < launch.threads, launch.max_steps, seed)
        self._alive_bits: Array | None = None
        self.wgmma_registers = WgmmaRegisters(program.kernel, self.everyone, program.tracked)
        if program.agents.warpgroups:
            self.registers = self.wgmma_registers
        self.carry = np.zeros(self.lane_count, np.bool_)
        self.clocks = Clocks(cta_count, launch.warps, program.agents, launch.cluster_size)
        self.counters = Counters(len(program.kernel.instructions))
        self.trace = Trace(self.lane_count) if launch.trace else None
        self.at_position = 0
        self.parts: dict[type[Part], Any] = {}

    def part(self, kind: type[P]) -> P:
        """Returns the batch's part of this type, created at the first request."""
        part = self.parts.get(kind)
        if part is None:
            part = self.parts[kind] = kind(self)
        return part

    def run(self, code: Code[Self]) -> None:
        """Runs until all lanes have exited. Raises `EmulatorFault`."""
        with np.errstate(all="ignore"):
            try:
                self._run_all(code)
            except Violation as violation:
                lanes = self._current
                position = max(violation.position, self.at_position)
                lane = int(lanes.index[min(position, lanes.count - 1)]) if lanes.count else 0
                raise self.fault(violation.fault, lane, **violation.fields) from None
            self._check_deadlock()
            try:
                for part in tuple(self.parts.values()):
                    part.finished()
            except Violation as violation:
                raise self.fault(violation.fault, violation.position, **violation.fields) from None

    # --- control flow ------------------------------------------------------------------------------

    def exit(self, lanes: Lanes) -> None:
        self.alive[lanes.index] = False
        self._alive_bits = None
        self._moved = True
        for part in tuple(self.parts.values()):
            part.exited(lanes)

    def _check_deadlock(self) -> None:
        """Raises `Deadlock` if lanes are left: the fault lists which warps wait, where and for what."""
        groups = [lanes.index for parts in self.polling.groups.values() for lanes in parts]
        waiting = self._polls(groups)
        for part in self.parts.values():
            waiting += part.waiting()
        if not waiting:
            return
        parts: list[str] = []
        for what, index in waiting:
            lines = sorted({self._line(int(pc)) for pc in np.unique(self._resume[index])})
            cta = int(self.cta_of_lane[index[0]])
            warps = np.unique(self._thread[index] // 32)
            where = f"CTA {_point(cta, self.launch.grid)}: {_warps(warps)} {what}, {' and '.join(lines)}"
            parts.append(where)
        shown = parts[:8] + ([f"and {len(parts) - 8} more"] if len(parts) > 8 else [])
        if groups:
            polling = sum(g.size for g in groups)
            shown[0] = f"{counted(polling, 'thread')} polling memory that no thread changes: {shown[0]}"
        begun, total = self.first_cta + self.cta_count, prod(self.launch.grid)
        if begun < total:
            last = f"{begun} of {total} CTAs have begun, and a GPU need not begin more before these end"
            shown.append(last)
        lane = int(waiting[0][1][0])
        self._pc = self._waiting_pc(int(self._resume[lane]))
        raise self.fault(Deadlock, lane, problem="; ".join(shown))

    def _polls(self, groups: list[Array]) -> list[tuple[str, Array]]:
        """Returns descriptions of what lanes poll, with the lanes, by CTA and address."""
        found: list[tuple[str, Array]] = []
        for index in groups:
            keys = np.stack([self.cta_of_lane[index].astype(np.uint64), self.polling.watched[index]])
            for cta, address in np.unique(keys, axis=1).T.tolist():
                mine = index[(keys[0] == cta) & (keys[1] == address)]
                buffer = self.memory.find(address)
                name = f"{buffer.name} + {address - buffer.base}" if buffer else "shared memory or the clock"
                found.append((f"polling {name} ({address:#x})", mine))
        return found

    def _waiting_pc(self, resume: int) -> int:
        """Returns the waiting instruction of lanes that will `resume` there: an mbarrier's wait is repeated, a barrier is not."""
        parts = self.program.kernel.instructions[resume].parts if resume < len(self.executed) else []
        again = parts[:2] == ["mbarrier", "try_wait"] or parts[:3] == ["barrier", "cluster", "wait"]
        return resume if again or parts[:2] == ["setmaxnreg", "inc"] else resume - 1

    def _line(self, resume: int) -> str:
        ins = self.program.kernel.instructions[self._waiting_pc(resume)]
        return f"CUDA line {ins.lines[-1]}" if ins.lines else f"PTX line {ins.line}"

    # --- for steps ---------------------------------------------------------------------------------

    def local_cta(self, lanes: Array) -> Array:
        """Returns the CTA of each lane, counted within the batch."""
        return self._local_cta[lanes]

    def by_cta(self, flags: Array) -> Iterator[tuple[int, Array]]:
        """Yields each CTA that has flagged lanes, with these lanes."""
        index = np.flatnonzero(flags)
        ctas = self._local_cta[index]
        for cta in np.unique(ctas).tolist():
            yield cta, index[ctas == cta]

    def alive_bits(self) -> Array:
        """Returns the live lanes of each warp as a 32-bit mask."""
        if self._alive_bits is None:
            self._alive_bits = warp_bits(self.alive)
        return self._alive_bits

    def special(self, name: str) -> Array:
        """Returns a special register in all lanes."""
        return np.broadcast_to(self._specials[name], self.lane_count)

    @cached_property
    def _specials(self) -> dict[str, Any]:
        launch = self.launch
        sizes = launch.block, launch.grid, launch.cluster, launch.dynamic_shared, self.shared_bytes
        return special_registers(self._thread, self.cta_of_lane, *sizes)

    def load_parameter(self, addresses: Array, size: int) -> Array:
        """Loads `size` bytes of the kernel's parameters at each address of the param space."""
        data = np.frombuffer(self.parameters.ljust(-(-len(self.parameters) // 16) * 16, b"\0"), np.uint8)
        total = len(self.parameters)
        require_inside(addresses, size, total, "read", "param", f"{total} bytes of parameters")
        return data[addresses.astype(np.int64)[:, None] + np.arange(size)].view(CHUNK[size]).reshape(-1)

    def count_shared(self, lanes: Array, addresses: Array, size: int, level: str) -> None:
        """Counts the current step's access of shared memory."""
        self.counters.banks(self._pc, lanes, addresses, size)
        self.count_bytes(level, lanes.size * size)
        self.note(lanes, level, addresses, size)

    def count_banks(self, lanes: Array, addresses: Array, size: int) -> None:
        """Counts only the bank conflicts of an access, whose bytes are counted elsewhere."""
        self.counters.banks(self._pc, lanes, addresses, size)
        self.note(lanes, "banks", addresses, size)

    def count_global(self, lanes: Array, addresses: Array, size: int, level: str) -> None:
        """Counts the current step's access of global memory."""
        self.counters.global_(self._pc, lanes, addresses, size)
        self.count_bytes(level, lanes.size * size)
        self.note(lanes, level, addresses, size)

    def note(self, lanes: Array, what: str, values: Array | int, size: int = 0) -> None:
        """Adds an operation of the current step to the lanes' trace."""
        if self.trace:
            self.trace.note(lanes, what, values, size)

    def count_bytes(self, level: str, size: int) -> None:
        self.counters.moved[self._pc][level] += size

    # --- faults ------------------------------------------------------------------------------------

    def fault(self, kind: type[EmulatorFault], lane: int, /, **fields: Any) -> EmulatorFault:
        """Returns a fault of this kind with the thread and the source lines."""
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
        error = kind(where=", ".join(place), **fields)
        error.lines = tuple(ins.lines)
        return error


def _point(linear: int, size: Dim3) -> str:
    x, y, _ = size
    return f"({linear % x}, {linear // x % y}, {linear // (x * y)})"


def _warps(warps: Array) -> str:
    """Returns `warp 3` or `warps 4-7, 9`."""
    runs: list[str] = []
    for part in np.split(warps, np.flatnonzero(np.diff(warps) > 1) + 1):
        runs.append(f"{part[0]}-{part[-1]}" if part.size > 1 else f"{part[0]}")
    return f"warp{'s' if warps.size > 1 else ''} {', '.join(runs)}"
