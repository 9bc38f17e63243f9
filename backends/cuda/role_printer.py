"""Prints warp specialization: roles, single-thread regions, named barriers, clusters."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import gpu
from xdsl.ir import Operation

from ...dialects import nv
from ...dialects.nv.roles import block_sizes, role_of
from ...errors import Unsupported
from ...targets.architectures import WARP, WARPGROUP
from .kernel_text import KernelText, prints
from .scalars import sum_of

BULK = (nv.TmaLoadOp, nv.TmaStoreOp, nv.BulkCommitOp, nv.BulkWaitReadOp)


def ops_outside_roles(ops: Iterable[Operation]) -> Iterable[Operation]:
    """Yields the ops and those nested in them, without the bodies of roles."""
    for op in ops:
        yield op
        if not isinstance(op, nv.RoleOp):
            for region in op.regions:
                for block in region.blocks:
                    yield from ops_outside_roles(block.ops)


def first_warpgroup(op: Operation) -> int:
    """Returns the index of the first warpgroup of the op's role, or 0 outside any role."""
    role = role_of(op)
    return role.first.value.data // WARPGROUP if role is not None else 0


class RolePrinter(KernelText):
    """Prints warp-specialization ops."""

    warp: str = ""
    warpgroup: str = ""
    """The names of the variables that hold this thread's warp and warpgroup index, in kernels with roles."""

    def number_warps(self, op: gpu.FuncOp) -> None:
        """Declares the thread's warp and warpgroup index in a kernel with roles."""
        if any(isinstance(o, nv.RoleOp) for o in op.body.block.ops):
            self.warp, self.warpgroup = self.fresh("warp"), self.fresh("warpgroup")
            number = f"__shfl_sync(0xffffffff, threadIdx.x / {WARP}, 0)"
            self.line(f"const int {self.warp} = {number};  // tells ptxas that the index is warp-uniform")
            self.line(f"const int {self.warpgroup} = {self.warp} / {WARPGROUP // WARP};")

    def number_lanes(self, ops: Iterable[Operation], op: Operation) -> None:
        """Declares `lane`, the thread's index in the warp or warpgroup that holds a fragment."""
        outside = list(ops_outside_roles(ops))
        counts = {nv.frag(o.result).layout.threads for o in outside if isinstance(o, nv.FragOp)}
        likes = [o.like for o in outside if isinstance(o, nv.MapOp)]
        likes += [nv.frag(o.result) for o in outside if isinstance(o, nv.ConvertLayoutOp)]
        counts |= {like.layout.threads for like in likes if like is not None}
        if len(counts) > 1:
            raise Unsupported(op, what="mixing fragments of warps and of warpgroups", need="put them in separate roles")
        for count in counts:
            lane = f"threadIdx.x % {count}"
            if isinstance(op, nv.RoleOp) and not any(isinstance(o, nv.MapOp) for o in op.walk()):
                # lanes are those of an epilogue; NVRTC would compute its rows from threadIdx in each step of the loop before it
                lane = f"(u32){self.call('opaque', lane)} % {count}"
            self.line(f"const int lane = {lane};")
        if any(like is not None and like.layout.warps for like in likes):
            self.line(f"const int warp = threadIdx.x / {WARP};")
            self.taken.add("warp")
        if any(like is not None and like.layout.blocks for like in likes):
            self.line(f"const int rank = {self.call('cluster_rank')};")

    @prints
    def role(self, op: nv.RoleOp) -> None:
        first, end = op.first.value.data // WARPGROUP, op.end.value.data // WARPGROUP
        if end - first == 1:
            condition = f"{self.warpgroup} == {first}"
        else:
            last = block_sizes(op) == (op.end.value.data, 1, 1)
            limits = [f"{self.warpgroup} >= {first}"] * (first > 0) + [f"{self.warpgroup} < {end}"] * (not last)
            condition = " && ".join(limits) or "true"
        groups = f"warpgroup {first}" if end - first == 1 else f"warpgroups {first} to {end - 1}"
        self.line(f"// {' '.join(op.label.data.split())}: {groups}")
        outside = set(self.taken)
        with self.block(f"if ({condition})"):
            self.number_lanes(op.body.block.ops, op)
            self.body(op.body.block.ops)
        self.taken = outside

    @prints
    def single(self, op: nv.SingleOp) -> None:
        """Prints a single-thread region. Bulk copies use `elect.sync`: ptxas knows that it selects one thread."""
        role, size = role_of(op), {"warpgroup": WARPGROUP, "warp": WARP}.get(op.who.data)
        first = role.first.value.data if role is not None else 0
        if any(isinstance(o, BULK) for o in op.walk()) and role is not None:
            warps = {WARPGROUP: f"{self.warp} % {WARPGROUP // WARP} == 0 && ", WARP: ""}
            warp = warps[size] if size else f"{self.warp} == {first // WARP} && "
            selected = warp + self.call("elected")
        else:
            selected = f"(int)threadIdx.x % {size} == 0" if size else f"threadIdx.x == {first}"
        with self.block(f"if ({selected})"):
            self.body(op.body.block.ops)

    @prints
    def set_max_registers(self, op: nv.SetMaxRegistersOp) -> None:
        self.print_call(f"setmaxnreg_{'inc' if op.increases() else 'dec'}<{op.registers.value.data}>")

    @prints
    def warpgroup_index(self, op: nv.WarpgroupOp) -> None:
        first = first_warpgroup(op)
        self.names[op.result] = f"({self.warpgroup} - {first})" if first else self.warpgroup

    @prints
    def warp_index(self, op: nv.WarpOp) -> None:
        self.names[op.result] = f"({self.warp} % {WARPGROUP // WARP})"

    @prints
    def warp_sync(self, op: nv.WarpSyncOp) -> None:
        self.line("__syncwarp();")

    @prints
    def named_barrier(self, op: nv.BarrierOp) -> None:
        numbers = op.hardware_barriers
        each = f"({self.warpgroup} - {first_warpgroup(op)})" if len(numbers) > 1 else ""
        self.print_call("named_barrier", sum_of(str(numbers[0]), each), str(op.threads.value.data))

    @prints
    def order(self, op: nv.OrderWaitOp | nv.OrderArriveOp) -> None:
        first, count = op.hardware_barriers[0], len(op.hardware_barriers)
        group, threads = f"({self.warpgroup} - {first_warpgroup(op)})", str(op.participants[1])
        if isinstance(op, nv.OrderWaitOp):
            self.print_call("named_barrier", sum_of(str(first), group), threads)
            return
        following = f"{group} == {count - 1} ? {first} : {sum_of(str(first + 1), group)}"
        self.print_call("named_barrier_arrive", following, threads)

    @prints
    def cluster_rank(self, op: nv.ClusterRankOp) -> None:
        self.line(f"const int {self.name(op.result)} = {self.call('cluster_rank')};")

    @prints
    def cluster_sync(self, op: nv.ClusterSyncOp) -> None:
        kernel = op.parent_op()
        alone = kernel is None or set(nv.cluster_of(kernel)) == {1}
        self.line("__syncthreads();" if alone else f"{self.call('cluster_sync')};")
