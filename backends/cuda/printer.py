"""
Prints `nv` kernels as CUDA C++ with inline PTX: one short method an op.

Values are printed by `scalar_printer.py`, shared memory and copies by `copy_printer.py`, fragments by
`fragment_printer.py`, the epilogue by `epilogue_printer.py`. What a kernel calls is in `prelude.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatchmethod
from typing import cast

from xdsl.dialects import gpu, scf
from xdsl.dialects.builtin import (
    MemRefType,
)
from xdsl.ir import Attribute, Operation

from ...dialects import nv
from ...dialects.syntax import ints
from ...errors import Unsupported
from .epilogue_printer import EpiloguePrinter
from .fragment_printer import FragmentPrinter
from .scalar_printer import ScalarPrinter

UNROLL_LIMIT = 16
"""Loops over fragments are unrolled up to so many iterations."""


class CudaPrinter(ScalarPrinter, FragmentPrinter, EpiloguePrinter):
    """Prints one kernel."""

    def function(self, op: gpu.FuncOp, name: str, launches: Sequence[nv.LaunchOp]) -> str:
        self.at = op
        if len(op.body.blocks) != 1:
            raise Unsupported(op, what=f"a kernel of {len(op.body.blocks)} blocks", need="loops and ifs of scf")
        block = op.body.block
        written = {v for o in block.walk() if isinstance(o, nv.EpilogueOp) for v in o.outs}
        params: list[str] = []
        for arg in block.args:
            if not isinstance(arg.type, MemRefType):
                raise Unsupported(op, what=f"a kernel argument of type {arg.type}", need="memrefs")
            const = "" if arg in written else "const "
            dtype = cast("MemRefType[Attribute]", arg.type).element_type
            params.append(f"{const}{self.ctype(dtype, op)}* __restrict__ {self.name(arg)}")
        size = op.known_block_size
        bounds = f"__launch_bounds__({ints(size)[0]}) " if size is not None else ""  # pyright: ignore[reportArgumentType]
        self.line()
        for launch in launches:
            grid, threads = (" x ".join(map(str, ints(v))) for v in (launch.grid, launch.block))
            self.line(
                f"// launched on {grid} blocks of {threads} threads, {launch.shared.value.data} bytes of shared memory"
            )
        self.open(f'extern "C" __global__ void {bounds}{name}({", ".join(params)})')
        if any(isinstance(o, nv.SmemOp) for o in block.ops):
            self.line("extern __shared__ __align__(128) u8 shared[];")
        self.body(block.ops)
        self.close()
        return self.text.getvalue()

    def body(self, ops: Iterable[Operation]) -> None:
        self.each(ops, self.statement)

    @singledispatchmethod
    def statement(self, op: Operation) -> None:
        self.scalar_statement(op)

    @statement.register
    def _(self, op: gpu.BlockIdOp | gpu.ThreadIdOp) -> None:
        which = "blockIdx" if isinstance(op, gpu.BlockIdOp) else "threadIdx"
        self.names[op.result] = f"(int){which}.{op.dimension.data.value}"

    @statement.register
    def _(self, op: gpu.BarrierOp) -> None:
        self.line("__syncthreads();")

    @statement.register
    def _(self, op: gpu.ReturnOp | scf.YieldOp) -> None:
        pass

    @statement.register
    def _(self, op: scf.ForOp) -> None:
        if op.iter_args:
            raise Unsupported(
                op, what="a loop-carried value in a kernel", need="fragments are storage: nothing is carried"
            )
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        name = self.name(op.body.block.args[0])
        fragments = any(isinstance(o, nv.LdMatrixOp | nv.MmaSyncOp) for o in op.body.block.ops)
        if fragments and high.isdigit() and step.isdigit() and int(high) // int(step) <= UNROLL_LIMIT:
            self.line("#pragma unroll")
        advance = f"++{name}" if step == "1" else f"{name} += {step}"
        self.open(f"for (int {name} = {low}; {name} < {high}; {advance})")
        self.body(op.body.block.ops)
        self.close()

    @statement.register
    def _(self, op: scf.IfOp) -> None:
        self.open(f"if ({self.name(op.cond)})")
        self.body(op.true_region.block.ops)
        self.close()
        if op.false_region.blocks:
            self.open("else")
            self.body(op.false_region.block.ops)
            self.close()

    @statement.register
    def _(self, op: nv.SmemOp) -> None:
        self.ring(op)

    @statement.register
    def _(self, op: nv.CpAsyncOp) -> None:
        self.copy(op)

    @statement.register
    def _(self, op: nv.CommitGroupOp) -> None:
        self.line(f"{self.call('commit_group')};")

    @statement.register
    def _(self, op: nv.WaitGroupOp) -> None:
        self.line(f"{self.call(f'wait_group<{op.pending.value.data}>')};")

    @statement.register
    def _(self, op: nv.FragOp) -> None:
        self.fragment(op)

    @statement.register
    def _(self, op: nv.LdMatrixOp) -> None:
        self.load_fragment(op)

    @statement.register
    def _(self, op: nv.MmaSyncOp) -> None:
        self.multiply(op)

    @statement.register
    def _(self, op: nv.EpilogueOp) -> None:
        self.epilogue(op)
