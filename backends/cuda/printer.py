"""
Prints `nv` kernels as CUDA C++ with inline PTX: one short method an op.

Values are printed by `scalar_printer.py`, shared memory and copies by `copy_printer.py` and `tma_printer.py`,
fragments by `fragment_printer.py` and `wgmma_printer.py`, the epilogue by `epilogue_printer.py`, who does what by
`role_printer.py`, mbarriers by `mbarrier_printer.py`, sums of several blocks by `splitk_printer.py`. What a kernel
calls is in `prelude/`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import singledispatchmethod
from typing import cast

from xdsl.dialects import arith, gpu, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import nv
from ...dialects.common.shapes import is_predicate
from ...dialects.common.syntax import ints
from ...dialects.nv import splitk as nv_splitk
from ...dialects.plan import ScheduleAttr
from ...dialects.plan.schedule import Schedule
from ...errors import Unsupported
from .epilogue_printer import EpiloguePrinter
from .mbarrier_printer import MbarrierPrinter
from .role_printer import RolePrinter
from .scalar_printer import ScalarPrinter
from .scalars import INDEX_BINARY, UNSIGNED
from .splitk_printer import SplitKPrinter
from .tma_printer import TmaPrinter
from .wgmma_printer import WgmmaPrinter

WORD = re.compile(r"\w+")
BITWISE = {arith.AndIOp: "&", arith.OrIOp: "|", arith.XOrIOp: "^", arith.ShLIOp: "<<", arith.ShRUIOp: ">>"}
"""On indices; the first three also on conditions, where they mean and, or, unequal."""


def plan_constants(plan: Schedule) -> dict[str, int]:
    """The plan's numbers by the names that they have in the text."""
    names = dict(zip(("BM", "BN", "BK"), plan.tile, strict=False))
    if isinstance(plan.stages, int):
        names |= {"STAGES": plan.stages, "WARP_M": plan.warp[0], "WARP_N": plan.warp[1]}
    return names | {"THREADS": plan.threads, "SPLIT": plan.split}


class CudaPrinter(
    ScalarPrinter, WgmmaPrinter, TmaPrinter, EpiloguePrinter, SplitKPrinter, RolePrinter, MbarrierPrinter
):
    """Prints one kernel."""

    def function(self, op: gpu.FuncOp, name: str, launches: Sequence[nv.LaunchOp]) -> str:
        self.at = op
        if len(op.body.blocks) != 1:
            raise Unsupported(op, what=f"a kernel of {len(op.body.blocks)} blocks", need="loops and ifs of scf")
        block = op.body.block
        plan = op.attributes.get("nv.plan")
        self.constants = plan_constants(plan.schedule()) if isinstance(plan, ScheduleAttr) else {}
        self.taken |= self.constants.keys()
        written = nv.outputs(op)
        params: list[str] = []
        for arg in block.args:
            if isinstance(arg.type, nv.TensorMapType):
                self.used.add("tensor_map")
                params.append(f"const __grid_constant__ tensor_map {self.name(arg)}")
                continue
            if not isinstance(arg.type, MemRefType):
                raise Unsupported(op, what=f"a kernel argument of type {arg.type}", need="memrefs and tensor maps")
            const = "" if arg in written else "const "
            dtype = cast("MemRefType[Attribute]", arg.type).element_type
            params.append(f"{const}{self.ctype(dtype, op)}* __restrict__ {self.name(arg)}")
        size = op.known_block_size
        bounds = f"__launch_bounds__({ints(size)[0]}, 1) " if size is not None else ""  # pyright: ignore[reportArgumentType]
        cluster = nv.cluster_of(op)
        if set(cluster) != {1}:
            bounds = f"__cluster_dims__({', '.join(map(str, cluster))}) {bounds}"
        self.line()
        for launch in launches:
            grid, threads, blocks = (
                " x ".join(map(str, sizes)) for sizes in (ints(launch.grid), ints(launch.block), launch.cluster_sizes)
            )
            clusters = "" if launch.cluster is None else f" in clusters of {blocks}"
            self.line(
                f"// launched on {grid} blocks{clusters} of {threads} threads, {launch.shared.value.data} bytes of shared memory"
            )
        self.open(f'extern "C" __global__ void {bounds}{name}({", ".join(params)})')
        head, lines = len(self.text.getvalue()), len(self.origins)
        rings = [o.result.type for o in op.walk() if isinstance(o, nv.SmemOp | nv.MbarrierOp)]
        if rings:
            alignment = max([128, *(t.alignment for t in rings if isinstance(t, nv.SmemType))])
            self.line(f"extern __shared__ __align__({alignment}) u8 shared[];")
        self.number_warps(op)
        self.number_lanes(block.ops, op)
        self.body(block.ops)
        self.close()
        text = self.text.getvalue()
        if used := [f"{n} = {v}" for n, v in self.constants.items() if n in self.constants_used]:
            self.origins.insert(lines, op)
            return f"{text[:head]}  constexpr int {', '.join(used)};\n{text[head:]}"
        return text

    def body(self, ops: Iterable[Operation]) -> None:
        def commented(op: Operation) -> None:
            if isinstance(comment := op.attributes.get("nv.comment"), StringAttr):
                self.line(f"// {' '.join(comment.data.replace(chr(92), '/').split())}")
            self.statement(op)

        self.each(ops, commented)

    @singledispatchmethod
    def statement(self, op: Operation) -> None:
        self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.ConstantOp) -> None:
        hint = op.result.name_hint or ""
        number = op.value.value.data if isinstance(op.value, IntegerAttr) else 0
        if isinstance(op.result.type, IndexType) and not 0 <= number < 2**31:
            raise Unsupported(op, what=f"the index {number}", need="indices from 0 to 2^31 - 1")
        if isinstance(op.value, IntegerAttr) and self.constants.get(hint) == op.value.value.data:
            self.names[op.result] = self.number(op.value.value.data, hint)
        else:
            self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.SelectOp) -> None:
        if isinstance(op.result.type, IndexType):
            cond, left, right = (self.name(o) for o in op.operands)
            self.index(op.result, f"{cond} ? {left} : {right}")
        else:
            self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.DivUIOp | arith.RemUIOp) -> None:
        if isinstance(op.result.type, IndexType):
            if isinstance(op, arith.SubiOp):
                raise Unsupported(
                    op, what="a difference of indices in a kernel", need="indices that are never negative"
                )
            self.index(op.result, f"{self.name(op.lhs)} {INDEX_BINARY[type(op)]} {self.name(op.rhs)}")
        else:
            self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.AndIOp | arith.OrIOp | arith.XOrIOp | arith.ShLIOp | arith.ShRUIOp) -> None:
        shift = isinstance(op, arith.ShLIOp | arith.ShRUIOp)
        if isinstance(op.result.type, IndexType) or (is_predicate(op.result.type) and not shift):
            ctype = "int" if isinstance(op.result.type, IndexType) else "bool"
            self.index(op.result, f"{self.name(op.lhs)} {BITWISE[type(op)]} {self.name(op.rhs)}", ctype)
        else:
            self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.MinUIOp | arith.MaxUIOp) -> None:
        if isinstance(op.result.type, IndexType):
            name = "min" if isinstance(op, arith.MinUIOp) else "max"
            self.index(op.result, f"{name}({self.name(op.lhs)}, {self.name(op.rhs)})")
        else:
            self.scalar_statement(op)

    @statement.register
    def _(self, op: arith.CmpiOp) -> None:
        if isinstance(op.lhs.type, IndexType):
            sign = UNSIGNED[arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]]
            self.index(op.result, f"{self.name(op.lhs)} {sign} {self.name(op.rhs)}", "bool")
        else:
            self.scalar_statement(op)

    def index(self, value: SSAValue, expression: str, ctype: str = "int") -> None:
        """Declares an index or a condition on indices; one without a name stands where it is used."""
        if value.name_hint is None:
            self.names[value] = f"({expression})"
        else:
            self.line(f"const {ctype} {self.name(value)} = {expression};")

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
        if not all(isinstance(v.type, IndexType) for v in op.iter_args):
            raise Unsupported(
                op, what="a loop-carried value in a kernel", need="indices: fragments are storage and are not carried"
            )
        low, high, step = (self.name(v) for v in (op.lb, op.ub, op.step))
        counter, *carried = op.body.block.args
        for arg, start, result in zip(carried, op.iter_args, op.results, strict=True):
            self.line(f"int {self.name(arg)} = {self.name(start)};")
            self.names[result] = self.name(arg)
        name = self.name(counter)
        self.line("#pragma unroll 1")
        advance = f"++{name}" if step == "1" else f"{name} += {step}"
        self.open(f"for (int {name} = {low}; {name} < {high}; {advance})")
        self.body(op.body.block.ops)
        self.carry(carried, cast(scf.YieldOp, op.body.block.last_op).operands)
        self.close()

    def carry(self, carried: Sequence[SSAValue], next_values: Sequence[SSAValue]) -> None:
        """Gives the carried values their next ones, each after all that is made of it; through copies in a circle."""
        steps = [(self.name(v), self.name(n)) for v, n in zip(carried, next_values, strict=True) if v is not n]
        reads = {name: set(WORD.findall(value)) for name, value in steps}
        while steps:
            free = next((s for s in steps if not any(s[0] in reads[n] for n, _ in steps if n != s[0])), None)
            if free is None:
                break
            steps.remove(free)
            self.line(f"{free[0]} = {free[1]};")
        copies = [(name, self.fresh("next"), value) for name, value in steps]
        for _, copy, value in copies:
            self.line(f"const int {copy} = {value};")
        for name, copy, _ in copies:
            self.line(f"{name} = {copy};")

    @statement.register
    def _(self, op: scf.IfOp) -> None:
        if op.results:
            raise Unsupported(op, what="an scf.if with results in a kernel", need="branches that only do something")
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
        self.load_matrix(op)

    @statement.register
    def _(self, op: nv.LdSharedOp) -> None:
        self.load_elements(op)

    @statement.register
    def _(self, op: nv.ToTf32Op) -> None:
        self.round_fragment(op)

    @statement.register
    def _(self, op: nv.MmaSyncOp | nv.FmaOp) -> None:
        self.multiply(op)

    @statement.register
    def _(self, op: nv.ConvertLayoutOp) -> None:
        self.convert_layout(op)

    @statement.register
    def _(self, op: nv_splitk.WorkspaceOp) -> None:
        self.move_fragment(op)

    @statement.register
    def _(self, op: nv_splitk.SemaphoreAcquireOp) -> None:
        self.acquire_semaphore(op)

    @statement.register
    def _(self, op: nv_splitk.SemaphoreReleaseOp) -> None:
        self.release_semaphore(op)

    @statement.register
    def _(self, op: nv_splitk.ArriveLastOp) -> None:
        self.arrive(op)

    @statement.register
    def _(self, op: nv.EpilogueOp) -> None:
        self.epilogue(op)

    @statement.register
    def _(self, op: nv.RoleOp) -> None:
        self.role(op)

    @statement.register
    def _(self, op: nv.SingleOp) -> None:
        self.single(op)

    @statement.register
    def _(self, op: nv.SetMaxRegistersOp) -> None:
        self.change_registers(op)

    @statement.register
    def _(self, op: nv.WarpgroupOp) -> None:
        self.number_warpgroup(op)

    @statement.register
    def _(self, op: nv.BarrierOp) -> None:
        self.barrier(op)

    @statement.register
    def _(self, op: nv.ClusterRankOp) -> None:
        self.cluster_rank(op)

    @statement.register
    def _(self, op: nv.ClusterSyncOp) -> None:
        self.cluster_sync(op)

    @statement.register
    def _(self, op: nv.MbarrierOp) -> None:
        self.mbarriers(op)

    @statement.register
    def _(self, op: nv.MbarrierInitOp) -> None:
        self.start(op)

    @statement.register
    def _(self, op: nv.MbarrierInitFenceOp) -> None:
        self.line(f"{self.call('mbarrier_init_fence')};")

    @statement.register
    def _(self, op: nv.ExpectTxOp) -> None:
        self.expect(op)

    @statement.register
    def _(self, op: nv.ArriveOp) -> None:
        self.come(op)

    @statement.register
    def _(self, op: nv.WaitOp) -> None:
        self.await_phase(op)

    @statement.register
    def _(self, op: nv.TmaLoadOp) -> None:
        self.tma_load(op)

    @statement.register
    def _(self, op: nv.TmaStoreOp) -> None:
        self.tma_store(op)

    @statement.register
    def _(self, op: nv.BulkCommitOp) -> None:
        self.line(f"{self.call('bulk_commit')};")

    @statement.register
    def _(self, op: nv.BulkWaitReadOp) -> None:
        self.line(f"{self.call(f'bulk_wait_read<{op.pending.value.data}>')};")

    @statement.register
    def _(self, op: nv.FenceAsyncOp) -> None:
        self.line(f"{self.call('fence_async')};")

    @statement.register
    def _(self, op: nv.WgmmaFenceOp) -> None:
        self.line(f"{self.call('wgmma_fence')};")

    @statement.register
    def _(self, op: nv.WgmmaMmaOp | nv.WgmmaFragOp) -> None:
        self.warpgroup_multiply(op)

    @statement.register
    def _(self, op: nv.WgmmaCommitOp) -> None:
        self.line(f"{self.call('wgmma_commit')};")

    @statement.register
    def _(self, op: nv.WgmmaWaitOp) -> None:
        self.wait_sums(op)

    @statement.register
    def _(self, op: nv.PromoteOp) -> None:
        self.promote(op)

    @statement.register
    def _(self, op: nv.StoreMatrixOp) -> None:
        self.store_matrix(op)
