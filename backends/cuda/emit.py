"""`-t cuda`: the kernels of a module as one translation unit of CUDA C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.utils.target import Target

from ...dialects import nv
from ...errors import WrongLevel
from .identifiers import kernel_names
from .prelude import source
from .printer import CudaPrinter


@dataclass(frozen=True)
class CudaTarget(Target):
    """`-t cuda`: the kernels of a module as one translation unit."""

    name = "cuda"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_cuda(module))


def print_cuda(module: ModuleOp) -> str:
    """The CUDA C++ of all `gpu.func`s. Raises `WrongLevel` for ops that are not lowered."""
    functions = [o for o in module.walk() if isinstance(o, gpu.FuncOp)]
    names = kernel_names(module)
    for op in module.walk():
        if op.name.split(".")[0] in ("ptir", "tiny", "poly", "region", "pto"):
            need = "lower to nv first: the pipeline ptir-to-cuda{arch=sm80} goes the whole way"
            raise WrongLevel(op, name=op.name, stage="the CUDA printer", need=need)
    texts: list[str] = []
    used: set[str] = set()
    for function in functions:
        symbol: str = function.sym_name.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
        launches = [
            o
            for o in module.walk()
            if isinstance(o, nv.LaunchOp) and o.kernel.nested_references.data[-1].data == symbol
        ]
        printer = CudaPrinter()
        texts.append(printer.function(function, names[symbol], launches))
        used |= printer.used
    return source(used) + "".join(texts)
