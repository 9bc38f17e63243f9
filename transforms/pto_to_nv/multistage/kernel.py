"""The multistage template: one `pto.kernel` as a `gpu.func`."""

from __future__ import annotations

from xdsl.dialects import gpu

from ....dialects import pto
from ..kernel.splitk import SplitK
from .contraction import ContractionLowering
from .grid import Grid


class MultistageKernel(ContractionLowering, SplitK, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.grid = self.grid_sizes()

    def build(self) -> gpu.FuncOp:
        ops = list(self.tiles.body.block.ops)
        self.find_combine(ops)
        self.bind_tiles()
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        self.combine_or_finish(ops, self.contraction(process, ops) if process is not None else None)
        return self.function()
