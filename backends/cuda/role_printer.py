"""Prints who does what: roles, single threads, named barriers, clusters."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import gpu
from xdsl.ir import Operation

from ...dialects import nv
from ...dialects.nv.roles import WARP, WARPGROUP, block_sizes, role_of
from ...errors import Unsupported
from .kernel_text import KernelText
from .scalars import sum_of

BULK = (nv.TmaLoadOp, nv.TmaStoreOp, nv.BulkCommitOp, nv.BulkWaitReadOp)


def around(ops: Iterable[Operation]) -> Iterable[Operation]:
    """These operations and those in them, but for what roles do."""
    for op in ops:
        yield op
        if not isinstance(op, nv.RoleOp):
            for region in op.regions:
                for block in region.blocks:
                    yield from around(block.ops)


class RolePrinter(KernelText):
    """Adds roles to the text of a kernel."""

    warp: str = ""
    warpgroup: str = ""
    """The variables with the numbers of this thread's warp and warpgroup in the block, in kernels with roles."""

    def number_warps(self, op: gpu.FuncOp) -> None:
        if any(isinstance(o, nv.RoleOp) for o in op.body.block.ops):
            self.warp, self.warpgroup = self.fresh("warp"), self.fresh("warpgroup")
            number = f"__shfl_sync(0xffffffff, (int)threadIdx.x / {WARP}, 0)"
            self.line(f"const int {self.warp} = {number};  // so that ptxas sees that it is the same in a warp")
            self.line(f"const int {self.warpgroup} = {self.warp} / {WARPGROUP // WARP};")

    def number_lanes(self, ops: Iterable[Operation], op: Operation) -> None:
        """`lane` is the thread's number in what holds a fragment, a warp or a warpgroup."""
        counts = {nv.frag(o.result).layout.threads for o in around(ops) if isinstance(o, nv.FragOp)}
        if len(counts) > 1:
            raise Unsupported(op, what="fragments of warps beside fragments of warpgroups", need="roles of their own")
        for count in counts:
            self.line(f"const int lane = (int)threadIdx.x % {count};")

    def role(self, op: nv.RoleOp) -> None:
        first, end = op.first.value.data // WARPGROUP, op.end.value.data // WARPGROUP
        if end - first == 1:
            condition = f"{self.warpgroup} == {first}"
        else:
            last = block_sizes(op) == (op.end.value.data, 1, 1)
            limits = [f"{self.warpgroup} >= {first}"] * (first > 0) + [f"{self.warpgroup} < {end}"] * (not last)
            condition = " && ".join(limits) or "true"
        self.line(f"// {' '.join(op.label.data.split())}")
        self.open(f"if ({condition})")
        outside = set(self.taken)
        self.number_lanes(op.body.block.ops, op)
        self.body(op.body.block.ops)
        self.taken = outside
        self.close()

    def single(self, op: nv.SingleOp) -> None:
        """Bulk copies and what waits for them are one elected thread's: of that ptxas knows that it is alone."""
        role, of_warpgroup = role_of(op), op.who.data == "warpgroup"
        first = role.first.value.data if role is not None else 0
        if any(isinstance(o, BULK) for o in op.walk()) and role is not None:
            warp = f"{self.warp} % {WARPGROUP // WARP} == 0" if of_warpgroup else f"{self.warp} == {first // WARP}"
            self.open(f"if ({warp} && {self.call('elected')})")
        else:
            self.open(f"if ((int)threadIdx.x % {WARPGROUP} == 0)" if of_warpgroup else f"if (threadIdx.x == {first})")
        self.body(op.body.block.ops)
        self.close()

    def change_registers(self, op: nv.SetMaxRegistersOp) -> None:
        way = "inc" if op.increases() else "dec"
        self.line(f"{self.call(f'setmaxnreg_{way}<{op.registers.value.data}>')};")

    def number_warpgroup(self, op: nv.WarpgroupOp) -> None:
        role = role_of(op)
        first = role.first.value.data // WARPGROUP if role is not None else 0
        self.names[op.result] = f"({self.warpgroup} - {first})" if first else self.warpgroup

    def barrier(self, op: nv.BarrierOp) -> None:
        role, numbers = role_of(op), op.numbers
        first = role.first.value.data // WARPGROUP if role is not None else 0
        each = f"({self.warpgroup} - {first})" if len(numbers) > 1 else ""
        self.line(f"{self.call('named_barrier', sum_of(str(numbers[0]), each), str(op.threads.value.data))};")

    def cluster_rank(self, op: nv.ClusterRankOp) -> None:
        self.line(f"const int {self.name(op.result)} = {self.call('cluster_rank')};")

    def cluster_sync(self, op: nv.ClusterSyncOp) -> None:
        kernel = op.parent_op()
        alone = kernel is None or set(nv.cluster_of(kernel)) == {1}
        self.line("__syncthreads();" if alone else f"{self.call('cluster_sync')};")
