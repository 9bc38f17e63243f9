"""
The executors of `--validate-passes`: the interpreters, and the emulator for modules at the nv level.

A module at the nv level is printed as CUDA C++, compiled by NVRTC and executed lane by lane. This also finds races,
accesses out of bounds and elements that no thread stores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.gpu import FuncOp as GpuFuncOp

from ..backends.cuda.emit import compile_text, emit_cuda
from ..backends.cuda.errors import NvrtcUnavailable
from ..backends.cuda.nvrtc import Binary
from ..errors import Unsupported, WrongLevel
from ..passes.validation import CannotRun, Executor, Interpret, reason_of
from ..semantics.arrays.scalars import Array
from ..targets.architectures import arch_named
from .compile import Program
from .devices import Emulator
from .execute import execute


@dataclass
class Emulate:
    """Compiles modules at the nv level for `arch` and runs them in the emulator. The last CUDA text's binary is kept."""

    arch: str = "sm80"
    name: str = "the emulator"
    _binary: tuple[str, Binary] | None = field(default=None, repr=False)
    _device: Emulator = field(default_factory=Emulator, repr=False)

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Array]) -> Sequence[Array]:
        if not any(isinstance(op, GpuFuncOp) for op in module.walk()):
            raise CannotRun("there are no kernels at the nv level")
        try:
            cuda = emit_cuda(module)
            if self._binary is None or self._binary[0] != cuda.text:
                self._binary = (cuda.text, compile_text(cuda, arch_named(self.arch).target))
            self._device.reports.clear()
            program = Program(module, cuda.text, self._binary[1], self.arch, origins=cuda.origins)
            return execute(program, arrays, self._device, name)
        except (NvrtcUnavailable, Unsupported, WrongLevel) as error:
            raise CannotRun(reason_of(error)) from error


def executors() -> list[Executor]:
    """Returns the executors in the order in which they are tried."""
    return [Interpret(), Emulate()]
