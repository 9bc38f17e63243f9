"""
The named pipeline `ptir-to-pto` (`registry.PIPELINES`) as one pass, for tools that do not know named pipelines:
`xdsl-opt -p 'ptir-to-pto{target=a3}' -t pto-cpp`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from .manager import PassManager


@dataclass(frozen=True)
class PtirToPto(ModulePass):
    """Lowers a program to functions of PTO instructions, from which C++ is printed. The options are those of the named pipeline."""

    name = "ptir-to-pto"

    target: str | None = None
    """The target: a2, a3 or a5."""
    strategy: str | None = None
    """The strategy of form-regions: exact, greedy, maximal or none."""

    stages: int | None = None
    """Maximum number of stages of a loop, and of buffers of a tile."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassManager(str(self.spec()), ctx).run(op)
