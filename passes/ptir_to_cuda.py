"""
The named pipeline `ptir-to-cuda` (`registry.PIPELINES`) as one pass, for tools that do not know named pipelines:
`xdsl-opt -p 'ptir-to-cuda{arch=sm80}' -t cuda`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from .manager import PassManager


@dataclass(frozen=True)
class PtirToCuda(ModulePass):
    """Lowers a program to the nv level, from which CUDA is printed. The options are those of the named pipeline."""

    name = "ptir-to-cuda"

    arch: str | None = None
    """The architecture of the kernels: sm80, sm_90a …"""
    strategy: str | None = None
    """The strategy of form-regions: exact (the default), greedy, maximal or none."""
    stages: int | None = None
    """Number of stages of the shared-memory rings, 2 to 8."""
    conv: str | None = None
    """The algorithm of convolutions that ask for none: implicit_gemm, winograd_3x3, fft_conv or direct."""
    tolerance: float | None = None
    """The largest error of these convolutions, relative to max |x| · ‖w‖₂."""
    fused: bool | None = None
    """Whether the kernels of their products transform their images, too."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PassManager(str(self.spec()), ctx).run(op)
