"""`-t pto-cpp`: the kernels of a module as one file of C++ for the PTO tile library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from ...analysis.pto.effects import tile_functions
from ...analysis.pto.errors import MixedExtents
from ...analysis.pto.extents import Extents
from ...analysis.pto.legality import mixed_extents, violations
from ...analysis.pto.target import target_of
from ...dialects import pto
from ...dialects.region import HOST_OPS
from ...errors import WrongLevel
from .printer import KernelPrinter

HEAD = "#include <pto/pto-inst.hpp>\n\nusing namespace pto;\n"
LEVELS_ABOVE = ("ptir", "tiny", "poly", "region", "nv", "gpu")
"""Dialects of other levels; of their ops, only those of the host function may remain."""


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
    for op in module.walk():
        above = op.name.split(".")[0] in LEVELS_ABOVE and not isinstance(op, HOST_OPS)
        if above or isinstance(op, pto.PtoKernelOp):
            need = "lower to PTO first, with the pipeline ptir-to-pto{target=a3}, or with pto-legalize if kernels are tile programs"
            raise WrongLevel(op, name=op.name, stage="the printer of PTO C++", need=need)
    texts, extents = [HEAD], Extents()
    for function in tile_functions(module):
        for op in function.walk():
            for error in violations(op, machine, extents):
                agree = isinstance(op, pto.InstructionOp) and not any(mixed_extents(op, extents, as_read=True))
                if not (
                    isinstance(error, MixedExtents) and agree
                ):  # an operand has a variable for the part that is read
                    raise error
        texts.append(KernelPrinter(function, machine, extents).text)
    return "\n".join(texts)
