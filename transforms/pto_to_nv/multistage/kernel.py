"""One `pto.kernel` as a `gpu.func` for SM80."""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.ir import Region, SSAValue

from ....dialects import pto
from ..kernel.splitk import SplitK
from .contraction import ContractionLowering
from .grid import Grid


class Kernel(ContractionLowering, SplitK, Grid):
    """Lowers one kernel; afterwards `grid` and `shared` say how to launch it."""

    def __init__(self, kernel: pto.PtoKernelOp):
        super().__init__(kernel)
        self.grid = self.grid_sizes()

    def build(self) -> gpu.FuncOp:
        ops = list(self.tiles.body.block.ops)
        combine = self.find_combine(ops)
        self.bind_tiles()
        process = next((o for o in ops if isinstance(o, pto.ProcessOp)), None)
        acc: SSAValue | None = None
        if process is not None:
            acc = self.contraction(process, ops)
        if combine is None:
            self.epilogue(ops, acc)
        else:
            ops.remove(combine)
            self.combine(combine, ops, acc)
        self.add(gpu.ReturnOp([]))
        function = gpu.FuncOp(
            self.kernel.sym_name.data,
            ([a.type for a in self.block.args], []),
            Region(self.block),
            kernel=True,
            known_block_size=(self.plan.threads, 1, 1),
        )
        function.location = self.kernel.location
        if self.kernel.plan is not None:
            function.attributes["nv.plan"] = self.kernel.plan
        return function
