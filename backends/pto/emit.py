"""`-t pto-cpp`: the kernels of a module as one file of C++ for the PTO tile library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.utils.target import Target

from ...analysis.pto.legality import violations
from ...analysis.pto.target import target_of
from ...dialects import pto
from ...errors import WrongLevel
from .printer import KernelPrinter

HEAD = "#include <pto/pto-inst.hpp>\n\nusing namespace pto;\n"
LEVELS_ABOVE = ("pto.kernel", "region.kernel", "gpu.module")
"""Kernels that must be lowered before printing."""


@dataclass(frozen=True)
class PtoCppTarget(Target):
    """`-t pto-cpp`: the functions of tile instructions as C++ for the module's target, or for `target`."""

    name = "pto-cpp"
    target: str | None = None

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(print_pto(module, self.target))


def print_pto(module: ModuleOp, target: str | None = None) -> str:
    """
    Returns the C++ of all functions that have tile instructions. Raises `WrongLevel` for kernels that are not legalized, and the first
    violation of the target's rules.
    """
    machine = target_of(module, target)
    for op in module.body.block.ops:
        if op.name in LEVELS_ABOVE:
            need = "run pto-legalize{target=a3} first, which writes kernels as functions"
            raise WrongLevel(op, name=op.name, stage="the printer of PTO C++", need=need)
    texts = [HEAD]
    for function in module.body.block.ops:
        if isinstance(function, FuncOp) and is_kernel(function):
            for op in function.walk():
                for error in violations(op, machine):
                    raise error
            texts.append(KernelPrinter(function, machine).text)
    return "\n".join(texts)


def is_kernel(function: FuncOp) -> bool:
    """Returns whether a function has tile instructions."""
    return any(isinstance(op, pto.InstructionOp) for op in function.walk())
