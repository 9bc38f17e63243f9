"""
The executors of `--validate-passes`: the interpreters, and below them the emulator.

What has reached `nv` is printed as CUDA C++, compiled by NVRTC and executed lane by lane, so that a race, an access out
of bounds or an element that nobody stores is found as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp as GpuFuncOp

from ..analysis.arch import ARCHS
from ..backends.cuda.emit import print_cuda
from ..backends.cuda.errors import NvrtcUnavailable
from ..backends.cuda.nvrtc import compile_cuda
from ..errors import Unsupported, WrongLevel
from ..passes.validation import CannotRun, Executor, Interpret, reason_of
from ..semantics.scalars import Array
from .compile import Program
from .devices import Emulator
from .execute import execute


@dataclass
class Emulate:
    """A module at the `nv` level, compiled for `arch` and emulated. Compiles once a text."""

    arch: str = "sm80"
    name: str = "the emulator"
    _program: Program | None = field(default=None, repr=False)
    _device: Emulator = field(default_factory=Emulator, repr=False)

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]:
        if not any(isinstance(op, GpuFuncOp) for op in module.walk()):
            raise CannotRun("there are no kernels at the nv level")
        try:
            cuda = print_cuda(module)
            if self._program is None or self._program.cuda != cuda:
                self._program = Program(module, cuda, compile_cuda(cuda, ARCHS[self.arch].target), self.arch)
            self._device.reports.clear()
            program = Program(module, cuda, self._program.binary, self.arch)
            return execute(program, arrays, self._device, name)
        except (NvrtcUnavailable, Unsupported, WrongLevel) as error:
            raise CannotRun(reason_of(error)) from error


def executors(arch: str = "sm80") -> list[Executor]:
    """Who runs what a pass has left, in the order in which they are asked."""
    return [Interpret(), Emulate(arch)]
