"""
Where kernels run: on the CPU, by executing the PTX that NVRTC produced, or on a GPU through cuda-python.

A device takes a compiled program, one launch and the arrays of its arguments, and fills the outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import PtirError

if TYPE_CHECKING:
    from ..backends.cuda.nvrtc import Binary
    from ..backends.cuda.ptx.report import Report
    from ..backends.cuda.ptx.syntax import Module

Array = np.ndarray[Any, np.dtype[Any]]


class DeviceUnavailable(PtirError):
    code = "PTIR0530"
    template = "no GPU can be used: {reason}"
    mend = "run with --target emulator, which needs none"


@dataclass(frozen=True)
class Launch:
    """
    One kernel call. `written` names the arguments that the kernel fills, `workspace` those whose contents mean nothing
    before and after it, `counters` those that are zero before and after it.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    written: frozenset[int]
    workspace: frozenset[int] = frozenset()
    counters: frozenset[int] = frozenset()


class Device(Protocol):
    """Runs launches one after the other."""

    name: str

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None: ...


@dataclass
class Emulator:
    """
    Executes PTX lane by lane and checks every access, that outputs are stored whole and counters left at zero;
    `reports` has the statistics of each launch. With a `seed`, warps are drawn at synchronisations instead of going
    on in order.
    """

    name: str = "emulator"
    seed: int | None = None
    max_steps: int = 20_000_000
    trace: bool = False
    reports: list[Report] = field(default_factory=list)  # pyright: ignore[reportUnknownVariableType]
    _parsed: tuple[str, Module] | None = field(default=None, repr=False)

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        from ..backends.cuda.errors import EmulatorFault
        from ..backends.cuda.ptx.launch import launch as execute
        from ..backends.cuda.ptx.memory import Memory
        from ..backends.cuda.ptx.parse import parse

        if self._parsed is None or self._parsed[0] != binary.ptx:
            self._parsed = (binary.ptx, parse(binary.ptx))
        _require_zeros(launch, arrays, "before its first thread")
        memory = Memory()
        fresh = launch.written | launch.workspace
        pointers = [
            memory.bind(a, readonly=k not in fresh | launch.counters, initialised=k not in fresh)
            for k, a in enumerate(arrays)
        ]
        self.reports.append(
            execute(
                self._parsed[1],
                launch.kernel,
                grid=launch.grid,
                block=launch.block,
                args=pointers,
                dynamic_shared=launch.shared,
                memory=memory,
                max_steps=self.max_steps,
                seed=self.seed,
                trace=self.trace,
            )
        )
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
    """Counters are zero before a launch and after it."""
    from ..backends.cuda.errors import EmulatorFault

    for k in sorted(launch.counters):
        if wrong := np.flatnonzero(arrays[k]).tolist():
            problem = f"element {wrong[0]} of argument {k}, a counter, is not zero"
            raise EmulatorFault(problem=problem, where=f"kernel {launch.kernel}, {when}")


class Gpu:
    """The first GPU, through the driver API of cuda-python; buffers live as long as one launch."""

    def __init__(self) -> None:
        try:
            driver: Any = import_module("cuda.bindings.driver")
        except ImportError as e:
            raise DeviceUnavailable(reason=str(e)) from e
        self.driver = driver
        try:
            self._check(driver.cuInit(0))
            self.device = self._check(driver.cuDeviceGet(0))
            self.context = self._check(driver.cuDevicePrimaryCtxRetain(self.device))
            self._check(driver.cuCtxSetCurrent(self.context))
        except RuntimeError as e:
            raise DeviceUnavailable(reason=str(e)) from e
        text = self._check(driver.cuDeviceGetName(128, self.device))
        self.name = text.split(b"\0")[0].decode()
        self.modules: dict[int, Any] = {}

    def _check(self, answer: Sequence[Any]) -> Any:
        """The value of a driver call, or its error."""
        status, *values = answer
        if int(status) != 0:
            raise RuntimeError(f"CUDA driver: {status!r}")
        return values[0] if len(values) == 1 else values

    def _load(self, binary: Binary) -> Any:
        """The module of a binary; on another architecture than it was compiled for, the driver compiles its PTX."""
        answer = self.driver.cuModuleLoadData(binary.cubin)
        if answer[0] == self.driver.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU:
            answer = self.driver.cuModuleLoadData(binary.ptx.encode() + b"\0")
        return self._check(answer)

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        d, check = self.driver, self._check
        if id(binary) not in self.modules:
            self.modules[id(binary)] = (binary, self._load(binary))
        function = check(d.cuModuleGetFunction(self.modules[id(binary)][1], launch.kernel.encode()))
        if launch.shared > 48 * 1024:
            limit = d.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(d.cuFuncSetAttribute(function, limit, launch.shared))
        pointers: list[Any] = []
        try:
            for a in arrays:
                pointers.append(check(d.cuMemAlloc(a.nbytes)))
            for k, (a, p) in enumerate(zip(arrays, pointers, strict=True)):
                if k not in launch.written | launch.workspace:
                    check(d.cuMemcpyHtoD(p, a.ctypes.data, a.nbytes))
            values = np.array([int(p) for p in pointers], dtype=np.uint64)
            addresses = np.array([values.ctypes.data + 8 * k for k in range(len(values))], dtype=np.uint64)
            check(d.cuLaunchKernel(function, *launch.grid, *launch.block, launch.shared, 0, addresses.ctypes.data, 0))
            check(d.cuCtxSynchronize())
            for k, (a, p) in enumerate(zip(arrays, pointers, strict=True)):
                if k in launch.written | launch.counters:
                    check(d.cuMemcpyDtoH(a.ctypes.data, p, a.nbytes))
        finally:
            for p in pointers:
                d.cuMemFree(p)


def best_device() -> Device:
    """The first GPU, or the emulator where there is none."""
    try:
        return Gpu()
    except DeviceUnavailable:
        return Emulator()
