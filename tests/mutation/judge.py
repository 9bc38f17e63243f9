"""
Judges a mutant: NVRTC compiles its CUDA to PTX, and the emulator executes that.

| verdict | meaning |
| --- | --- |
| `refused` | it does not compile |
| `same PTX`, `same SASS` | NVRTC, or ptxas, compiles it to the same code as the original |
| the class of a fault | the emulator reports a fault |
| `wrong result` | the result differs |
| `slower` | the result is right, but a counter of the emulator is higher than for the original |
| `same trace` | it is equivalent |
| `alive` | the result is right, also under random schedules |

A mutant with the same trace is equivalent: every thread executes the same copies, loads, stores, commits, waits and barriers at
the same addresses in the same order as in the original (`Trace`). In our kernels these do not depend on the data. And the results
are bit-equal to those of the original on random numbers, zeros of both signs, NaN and infinities.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ptir.backends.cuda.errors import CudaCompileError, FatalCompilerRemark
from ptir.backends.cuda.nvrtc import Binary, compile_cuda
from ptir.emulator.errors import EmulatorFault
from ptir.errors import PtirError
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from ptir.targets.architectures import ARCHS

from .subject import Subject

UNCOUNTED = ("refused", "same PTX", "same SASS")
_FLAGS = ("-std=c++17", "--fmad=false")
SCHEDULES = (1, 2, 3)
"""Seeds of the schedules under which mutants are run again that would survive otherwise."""
_PATIENCE = 20
"""Maximum number of steps of a mutant, as a multiple of the original's."""


class Judge:
    """Judges mutants of one kernel. The original is compiled and run once."""

    def __init__(self, kernel: Subject):
        self.kernel, self.program = kernel, kernel.compile()
        self.arch = ARCHS[self.program.arch].target
        self._ptx = ptx(self.text, self.arch)
        device = Emulator(trace=True)
        self.right = all(self._is_right(k, self._ptx, device) for k in range(len(kernel.inputs)))
        self._reports = device.reports[: len(device.reports) // len(kernel.inputs)]
        self._steps = sum(r.steps for r in self._reports)

    def _run(self, code: str, arrays: Sequence[Any], device: Emulator) -> Sequence[Any]:
        with np.errstate(all="ignore"):
            return execute(replace(self.program, binary=Binary(code, b"", "", self.arch, {})), arrays, device)

    def _is_right(self, k: int, code: str, device: Emulator) -> bool:
        return self.kernel.is_right(k, self._run(code, self.kernel.inputs[k], device))

    @property
    def text(self) -> str:
        return self.program.cuda

    def verdict(self, text: str) -> tuple[str, str]:
        """Returns the verdict on a mutant's text, and a line that explains it."""
        try:
            code = ptx(text, self.arch)
        except CudaCompileError as error:
            return "refused", _last(error.log)
        if code == self._ptx:
            return "same PTX", ""
        device = replace(self._device(), trace=True)
        if wrong := self._wrong(text, code, device):
            return wrong
        if refused := self._refused(text):
            return refused
        if sass(text, self.arch) == self._sass:
            return "same SASS", ""
        risen = [
            f"{name} {old:,} → {new:,}"
            for name, old, new in zip(COUNTERS, _counters(self._reports), _counters(device.reports), strict=True)
            if new > old
        ]
        if risen:
            return "slower", ", ".join(risen)
        if self._bits(code) != self._own_bits:
            return "wrong result", "other bits of random numbers"
        if [r.trace for r in device.reports] == [r.trace for r in self._reports]:
            return "same trace", ""
        for seed in SCHEDULES:
            if wrong := self._wrong(text, code, self._device(seed)):
                return wrong[0], f"schedule {seed}: {wrong[1]}"
        return "alive", ""

    def _device(self, seed: int | None = None) -> Emulator:
        return Emulator(seed=seed, max_steps=_PATIENCE * self._steps)

    def _wrong(self, text: str, code: str, device: Emulator) -> tuple[str, str] | None:
        """Returns a verdict if the mutant faults or its result is wrong, otherwise None."""
        try:
            if not self._is_right(0, code, device):
                return "wrong result", ""
            if not self._is_right(1, code, self._device(device.seed)):
                return "wrong result", "with NaN and infinities"
        except EmulatorFault as fault:
            return type(fault).__name__, fault.message.splitlines()[0]
        except PtirError as error:
            return self._refused(text) or (type(error).__name__, error.message.splitlines()[0])
        return None

    def _bits(self, code: str) -> list[bytes]:
        """Returns the bits of the results on random numbers."""
        return [g.tobytes() for g in self._run(code, self.kernel.numbers, Emulator())]

    @cached_property
    def _own_bits(self) -> list[bytes]:
        return self._bits(self._ptx)

    def _refused(self, text: str) -> tuple[str, str] | None:
        """Returns the verdict `refused` if ptxas rejects the text, otherwise None."""
        try:
            compile_cuda(text, self.arch)
        except CudaCompileError as error:
            return "refused", _last(error.log)
        except FatalCompilerRemark as error:
            return type(error).__name__, error.message.splitlines()[0]
        return None

    @cached_property
    def _sass(self) -> bytes:
        return sass(self.text, self.arch)


COUNTERS = ("shared wavefronts", "bank conflicts", "sectors", "bytes", "bytes no longer in flight")


def _counters(reports: list[Any]) -> list[int]:
    """Returns the counters that must not increase, in the order of `COUNTERS`."""
    moved = sum(v for r in reports for level, v in r.bytes.items() if level != "in_flight")
    waiting = sum(r.bytes["in_flight"] for r in reports)
    sums = [sum(getattr(r, name) for r in reports) for name in ("wavefronts", "conflicts", "sectors")]
    return [*sums, moved, -waiting]


def _last(log: str) -> str:
    return next((line for line in log.splitlines() if "error" in line), log[:200])


def ptx(text: str, arch: str) -> str:
    """Compiles `text` to PTX for `arch` (such as `sm_80`), without line information or cache. Raises `CudaCompileError`."""
    from cuda.bindings import nvrtc

    flags = [f"-arch={arch.replace('sm_', 'compute_')}", *_FLAGS]
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], [])
    try:
        status = nvrtc.nvrtcCompileProgram(program, len(flags), [f.encode() for f in flags])[0]
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytes(nvrtc.nvrtcGetProgramLogSize(program)[1])
            nvrtc.nvrtcGetProgramLog(program, log)
            message = log.replace(b"\0", b"").decode(errors="replace")
            error = CudaCompileError(arch=arch, log=message)
            error.log = message
            raise error
        code = bytes(nvrtc.nvrtcGetPTXSize(program)[1])
        nvrtc.nvrtcGetPTX(program, code)
        return code.replace(b"\0", b"").decode()
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def sass(text: str, arch: str) -> bytes:
    """Returns the machine code of all kernels: the `.text.*` sections of the cubin, which is an ELF file."""
    cubin = compile_cuda(text, arch).cubin
    start, size, count, names = (*struct.unpack_from("<Q", cubin, 40), *struct.unpack_from("<HHH", cubin, 58))
    sections = [struct.unpack_from("<IIQQQQIIQQ", cubin, start + size * i) for i in range(count)]
    strings = sections[names][4]
    found: list[bytes] = []
    for section in sections:
        name = cubin[strings + section[0] :].split(b"\0", 1)[0]
        if name.startswith(b".text."):
            found.append(cubin[section[4] : section[4] + section[5]])
    return b"".join(found)
