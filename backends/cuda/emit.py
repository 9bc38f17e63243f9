"""`-t cuda`: the kernels of a module as one translation unit of CUDA C++. `-t ptx`: what NVRTC makes of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import SymbolTable
from xdsl.utils.target import Target

from ...dialects import nv
from ...dialects.common.strict import is_strict
from ...dialects.region import HOST_OPS
from ...errors import WrongLevel
from ...targets.architectures import ARCHS, arch_named
from .errors import CudaCompileError, FatalCompilerRemark, KernelTooLarge
from .identifiers import kernel_names, symbol_of
from .nvrtc import FILE_NAME, Binary, compile_cuda
from .prelude import source
from .printer import CudaPrinter
from .resources import plan_of

LEVELS_ABOVE = ("ptir", "tiny", "poly", "region", "pto", "vyre")
"""Dialects that must be lowered before printing; of their ops, only those of the host function may remain."""


@dataclass(frozen=True)
class CudaTarget(Target):
    """`-t cuda`: the kernels of a module as one translation unit."""

    name = "cuda"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_cuda(module))


@dataclass(frozen=True)
class PtxTarget(Target):
    """`-t ptx{arch=sm90}`: the PTX to which NVRTC compiles the kernels, which ptxas has accepted."""

    name = "ptx"
    arch: str = "sm80"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(compile_text(emit_cuda(module), arch_named(self.arch).target).ptx)


@dataclass(frozen=True)
class CudaText:
    """
    A translation unit. `origins[i]` is the op that line i + 1 was printed for, or None in the prelude; `kernels` maps
    CUDA names to kernels.
    """

    text: str
    origins: Sequence[Operation | None]
    kernels: dict[str, gpu.FuncOp]

    def origin(self, log: str) -> Operation | None:
        """Returns the op of the first line or kernel that a message of NVRTC or ptxas names."""
        for match in re.finditer(rf"{re.escape(FILE_NAME)}\((\d+)\)|'(\w+)'", log):
            line, name = match.groups()
            at = int(line) - 1 if line is not None else -1
            found = self.origins[at] if 0 <= at < len(self.origins) else self.kernels.get(name)
            if found is not None:
                return found
        return None


def print_cuda(module: ModuleOp) -> str:
    """Returns the CUDA C++ of all `gpu.func`s. Raises `WrongLevel` for ops that are not lowered."""
    return emit_cuda(module).text


def emit_cuda(module: ModuleOp) -> CudaText:
    """Returns the CUDA C++ of all `gpu.func`s with the op that each line comes from."""
    functions = [o for o in module.walk() if isinstance(o, gpu.FuncOp)]
    names = kernel_names(module)
    for op in module.walk():
        if op.name.split(".")[0] in LEVELS_ABOVE and not isinstance(op, HOST_OPS):
            passes = "vyre-to-nv" if op.name.startswith("vyre.") else "the pipeline ptir-to-cuda{arch=sm80}"
            need = f"lower to nv first, for example with {passes}"
            raise WrongLevel(op, name=op.name, stage="the CUDA printer", need=need)
    texts: list[str] = []
    origins: list[Operation | None] = []
    kernels: dict[str, gpu.FuncOp] = {}
    used: set[str] = set()
    for function in functions:
        symbol = symbol_of(function)
        launches = [
            o
            for o in module.walk()
            if isinstance(o, nv.LaunchOp) and SymbolTable.lookup_symbol(o, o.kernel) is function
        ]
        printer = CudaPrinter()
        printer.strict = is_strict(function)
        texts.append(printer.function(function, names[symbol], launches))
        origins += printer.origins
        kernels[names[symbol]] = function
        used |= printer.used
    plans = [plan_of(function) for function in functions]
    prelude = source(used, all(plan is not None and ARCHS[plan.arch].has_float8_cvt for plan in plans))
    return CudaText(prelude + "".join(texts), [*[None] * prelude.count("\n"), *origins], kernels)


def compile_text(cuda: CudaText, target: str, *, allow_remarks: bool = False) -> Binary:
    """Returns NVRTC's binary. Errors of NVRTC and ptxas are raised at the operation for which the faulty line was printed."""
    try:
        return compile_cuda(cuda.text, target, allow_remarks=allow_remarks)
    except (CudaCompileError, FatalCompilerRemark, KernelTooLarge) as error:
        named = cuda.kernels.get(error.kernel) if isinstance(error, KernelTooLarge) else None
        error.op = named or cuda.origin(error.message)
        raise
