"""The emulator as a device: it executes the PTX that NVRTC produced, on the CPU. (A GPU is a `Gpu`.)"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..backends.cuda.nvrtc import Binary
from ..emulator.engine.launch import launch as emulate
from ..emulator.engine.report import Report
from ..emulator.errors import EmulatorFault
from ..emulator.isa.parse import parse
from ..emulator.isa.syntax import Module
from ..emulator.memory.memory import Memory
from ..errors import require
from ..semantics.arrays.scalars import Array
from .driver import DeviceUnavailable
from .gpu import Gpu
from .launch import Device, Launch


@dataclass
class Emulator:
    """
    A device that executes PTX lane by lane on the CPU. It checks every access, that outputs are stored completely, and that
    counters are zero before and after a launch. `reports` has the statistics of each launch. With a `seed`, the warp to execute
    next is chosen at random at each synchronization instead of in order.
    """

    name: str = "emulator"
    seed: int | None = None
    max_steps: int = 20_000_000
    trace: bool = False
    ctas: int | None = None
    """Run only so many CTAs of each launch. Then `stored` has, for each output of the last launch, which bytes they store."""
    stored: list[Array] = field(default_factory=list[Array], repr=False)
    reports: list[Report] = field(default_factory=list, repr=False)  # pyright: ignore[reportUnknownVariableType]
    _parsed: tuple[str, Module] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        require(self.seed, int | None, "seed", "a number")
        require(self.max_steps, int, "max_steps", "a number")

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        if self._parsed is None or self._parsed[0] != binary.ptx:
            self._parsed = (binary.ptx, parse(binary.ptx))
        _require_zeros(launch, arrays, "before its first thread")
        memory = Memory()
        fresh = launch.written | launch.workspace
        bound: dict[tuple[int, bool, bool], int] = {}
        pointers: list[int] = []
        for k, a in enumerate(arrays):
            readonly, initialized = k not in fresh | launch.modified, k not in fresh
            key = (id(a), readonly, initialized)
            if key not in bound:
                bound[key] = memory.bind(a, readonly=readonly, initialized=initialized)
            pointers.append(bound[key])
        arguments = [
            launch.maps[k].at(pointers[k], a.nbytes) if k in launch.maps else pointers[k] for k, a in enumerate(arrays)
        ]
        self.reports.append(
            emulate(
                self._parsed[1],
                launch.kernel,
                grid=launch.grid,
                block=launch.block,
                args=arguments,
                dynamic_shared=launch.shared,
                memory=memory,
                max_steps=self.max_steps,
                seed=self.seed,
                trace=self.trace,
                cluster=None if launch.cluster == (1, 1, 1) else launch.cluster,
                registers=used.registers if (used := binary.kernels.get(launch.kernel)) else 0,
                ctas=self.ctas,
            )
        )
        if self.ctas is not None:
            buffers = [memory.find(pointers[k]) for k in sorted(launch.written)]
            self.stored = [np.ones(0, np.uint8) if b is None or (m := b.written(1)) is None else m for b in buffers]
            return
        where = f"kernel {launch.kernel}, after its last thread"
        for k in sorted(launch.written):
            buffer = memory.find(pointers[k])
            stored = buffer.written(1) if buffer is not None else None
            if stored is not None and not stored.all():
                missing = int(np.count_nonzero(stored == 0))
                problem = f"no thread stored {missing} of the {stored.size} bytes of argument {k}"
                raise EmulatorFault(problem=problem, where=where)
        _require_zeros(launch, arrays, "after its last thread")


def _require_zeros(launch: Launch, arrays: Sequence[Array], when: str) -> None:
    """Raises `EmulatorFault` if a counter is not zero, as it must be before and after a launch."""
    for k in sorted(launch.counters):
        if wrong := np.flatnonzero(arrays[k]).tolist():
            problem = f"element {wrong[0]} of argument {k}, a counter, is not zero"
            raise EmulatorFault(problem=problem, where=f"kernel {launch.kernel}, {when}")


def best_device() -> Device:
    """Returns the first GPU, or the emulator if there is none."""
    try:
        return Gpu()
    except DeviceUnavailable:
        return Emulator()
